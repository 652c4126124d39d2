// Where a number comes from: what was computed, by which command and version, from which files.

import { copy, el, pressable } from "./dom.js";

/** Return how the numbers of a section were made, line by line. */
function made(section) {
  const { results } = section;
  return [
    section.command ? `command: ${section.command}` : null,
    `caesura: ${results.caesura}`,
    results.seed === null || results.seed === undefined ? null : `seed: ${results.seed}`,
    ...Object.entries(results.environment || {}).map(([name, value]) => `${name}: ${value}`),
    ...results.inputs.map(
      (input) =>
        `${input.role} ${input.name}: ${input.file || "no file"}${input.sha256 ? ` sha256:${input.sha256}` : ""}`,
    ),
  ];
}

/** Show what a number is, in words, and below it how it was made; `lines` say what it is. */
function show(section, lines, link) {
  const [first, ...others] = lines.filter(Boolean);
  const text = [first, ...others, ...made(section)].filter(Boolean).join("\n");
  const words = others.filter((line) => !/^[\w ]*signature/.test(line));
  for (const other of document.querySelectorAll("dialog.recipe")) other.close();
  const dialog = el(
    "dialog",
    { class: "recipe", "aria-label": "Recipe" },
    el("h2", { text: first }),
    words.map((line) => el("p", { text: line })),
    el("details", {}, el("summary", { text: "How it was made" }), el("pre", { text })),
    el(
      "form",
      { method: "dialog" },
      el("button", { type: "button", onclick: () => copy(text), text: "Copy recipe" }),
      link
        ? el("button", { type: "button", onclick: () => copy(new URL(link, location.href).href), text: "Copy link" })
        : null,
      el("button", { text: "Close" }),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Return the link to something in a section: the block, then where in it. */
export function linkTo(section, ...parts) {
  return `#${section.place + 1}/${parts.map(encodeURIComponent).join("/")}`;
}

/** Return what shows the recipe of a number on `node`, which its link finds: `key` has the parts of the link. */
function shows(node, section, lines, key) {
  const link = key ? linkTo(section, ...key) : null;
  if (link) node.dataset.link = link;
  return () => show(section, lines(), link);
}

/** Return a number as a button that shows its recipe. */
export function numbered(section, text, lines, key) {
  const node = el("button", { type: "button", class: "value", title: "Show the recipe", text });
  node.addEventListener("click", shows(node, section, lines, key));
  return node;
}

/** Let the mark of a chart show the recipe of its number. */
export function recipeMark(node, section, lines, key) {
  pressable(node, shows(node, section, lines, key));
}

/** Let a row of a list show the recipe of its number; it is focused by its list. */
export function openRecipe(section, lines) {
  show(section, lines(), null);
}

const NUMBER = /(?<![\w.,/-])[+\u2212-]?\d+(?:[.,]\d+)*(?: %)?(?![\w/-])/g;

/** Return a sentence in which every number shows its recipe: the sentence itself, and how it was measured. */
export function told(section, sentence, key) {
  const parts = [];
  let from = 0;
  for (const [at, found] of [...sentence.matchAll(NUMBER)].entries()) {
    // Not a button element: that would break the line before a bracket.
    const node = el("span", { class: "value", title: "Show the recipe", text: found[0] });
    recipeMark(node, section, () => [sentence], key && [...key, at + 1]);
    node.setAttribute("tabindex", "0");
    parts.push(sentence.slice(from, found.index), node);
    from = found.index + found[0].length;
  }
  return el("span", { class: "told" }, parts, sentence.slice(from));
}

/** Go to a number by its link, and show its recipe; nothing happens if there is none. */
export function follow(link) {
  const node = document.querySelector(`[data-link="${CSS.escape(link)}"]`);
  if (!node) return;
  node.closest(".brief")?.classList.remove("brief");
  for (let at = node.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  node.scrollIntoView({ block: "center" });
  node.dispatchEvent(new MouseEvent("click"));
}
