// Mean scores of slices of the documents, by a field that they carry or by length, and the tests that were measured.

import { choices, el, grid, hint, replace } from "./dom.js";
import { counted, isDefined, shown } from "./numbers.js";
import { mainMetric, sliceName } from "./picking.js";
import { numbered } from "./recipes.js";

/** Return the mean score of each slice of the documents by a field, or of length. */
export function slices(section) {
  const fields = section.documents?.fields || {};
  const systems = Object.keys(section.results.per_document || {});
  const names = Object.keys(fields);
  if (!names.length || !systems.length) return null;
  const metrics = Object.keys(section.results.per_document[systems[0]]);
  const measured = section.results.slices;
  const place = el("div", { class: "wide" });
  const mean = (system, metric, rows) => {
    const values = rows
      .map((row) => section.results.per_document[system][metric][row])
      .filter(isDefined);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  };
  const paint = ({ field, metric }) => {
    const groups = new Map();
    fields[field].forEach((value, row) => groups.set(value, [...(groups.get(value) || []), row]));
    const keys = [...groups.keys()].sort((a, b) => String(a).localeCompare(String(b), "en", { numeric: true }));
    const cell = (value, text, lines, test, ...parts) =>
      el(
        "td",
        { class: "number", "data-value": value },
        numbered(section, text, lines, ["slices", field, metric, ...parts]),
        test ? [el("br", {}), el("small", { class: "beside", text: test })] : null,
      );
    const head = (text, at) => el("th", { scope: "col", class: at ? "number" : null, text });
    const tests = measured?.field === field ? measured.comparisons : {};
    const tested = (key, system) => {
      const test = (tests[key] || tests[sliceName(key)])?.find((one) => one.first === system && one.metric === metric);
      if (!test || !isDefined(test.difference)) return null;
      const sign = test.difference < 0 ? "−" : "+";
      const words = test.better ? `, ${test.better} better` : "";
      return `${sign}${shown(Math.abs(test.difference))}, p ${shown(test.p_corrected)}${words}`;
    };
    const row = (key) => {
      const [rows, words] = [groups.get(key), `${field} ${sliceName(key)}`];
      const means = systems.map((name) => [name, mean(name, metric, rows)]);
      const over = `over ${counted(rows.length, "document")} with ${words}`;
      return el(
        "tr",
        {},
        el("th", { scope: "row", text: sliceName(key) }),
        cell(
          rows.length,
          String(rows.length),
          () => [`documents with ${words}: ${rows.length}`],
          null,
          ...[key, "documents"],
        ),
        means.map(([name, value]) =>
          cell(
            value,
            shown(value),
            () => [`${name}, mean of ${metric} ${over}: ${value}`, tested(key, name)],
            tested(key, name),
            ...[key, "of", name],
          ),
        ),
      );
    };
    const told = Object.values(tests).some((found) => found.length)
      ? `Below a mean: its difference to ${measured.best}, and p of a paired test, adjusted by Holm's ` +
        "method over slices and systems; it says which is better where p is below 0.05."
      : `Not tested: ${section.results.question} --slice ${field} tests each slice.`;
    const can = ["evaluate", "compare", "bench"].includes(section.results.question) && systems.length > 1;
    const table = grid([field, "documents", ...systems].map(head), keys.map(row));
    replace(place, table, Object.keys(tests).length || can ? hint(told) : null);
  };
  const same = (options) => options.map((name) => [name, name]);
  const { node, set } = choices(
    {
      field: ["Slice by", same(names), names.find((name) => name === measured?.field)],
      metric: ["Mean of", same(metrics), mainMetric(section, metrics)],
    },
    paint,
  );
  section.prepare.slices = (field, metric) => set({ field, metric });
  return el("div", {}, node, place);
}
