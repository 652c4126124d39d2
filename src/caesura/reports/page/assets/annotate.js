// The pages of an annotation project: a person's documents, and the lead's view. The link's token stands behind the #,
// which is never sent as part of an address.

import { announce, el, hint, replace } from "./dom.js";
import { Lead } from "./lead.js";
import { Mailed } from "./mailed.js";
import { Marking } from "./marking.js";
import { Saver, Server } from "./saving.js";

const KEPT = 20; // documents that the page remembers, for when there is no connection

function dialog(title, ...content) {
  const node = el(
    "dialog",
    { "aria-label": title },
    el("h2", { text: title }),
    content,
    el("form", { method: "dialog" }, el("button", { text: "Close" })),
  );
  node.addEventListener("close", () => node.remove());
  document.body.append(node);
  node.showModal();
}

/** Text with **bold** and `code` in it. */
function words(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**") && part.length > 4) return el("b", { text: part.slice(2, -2) });
    if (part.startsWith("`") && part.length > 2) return el("code", { text: part.slice(1, -1) });
    return document.createTextNode(part);
  });
}

/** The Markdown that guides use: paragraphs, headings, lists, **bold**, `code`. No HTML, whatever the guide holds. */
function prose(text) {
  return text
    .split(/\n\s*\n|\n(?=#{1,6}\s)|(?<=^#{1,6}\s.*)\n/m)
    .filter((part) => part.trim())
    .map((part) => {
      const whole = part.trim();
      const head = /^#{1,6}\s+(.*)/.exec(whole);
      if (head) return el("h3", { dir: "auto" }, words(head[1]));
      const items = whole.split(/\n(?=\s*(?:[-*+]|\d+[.)])\s)/);
      if (!items.every((item) => /^\s*(?:[-*+]|\d+[.)])\s/.test(item)))
        return el("p", { class: "prose", dir: "auto" }, words(whole));
      const each = items.map((item) => el("li", { dir: "auto" }, words(item.replace(/^\s*\S+\s+/, ""))));
      return el(/^\d/.test(whole) ? "ol" : "ul", { class: "prose" }, each);
    });
}

class Person {
  constructor(server, me) {
    this.server = server;
    this.me = me;
    this.opened = new Map();
    this.state = el("span", { class: "state saved", role: "status", text: "Saved" });
    this.heading = document.querySelector("header");
    this.main = document.getElementById("main");
    this.saver = new Saver(server, `${me.project}/${me.person}`, me.number, {
      onstate: (kind, text) => {
        this.state.className = `state ${kind}`;
        this.state.textContent = text;
      },
      onothers: (events) => this.others(events),
    });
    document.getElementById("menu").remove();
    document.querySelector(".layout").className = "desk";
    this.select = el("select", { "aria-label": "Document", onchange: () => this.open(Number(this.select.value)) });
    this.heading.append(
      el(
        "div",
        { class: "tools" },
        this.select,
        el("button", { type: "button", class: "quiet", onclick: () => this.guide(), text: "Guide" }),
        server instanceof Mailed ? server.button(() => this.saver.flush()) : null,
        el("span", { class: "who", dir: "auto", text: me.name }),
        this.state,
      ),
    );
    this.list();
  }

  list() {
    const { tasks } = this.me;
    replace(
      this.select,
      tasks.map((task, place) =>
        el("option", { value: place, text: `${place + 1}/${tasks.length} ${task.name}${task.finished ? " ✓" : ""}` }),
      ),
    );
    if (this.place !== undefined) this.select.value = String(this.place);
  }

  guide() {
    dialog("Guide", this.me.guide ? prose(this.me.guide) : hint("This project has no guide."));
  }

  start() {
    if (!this.me.tasks.length) {
      replace(this.main, hint("There is nothing to annotate for you yet; come back later."));
      return undefined;
    }
    const seen = `caesura/${this.me.project}/seen-guide`;
    try {
      if (this.me.guide && !localStorage.getItem(seen)) this.guide();
      localStorage.setItem(seen, "yes");
    } catch {
      // no storage: the guide is behind its button
    }
    const open = this.me.tasks.findIndex((task) => !task.finished);
    return this.open(Math.max(open, 0));
  }

