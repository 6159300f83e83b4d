"""The cases: a name, and a function from a device to the arrays it must compute."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.lib.stride_tricks import as_strided

from texsamp.device.base import Device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video import packed10
from texsamp.video.component_planes import ComponentPlanes, interleaved_launch
from texsamp.video.frame import Frame
from texsamp.video.presets.avs import AdaptiveRule, adaptive_parameters
from texsamp.video.presets.ief import ief_level
from texsamp.video.presets.ief_gen6 import Gen6CombinationParameters, Gen6DetailParameters
from texsamp.video.samples import Samples
from texsamp.video.scale import AvsPlane, AvsTables, Scale
from texsamp.video.sharpen import Sharpen, sharpen_launch

Arrays = list[np.ndarray[Any, np.dtype[Any]]]


@dataclass(frozen=True)
class Case:
    """``run`` computes the arrays on a device, from inputs that depend on nothing but the case."""

    name: str
    run: Callable[[Device], Arrays]


def padded(rows: np.ndarray[Any, np.dtype[Any]], padding: int) -> np.ndarray[Any, np.dtype[Any]]:
    """A copy with ``padding`` elements between rows; the memory ends with the last row's last element."""
    height, width = rows.shape
    pitch = width + padding
    memory = np.full((height - 1) * pitch + width, 0xA5, rows.dtype)
    view = as_strided(memory, rows.shape, (pitch * rows.itemsize, rows.itemsize))
    view[...] = rows
    return view


