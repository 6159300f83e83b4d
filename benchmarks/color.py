"""The color pipe at 1080p, 8-bit 4:2:0, against FFmpeg's filters, one core unless more threads are asked for."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import av

import texsamp as ts
from benchmarks.clips import decoded, to_texsamp
from benchmarks.peers import ACCURATE, FilterGraph, binary_cpu_ms, ffmpeg_with
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.color import (
    ColorPipe,
    CompressGamut,
    Contrast,
    ConvertColor,
    Procamp,
    SkinTone,
    TotalColorControl,
)
from texsamp.video.stage import Stage

_EQ = "eq=contrast=1.1:brightness=0.02:saturation=1.2"
_PRIMARIES = "colorspace=all=bt709:iall=bt601-6-625"
_MATRIX_ONLY = "colorspace=space=bt709:ispace=smpte170m" + "".join(
    f":{i}{name}=bt709" for name in ("primaries", "trc") for i in ("", "i")
)
_TURNS = 5
"""How often the ffmpeg binary and the contenders take turns; the medians count."""
_COPIES = 8
"""How many of a chain run one after another in the binary, so that reading frames counts little."""


class _ToRgb(FilterGraph):
    """swscale from the frame to a pixel format."""

    def __init__(self, frame: av.VideoFrame, flags: str, pixel_format: str, threads: int) -> None:
        self._frame = frame
        self._graph = av.filter.Graph()
        self._graph.threads = threads
        source = self._graph.add_buffer(
            width=frame.width, height=frame.height, format=frame.format, time_base=Fraction(1, 25)
        )
        stages = [
            self._graph.add("scale", f"flags={flags}"),
            self._graph.add("format", pixel_format),
            self._graph.add("buffersink"),
        ]
        for stage in stages:
            source.link_to(stage)
            source = stage
        self._graph.configure()


def _whole_pipe() -> ColorPipe:
    state = SkinTone().state.replace(
        gamut_enable=True, tcc_enable=True, ace_enable=True, procamp_enable=True, csc_enable=True, contrast=1.1
    )
    return ColorPipe(state)


_OURS: dict[str, dict[str, Callable[[], Stage]]] = {
    "procamp": {"procamp": lambda: Procamp(brightness=5, contrast=1.1, saturation=1.2)},
    "RGBA": {"csc=format=rgba": lambda: ConvertColor(format="rgba")},
    "pipe": {
        "skintone+gamut+tcc+curve+procamp+csc": _whole_pipe,
        "skintone": SkinTone,
        "gamut": CompressGamut,
        "tcc": lambda: TotalColorControl(red=1.3),
        "contrast=5": lambda: Contrast(5),
        "csc=bt601": lambda: ConvertColor("bt601", in_matrix="bt709"),
    },
}


def _contenders(frame: av.VideoFrame, group: str, threads: int) -> list[Contender]:
    contenders = []
    for level in (name for name in supported_levels() if library_path(name)):
        picture = to_texsamp(frame, CpuDevice(level))
        for label, make in _OURS[group].items():
            stage = make()

            def run(stage: Stage = stage, picture: ts.Frame = picture) -> None:
                for _ in stage.feed(picture):
                    pass

            contenders.append(Contender(f"texsamp {label} {level}", run, lambda: ts.set_threads(threads)))
    return contenders


def _against_binary(title: str, frame: av.VideoFrame, group: str, chains: list[str], threads: int) -> list[Row]:
    """Ratios are of CPU times over the first chain's in an ffmpeg binary; without one that has eq there are none."""
    contenders = _contenders(frame, group, threads)
    binary = ffmpeg_with("eq") if ffmpeg_with("colorspace") else None
    turns = []
    for _ in range(_TURNS):
        if binary is not None:
            turns.append([binary_cpu_ms(binary, frame, chain, frames=20, copies=_COPIES) for chain in chains])
        rows = measure(title, contenders, contenders[0].name, threads, rounds=3)
    if binary is None:
        print(f"{title}: no ffmpeg binary with eq and colorspace, so {', '.join(chains)} are skipped")
        return rows
    times = [statistics.median(turn) for turn in zip(*turns, strict=True)]
    peers = [
        Row(title, f"{chain} (ffmpeg binary)", 1, cpu, cpu, cpu, cpu, cpu / times[0])
        for chain, cpu in zip(chains, times, strict=True)
    ]
    return [*peers, *(replace(row, ratio=row.cpu_median_ms / times[0]) for row in rows)]


def color(threads: int) -> list[Row]:
    """Procamp against eq, the whole pipe against eq and colorspace, RGBA against accurate swscale."""
    source = next(iter(decoded("bigbuckbunny.mp4", every=60, limit=2)))
    frame = FilterGraph(source, "scale", "1920:1080:flags=lanczos")(source)
    rows = _against_binary("procamp 1080p", frame, "procamp", [_EQ], threads)
    rows += _against_binary(
        "color pipe 1080p", frame, "pipe", [f"{_EQ},{_PRIMARIES}", f"{_EQ},{_MATRIX_ONLY}"], threads
    )
    accurate = f"swscale bilinear+{ACCURATE}"
    peers = [
        Contender(f"swscale {flags}", _ToRgb(frame, flags, "rgba", threads))
        for flags in ("bilinear", f"bilinear+{ACCURATE}")
    ]
    return rows + measure("4:2:0 to RGBA 1080p", [*peers, *_contenders(frame, "RGBA", threads)], accurate, threads)
