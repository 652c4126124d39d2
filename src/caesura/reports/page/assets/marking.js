// One document to mark: units below one another, a gap between each two. Only the pieces near the window are in the
// page, so a document of 20,000 units answers a key as fast as one of 20.

import { announce, el, replace } from "./dom.js";
import { Playing } from "./playing.js";

const PIECE = 50;
const IDLE = 60000; // ms without a key, a touch or a movement after which nobody is reading
const KEYS = [
  ["↓ j, ↑ k", "next, previous gap"],
  ["Space", "set or remove a boundary"],
  ["2", "set a major boundary (with two levels)"],
  ["Shift ↓ J, Shift ↑ K", "next, previous boundary"],
  ["t", "title of the segment"],
  ["u", "unsure here"],
  ["c", "comment here"],
  ["z, y", "undo, redo"],
  ["/", "search; Enter goes on"],
  ["s", "play or stop the recording; Space sets a boundary where it is"],
  [", .", "five seconds back, forward"],
  ["f", "document finished, on to the next"],
  ["n, p", "next, previous document"],
  ["g, ?", "guide, keys"],
];

function clock(seconds) {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"));
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${parts.join(":")}` : parts.join(":");
}

/** A document that a person marks. `record(kind, payload)` keeps an event, `leave(step)` goes to another document. */
export class Marking {
  constructor(me, task, content, { record, leave, dialogs }) {
    this.me = me;
    this.task = task;
    this.content = content;
    this.record = record;
    this.leave = leave;
    this.dialogs = dialogs;
    this.n = content.units.length;
    const { coding } = content;
    this.marks = new Map(coding.marks);
    this.titles = new Map(coding.titles);
    this.comments = new Map(coding.comments);
    this.unsure = new Set(coding.unsure);
    this.suggested = new Set(content.suggested || []);
    this.finished = coding.finished;
    this.seconds = coding.seconds;
    this.unsent = 0;
    this.gap = 1;
    this.done = [];
    this.undone = [];
    this.rows = new Map();
    this.build();
    this.stir();
  }

  // What is on the page

  build() {
    this.pieces = [];
    for (let from = 0; from < this.n; from += PIECE) {
      const node = el("div", { class: "piece" });
      const many = Math.min(PIECE, this.n - from);
      node.style.height = `${many * 44}px`;
      this.pieces.push({ node, from, many, full: false });
    }
    this.text = el(
      "div",
      { class: "units", tabindex: "0", role: "application", "aria-label": "The document: ? shows the keys" },
      this.pieces.map((piece) => piece.node),
    );
    this.watcher = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          const piece = this.pieces[Number(entry.target.dataset.piece)];
          if (entry.isIntersecting) this.show(piece);
          else this.hide(piece);
        }
      },
      { rootMargin: "1200px 0px" },
    );
    this.pieces.forEach((piece, at) => {
      piece.node.dataset.piece = at;
      this.watcher.observe(piece.node);
    });
    this.facts = el("span", { class: "facts" });
    this.active = el("span", { class: "active", title: "Active time in this document" });
    this.editor = el("form", { class: "editor", hidden: true });
    const kind = { type: "button", class: "quiet" };
    const button = (text, title, press) => el("button", { ...kind, title, onclick: press, text });
    this.bar = el(
      "div",
      { class: "actions", role: "toolbar", "aria-label": "Actions" },
      button("▲", "previous gap (k)", () => this.move(-1)),
      button("▼", "next gap (j)", () => this.move(1)),
      button("Boundary", "set or remove (Space)", () => this.toggle()),
      this.me.levels > 1 ? button("Major", "major boundary (2)", () => this.toggle(this.gap, 2)) : null,
      button("Title", "title of the segment (t)", () => this.edit("title")),
      button("Unsure", "unsure here (u)", () => this.doubt()),
      button("Comment", "comment here (c)", () => this.edit("comment")),
      button("Undo", "undo (z)", () => this.undo()),
      button("Redo", "redo (y)", () => this.redo()),
      button("Search", "search (/)", () => this.edit("search")),
      (this.finish = button("", "finish or reopen (f)", () => this.close())),
      button("?", "keys", () => this.help()),
      this.facts,
      this.active,
    );
    const { times, recording } = this.content;
    this.playing = times ? new Playing(times, recording, (gap) => this.go(gap, true, false)) : null;
    const foot = el("div", { class: "foot" }, this.editor, this.playing?.node, this.bar);
    this.node = el("div", { class: "marking" }, this.text, foot);
    this.listener = (event) => this.key(event);
    document.addEventListener("keydown", this.listener);
    this.stirring = () => this.stir();
    for (const name of ["keydown", "pointermove", "pointerdown", "wheel", "touchmove"])
      addEventListener(name, this.stirring, { passive: true });
    this.ticker = setInterval(() => this.tick(), 1000);
    this.tell();
  }

  stop() {
    this.watcher.disconnect();
    document.removeEventListener("keydown", this.listener);
    for (const name of ["keydown", "pointermove", "pointerdown", "wheel", "touchmove"])
      removeEventListener(name, this.stirring);
    clearInterval(this.ticker);
    this.playing?.release();
    this.sendTime();
  }

  show(piece) {
    if (piece.full) return;
    piece.full = true;
    const nodes = [];
    for (let at = piece.from; at < piece.from + piece.many; at += 1) {
      nodes.push(this.gapNode(at));
      const { speakers, times } = this.content;
      nodes.push(
        el(
          "div",
          { class: "unit" },
          el("span", { class: "place", text: times ? clock(times[at][0]) : at + 1 }),
          el(
            "p",
            { dir: "auto" },
            speakers ? el("b", { text: `${speakers[at]}: ` }) : null,
            document.createTextNode(this.content.units[at]),
          ),
        ),
      );
    }
    piece.node.replaceChildren(...nodes);
    piece.node.style.height = "";
  }

  hide(piece) {
    if (!piece.full || this.pieceOf(this.gap) === piece) return;
    piece.node.style.height = `${piece.node.offsetHeight}px`;
    piece.full = false;
    for (let at = piece.from; at < piece.from + piece.many; at += 1) this.rows.delete(at);
    piece.node.replaceChildren();
  }

  pieceOf(gap) {
    return this.pieces[Math.floor(gap / PIECE)];
  }

  gapNode(gap) {
    const node = gap ? el("div", { role: "button", "aria-label": `Gap ${gap}` }) : el("div");
    if (gap) {
      node.addEventListener("click", () => {
        this.go(gap, false);
        this.toggle(gap);
      });
    }
    this.rows.set(gap, node);
    this.paint(gap);
    return node;
  }

  paint(gap) {
    const node = this.rows.get(gap);
    if (!node) return;
    const level = this.marks.get(gap) || 0;
    const classes = ["slot"];
    if (level) classes.push(level > 1 ? "marked major" : "marked");
    if (gap === this.gap) classes.push("here");
    if (this.unsure.has(gap)) classes.push("doubted");
    if (this.suggested.has(gap)) classes.push("suggested");
    if (!gap) classes.push("first");
    node.className = classes.join(" ");
    if (gap) node.setAttribute("aria-pressed", String(level > 0));
    const title = level || !gap ? this.titles.get(gap) : null;
    const comment = this.comments.get(gap);
    replace(
      node,
      level ? el("span", { class: "what", text: level > 1 ? "══" : "──" }) : null,
      title ? el("b", { dir: "auto", text: title }) : null,
      this.unsure.has(gap) ? el("span", { class: "note", text: "unsure" }) : null,
      this.suggested.has(gap) ? el("span", { class: "note", text: "suggested" }) : null,
      comment ? el("span", { class: "note", dir: "auto", text: `“${comment}”` }) : null,
    );
  }

  tell() {
    const many = this.marks.size;
    const per = (100 * many) / this.n;
    let text = `gap ${this.gap} of ${this.n - 1} · ${many} ${many === 1 ? "boundary" : "boundaries"}`;
    const range = this.me.density;
    if (range && this.n >= 20 && this.gap > this.n / 2 && (per < range[0] || per > range[1]))
      text += ` (${per.toFixed(1)} per 100; the guide has ${range[0]} to ${range[1]})`;
    this.facts.textContent = text;
    this.active.textContent = clock(this.seconds);
    this.finish.textContent = this.finished ? "Reopen" : "Finish";
    this.node?.classList.toggle("finished", this.finished);
  }

  // Going

  go(gap, scroll = true, seek = true) {
    const before = this.gap;
    this.gap = Math.max(1, Math.min(this.n - 1, gap));
    if (seek) this.playing?.seek(this.gap);
    this.show(this.pieceOf(this.gap));
    this.paint(before);
    this.paint(this.gap);
    const node = this.rows.get(this.gap);
    if (scroll && node) {
      const { top, bottom } = node.getBoundingClientRect();
      if (top < 90 || bottom > innerHeight - 130) node.scrollIntoView({ block: "center" });
    }
    this.tell();
  }

  move(step) {
    this.go(this.gap + step);
  }

  jump(step) {
    const sorted = [...this.marks.keys()].sort((a, b) => a - b);
    const next = step > 0 ? sorted.find((gap) => gap > this.gap) : sorted.reverse().find((gap) => gap < this.gap);
    if (next === undefined) announce(step > 0 ? "No boundary below." : "No boundary above.");
    else this.go(next);
  }

  // Marking: every action is an event, and knows the event that takes it back.

  act(kind, payload, back) {
    if (this.finished) {
      announce("This document is finished; Reopen (f) to change it.");
      return;
    }
    this.take(kind, payload);
    this.record(kind, payload);
    this.done.push([kind, payload, back]);
    this.undone = [];
  }

  take(kind, payload) {
    const { gap } = payload;
    const put = (values, value) => (value ? values.set(gap, value) : values.delete(gap));
    if (kind === "mark") put(this.marks, payload.level);
    else if (kind === "title") put(this.titles, payload.text);
    else if (kind === "comment") put(this.comments, payload.text);
    else if (kind === "unsure") payload.on ? this.unsure.add(gap) : this.unsure.delete(gap);
    else if (kind === "finish") this.finished = true;
    else if (kind === "reopen") this.finished = false;
    if (gap !== undefined) this.paint(gap);
    this.tell();
  }

  toggle(gap = this.gap, level = 1) {
    const before = this.marks.get(gap) || 0;
    this.act("mark", { gap, level: before === level ? 0 : level }, { gap, level: before });
  }

  doubt() {
    const on = !this.unsure.has(this.gap);
    this.act("unsure", { gap: this.gap, on }, { gap: this.gap, on: !on });
  }

  undo() {
    const last = this.finished ? undefined : this.done.pop();
    if (!last) return announce("Nothing to undo.");
    this.undone.push(last);
    this.again(last[0], last[2]);
  }

  redo() {
    const last = this.finished ? undefined : this.undone.pop();
    if (!last) return announce("Nothing to redo.");
    this.done.push(last);
    this.again(last[0], last[1]);
  }

  again(kind, payload) {
    this.take(kind, payload);
    this.record(kind, payload);
    if (payload.gap) this.go(payload.gap);
  }

  close() {
    this.sendTime();
    const kind = this.finished ? "reopen" : "finish";
    this.take(kind, {});
    this.record(kind, {});
    if (this.finished) this.leave("unfinished");
  }

  // Text fields: titles, comments, search

  segmentStart() {
    let start = 0;
    for (const gap of this.marks.keys()) if (gap <= this.gap && gap > start) start = gap;
    return start;
  }

  edit(what) {
    if (this.finished && what !== "search") return this.act();
    const gap = what === "title" ? this.segmentStart() : this.gap;
    const values = what === "title" ? this.titles : this.comments;
    const before = what === "search" ? this.sought || "" : values.get(gap) || "";
    const label = {
      title: `Title of the segment from unit ${gap + 1}`,
      comment: `Comment at gap ${gap}`,
      search: "Search",
    };
    const field = el("input", {
      type: what === "search" ? "search" : "text",
      "aria-label": label[what],
      placeholder: label[what],
      maxlength: what === "comment" ? "5000" : "500",
      dir: "auto",
    });
    field.value = before;
    const end = () => {
      this.editor.hidden = true;
      this.editor.onsubmit = null;
      this.text.focus({ preventScroll: true });
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") end();
    });
    this.editor.onsubmit = (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (what === "search") return this.search(text);
      if (text !== before) this.act(what, { gap, text }, { gap, text: before });
      return end();
    };
    const more = what === "search" ? "Next" : "Keep";
    const close = el("button", { type: "button", class: "quiet", onclick: end, text: "Close" });
    replace(this.editor, field, el("button", { class: "quiet", text: more }), close);
    this.editor.hidden = false;
    field.focus();
    field.select();
    return undefined;
  }

  search(text) {
    this.sought = text;
    const wanted = text.toLocaleLowerCase();
    if (!wanted) return;
    for (let step = 1; step <= this.n; step += 1) {
      const at = (this.gap + step) % this.n;
      if (this.content.units[at].toLocaleLowerCase().includes(wanted)) {
        this.go(Math.max(1, at));
        announce(`Unit ${at + 1}.`);
        return;
      }
    }
    announce("Not found.");
  }

  help() {
    const rows = KEYS.flatMap(([keys, what]) => [el("dt", { text: keys }), el("dd", { text: what })]);
    this.dialogs("Keys", el("dl", {}, rows));
  }

  key(event) {
    if (document.querySelector("dialog[open]") || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (event.altKey) return;
    const page = 12;
    if (event.ctrlKey || event.metaKey) {
      const again = event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z");
      if (!again && event.key !== "z") return;
      event.preventDefault();
      if (again) this.redo();
      else this.undo();
      return;
    }
    const onButton = event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter");
    if (onButton) return;
    const actions = {
      ArrowDown: () => (event.shiftKey ? this.jump(1) : this.move(1)),
      ArrowUp: () => (event.shiftKey ? this.jump(-1) : this.move(-1)),
      j: () => this.move(1),
      k: () => this.move(-1),
      J: () => this.jump(1),
      K: () => this.jump(-1),
      PageDown: () => this.move(page),
      PageUp: () => this.move(-page),
      Home: () => this.go(1),
      End: () => this.go(this.n - 1),
      " ": () => this.toggle(),
      Enter: () => this.toggle(),
      1: () => this.toggle(),
      2: () => this.me.levels > 1 && this.toggle(this.gap, 2),
      t: () => this.edit("title"),
      c: () => this.edit("comment"),
      "/": () => this.edit("search"),
      s: () => this.playing?.toggle(),
      ",": () => this.playing?.skip(-1),
      ".": () => this.playing?.skip(1),
      u: () => this.doubt(),
      z: () => this.undo(),
      y: () => this.redo(),
      Z: () => this.redo(),
      f: () => this.close(),
      n: () => this.leave("next"),
      p: () => this.leave("previous"),
      g: () => this.leave("guide"),
      "?": () => this.help(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // Active time: while the page is in front and somebody does something

  stir() {
    this.stirred = performance.now();
  }

  tick() {
    if (this.finished || document.hidden || !document.hasFocus()) return;
    if (performance.now() - this.stirred > IDLE && !this.playing?.sounds) return;
    this.seconds += 1;
    this.unsent += 1;
    this.active.textContent = clock(this.seconds);
    if (this.unsent >= 15) this.sendTime();
  }

  sendTime() {
    if (!this.unsent) return;
    this.record("time", { seconds: this.unsent });
    this.unsent = 0;
  }
}
