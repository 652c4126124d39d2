// Tables as the library makes them: sorted by a click, copied as LaTeX, Markdown or CSV, each score with its recipe.

import { copy, copyButton, el, replace } from "./dom.js";
import { shown } from "./numbers.js";

function order(column, descending) {
  return (a, b) => {
    const [x, y] = [a.values[column], b.values[column]];
    if (x === null || y === null) return (x === null) - (y === null);
    const way = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
    return (descending ? -way : way) || a.place - b.place;
  };
}

/** Return the recipe of a score: what was computed, from which files, by which version. */
export function recipe(section, system, metric) {
  const score = section.results.systems?.[system]?.[metric];
  if (!score) return null;
  const lines = [
    `${system}, ${metric}: ${score.score === null ? "not defined" : score.score}`,
    score.reason ? `reason: ${score.reason}` : null,
    `signature: ${score.signature}`,
    section.command ? `command: ${section.command}` : null,
    `caesura: ${section.results.caesura}`,
    ...section.results.inputs.map((input) => `${input.role} ${input.name}: ${input.file || "no file"}${input.sha256 ? ` sha256:${input.sha256}` : ""}`),
  ];
  return lines.filter((line) => line !== null).join("\n");
}

/** Say whether a system is significantly better than every other on a metric; a score alone earns no mark. */
function wins(section, system, metric) {
  const tests = (section.results.comparisons || []).filter((one) => one.metric === metric && [one.first, one.second].includes(system));
  return tests.length > 0 && tests.every((one) => one.better === system && one.p_corrected !== null && one.p_corrected < 0.05);
}

/** Return interval and skill of a score, where they are there, as a small line. */
function beside(score) {
  const parts = [];
  if (score.interval && score.interval[0] !== null) parts.push(`${shown(score.interval[0])} to ${shown(score.interval[1])}`);
  if (typeof score.skill?.skill === "number") parts.push(`skill ${shown(score.skill.skill, 2)}`);
  return parts.map((text) => el("small", { class: "beside", text }));
}

function openRecipe(text) {
  const dialog = el("dialog", { class: "recipe", "aria-label": "Recipe" }, el("pre", { text }), el("form", { method: "dialog" }, el("button", { type: "button", onclick: () => copy(text), text: "Copy recipe" }), el("button", { text: "Close" })));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Return the lines below a table; many of them, such as the recipes of all metrics, behind a click. */
function notes(lines) {
  if (!lines.length) return null;
  const list = el("ul", { class: "notes" }, lines.map((note) => el("li", { text: note })));
  return lines.length <= 4 ? list : el("details", {}, el("summary", { class: "hint", text: `${lines.length} notes and recipes` }), list);
}

/** Return one table. */
export function showTable(section, table) {
  const rows = table.rows.map((values, place) => ({ values, place }));
  const best = new Set(table.best.map(([row, column]) => `${row}/${column}`));
  const body = el("tbody");
  const heads = [];
  let sorted = [null, false];
  const paint = () => {
    const shownRows = sorted[0] === null ? rows : [...rows].sort(order(...sorted));
    replace(body, shownRows.map(({ place }) => el("tr", {}, table.texts[place].map((text, column) => cell(place, column, text)))));
    heads.forEach((head, column) => head.setAttribute("aria-sort", sorted[0] !== column ? "none" : sorted[1] ? "descending" : "ascending"));
  };
  const cell = (row, column, text) => {
    const value = table.rows[row][column];
    const numeric = table.columns[column].numeric;
    const [system, metric] = [String(table.rows[row][0]), table.columns[column].title];
    const score = section.results.systems?.[system]?.[metric];
    const made = score ? recipe(section, system, metric) : null;
    const starred = score ? wins(section, system, metric) : best.has(`${row}/${column}`);
    const inside = made
      ? el("button", { type: "button", class: "value", title: "Show the recipe", onclick: () => openRecipe(made), text })
      : document.createTextNode(text);
    const node = el(column === 0 ? "th" : "td", { scope: column === 0 ? "row" : null, class: [numeric ? "number" : "", starred ? "best" : ""].join(" ").trim() || null }, inside, starred ? el("span", { class: "star", title: score ? "significantly better than every other system" : "best of its column", text: "*" }) : null, score ? beside(score) : null);
    if (typeof value === "number") node.dataset.value = value;
    return node;
  };
  table.columns.forEach((column, place) => {
    const button = el("button", {
      type: "button",
      onclick: () => {
        sorted = sorted[0] === place ? [place, !sorted[1]] : [place, column.direction === "higher"];
        paint();
      },
      text: [column.title, column.arrow].filter(Boolean).join(" "),
    });
    heads.push(el("th", { scope: "col", class: column.numeric ? "number" : null }, button));
  });
  paint();
  return el(
    "div",
    { class: "table" },
    table.title ? el("h3", { text: table.title }) : null,
    el("div", { class: "wide" }, el("table", { class: "sortable" }, el("thead", {}, el("tr", {}, heads)), body)),
    notes(table.notes),
    el("p", { class: "tools" }, copyButton("Copy LaTeX", () => table.latex), copyButton("Copy Markdown", () => table.markdown), copyButton("Copy CSV", () => table.csv)),
  );
}
