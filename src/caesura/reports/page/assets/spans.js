// Answers and chunks in the text: which answers a chunker cuts, and where its chunks begin, end and overlap.

import { announce, choice, el, grid, hint, narrow, replace, svg, tip } from "./dom.js";
import { List } from "./list.js";
import { counted } from "./numbers.js";
import { numbered, told } from "./recipes.js";

const SHOWN = 12000; // characters of the text at a time
const FIRST_ANSWERS = 40;
const MOST_DRAWN = 3000;
const MOST_ROWS = 12;
const QUOTED = 90;

/** Say whether no single chunk holds an answer whole. */
function isCut([chunks, lost]) {
  return chunks !== 1 || lost > 0;
}

/** Return in words what a reader needs for an answer. */
function needs([chunks, lost]) {
  if (!chunks) return "lost";
  if (chunks === 1 && !lost) return "whole";
  const share = lost ? `, ${Math.max(1, Math.round(100 * lost))} % lost` : "";
  return `cut: ${counted(chunks, "chunk")}${share}`;
}

/** The list of documents, those with cut answers first, beside the text of one of them. */
export class Spans {
  constructor(section, data, navigate) {
    this.section = section;
    this.data = data;
    const { systems } = section.documents;
    this.system = systems[0];
    this.find = "";
    this.list = new List(
      "Documents",
      (row) => this.cells(row),
      (row) => navigate(section.documents.ids[row]),
      () => {},
    );
    this.status = el("p", { class: "hint", role: "status" });
    this.reader = el("article", { class: "reader spans" });
    this.side = el("div", { class: "side" });
    this.node = el("div", { class: "browse" }, this.side, this.reader);
    this.filter();
    const search = el("input", {
      type: "search",
      placeholder: "Find a document",
      "aria-label": "Find a document",
      oninput: (event) => {
        this.find = event.target.value.toLowerCase();
        this.filter();
      },
    });
    replace(this.side, el("div", { class: "tools" }, search, this.chooser()), this.status, this.list.node);
    if (this.list.rows.length) this.read(this.list.rows[0]).catch((error) => announce(String(error.message || error)));
  }

  /** The choice of a chunker, which decides what is cut, what comes first, and which chunks are drawn. */
  chooser() {
    const { systems } = this.section.documents;
    return systems.length > 1
      ? choice(
          "Cut first for",
          systems.map((name) => [name, name]),
          this.system,
          (name) => this.choose(name),
        )
      : null;
  }

  choose(name) {
    this.system = name;
    const select = this.side.querySelector("select");
    if (select) select.value = name;
    this.filter();
    if (this.document) this.paint();
  }

  get at() {
    return this.section.documents.systems.indexOf(this.system);
  }

  filter() {
    const { ids, spans } = this.section.documents;
    const rows = ids.map((_, row) => row).filter((row) => ids[row].toLowerCase().includes(this.find));
    rows.sort((a, b) => spans.cut[b][this.at] - spans.cut[a][this.at] || a - b);
    this.status.textContent = counted(rows.length, "document");
    this.list.current = 0;
    this.list.show(rows);
  }

  cells(row) {
    const { ids, spans } = this.section.documents;
    const text = `${spans.cut[row][this.at]} of ${spans.answers[row]} cut`;
    return [el("span", { class: "id", title: ids[row], text: ids[row] }), el("span", { class: "number", text })];
  }

  async read(row) {
    this.asked = row;
    const document = await this.data.document(this.section, row);
    if (this.asked !== row) return;
    this.document = document;
    this.every = false;
    this.from = 0;
    const [first] = this.answers();
    if (first !== undefined) this.reach(first);
    this.paint();
  }

  async show(id, system) {
    const row = this.section.documents.ids.indexOf(id);
    if (row < 0) {
      this.asked = null;
      replace(this.reader, hint(`There is no document ${id} here.`));
      return;
    }
    if (system !== undefined && this.section.documents.systems.includes(system) && system !== this.system)
      this.choose(system);
    await this.read(row);
    const at = this.list.rows.indexOf(row);
    if (at >= 0 && at !== this.list.current) {
      this.list.current = at;
      this.list.paint();
    }
  }

  /** The answers of the document: cut ones first, those that lose and need most before others. */
  answers() {
    const needed = this.document.needed[this.at];
    const badness = ([chunks, lost]) => (isCut([chunks, lost]) ? 1 + lost * 1e6 + chunks : 0);
    return this.document.spans
      .map((_, row) => row)
      .sort((a, b) => badness(needed[b]) - badness(needed[a]) || this.document.spans[a][0] - this.document.spans[b][0]);
  }

  /** Move the window of the text to an answer. */
  reach(answer) {
    const [start, end] = this.document.spans[answer];
    if (this.from <= start && end <= this.from + SHOWN) return;
    this.from = Math.max(0, start - Math.floor(SHOWN / 3));
  }

