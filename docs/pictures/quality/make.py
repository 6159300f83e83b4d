"""Make docs/quality.md and its pictures: ``python -m docs.pictures.quality.make`` in a checkout.

Clips, scores and peers are the benchmarks' (`benchmarks.judged`, `benchmarks.judged_film`), of seeds to test by. Parts
of Big Buck Bunny (c) 2008 Blender Foundation, www.bigbuckbunny.org, Creative Commons Attribution 3.0, may be among
them.
"""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import av
import numpy as np
from PIL import Image

from benchmarks.clips import to_texsamp
from benchmarks.judged import MODES, PEERS, VAPOURSYNTH_PEERS, Score, frames_of, ours, peer, score
from benchmarks.judged_clips import CLASSES, COMPRESSED, Clip, clip, seeds
from benchmarks.judged_film import FilmRow, judged_film
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.pipeline import Pipeline

SHOWN = ("source", "yadif", "bwdif", "madi", "hq")
ALL = (*PEERS, *MODES)
BOX_PX = 132, 108
GAP_PX, SCALE = 4, 2
CLIPS = 1
PICTURE = 12
"""The picture of a clip that is shown."""
CONTENTS = {
    "ticker": "A band of text that goes to the left.",
    "credits": "Text that goes up or down, half a line to four lines a field.",
    "wheels": "Spokes that turn.",
    "diagonals": "Lines at shallow angles that drift.",
    "hand camera": "A camera in a hand.",
    "occlusion": "A texture that goes over another.",
    "still": "Detail that stands.",
    "2:2": "25 pictures a second in 50 fields, without film mode.",
}
FILM_SHOWN = ("source", "yadif", "bwdif", "madi", "hq", "madi, film=auto")
TOLERATED_DB = 0.3
"""How much worse `hq` may be than `madi` where it is still advised."""
BEHIND = {"PSNR-Y, dB": 0.2, "SSIMULACRA2": 0.0}
"""How far `hq` may be behind the best of the peers, or behind bwdif."""
HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "quality.md"
JUDGED = HERE.parents[2] / "benchmarks" / "results" / "judged.csv"

HEAD = """# Which filter? Pictures side by side

`python -m docs.pictures.quality.make` made this page. Clips are of the test half of the seeds:
thresholds were fitted on the other half, though results on this one were read on the way. What a class holds is in
`benchmarks/judged_clips.py`. Figures are mean PSNR-Y in dB against the pictures the fields were taken from, at field
rate; in brackets the rms of the change of the error from picture to picture, in levels: how much it shimmers.
Pictures are shown at twice their size, from left to right {shown}.
"""


def made_by(name: str, truth: Clip, frames: list[av.VideoFrame]) -> list[np.ndarray]:
    """Both fields of a clip by a method, or the source itself."""
    if name == "source":
        return list(truth)
    return peer(name, frames) if name in PEERS else ours(name, frames)


