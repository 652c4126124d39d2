// One document: strip chart, text with the boundaries of every system in the margin, scores, slider, blame, player.

import { similarityMap } from "./charts.js";
import { choice, el, grid, hint, replace, svg } from "./dom.js";
import { clock, counted, distance, position, shown } from "./numbers.js";
import { numbered, told } from "./recipes.js";
import { retrieved } from "./segments.js";
import { blame, cutByScores, documentMetrics, outcomes, scoreAt, select } from "./scores.js";
import { asked, extrasOf, frame, isJudged, key, rowsOf, runsOf, strip, supportOf } from "./strip.js";

const SHOWN_UNITS = 300;
const MOST_SEGMENTS = 3000;
const MOST_TRIED = 400;
const CROWDED = 80;

function words(text) {
  const counts = new Map();
  for (const word of text.toLowerCase().match(/\p{L}{4,}/gu) || []) counts.set(word, (counts.get(word) || 0) + 1);
  return counts;
}

/** Return scores with their places, the highest of each stretch where there are more than a line can show. */
function thinned(steps) {
  const per = Math.ceil(steps.length / 2000);
  const kept = [];
  for (let from = 0; from < steps.length; from += per) {
    let best = from;
    for (let at = from; at < Math.min(from + per, steps.length); at += 1) if (steps[at] > steps[best]) best = at;
    kept.push([best, steps[best]]);
  }
  return kept;
}

/** Return a text in which some words, in lower case, are marked. */
function sought(text, words) {
  const lower = text.toLowerCase();
  if (!words || lower.length !== text.length) return text;
  const parts = [];
  let from = 0;
  for (let at = lower.indexOf(words); at >= 0; at = lower.indexOf(words, from)) {
    parts.push(text.slice(from, at), el("mark", { class: "sought", text: text.slice(at, at + words.length) }));
    from = at + words.length;
  }
  return [...parts, text.slice(from)];
}

/** The view of one document. */
export class Reader {
  constructor(section) {
    this.section = section;
    this.node = el("article", { class: "reader", "aria-live": "off" });
    this.from = 0;
    this.metrics = documentMetrics(section.f1);
    this.metric = 2;
    this.words = "";
  }

  /** Mark words in the text. */
  find(words) {
    this.words = words;
    if (this.document?.units) this.turnPage();
  }

  /** Show the page of the text with the words that are looked for, if it is not the one in view. */
  turnPage() {
    const at = this.words ? this.document.units.findIndex((text) => text.toLowerCase().includes(this.words)) : -1;
    if (at >= 0) this.from = Math.floor(at / SHOWN_UNITS) * SHOWN_UNITS;
    this.paint();
  }

  /** Look at another system. */
  turnTo(asked) {
    const system = this.section.results.runs?.[asked]?.runs[0] ?? asked; // of several runs the first
    if (!this.section.documents.systems.includes(system)) return;
    this.system = system;
    if (this.document) this.paint();
  }

  show(found) {
    const document = cutByScores(found);
    this.document = document;
    this.given = document.sys;
    this.cut = found.sys.map((places, at) => !places && document.sys[at] !== null);
    this.system ??= this.section.documents.systems[0];
    this.thresholds = {};
    this.from = 0;
    this.media = null;
    this.range = [0, document.n];
    this.at = 0;
    if (document.units) this.turnPage();
    else this.paint();
  }

  /** Boundaries of a system: as given, or as the slider selects them. */
  places(at) {
    const threshold = this.thresholds[at];
    return threshold === undefined ? this.given[at] : select(this.document.scores[at], threshold);
  }

