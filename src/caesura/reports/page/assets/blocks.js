// The blocks of a section, in the order of a reader's questions. A block that the results cannot fill is left out.

import { bars, chart } from "./charts.js";
import { choices, copyButton, el, grid, hint, replace } from "./dom.js";
import { Documents } from "./documents.js";
import { contested, correlations, damages, people, printed, settings } from "./findings.js";
import { counted, isDefined, shown } from "./numbers.js";
import { mainMetric, orders, worstFirst } from "./picking.js";
import { teaser } from "./reader.js";
import { numbered, told } from "./recipes.js";
import { cutByScores } from "./scores.js";
import { slices } from "./slices.js";
import { Spans } from "./spans.js";
import { isJudged, key } from "./strip.js";
import { scoreLines, showTable } from "./tables.js";

const LONG = 12;

/** Return the front of a section, as the library wrote it, in which every number shows its recipe. */
export function withRecipes(section, front) {
  for (const node of front.querySelectorAll(".lead")) replace(node, told(section, section.lead, ["answer", "lead"]));
  for (const [at, node] of front.querySelectorAll(".alerts li").entries())
    replace(node, told(section, node.textContent, ["answer", "alert", at + 1]));
  const drawn = front.querySelector(".picture");
  for (const cell of front.querySelectorAll(".picture td.number")) {
    const [name, words] = [cell.parentNode.cells[0].textContent, cell.parentNode.querySelector("svg")];
    const score = section.results.systems?.[name]?.[drawn.dataset.metric];
    const lines = () =>
      score
        ? scoreLines(section, name, drawn.dataset.metric, score)
        : [words.getAttribute("aria-label"), drawn.caption.textContent];
    replace(cell, numbered(section, cell.textContent, lines, ["answer", "picture", name]));
  }
  return front;
}

/** Return some of many names. */
function some(names) {
  return names.length <= 8 ? names.join(", ") : `${names.slice(0, 8).join(", ")} and ${names.length - 8} more`;
}

/** The answer, how often each system is best among resamples, and what was compared. */
function answer(section) {
  const { standings, metrics, inputs, systems } = section.results;
  const metric = standings && mainMetric(section, Object.keys(standings));
  const parts = [
    el(
      "div",
      { class: "answer" },
      section.answer.map((sentence, at) => el("p", {}, told(section, sentence, ["answer", at + 1]))),
    ),
  ];
  if (metric) {
    const { p_best: shares, not_ruled_out: open, best } = standings[metric];
    const note = (name) => (name === best ? "best score" : open.includes(name) ? "not ruled out" : "ruled out");
    parts.push(
      el("h3", { text: `P(best) by ${metric}: share of resamples in which a system is best` }),
      bars({
        section,
        key: ["answer", "P(best)"],
        title: `P(best) by ${metric}`,
        rows: Object.entries(shares)
          .sort(([, a], [, b]) => b - a)
          .slice(0, LONG)
          .map(([name, share]) => [name, share, note(name)]),
        digits: 2,
        most: 1,
      }),
    );
  }
  const [compared, scored] = [Object.keys(systems || {}), Object.keys(metrics || {})];
  const documents = Math.max(0, ...inputs.map((input) => input.documents));
  const words = [
    compared.length ? `${counted(compared.length, "system")} (${some(compared)})` : null,
    documents ? counted(documents, "document") : null,
    scored.length ? `${counted(scored.length, "metric")} (${some(scored)})` : null,
  ].filter(Boolean);
  if (words.length) parts.push(hint(told(section, `Measured: ${words.join("; ")}.`, ["answer", "measured"])));
  return section.answer.length || words.length ? el("div", {}, parts) : null;
}

/** The main tables at once, long lists and detail behind a click. */
function tables(section) {
  if (!section.tables.length) return null;
  const made = section.tables.map((table, at) => [
    table.brief && (at === 0 || table.rows.length <= LONG),
    showTable(section, table, ["table", at + 1]),
  ]);
  const [brief, rest] = [true, false].map((wanted) =>
    made.filter(([first]) => first === wanted).map(([, node]) => node),
  );
  return el(
    "div",
    {},
    brief,
    rest.length
      ? el(
          "details",
          { class: "more" },
          el("summary", { text: `Everything else (${counted(rest.length, "table")})` }),
          rest,
        )
      : null,
  );
}

