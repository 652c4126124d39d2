// The blocks of a section, in the order of a reader's questions. A block that the results cannot fill is left out.

import { bars, chart, heatMap, ranges } from "./charts.js";
import { copyButton, el } from "./dom.js";
import { Documents, scoresOf, slices, worstFirst } from "./documents.js";
import { counted, shown } from "./numbers.js";
import { teaser } from "./reader.js";
import { key } from "./strip.js";
import { showTable } from "./tables.js";

function answer(section) {
  return section.answer.length ? el("div", { class: "answer" }, section.answer.map((sentence) => el("p", { text: sentence }))) : null;
}

function tables(section) {
  const [brief, detail] = [section.tables.filter((table) => table.brief), section.tables.filter((table) => !table.brief)];
  if (!section.tables.length) return null;
  return el("div", {}, brief.map((table) => showTable(section, table)), detail.length ? el("details", { class: "more" }, el("summary", { text: `Everything else (${counted(detail.length, "table")})` }), detail.map((table) => showTable(section, table))) : null);
}

function strips(section, tools) {
  if (!section.documents) return section.hint ? el("p", { class: "hint", text: section.hint }) : null;
  const place = el("div", {}, key());
  const systems = Object.keys(section.results.per_document || {});
  const best = section.best && systems.includes(section.best) ? section.best : systems[0];
  const metrics = best ? Object.keys(section.results.per_document[best]) : [];
  const metric = metrics.includes("W-F1") ? "W-F1" : metrics[0];
  const rows = metric ? worstFirst(section, best, metric).filter((row) => scoresOf(section, best, metric)[row] !== null) : section.documents.ids.map((_, row) => row);
  const wanted = metric && rows.length > 1 ? [[rows[Math.floor(rows.length / 2)], `the median document of ${best} by ${metric}`], [rows[0], `its worst`]] : [[rows[0], "the first document"]];
  Promise.all(wanted.filter(([row]) => row !== undefined).map(async ([row, words]) => {
    const document = await tools.data.document(section, row);
    return teaser(section, document, words, () => tools.open(section, document.id));
  })).then((nodes) => place.append(...nodes), (error) => place.append(el("p", { class: "hint", text: String(error.message) })));
  return place;
}

function systemPoints(section, xName, yName, colour) {
  const { systems } = section.results;
  return Object.entries(systems || {}).filter(([, scores]) => typeof scores[xName]?.score === "number" && typeof scores[yName]?.score === "number").map(([name, scores]) => {
    const ends = scores[yName].interval;
    return [name, [scores[xName].score, scores[yName].score, name, ends?.[0], ends?.[1], colour ? colour(scores) : null]];
  });
}

function curves(section) {
  const { sweep } = section.results;
  const metric = "W-F1";
  const points = systemPoints(section, "BOR", metric);
  const series = [];
  if (sweep) {
    const free = sweep.without_reference;
    const name = Object.keys(Object.values(sweep.curves)[0]?.[0]?.scores || {}).find((one) => one !== "BOR") || metric;
    const y = Object.values(sweep.curves)[0]?.[0]?.scores[metric] !== undefined ? metric : name;
    for (const [scorer, curve] of Object.entries(sweep.curves)) {
      series.push({
        name: scorer,
        kind: "line",
        points: curve.map((point) => {
          const score = free && point.gains ? point.gains[y] : point.scores[y];
          const ends = free && point.gain_intervals ? point.gain_intervals[y] : point.intervals[y];
          return [free ? point.units_per_segment : point.scores.BOR, score, `${scorer} at ${shown(point.threshold)}`, ends?.[0], ends?.[1]];
        }).filter((point) => typeof point[0] === "number" && typeof point[1] === "number"),
      });
    }
    if (!series.some((one) => one.points.length)) return null;
    return chart({ title: "Density and quality", x: { label: free ? "units per segment" : "BOR (boundaries per reference boundary)", rules: free ? [] : [1] }, y: { label: free ? `${y} above chance` : y }, series });
  }
  if (points.length) {
    for (const [name, point] of points) series.push({ name, kind: "points", points: [point] });
    const chance = Object.entries(section.results.systems).map(([name, scores]) => [scores.BOR?.score, scores[metric]?.skill?.expected ?? section.results.verdicts?.[name]?.findings[metric]?.chance, `chance at the density of ${name}`]).filter(([x, y]) => typeof x === "number" && typeof y === "number").sort((a, b) => a[0] - b[0]);
    if (chance.length) series.push({ name: "chance at the same density", kind: "line", series: 7, points: chance });
    const clocks = Object.entries(section.results.verdicts || {}).map(([name, verdict]) => {
      const best = Math.max(...Object.values(verdict.clocks).map((one) => one.score ?? -1));
      return [verdict.bor, best, `a clock at the density of ${name}`];
    }).filter(([x, y]) => typeof x === "number" && y >= 0).sort((a, b) => a[0] - b[0]);
    if (clocks.length) series.push({ name: "a clock at the same density", kind: "line", series: 6, points: clocks });
    return chart({ title: "Density and quality", x: { label: "BOR (boundaries per reference boundary)", rules: [1], include: [1] }, y: { label: metric, include: [0] }, series });
  }
  return null;
}

function regimes(section) {
  const shade = (scores) => (typeof scores.Purity?.score === "number" ? `color-mix(in srgb, var(--warm) ${Math.round(scores.Purity.score * 100)}%, var(--page))` : null);
  const points = systemPoints(section, "BOR", "W-F1", shade);
  if (!points.length || !Object.values(section.results.systems).some((scores) => scores.Purity)) return null;
  const series = points.map(([name, point]) => ({ name, kind: "points", points: [point] }));
  return el("div", {}, chart({ title: "Regimes", x: { label: "BOR", rules: [0.8, 1.2], include: [0.5, 2] }, y: { label: "W-F1", include: [0, 1] }, series, log: true, height: 260 }), el("p", { class: "hint", text: "Between the two lines a system is as dense as the reference. The stronger the orange, the purer the segments." }));
}

