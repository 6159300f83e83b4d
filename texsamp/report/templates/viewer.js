"use strict";
const frames = JSON.parse(document.getElementById("data").textContent);
const control = (name) => document.getElementById(name);
const names = ["frame", "mode", "wipe", "zoom", "gain"];
const canvas = control("picture"), context = canvas.getContext("2d", { willReadFrequently: true });
const FLICKER_MS = 500;
let pixels = [], at = null, turn = 0, loading = 0;

function load(address) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const whole = document.createElement("canvas");
      whole.width = image.width;
      whole.height = image.height;
      const drawing = whole.getContext("2d");
      drawing.drawImage(image, 0, 0);
      resolve(drawing.getImageData(0, 0, image.width, image.height));
    };
    image.onerror = reject;
    image.src = address;
  });
}

function difference(a, b, gain) {
  const made = new ImageData(a.width, a.height);
  for (let i = 0; i < a.data.length; i += 4) {
    for (let c = 0; c < 3; ++c) made.data[i + c] = Math.abs(a.data[i + c] - b.data[i + c]) * gain;
    made.data[i + 3] = 255;
  }
  return made;
}

function measure(shown) {
  const bars = control("histogram").getContext("2d"), waves = control("waveform").getContext("2d");
  const counts = [0, 1, 2].map(() => new Uint32Array(256)), wave = new Uint32Array(256 * 256);
  for (let i = 0; i < shown.data.length; i += 4) {
    const [r, g, b] = shown.data.subarray(i, i + 3);
    for (let c = 0; c < 3; ++c) ++counts[c][shown.data[i + c]];
    const luma = Math.round(0.2126 * r + 0.7152 * g + 0.0722 * b);
    ++wave[256 * (255 - luma) + Math.floor((i / 4 % shown.width) * 256 / shown.width)];
  }
  const most = Math.max(1, ...counts.map((each) => Math.max(...each)));
  bars.globalCompositeOperation = "source-over";
  bars.fillStyle = "#000";
  bars.fillRect(0, 0, 256, 120);
  bars.globalCompositeOperation = "lighter";
  ["#f00", "#0f0", "#00f"].forEach((color, c) => {
    bars.fillStyle = color;
    counts[c].forEach((n, x) => bars.fillRect(x, 120, 1, -120 * Math.sqrt(n / most)));
  });
  const picture = waves.createImageData(256, 256), per = 510 / Math.sqrt(Math.max(1, shown.height));
  wave.forEach((n, at) => {
    const light = per * Math.sqrt(n);
    picture.data.set([light / 2, light, light / 2, 255], 4 * at);
  });
  waves.putImageData(picture, 0, 0);
  control("histogram").dataset.most = most;
}

function draw() {
  if (pixels.length !== 2) return;
  const [a, b] = pixels, mode = control("mode").value, zoom = Number(control("zoom").value);
  canvas.width = a.width;
  canvas.height = a.height;
  canvas.style.width = `${a.width * zoom}px`;
  canvas.style.height = `${a.height * zoom}px`;
  if (mode === "difference") {
    context.putImageData(difference(a, b, Number(control("gain").value)), 0, 0);
  } else if (mode === "wipe") {
    const border = Math.round(a.width * Number(control("wipe").value) / 100);
    context.putImageData(b, 0, 0);
    if (border) context.putImageData(a, 0, 0, 0, 0, border, a.height);
  } else {
    context.putImageData(mode === "distorted" || (mode === "flicker" && turn) ? b : a, 0, 0);
  }
  canvas.dataset.drawn = mode;
  measure(context.getImageData(0, 0, a.width, a.height));
}

function tell() {
  if (at === null || pixels.length !== 2) return;
  const shown = frames[control("frame").value], i = 4 * (at.y * pixels[0].width + at.x);
  const values = pixels.map((p) => Array.from(p.data.slice(i, i + 3)).join(" "));
  const told = [`${canvas.dataset.reference} ${values[0]}`, `${canvas.dataset.distorted} ${values[1]}`];
  const sides = shown.reference ? told : told.slice(1);
  control("values").textContent = `x ${shown.x + at.x}, y ${shown.y + at.y}: ${sides.join(", ")} (8-bit RGB)`;
}

async function choose() {
  const shown = frames[control("frame").value], mine = ++loading;
  const loaded = await Promise.all([load(shown.reference || shown.distorted), load(shown.distorted)]);
  if (mine !== loading) return;
  pixels = loaded;
  control("overview").hidden = !shown.overview;
  if (shown.overview) control("overview").src = shown.overview;
  control("where").textContent = `${shown.label}: ${shown.width}x${shown.height} pixels from x ${shown.x}, ` +
    `y ${shown.y} of ${shown.total_width}x${shown.total_height}.`;
  draw();
  tell();
}

function remember() {
  history.replaceState(null, "", "#" + names.map((name) => `${name}=${control(name).value}`).join("&"));
}

for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  if (names.includes(name)) control(name).value = value;
}
if (!frames[control("frame").value]) control("frame").value = 0;
for (const name of names) {
  control(name).addEventListener("input", () => {
    remember();
    if (name === "frame") choose();
    else draw();
  });
}
canvas.addEventListener("pointermove", (event) => {
  const box = canvas.getBoundingClientRect();
  at = {
    x: Math.min(canvas.width - 1, Math.max(0, Math.floor((event.clientX - box.left) * canvas.width / box.width))),
    y: Math.min(canvas.height - 1, Math.max(0, Math.floor((event.clientY - box.top) * canvas.height / box.height))),
  };
  tell();
});
canvas.addEventListener("keydown", (event) => {
  const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!move) return;
  event.preventDefault();
  at = at || { x: 0, y: 0 };
  at = {
    x: Math.min(canvas.width - 1, Math.max(0, at.x + move[0])),
    y: Math.min(canvas.height - 1, Math.max(0, at.y + move[1])),
  };
  tell();
});
setInterval(() => {
  turn = 1 - turn;
  if (control("mode").value === "flicker") draw();
}, FLICKER_MS);
choose();
