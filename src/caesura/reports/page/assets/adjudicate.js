// Contested places of a document, one after the other: votes in context, and a key for the decision.

import { announce, el, hint, replace } from "./dom.js";
import { Saver } from "./saving.js";

/** A dialog in which the lead decides; every decision is an event, and undo is one too. */
export class Adjudication {
  constructor(server, content, onstate) {
    this.content = content;
    this.at = Math.max(0, content.places.findIndex((place) => !place.decision));
    this.done = [];
    this.body = el("div", {});
    const key = `${content.document}/lead`;
    const told = (kind, text) => this.told(kind, text, onstate);
    this.saver = new Saver(server, key, 0, { onstate: told, onothers: () => {} });
    this.state = el("span", { class: "state saved", text: "Saved" });
    this.node = el(
      "dialog",
      { "aria-label": `Contested places of ${content.document}`, class: "adjudicate" },
      el("h2", { dir: "auto", text: content.document }),
      this.body,
      el("p", {}, this.state),
      el("form", { method: "dialog" }, el("button", { text: "Close" })),
    );
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("close", () => {
      this.saver.flush();
      this.node.remove();
    });
  }

  told(kind, text, onstate) {
    this.state.className = `state ${kind}`;
    this.state.textContent = text;
    onstate(kind, text);
  }

  open() {
    document.body.append(this.node);
    this.node.showModal();
    this.show();
  }

  get place() {
    return this.content.places[this.at];
  }

  show() {
    const { place } = this;
    if (this.gap === undefined) this.gap = place.decision?.gap ?? place.best;
    const votes = new Map(place.votes.map((vote) => [vote.gap, vote.people]));
    const rows = place.units.flatMap((text, step) => {
      const gap = place.first + step;
      const people = votes.get(gap) || [];
      const line = el(
        "div",
        { class: gap === this.gap ? "slot here" : "slot" },
        people.length ? el("b", { text: `${people.length} of ${place.annotators}: ` }) : null,
        people
          .map(([name, title]) => (title ? `${name} “${title}”` : name))
          .map((text) => el("span", { class: "note", dir: "auto", text })),
      );
      const speaker = place.speakers[step];
      const said = el("p", { dir: "auto" }, el("span", { class: "place", text: `${gap + 1} ` }));
      said.append(speaker ? el("b", { text: `${speaker}: ` }) : "", text);
      return [step ? line : null, said];
    });
    const decision = place.decision
      ? `Decided: ${place.decision.gap === null ? "no boundary" : `a boundary at gap ${place.decision.gap}`}${
          place.decision.reason ? ` (${place.decision.reason})` : ""
        }`
      : "Not decided.";
    const button = (text, press) => el("button", { type: "button", class: "quiet", onclick: press, text });
    const field = { type: "text", "aria-label": "Reason", placeholder: "reason (r)", maxlength: "5000", dir: "auto" };
    this.reason = el("input", field);
    this.reason.value = this.words ?? place.decision?.reason ?? "";
    replace(
      this.body,
      hint(`Place ${this.at + 1} of ${this.content.places.length}. ${decision}`),
      el("div", { class: "units" }, rows),
      place.comments.map(([name, gap, text]) => hint(`${name} at gap ${gap}: “${text}”`)),
      el(
        "div",
        { class: "tools" },
        button("Yes (y)", () => this.decide(this.gap)),
        button("No (n)", () => this.decide(null)),
        button("▲ (↑)", () => this.move(-1)),
        button("▼ (↓)", () => this.move(1)),
        this.reason,
        button("Undo (z)", () => this.undo()),
        button("Previous (k)", () => this.go(-1)),
        button("Next (j)", () => this.go(1)),
      ),
    );
    this.node.dataset.place = this.at;
    this.body.setAttribute("tabindex", "-1");
    this.body.focus();
  }

  go(step) {
    const next = this.at + step;
    if (next < 0) return announce("The first place.");
    if (next >= this.content.places.length) return announce("The last place.");
    return this.turn(next);
  }

  turn(at) {
    this.at = at;
    this.gap = undefined;
    this.words = undefined;
    return this.show();
  }

  move(step) {
    const { place } = this;
    this.words = this.reason.value;
    const lowest = Math.max(1, place.first + 1);
    this.gap = Math.max(lowest, Math.min(place.first + place.units.length - 1, this.gap + step));
    this.show();
  }

  send(kind, payload) {
    this.saver.add({ document: this.content.document, kind, payload });
  }

  decide(gap) {
    const { place } = this;
    this.done.push([this.at, place.decision]);
    place.decision = { gaps: place.gaps, gap, reason: this.reason.value.trim() };
    this.send("decision", place.decision);
    if (this.at + 1 < this.content.places.length) this.go(1);
    else this.turn(this.at);
  }

  undo() {
    const last = this.done.pop();
    if (!last) return announce("Nothing to undo.");
    [this.at] = last;
    [, this.place.decision] = last;
    if (this.place.decision) this.send("decision", this.place.decision);
    else this.send("undecided", { gaps: this.place.gaps });
    return this.turn(this.at);
  }

  key(event) {
    if (event.target === this.reason) {
      if (event.key === "Enter") this.body.focus();
      return;
    }
    const actions = {
      y: () => this.decide(this.gap),
      n: () => this.decide(null),
      ArrowUp: () => this.move(-1),
      ArrowDown: () => this.move(1),
      r: () => this.reason.focus(),
      z: () => this.undo(),
      j: () => this.go(1),
      k: () => this.go(-1),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
