// Small charts in plain SVG: points, lines with bands, heat maps, bars. Colours come from the style sheet.

import { el, narrow, oneStop, svg, tip } from "./dom.js";
import { isDefined, shortened, shown, ticks } from "./numbers.js";
import { numbered, recipeMark, told } from "./recipes.js";

const SHAPES = ["circle", "square", "triangle", "diamond", "cross"];

/** Return the mark of a series: shape and colour, so that neither is needed alone. */
export function mark(x, y, series, size = 5) {
  const shape = SHAPES[series % SHAPES.length];
  const attributes = { class: `mark series-${series % 8}` };
  const s = size;
  if (shape === "circle") return svg("circle", { ...attributes, cx: x, cy: y, r: s });
  const paths = {
    square: `M${x - s},${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    triangle: `M${x},${y - s * 1.2}l${s * 1.2},${s * 2.1}h${-2.4 * s}z`,
    diamond: `M${x},${y - s * 1.3}l${s * 1.3},${s * 1.3}l${-s * 1.3},${s * 1.3}l${-s * 1.3},${-s * 1.3}z`,
    cross: `M${x - s},${y - s}l${2 * s},${2 * s}m0,${-2 * s}l${-2 * s},${2 * s}`,
  };
  return svg("path", { ...attributes, d: paths[shape] });
}

function domain(values, wanted, padding) {
  const finite = values.filter((value) => isDefined(value) && Number.isFinite(value));
  let low = Math.min(...finite, ...(wanted || []));
  let high = Math.max(...finite, ...(wanted || []));
  if (!Number.isFinite(low)) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const room = (high - low) * padding;
  return [wanted && low === Math.min(...wanted) ? low : low - room, high + room];
}

/**
 * Return a chart. A series has `name`, `points` ([x, y, label, low, high, colour, lines of the recipe]) and `kind`:
 * "points" or "line"; a `labelled` one has its labels in the plot. Bands are drawn where a line has low and high; a
 * legend unless `named` is false. Each point shows its recipe; `key` is where the chart is. With `equal` a line shows
 * where y equals x.
 */
export function chart({
  section,
  key,
  title,
  x,
  y,
  series,
  width: wanted = 680,
  height = 320,
  log = false,
  equal = false,
  named = true,
}) {
  const width = narrow(wanted);
  const [left, bottom, top, right] = [58, 46, 12, 14];
  const all = series.flatMap((one) => one.points);
  const at = (value) => (log ? Math.log(Math.max(value, 1e-9)) : value);
  const [xLow, xHigh] = domain(
    [...all.map((point) => point[0]), ...(x.include || [])].filter((value) => value !== null).map(at),
    null,
    0.05,
  );
  const [yLow, yHigh] = domain(
    all.flatMap((point) => [point[1], point[3], point[4]]),
    y.include,
    0.06,
  );
  const px = (value) => left + ((at(value) - xLow) / (xHigh - xLow)) * (width - left - right);
  const py = (value) => height - bottom - ((value - yLow) / (yHigh - yLow)) * (height - bottom - top);
  const plot = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": title, class: "chart" });
  const xTicks = log
    ? [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].filter((value) => at(value) >= xLow && at(value) <= xHigh)
    : ticks(xLow, xHigh, width / 90);
  for (const value of xTicks) {
    plot.append(
      svg("line", { class: "grid", x1: px(value), x2: px(value), y1: top, y2: height - bottom }),
      svg("text", {
        class: "tick",
        x: px(value),
        y: height - bottom + 16,
        "text-anchor": "middle",
        text: String(value),
      }),
    );
  }
  for (const value of ticks(yLow, yHigh, 5)) {
    plot.append(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: py(value), y2: py(value) }),
      svg("text", { class: "tick", x: left - 6, y: py(value) + 4, "text-anchor": "end", text: String(value) }),
    );
  }
  for (const value of x.rules || []) {
    if (at(value) >= xLow && at(value) <= xHigh)
      plot.append(svg("line", { class: "rule", x1: px(value), x2: px(value), y1: top, y2: height - bottom }));
  }
  if (equal) {
    const [from, to] = [Math.max(xLow, yLow), Math.min(xHigh, yHigh)];
    if (from < to) plot.append(svg("line", { class: "rule", x1: px(from), x2: px(to), y1: py(from), y2: py(to) }));
  }
  plot.append(
    svg("text", {
      class: "axis",
      x: (left + width - right) / 2,
      y: height - 8,
      "text-anchor": "middle",
      text: x.label,
    }),
    svg("text", {
      class: "axis",
      transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`,
      "text-anchor": "middle",
      text: y.label,
    }),
  );
  const labels = [];
  const label = (across, down, text) => {
    const [long, late] = [7 * text.length, across > width - 120];
    const [start, line] = [late ? across - 8 - long : across + 8, down - 6];
    // The tip of a mark has its name too.
    if (labels.some((other) => Math.abs(other.line - line) < 10 && start < other.end && other.start < start + long))
      return;
    labels.push({ start, end: start + long, line });
    const anchor = late ? "end" : "start";
    plot.append(svg("text", { class: "tick", x: across + (late ? -8 : 8), y: line, "text-anchor": anchor, text }));
  };
  series.forEach((one, place) => {
    const number = one.series ?? place;
    const points = one.points.filter((point) => point[1] !== null && Number.isFinite(point[1]));
    if (one.kind === "line") {
      const banded = points.filter(
        (point) => Number.isFinite(point[3]) && Number.isFinite(point[4]) && point[3] !== null,
      );
      if (banded.length > 1) {
        const edge = [
          ...banded.map((p) => `${px(p[0])},${py(p[4])}`),
          ...banded.reverse().map((p) => `${px(p[0])},${py(p[3])}`),
        ];
        plot.append(svg("polygon", { class: `band series-${number % 8}`, points: edge.join(" ") }));
      }
      plot.append(
        svg("polyline", {
          class: `line series-${number % 8}`,
          points: points.map((p) => `${px(p[0])},${py(p[1])}`).join(" "),
        }),
      );
    }
    points.forEach((point, at) => {
      const [low, high] = [point[3], point[4]];
      if (one.kind !== "line" && Number.isFinite(low) && Number.isFinite(high) && low !== null) {
        plot.append(
          svg("line", {
            class: `whisker series-${number % 8}`,
            x1: px(point[0]),
            x2: px(point[0]),
            y1: py(low),
            y2: py(high),
          }),
        );
      }
      const node = mark(px(point[0]), py(point[1]), number, one.kind === "line" ? 2.5 : 6);
      const words = `${point[2] || one.name}: ${x.label} ${shown(point[0])}, ${y.label} ${shown(point[1])}`;
      node.append(tip(words));
      node.setAttribute("aria-label", words);
      [node.dataset.x, node.dataset.value] = point;
      const ends = Number.isFinite(low) && Number.isFinite(high) && low !== null ? `interval: ${low} to ${high}` : null;
      recipeMark(
        node,
        section,
        () => [
          `${point[2] || one.name}`,
          `${x.label}: ${point[0]}`,
          `${y.label}: ${point[1]}`,
          ends,
          ...(point[6] || []),
        ],
        [...key, one.name, at + 1],
      );
      if (point[5]) node.style.fill = point[5];
      plot.append(node);
      if (one.labelled) label(px(point[0]), py(point[1]), point[2]);
    });
  });
  oneStop(plot);
  return el("figure", {}, plot, named ? legend(series) : null);
}

