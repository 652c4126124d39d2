// Tables as the library makes them: sorted by a click, copied as LaTeX, Markdown or CSV, each score with its recipe.

import { copyButton, el, gridStop, replace } from "./dom.js";
import { shown } from "./numbers.js";
import { numbered } from "./recipes.js";

function order(column, descending) {
  return (a, b) => {
    const [x, y] = [a.values[column], b.values[column]];
    if (x === null || y === null) return (x === null) - (y === null);
    const way =
      typeof x === "number" && typeof y === "number"
        ? x - y
        : String(x).localeCompare(String(y), "en", { numeric: true });
    return (descending ? -way : way) || a.place - b.place;
  };
}

/** Return a metric in words: what it is, and which way is better. */
function inWords(facts) {
  const better = { lower: "lower is better", higher: "higher is better", target: `best at ${facts.perfect ?? 1}` };
  const known = facts.direction !== "target" && typeof facts.perfect === "number";
  const perfect = known ? `, ${facts.perfect} is perfect` : "";
  return `${facts.title}; ${better[facts.direction]}${perfect}`;
}

/** Return what a score is, line by line: its value, what it means, what was measured beside it, its signature. */
export function scoreLines(section, name, metric, score) {
  const { interval, skill } = score;
  const facts = section.results.metrics?.[metric];
  const blind = metric === section.quality ? section.blind[name] : null;
  const beside = [
    typeof blind?.chance === "number" ? `random boundaries ${shown(blind.chance)}` : null,
    typeof blind?.clock === "number" ? `evenly spaced ones ${shown(blind.clock)}` : null,
  ].filter(Boolean);
  return [
    `${name}, ${metric}: ${score.score === null ? "not defined" : score.score}`,
    facts ? inWords(facts) : null,
    beside.length ? `as many boundaries in each document: ${beside.join(", ")}` : null,
    score.reason ? `reason: ${score.reason}` : null,
    interval && interval[0] !== null ? `interval: ${interval[0]} to ${interval[1]}` : null,
    typeof skill?.skill === "number" ? `skill: ${skill.skill}` : null,
    score.documents ? `documents: ${score.documents}` : null,
    `signature: ${score.signature}`,
  ];
}

/** Return what a cell of a table is, line by line; a score has its signature. */
function lines(section, table, row, column) {
  const [name, title] = [String(table.rows[row][0]), table.columns[column].title];
  const score = section.results.systems?.[name]?.[title];
  if (score) return scoreLines(section, name, title, score);
  const words = table.rows[row].slice(0, column).filter((value) => typeof value === "string" && !isNumber(value));
  const which = words.length || !column ? words : [`${table.columns[0].title} ${name}`];
  return [
    `${[table.title, ...which, title].filter(Boolean).join(", ")}: ${table.rows[row][column]}`,
    table.columns[column].words,
  ];
}

/** Say whether a cell holds a number: by itself, or as text such as "71 %" or "1.00 [0.95, 1.00]". */
function isNumber(value) {
  return (
    typeof value === "number" ||
    (typeof value === "string" &&
      /\d|^-?inf$/.test(value) &&
      !/[^\d\s.,:%<>=/+[\]()\u2212-]/.test(value.replace("inf", "")))
  );
}

/** Say whether a system is significantly better than every other on a metric; a score alone earns no mark. */
function wins(section, system, metric) {
  const tests = (section.results.comparisons || []).filter(
    (one) => one.metric === metric && [one.first, one.second].includes(system),
  );
  return (
    tests.length > 0 &&
    tests.every((one) => one.better === system && one.p_corrected !== null && one.p_corrected < 0.05)
  );
}

/** Return interval and skill of a score, where they are there and have no column of their own, as small lines. */
function beside(section, table, score, lines) {
  const parts = [];
  const own = new Set(table.columns.map((column) => column.title));
  if (score.interval && score.interval[0] !== null && !own.has("low"))
    parts.push(`${shown(score.interval[0])} to ${shown(score.interval[1])}`);
  if (typeof score.skill?.skill === "number" && !own.has("skill")) parts.push(`skill ${shown(score.skill.skill, 2)}`);
  return parts.map((text) => el("small", { class: "beside" }, numbered(section, text, lines)));
}

