// The strip chart: people above, systems below, over the gaps of one document.

import { el, hint, narrow, oneStop, pressable, svg, tip } from "./dom.js";
import { clock, distance, position, shortened, ticks } from "./numbers.js";
import { outcomes } from "./scores.js";

/** Return the width of a strip, and of the names at its left. */
export function frame() {
  const width = narrow(760);
  return [width, width < 760 ? 96 : 130];
}

const MOST_MARKS = 3000;
const SUPPORT = { unanimous: "all annotators", majority: "most annotators", minority: "fewer" };
const WORDS = { hit: "found", near: "near", wrong: "false", missed: "missed" };

function shape(kind, x, y) {
  const s = 5;
  if (kind === "hit") return svg("circle", { class: "hit", cx: x, cy: y, r: s });
  if (kind === "near") return svg("path", { class: "near", d: `M${x},${y - s - 1}l${s + 1},${2 * s}h${-2 * s - 2}z` });
  if (kind === "wrong")
    return svg("path", { class: "wrong", d: `M${x - s},${y - s}l${2 * s},${2 * s}m0,${-2 * s}l${-2 * s},${2 * s}` });
  const h = s + 1;
  if (kind === "majority") return svg("path", { class: kind, d: `M${x},${y - h}l${h},${h}l${-h},${h}l${-h},${-h}z` });
  if (kind === "minority") return svg("circle", { class: kind, cx: x, cy: y, r: s - 1 });
  return svg("circle", { class: kind, cx: x, cy: y, r: s });
}

/** Return who stands behind the boundaries of a document: gap to support; empty where that was not measured. */
export function supportOf(section, document) {
  if (document.ref || !section.results.agreement) return new Map();
  if (!section.support) {
    section.support = new Map();
    for (const one of section.results.agreement.support) {
      if (!section.support.has(one.document)) section.support.set(one.document, new Map());
      section.support.get(one.document).set(one.gap, one);
    }
  }
  return section.support.get(document.id) || new Map();
}

/** Return the extra boundaries of a system in a document on which the text was asked: gap to whether it supports it. */
export function extrasOf(section, document, name) {
  return new Map(document.ref ? section.results.extra?.[name]?.places[document.id] : []);
}

/** Say whether the text supports an extra boundary; nothing of one that was not asked about. */
export function asked(supported) {
  return supported === undefined ? "" : `, extra: the text ${supported ? "supports it" : "does not support it"}`;
}

const ring = (x, y) => svg("circle", { class: "ring", cx: x, cy: y, r: 8.5 });

/** Return how far a found boundary is off, in words. */
function off(place, wanted, unit) {
  return place === wanted
    ? ""
    : `, ${distance(Math.abs(place - wanted), unit)} ${place < wanted ? "before" : "after"} the reference,`;
}

/** Say whether boundaries of a document are held against others: only then are they found, near, false or missed. */
export function isJudged(document) {
  return Boolean(document.ref) && document.sys.some(Boolean);
}

