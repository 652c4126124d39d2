// Where a number comes from: what was computed, by which command and version, from which files. One click, one copy, one link.

import { copy, el } from "./dom.js";

/** Return the recipe of a number: `lines` say what it is, the rest is how it was made. */
export function recipe(section, lines) {
  const { results } = section;
  return [
    ...lines,
    section.command ? `command: ${section.command}` : null,
    `caesura: ${results.caesura}`,
    results.seed === null || results.seed === undefined ? null : `seed: ${results.seed}`,
    ...Object.entries(results.environment || {}).map(([name, value]) => `${name}: ${value}`),
    ...results.inputs.map((input) => `${input.role} ${input.name}: ${input.file || "no file"}${input.sha256 ? ` sha256:${input.sha256}` : ""}`),
  ].filter((line) => line !== null && line !== undefined).join("\n");
}

/** Show a recipe; `link` is the fragment that opens it again. */
export function openRecipe(text, link) {
  const dialog = el(
    "dialog",
    { class: "recipe", "aria-label": "Recipe" },
    el("pre", { text }),
    el("form", { method: "dialog" }, el("button", { type: "button", onclick: () => copy(text), text: "Copy recipe" }), link ? el("button", { type: "button", onclick: () => copy(new URL(link, location.href).href), text: "Copy link" }) : null, el("button", { text: "Close" })),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Return a number as a button that shows its recipe. */
export function numbered(section, text, lines, link) {
  return el("button", { type: "button", class: "value", title: "Show the recipe", onclick: () => openRecipe(recipe(section, lines()), link), text });
}
