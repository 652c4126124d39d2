// Which documents to look at: in which order, which of them, and those whose text has some words.

import { isDefined, shown } from "./numbers.js";

const PAUSE = 250;

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

/** Return how many gaps of each document some annotators marked and others did not; null without annotators. */
function disputed(section) {
  const { agreement } = section.results;
  if (!agreement) return null;
  const counts = new Map(section.documents.ids.map((id) => [id, 0]));
  for (const one of agreement.support)
    if (one.exact < 1 && counts.has(one.document)) counts.set(one.document, counts.get(one.document) + 1);
  return [...counts.values()];
}

/**
 * Return what documents can be ordered by: a name, a number for a system and a row that is larger where it is worse,
 * and how it is shown. Boundaries missed or false come first: documents with one boundary, which score 0 by one
 * error, do not lead.
 */
export function orders(section) {
  section.orders ??= madeOrders(section);
  return section.orders;
}

function madeOrders(section) {
  const { errors } = section.documents;
  const made = [];
  const gaps = disputed(section);
  if (gaps)
    made.push({
      name: "contested boundaries",
      worse: (_, row) => gaps[row],
      value: (_, row) => gaps[row],
      text: (_, row) => String(gaps[row]),
      told: (_, row) => `${gaps[row]} boundaries that some annotators marked and others did not`,
    });
  const wrong = (system, row) => {
    const [missed, extra] = [errors.missed[system]?.[row], errors.false[system]?.[row]];
    return isDefined(missed) ? missed + extra : null;
  };
  if (errors && Object.values(errors.missed).some((counts) => counts.some(isDefined)))
    made.push({
      name: "missed and false boundaries",
      worse: (system, row) => wrong(system, row) ?? -Infinity,
      value: wrong,
      text: (system, row) => (wrong(system, row) === null ? "-" : String(wrong(system, row))),
      told: (system, row) =>
        `${system}: ${errors.missed[system][row]} of ${errors.wanted[row]} boundaries missed, ` +
        `${errors.false[system][row]} false`,
    });
  for (const [system, counts] of Object.entries(section.documents.parted || {}))
    made.push({
      name: `gaps where the runs of ${system} part`,
      worse: (_, row) => counts[row] ?? -Infinity,
      value: (_, row) => counts[row],
      text: (_, row) => String(counts[row] ?? "-"),
      told: (_, row) => `${counts[row]} gaps with a boundary of some runs of ${system} and not of all`,
    });
  const scored = Object.values(section.results.per_document || {})[0] || {};
  for (const [metric, facts] of Object.keys(scored).map((name) => [name, section.results.metrics[name]]))
    made.push({
      name: metric,
      metric,
      worse: (system, row) => badness(facts, scoresOf(section, system, metric)?.[row]),
      value: (system, row) => scoresOf(section, system, metric)?.[row],
      text: (system, row) => shown(scoresOf(section, system, metric)?.[row]),
      told: (system, row) => `${system}, ${metric}: ${scoresOf(section, system, metric)?.[row]}`,
    });
  return made;
}

/** Return the rows of a section's documents from worst to best by an order, equal ones by the main metric. */
export function worstFirst(section, system, order) {
  const rows = section.documents.ids.map((_, row) => row);
  if (!order) return rows;
  const all = orders(section);
  const main = all.find((one) => one.metric && one.metric === section.f1.name) || all.find((one) => one.metric);
  const keys = rows.map((row) => [order.worse(system, row), main ? main.worse(system, row) : 0]);
  return rows.sort((a, b) => keys[b][0] - keys[a][0] || keys[b][1] - keys[a][1] || a - b);
}

/** Return the filters of documents: a name, and whether a row passes, given the system in view. */
export function filters(section) {
  const { errors, fields, alike } = section.documents;
  const made = [["all documents", () => true]];
  if (errors && Object.keys(errors.missed).length) {
    const [missed, extra] = [errors.missed, errors.false].map((table) => (system, row) => table[system]?.[row]);
    made.push(
      ["with missed boundaries", (system, row) => missed(system, row) > 0],
      ["with false boundaries", (system, row) => extra(system, row) > 0],
      ["missed ones only", (system, row) => missed(system, row) > 0 && extra(system, row) === 0],
      ["false ones only", (system, row) => extra(system, row) > 0 && missed(system, row) === 0],
      ["without an error", (system, row) => missed(system, row) === 0 && extra(system, row) === 0],
    );
  }
  const { extra } = section.results;
  if (extra)
    for (const [words, wanted] of [["that the text supports", true], ["that the text does not support", false]])
      made.push([`with extra boundaries ${words}`, (system, row) =>
        extra[system]?.places[section.documents.ids[row]]?.some(([, supported]) => supported === wanted)]);
  const gaps = disputed(section);
  if (gaps) made.push(["contested by annotators", (_, row) => gaps[row] > 0]);
  if (section.documents.systems.length > 1)
    made.push(["contested by systems", (_, row) => new Set(alike[row]).size > 1]);
  const inOrder = (a, b) => String(a).localeCompare(String(b), "en", { numeric: true });
  for (const [field, values] of Object.entries(fields || {}))
    for (const value of [...new Set(values)].sort(inOrder))
      made.push([`${field}: ${sliceName(value)}`, (_, row) => values[row] === value]);
  return made;
}

/** Return the name of a slice without the number that puts thirds of length in order. */
export function sliceName(key) {
  return String(key).replace(/^[123]: (?=up to|\d+ to|more than)/, "");
}

/** Return whether a system is better than, worse than, or other than another on a document, by an order. */
export function stands(section, how, system, other, order, row) {
  const { alike, systems } = section.documents;
  const [first, second] = [system, other].map((name) =>
    systems.indexOf(section.results.runs?.[name]?.runs[0] ?? name),
  );
  if (how === "differ") return alike[row][first] !== alike[row][second];
  const [own, its] = [order.worse(system, row), order.worse(other, row)];
  return how === "better" ? own < its : own > its;
}

/** Return how often a document says some words, in lower case: in its text, titles and names of speakers. */
export function said(document, words) {
  const texts = [document.units || [], (document.titles || []).flat(), [...new Set(document.speakers || [])]];
  return texts.flat().filter((text) => text && text.toLowerCase().includes(words)).length;
}

/** A search through the texts of all documents, which a later one ends. */
export class Search {
  constructor(section, data) {
    this.section = section;
    this.data = data;
    this.turn = 0;
  }

  /** Look for words once nobody types; `tell(rows, read)` gets the rows found and the number of documents read. */
  start(words, tell) {
    this.turn += 1;
    clearTimeout(this.timer);
    if (!words) return;
    const turn = this.turn;
    this.timer = setTimeout(() => this.run(words, tell, turn), PAUSE);
  }

  async run(words, tell, turn) {
    const rows = new Set();
    let row = 0;
    for await (const documents of this.data.all(this.section)) {
      if (this.turn !== turn) return;
      for (const document of documents) {
        if (said(document, words)) rows.add(row);
        row += 1;
      }
      tell(rows, row);
    }
  }
}
