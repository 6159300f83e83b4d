"""`denoise` judged on the set of noise_set.py: what it takes the noise for, and what it leaves, with peers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmarks.clips import planes, to_texsamp
from benchmarks.denoise import through_binary
from benchmarks.noise_set import SPLITS, Clip, NoisyClip, noisy_clips
from benchmarks.peers import FieldGraph, ffmpeg_with, has_filter
from benchmarks.vapoursynth_peers import PYTHON, through_vapoursynth
from texsamp.video.denoise import Denoise
from texsamp.video.denoise.measure import measured_noise
from texsamp.video.samples import Samples

Result = list[list[np.ndarray]]
"""The planes of every frame."""

_MEASURED_FRAMES = 2
_JUDGED_FRAMES = 8
_JUDGED_NOISES: dict[str, tuple[float, ...]] = {"white": (5, 20), "grain 0.6": (6,)}
_WITHIN = {"white": 0.15, "encoded": 0.15}
_WITHIN_OTHERS = 0.35
"""How far the measure may be off, as a share of the noise: noise that is white, or all but, and correlated noise."""


@dataclass(frozen=True)
class MeasureRow:
    """``measured`` over ``sigma``, less 1, over the scenes of a half of the set; ``outside``: how many miss the bar."""

    split: str
    noise: str
    sigma: float
    plane: str
    pictures: int
    mean_error: float
    worst_error: float
    worst_scene: str
    outside: int


@dataclass(frozen=True)
class JudgeRow:
    """Mean PSNR over the frames against the clean clip, and CPU milliseconds per frame of 320x240."""

    split: str
    moves: bool
    scene: str
    noise: str
    sigma: float
    case: str
    psnr_Y_dB: float  # noqa: N815 - the unit
    psnr_UV_dB: float  # noqa: N815
    cpu_ms: float


def measure() -> list[MeasureRow]:
    """What the measure takes the noise of both halves for, by kind and strength of the noise."""
    errors: dict[tuple[str, str, float, str], list[tuple[float, str]]] = {}
    for split in SPLITS:
        for clip in noisy_clips(split, _MEASURED_FRAMES):
            for noisy in clip.noisy:
                frame = to_texsamp(noisy)
                found = measured_noise(frame.device, {name: Samples.of(frame, name) for name in "YU"}, progressive=True)
                for name, noise in found.items():
                    key = split, clip.noise, float(round(clip.sigma)), name
                    errors.setdefault(key, []).append((noise.sigma / clip.sigma - 1, clip.scene))
    rows = []
    for (split, noise, sigma, name), found_errors in errors.items():
        worst = max(found_errors, key=lambda entry: abs(entry[0]))
        outside = sum(abs(error) > _WITHIN.get(noise, _WITHIN_OTHERS) for error, _ in found_errors)
        mean = fmean(error for error, _ in found_errors)
        rows.append(MeasureRow(split, noise, sigma, name, len(found_errors), mean, *worst, outside))
    return rows


# -- filters ---------------------------------------------------------------------------------------------------------


def _ours(clip: NoisyClip, **arguments: object) -> Result:
    stage = Denoise(**arguments)  # type: ignore[arg-type]
    fed = [out for frame in clip.noisy for out in stage.feed(to_texsamp(frame))]
    return [list(frame.planes) for frame in (*fed, *stage.flush())]


def _graph(clip: Clip, name: str, arguments: str) -> Result:
    graph, made = FieldGraph(clip[0], name, arguments), []
    for frame in (*clip, None):
        made += graph(frame)
    return [planes(frame) for frame in made]


def _tuned(name: str, options: tuple[str, ...]) -> Callable[[NoisyClip], Iterator[Result]]:
    """The peer with each of the options, which have multiples of the known deviation in them."""

    def run(clip: NoisyClip) -> Iterator[Result]:
        for option in options:
            yield _graph(clip.noisy, name, option.format(s=_Times(clip.sigma)))

    return run


class _Times(float):
    """In a format string, {s:K} is K times the deviation and {s:K^2} K times its square."""

    def __format__(self, text: str) -> str:
        factor, _, power = text.partition("^")
        return f"{max(float(factor) * self ** (2 if power else 1), 1e-3):.4f}"


_TUNED = {
    "nlmeans": ("nlmeans", tuple(f"s={{s:{k}}}" for k in (0.7, 0.85, 1.0))),
    "atadenoise": ("atadenoise", tuple(f"0a={{s:{k / 255}}}:0b={{s:{2 * k / 255}}}:s=9" for k in (2, 3))),
    "bm3d (of one frame)": (
        "bm3d",
        ("sigma={s:2.7}:block=8:bstep=4:group=16:range=9:mstep=1:thmse={s:400^2}",),
    ),
}
_HQDN3D = ("hqdn3d", "hqdn3d=8:6:12:9")
_VBM3D = (2, 3)
"""Times the known deviation: what it does best with."""


def _psnr(clean: Clip, made: Result) -> tuple[float, float]:
    """Mean over the frames, of luma and of chroma."""
    scores = []
    for frame, result in zip(clean, made, strict=True):
        errors = [np.mean((a.astype(float) - b) ** 2) for a, b in zip(planes(frame), result, strict=True)]
        scores.append([10 * np.log10(255**2 / max(error, 1e-6)) for error in errors])
    luma, *chroma = np.mean(scores, axis=0)
    return float(luma), float(np.mean(chroma))


def _best(clip: NoisyClip, results: Iterator[Result]) -> tuple[tuple[float, float], float]:
    """The better score in luma, and the time of one run."""
    begin = time.process_time()
    made = list(results)
    cpu_ms = (time.process_time() - begin) * 1e3 / len(made) / len(clip.clean)
    return max(_psnr(clip.clean, result) for result in made), cpu_ms


def judge(split: str, seeds: int = 1, noises: dict[str, tuple[float, ...]] | None = None) -> Iterator[JudgeRow]:
    """Every clip of a half of the set through ours and the peers; peers with the best of a few known strengths."""
    ours = {
        "texsamp denoise=auto": lambda _: {},
        "texsamp denoise=fast": lambda _: {"strength": "fast"},
        "texsamp denoise=fast:sigma": lambda clip: {"strength": "fast", "sigma": clip.sigma},
        "texsamp denoise=hq": lambda _: {"strength": "hq"},
        "texsamp denoise=hq:sigma": lambda clip: {"strength": "hq", "sigma": clip.sigma},
    }
    binary = ffmpeg_with("hqdn3d")
    for clip in noisy_clips(split, _JUDGED_FRAMES, noises=noises or _JUDGED_NOISES, seeds=seeds):
        about = split, clip.moves, clip.scene, clip.noise, clip.sigma
        yield JudgeRow(*about, "input", *_psnr(clip.clean, [planes(frame) for frame in clip.noisy]), 0.0)
        for name, arguments in ours.items():
            score, cpu_ms = _best(clip, (_ours(clip, **arguments(clip)) for _ in range(1)))
            yield JudgeRow(*about, name, *score, cpu_ms)
        for name, (graph, options) in _TUNED.items():
            if has_filter(graph):
                score, cpu_ms = _best(clip, _tuned(graph, options)(clip))
                yield JudgeRow(*about, name, *score, cpu_ms)
        if PYTHON:
            results = (through_vapoursynth("vbm3d", clip.noisy, times * clip.sigma) for times in _VBM3D)
            yield JudgeRow(*about, "V-BM3D", *_best(clip, results)[0], 0.0)
        for name in _HQDN3D if binary is not None else ():
            yield JudgeRow(*about, name, *_psnr(clip.clean, through_binary(binary or "", name, clip.noisy)), 0.0)


def means(rows: list[JudgeRow]) -> list[JudgeRow]:
    """The rows, and behind them their means over the scenes that stand still and those that move."""
    made = []
    for key in dict.fromkeys((row.split, row.moves, row.noise, row.sigma, row.case) for row in rows):
        split, moves, noise, sigma, case = key
        some = [row for row in rows if (row.split, row.moves, row.noise, row.sigma, row.case) == key]
        numbers = [fmean(getattr(row, name) for row in some) for name in ("psnr_Y_dB", "psnr_UV_dB", "cpu_ms")]
        made.append(JudgeRow(split, moves, "MEAN", noise, sigma, case, *numbers))
    return [*rows, *made]


def judged() -> list[JudgeRow]:
    """The half for testing, with the means."""
    return means(list(judge("test")))
