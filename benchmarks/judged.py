"""Deinterlacing judged on many kinds of clips, against filters of others: how near the truth, and how steady.

`python -m benchmarks.judged [--split fit] [--classes ticker,pan] [--clips 2] [--each]` shows parts of it.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import av
import numpy as np
from PIL import Image

from benchmarks.clips import interlaced, planes, to_texsamp
from benchmarks.judged_clips import CLASSES, COMPRESSED, Clip, clip, seeds
from benchmarks.peers import FieldGraph
from benchmarks.tables import show
from benchmarks.vapoursynth_peers import PYTHON, through_vapoursynth
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

MODES = ("madi", "mcdi", "hq", "best")
PEERS = {
    "yadif": "mode=1:parity=tff",
    "bwdif": "mode=1:parity=tff",
    "w3fdif": "mode=field:parity=tff",
    "estdif": "mode=field:parity=tff",
}
VAPOURSYNTH_PEERS = ("znedi3", "qtgmc")
HIGHEST_DB = 60.0
"""A picture without an error, or nearly, counts as this."""
_LOOKED_AT = 3
"""Pictures of a clip that SSIMULACRA2 looks at: at a quarter, at half and at three quarters."""


@dataclass(frozen=True)
class JudgedRow:
    """A class of clips: mean of the clips' PSNR-Y in dB, rms of the change of the error in levels, or SSIMULACRA2.

    ``hq_ahead`` and ``best_ahead`` are `hq` and `best` against the best of the peers (positive: ours is better);
    ``worst_to_madi`` is the clip on which `hq` does worst against `madi`.
    """

    split: str
    figure: str
    clips: str
    madi: float
    mcdi: float
    hq: float
    best: float
    yadif: float
    bwdif: float
    w3fdif: float
    estdif: float
    znedi3: float
    qtgmc: float
    hq_ahead: float
    best_ahead: float
    worst_to_madi: float


@dataclass(frozen=True)
class Score:
    """One clip by one method: mean PSNR-Y in dB, rms of the change of the error in levels, mean SSIMULACRA2."""

    psnr_dB: float  # noqa: N815 - the unit
    change: float
    ssimulacra2: float


FIGURES = (("PSNR-Y, dB", "psnr_dB", 1), ("change of error", "change", -1), ("SSIMULACRA2", "ssimulacra2", 1))
"""Of a score: name, field, and 1 where more is better."""


def score(
    truth: Clip, made: Sequence[np.ndarray], shown: Callable[[int], tuple[Image.Image, Image.Image]] | None = None
) -> Score:
    """What is made of a clip against the truth; ``shown`` gives both as pictures, where samples are not pictures."""
    shown = shown or (lambda at: (Image.fromarray(truth[at]), Image.fromarray(made[at])))
    errors = [a.astype(np.int16) - b for a, b in zip(truth, made, strict=True)]
    squares = [float(np.mean(error.astype(np.int32) ** 2)) for error in errors]
    floor = 255**2 / 10 ** (HIGHEST_DB / 10)
    looked_at = [len(truth) * part // (_LOOKED_AT + 1) for part in range(1, _LOOKED_AT + 1)]
    changes = [float(np.mean((b - a).astype(np.int32) ** 2)) for a, b in itertools.pairwise(errors)]
    return Score(
        statistics.fmean(10 * float(np.log10(255**2 / max(s, floor))) for s in squares),
        statistics.fmean(changes) ** 0.5,
        statistics.fmean(_ssimulacra2(*shown(at)) for at in looked_at),
    )


def _ssimulacra2(truth: Image.Image, made: Image.Image) -> float:
    """By the package of that name: 100 what nobody can tell from the truth. Not a number without it."""
    if find_spec("ssimulacra2") is None:
        return float("nan")
    from ssimulacra2 import compute_ssimulacra2

    files = BytesIO(), BytesIO()
    for file, picture in zip(files, (truth, made), strict=True):
        picture.save(file, "PNG")
        file.seek(0)
    return float(compute_ssimulacra2(*files))


def frames_of(name: str, truth: Clip) -> list[av.VideoFrame]:
    """The clip as 25 interlaced frames a second, compressed where its class says so."""
    frames = interlaced([_frame(picture) for picture in truth])
    return _compressed(frames, COMPRESSED[name]) if name in COMPRESSED else frames


def _frame(picture: np.ndarray) -> av.VideoFrame:
    frame = av.VideoFrame(picture.shape[1], picture.shape[0], "yuv420p")
    for target, values in zip(planes(frame), (picture, 128, 128), strict=True):
        target[...] = values
    return frame


def _compressed(frames: list[av.VideoFrame], codec: str) -> list[av.VideoFrame]:
    options = (
        {"flags": "+ildct+ilme", "qscale": "4"} if codec == "mpeg2video" else {"crf": "20", "x264-params": "tff=1"}
    )
    file = BytesIO()
    with av.open(file, "w", "matroska") as container:
        stream: Any = container.add_stream(codec, rate=25, options=options)
        stream.width, stream.height, stream.pix_fmt = frames[0].width, frames[0].height, "yuv420p"
        if codec == "mpeg2video":
            stream.codec_context.flags |= 0x2 | 0x40000 | 0x20000000  # a fixed quantizer, and fields
            stream.codec_context.global_quality = 4 * 118
        stream.codec_context.thread_count = 1
        for number, frame in enumerate(frames):
            frame.pts, frame.time_base = number, Fraction(1, 25)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    file.seek(0)
    with av.open(file) as container:
        return [frame.reformat(format="yuv420p") for frame in container.decode(video=0)]


def ours(mode: str, frames: list[av.VideoFrame]) -> list[np.ndarray]:
    """Both fields of the frames by a mode of ours."""
    return [result.planes[0] for result in frames_by(mode, frames)]


def frames_by(mode: str, frames: list[av.VideoFrame]) -> Iterator[Frame]:
    """The same with chroma."""
    stage = Deinterlace(mode, "field", deint="all", parity="tff")  # type: ignore[arg-type]
    return Pipeline([stage], "cpu")(to_texsamp(frame) for frame in frames)


def peer(name: str, frames: list[av.VideoFrame]) -> list[np.ndarray]:
    """Luma by a filter of FFmpeg's."""
    return [np.array(planes(result)[0]) for result in frames_by_peer(name, frames)]