  paint() {
    const { document, section, at } = this;
    const cut = document.needed[at].filter(isCut).length;
    const size = document.text === undefined ? counted(document.n, "unit") : counted(document.n, "character");
    const answers = `${counted(document.spans.length, "answer")}, ${cut} of them cut`;
    const facts = `${size}; ${answers}; ${counted(document.chunks[at].length, "chunk")} of ${this.system}.`;
    replace(
      this.reader,
      el("h3", { text: document.id }),
      el("p", { class: "facts" }, told(section, facts)),
      this.map(),
      this.table(),
      document.text === undefined ? hint("The documents hold no text.") : [this.legend(), this.text()],
    );
  }

  /** Every chunk as a bar over the document, neighbours on two levels, so that overlaps show; answers above. */
  map() {
    const { document, section } = this;
    const { systems } = section.documents;
    const rows = systems
      .map((name, at) => [name, document.chunks[at]])
      .filter(([name], at) => at < MOST_ROWS || name === this.system);
    if (rows.reduce((sum, [, chunks]) => sum + chunks.length, document.spans.length) > MOST_DRAWN) return null;
    const [width, high] = [narrow(760), 36];
    const end = document.text === undefined ? document.n : document.text.length;
    const px = (place) => 2 + (place / Math.max(1, end)) * (width - 4);
    const bar = (kind, [from, to], y, tall, words) =>
      svg(
        "rect",
        { class: kind, x: px(from), y, width: Math.max(1.5, px(to) - px(from) - 0.5), height: tall },
        tip(words),
      );
    const name = (text, y, chosen) => svg("text", { class: chosen ? "name people" : "name", x: 0, y, text });
    const plot = svg("svg", {
      viewBox: `0 0 ${width} ${(rows.length + 1) * high}`,
      class: "strip chunkmap",
      role: "img",
      "aria-label": `Answers and chunks of ${document.id}`,
    });
    const needed = document.needed[this.at];
    plot.append(
      name("answers", 12, true),
      ...document.spans.map((span, row) =>
        bar(
          isCut(needed[row]) ? "wanted parted" : "wanted",
          span,
          18,
          11,
          `answer: ${needs(needed[row])} by ${this.system}`,
        ),
      ),
    );
    rows.forEach(([system, chunks], row) => {
      const y = (row + 1) * high;
      plot.append(
        name(system, y + 12, system === this.system),
        ...chunks.map((chunk, number) =>
          bar(
            number % 2 ? "chunk odd" : "chunk",
            chunk,
            y + (number % 2 ? 25 : 17),
            7,
            `${system}: chunk ${number + 1}`,
          ),
        ),
      );
    });
    return el("div", { class: "wide" }, plot);
  }

  /** The answers, cut ones first: how many chunks of each system a reader needs. */
  table() {
    const { document, section } = this;
    const { systems } = section.documents;
    const order = this.answers();
    const shown = this.every ? order : order.slice(0, FIRST_ANSWERS);
    const cell = (row, name, at) => {
      const needed = document.needed[at][row];
      const [start, end] = document.spans[row];
      const lines = () => [
        `${name}, document ${document.id}, answer ${start} to ${end}: ${needs(needed)}`,
        `fewest chunks that hold it: ${needed[0]}`,
        `share in no chunk: ${needed[1]}`,
      ];
      const link = at === this.at ? ["documents", document.id, name, "answer", row + 1] : null;
      return el(
        "td",
        { class: isCut(needed) ? "cuts" : null, "data-value": needed[0] },
        numbered(section, needs(needed), lines, link),
      );
    };
    const head = (text) => el("th", { scope: "col", text });
    const body = shown.map((row) => {
      const go = el("button", { type: "button", class: "value", onclick: () => this.go(row), text: this.quote(row) });
      return el(
        "tr",
        {},
        el("th", { scope: "row", dir: "auto" }, go),
        systems.map((name, at) => cell(row, name, at)),
      );
    });
    const rest = order.length - shown.length;
    return [
      hint(
        `Answers, those that ${this.system} cuts first, and what a reader needs for each; ` +
          "choose one to see it in the text.",
      ),
      el("div", { class: "wide answers" }, grid([head("answer"), systems.map(head)], body)),
      rest
        ? el("button", {
            type: "button",
            class: "quiet",
            text: `Show ${rest.toLocaleString("en")} more`,
            onclick: () => {
              this.every = true;
              this.paint();
            },
          })
        : null,
    ];
  }

