// Where the data come from: blocks inside this page, or a server on this machine. Both have the same two calls.

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function decoded(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export class Embedded {
  async read(name) {
    const node = document.getElementById(name);
    if (!node) throw new Error(`this page has no part ${name}; make it again`);
    return inflated(decoded(node.textContent));
  }
}

class Served {
  constructor(base) {
    this.base = base;
  }

  async read(name) {
    const answer = await fetch(`${this.base}${name}`, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(`${name} could not be read (${answer.status}); is caesura explore still running?`);
    return answer.json();
  }
}

/** The data of a page: the index at once, documents in blocks when they are asked for. */
export class Data {
  constructor() {
    const base = document.body.dataset.served;
    this.parts = base === undefined ? new Embedded() : new Served(base);
    this.blocks = new Map();
  }

  index() {
    return this.parts.read("index");
  }

  /** Load the page again when its results have changed; an answer that does not come ends the asking. */
  async watch() {
    if (document.body.dataset.live === undefined) return;
    try {
      const first = await this.parts.read("version");
      for (let now = first; now === first; now = await this.parts.read("version"))
        await new Promise((done) => setTimeout(done, 2000));
      location.reload();
    } catch {
      // the server has ended
    }
  }

  /** Yield the documents of a section block by block, without keeping them. */
  async *all(section) {
    const { ids, size } = section.documents;
    for (let number = 0; number * size < ids.length; number += 1) {
      const name = `block-${section.place}-${number}`;
      yield await (this.blocks.get(name) || this.parts.read(name));
    }
  }

  async document(section, row) {
    const { size } = section.documents;
    const number = Math.floor(row / size);
    const name = `block-${section.place}-${number}`;
    if (!this.blocks.has(name)) {
      if (this.blocks.size >= 12) this.blocks.delete(this.blocks.keys().next().value);
      this.blocks.set(name, this.parts.read(name));
    }
    try {
      return (await this.blocks.get(name))[row - number * size];
    } catch (error) {
      this.blocks.delete(name); // so that the next call asks again
      throw error;
    }
  }
}