def _noise(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Random elements with all bits in use, half of them at the extremes."""
    rng = np.random.default_rng(seed)
    largest = np.iinfo(dtype).max
    values = rng.integers(0, largest, shape, dtype, endpoint=True)
    extreme = rng.integers(0, 2, shape).astype(dtype) * largest
    return np.where(rng.random(shape) < 0.5, values, extreme).astype(dtype)


def noise_frame(layout: PixelLayout, width: int, height: int, seed: int, padding: int, device: Device) -> Frame:
    """A frame of noise; samples below their element's size have garbage around them only where shifts allow it."""
    shapes = (layout.plane_shape(i, width, height) for i in range(layout.plane_count))
    planes = [padded(_noise(shape, layout.dtype, seed + i), padding) for i, shape in enumerate(shapes)]
    return Frame.from_arrays(layout, planes, width, height, device)


def _download(frame: Frame) -> Arrays:
    """Every component; an odd width leaves the second luma of a packed 4:2:2 row's last pair unwritten."""
    names = ("R",) if frame.layout.packed_element else frame.layout.components
    return [np.ascontiguousarray(frame.device.download(frame.component(name))) for name in names]


# -- stages on frames ------------------------------------------------------------------------------------------------

_SIZES = (
    ((37, 23), (61, 40)),
    ((64, 33), (33, 70)),
    ((1, 1), (1, 1)),
    ((1, 1), (9, 5)),
    ((5, 3), (1, 1)),
    ((150, 9), (67, 31)),
    ((9, 140), (35, 139)),
)
_SCALES: tuple[dict[str, Any], ...] = (
    {"preset": "lanczos3"},
    {"preset": "ihd", "adaptive": "on"},
    {"preset": "i965", "align": "hardware"},
    {"preset": "catmull-rom", "adaptive": "on", "edge": "mirror", "nonlinear": 0.4},
    {"preset": "bilinear", "prefilter": "off"},
    {"preset": "ihd", "adaptive": "all", "align": "hardware"},
)


def _scale_case(layout: PixelLayout, index: int, sizes: Any, options: dict[str, Any]) -> Case:
    (width, height), (to_width, to_height) = sizes

    def run(device: Device) -> Arrays:
        frame = noise_frame(layout, width, height, 100 + index, index % 3 * 4, device)
        return _download(next(iter(Scale(to_width, to_height, **options).feed(frame))))

    words = "-".join(f"{value}" for value in options.values())
    return Case(f"scale-{layout.name}-{width}x{height}-{to_width}x{to_height}-{words}", run)


def _edges_of_tiles() -> Iterator[Case]:
    """Sizes around the tiles' and vectors' widths, from and to."""
    sizes = (1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257)
    layouts = itertools.cycle([PIXEL_LAYOUTS[name] for name in ("gray", "p010le", "uyvy422")])
    for index, (width, height) in enumerate(zip(sizes, sizes[5:] + sizes[:5], strict=True)):
        for target in ((height, width), (sizes[-1 - index], sizes[index - 3])):
            yield _scale_case(next(layouts), index, ((width, height), target), _SCALES[index % 2])


def _scales() -> Iterator[Case]:
    """Every layout with every option set once, sizes taken in turn."""
    sizes = itertools.cycle(_SIZES)
    for index, (layout, options) in enumerate(itertools.product(PIXEL_LAYOUTS.values(), _SCALES)):
        if options.get("adaptive") == "all" and (layout.log2_chroma_width or layout.log2_chroma_height):
            continue
        yield _scale_case(layout, index, next(sizes), options)


_SETTINGS = {
    "sum": replace(ief_level(64), combine="sum", r3x=31, r3c=31, r5x=31, r5cx=31, r5c=31),
    "difference": ief_level(20),
    "smooth": replace(ief_level(44), smooth=True, noise_estimate=40),
}


_GEN6_SETTINGS = {
    "gen6-detail-3x3": Gen6DetailParameters(gain=63, size=3),
    "gen6-detail-5x5": Gen6DetailParameters(gain=63),
    "gen6-combination": Gen6CombinationParameters(steepness_boost=True, ridge_boost=True, limiter_boost=9),
}


def _sharpen_case(layout: PixelLayout, index: int, size: tuple[int, int], word: str) -> Case:
    def run(device: Device) -> Arrays:
        frame = noise_frame(layout, *size, 300 + index, index % 3 * 4, device)
        score = _noise(size[::-1], np.uint8, index) & 31 if word == "sum" else None
        settings = _SETTINGS | _GEN6_SETTINGS
        stage = Sharpen(settings=settings[word]) if word in settings else Sharpen(int(word))
        return _download(stage.apply(frame, None if score is None else device.upload(padded(score, 8))))

    return Case(f"sharpen-{layout.name}-{size[0]}x{size[1]}-{word}", run)


def _sharpens() -> Iterator[Case]:
    sizes = itertools.cycle([(1, 1), (2, 1), (67, 20), (3, 9), (257, 8), (130, 17)])
    layouts = [layout for layout in PIXEL_LAYOUTS.values() if layout.model != "rgb"]
    for index, (layout, word) in enumerate(itertools.product(layouts, ("44", "64", *_SETTINGS))):
        yield _sharpen_case(layout, index, next(sizes), word)
    gray = [PIXEL_LAYOUTS[name] for name in ("gray", "gray10le")]
    for index, (layout, word) in enumerate(itertools.product(gray, _GEN6_SETTINGS)):
        yield _sharpen_case(layout, index, next(sizes), word)


def _pack_case(layout: PixelLayout, size: tuple[int, int]) -> Case:
    def run(device: Device) -> Arrays:
        frame = noise_frame(layout, *size, 500, 4, device)
        channels = ComponentPlanes(frame).part()
        again = Frame.empty(layout, *size, device)
        packed10.pack(channels, again.planes[0], layout, device)
        return [*(device.download(part.array) for part in channels.values()), *_download(again)]

    return Case(f"pack-{layout.name}-{size[0]}x{size[1]}", run)


def _turns_case(turns: str, dtype: str, size: tuple[int, int]) -> Case:
    """Planes that take turns in one, of which every device could make use, but frames do on a CPU alone."""
    width, height = size

    def run(device: Device) -> Arrays:
        shape = height, len(turns) * width
        mixed = device.upload(padded(_noise(shape, dtype, 510), 8 // len(turns)))
        planes = {name: device.empty((height, turns.count(name) * width), dtype) for name in turns}
        again = device.upload(padded(np.zeros(shape, dtype), 3))
        device.launch(interleaved_launch("part", device, mixed, [planes[name] for name in turns]))
        device.launch(interleaved_launch("join", device, again, [planes[name] for name in turns]))
        return [device.download(array) for array in (*planes.values(), again)]

    return Case(f"turns-{turns}-{dtype}-{width}x{height}", run)


_TURNS = ("UV", "RGB", "RGBA", "YUYV", "UYVY")


# -- the scaler driven by state --------------------------------------------------------------------------------------


def _extreme_tables(seed: int) -> AvsTables:
    """Any legal coefficients, most at their limits, so that the widest kernels are needed."""
    rng = np.random.default_rng(seed)

    def table(columns: slice) -> np.ndarray[Any, np.dtype[np.int16]]:
        made = np.zeros((32, 8), np.int16)
        chosen = rng.integers(-128, 128, (32, 8))
        limits = rng.choice([-128, 127], (32, 8))
        made[:, columns] = np.where(rng.random((32, 8)) < 0.3, chosen, limits)[:, columns]
        return made

    every, inner = slice(0, 8), slice(2, 6)
    return AvsTables(table(every), table(every), table(inner), table(inner))


def _positions(kind: str, count: int, source: int, seed: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    rng = np.random.default_rng(seed)
    if kind == "far":  # the picture lies wholly to one side, or is crossed in one step
        low, high = ((-90000, -80000), (80000, 90000), (-2_000_000, 2_000_000))[seed % 3]
        return np.sort(rng.integers(low, high, count)).astype(np.int32)
    return np.sort(rng.integers(-40 * 32, (source + 40) * 32, count)).astype(np.int32)


_RULES: tuple[AdaptiveRule, ...] = get_args(AdaptiveRule)


def _state_case(index: int, bits: int, kind: str, edge: str, output: str) -> Case:
    source_size, output_size = ((29, 21), (45, 37)) if index % 2 else ((70, 50), (71, 33))

    def run(device: Device) -> Arrays:
        base = replace(adaptive_parameters("ihd"), rule=_RULES[index // 2 % len(_RULES)])
        states = (
            replace(base, adaptive_all_channels=True, rgb_adaptive=bits != 8),
            replace(base, bypass_x=True, default_sharpness=77),
            replace(base, bypass_x=True, bypass_y=True, default_sharpness=100),
            replace(base, bypass_x=True, bypass_y=True, default_sharpness=255),
        )
        plane = AvsPlane(
            device,
            source_size,
            (
                _positions(kind, output_size[0], source_size[0], index),
                _positions(kind, output_size[1], source_size[1], index + 1),
            ),
            _extreme_tables(index),
            states[index % len(states)],
            edge,  # type: ignore[arg-type]
            output,  # type: ignore[arg-type]
        )
        full16 = output == "full16"
        dtype: Any = np.uint16 if full16 or bits > 8 else np.uint8
        sources, targets = [], []
        for channel in range(3):
            noise = padded(_noise(source_size[::-1], dtype, 700 + index + channel), 8)
            sources.append(Samples.plane(device.upload(noise), bits))
            targets.append(Samples.plane(device.empty(output_size[::-1], dtype), 16 if full16 else bits))
        device.launch(*plane.launches(list(zip(sources, targets, strict=True)), 1))
        return [device.download(target.array) for target in targets]

    return Case(f"state-{index}-{bits}-{kind}-{edge}-{output}", run)


def _states() -> Iterator[Case]:
    kinds = itertools.product((8, 10, 16), ("near", "far"), ("clamp", "mirror"))
    shapes = [(*kind, "same") for kind in kinds] + [(8, "near", "clamp", "full16"), (8, "far", "mirror", "full16")]
    for index, (bits, kind, edge, output) in enumerate([*shapes, *shapes[1:], *shapes[2:]]):
        yield _state_case(index, bits, kind, edge, output)


# -- the sharpener on bare planes ------------------------------------------------------------------------------------


def _interleaved_case() -> Case:
    """Luma in every second element, without the frame's other elements being written."""

    def run(device: Device) -> Arrays:
        source = device.upload(padded(_noise((11, 2 * 70), np.uint8, 900), 8))
        target = device.upload(np.full((11, 2 * 70), 7, np.uint8))
        parts = [Samples(array, 70, 11, 8, offset, 2) for array, offset in ((source, 1), (target, 0))]
        device.launch(sharpen_launch(device, *parts, _SETTINGS["difference"]))
        return [device.download(target)]

    return Case("sharpen-interleaved", run)


CASES = (
    *_scales(),
    *_edges_of_tiles(),
    *_sharpens(),
    *(_turns_case(turns, dtype, size) for turns in _TURNS for dtype in ("u1", "<u2") for size in ((1, 1), (67, 5))),
    *(_pack_case(PIXEL_LAYOUTS[name], size) for name in ("x2rgb10le", "x2bgr10le") for size in ((1, 1), (67, 5))),
    *_states(),
    _interleaved_case(),
)
