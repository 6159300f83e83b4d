"use strict";
const control = (name) => document.getElementById(name);
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/* The answer to a question, or an error whose message is the server's. */
async function ask(what, words = {}, signal = undefined) {
  const answer = await fetch(`${what}?${new URLSearchParams(words)}`, { signal });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

const within = (value, end) => Math.max(0, Math.min(end - 1, value));

/* A picture from the server with a marker that pointer and arrow keys move; `moved(x, y)` is told where to. */
class Picture {
  constructor(place, label, moved) {
    this.place = place;
    this.image = make("img", { alt: label, tabIndex: 0 });
    this.marker = make("div", { className: "marker", hidden: true });
    this.at = null;
    this.loading = null;
    this.aspect = 1;
    this.moved = moved;
    place.append(this.image, this.marker);
    this.image.addEventListener("pointermove", (event) => {
      const box = this.image.getBoundingClientRect();
      this.move(Math.floor((event.clientX - box.left) * this.width / box.width),
                Math.floor((event.clientY - box.top) * this.height / box.height));
    });
    this.image.addEventListener("keydown", (event) => {
      if (!STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      const by = event.shiftKey ? 10 : 1, [x, y] = this.at || [0, 0];
      this.move(x + by * STEPS[event.key][0], y + by * STEPS[event.key][1]);
    });
  }

  get width() { return this.image.naturalWidth; }
  get height() { return this.image.naturalHeight; }

  move(x, y) {
    if (!this.width) return;
    const to = [within(x, this.width), within(y, this.height)];
    if (this.at && to[0] === this.at[0] && to[1] === this.at[1]) return;
    this.moved(...to);
  }

  mark(x, y) {
    this.at = [within(x, this.width), within(y, this.height)];
    this.marker.hidden = false;
    const percent = (value, whole) => `${100 * value / whole}%`;
    Object.assign(this.marker.style, {
      left: percent(this.at[0], this.width), top: percent(this.at[1], this.height),
      width: percent(1, this.width), height: percent(1, this.height),
    });
  }

  /* The size of a pixel, or "fit" for the whole picture; pixels that are not square are as wide as players show them. */
  zoom(value) {
    this.place.classList.toggle("fit", value === "fit");
    this.place.style.setProperty("--shape", this.width * this.aspect / this.height);
    this.image.style.width = value === "fit" ? "" : `${this.width * this.aspect * value}px`;
    this.image.style.height = value === "fit" ? "" : `${this.height * value}px`;
  }

  /* Show the answer to a question; what the server tells beside it, or null if another came meanwhile. */
  async load(what, words) {
    if (this.loading) this.loading.abort();
    const mine = this.loading = new AbortController();
    this.place.classList.add("waiting");
    try {
      const answer = await ask(what, words, mine.signal);
      const address = URL.createObjectURL(await answer.blob()), before = this.image.src;
      this.image.src = address;
      await this.image.decode();
      if (before) URL.revokeObjectURL(before);
      return JSON.parse(answer.headers.get("X-Texsamp"));
    } catch (error) {
      if (mine.signal.aborted) return null;
      throw error;
    } finally {
      if (this.loading === mine) this.place.classList.remove("waiting");
    }
  }
}