/** Return what shape and colour belong to which name. */
export function legend(series) {
  return el(
    "figcaption",
    { class: "legend" },
    series.map((one, place) => {
      const number = one.series ?? place;
      const sample = svg("svg", { viewBox: "0 0 20 14", width: 20, height: 14, "aria-hidden": "true" });
      if (one.kind === "line")
        sample.append(svg("line", { class: `line series-${number % 8}`, x1: 1, x2: 19, y1: 7, y2: 7 }));
      sample.append(mark(10, 7, number, 4));
      return el("span", {}, sample, ` ${one.name}`);
    }),
  );
}

/**
 * Return a heat map of a matrix with names; low and high set the ends of the colours, below zero in another colour. A
 * name in `marked` stands out; `framed(i, j)` says which cells have a frame, `inside(i, j, text)` what a cell holds.
 */
export function heatMap({
  title,
  rows,
  columns,
  values,
  low,
  high,
  digits = 2,
  marked = [],
  framed = () => false,
  inside = (i, j, text) => text,
}) {
  const table = el("table", { class: "heat", "aria-label": title });
  table.append(
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        columns.map((name) => el("th", { scope: "col", text: name })),
      ),
    ),
  );
  const body = el("tbody");
  rows.forEach((name, i) => {
    const cells = columns.map((_, j) => {
      const value = values[i][j];
      if (!isDefined(value)) return el("td", { text: shown(value, digits) });
      const [cold, from] = [value < 0 && low < 0, Math.max(0, low)];
      const share = cold ? value / low : (value - from) / (high - from || 1);
      const cell = el(
        "td",
        { class: [cold ? "cold" : "warm", framed(i, j) ? "framed" : ""].join(" ").trim() },
        inside(i, j, shown(value, digits)),
      );
      cell.style.setProperty("--share", `${Math.round(Math.max(0, Math.min(1, share)) * 100)}%`);
      cell.dataset.value = value;
      return cell;
    });
    body.append(
      el("tr", { class: marked.includes(name) ? "marked" : null }, el("th", { scope: "row", text: name }), cells),
    );
  });
  table.append(body);
  return el("div", { class: "wide" }, table);
}

