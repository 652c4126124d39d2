// A list of any length: only the rows in sight are in the page.

import { el } from "./dom.js";

const ROW = 30;

/** A list of rows; `draw(row)` returns the cells, `open(row)` is called when one is chosen, `press(row)` by Enter. */
export class List {
  constructor(label, draw, open, press) {
    this.draw = draw;
    this.open = open;
    this.press = press;
    this.rows = [];
    this.current = 0;
    this.space = el("div", { class: "space" });
    this.node = el("div", { class: "list", role: "listbox", "aria-label": label, tabindex: "0" }, this.space);
    this.node.addEventListener("scroll", () => this.paint());
    this.node.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.paint()).observe(this.node);
  }

  show(rows) {
    this.rows = rows;
    this.current = Math.min(this.current, Math.max(rows.length - 1, 0));
    this.space.style.height = `${rows.length * ROW}px`;
    this.node.style.height = `${Math.min(rows.length, 17) * ROW + 2}px`;
    this.paint();
  }

  paint() {
    const first = Math.max(0, Math.floor(this.node.scrollTop / ROW) - 4);
    const last = Math.min(this.rows.length, first + Math.ceil((this.node.clientHeight || 400) / ROW) + 8);
    const rows = [];
    for (let at = first; at < last; at += 1) {
      const row = el(
        "div",
        {
          class: at === this.current ? "row current" : "row",
          role: "option",
          id: `row-${at}`,
          "aria-selected": String(at === this.current),
          onclick: () => this.choose(at),
        },
        this.draw(this.rows[at]),
      );
      row.style.transform = `translateY(${at * ROW}px)`;
      rows.push(row);
    }
    this.space.replaceChildren(...rows);
    this.node.setAttribute("aria-activedescendant", `row-${this.current}`);
  }

  choose(at) {
    this.current = at;
    const [from, height] = [this.node.scrollTop, this.node.clientHeight];
    if (at * ROW < from) this.node.scrollTop = at * ROW;
    else if ((at + 1) * ROW > from + height) this.node.scrollTop = (at + 1) * ROW - height;
    this.paint();
    this.open(this.rows[at]);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" && this.rows.length) this.press(this.rows[this.current]);
    if (!(event.key in steps) || !this.rows.length) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(this.rows.length - 1, this.current + steps[event.key])));
  }
}
