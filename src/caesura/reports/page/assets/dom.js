// Elements made by hand. Text is always set as text: nothing from a document is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "text") node.textContent = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** Return an HTML element. Attributes that begin with "on" are listeners. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an SVG element. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Replace everything inside a node. */
export function replace(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** Return the width of a drawing: as wished, or that of a phone, so that its text stays readable. */
export function narrow(wanted) {
  return innerWidth < 700 ? Math.min(wanted, Math.max(280, innerWidth - 30)) : wanted;
}

/** Return a remark under what it explains. */
export function hint(...children) {
  return el("p", { class: "hint" }, children);
}

/** Return a table with one row of column heads. */
export function grid(heads, rows, caption = null) {
  return el("table", {}, caption, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows));
}

/** Return a SVG title, which a mouse and a screen reader find. */
export function tip(text) {
  return svg("title", { text });
}

/** Return a select box; options are [value, text]. */
export function choice(label, options, value, onchange) {
  const select = el("select", { onchange: (event) => onchange(event.target.value) });
  for (const [key, text] of options) select.append(el("option", { value: key, selected: key === value, text }));
  return el("label", { class: "field" }, el("span", { text: label }), select);
}

/**
 * Return select boxes in a row. `fields` has for each name a label and options; `paint(values)` is called at once and
 * after every change, and `set(values)` chooses from outside, such as from a link.
 */
export function choices(fields, paint) {
  const values = Object.fromEntries(
    Object.entries(fields).map(([name, [, options, first]]) => [name, first ?? options[0][0]]),
  );
  const boxes = Object.entries(fields).map(([name, [label, options]]) => [
    name,
    choice(label, options, values[name], (value) => {
      values[name] = value;
      paint(values);
    }),
  ]);
  const set = (given) => {
    for (const [name, box] of boxes) {
      const found = fields[name][1].some(([key]) => key === given[name]);
      if (found) values[name] = box.querySelector("select").value = given[name];
    }
    paint(values);
  };
  paint(values);
  return {
    node: el(
      "div",
      { class: "tools" },
      boxes.filter(([name]) => fields[name][1].length > 1).map(([, box]) => box),
    ),
    set,
  };
}

/** Let a mark be pressed, by mouse and by keyboard. */
export function pressable(node, press) {
  node.setAttribute("role", "button");
  node.setAttribute("tabindex", "-1");
  node.addEventListener("click", press);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  });
}

/** Make the marks of a chart one stop of the Tab key; arrows go from mark to mark. */
export function oneStop(chart) {
  const marks = [...chart.querySelectorAll("[role=button]")];
  marks[0]?.setAttribute("tabindex", "0");
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  chart.addEventListener("keydown", (event) => {
    const at = marks.indexOf(event.target);
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const next = marks[Math.max(0, Math.min(marks.length - 1, at + steps[event.key]))];
    marks[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/** Make the buttons of a table one stop of the Tab key; arrows go from cell to cell. */
export function gridStop(table) {
  const seen = (row) => [...row.querySelectorAll("button")].filter((one) => one.offsetParent);
  const cells = () => [...table.rows].map(seen);
  for (const button of table.querySelectorAll("button")) button.setAttribute("tabindex", "-1");
  table.querySelector("button")?.setAttribute("tabindex", "0");
  table.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    if (!(event.key in steps)) return;
    const rows = cells().filter((row) => row.length);
    const at = rows.findIndex((row) => row.includes(event.target));
    if (at < 0) return;
    event.preventDefault();
    const [down, right] = steps[event.key];
    const row = rows[Math.max(0, Math.min(rows.length - 1, at + down))];
    const next = row[Math.max(0, Math.min(row.length - 1, rows[at].indexOf(event.target) + right))];
    for (const button of table.querySelectorAll("button[tabindex='0']")) button.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/** Return a box to tick. */
export function tick(label, value, onchange) {
  const box = el("input", { type: "checkbox", onchange: (event) => onchange(event.target.checked) });
  box.checked = value;
  return el("label", { class: "field tick" }, box, el("span", { text: label }));
}

/** Copy text; browsers that keep the clipboard from pages on disk are asked the old way. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = el("textarea", { class: "offscreen", "aria-hidden": "true" });
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
  announce("Copied.");
}

/** Say something to everybody, screen readers included, for a moment. */
export function announce(text) {
  const place = document.getElementById("announce");
  place.textContent = text;
  place.classList.add("shown");
  setTimeout(() => place.classList.remove("shown"), 1600);
}

/** Return a button that copies what `text()` returns. */
export function copyButton(label, text) {
  return el("button", { type: "button", class: "quiet", onclick: () => copy(text()), text: label });
}
