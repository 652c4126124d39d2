// What only some questions have: people, damages, correlations, settings, printed numbers.

import { bars, chart, heatMap, legend, ranges } from "./charts.js";
import { choices, el, hint, replace } from "./dom.js";
import { counted, isDefined, position, shown } from "./numbers.js";
import { numbered, told } from "./recipes.js";

/** Systems among the annotators: mean, nearest and farthest annotator, and an annotator against the rest. */
function standing(section) {
  const { systems, metrics } = section.results;
  const names = Object.keys(metrics || {}).filter((metric) =>
    Object.values(systems).some((scores) => scores[metric]?.among),
  );
  if (!names.length) return null;
  return el(
    "div",
    {},
    hint(
      "Marks are means over annotators, lines reach from the farthest to the nearest annotator, and the dashed line " +
        "is what an annotator reaches against the rest.",
    ),
    names.map((metric) => {
      const rows = Object.entries(systems)
        .filter(([, scores]) => scores[metric]?.among)
        .map(([name, scores]) => [name, scores[metric].score, scores[metric].among.worst, scores[metric].among.best]);
      const rule = Object.values(systems).find((scores) => scores[metric]?.among)[metric].among.people;
      return ranges({ section, key: ["people", "standing"], title: metric, rows, rule, ruleName: "annotators" });
    }),
  );
}

/** Return what fills the cell of a matrix of scores: the number with its recipe. */
function scored(section, metric, names, matrix, part) {
  return (i, j, text) => {
    const lines = () => [`${metric} of ${names[j]} against ${names[i]}: ${matrix[i][j]}`];
    return numbered(section, text, lines, ["people", part, names[i], names[j]]);
  };
}

/** Everybody against everybody, systems last; a system's score within the range of people has a frame. */
function everybody(section) {
  if (!section.among) return null;
  const { metric, names, systems, matrix } = section.among;
  const first = names.length - systems.length;
  const human = matrix
    .slice(0, first)
    .flatMap((row) => row.slice(0, first))
    .filter(isDefined);
  const values = matrix.flat().filter(isDefined);
  if (!human.length) return null;
  const [low, high] = [Math.min(...human), Math.max(...human)];
  const framed = (i, j) => (i >= first) !== (j >= first) && matrix[i][j] >= low && matrix[i][j] <= high;
  return el(
    "div",
    { class: "everybody" },
    el("h3", { text: `${metric} between annotators and systems` }),
    heatMap({
      title: metric,
      rows: names,
      columns: names,
      values: matrix,
      low: Math.min(...values),
      high: Math.max(...values),
      marked: systems,
      framed,
      inside: scored(section, metric, names, matrix, "everybody"),
    }),
    hint(
      told(
        section,
        `Annotators agree with each other between ${shown(low)} and ${shown(high)}. ` +
          `Framed: a system and an annotator within that range.${same(matrix) ? "" : " Rows are the reference."}`,
        ["people", "range"],
      ),
    ),
  );
}

/** Say whether a metric scores every two alike whichever of them is the reference. */
function same(matrix) {
  const near = (a, b) => a === b || Math.abs(a - b) < 1e-9;
  return matrix.every((row, i) => row.every((value, j) => near(value, matrix[j][i])));
}

/** Every two annotators by one of the metrics; outliers are marked. */
function pairs(section, agreement, apart) {
  const names = Object.keys(agreement.pairwise).filter((metric) =>
    Object.values(agreement.pairwise[metric])[0]
      .matrix.flat()
      .some(isDefined),
  );
  if (!names.length) return null;
  const place = el("div");
  const { node, set } = choices(
    { metric: ["Metric", names.map((name) => [name, name]), names.includes(agreement.by) ? agreement.by : names[0]] },
    ({ metric }) => {
      const { matrix } = agreement.pairwise[metric].pooled || Object.values(agreement.pairwise[metric])[0];
      const values = matrix.flat().filter(isDefined);
      replace(
        place,
        el("h3", { text: `${metric} between annotators` }),
        heatMap({
          title: metric,
          rows: agreement.names,
          columns: agreement.names,
          values: matrix,
          low: Math.min(...values),
          high: Math.max(...values),
          marked: apart,
          inside: scored(section, metric, agreement.names, matrix, metric),
        }),
        same(matrix) ? null : hint("Rows are the reference."),
      );
    },
  );
  section.prepare.people = (metric) => set({ metric });
  return el(
    "div",
    {},
    node,
    place,
    apart.length ? hint("Names in red are outliers, by agreement or by density.") : null,
  );
}

const SHOWN_DOCUMENTS = 20;