/** Return the lines below a table; many of them, such as the recipes of all metrics, behind a click. */
function notes(lines) {
  if (!lines.length) return null;
  const list = el(
    "ul",
    { class: "notes" },
    lines.map((note) => el("li", { text: note })),
  );
  return lines.length <= 4
    ? list
    : el("details", {}, el("summary", { class: "hint", text: `${lines.length} notes and recipes` }), list);
}

function classes(column, more = "") {
  return [column.numeric ? "number" : "", column.detail ? "detail" : "", more].filter(Boolean).join(" ") || null;
}

/** Return what the columns hold, in words, where the library says it; those of details behind a click. */
function explained(table) {
  const terms = (columns) =>
    columns.flatMap((column) => [el("dt", { text: column.title }), el("dd", { text: column.words })]);
  const [first, rest] = [false, true].map((detail) =>
    table.columns.filter((column) => column.words && Boolean(column.detail) === detail),
  );
  if (!first.length || table.columns[0].title !== "system" || !table.brief || table.title) return null;
  return [
    el("dl", { class: "heads" }, terms(first)),
    rest.length
      ? el(
          "details",
          {},
          el("summary", { class: "hint", text: "What the other columns mean" }),
          el("dl", { class: "heads" }, terms(rest)),
        )
      : null,
  ];
}

/** Return one table; `key` says where it is, and a link finds a number in it by row and column. */
export function showTable(section, table, key) {
  const rows = table.rows.map((values, place) => ({ values, place }));
  const body = el("tbody");
  const heads = [];
  let sorted = [null, false];
  const paint = () => {
    const shownRows = sorted[0] === null ? rows : [...rows].sort(order(...sorted));
    replace(
      body,
      shownRows.map(({ place }) =>
        el(
          "tr",
          {},
          table.texts[place].map((text, column) => cell(place, column, text)),
        ),
      ),
    );
    heads.forEach((head, column) =>
      head.setAttribute("aria-sort", sorted[0] !== column ? "none" : sorted[1] ? "descending" : "ascending"),
    );
  };
  const cell = (row, column, text) => {
    const value = table.rows[row][column];
    const numeric = table.columns[column].numeric;
    const [system, metric] = [String(table.rows[row][0]), table.columns[column].title];
    const score = section.results.systems?.[system]?.[metric];
    const marked = table.marked.some(([r, c]) => r === row && c === column);
    const starred = marked || (score && wins(section, system, metric));
    const told = () => lines(section, table, row, column);
    const inside =
      score || isNumber(value)
        ? numbered(section, text, told, [...key, row + 1, column + 1])
        : document.createTextNode(text);
    const node = el(
      column === 0 ? "th" : "td",
      {
        scope: column === 0 ? "row" : null,
        class: classes(table.columns[column], starred ? "best" : ""),
        dir: numeric ? null : "auto",
      },
      inside,
      starred ? el("span", { class: "star", title: "significantly better than every other system", text: "*" }) : null,
      score ? beside(section, table, score, told) : null,
    );
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
      title: column.words,
      text: [column.title, column.arrow].filter(Boolean).join(" "),
    });
    heads.push(el("th", { scope: "col", class: classes(column) }, button));
  });
  paint();
  const hidden = table.columns.filter((column) => column.detail).length;
  const inside = el("table", { class: "sortable" }, el("thead", {}, el("tr", {}, heads)), body);
  const wide = el("div", { class: hidden ? "wide brief" : "wide" }, inside);
  gridStop(inside);
  const more = (brief) => (brief ? "Show all columns" : "Show the main columns");
  return el(
    "div",
    { class: "table" },
    table.title ? el("h3", { text: table.title }) : null,
    wide,
    explained(table),
    notes(table.notes),
    el(
      "p",
      { class: "tools" },
      hidden
        ? el("button", {
            type: "button",
            class: "quiet",
            onclick: (event) => {
              event.target.textContent = more(wide.classList.toggle("brief"));
            },
            text: more(true),
          })
        : null,
      copyButton("Copy LaTeX", () => table.latex),
      copyButton("Copy Markdown", () => table.markdown),
      copyButton("Copy CSV", () => table.csv),
    ),
  );
}