function strips(section, tools) {
  const lacking = section.hint ? hint(section.hint) : null;
  if (!section.documents || section.documents.spans) return lacking;
  const place = el("div");
  const systems = Object.keys(section.results.per_document || section.documents.errors?.missed || {});
  const best = section.best && systems.includes(section.best) ? section.best : systems[0];
  const [order] = orders(section);
  const rows = worstFirst(section, best, order).filter((row) => !order || isDefined(order.value(best, row)));
  const of = order && best !== undefined && !section.results.agreement ? ` of ${best}` : "";
  const wanted =
    order && rows.length > 1
      ? [
          [rows[Math.floor(rows.length / 2)], `the median document${of} by ${order.name}`],
          [rows[0], of ? "its worst" : "the worst"],
        ]
      : [[rows[0], "the first document"]];
  Promise.all(
    wanted
      .filter(([row]) => row !== undefined)
      .map(async ([row, words]) => {
        const document = cutByScores(await tools.data.document(section, row));
        return [teaser(section, document, words, () => tools.open(section, document.id)), document];
      }),
  ).then(
    (made) =>
      replace(
        place,
        key(section, (made.find(([, document]) => isJudged(document)) || made[0] || [null, { sys: [] }])[1]),
        made.map(([node]) => node),
      ),
    (error) => place.append(hint(String(error.message))),
  );
  return el("div", {}, lacking, place);
}

function systemPoints(section, xName, yName, colour) {
  const { systems } = section.results;
  return Object.entries(systems || {})
    .filter(([, scores]) => isDefined(scores[xName]?.score) && isDefined(scores[yName]?.score))
    .map(([name, scores]) => {
      const ends = scores[yName].interval;
      const lines = [xName, yName].map((metric) => `${metric} signature: ${scores[metric].signature}`);
      return [
        name,
        [scores[xName].score, scores[yName].score, name, ends?.[0], ends?.[1], colour ? colour(scores) : null, lines],
      ];
    });
}

function curves(section) {
  const { sweep, correlation } = section.results;
  if (correlation) return null;
  const metric = section.quality;
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
        points: curve
          .map((point) => {
            const score = free && point.gains ? point.gains[y] : point.scores[y];
            const ends = free && point.gain_intervals ? point.gain_intervals[y] : point.intervals[y];
            return [
              free ? point.units_per_segment : point.scores.BOR,
              score,
              `${scorer} at ${shown(point.threshold)}`,
              ends?.[0],
              ends?.[1],
            ];
          })
          .filter((point) => isDefined(point[0]) && isDefined(point[1])),
      });
    }
    for (const [scorer, choice] of Object.entries(sweep.choices || {})) {
      const at = (sweep.curves[scorer] || []).find((point) => point.threshold === choice.threshold);
      if (!at) continue;
      const [x, score] = free
        ? [at.units_per_segment, at.gains?.[y] ?? at.scores[y]]
        : [at.scores.BOR, at.scores[y]];
      const words = `${scorer} at ${shown(choice.threshold)}, chosen: ${choice.why}`;
      if (isDefined(x) && isDefined(score))
        series.push({ name: `chosen for ${scorer}`, kind: "points", points: [[x, score, words]] });
    }
    const words = { clock: ["a clock at the same density", 6], chance: ["chance at the same density", 7] };
    for (const [kind, rows] of Object.entries(sweep.blind || {})) {
      const placed = rows
        .map((scores) => [scores.BOR, scores[y], words[kind][0]])
        .filter(([x, score]) => isDefined(x) && isDefined(score));
      if (placed.length) series.push({ name: words[kind][0], kind: "line", series: words[kind][1], points: placed });
    }
    if (!series.some((one) => one.points.length)) return null;
    return chart({
      section,
      key: ["density"],
      title: "Density and quality",
      x: { label: free ? "units per segment" : "BOR (boundaries per reference boundary)", rules: free ? [] : [1] },
      y: { label: free ? `${y} above chance` : y },
      series,
    });
  }
  if (points.length) {
    for (const [name, point] of points) series.push({ name, kind: "points", points: [point] });
    for (const [kind, words, number] of [
      ["chance", "chance", 7],
      ["clock", "a clock", 6],
    ]) {
      const placed = points.map(([name, [x]]) => [
        x,
        section.blind[name]?.[kind],
        `${words} at the density of ${name}`,
      ]);
      const drawn = placed.filter(([, y]) => isDefined(y)).sort((a, b) => a[0] - b[0]);
      if (drawn.length)
        series.push({ name: `${words} at the same density`, kind: "line", series: number, points: drawn });
    }
    return chart({
      section,
      key: ["density"],
      title: "Density and quality",
      x: { label: "BOR (boundaries per reference boundary)", rules: [1], include: [1] },
      y: { label: metric, include: [0] },
      series,
    });
  }
  return null;
}