def frames_by_peer(name: str, frames: list[av.VideoFrame]) -> Iterator[av.VideoFrame]:
    """The same with chroma."""
    graph = FieldGraph(frames[0], name, PEERS[name])
    return (result for frame in (*frames, None) for result in graph(frame))


def scores(name: str, seed: int, modes: Sequence[str] = MODES, peers: bool = True) -> dict[str, Score]:
    """Every method on one clip."""
    truth = clip(name, seed)
    return scores_of(truth, frames_of(name, truth), modes, peers)


def scores_of(
    truth: Clip, frames: list[av.VideoFrame], modes: Sequence[str] = MODES, peers: bool = True
) -> dict[str, Score]:
    """Every method on frames made of the truth."""
    found = {mode: score(truth, ours(mode, frames)) for mode in modes}
    if peers:
        found |= {other: score(truth, peer(other, frames)) for other in PEERS}
        for other in VAPOURSYNTH_PEERS if PYTHON else ():
            found[other] = score(truth, [luma for luma, *_ in through_vapoursynth(other, frames)])
    return found


def rows_of(
    split: str, found: dict[str, list[dict[str, Score]]], figures: Sequence[tuple[str, str, int]] = FIGURES
) -> Iterator[JudgedRow]:
    """Rows by class, and of their mean, of every clip's scores."""
    for figure, field, sign in figures:
        values = {
            name: [{m: float(getattr(s, field)) for m, s in one.items()} for one in some]
            for name, some in found.items()
        }
        means = {n: {m: statistics.fmean(one[m] for one in some) for m in some[0]} for n, some in values.items()}
        worst = {n: min(sign * (one["hq"] - one["madi"]) for one in some) for n, some in values.items()}
        methods = next(iter(means.values()))
        means["mean of all"] = {m: statistics.fmean(one[m] for one in means.values()) for m in methods}
        worst["mean of all"] = min(worst.values())
        for name, one in means.items():
            peers = max(sign * v for m, v in one.items() if m not in MODES)
            ahead = {f"{m}_ahead": sign * one[m] - peers for m in ("hq", "best")}
            rest = {m: one.get(m, float("nan")) for m in (*MODES, *PEERS, *VAPOURSYNTH_PEERS)}
            yield JudgedRow(split, figure, name, **rest, **ahead, worst_to_madi=worst[name])


def judged(splits: Sequence[str] = ("fit", "test"), classes: Sequence[str] = (), clips: int = 3) -> list[JudgedRow]:
    """Rows by class, and of their mean: first the distance from the truth, then how it changes."""
    rows: list[JudgedRow] = []
    for split in splits:
        names = classes or (*CLASSES, *COMPRESSED)
        rows += rows_of(split, {name: [scores(name, seed) for seed in seeds(split, clips)] for name in names})
    return rows


def show_parts(
    doc: str | None,
    names: Sequence[str],
    judge: Callable[[Sequence[str], Sequence[str], int], list[JudgedRow]],
    line: Callable[[str, int], str],
) -> None:
    """Parts of a judgement, for those who tune: its rows, or a line for each clip."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--split", choices=("fit", "test"), default="fit")
    parser.add_argument("--classes", default="", help=f"of {', '.join(names)}; else all")
    parser.add_argument("--clips", type=int, default=3, help="of each class")
    parser.add_argument("--each", action="store_true", help="each clip by itself, not the classes")
    asked = parser.parse_args()
    chosen = [name for name in asked.classes.split(",") if name]
    if not asked.each:
        show("judged", judge((asked.split,), chosen, asked.clips))
        return
    for name in chosen or names:
        for seed in seeds(asked.split, asked.clips):
            print(f"{name:17s}{seed:3d} ", line(name, seed))


def _line(name: str, seed: int) -> str:
    return " ".join(f"{m} {s.psnr_dB:5.2f}/{s.change:5.2f}" for m, s in scores(name, seed).items())


if __name__ == "__main__":
    show_parts(__doc__, (*CLASSES, *COMPRESSED), judged, _line)
