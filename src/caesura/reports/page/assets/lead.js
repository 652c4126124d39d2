// The lead's page: who is how far, what the agreement is now, and where people differ, as it happens.

import { Adjudication } from "./adjudicate.js";
import { announce, el, grid, hint, replace, svg, tip } from "./dom.js";

function hours(seconds) {
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Return a small line of values over documents; the foot is 0, or the lowest value under it. */
function trend(values, label) {
  const known = values.filter((value) => value !== null);
  const foot = Math.min(...known, 0);
  const height = Math.max(...known, 1e-9) - foot;
  const place = (value, at) =>
    `${2 + (at * 96) / Math.max(values.length - 1, 1)},${20 - (18 * (value - foot)) / height}`;
  const points = values.map((value, at) => (value === null ? null : place(value, at))).filter(Boolean);
  const line = svg("polyline", { points: points.join(" "), class: "line series-0" });
  const said = tip(`${label}: ${values.join(", ")}`);
  return svg("svg", { viewBox: "0 0 100 22", class: "trend", role: "img" }, said, line);
}

/** Return the name of a document for a narrow place: of a long one both ends, with all of it as a tip. */
function brief(tag, name, given = {}) {
  const text = name.length > 40 ? `${name.slice(0, 19)}…${name.slice(-20)}` : name;
  return el(tag, { dir: "auto", title: text === name ? null : name, ...given, text });
}

/** The lead's page of a project. */
export class Lead {
  constructor(server, me, dialog) {
    this.server = server;
    this.dialog = dialog;
    this.state = el("span", { class: "state", role: "status" });
    document.querySelector("header").append(this.state);
    document.getElementById("menu").remove();
    document.querySelector(".layout").className = "desk lead";
    this.answer = el("div", { class: "answer" });
    const names = ["alerts", "people", "places", "progress"];
    this.parts = Object.fromEntries(names.map((name) => [name, el("section", { class: `lead-${name}` })]));
    replace(document.getElementById("main"), this.answer, Object.values(this.parts));
  }

  async start() {
    for await (const view of this.views()) {
      this.show(view);
      if (!this.following) {
        this.following = true;
        this.follow();
        return;
      }
    }
  }

  async follow() {
    for (;;) {
      try {
        for await (const view of this.views()) this.show(view);
      } catch (error) {
        this.say("offline", `Not live: ${error.message}`);
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 2000);
      });
    }
  }

  /** Read the server's events; an EventSource cannot send the token in a header. */
  async *views() {
    const answer = await this.server.ask("lead");
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += value;
        const parts = text.split("\n\n");
        text = parts.pop();
        for (const part of parts) if (part.startsWith("data: ")) yield JSON.parse(part.slice(6));
      }
    } finally {
      reader.cancel().catch(() => announce("The server has gone."));
    }
  }

  say(kind, text) {
    this.state.className = `state ${kind}`;
    this.state.textContent = text;
  }

  show(view) {
    this.say("saved", "Live");
    document.body.dataset.number = view.number;
    const spent = Object.values(view.seconds).reduce((sum, each) => sum + each, 0);
    const cells = Object.values(view.status).flat();
    const done = cells.filter((cell) => cell === "done").length;
    const all = cells.filter(Boolean).length;
    const time = spent ? `, in ${hours(spent)} of active time` : "";
    const many = `${done} of ${all} annotations are finished${time}.`;
    replace(
      this.answer,
      el("p", { text: many }),
      view.answer.map((text) => el("p", { text })),
    );
    const { alerts, people, places, progress } = this.parts;
    const warned = view.alerts || [];
    replace(
      alerts,
      warned.map((alert) => el("p", { class: "alert", dir: "auto", text: alert.text })),
      view.course ? this.course(view.course) : null,
      [view.trend, view.anchoring, view.needed].filter(Boolean).map((text) => hint(text)),
    );
    replace(people, view.rows ? [el("h2", { text: "People" }), this.people(view)] : null);
    replace(places, view.places?.length ? [el("h2", { text: "Contested places" }), this.places(view)] : null);
    replace(progress, el("h2", { text: "Progress" }), this.matrix(view));
  }

  /** Return agreement over time as a curve, with its ends as text. */
  course({ name, values }) {
    const ends = `from ${values[0].toFixed(2)} to ${values.at(-1).toFixed(2)}`;
    const said = `${name} of three documents at a time, in the order in which they were finished: ${ends}.`;
    return el("div", { class: "course" }, trend(values, name), hint(said));
  }

  people(view) {
    const again = new Map((view.self || []).map((row) => [row.name, row]));
    const measures = ["per 100 units", "over time", view.by, "over time", "with themselves"];
    const heads = ["Person", "documents", ...measures, "active time"];
    const rows = view.rows.map((row) => {
      const self = again.get(row.name);
      const cells = [
        row.documents,
        row.density,
        trend(row.densities, "boundaries per 100 units"),
        row.agreement,
        trend(row.scores, "agreement with the others"),
        self ? `${self.agreement} (${self.documents})` : "",
        hours(view.seconds[row.name] || 0),
      ];
      const values = cells.map((cell) => el("td", {}, cell ?? ""));
      return el("tr", {}, el("th", { scope: "row", dir: "auto", text: row.name }), values);
    });
    return el("div", { class: "wide" }, grid(heads.map((text) => el("th", { scope: "col", text })), rows));
  }

  places(view) {
    return el(
      "ul",
      { class: "plain" },
      view.places.map((row) =>
        el(
          "li",
          {},
          el("button", { type: "button", class: "quiet", onclick: () => this.decide(row.document), text: "Decide" }),
          " ",
          brief("span", row.document),
          `: ${row.open} of ${row.places} open`,
        ),
      ),
    );
  }

  async decide(document) {
    try {
      const content = await this.server.read(`places?id=${encodeURIComponent(document)}`);
      new Adjudication(this.server, content, (kind, text) => this.say(kind, text)).open();
    } catch (error) {
      announce(error.message);
    }
  }

  matrix(view) {
    const rows = Object.entries(view.status);
    if (!rows.length) return hint("There is no document yet.");
    const signs = { done: "●", begun: "◐", open: "○", "": "" };
    const done = view.people.map((_, at) => rows.filter(([, row]) => row[at] === "done").length);
    const heads = ["Document", ...view.people].map((text) => el("th", { scope: "col", dir: "auto", text }));
    const totals = [
      ["finished", view.people.map((_, at) => done[at])],
      ["active time", view.people.map((name) => hours(view.seconds[name]))],
    ].map(([name, cells]) => {
      const values = cells.map((text) => el("td", { text }));
      return el("tr", {}, el("th", { scope: "row", text: name }), values);
    });
    const body = rows.map(([name, row]) =>
      el(
        "tr",
        {},
        brief("th", name, { scope: "row" }),
        row.map((cell) => el("td", { class: cell || "none", title: cell, text: signs[cell] })),
      ),
    );
    return [
      el("div", { class: "wide matrix" }, grid(heads, [...totals, ...body])),
      hint("● finished, ◐ begun, ○ not begun"),
    ];
  }
}
