// The page: sections one below the other, each block under a link of its own. #1/documents/ID opens a document, and a
// longer link shows the recipe of a number: #1/table/1/2/3 is table, row and column as the library made them.

import { BLOCKS, withRecipes } from "./blocks.js";
import { announce, copy, el, hint, replace } from "./dom.js";
import { follow, linkTo } from "./recipes.js";
import { Data } from "./source.js";

/** Return a part of a link as it was before it was encoded; a link that somebody wrote may have a bare %. */
function unescaped(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

class Page {
  constructor(data, index) {
    this.data = data;
    this.sections = index.sections.map((section, place) => ({ ...section, place, prepare: {} }));
    this.tools = { data, open: (section, id) => this.go(linkTo(section, "documents", id)) };
  }

  build() {
    const main = document.getElementById("main");
    const menu = document.getElementById("menu");
    for (const section of this.sections) section.front = document.getElementById(`front-${section.place + 1}`);
    const history = document.getElementById("history");
    replace(
      main,
      history,
      this.sections.map((section) => this.section(section)),
    );
    replace(
      menu,
      this.sections.map((section) =>
        el(
          "ul",
          {},
          this.sections.length > 1 ? el("li", { class: "head", text: section.name }) : null,
          section.blocks.map(([name, title]) => el("li", {}, el("a", { href: linkTo(section, name), text: title }))),
        ),
      ),
    );
    const browsed = document.querySelector(".block.documents .list");
    if (browsed)
      document.querySelector(".skip").after(
        el("a", {
          class: "skip",
          href: "#main",
          onclick: (event) => {
            event.preventDefault();
            browsed.scrollIntoView({ block: "center" });
            browsed.focus({ preventScroll: true });
          },
          text: "Skip to the documents",
        }),
      );
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  section(section) {
    section.blocks = [];
    const nodes = [];
    // Who reads chapters looks at the show first.
    const early = section.results.chapters ? BLOCKS.filter(([name]) => name === "documents") : [];
    for (const [name, titled, make] of new Set([BLOCKS[0], ...early, ...BLOCKS])) {
      const inside = make(section, this.tools);
      if (!inside) continue;
      const title = typeof titled === "function" ? titled(section) : titled;
      section.blocks.push([name, title]);
      const id = linkTo(section, name).slice(1);
      const anchor = el("button", {
        type: "button",
        class: "anchor",
        title: "Copy the link to this block",
        "aria-label": `Copy the link to ${title}`,
        onclick: () => copy(new URL(`#${id}`, location.href).href),
        text: "#",
      });
      nodes.push(
        el(
          "section",
          { id, "aria-labelledby": `${id}-title`, class: `block ${name}` },
          el("h2", { id: `${id}-title` }, title, anchor),
          inside,
        ),
      );
    }
    return el(
      "div",
      { class: "results" },
      this.sections.length > 1 ? el("h1", { text: section.name }) : null,
      section.front ? withRecipes(section, section.front) : null,
      nodes,
    );
  }

  go(hash) {
    if (location.hash === hash) this.follow();
    else location.hash = hash;
  }

  async follow() {
    const link = location.hash;
    const [place, block, ...parts] = link.slice(1).split("/");
    const section = this.sections[Number(place) - 1];
    if (!section || !section.blocks.some(([name]) => name === block)) return;
    document.getElementById(`${place}/${block}`).scrollIntoView();
    if (!parts.length) return;
    try {
      await section.prepare[block]?.(...parts.map(unescaped));
      if (location.hash === link) follow(link);
    } catch (error) {
      announce(String(error.message || error));
    }
  }
}

async function start() {
  try {
    const data = new Data();
    const page = new Page(data, await data.index());
    page.build();
    document.body.dataset.ready = "yes";
    data.watch();
  } catch (error) {
    replace(document.getElementById("main"), hint(`This page could not be shown: ${error.message || error}`));
    document.body.dataset.ready = "failed";
  }
}

start();