  paint() {
    const { document, section } = this;
    const at = section.documents.systems.indexOf(this.system);
    this.document = { ...document, sys: this.given.map((places, index) => (places ? this.places(index) : places)) };
    this.changes = this.tried(at);
    const costs = { [this.system]: this.costs() };
    const choose = (place, name) => this.choose(place, name);
    const beside = [
      document.times || section.documents.unit === "ms" ? this.player() : null,
      section.documents.systems.length
        ? el(
            "div",
            { class: "tools" },
            choice(
              "System",
              section.documents.systems.map((name) => [name, name]),
              this.system,
              (name) => {
                this.system = name;
                this.paint();
              },
            ),
            document.ref
              ? choice(
                  "Blame by",
                  this.metrics.map(([name], place) => [String(place), name]),
                  String(this.metric),
                  (place) => {
                    this.metric = Number(place);
                    this.paint();
                  },
                )
              : null,
          )
        : null,
      this.chapters(at),
    ];
    replace(
      this.node,
      el("h3", { text: document.id }),
      el("p", { class: "facts" }, told(section, this.facts())),
      section.results.chapters ? beside : null,
      (this.strip = strip(section, this.document, { choose, range: this.range, costs })),
      key(section, this.document),
      this.zoom(),
      section.results.chapters ? null : beside,
      at >= 0 && document.scores?.[at] ? this.slider(at) : null,
      at >= 0 && document.ref && this.document.sys[at] ? [this.scores(at), this.blame(at), this.retrieved(at)] : null,
      document.units ? [this.text(), this.similarity(at)] : hint("The files hold no text for this document."),
    );
  }

  /** Buttons to look at a part of a long document in the strip chart. */
  zoom() {
    const { document } = this;
    const [from, to] = this.range;
    const crowded = rowsOf(this.section, document).some(([, places]) => places.length > CROWDED);
    if (to - from === document.n && !crowded) return null;
    const look = (middle, width) => {
      const size = Math.min(document.n, Math.max(10, Math.round(width)));
      const start = Math.max(0, Math.min(document.n - size, Math.round(middle - size / 2)));
      this.range = [start, start + size];
      this.paint();
    };
    const [middle, width] = [(from + to) / 2, to - from];
    const button = (text, press) => el("button", { type: "button", class: "quiet", onclick: press, text });
    const { unit } = this.section.documents;
    return el(
      "div",
      { class: "tools zoom" },
      button("Zoom in", () => look(this.at > from && this.at < to ? this.at : middle, width / 4)),
      width < document.n
        ? [
            button("Zoom out", () => look(middle, width * 4)),
            button("Earlier in the chart", () => look(middle - width * 0.8, width)),
            button("Later in the chart", () => look(middle + width * 0.8, width)),
            hint(`${position(from, unit)} to ${position(to, unit)} of ${position(document.n, unit)}`),
          ]
        : null,
    );
  }

  /** Return the changes of single boundaries of a system, best first; null where they are too many to try. */
  tried(at) {
    const { n, ref } = this.document;
    const places = at < 0 ? null : this.document.sys[at];
    if (!ref || !places || places.length + ref.length > MOST_TRIED) return null;
    return blame(n, ref, places, this.section.f1, this.metric);
  }

  /** Return what each wrong boundary costs: what the best change of it would gain. */
  costs() {
    const [metric] = this.metrics[this.metric];
    const costs = new Map();
    for (const { place, gains } of this.changes || []) {
      const gained = gains[this.metric];
      if (gained > 0 && !costs.has(place)) costs.set(place, `costs ${shown(gained)} ${metric}`);
    }
    return costs;
  }

  /** Return where a system is wrong: false, missed and near boundaries in order. */
  errors(at) {
    const { n, ref } = this.document;
    const { near, wrong, missed } = outcomes(n, ref, this.document.sys[at], this.section.f1.tolerance);
    return [...near.map(([place]) => place), ...wrong, ...missed].sort((a, b) => a - b);
  }

  /** Go to the next boundary that is wrong, and after the last one to the first. */
  next(at) {
    const places = this.errors(at);
    if (places.length) this.choose(places.find((place) => place > this.at) ?? places[0], this.system);
  }

  facts() {
    const { document, section } = this;
    const parts = [
      section.documents.unit === "ms" ? clock(document.n) : counted(document.n, section.documents.unit || "unit"),
    ];
    if (document.ref) parts.push(`${counted(document.ref.length, "boundary", "boundaries")} in the reference`);
    return parts.join(", ");
  }