  /** The first words of an answer, or where it is if there is no text. */
  quote(row) {
    const [start, end] = this.document.spans[row];
    if (this.document.text === undefined) return `units ${start + 1} to ${end}`;
    const words = this.document.text.slice(start, end).replace(/\s+/g, " ");
    return words.length > QUOTED ? `${[...words].slice(0, QUOTED).join("")}…` : words;
  }

  legend() {
    const words = [
      ["limit", "a chunk begins, or ends if the next does not begin there"],
      ["shared", "in several chunks"],
      ["none", "in no chunk"],
      ["wanted", "an answer"],
      ["wanted parted", "an answer that is cut"],
    ];
    return el(
      "p",
      { class: "legend passages" },
      words.map(([kind, text]) =>
        el(
          "span",
          {},
          el("span", { class: kind, "data-n": kind === "limit" ? "№" : null, text: kind === "limit" ? "" : "text" }),
          ` ${text}`,
        ),
      ),
    );
  }

  go(row) {
    const before = this.from;
    this.reach(row);
    if (this.from !== before) this.paint();
    const target = this.reader.querySelector(`[data-answer="${row + 1}"]`);
    if (!target) return;
    for (const other of this.reader.querySelectorAll(".chosen")) other.classList.remove("chosen");
    for (const part of this.reader.querySelectorAll(`[data-answer="${row + 1}"]`)) part.classList.add("chosen");
    target.scrollIntoView({
      block: "center",
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });
  }

  /** A window of the text: limits where chunks begin or end; answers and text in several or no chunks are marked. */
  text() {
    const { document, at } = this;
    const [from, to] = [this.from, Math.min(document.text.length, this.from + SHOWN)];
    const near = ([start, end]) => end > from && start < to;
    const chunks = document.chunks[at].map(([start, end], number) => [start, end, number]).filter(near);
    const spans = document.spans.map(([start, end], row) => [start, end, row]).filter(near);
    const edges = new Set([from, to]);
    for (const [start, end] of [...chunks, ...spans])
      for (const edge of [start, end]) if (edge > from && edge < to) edges.add(edge);
    const starts = new Map();
    const ends = new Map();
    const put = (places, place, number) => places.set(place, [...(places.get(place) || []), number]);
    for (const [start, end, number] of chunks) {
      put(starts, start, number);
      const next = document.chunks[at][number + 1];
      const follows = next && next[0] >= end && !document.text.slice(end, next[0]).trim();
      if (!follows && end < document.text.length) put(ends, end, number);
    }
    const limit = (number, ended) =>
      el("span", {
        class: ended ? "limit end" : "limit",
        "data-n": number + 1,
        title: `chunk ${number + 1} ${ended ? "ends" : "begins"}`,
      });
    const parts = [];
    const places = [...edges].sort((a, b) => a - b);
    const open = { chunks: [], spans: [] };
    let [nextChunk, nextSpan] = [0, 0];
    spans.sort((a, b) => a[0] - b[0]);
    places.slice(0, -1).forEach((start, index) => {
      const end = places[index + 1];
      open.chunks = open.chunks.filter(([, last]) => last > start);
      open.spans = open.spans.filter(([, last]) => last > start);
      while (nextChunk < chunks.length && chunks[nextChunk][0] <= start) open.chunks.push(chunks[nextChunk++]);
      while (nextSpan < spans.length && spans[nextSpan][0] <= start) open.spans.push(spans[nextSpan++]);
      parts.push(
        ...(ends.get(start) || []).map((number) => limit(number, true)),
        ...(starts.get(start) || []).map((number) => limit(number, false)),
      );
      const words = document.text.slice(start, end);
      const depth = open.chunks.length;
      const kind =
        !words.trim() && !depth ? "" : depth > 1 ? "shared" : depth ? (open.chunks[0][2] % 2 ? "odd" : "even") : "none";
      if (!open.spans.length) parts.push(kind ? el("span", { class: kind, text: words }) : words);
      else {
        const cut = open.spans.some(([, , row]) => isCut(document.needed[at][row]));
        parts.push(
          el("mark", {
            class: `wanted ${cut ? "parted " : ""}${kind}`,
            "data-answer": open.spans[0][2] + 1,
            title: open.spans.map(([, , row]) => `answer: ${needs(document.needed[at][row])}`).join("; "),
            text: words,
          }),
        );
      }
    });
    parts.push(...(ends.get(to) || []).map((number) => limit(number, true)));
    const turn = (place, text) =>
      el("button", {
        type: "button",
        text,
        onclick: () => {
          this.from = place;
          this.paint();
        },
      });
    return el(
      "div",
      { class: "passages" },
      from > 0 ? turn(Math.max(0, from - SHOWN), "Earlier") : null,
      el("div", { class: "passage", dir: "auto" }, parts),
      to < document.text.length ? turn(to, `Later (${counted(document.text.length - to, "character")} more)`) : null,
    );
  }
}