/** How many segments the annotators of a document make: the mean, the fewest and the most. */
function segmentCounts(section, agreement) {
  const rows = Object.entries(agreement.segment_counts).filter(([, counts]) => counts.length > 1);
  if (!rows.length) return null;
  const made = rows
    .slice(0, SHOWN_DOCUMENTS)
    .map(([name, counts]) => [
      name,
      counts.reduce((sum, count) => sum + count, 0) / counts.length,
      Math.min(...counts),
      Math.max(...counts),
    ]);
  const more = rows.length > made.length ? ` The first ${made.length} of ${rows.length} documents.` : "";
  return [
    ranges({ section, key: ["people"], title: "Segments per annotator, by document", rows: made, alike: true }),
    hint(`Marks are means over annotators, lines reach from the fewest to the most segments.${more}`),
  ];
}

/** The places on which annotators disagree, those first that cost most agreement, each with the text around it. */
export function contested(section, tools) {
  const places = section.contested || [];
  if (!places.length) return null;
  const tag = (names, all) => {
    const text = `${names.length} of ${all}: ${names.join(", ")}`;
    return el("div", { class: "gap" }, el("span", { class: "tag given", text }));
  };
  return el(
    "div",
    {},
    hint("Boundaries near each other are one place. Those whose decision would raise the agreement most come first."),
    places.map(({ document, votes, against, first, units, speakers }) => {
      const all = new Set([...votes.flatMap(([, names]) => names), ...against]).size;
      const gaps = new Map(votes);
      const lines = (units || []).flatMap((text, at) => {
        const names = gaps.get(first + at);
        const speaker = speakers?.[at];
        const line = el("p", { dir: "auto" }, speaker ? [el("b", { dir: "auto", text: speaker }), " "] : null, text);
        return names ? [line, tag(names, all)] : [line];
      });
      const where = votes.map(([gap]) => position(gap, section.documents.unit)).join(", ");
      return el(
        "div",
        { class: "place" },
        el(
          "h3",
          {},
          el("button", {
            type: "button",
            class: "value",
            onclick: () => tools.open(section, document),
            text: document,
          }),
          el("small", { text: ` at ${where}${against.length ? `; no boundary for ${against.join(", ")}` : ""}` }),
        ),
        lines.length ? lines : votes.map(([, names]) => tag(names, all)),
      );
    }),
  );
}

export function people(section) {
  const { agreement } = section.results;
  const parts = [
    section.results.systems ? everybody(section) : null,
    section.results.systems ? standing(section) : null,
  ].filter(Boolean);
  if (!agreement) return parts.length ? el("div", {}, parts) : null;
  const reasons = (one) =>
    [one.outlier ? "agreement" : null, one.density_outlier ? "density" : null].filter(Boolean).join(" and ");
  const apart = Object.entries(agreement.annotators)
    .filter(([, one]) => reasons(one))
    .map(([name]) => name);
  parts.push(pairs(section, agreement, apart));
  const classes = ["unanimous", "majority", "minority"];
  const counts = classes.map((kind) => [kind, agreement.support.filter((one) => one.prominence === kind).length]);
  if (agreement.support.length)
    parts.push(
      el("h3", { text: "Prominence: how many annotators stand behind a boundary" }),
      bars({ section, key: ["people", "prominence"], title: "boundaries by prominence", rows: counts }),
    );
  parts.push(
    el("h3", { text: "Boundaries per 100 units, by annotator" }),
    bars({
      section,
      key: ["people", "density"],
      title: "boundaries per 100 units",
      rows: Object.entries(agreement.annotators).map(([name, one]) => [
        name,
        one.per_100_units,
        reasons(one) ? `apart by ${reasons(one)}` : "",
      ]),
      digits: 1,
    }),
  );
  parts.push(segmentCounts(section, agreement));
  return el("div", {}, parts);
}