const TITLE = "People and systems by density";
const SIDES = {
  system: "systems",
  annotator: "annotators, each against the others",
  consensus: "consensus (share of people)",
};

/** Systems, annotators and levels of consensus on one axis of density, by any metric. */
function peers(section) {
  const { points } = section.results.axis || { points: [] };
  const metrics = [...new Set(points.flatMap((point) => Object.keys(point.scores)))].filter((name) => name !== "BOR");
  if (!metrics.length) return null;
  const place = el("div");
  const paint = ({ metric }) => {
    const series = Object.entries(SIDES).map(([what, name], number) => {
      const found = points
        .filter((point) => point.what === what && isDefined(point.bor) && isDefined(point.scores[metric]))
        .sort((a, b) => a.bor - b.bor)
        .map((point) => [point.bor, point.scores[metric], point.name.replace(/^consensus=/, "")]);
      const kind = what === "consensus" ? "line" : "points";
      return { name, kind, series: number, labelled: found.length <= 20, points: found };
    });
    const x = { label: "BOR (boundaries per boundary of the mean annotator)", rules: [1], include: [1] };
    const there = series.filter((one) => one.points.length);
    const key = ["peers", metric];
    replace(place, chart({ section, key, title: TITLE, x, y: { label: metric }, series: there, log: true }));
  };
  const options = metrics.map((name) => [name, name]);
  const { node, set } = choices({ metric: ["Show", options, mainMetric(section, metrics)] }, paint);
  section.prepare.peers = (metric) => set({ metric });
  return el("div", {}, node, place);
}

/** BOR against W-F1 (on time, F1 within seconds), with purity as the strength of the colour where it was measured. */
function regimes(section) {
  const shade = (scores) =>
    isDefined(scores.Purity?.score)
      ? `color-mix(in srgb, var(--warm) ${Math.round(scores.Purity.score * 100)}%, var(--page))`
      : null;
  const metric = section.quality;
  const points = systemPoints(section, "BOR", metric, shade);
  if (!points.length || section.results.correlation) return null;
  const series = points.map(([name, point]) => ({ name, kind: "points", points: [point] }));
  const pure = points.some(([, point]) => point[5]) ? " The stronger the orange, the purer the segments." : "";
  return el(
    "div",
    {},
    chart({
      section,
      key: ["regimes"],
      title: "Regimes",
      x: { label: "BOR", rules: [0.8, 1.2], include: [0.5, 2] },
      y: { label: metric, include: [0, 1] },
      series,
      log: true,
      height: 260,
    }),
    hint(
      `Between the two lines a system is as dense as the reference; left of them it cuts too rarely, right of them ` +
        `too often.${pure}`,
    ),
  );
}

const [LIMIT, PER_WORD] = [512, 1.3];