  /** The scores of a system as a curve, and a threshold that moves in the steps in which they are stored. */
  slider(at) {
    const { section } = this;
    const scores = this.document.scores[at];
    const top = scores.steps.reduce((most, steps) => Math.max(most, steps), 0);
    const value = this.thresholds[at];
    const chosen = section.results.sweep?.choices?.[this.system];
    const dense = this.document.ref ? "as dense as the reference" : "one gap in ten";
    const given = this.cut[at] ? dense : chosen ? `${chosen.threshold}, as chosen` : "as given";
    const text = value === undefined ? given : String(scoreAt(scores, value));
    const input = el("input", {
      type: "range",
      min: 0,
      max: top + 1,
      step: 1,
      "aria-label": "Threshold",
      "aria-valuetext": text,
    });
    input.value = value ?? top + 1;
    input.addEventListener("input", () => {
      this.thresholds[at] = Number(input.value);
      const held = document.activeElement === input;
      this.paint();
      if (held) this.node.querySelector("input[type=range]").focus();
    });
    const [[width, left], height] = [frame(), 80];
    const px = (place) => left + (place / this.document.n) * (width - left - 14);
    const py = (steps) => height - 6 - (steps / (top + 1)) * (height - 12);
    const curve = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      class: "curve",
      role: "img",
      "aria-label": `Scores of ${this.system}`,
    });
    curve.append(
      svg("polyline", {
        class: "line series-0",
        points: thinned(scores.steps)
          .map(([place, steps]) => `${px(place + 1)},${py(steps)}`)
          .join(" "),
      }),
    );
    if (value !== undefined)
      curve.append(svg("line", { class: "rule", x1: left, x2: width - 14, y1: py(value), y2: py(value) }));
    const reset = el("button", {
      type: "button",
      class: "quiet",
      text: "Reset",
      onclick: () => {
        delete this.thresholds[at];
        this.paint();
      },
    });
    return el(
      "div",
      {},
      el("div", { class: "wide" }, curve),
      el(
        "div",
        { class: "tools" },
        el(
          "label",
          { class: "field" },
          el("span", { text: "Threshold" }),
          input,
          el("output", { class: "threshold", text }),
        ),
        reset,
      ),
    );
  }

  scores(at) {
    const { section } = this;
    const { id, n, ref } = this.document;
    const places = this.document.sys[at];
    const cells = this.metrics.map(([name, , score]) => {
      const value = score(n, ref, places);
      const lines = () => [
        `${this.system}, ${name} of document ${id}: ${value}`,
        this.thresholds[at] === undefined
          ? null
          : `threshold: ${scoreAt(this.document.scores[at], this.thresholds[at])}`,
      ];
      const cell = el("td", { class: "number" }, numbered(section, shown(value), lines, this.key(at, "score", name)));
      cell.dataset.metric = name;
      cell.dataset.value = value;
      return cell;
    });
    const { hits, near, wrong, missed } = outcomes(n, ref, places, section.f1.tolerance);
    const extras = [...extrasOf(section, this.document, this.system).values()];
    const all = counted(extras.length, "extra boundary", "extra boundaries");
    const supported = extras.length ? ` The text supports ${extras.filter(Boolean).length} of ${all}.` : "";
    return el(
      "div",
      { class: "wide document-scores" },
      grid(this.heads(), el("tr", {}, cells)),
      hint(
        told(
          section,
          `${this.system}: ${hits.length} found, ${near.length} near, ${wrong.length} false, ${missed.length} missed.` +
            supported,
        ),
      ),
      near.length + wrong.length + missed.length
        ? el(
            "p",
            { class: "tools" },
            el("button", { type: "button", class: "quiet next", onclick: () => this.next(at), text: "Next error" }),
          )
        : null,
    );
  }

  /** Return where a number of this document is, for its link; null where a threshold was moved, which no link says. */
  key(at, ...parts) {
    return this.thresholds[at] === undefined ? ["documents", this.document.id, this.system, ...parts] : null;
  }

  blame(at) {
    const { id } = this.document;
    const { unit } = this.section.documents;
    const [metric] = this.metrics[this.metric];
    if (!this.changes) return hint("Too many boundaries to try each of them.");
    const rows = this.changes
      .filter((row) => row.gains[this.metric] > 0)
      .slice(0, 6);
    if (!rows.length) return hint(`No single change of a boundary improves ${metric} here.`);
    const heads = [el("th", { scope: "col", text: "change" }), this.heads()];
    const change = (row) => {
      const text = `${row.what} ${position(row.place, unit)}`;
      const go = el("button", {
        type: "button",
        class: "value",
        onclick: () => this.choose(row.place, this.system),
        text,
      });
      const gains = row.gains.map((gained, place) =>
        el("td", { class: "number" }, gained === null || gained === 0 ? null : this.gain(at, id, row, place, gained)),
      );
      return el("tr", {}, el("th", { scope: "row" }, go), gains);
    };
    return el(
      "div",
      { class: "wide blame" },
      grid(heads, rows.map(change), el("caption", { text: `What one change would gain, best for ${metric} first` })),
    );
  }

  /** The metrics as column heads. */
  heads() {
    return this.metrics.map(([name]) => el("th", { scope: "col", class: "number", text: name }));
  }

  /** Segments retrieved, where they are not too many to draw. */
  retrieved(at) {
    const places = this.document.sys[at];
    if (places.length + this.document.ref.length > MOST_SEGMENTS) return null;
    return el(
      "details",
      { class: "retrieved" },
      el("summary", { text: "Segments retrieved (CovN, CovD)" }),
      retrieved(this.section, this.document, this.system, places),
    );
  }

  gain(at, id, row, place, gained) {
    const [change, [metric]] = [`${row.what} ${position(row.place, this.section.documents.unit)}`, this.metrics[place]];
    const lines = () => [`${this.system}, document ${id}, ${change}: ${metric} would gain ${gained}`];
    return numbered(
      this.section,
      `${gained > 0 ? "+" : "−"}${shown(Math.abs(gained))}`,
      lines,
      this.key(at, change, metric),
    );
  }

  /** The titles of segments with their starts, of the reference and of the system in view: partners in one row. */
  chapters(at) {
    const { document, section } = this;
    const sides = [
      ["reference", document.ref, document.titles?.[0]],
      at < 0 ? [] : [this.system, this.given[at], document.titles?.[at + 1]],
    ];
    const lists = sides
      .filter(([, places, titles]) => places && titles?.length === places.length + 1)
      .map(([name, places, titles]) => [
        name,
        new Map(titles.map((title, number) => [number ? places[number - 1] : 0, title])),
      ]);
    if (!lists.length) return null;
    const title = ([name, titles], start) => {
      if (start === undefined) return el("td", {});
      const text = position(start, section.documents.unit);
      const go = el("button", { type: "button", class: "value", onclick: () => this.choose(start, name), text });
      return el("td", {}, go, " ", el("span", { dir: "auto", text: titles.get(start) }));
    };
    const rows =
      lists.length < 2 ? [...lists[0][1].keys()].map((start) => [start]) : this.paired(document.ref, this.given[at]);
    return el(
      "div",
      { class: "wide chapters" },
      grid(
        [...lists.map(([name]) => name), ...(lists.length < 2 ? [] : ["what became of it"])].map((text) =>
          el("th", { scope: "col", text }),
        ),
        rows.map((row) =>
          el(
            "tr",
            {},
            lists.map((list, side) => title(list, row[side])),
            lists.length < 2 ? null : el("td", { class: "outcome", text: this.outcome(...row) }),
          ),
        ),
      ),
    );
  }

  /** Say what became of a chapter: its start of the reference, and that of the system. */
  outcome(wanted, place) {
    if (place === undefined) return "missed";
    if (wanted === undefined) return "extra";
    if (wanted === 0 && place === 0) return "start";
    const kind = Math.abs(place - wanted) > this.section.f1.tolerance ? "near" : "found";
    const far = distance(Math.abs(place - wanted), this.section.documents.unit);
    return place === wanted ? kind : `${kind}, ${far} ${place > wanted ? "late" : "early"}`;
  }

  /** Starts of the reference and of a system in pairs, found or near, each once; what has no partner stands alone. */
  paired(ref, places) {
    const { hits, near } = outcomes(this.document.n, ref, places, this.section.f1.tolerance);
    const [left, right] = [new Set(ref), new Set(places)];
    const rows = [[0, 0]];
    for (const [place, wanted] of [...hits, ...near].sort((a, b) => Math.abs(a[0] - a[1]) - Math.abs(b[0] - b[1]))) {
      if (left.has(wanted) && right.has(place) && left.delete(wanted) && right.delete(place))
        rows.push([wanted, place]);
    }
    const alone = [...[...left].map((place) => [place, undefined]), ...[...right].map((place) => [undefined, place])];
    return [...rows, ...alone].sort((a, b) => (a[0] ?? a[1]) - (b[0] ?? b[1]));
  }

  text() {
    const { document } = this;
    const end = Math.min(document.units.length, this.from + SHOWN_UNITS);
    const rows = rowsOf(this.section, document);
    const marks = new Map();
    const put = (place, kind, name) => marks.set(place, [...(marks.get(place) || []), [kind, name]]);
    for (const [name, places, people] of rows) {
      if (people || !document.ref) for (const place of places) put(place, people ? "people" : "given", name);
      else {
        const found = outcomes(document.n, document.ref, places, this.section.f1.tolerance);
        for (const [place] of found.hits) put(place, "hit", name);
        for (const [place] of found.near) put(place, "near", name);
        for (const place of found.wrong) put(place, "wrong", name);
        for (const place of found.missed) put(place, "missed", name);
      }
    }
    const support = supportOf(this.section, document);
    const costs = this.costs();
    const word = { people: "", given: "", hit: "found: ", near: "near: ", wrong: "false: ", missed: "missed: " };
    const lines = [];
    for (let at = this.from; at < end; at += 1) {
      const speaker = document.speakers?.[at];
      const time = document.times?.[at];
      lines.push(
        el(
          "div",
          { class: "unit", id: `unit-${at + 1}` },
          el("span", { class: "place", text: time ? clock(time[0] * 1000) : String(at + 1) }),
          el(
            "p",
            { dir: "auto" },
            speaker ? [el("b", { dir: "auto", text: speaker }), " "] : null,
            sought(document.units[at], this.words),
          ),
        ),
      );
      const here = marks.get(at + 1);
      if (here)
        lines.push(
          el(
            "div",
            { class: "gap", id: `gap-${at + 1}`, tabindex: "-1" },
            this.tags(at + 1, here, support.get(at + 1), word, (name) =>
              name === this.system ? costs.get(at + 1) : null,
            ),
          ),
        );
    }
    const turn = (to, text) =>
      el("button", {
        type: "button",
        text,
        onclick: () => {
          this.from = to;
          this.paint();
        },
      });
    return el(
      "div",
      { class: "text" },
      this.from > 0 ? turn(Math.max(0, this.from - SHOWN_UNITS), "Earlier") : null,
      lines,
      end < document.units.length ? turn(end, `Later (${counted(document.units.length - end, "unit")} more)`) : null,
    );
  }

  /** Return the tags of a gap: who has a boundary there, and what an error costs; or how many annotators, and which. */
  tags(gap, here, support, word, costOf) {
    const parted = runsOf(this.section, this.document)
      .map(([system, votes, all]) => [system, votes.get(gap)?.length, all])
      .filter(([, votes, all]) => votes && votes < all)
      .map(([system, votes, all]) => el("span", { class: "tag", text: `runs of ${system} part: ${votes} of ${all}` }));
    if (support) {
      const names = here.map(([, name]) => name).join(", ");
      const text = `${support.marked_by.length} of ${support.annotators}: ${names}`;
      return el("span", { class: `tag ${support.prominence}`, text });
    }
    const each = here.map(([kind, name]) => {
      const cost = ["near", "wrong", "missed"].includes(kind) ? costOf(name) : null;
      const extras = extrasOf(this.section, this.document, name);
      const said = ["people", "missed"].includes(kind) ? "" : asked(extras.get(gap));
      return el("span", { class: `tag ${kind}`, text: `${word[kind]}${name}${cost ? `, ${cost}` : ""}${said}` });
    });
    return [...parted, ...each];
  }

  similarity(at) {
    const { units, ref } = this.document;
    if (units.length < 3 || units.length > 5000) return null;
    const cuts = (at >= 0 && this.document.sys[at]) || ref || [];
    return el(
      "details",
      {},
      el("summary", { text: "Shared words between parts of the document" }),
      similarityMap(units.map(words), cuts),
      hint(`Dark cells share words; lines are the boundaries of ${at >= 0 ? this.system : "the reference"}.`),
    );
  }

  player() {
    const play = (source, video) => {
      this.media = el(video ? "video" : "audio", { controls: true, src: source, ontimeupdate: () => this.follow() });
      replace(holder, this.media);
    };
    const input = el("input", {
      type: "file",
      accept: "audio/*,video/*",
      onchange: () => {
        const [file] = input.files;
        if (file) play(URL.createObjectURL(file), file.type.startsWith("video"));
      },
    });
    // A page on disk makes no request, so it plays files only; a served page may be given an address.
    const address =
      document.body.dataset.served === undefined
        ? null
        : el("input", {
            type: "url",
            placeholder: "https://",
            "aria-label": "Address of the recording",
            onchange: () => play(address.value, /\.(mp4|webm|mov)$/.test(address.value)),
          });
    const holder = el("div", {}, this.media);
    return el(
      "div",
      { class: "player" },
      el("label", { class: "field" }, el("span", { text: "Play along: choose the recording" }), input),
      address,
      holder,
    );
  }

  /** Move the line over the strip chart, and mark the unit that is played. */
  follow() {
    const { document, section } = this;
    const seconds = this.media.currentTime;
    const played = document.times ? document.times.findLastIndex(([start]) => start <= seconds) : -1;
    const place = section.documents.unit === "ms" ? seconds * 1000 : played + 1;
    const line = this.strip.querySelector(".cursor");
    if (!line) return;
    const x = this.strip.px(Math.min(place, document.n));
    for (const end of ["x1", "x2"]) line.setAttribute(end, x);
    line.removeAttribute("visibility");
    for (const other of this.node.querySelectorAll(".playing")) other.classList.remove("playing");
    if (played >= 0) this.node.querySelector(`#unit-${played + 1}`)?.classList.add("playing");
  }

  /** Show a boundary in the text, and play from there. */
  choose(place, name) {
    const { document } = this;
    this.at = place;
    const time = this.section.documents.unit === "ms" ? place / 1000 : document.times?.[place]?.[0];
    if (this.media && time !== undefined) {
      this.media.currentTime = time;
      this.media.play().catch(() => {}); // the player itself shows why it cannot play
    }
    if (!document.units) return;
    if (place < this.from || place >= this.from + SHOWN_UNITS) {
      this.from = Math.max(0, place - Math.floor(SHOWN_UNITS / 2));
      this.paint();
    }
    const target = this.node.querySelector(`#gap-${place}`) || this.node.querySelector(`#unit-${place}`);
    if (!target) return;
    for (const other of this.node.querySelectorAll(".chosen")) other.classList.remove("chosen");
    target.classList.add("chosen");
    target.scrollIntoView({
      block: "center",
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });
    if (name) target.focus({ preventScroll: true });
  }
}

/** Return a small strip of a document with its name as a link. */
export function teaser(section, document, words, open) {
  return el(
    "div",
    { class: "teaser" },
    el(
      "h3",
      {},
      el("button", { type: "button", class: "value", onclick: open, text: document.id }),
      el("small", { text: ` ${words}` }),
    ),
    strip(section, document, {}),
  );
}
