// Events on their way to the project: kept in this browser until the server has them on disk, sent in order, each of
// them once. An event carries the id of its page and a number, so that sending it again does no harm.

const STEP = 400; // ms between an action and its sending: several keys share a commit
const BATCH = 1000; // events of one request; a day without a connection has more

/** What the server said, as an error with its status; 0 if there was no answer. */
export class Answered extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The server of a project, asked with the token of a link. */
export class Server {
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  async ask(path, body = undefined, options = {}) {
    const headers = { Authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let answer;
    try {
      answer = await fetch(`${this.base}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "omit",
        ...options,
      });
    } catch {
      throw new Answered(0, "no connection to the server");
    }
    if (answer.ok) return answer;
    let said = `the server answered ${answer.status}`;
    try {
      said = (await answer.json()).error || said;
    } catch {
      // no JSON: the status alone
    }
    throw new Answered(answer.status, said);
  }

  async read(path, body = undefined, options = {}) {
    return (await this.ask(path, body, options)).json();
  }
}

function fresh() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Where events wait: the browser's storage, or the memory of the page if there is none. */
class Kept {
  constructor(name) {
    this.name = name;
    this.memory = new Map();
  }

  put(key, value) {
    try {
      if (value === null) localStorage.removeItem(`${this.name}${key}`);
      else localStorage.setItem(`${this.name}${key}`, JSON.stringify(value));
      this.memory.delete(key);
      return true;
    } catch {
      this.memory.set(key, value);
      return false;
    }
  }

  /** Return what pages that are gone, or other tabs, left here. */
  others(own) {
    const found = [];
    try {
      for (let at = 0; at < localStorage.length; at += 1) {
        const key = localStorage.key(at);
        if (!key.startsWith(this.name) || key === `${this.name}${own}`) continue;
        const events = JSON.parse(localStorage.getItem(key));
        if (Array.isArray(events)) found.push([key.slice(this.name.length), events]);
      }
    } catch {
      // no storage: nothing was left
    }
    return found;
  }
}

/** Sends the events of a page; `onstate(kind, text)` learns of it, `onothers(events)` gets what other tabs did. */
export class Saver {
  constructor(server, name, known, { onstate, onothers }) {
    this.server = server;
    this.kept = new Kept(`caesura/${name}/`);
    this.client = fresh();
    this.sequence = 0;
    this.known = known;
    this.queue = [];
    this.onstate = onstate;
    this.onothers = onothers;
    this.wait = 1000;
    this.timer = null;
    this.sending = false;
    this.older = 0;
    this.trouble = null;
    addEventListener("online", () => this.flush());
    addEventListener("beforeunload", (leave) => {
      if (this.trouble?.status === 0) leave.preventDefault(); // the page would not come back; the browser asks
    });
    addEventListener("pagehide", () => this.flush(true));
    document.addEventListener("visibilitychange", () => this.flush(document.hidden));
  }

  /** Send what earlier pages of this person could not; their ids keep it from counting twice. */
  async recover() {
    this.older = 0;
    for (const [client, events] of this.kept.others(this.client)) {
      try {
        for (let from = 0; from < events.length; from += BATCH)
          await this.server.read("events", { client, events: events.slice(from, from + BATCH), known: 0 });
        // Another tab may have added to it meanwhile; then it stays, and counts once all the same.
        const [, now] = this.kept.others(this.client).find(([other]) => other === client) || [null, []];
        if (now.length === events.length) this.kept.put(client, null);
      } catch (error) {
        this.older += events.length; // it stays here for the next time
        this.failed(error);
        if (!this.timer) this.timer = setTimeout(() => this.flush(), this.wait);
      }
    }
  }

  add(event) {
    this.sequence += 1;
    this.queue.push({ sequence: this.sequence, ...event });
    this.safe = this.kept.put(this.client, this.queue);
    if (this.trouble) this.complain(); // until a save succeeds
    else this.tell("saving", "Saving…");
    if (!this.timer) this.timer = setTimeout(() => this.flush(), STEP);
  }

  tell(kind, text) {
    this.onstate(kind, text);
  }

  async flush(leaving = false) {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.sending && !leaving) return;
    const events = this.queue.slice(0, BATCH);
    this.sending = true;
    try {
      if (this.older && !leaving) await this.recover();
      const body = { client: this.client, events, known: this.known };
      const answer = await this.server.read("events", body, leaving ? { keepalive: true } : {});
      this.settle(answer);
    } catch (error) {
      this.failed(error);
    } finally {
      this.sending = false;
    }
    if ((this.queue.length || this.older) && !this.timer) this.timer = setTimeout(() => this.flush(), this.wait);
  }

  settle(answer) {
    const settled = new Set([...answer.saved, ...Object.keys(answer.refused).map(Number)]);
    this.queue = this.queue.filter((event) => !settled.has(event.sequence));
    this.kept.put(this.client, this.queue.length ? this.queue : null);
    this.known = answer.number;
    this.wait = STEP;
    this.trouble = null;
    if (answer.others.length) this.onothers(answer.others);
    const refused = Object.values(answer.refused);
    if (refused.length) this.tell("failed", `Not saved: ${refused[0]}`);
    else if (!this.queue.length && !this.older) this.tell("saved", "Saved");
  }

  failed(error) {
    this.trouble = error;
    this.wait = Math.min(15000, Math.max(1000, this.wait * 2));
    this.complain();
  }

  complain() {
    const { trouble } = this;
    const many = this.queue.length + this.older;
    const where = this.safe === false ? "keep this page open" : "kept in this browser";
    const waiting = many ? `${many} change${many === 1 ? "" : "s"} not sent yet, ${where}` : "nothing waits";
    if (trouble.status === 0) this.tell("offline", `Offline: ${waiting}; do not reload now`);
    else this.tell("failed", `Not saved (${trouble.message}): ${waiting}`);
  }
}