/** Return what the shapes mean: found is within the tolerance of the F1; or, among annotators, how many agree. */
export function key(section, document) {
  const { tolerance } = section.f1;
  const judged = {
    ...WORDS,
    hit: tolerance ? `found (within ${distance(tolerance, section.documents.unit)})` : "found",
  };
  const together = runsOf(section, document).length;
  if (!isJudged(document) && !supportOf(section, document).size && !together) return null;
  const runs = together ? { unanimous: "all runs", majority: "most runs", minority: "fewer runs" } : {};
  const people = { ...SUPPORT, minority: `${SUPPORT.minority} (within half a window)` };
  const words = isJudged(document) ? { ...judged, ...runs } : people;
  const sample = { viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" };
  const ringed = section.documents.systems.some((name) => extrasOf(section, document, name).size);
  const large = { ...sample, viewBox: "0 0 20 20", width: 20, height: 20 };
  return el(
    "p",
    { class: "legend" },
    Object.entries(words).map(([kind, word]) => el("span", {}, svg("svg", sample, shape(kind, 7, 7)), ` ${word}`)),
    ringed
      ? el("span", {}, svg("svg", large, shape("wrong", 10, 10), ring(10, 10)), " extra, and the text supports it")
      : null,
  );
}

/** Return the rows of a document: [name, boundaries, whether they are people's]. */
export function rowsOf(section, document) {
  const rows = [];
  if (document.ref) rows.push(["reference", document.ref, true]);
  for (const [name, places] of Object.entries(document.people || {})) rows.push([name, places, true]);
  section.documents.systems.forEach((name, at) => {
    if (document.sys[at]) rows.push([name, document.sys[at], false]);
  });
  return rows;
}

/** Return where the runs of systems lie: a system, gap to the runs with a boundary there, and how many runs it has. */
export function runsOf(section, document) {
  return Object.entries(section.results.runs || {}).flatMap(([system, { runs }]) => {
    const [votes, there] = [new Map(), []];
    for (const run of runs) {
      const places = document.sys[section.documents.systems.indexOf(run)];
      if (places) there.push(run);
      for (const place of places || []) votes.set(place, [...(votes.get(place) || []), run]);
    }
    return there.length > 1 ? [[system, votes, there.length]] : [];
  });
}

const among = (votes, all) => (votes === all ? "unanimous" : 2 * votes > all ? "majority" : "minority");

/**
 * Return the strip chart of a document; `choose(place, name)` is called when a boundary is chosen. `range` is the part
 * that is drawn, and `costs` says of boundaries of a system what each costs.
 */
export function strip(section, document, { choose, only, range = [0, document.n], costs = {} } = {}) {
  const { unit } = section.documents;
  const rows = rowsOf(section, document)
    .filter(([name, , people]) => people || !only || only.includes(name))
    .map((row) => [...row, row[1].filter((place) => place >= range[0] && place <= range[1])]);
  const marks = rows.reduce((sum, row) => sum + row[3].length, 0);
  if (marks > MOST_MARKS)
    return hint(
      `${marks.toLocaleString("en")} boundaries are too many to draw at once; the text has them place by place.`,
    );
  const together = runsOf(section, document).filter(([name]) => !only || only.includes(name));
  for (const [name, votes, all] of together) {
    const drawn = [...votes.keys()].filter((place) => place >= range[0] && place <= range[1]);
    rows.push([`${name}: ${all} runs`, drawn, true, drawn, votes, all]);
  }
  const [[width, left], rowHeight, top] = [frame(), 24, 8];
  const height = top + rows.length * rowHeight + 26;
  const [from, to] = range;
  const px = (place) => left + ((place - from) / (to - from)) * (width - left - 14);
  const plot = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "strip",
    role: "group",
    "aria-label": `Boundaries of ${document.id}`,
  });
  const times = document.times;
  const labels =
    unit === "ms"
      ? ticks(from / 60000, to / 60000, width / 150).map((minute) => minute * 60000)
      : ticks(from, to, width / 95).filter(Number.isInteger);
  for (const place of labels) {
    const label =
      unit === "ms" ? clock(place) : times && times[place - 1] ? clock(times[place - 1][1] * 1000) : String(place);
    plot.append(
      svg("line", { class: "grid", x1: px(place), x2: px(place), y1: top, y2: height - 22 }),
      svg("text", {
        class: "tick",
        x: px(place),
        y: height - 6,
        "text-anchor": px(place) > width - 40 ? "end" : "middle",
        text: label,
      }),
    );
  }
  const names = shortened(rows.map(([name]) => name), left / 7);
  const support = supportOf(section, document);
  rows.forEach(([name, places, people, drawn, votes, all], at) => {
    const y = top + at * rowHeight + rowHeight / 2;
    plot.append(
      svg(
        "text",
        {
          class: people ? "name people" : "name",
          x: left - 10,
          y: y + 4,
          "text-anchor": "end",
          text: names[at],
        },
        tip(name),
      ),
      svg("line", { class: "track", x1: left, x2: width - 14, y1: y, y2: y }),
    );
    const extras = extrasOf(section, document, name);
    const add = (kind, place, words) => {
      if (place < from || place > to) return;
      const node = shape(kind, px(place), y);
      const cost = costs[name]?.get(place);
      const supported = kind === "missed" ? undefined : extras.get(place);
      const said = asked(supported);
      if (supported) plot.append(ring(px(place), y));
      node.append(tip(`${name}: ${words} at ${position(place, unit)}${cost ? `, ${cost}` : ""}${said}`));
      if (choose) pressable(node, () => choose(place, name));
      node.dataset.kind = kind;
      node.dataset.place = place;
      node.dataset.row = name;
      plot.append(node);
    };
    if (votes) {
      for (const place of drawn) {
        const runs = votes.get(place);
        add(among(runs.length, all), place, `boundary of ${runs.length} of ${all} (${runs.join(", ")})`);
      }
      return;
    }
    if (people || !document.ref) {
      for (const place of drawn) {
        const one = support.get(place);
        const of = one ? ` of ${one.marked_by.length} of ${one.annotators}` : "";
        add(one ? one.prominence : "given", place, `boundary${of}`);
      }
      return;
    }
    const found = outcomes(document.n, document.ref, places, section.f1.tolerance);
    for (const [kind, pairs] of [
      ["link", found.near],
      ["link found", found.hits],
    ]) {
      for (const [place, wanted] of pairs.filter((ends) => ends.every((end) => end >= from && end <= to)))
        plot.append(svg("line", { class: kind, x1: px(place), x2: px(wanted), y1: y, y2: y }));
    }
    for (const place of found.missed) add("missed", place, "missed boundary");
    for (const place of found.wrong) add("wrong", place, "false boundary");
    for (const [place, wanted] of found.near) add("near", place, `near miss of ${position(wanted, unit)}`);
    for (const [place, wanted] of found.hits) add("hit", place, `found boundary${off(place, wanted, unit)}`);
  });
  oneStop(plot);
  plot.append(svg("line", { class: "cursor", y1: top, y2: height - 22, visibility: "hidden" }));
  const node = el("div", { class: "wide" }, plot);
  node.px = px;
  return node;
}