  /**
   * Return a document and what happened in it since the server was asked: without a connection, what was read before.
   * What is on its way may arrive before or after the answer: it is taken in again, which changes nothing twice.
   */
  async content(place) {
    const waiting = this.saver.queue.filter((event) => event.task === place);
    try {
      const content = await this.server.read(`document/${place}`);
      const opened = { content, events: [...(content.again || []), ...waiting] };
      this.opened.set(place, opened);
      if (this.opened.size > KEPT) this.opened.delete(this.opened.keys().next().value);
      return opened;
    } catch (error) {
      if (error.status !== 0 || !this.opened.has(place)) throw error;
      return this.opened.get(place);
    }
  }

  async open(place) {
    if (place === this.place) return;
    let content;
    let events;
    try {
      ({ content, events } = await this.content(place));
    } catch (error) {
      announce(`The document cannot be read now: ${error.message}`);
      this.list();
      return;
    }
    this.marking?.stop();
    this.place = place;
    this.marking = new Marking(this.me, this.me.tasks[place], content, {
      record: (kind, payload) => this.record(place, kind, payload),
      leave: (where) => this.leave(where),
      dialogs: dialog,
    });
    for (const event of events) if (event.kind !== "time") this.marking.take(event.kind, event.payload);
    replace(this.main, this.marking.node);
    this.list();
    scrollTo(0, 0);
    this.marking.text.focus({ preventScroll: true });
    document.body.dataset.document = place;
    this.readAhead();
  }

  /** Read the next document already, so that somebody who loses the connection can go on. */
  async readAhead() {
    const next = this.unfinished();
    if (next === undefined || this.opened.has(next)) return;
    await this.content(next).catch(() => {}); // then it is read when it is opened
    document.body.dataset.ahead = next;
  }

  /** Return the next document that is not finished, after the one that is shown. */
  unfinished() {
    const { tasks } = this.me;
    const order = tasks.map((_, step) => (this.place + 1 + step) % tasks.length);
    return order.find((place) => !tasks[place].finished && place !== this.place);
  }

  record(place, kind, payload) {
    this.opened.get(place)?.events.push({ kind, payload });
    if (kind === "finish" || kind === "reopen") {
      this.me.tasks[place].finished = kind === "finish";
      this.list();
    }
    this.saver.add({ task: place, kind, payload });
  }

  others(events) {
    for (const event of events) {
      this.opened.get(event.task)?.events.push(event);
      if (event.kind === "finish" || event.kind === "reopen") {
        this.me.tasks[event.task].finished = event.kind === "finish";
        this.list();
      }
      if (event.task === this.place && event.kind !== "time") this.marking.take(event.kind, event.payload);
    }
  }

  leave(where) {
    const { tasks } = this.me;
    if (where === "guide") return this.guide();
    if (where === "unfinished") {
      const next = this.unfinished();
      if (next === undefined) return announce("All documents are finished. Thank you!");
      announce("Finished. The next document:");
      return this.open(next);
    }
    const next = this.place + (where === "next" ? 1 : -1);
    if (next < 0) return announce("This is the first.");
    if (next >= tasks.length) return announce("This is the last.");
    return this.open(next);
  }
}

async function start() {
  const main = document.getElementById("main");
  try {
    const base = document.body.dataset.served;
    const server = base === undefined ? new Mailed() : new Server(base, location.hash.slice(1));
    const me = await server.read("me");
    addEventListener("hashchange", () => location.reload());
    if (me.role === "lead") await new Lead(server, me, dialog).start();
    else {
      const person = new Person(server, me);
      await person.saver.recover();
      await person.start();
    }
    document.body.dataset.ready = "yes";
  } catch (error) {
    const remedy = error.status === 0 ? "; is caesura annotate running?" : "";
    replace(main, hint(`This page cannot be shown: ${error.message || error}${remedy}`));
    document.body.dataset.ready = "failed";
  }
}

start();