/** Lengths of segments, and how many of them are longer than a limit in words. */
function lengths(section) {
  const found = section.documents?.lengths;
  if (!found) return null;
  const rows = Object.entries(found.sides).flatMap(([name, counts]) =>
    counts.map(([label, count]) => [`${name}, ${label}`, count]),
  );
  const all = el(
    "details",
    {},
    el("summary", { text: `Segments by length in ${found.unit}s` }),
    bars({ section, key: ["lengths", "segments"], title: `segments by length in ${found.unit}s`, rows }),
  );
  const sides = Object.entries(found.words);
  if (!sides.length) return all;
  const place = el("div", { class: "wide limits" });
  const paint = (limit, perWord) => {
    const titles = ["", "segments", "median words", "longest", `over ${limit} tokens`, "share"];
    const heads = titles.map((text, at) => el("th", { scope: "col", class: at ? "number" : null, text }));
    const usual = limit === LIMIT && perWord === PER_WORD;
    const row = ([name, counts]) => {
      const total = counts.reduce((sum, [, count]) => sum + count, 0);
      const over = counts.reduce((sum, [words, count]) => sum + (words * perWord > limit ? count : 0), 0);
      let seen = 0;
      const median = counts.find(([, count]) => (seen += count) * 2 >= total)[0];
      const cells = [total, median, counts.at(-1)[0], over, over / total].map((value, at) => {
        const title = titles[at + 1];
        const [text, words] = title === "share" ? [shown(value), `share over ${limit} tokens`] : [String(value), title];
        const lines = () => [`${name}, ${words}: ${value}`, `words split at white space, ${perWord} tokens each`];
        const link = usual ? ["lengths", name, title] : null;
        return el("td", { class: "number", "data-value": value }, numbered(section, text, lines, link));
      });
      return el("tr", {}, el("th", { scope: "row", text: name }), cells);
    };
    replace(place, grid(heads, sides.map(row)));
  };
  const number = (label, value, step) => {
    const input = el("input", {
      type: "number",
      min: step,
      step,
      value,
      oninput: () => {
        if (limit.value > 0 && per.value > 0) paint(Number(limit.value), Number(per.value));
      },
    });
    return [el("label", { class: "field" }, el("span", { text: label }), input), input];
  };
  const [limitField, limit] = number("Token limit", LIMIT, 1);
  const [perField, per] = number("tokens per word", PER_WORD, 0.1);
  paint(LIMIT, PER_WORD);
  return el(
    "div",
    {},
    el("div", { class: "tools" }, limitField, perField),
    place,
    hint("Words are split at white space. How many tokens a word has depends on the tokenizer: about 1.3 in English."),
    all,
  );
}

function method(section) {
  const { results } = section;
  const { caesura, profile, seed, environment } = results;
  const run = Object.entries({ caesura, profile, seed, ...environment }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const described = ([name, card]) => [
    el("dt", { text: name }),
    el("dd", {}, el("p", { text: `${card.title}. ${card.formula}` }), card.citation ? hint(card.citation) : null),
  ];
  const file = (input) => {
    const who = input.name === input.role ? input.role : `${input.role} ${input.name}`;
    const hash = input.sha256 ? el("code", { text: ` sha256:${input.sha256.slice(0, 16)}` }) : null;
    return el("li", {}, `${who}: ${counted(input.documents, "document")}`, hash);
  };
  return el(
    "div",
    {},
    el("dl", {}, Object.entries(section.cards || {}).flatMap(described)),
    section.conventions
      ? el(
          "details",
          { class: "conventions" },
          el("summary", { text: `What other programs would print for ${section.best}, and why` }),
          showTable(section, section.conventions, ["method", "conventions"]),
        )
      : null,
    results.inputs.length ? el("h3", { text: "Inputs" }) : null,
    el("ul", { class: "plain" }, results.inputs.map(file)),
    hint(run.map(([name, value]) => `${name} ${value}`).join(" · ")),
    section.command ? el("pre", { text: section.command }) : null,
    el(
      "p",
      { class: "tools" },
      section.command ? copyButton("Copy command", () => section.command) : null,
      section.bibtex ? copyButton("Copy BibTeX", () => section.bibtex) : null,
    ),
  );
}

/** Every block: its deep link, its title (or what gives it), and what makes it; null is not shown. */
export const BLOCKS = [
  ["answer", "The answer", answer],
  ["table", (section) => (Object.keys(section.results.systems || {}).length ? "Scores" : "Tables"), tables],
  ["strip", "Boundaries", strips],
  ["density", "Density and quality", curves],
  ["peers", "People and systems", peers],
  ["regimes", "Regimes", regimes],
  ["contested", "Contested places", (section, tools) => (section.documents ? contested(section, tools) : null)],
  ["people", "People", people],
  ["damages", "Which metric notices damage", damages],
  ["correlations", "Which metrics agree", correlations],
  ["settings", "Settings", settings],
  ["printed", "Ours against print", printed],
  ["slices", "Slices", (section) => (section.documents ? slices(section) : null)],
  ["lengths", "Lengths", lengths],
  [
    "documents",
    (section) => (section.documents.spans ? "Answers in the text" : "Documents"),
    (section, tools) => {
      if (!section.documents) return null;
      const View = section.documents.spans ? Spans : Documents;
      const documents = new View(section, tools.data, (id) => tools.open(section, id));
      section.prepare.documents = (...parts) => documents.show(...parts);
      return documents.node;
    },
  ],
  ["method", "Method", method],
];
