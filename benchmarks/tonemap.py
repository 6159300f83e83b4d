"""Tone mapping of 10-bit 4:2:0 PQ at 1080p: time and pictures, against zscale with tonemap, and libplacebo."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import texsamp as ts
from benchmarks.clips import decoded, high_range, to_texsamp
from benchmarks.peers import binary_cpu_ms, ffmpeg_with
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels

_SIZE = (1920, 1080)
_FORM = ("yuv420p10le", *_SIZE)
_PEAK = 3000
_TAGS = "setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=limited"


def _zscale(curve: str) -> str:
    light = f"zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=709,tonemap={curve}:desat=0:peak={_PEAK / 203:.3f}"
    return f"{_TAGS},{light},zscale=t=709:m=709:r=limited,format=yuv420p10le"


def _libplacebo(options: str) -> str:
    """BT.2390 with the knee of BT.2390; the peak is measured."""
    target = "colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=limited:format=yuv420p10le"
    tones = f"tonemapping=bt.2390:tonemapping_param=0.5{options}"
    return f"{_TAGS},hwupload,libplacebo={target}:{tones},hwdownload,format=yuv420p10le"


_VULKAN = ("-init_hw_device", "vulkan")
_PEERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "zscale,tonemap=mobius": ("zscale", _zscale("mobius"), ()),
    "zscale,tonemap=hable": ("zscale", _zscale("hable"), ()),
    "libplacebo=tonemapping=bt.2390": ("libplacebo", _libplacebo(""), _VULKAN),
    "libplacebo=tonemapping=bt.2390:tonemapping_mode=max": (
        "libplacebo",
        _libplacebo(":tonemapping_mode=max"),
        _VULKAN,
    ),
}
"""Name: the filter that a binary must have, the chain, options before it."""


@dataclass(frozen=True)
class PictureRow:
    """Mean luma in 10-bit codes, and the mean difference of each plane from texsamp tonemap=3000."""

    case: str
    mean_Y: float  # noqa: N815
    difference_Y: float  # noqa: N815
    difference_U: float  # noqa: N815
    difference_V: float  # noqa: N815


def _source() -> ts.Frame:
    """A frame of a real clip whose light parts are brighter."""
    picture = list(decoded("bigbuckbunny.mp4", limit=70))[-1]
    tagged = to_texsamp(picture).with_color(ts.ColorTags(1, 1, 1, False))
    (large,) = ts.Scale(*_SIZE).feed(tagged)
    return ts.convert(high_range(large), _FORM[0])


def _bytes(frame: ts.Frame) -> bytes:
    return b"".join(np.ascontiguousarray(plane).tobytes() for plane in frame.to_arrays())


def _through(binary: str, raw: bytes, chain: str, options: tuple[str, ...]) -> list[np.ndarray] | None:
    """The planes that a chain makes; None where it does not run, as without a Vulkan device."""
    raw_video = ["-f", "rawvideo", "-pix_fmt", _FORM[0], "-s", f"{_SIZE[0]}x{_SIZE[1]}"]
    command = [binary, "-v", "error", *options, *raw_video, "-i", "-", "-vf", chain, "-f", "rawvideo", "-"]
    run = subprocess.run(command, input=raw, capture_output=True, check=False)
    if run.returncode:
        print(f"{chain}: {run.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
        return None
    samples, pixels = np.frombuffer(run.stdout, "<u2").astype(float), _SIZE[0] * _SIZE[1]
    return np.split(samples, [pixels, pixels * 5 // 4])


def speed(threads: int) -> list[Row]:
    """Ratios are of CPU times over those of the first chain that an ffmpeg binary runs, else over the first row."""
    source = _source()
    contenders = []
    for level in (name for name in supported_levels() if library_path(name)):
        picture = replace(source, device=CpuDevice(level))
        for label, stage in (
            ("3000", ts.ToneMap(_PEAK)),
            ("auto", ts.ToneMap("auto")),
            ("hlg", ts.ToneMap(source="hlg")),
        ):

            def run(stage: ts.ToneMap = stage, picture: ts.Frame = picture) -> None:
                list(stage.feed(picture))

            contenders.append(Contender(f"texsamp tonemap={label} {level}", run, lambda: ts.set_threads(threads)))
    rows = measure("tonemap 1080p", contenders, contenders[0].name, threads)
    peers = []
    for name, (needed, chain, options) in _PEERS.items():
        binary = ffmpeg_with(needed)
        if binary is None or _through(binary, _bytes(source), chain, options) is None:
            continue
        cpu = binary_cpu_ms(binary, _bytes(source), chain, 10, form=_FORM, options=options)
        peers.append(Row("tonemap 1080p", f"{name} (ffmpeg binary)", 1, cpu, cpu, cpu, cpu, 1))
    if not peers:
        return rows
    base = peers[0].cpu_median_ms
    return [replace(row, ratio=row.cpu_median_ms / base) for row in (*peers, *rows)]


def pictures() -> list[PictureRow]:
    """How far apart the results are."""
    source = _source()

    def mapped(*arguments: object) -> list[np.ndarray]:
        (made,) = ts.ToneMap(*arguments).feed(source)  # type: ignore[arg-type]
        return [plane.astype(float).ravel() for plane in made.to_arrays()]

    base = mapped(_PEAK)
    makers: dict[str, Callable[[], list[np.ndarray] | None]] = {
        "texsamp tonemap=3000": lambda: base,
        "texsamp tonemap=auto": lambda: mapped("auto"),
        "texsamp tonemap=100 (highlights cut off)": lambda: mapped(100),
    }
    for name, (needed, chain, options) in _PEERS.items():
        binary = ffmpeg_with(needed)
        if binary is not None:
            makers[name] = lambda b=binary, c=chain, o=options: _through(b, _bytes(source), c, o)  # type: ignore[misc]
    rows = []
    for name, make in makers.items():
        planes = make()
        if planes is not None:
            rows.append(
                PictureRow(
                    name,
                    float(planes[0].mean()),
                    *(float(np.abs(a - b).mean()) for a, b in zip(planes, base, strict=True)),
                )
            )
    return rows
