"use strict";
const WAIT_MS = 150;
let state = null;
const chains = [];

class Chain {
  constructor(text) {
    this.text = text;
    this.stages = [];
    this.due = 0;
    this.heading = make("h2");
    this.input = make("input", { className: "text", value: text, spellcheck: false, placeholder: "no filters" });
    this.input.setAttribute("aria-label", "Filters of this chain, as text");
    this.error = make("p", { className: "error" });
    this.error.setAttribute("role", "alert");
    this.told = make("p", { className: "told" });
    this.values = make("p", { className: "values" });
    this.values.setAttribute("aria-live", "polite");
    const place = make("div", { className: "picture" });
    this.controls = make("div");
    const add = make("select", { ariaLabel: "Filter to add" }, make("option", { value: "", textContent: "Add a filter" }));
    for (const each of state.filters) add.append(make("option", { value: each.name, textContent: each.name, title: each.doc }));
    const remove = make("button", { textContent: "Remove this chain" });
    this.section = make("section", { className: "chain" }, this.heading, this.input, this.error, this.told,
      make("div", { className: "scroll" }, place), this.values, this.controls,
      make("div", { className: "controls" }, add, remove));
    this.picture = new Picture(place, "The frame after this chain", (x, y) => point(x / this.picture.width, y / this.picture.height));
    this.input.addEventListener("change", () => this.read(this.input.value));
    add.addEventListener("change", () => {
      const row = state.filters.find((each) => each.name === add.value);
      add.value = "";
      if (row) this.read([this.text, row.example].filter(Boolean).join(","));
    });
    remove.addEventListener("click", () => {
      chains.splice(chains.indexOf(this), 1);
      this.section.remove();
      remember();
      number();
    });
  }

  /* Take filter text, and show its controls. */
  async read(text) {
    this.text = this.input.value = text;
    try {
      this.stages = await (await ask("chain", { vf: text })).json();
    } catch (error) {
      this.error.textContent = error.message;
      return;
    }
    this.controls.replaceChildren(...this.stages.map((stage, place) => this.fieldset(stage, place)));
    remember();
    await this.show();
  }

  fieldset(stage, place) {
    const away = make("button", { textContent: "Remove" });
    away.addEventListener("click", () => {
      this.stages.splice(place, 1);
      this.read(this.written());
    });
    const legend = make("legend", { textContent: stage.filter || stage.text });
    const made = make("fieldset", {}, legend, away);
    const row = state.filters.find((each) => each.name === stage.filter);
    for (const option of row ? row.options : []) made.append(this.option(stage, place, option));
    return made;
  }

  option(stage, place, option) {
    const name = `${chains.indexOf(this)}-${place}-${option.key}`;
    const label = make("label", { textContent: option.key, title: option.doc, htmlFor: name });
    const set = (value, again = false) => {
      stage.values[option.key] = value;
      this.text = this.input.value = this.written();
      remember();
      clearTimeout(this.due);
      this.due = setTimeout(() => again ? this.read(this.text) : this.show(), WAIT_MS);
    };
    return make("div", { className: "option", title: option.doc }, label, ...asked(option.control, stage.values[option.key], name, set));
  }

  /* Filter text of what the controls say: what is as by default is left out. */
  written() {
    return this.stages.map((stage) => {
      const row = state.filters.find((each) => each.name === stage.filter);
      if (!row) return stage.text;
      const words = row.options.filter((option) => stage.values[option.key] !== option.default)
        .map((option) => `${option.key}=${stage.values[option.key]}`);
      return words.length ? `${row.name}=${words.join(":")}` : row.name;
    }).join(",");
  }

  async show() {
    const shown = `${control("frame").value} ${this.text}`;
    try {
      const told = await this.picture.load("frame", { n: control("frame").value, vf: this.text });
      if (told === null) return;
      this.error.textContent = "";
      const shape = told.aspect[0] === told.aspect[1] ? "" : `, pixels of ${told.aspect.join(":")}`;
      this.picture.aspect = told.aspect[0] / told.aspect[1];
      this.told.textContent = `${told.size.join("x")} ${told.layout}${shape}, at ${told.time_s.toFixed(3)} s, filters took ${told.ms} ms`;
      this.picture.zoom(control("zoom").value);
      this.section.dataset.shown = shown;
      if (at) this.point(...at);
    } catch (error) {
      this.error.textContent = error.message;
    }
  }