/** Systems among the annotators: mean, nearest and farthest annotator, and what an annotator reaches against the rest. */
function among(section) {
  const { systems, metrics } = section.results;
  const names = Object.keys(metrics || {}).filter((metric) => Object.values(systems).some((scores) => scores[metric]?.among));
  if (!names.length) return null;
  return el(
    "div",
    {},
    el("p", { class: "hint", text: "Marks are means over annotators, lines reach from the farthest to the nearest annotator, and the dashed line is what an annotator reaches against the rest." }),
    names.map((metric) => {
      const rows = Object.entries(systems).filter(([, scores]) => scores[metric]?.among).map(([name, scores]) => [name, scores[metric].score, scores[metric].among.worst, scores[metric].among.best]);
      const rule = Object.values(systems).find((scores) => scores[metric]?.among)[metric].among.people;
      return ranges({ title: metric, rows, rule, ruleName: "annotators" });
    }),
  );
}

function people(section) {
  const { agreement } = section.results;
  if (!agreement) return section.results.systems ? among(section) : null;
  const parts = [];
  for (const [metric, windows] of Object.entries(agreement.pairwise)) {
    const row = windows.pooled || Object.values(windows)[0];
    const values = row.matrix.flat().filter((value) => typeof value === "number");
    if (!values.length) continue;
    parts.push(el("h3", { text: `${metric} between annotators` }), heatMap({ title: metric, rows: agreement.names, columns: agreement.names, values: row.matrix, low: Math.min(...values), high: Math.max(...values), marked: Object.entries(agreement.annotators).filter(([, one]) => one.outlier).map(([name]) => name) }));
    break;
  }
  const classes = ["unanimous", "majority", "minority"];
  const counts = classes.map((kind) => [kind, agreement.support.filter((one) => one.prominence === kind).length]);
  if (agreement.support.length) parts.push(el("h3", { text: "Prominence: how many annotators stand behind a boundary" }), bars({ rows: counts }));
  parts.push(el("h3", { text: "Boundaries per 100 units, by annotator" }), bars({ rows: Object.entries(agreement.annotators).map(([name, one]) => [name, one.per_100_units, one.outlier ? "stands apart" : ""]), digits: 1 }));
  return el("div", {}, parts);
}

function damages(section) {
  const { validity } = section.results;
  if (!validity) return null;
  return el("div", {}, Object.entries(validity.encoders).map(([encoder, facts]) => {
    const kinds = [...new Set(Object.values(facts.metrics).flatMap((trust) => trust.trials.map((trial) => trial.kind)))];
    return el("div", {}, el("h3", { text: encoder }), el("div", { class: "charts" }, kinds.map((kind) => chart({
      title: `${kind}: documents ranked right`,
      x: { label: `level of ${kind}` },
      y: { label: "ranked right", include: [0, 1] },
      height: 240,
      series: Object.entries(facts.metrics).map(([metric, trust]) => ({ name: metric, kind: "line", points: trust.trials.filter((trial) => trial.kind === kind).map((trial) => [trial.level, trial.ranked_right, `${metric}, ${kind} ${trial.level}`]) })),
    }))));
  }));
}

function lengths(section) {
  const found = section.documents?.lengths;
  if (!found) return null;
  const names = Object.keys(found);
  const rows = names.flatMap((name) => found[name].map(([label, count]) => [`${name}, ${label}`, count]));
  return el("details", {}, el("summary", { text: `Lengths of segments in ${section.documents.unit || "units"}s` }), bars({ rows }));
}

function method(section) {
  const { results } = section;
  const facts = Object.entries(section.cards || {});
  return el(
    "div",
    {},
    el("dl", {}, facts.flatMap(([name, card]) => [el("dt", { text: name }), el("dd", {}, el("p", { text: `${card.title}. ${card.formula}` }), card.citation ? el("p", { class: "hint", text: card.citation }) : null)])),
    el("h3", { text: "Inputs" }),
    el("ul", { class: "plain" }, results.inputs.map((input) => el("li", {}, `${input.role} ${input.name}: ${counted(input.documents, "document")}`, input.sha256 ? el("code", { text: ` sha256:${input.sha256.slice(0, 16)}` }) : null))),
    el("p", { class: "hint", text: Object.entries({ caesura: results.caesura, profile: results.profile, seed: results.seed, ...results.environment }).filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => `${name} ${value}`).join(" · ") }),
    section.command ? el("pre", { text: section.command }) : null,
    el("p", { class: "tools" }, section.command ? copyButton("Copy command", () => section.command) : null, section.bibtex ? copyButton("Copy BibTeX", () => section.bibtex) : null),
  );
}

/** Every block: its deep link, its title, and what makes it; a block that returns null is not shown. */
export const BLOCKS = [
  ["answer", "The answer", answer],
  ["table", "Scores", tables],
  ["strip", "Boundaries", strips],
  ["density", "Density and quality", curves],
  ["regimes", "Regimes", regimes],
  ["people", "People", people],
  ["damages", "Which metric notices damage", damages],
  ["slices", "Slices", (section) => (section.documents ? slices(section) : null)],
  ["lengths", "Lengths", lengths],
  ["documents", "Documents", (section, tools) => {
    if (!section.documents) return null;
    section.reader = new Documents(section, tools.data, (id) => tools.open(section, id));
    return section.reader.node;
  }],
  ["method", "Method", method],
];
