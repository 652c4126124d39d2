// A page without a server: documents stand in the file itself, and what is marked is kept in the browser until it is
// saved to a file, which goes back to the lead.

import { el } from "./dom.js";
import { Embedded } from "./source.js";

function checksum(bytes) {
  let value = 2166136261;
  for (const byte of bytes) value = Math.imul(value ^ byte, 16777619) >>> 0;
  return value;
}

/** Answers as the server of a project does, from the file and from what was marked in it. */
export class Mailed {
  constructor() {
    this.parts = new Embedded();
    this.log = [];
  }

  async read(path, body = undefined) {
    if (path === "events") return this.keep(body);
    const content = await this.parts.read(path.replace("/", "-"));
    if (path === "me") return this.begin(content);
    const place = Number(path.split("/")[1]);
    const events = this.log.filter((event) => event.task === place);
    return { ...content, again: events };
  }

  begin(me) {
    this.me = me;
    this.name = `caesura-mailed/${me.project}/${me.person}`;
    try {
      this.log = JSON.parse(localStorage.getItem(this.name) || "[]");
    } catch {
      this.log = []; // no storage: the page says so when it cannot keep something
    }
    for (const { task, kind } of this.log) {
      if (kind === "finish" || kind === "reopen") me.tasks[task].finished = kind === "finish";
    }
    return me;
  }

  keep({ client, events }) {
    const known = new Set(this.log.map((event) => `${event.client} ${event.sequence}`));
    for (const event of events) if (!known.has(`${client} ${event.sequence}`)) this.log.push({ client, ...event });
    try {
      localStorage.setItem(this.name, JSON.stringify(this.log));
    } catch {
      throw new Error("this browser keeps nothing; save the file before you close the page");
    }
    return { saved: events.map((event) => event.sequence), refused: {}, number: 0, others: [] };
  }

  /** Return a button that saves what was marked to a file; `flush()` brings in what is on its way. */
  button(flush) {
    const save = async () => {
      await flush();
      const events = JSON.stringify(this.log);
      const check = checksum(new TextEncoder().encode(events));
      const { project, person, key } = this.me;
      const content = JSON.stringify({ annotate: 1, project, person, key, events, check });
      const url = URL.createObjectURL(new Blob([content], { type: "application/json" }));
      el("a", { href: url, download: `${person.replace(/[^\w.-]/g, "_")}.json` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    };
    return el("button", { type: "button", class: "quiet send", onclick: save, text: "Save file to send back" });
  }
}
