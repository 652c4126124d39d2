// All documents: which to read first, which of them, and the reader beside the list.

import { announce, choice, el, hint, replace } from "./dom.js";
import { List } from "./list.js";
import { counted } from "./numbers.js";
import { Search, filters, orders, scoresOf, stands, worstFirst } from "./picking.js";
import { Reader } from "./reader.js";
import { openRecipe } from "./recipes.js";

const HOWS = [
  ["", "(as it is)"],
  ["differ", "other than"],
  ["better", "better than"],
  ["worse", "worse than"],
];

/** The list of documents beside the reader. */
export class Documents {
  constructor(section, data, navigate) {
    this.section = section;
    this.data = data;
    this.navigate = navigate;
    this.scored = Object.keys(section.results.per_document || section.documents.errors?.missed || {});
    this.system = this.scored.includes(section.best) ? section.best : this.scored[0];
    this.orders = orders(section);
    [this.order] = this.orders;
    this.filters = filters(section);
    [[, this.passes]] = this.filters;
    this.find = "";
    this.found = null;
    this.how = "";
    this.search = new Search(section, data);
    this.list = new List(
      "Documents",
      (row) => this.cells(row),
      (row) => this.open(row),
      (row) => this.recipe(row),
    );
    this.reader = new Reader(section);
    if (this.system !== undefined && section.documents.systems.includes(this.system)) this.reader.system = this.system;
    this.status = el("p", { class: "hint", role: "status" });
    this.node = el(
      "div",
      { class: "browse" },
      el("div", { class: "side" }, this.controls(), this.status, this.list.node),
      this.reader.node,
    );
    this.filter();
    if (this.list.rows.length) this.read(this.list.rows[0]).catch((error) => announce(String(error.message || error)));
  }

  /** Show the document of a row; when several are asked for at once, the last of them. */
  async read(row) {
    this.asked = row;
    const document = await this.data.document(this.section, row);
    if (this.asked === row) this.reader.show(document);
  }

  controls() {
    const { section } = this;
    const search = el("input", {
      type: "search",
      placeholder: "Find in ids and texts",
      "aria-label": "Find documents by their id or text",
      oninput: (event) => {
        this.find = event.target.value.trim().toLowerCase();
        this.reader.find(this.find);
        this.found = null;
        this.filter();
        this.search.start(this.find, (rows, read) => {
          this.found = [rows, read];
          this.filter();
        });
      },
    });
    const chosen = (label, options, value, set, least = 1) =>
      options.length > least
        ? choice(label, options, value, (given) => {
            set(given);
            this.filter();
          })
        : null;
    const same = (names) => names.map((name) => [name, name]);
    const beside = section.results.runs ? this.scored : section.documents.systems; // of runs the means
    const others = beside.length > 1 && this.orders.length ? beside : [];
    [this.other] = others.filter((name) => name !== this.system);
    return el(
      "div",
      { class: "tools" },
      search,
      chosen("Worst first for", same(this.scored), this.system, (name) => {
        this.system = name;
        this.reader.turnTo(name);
      }),
      chosen("by", same(this.orders.map(({ name }) => name)), this.order?.name, (name) => {
        this.order = this.orders.find((one) => one.name === name);
      }, 0),
      chosen("Show", same(this.filters.map(([name]) => name)), this.filters[0][0], (name) => {
        this.passes = this.filters.find(([one]) => one === name)[1];
      }),
      others.length
        ? chosen("where it is", HOWS, "", (how) => {
            this.how = how;
          })
        : null,
      others.length ? chosen("", same(others), this.other, (name) => {
        this.other = name;
      }) : null,
    );
  }

  filter() {
    const { ids } = this.section.documents;
    const [rows, read] = this.found || [new Set(), 0];
    const named = (row) => !this.find || ids[row].toLowerCase().includes(this.find) || rows.has(row);
    const beside = (row) =>
      !this.how || stands(this.section, this.how, this.system, this.other, this.order, row);
    const shown = worstFirst(this.section, this.system, this.order).filter(
      (row) => named(row) && this.passes(this.system, row) && beside(row),
    );
    const open = this.find && read < ids.length;
    const rest = open ? `; ${counted(ids.length - read, "text")} to search` : "";
    this.status.textContent = `${counted(shown.length, "document")}${rest}`;
    this.list.current = 0;
    this.list.show(shown);
  }

  cells(row) {
    const { ids } = this.section.documents;
    const { order, system } = this;
    const number = () =>
      el("span", {
        class: "number",
        title: order.told(system, row),
        "data-value": order.value(system, row),
        text: order.text(system, row),
        onclick: (event) => {
          event.stopPropagation();
          this.recipe(row);
        },
      });
    return [el("span", { class: "id", dir: "auto", title: ids[row], text: ids[row] }), order ? number() : null];
  }

  /** Show where the number of a row comes from. */
  recipe(row) {
    const { section, system, order } = this;
    const id = section.documents.ids[row];
    if (order?.metric)
      openRecipe(section, () => [
        `${system}, ${order.name} of document ${id}: ${scoresOf(section, system, order.name)[row]}`,
        `signature of the whole: ${section.results.systems?.[system]?.[order.name]?.signature ?? "none"}`,
      ]);
    else if (order) openRecipe(section, () => [`document ${id}: ${order.told(system, row)}`]);
  }

  open(row) {
    this.navigate(this.section.documents.ids[row]);
  }

  /** Show the document of a link: its id, in which slashes need not be encoded, then perhaps a system. */
  async show(...parts) {
    const { ids } = this.section.documents;
    const ends = [parts.length, ...[...parts.keys()].slice(1)];
    const end = ends.find((at) => ids.includes(parts.slice(0, at).join("/"))) ?? parts.length;
    const [id, system] = [parts.slice(0, end).join("/"), parts[end]];
    const row = ids.indexOf(id);
    if (row < 0) {
      this.asked = null;
      replace(this.reader.node, hint(`There is no document ${id} here.`));
      return;
    }
    if (system !== undefined && this.section.documents.systems.includes(system)) this.reader.system = system;
    await this.read(row);
    const at = this.list.rows.indexOf(row);
    if (at >= 0 && at !== this.list.current) {
      this.list.current = at;
      this.list.paint();
    }
  }
}
