// Segments retrieved: CovN and CovD of one document over gamma, and which segments they are.

import { chart } from "./charts.js";
import { el, hint, svg, tip } from "./dom.js";
import { position, shown } from "./numbers.js";
import { told } from "./recipes.js";
import { frame } from "./strip.js";

function edges(n, boundaries) {
  const starts = [0, ...boundaries];
  return starts.map((start, at) => [start, starts[at + 1] ?? n]);
}

/** Return each segment with its partner of the other side: covering most, then the shorter, then the first. */
export function partners(n, own, other) {
  const others = edges(n, other);
  let first = 0;
  return edges(n, own).map(([start, end]) => {
    while (others[first][1] <= start) first += 1;
    let best = null;
    for (let at = first; at < others.length && others[at][0] < end; at += 1) {
      const [from, to] = others[at];
      const [overlap, length] = [Math.min(end, to) - Math.max(start, from), to - from];
      if (!best || overlap > best.overlap || (overlap === best.overlap && length < best.length))
        best = { overlap, length };
    }
    return { start, end, overlap: best.overlap, both: end - start + best.length };
  });
}

/** Say whether the harmonic coverage exceeds gamma, which is given in thousandths so that equality is exact. */
function correct(segment, thousandths) {
  return 2000 * segment.overlap > thousandths * segment.both;
}

/** Return CovN or, by length, CovD: the harmonic mean of precision and recall. */
export function retrieval(n, reference, hypothesis, thousandths, byLength) {
  const share = (segments) => {
    const weight = (segment) => (byLength ? segment.end - segment.start : 1);
    const sum = (chosen) => chosen.reduce((total, segment) => total + weight(segment), 0);
    return sum(segments.filter((segment) => correct(segment, thousandths))) / sum(segments);
  };
  const [precision, recall] = [share(partners(n, hypothesis, reference)), share(partners(n, reference, hypothesis))];
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

/** Return the reference's segments as a line of bars, and the curves of CovN and CovD over gamma. */
export function retrieved(section, document, system, hypothesis) {
  const { n, ref } = document;
  const { unit } = section.documents;
  const segments = partners(n, ref, hypothesis);
  const middle = [...segments].map((segment) => segment.end - segment.start).sort((a, b) => a - b)[
    Math.floor(segments.length / 2)
  ];
  const [width, left] = frame();
  const line = svg("svg", {
    viewBox: `0 0 ${width} 34`,
    class: "strip",
    role: "img",
    "aria-label": "Segments of the reference that are retrieved",
  });
  for (const segment of segments) {
    const found = correct(segment, 850);
    const x = left + (segment.start / n) * (width - left - 14);
    const where = `${position(segment.start, unit)} to ${position(segment.end, unit)}`;
    const coverage = shown((2 * segment.overlap) / segment.both);
    line.append(
      svg(
        "rect",
        {
          class: found ? "segment found" : "segment lost",
          x: x + 1,
          y: segment.end - segment.start >= middle ? 4 : 10,
          width: Math.max(1, ((segment.end - segment.start) / n) * (width - left - 14) - 2),
          height: segment.end - segment.start >= middle ? 26 : 14,
        },
        tip(`${where}: ${found ? "retrieved" : "not retrieved"}, coverage ${coverage}`),
      ),
    );
  }
  const kept = (long) => segments.filter((segment) => (segment.end - segment.start >= middle) === long);
  const share = (chosen) => `${chosen.filter((segment) => correct(segment, 850)).length} of ${chosen.length}`;
  const gammas = Array.from({ length: 51 }, (_, at) => 500 + 10 * at);
  const curve = (byLength) => gammas.map((gamma) => [gamma / 1000, retrieval(n, ref, hypothesis, gamma, byLength)]);
  return el(
    "div",
    {},
    el("div", { class: "wide" }, line),
    hint(
      told(
        section,
        `${system} retrieves ${share(kept(false))} short and ${share(kept(true))} long segments of the reference ` +
          "at gamma 0.85; tall bars are long.",
      ),
    ),
    chart({
      section,
      key: ["documents", document.id, system, "retrieved"],
      title: "CovN and CovD over gamma",
      x: { label: "gamma", rules: [0.85] },
      y: { label: "score", include: [0, 1] },
      height: 240,
      series: [
        { name: "CovN", kind: "line", points: curve(false) },
        { name: "CovD", kind: "line", points: curve(true) },
      ],
    }),
  );
}