  async point(across, down) {
    if (!this.picture.width) return;
    const x = within(Math.floor(across * this.picture.width + 1e-6), this.picture.width);
    const y = within(Math.floor(down * this.picture.height + 1e-6), this.picture.height);
    this.picture.mark(x, y);
    try {
      const found = await (await ask("values", { n: control("frame").value, vf: this.text, x, y })).json();
      this.values.textContent = `x ${x}, y ${y}: ${Object.entries(found).map((pair) => pair.join(" ")).join(", ")}`;
    } catch (error) {
      this.values.textContent = error.message;
    }
  }
}

/* A value for a kind that has had none yet. */
function some(kind) {
  if (kind.type === "either") return some(kind.other);
  if (kind.type === "choice") return kind.names[0];
  return kind.type === "range" ? String(Math.max(kind.low, 0)) : "";
}

/* The elements that ask for a value, which `set` is told as text: something to move, and its number. With a second
   word, controls are to be made anew. */
function asked(kind, value, name, set) {
  if (kind.type === "choice") {
    const made = make("select", { id: name });
    made.append(...kind.names.map((each) => make("option", { textContent: each })));
    made.value = value;
    made.addEventListener("change", () => set(made.value));
    return [made];
  }
  if (kind.type === "either") {
    const named = make("input", { type: "checkbox", checked: value === kind.name, id: name });
    const inner = value === kind.name ? some(kind.other) : value;
    const [first, second] = asked(kind.other, inner, `${name}-other`, (text, again) => {
      named.checked = false;
      set(text, again);
    });
    first.setAttribute("aria-label", `${name.split("-").pop()} other than ${kind.name}`);
    named.addEventListener("change", () => set(named.checked ? kind.name : inner, true));
    const middle = make("span", { className: "middle" }, make("label", {}, named, ` ${kind.name}`), first);
    return second ? [middle, second] : [middle];
  }
  if (kind.type === "range") {
    const slider = make("input", { type: "range", id: name, min: kind.low, max: kind.high, step: kind.step });
    slider.value = value;
    const exact = make("input", { type: "number", step: "any", value });
    exact.setAttribute("aria-label", `${name.split("-").pop()} as a number`);
    slider.addEventListener("input", () => {
      exact.value = slider.value;
      set(slider.value);
    });
    exact.addEventListener("change", () => {
      slider.value = exact.value;
      set(exact.value);
    });
    return [slider, exact];
  }
  const text = make("input", { type: "text", id: name, value });
  text.addEventListener("change", () => set(text.value));
  return [text];
}

let at = null;

function point(across, down) {
  at = [across, down];
  for (const chain of chains) chain.point(across, down);
}

function number() {
  chains.forEach((chain, place) => { chain.heading.textContent = `Chain ${place + 1}`; });
}

async function add(text) {
  const chain = new Chain(text);
  chains.push(chain);
  control("chains").append(chain.section);
  number();
  await chain.read(text);
}

function remember() {
  const words = new URLSearchParams({ n: control("frame").value, zoom: control("zoom").value });
  for (const chain of chains) words.append("vf", chain.text);
  history.replaceState(null, "", `#${words}`);
}

let seeking = 0;

function seek(to) {
  const value = within(Math.round(Number(to) || 0), state.frames);
  control("frame").value = control("number").value = value;
  remember();
  clearTimeout(seeking);
  seeking = setTimeout(() => chains.forEach((chain) => chain.show()), WAIT_MS);
}

async function begin() {
  state = await (await ask("state")).json();
  document.title = `${state.name} - texsamp view`;
  control("name").textContent = state.name;
  control("about").textContent = `${state.about}. Filters are fed ${state.context[0]} frames before the one that is shown, and ${state.context[1]} after it.`;
  for (const name of ["frame", "number"]) control(name).max = state.frames - 1;
  const words = new URLSearchParams(location.hash.slice(1));
  control("zoom").value = words.get("zoom") || "fit";
  if (!control("zoom").value) control("zoom").value = "fit";
  control("frame").value = control("number").value = within(Number(words.get("n")) || 0, state.frames);
  control("frame").addEventListener("input", () => seek(control("frame").value));
  control("number").addEventListener("change", () => seek(control("number").value));
  control("before").addEventListener("click", () => seek(Number(control("frame").value) - 1));
  control("after").addEventListener("click", () => seek(Number(control("frame").value) + 1));
  control("more").addEventListener("click", () => add(chains.length ? chains[chains.length - 1].text : ""));
  control("zoom").addEventListener("change", () => {
    chains.forEach((chain) => chain.picture.zoom(control("zoom").value));
    remember();
  });
  for (const text of words.has("vf") ? words.getAll("vf") : state.chains) await add(text);
  document.body.dataset.ready = "1";
}

begin().catch((error) => { control("error").textContent = error.message; });
