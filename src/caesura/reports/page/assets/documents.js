// All documents: which to read first, filters, slices.

import { announce, choice, choices, el, grid, hint, replace, tick } from "./dom.js";
import { List } from "./list.js";
import { counted, isDefined, shown } from "./numbers.js";
import { Reader } from "./reader.js";
import { numbered, openRecipe } from "./recipes.js";

/** Return how bad a score is, so that the worst documents come first. */
function badness(facts, value) {
  if (value === null || value === undefined) return -Infinity;
  const number = value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;
  if (facts.direction === "lower") return number;
  return facts.direction === "target" ? Math.abs(number - (facts.perfect ?? 1)) : -number;
}

/** Return the scores per document of a system and a metric, or null. */
export function scoresOf(section, system, metric) {
  return section.results.per_document?.[system]?.[metric] ?? null;
}

/** Return the metric to look at first: the F1 of the section where it was measured, else the first. */
export function mainMetric(section, metrics) {
  return metrics.includes(section.f1.name) ? section.f1.name : metrics[0];
}

/** Return the rows of a section's documents from worst to best. */
export function worstFirst(section, system, metric) {
  const scores = scoresOf(section, system, metric);
  const rows = section.documents.ids.map((_, row) => row);
  if (!scores) return rows;
  const facts = section.results.metrics[metric];
  return rows.sort((a, b) => badness(facts, scores[b]) - badness(facts, scores[a]) || a - b);
}

/** The list of documents beside the reader. */
export class Documents {
  constructor(section, data, navigate) {
    this.section = section;
    this.data = data;
    this.navigate = navigate;
    const systems = Object.keys(section.results.per_document || {});
    this.metrics = systems.length ? Object.keys(section.results.per_document[systems[0]]) : [];
    this.scored = systems;
    this.system = systems[0];
    this.metric = mainMetric(section, this.metrics);
    this.find = "";
    this.pair = null;
    this.list = new List(
      "Documents",
      (row) => this.cells(row),
      (row) => this.open(row),
      (row) => this.recipe(row),
    );
    this.reader = new Reader(section);
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
      placeholder: "Find a document",
      "aria-label": "Find a document",
      oninput: (event) => {
        this.find = event.target.value.toLowerCase();
        this.filter();
      },
    });
    const rows = [search];
    if (this.metrics.length) {
      rows.push(
        choice(
          "Worst first for",
          this.scored.map((name) => [name, name]),
          this.system,
          (name) => {
            this.system = name;
            this.filter();
          },
        ),
        choice(
          "by",
          this.metrics.map((name) => [name, name]),
          this.metric,
          (name) => {
            this.metric = name;
            this.filter();
          },
        ),
      );
    }
    const { systems } = section.documents;
    if (systems.length > 1) {
      const pairs = systems.flatMap((first, i) =>
        systems.slice(i + 1).map((second, j) => [`${i}/${i + 1 + j}`, `${first} and ${second}`]),
      );
      let chosen = pairs[0][0];
      const box = tick("Only where these differ:", false, (on) => {
        this.pair = on ? chosen : null;
        this.filter();
      });
      rows.push(
        box,
        choice("", pairs, chosen, (value) => {
          chosen = value;
          if (this.pair !== null) {
            this.pair = value;
            this.filter();
          }
        }),
      );
    }
    return el("div", { class: "tools" }, rows);
  }

  filter() {
    const { ids, alike } = this.section.documents;
    const [first, second] = (this.pair || "/").split("/").map(Number);
    const rows = (this.metric ? worstFirst(this.section, this.system, this.metric) : ids.map((_, row) => row)).filter(
      (row) =>
        ids[row].toLowerCase().includes(this.find) && (this.pair === null || alike[row][first] !== alike[row][second]),
    );
    this.status.textContent = counted(rows.length, "document");
    this.list.current = 0;
    this.list.show(rows);
  }

  cells(row) {
    const { ids } = this.section.documents;
    const scores = this.metric ? scoresOf(this.section, this.system, this.metric) : null;
    const number = () =>
      el("span", {
        class: "number",
        title: "Show the recipe",
        "data-value": scores[row],
        text: shown(scores[row]),
        onclick: (event) => {
          event.stopPropagation();
          this.recipe(row);
        },
      });
    return [el("span", { class: "id", title: ids[row], text: ids[row] }), scores ? number() : null];
  }

  /** Show where the number of a row comes from. */
  recipe(row) {
    const { section, system, metric } = this;
    if (metric)
      openRecipe(section, () => [
        `${system}, ${metric} of document ${section.documents.ids[row]}: ${scoresOf(section, system, metric)[row]}`,
        `signature of the whole: ${section.results.systems?.[system]?.[metric]?.signature ?? "none"}`,
      ]);
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

/** Return the mean score of each slice of the documents by a field, or of length. */
export function slices(section) {
  const fields = section.documents?.fields || {};
  const systems = Object.keys(section.results.per_document || {});
  const names = Object.keys(fields);
  if (!names.length || !systems.length) return null;
  const metrics = Object.keys(section.results.per_document[systems[0]]);
  const place = el("div", { class: "wide" });
  const mean = (system, metric, rows) => {
    const values = rows
      .map((row) => section.results.per_document[system][metric][row])
      .filter(isDefined);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  };
  const paint = ({ field, metric }) => {
    const groups = new Map();
    fields[field].forEach((value, row) => groups.set(value, [...(groups.get(value) || []), row]));
    const keys = [...groups.keys()].sort((a, b) => String(a).localeCompare(String(b), "en", { numeric: true }));
    const cell = (value, text, lines, ...parts) =>
      el(
        "td",
        { class: "number", "data-value": value },
        numbered(section, text, lines, ["slices", field, metric, ...parts]),
      );
    const head = (text, at) => el("th", { scope: "col", class: at ? "number" : null, text });
    const row = (key) => {
      const [rows, words] = [groups.get(key), `${field} ${sliceName(key)}`];
      const means = systems.map((name) => [name, mean(name, metric, rows)]);
      const over = `over ${counted(rows.length, "document")} with ${words}`;
      return el(
        "tr",
        {},
        el("th", { scope: "row", text: sliceName(key) }),
        cell(rows.length, String(rows.length), () => [`documents with ${words}: ${rows.length}`], key, "documents"),
        means.map(([name, value]) =>
          cell(value, shown(value), () => [`${name}, mean of ${metric} ${over}: ${value}`], key, "of", name),
        ),
      );
    };
    replace(place, grid([field, "documents", ...systems].map(head), keys.map(row)));
  };
  const same = (options) => options.map((name) => [name, name]);
  const { node, set } = choices(
    { field: ["Slice by", same(names)], metric: ["Mean of", same(metrics), mainMetric(section, metrics)] },
    paint,
  );
  section.prepare.slices = (field, metric) => set({ field, metric });
  return el("div", {}, node, place);
}

/** Return the name of a slice without the number that puts thirds of length in order. */
function sliceName(key) {
  return String(key).replace(/^[123]: (?=up to|\d+ to|more than)/, "");
}
