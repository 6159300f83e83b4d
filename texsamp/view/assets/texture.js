"use strict";
const names = ["level", "layer", "face", "channels", "low", "high", "zoom"];
let state = null, picture = null;

function words() {
  const asked = {};
  for (const name of ["level", "layer", "face", "channels", "low", "high"]) asked[name] = control(name).value;
  return asked;
}

async function show() {
  const level = Number(control("level").value), layers = state.layers[level], shown = words();
  control("layer").max = layers - 1;
  shown.layer = control("layer").value;
  control("level-told").textContent = `${level} of ${state.sizes.length}`;
  control("layer-told").textContent = `${control("layer").value} of ${layers}`;
  control("layer-asked").hidden = Math.max(...state.layers) === 1;
  history.replaceState(null, "", "#" + new URLSearchParams({ ...shown, zoom: control("zoom").value }));
  try {
    const told = await picture.load("picture", shown);
    if (told === null) return;
    control("error").textContent = "";
    control("told").textContent = `${told.size.join("x")} texels of ${told.dtype}`;
    picture.zoom(control("zoom").value);
    document.body.dataset.shown = new URLSearchParams(shown);
    if (picture.at) point(...picture.at);
  } catch (error) {
    control("error").textContent = error.message;
  }
}

async function point(x, y) {
  picture.mark(x, y);
  const [column, row] = picture.at;
  try {
    const found = await (await ask("values", { ...words(), x: column, y: row })).json();
    control("values").textContent = `x ${column}, y ${row}: ${Object.entries(found).map((pair) => pair.join(" ")).join(", ")}`;
  } catch (error) {
    control("values").textContent = error.message;
  }
}

async function begin() {
  state = await (await ask("state")).json();
  document.title = `${state.name} - texsamp view`;
  control("name").textContent = state.name;
  control("about").textContent = [state.about, ...state.notes].join(". ");
  picture = new Picture(control("picture"), "The picture that is chosen above", point);
  control("level").max = state.sizes.length - 1;
  control("face-asked").hidden = !state.faces.length;
  for (const each of state.faces) control("face").append(make("option", { textContent: each }));
  for (const each of state.channels) control("channels").append(make("option", { textContent: each }));
  [control("low").value, control("high").value] = state.range;
  control("layer").max = Math.max(...state.layers) - 1;
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of names) {
    const before = control(name).value;
    if (given.has(name)) control(name).value = given.get(name);
    if (control(name).value === "" && before !== "") control(name).value = before;
    control(name).addEventListener(name === "low" || name === "high" ? "change" : "input", () => {
      if (name === "zoom") picture.zoom(control("zoom").value);
      show();
    });
  }
  await show();
  document.body.dataset.ready = "1";
}

begin().catch((error) => { control("error").textContent = error.message; });