/** Damages with levels as curves, all six that decide as a heat map. */
export function damages(section) {
  const { validity } = section.results;
  if (!validity) return null;
  return el(
    "div",
    {},
    Object.entries(validity.encoders).map(([encoder, facts]) => {
      const metrics = Object.entries(facts.metrics);
      const levels = (kind) =>
        new Set(
          metrics.flatMap(([, trust]) =>
            trust.trials.filter((trial) => trial.kind === kind).map((trial) => trial.level),
          ),
        ).size;
      const kinds = [...new Set(metrics.flatMap(([, trust]) => trust.trials.map((trial) => trial.kind)))].filter(
        (kind) => levels(kind) > 1,
      );
      const series = (kind) =>
        metrics.map(([metric, trust]) => ({
          name: metric,
          kind: "line",
          points: trust.trials
            .filter((trial) => trial.kind === kind)
            .map((trial) => [trial.level, trial.ranked_right, `${metric}, ${kind} ${trial.level}`]),
        }));
      const six = [...new Set(metrics.flatMap(([, trust]) => Object.keys(trust.damages || {})))];
      const key = (...parts) => ["damages", encoder, ...parts];
      return el(
        "div",
        {},
        el("h3", { text: `Share of documents in which the undamaged segmentation scores better (${encoder})` }),
        heatMap({
          title: "Ranked right",
          rows: metrics.map(([metric]) => metric),
          columns: six,
          values: metrics.map(([, trust]) => six.map((kind) => trust.damages[kind])),
          low: 0,
          high: 1,
          inside: (i, j, text) =>
            numbered(
              section,
              text,
              () => [`${metrics[i][0]}, ${six[j]}: ${metrics[i][1].damages[six[j]]} of the documents ranked right`],
              key(metrics[i][0], six[j]),
            ),
        }),
        kinds.length
          ? [
              el("h3", { text: "The same, by the level of damage" }),
              el(
                "div",
                { class: "charts" },
                kinds.map((kind) =>
                  chart({
                    section,
                    key: key(kind),
                    title: `${kind}: documents ranked right`,
                    x: { label: `level of ${kind}` },
                    y: { label: "ranked right", include: [0, 1] },
                    width: 420,
                    height: 260,
                    named: false,
                    series: series(kind),
                  }),
                ),
              ),
              legend(series(kinds[0])),
            ]
          : null,
      );
    }),
  );
}

/** Correlations between metrics as a heat map, and the systems behind one of them as points. */
export function correlations(section) {
  const { correlation, metrics, systems } = section.results;
  if (!correlation || !correlation.rows.length) return null;
  const { rows } = correlation;
  const several = new Set(rows.map((row) => row.encoder)).size > 1;
  const named = (row) => (several ? `${row.metric} [${row.encoder}]` : row.metric);
  const [own, others] = [[...new Set(rows.map(named))], [...new Set(rows.map((row) => row.reference))]];
  const readings = [...new Set(rows.map((row) => row.reading))];
  let [reading, coefficient, pair] = ["", "", [0, 0]];
  const [map, points] = [el("div"), el("div")];
  const turned = (metric) => `${metric}${metrics[metric]?.direction === "lower" ? " (lower is better)" : ""}`;
  const cell = (i, j) =>
    rows.find((row) => named(row) === own[i] && row.reference === others[j] && row.reading === reading);
  const paint = (values) => {
    if (values) ({ reading, coefficient } = values);
    replace(
      map,
      heatMap({
        title: "Correlations over systems",
        rows: own,
        columns: others,
        values: own.map((_, i) => others.map((__, j) => cell(i, j)?.[coefficient].value ?? null)),
        low: -1,
        high: 1,
        framed: (i, j) => i === pair[0] && j === pair[1],
        inside: (i, j, text) =>
          el("button", {
            type: "button",
            class: "value",
            title: "Show the systems",
            onclick: () => {
              pair = [i, j];
              paint();
            },
            text,
          }),
      }),
    );
    const chosen = cell(...pair);
    const [x, y] = [own[pair[0]], others[pair[1]]];
    const kept = Object.entries(correlation.ranked).filter(
      ([name, one]) =>
        (reading === "all" || !one.baseline) &&
        isDefined(systems[name]?.[x]?.score) &&
        isDefined(systems[name]?.[y]?.score),
    );
    const same = new Set(Object.values(correlation.same_vectors).flat());
    const note = (name, one) =>
      [one.baseline ? "baseline" : null, same.has(name) ? "made with the judging vectors" : null]
        .filter(Boolean)
        .join(", ");
    const found = chosen?.[coefficient];
    const ends =
      found && isDefined(found.interval[0])
        ? ` (${shown(found.interval[0], 2)} to ${shown(found.interval[1], 2)})`
        : "";
    replace(
      points,
      el("h3", { text: `${x} and ${y}` }),
      hint(
        numbered(
          section,
          `${coefficient} ${shown(found?.value, 2)}${ends}`,
          () => [
            `${x} ~ ${y}, ${reading}, ${coefficient}: ${found?.value}`,
            ends ? `interval: ${found.interval.join(" to ")}` : null,
          ],
          ["correlations", reading, coefficient, x, y],
        ),
        ` over ${counted(chosen?.systems ?? 0, "system")}`,
      ),
      kept.length
        ? chart({
            section,
            key: ["correlations", reading, coefficient, x, y],
            title: `${x} and ${y}`,
            x: { label: turned(x) },
            y: { label: turned(y) },
            series: kept.map(([name, one]) => ({
              name: note(name, one) ? `${name} (${note(name, one)})` : name,
              kind: "points",
              points: [[systems[name][x].score, systems[name][y].score, name]],
            })),
          })
        : null,
    );
  };
  const same = (names) => names.map((name) => [name, name]);
  const { node, set } = choices(
    { reading: ["Systems", same(readings)], coefficient: ["Coefficient", same(["pearson", "spearman", "kendall"])] },
    paint,
  );
  section.prepare.correlations = (one, other, x, y) => {
    pair = [Math.max(0, own.indexOf(x)), Math.max(0, others.indexOf(y))];
    set({ reading: one, coefficient: other });
  };
  return el(
    "div",
    {},
    node,
    map,
    hint("Both metrics are turned so that higher is better: 1 is full agreement. A cell shows its systems below."),
    points,
  );
}

