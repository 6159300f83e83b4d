"""The committed results as a picture: processor time over a peer's, one thread, level v3, on a logarithmic scale."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

_LEVEL = " v3"
PEERS: dict[str, tuple[tuple[str, str], ...]] = {
    "scale": (
        ("texsamp lanczos3", "zscale lanczos (ffmpeg binary)"),
        ("texsamp adaptive", "zscale lanczos (ffmpeg binary)"),
    ),
    "sharpen": (("texsamp sharpen=44", "unsharp 5x5"),),
    "deinterlace": (
        ("texsamp madi", "yadif"),
        ("texsamp mcdi, a pan", "yadif"),
        ("texsamp hq", "yadif"),
        ("texsamp bob", "yadif"),
    ),
    "denoise": (("texsamp denoise=auto", "hqdn3d"), ("texsamp denoise=40", "hqdn3d")),
    "color": (
        ("texsamp procamp", "eq="),
        ("texsamp skintone+gamut+tcc+curve+procamp+csc", "eq="),
        ("texsamp csc=format=rgba", "swscale bilinear+accurate"),
    ),
    "convolve": (("texsamp 5x5", "unsharp 5x5"), ("texsamp 15x15", "filter2D 15x15")),
    "decode": (("texsamp", "Pillow"), ("texsamp", "astc-encoder-py")),
    "sample": tuple(
        (f"texsamp v3 {what}", f"llvmpipe {what}")
        for what in (
            "nearest to uint8",
            "bilinear to uint8",
            "trilinear to uint8",
            "aniso16 at 1.78:1 to uint8",
            "aniso16 at 1.78:1, minified to uint8",
            "aniso16 at 12:1 to uint8",
            "bilinear of array to uint8",
            "bilinear of volume to uint8",
            "bilinear of cube to uint8",
        )
    ),
}
"""By file: beginnings of the names of our row and of its peer's, of the same benchmark."""


def _rows(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return [row for row in csv.DictReader(lines) if row["threads"] == "1"]


def ratios(results: Path, names: Iterable[str] = tuple(PEERS)) -> Iterator[tuple[str, float]]:
    """A label and how many times its peer's processor time each benchmark of some files takes."""
    for name in names:
        pairs = PEERS[name]
        rows = _rows(results / f"{name}.csv")
        for title in dict.fromkeys(row["benchmark"] for row in rows):
            of_title = [row for row in rows if row["benchmark"] == title]
            for ours, peer in pairs:
                mine = [row for row in of_title if row["name"] in (ours, ours + _LEVEL)]
                theirs = [row for row in of_title if row["name"].startswith(peer)]
                if mine and theirs:
                    ratio = float(mine[0]["cpu_median_ms"]) / float(theirs[0]["cpu_median_ms"])
                    label = ours.removeprefix("texsamp").replace(_LEVEL, "").strip()
                    yield f"{title}: {label} / {peer.rstrip('=')}" if label else f"{title} / {peer}", ratio


def plot(results: Path, picture: Path) -> None:
    """Draw the bars. Needs matplotlib (the extra plot)."""
    from matplotlib.figure import Figure

    bars = list(ratios(results))[::-1]
    figure = Figure(figsize=(10, 0.28 * len(bars) + 1), layout="constrained")
    axes = figure.add_subplot()
    colors = ["tab:green" if ratio <= 1 else "tab:red" for _, ratio in bars]
    axes.barh([label for label, _ in bars], [ratio for _, ratio in bars], color=colors)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=1)
    on_white = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    axes.bar_label(axes.containers[0], [f"{ratio:.2f}" for _, ratio in bars], padding=3, fontsize=8, bbox=on_white)
    axes.tick_params(labelsize=8)
    axes.set_xlabel("processor time over the peer's (shorter is faster)\none thread, x86-64-v3", fontsize=8)
    axes.margins(x=0.1, y=0.01)
    figure.savefig(picture, dpi=100)