def busiest(results: Sequence[np.ndarray]) -> tuple[int, int]:
    """Left and top of the part on which methods differ most from the source, which comes first."""
    source = results[0].astype(np.float64)
    errors = np.mean([np.abs(r - source) for r in results[1:]], axis=0)
    sums = np.pad(errors.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    width, height = BOX_PX
    parts = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    top, left = np.unravel_index(int(parts.argmax()), parts.shape)
    return int(left), int(top)


def save(name: str, results: Sequence[np.ndarray]) -> str:
    """The same part of all of them side by side; returns the link."""
    left, top = busiest(results)
    parts = [r[top : top + BOX_PX[1], left : left + BOX_PX[0]] for r in results]
    gap = np.full((BOX_PX[1], GAP_PX // SCALE), 255, np.uint8)
    row = np.concatenate([piece for part in parts for piece in (gap, part)][1:], axis=1)
    file = HERE / f"{name.replace(' ', '_').replace(':', '_')}.jpg"
    Image.fromarray(row.repeat(SCALE, 0).repeat(SCALE, 1)).save(file, quality=80)
    return f"![{name}](pictures/quality/{file.name})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _told(found: Score) -> str:
    return f"{found.psnr_dB:.1f} ({found.change:.1f})"


def contents() -> tuple[str, dict[str, dict[str, Score]]]:
    """A picture and a row for each content that is shown, and the scores of all classes."""
    methods = ALL
    text, means = [], {}
    for name in (*CLASSES, *COMPRESSED):
        found: dict[str, list[Score]] = {method: [] for method in methods}
        for number, seed in enumerate(seeds("test", CLIPS)):
            truth = clip(name, seed)
            frames = frames_of(name, truth)
            results = {method: made_by(method, truth, frames) for method in methods}
            for method in methods:
                found[method].append(score(truth, results[method]))
            if name in CONTENTS and not number:
                shown = [truth[PICTURE], *(results[method][PICTURE] for method in SHOWN[1:])]
                link = save(name, shown)
                row = ["", *(_told(found[method][0]) for method in SHOWN[1:])]
                text.append(f"## {name.capitalize()}\n\n{CONTENTS[name]}\n\n{link}\n\n{table(SHOWN, [row])}\n")
        means[name] = {method: _mean(some) for method, some in found.items()}
    return "\n".join(text), means


def _mean(some: Sequence[Score]) -> Score:
    """Of every figure."""
    return Score(*(statistics.fmean(getattr(one, field.name) for one in some) for field in fields(Score)))


def all_classes(means: dict[str, dict[str, Score]]) -> str:
    """Every class, and their mean."""
    methods = ALL
    mean = {m: _mean([one[m] for one in means.values()]) for m in methods}
    rows = [[name, *(_told(one[m]) for m in methods)] for name, one in {**means, "mean of all": mean}.items()]
    return f"## All classes\n\nOne clip of each.\n\n{table(('clips', *methods), rows)}\n"


def film() -> str:
    """The picture and the table of film mode."""
    source = clip("pan", 1)
    shown = [n for n in range(len(source)) for _ in range(3 - n % 2)]
    shown = shown[: len(shown) // 2 * 2]
    truth = [source[n] for n in shown]
    frames = frames_of("pan", truth)
    place = next(n for n in range(20, len(shown), 2) if shown[n] != shown[n + 1])
    stage = Deinterlace("madi", "field", deint="all", parity="tff", film="auto")
    put_together = [made.planes[0] for made in Pipeline([stage], "cpu")(to_texsamp(frame) for frame in frames)]
    results = [made_by(name, truth, frames)[place] for name in FILM_SHOWN[:-1]]
    link = save("film", [*results, put_together[place]])
    rows = judged_film(("test",))

    def row(one: FilmRow) -> list[str]:
        kind = one.content if one.cadence == "all" else one.cadence
        return [
            kind,
            *map(str, (one.pictures, one.recovered, one.combed, one.missed, one.twice)),
            f"{math.floor(1000 * one.recovered / one.pictures) / 10:.1f}",  # 100 is all of them
        ]

    head = ("films", "pictures", "put together exactly", "fields combed", "missed", "shown twice", "%")
    kinds = [row(one) for one in rows if one.cadence == "all"]
    cadences = [row(one) for one in rows if one.cadence not in ("all", "video", "film")]
    total = [["all", *row(one)[1:]] for one in rows if one.cadence == "film"]
    video = next(one for one in rows if one.cadence == "video")
    woven = f"Of {video.fields:,} fields of video, {video.locked} were woven, {video.combed} of them wrongly."
    return f"""## Film

3:2 pulldown of a pan; from left to right {", ".join(FILM_SHOWN)}.

{link}

Every content in every cadence, and with edits (`benchmarks/judged_film.py`): pictures that film mode put together
exactly, fields woven with another picture's, and pictures that `rate=film` never shows or shows twice.

{table(head, kinds + cadences + total)}

{woven} These clips are of the half
that nothing was fitted on; [film.md](film.md) has the other half.
"""


def advice(means: dict[str, dict[str, Score]]) -> str:
    """What to choose when, by the scores."""
    ahead, gains = (
        {name: one[mode].psnr_dB - one[other].psnr_dB for name, one in means.items()}
        for mode, other in (("hq", "madi"), ("best", "hq"))
    )
    best = sorted((name for name in gains if abs(gains[name]) > TOLERATED_DB), key=lambda name: -gains[name])
    worse = sorted((name for name in ahead if ahead[name] < -TOLERATED_DB), key=lambda name: ahead[name])
    better = sorted((name for name in ahead if ahead[name] > TOLERATED_DB), key=lambda name: -ahead[name])

    def told(distances: dict[str, float], names: Sequence[str]) -> str:
        return ", ".join(f"{name} ({distances[name]:+.1f} dB)" for name in names) or "none"

    rows = [
        ["telecined film, animation, 25p and 30p in fields", "`deinterlace=film=auto:rate=film`"],
        ["video", "`deinterlace=rate=field` (`hq`, the default), but where `madi` is better, below"],
        [
            "time: crawls, credits, pans, lines at shallow angles",
            f"`deinterlace=mode=best:rate=field`; more than {TOLERATED_DB} dB from `hq`: {told(gains, best)}",
        ],
        ["what the hardware shows", "`deinterlace=madi:field`"],
    ]
    return f"""## What to choose when

{table(("you have", "take"), rows)}

By how much `hq` is better than `madi`:

{table(("clips", "dB"), [[name, f"{ahead[name]:+.1f}"] for name in better])}

`madi` is better than `hq` on: {told(ahead, worse)}.
"""


def behind() -> str:
    """The classes in which `hq` is farther behind a peer than the bars allow, of the committed judgment."""
    with JUDGED.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(line for line in file if line[0] != "#") if row["split"] == "test"]
    found = []
    for row in rows:
        peers = {name: float(row[name]) for name in (*PEERS, *VAPOURSYNTH_PEERS)}
        best = "bwdif" if row["figure"] == "SSIMULACRA2" else max(peers, key=lambda name: peers[name])
        apart = float(row["hq"]) - peers[best]
        if row["figure"] in BEHIND and apart < -BEHIND[row["figure"]]:
            ours = (f"{float(row[mode]):.1f}" for mode in ("hq", "best"))
            found.append([row["figure"], row["clips"], *ours, f"{best} {peers[best]:.1f}", f"{apart:.1f}"])
    if not found:
        return "Every class holds both."
    return table(("figure", "clips", "`hq`", "`best`", "peer", "`hq` is ahead by"), found)


def main() -> None:
    """Make them all."""
    shown, means = contents()
    others = (HERE / "others.md").read_text(encoding="utf-8")
    missed = (HERE / "missed.md").read_text(encoding="utf-8").format(behind=behind())
    parts = (HEAD.format(shown=", ".join(SHOWN)), advice(means), shown, film(), others, missed, all_classes(means))
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