const SHOWN_SETTINGS = 30;

/** Every setting that was tried, best first. */
export function settings(section) {
  const { tuning, metrics } = section.results;
  if (!tuning) return null;
  const facts = metrics[tuning.metric];
  const better = ["lower", "higher"].includes(facts.direction) ? facts.direction : "nearer to its target";
  const worth = (one) =>
    facts.direction === "higher"
      ? -one.score
      : facts.direction === "lower"
        ? one.score
        : Math.abs(one.score - (facts.perfect ?? 1));
  const tried = tuning.tried.filter((one) => isDefined(one.score)).sort((a, b) => worth(a) - worth(b));
  const note = (one) =>
    [one.method === tuning.chosen ? "chosen" : null, one.folds ? `best in ${counted(one.folds, "fold")}` : null]
      .filter(Boolean)
      .join(", ");
  const elsewhere = [
    ["cross-validated", tuning.cross_validated],
    ["held out", tuning.held_out],
  ]
    .filter(([, value]) => isDefined(value))
    .map(([name, value]) => `${name} ${shown(value)}`);
  return el(
    "div",
    {},
    el("h3", {
      text: `${tuning.metric} on the development documents (${better} is better)`,
    }),
    bars({
      section,
      key: ["settings"],
      title: `${tuning.metric} on the development documents`,
      rows: tried.slice(0, SHOWN_SETTINGS).map((one) => [one.method, one.score, note(one)]),
      digits: 3,
    }),
    tried.length > SHOWN_SETTINGS
      ? hint(`The best ${SHOWN_SETTINGS} of ${tried.length} settings; the table has all.`)
      : null,
    elsewhere.length
      ? hint(told(section, `On documents that did not choose: ${elsewhere.join(", ")}.`, ["settings", "elsewhere"]))
      : null,
  );
}

const STATUSES = ["exact", "within sampling", "shape", "different", "unavailable"];

/** Return a printed number as a number, or null. */
function plainNumber(text) {
  return /^[+-]?\d*\.?\d+%?\.?$/.test(text || "") ? Number.parseFloat(text) : null;
}

/** How many printed numbers came out, and those of one table or figure against ours. */
export function printed(section) {
  const { reproduction, cells: every } = section.results;
  if (!reproduction) return null;
  const total = (status) => reproduction.items.reduce((sum, item) => sum + (item.counts[status] || 0), 0);
  const cells = (name) =>
    every.filter((cell) => cell.item === name && plainNumber(cell.printed) !== null && isDefined(cell.ours));
  const items = reproduction.items.filter((item) => cells(item.name).length > 1);
  const place = el("div");
  const chosen = items.length
    ? choices(
        { item: ["Table or figure", items.map((item) => [item.name, `${item.name}: ${item.title}`])] },
        ({ item }) => {
          const found = cells(item);
          const at = (cell) => [
            plainNumber(cell.printed),
            cell.ours,
            `${cell.row}, ${cell.column}`,
            null,
            null,
            null,
            [`status: ${cell.status}`, `profile: ${cell.profile}`, cell.note ? `note: ${cell.note}` : null],
          ];
          replace(
            place,
            chart({
              section,
              key: ["printed", item],
              title: `${item}: ours against print`,
              x: { label: "printed" },
              y: { label: "ours" },
              equal: true,
              series: STATUSES.map((status, number) => ({
                name: status,
                kind: "points",
                series: number,
                points: found.filter((cell) => cell.status === status).map(at),
              })).filter((one) => one.points.length),
            }),
          );
        },
      )
    : null;
  if (chosen) section.prepare.printed = (item) => chosen.set({ item });
  return el(
    "div",
    {},
    el("h3", { text: "Printed numbers, by what can be said of ours" }),
    bars({
      section,
      key: ["printed"],
      title: "printed numbers",
      rows: STATUSES.map((status) => [status, total(status)]).filter(([, count]) => count),
    }),
    chosen
      ? [
          chosen.node,
          place,
          hint(
            "On the dashed line ours equals print. " +
              "What a status means stands in the documentation of caesura reproduce.",
          ),
        ]
      : null,
  );
}