/** Return bars with names, one row each; `title` says what is measured, and a value shows its recipe. */
export function bars({ section, key, title, rows, digits = 0, most }) {
  const top = most ?? Math.max(...rows.map(([, value]) => value), 1e-9);
  const room = rows.some(([, , note]) => note) ? 60 : 100;
  return el(
    "table",
    { class: "bars" },
    el(
      "tbody",
      {},
      rows.map(([name, value, note]) => {
        const bar = el("span", { class: "bar", "aria-hidden": "true" });
        bar.style.width = `${(room * value) / top}%`;
        return el(
          "tr",
          {},
          el("th", { scope: "row", text: name }),
          el(
            "td",
            { class: "number", "data-value": value },
            numbered(section, shown(value, digits), () => [`${title}, ${name}: ${value}`], [...key, name]),
          ),
          el("td", { class: "track" }, bar, note ? el("small", {}, told(section, note)) : null),
        );
      }),
    ),
  );
}

/** Return squares of similarity between units, dark where alike; units of a larger document are joined into cells. */
export function similarityMap(vectors, cuts, size = 320) {
  const cells = Math.min(vectors.length, 120);
  const per = vectors.length / cells;
  const joined = Array.from({ length: cells }, (_, i) => {
    const sum = new Map();
    for (const vector of vectors.slice(
      Math.floor(i * per),
      Math.max(Math.floor((i + 1) * per), Math.floor(i * per) + 1),
    )) {
      for (const [word, count] of vector) sum.set(word, (sum.get(word) || 0) + count);
    }
    return sum;
  });
  const norms = joined.map((vector) => Math.sqrt([...vector.values()].reduce((sum, count) => sum + count * count, 0)));
  const canvas = el("canvas", {
    width: cells,
    height: cells,
    class: "similarity",
    role: "img",
    "aria-label": "Similarity of words between parts of the document",
  });
  const picture = canvas.getContext("2d");
  for (let i = 0; i < cells; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let dot = 0;
      for (const [word, count] of joined[j]) dot += count * (joined[i].get(word) || 0);
      const cosine = norms[i] && norms[j] ? dot / (norms[i] * norms[j]) : 0;
      picture.fillStyle = `rgba(33, 102, 172, ${Math.min(1, cosine * 1.6)})`;
      picture.fillRect(i, j, 1, 1);
      picture.fillRect(j, i, 1, 1);
    }
  }
  const frame = svg("svg", {
    viewBox: `0 0 ${vectors.length} ${vectors.length}`,
    class: "over",
    "aria-hidden": "true",
  });
  for (const cut of cuts)
    frame.append(svg("path", { class: "cut", d: `M${cut},0V${vectors.length}M0,${cut}H${vectors.length}` }));
  const box = el("div", { class: "stack" }, canvas, frame);
  box.style.maxWidth = `${size}px`;
  return box;
}

/**
 * Return one row per name: a mark at its value, a line from low to high, and a rule at what others reach; `alike` gives
 * all the same mark.
 */
export function ranges({ section, key, title, rows, rule, ruleName, alike = false }) {
  const [width, left, height] = [narrow(680), 150, 26];
  const values = rows
    .flatMap(([, value, low, high]) => [value, low, high])
    .concat([rule])
    .filter(isDefined);
  const [low, high] = domain(values, null, 0.08);
  const px = (value) => left + ((value - low) / (high - low)) * (width - left - 16);
  const bottom = rows.length * height + 6;
  const plot = svg("svg", {
    viewBox: `0 0 ${width} ${bottom + 22}`,
    class: "chart",
    role: "group",
    "aria-label": title,
  });
  for (const value of ticks(low, high, width / 110)) {
    plot.append(
      svg("line", { class: "grid", x1: px(value), x2: px(value), y1: 0, y2: bottom }),
      svg("text", { class: "tick", x: px(value), y: bottom + 16, "text-anchor": "middle", text: String(value) }),
    );
  }
  if (isDefined(rule))
    plot.append(
      svg("line", { class: "rule", x1: px(rule), x2: px(rule), y1: 0, y2: bottom }, tip(`${ruleName}: ${shown(rule)}`)),
    );
  const names = shortened(rows.map(([name]) => name), 18);
  rows.forEach(([name, value, from, to], at) => {
    const y = at * height + height / 2;
    plot.append(
      svg(
        "text",
        {
          class: "name",
          x: left - 10,
          y: y + 4,
          "text-anchor": "end",
          text: names[at],
        },
        tip(name),
      ),
    );
    if (isDefined(from) && isDefined(to))
      plot.append(
        svg("line", { class: `whisker series-${alike ? 0 : at % 8}`, x1: px(from), x2: px(to), y1: y, y2: y }),
      );
    if (isDefined(value)) {
      const node = mark(px(value), y, alike ? 0 : at);
      node.dataset.value = value;
      node.append(tip(`${name}: ${shown(value)}`));
      node.setAttribute("aria-label", `${name}: ${shown(value)}`);
      recipeMark(
        node,
        section,
        () => [
          `${title}, ${name}: ${value}`,
          isDefined(from) ? `from ${from} to ${to}` : null,
          isDefined(rule) ? `${ruleName}: ${rule}` : null,
        ],
        [...key, title, name],
      );
      plot.append(node);
    }
  });
  oneStop(plot);
  return el("figure", {}, el("h3", { text: title }), plot);
}
