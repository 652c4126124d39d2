// A recording beside a document whose units have times: what is played is where the marks go, and the other way round.

import { announce, el, replace } from "./dom.js";

const BACK = 5; // s

/** The player of a document. `source` is the address of its recording, if the project has it; `go(gap)` follows it. */
export class Playing {
  constructor(times, source, go) {
    this.times = times;
    this.go = go;
    this.at = 0;
    this.holder = el("div", { class: "sound" });
    const input = el("input", {
      type: "file",
      accept: "audio/*,video/*",
      onchange: () => {
        const [file] = input.files;
        if (!file) return;
        this.release();
        this.own = URL.createObjectURL(file);
        this.load(this.own, file.type.startsWith("video"));
      },
    });
    const choose = el("label", { class: "field" }, el("span", { text: "Recording" }), input);
    this.node = el("div", { class: "playing-bar" }, this.holder, source ? null : choose);
    if (source) this.load(source.address, source.video);
  }

  load(address, video) {
    this.media = el(video ? "video" : "audio", {
      controls: true,
      preload: "metadata",
      src: address,
      ontimeupdate: () => this.follow(),
      onerror: () => announce("The recording cannot be played."),
    });
    replace(this.holder, this.media);
  }

  /** Return the unit that is played at a time: the last one that has begun. */
  unitAt(seconds) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle][0] <= seconds) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Take the marks along while it plays: the gap is the one before the unit that is heard. */
  follow() {
    if (this.media.paused && !this.media.seeking) return;
    const unit = this.unitAt(this.media.currentTime);
    if (unit === this.at) return;
    this.at = unit;
    if (unit) this.go(unit);
  }

  /** Play from a gap, where somebody went by hand. */
  seek(gap) {
    if (!this.media || gap === this.at) return;
    this.at = gap;
    this.media.currentTime = this.times[gap][0];
  }

  skip(step) {
    if (!this.media) return this.lacking();
    this.media.currentTime = Math.max(0, this.media.currentTime + step * BACK);
    const unit = this.unitAt(this.media.currentTime);
    this.at = unit;
    return this.go(Math.max(1, unit));
  }

  toggle() {
    if (!this.media) return this.lacking();
    if (!this.media.paused) return this.media.pause();
    return this.media.play().catch(() => announce("The recording cannot be played."));
  }

  /** Return whether somebody listens, who is active without a key. */
  get sounds() {
    return Boolean(this.media) && !this.media.paused;
  }

  lacking() {
    announce("Choose the recording first.");
  }

  release() {
    this.media?.pause();
    if (this.own) URL.revokeObjectURL(this.own);
    this.own = null;
  }
}
