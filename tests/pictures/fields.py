"""The deinterlacer's and the scene cuts' kernels: every layout, both parities, first frames, sizes around tiles."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pictures.cases import Arrays, Case, noise_frame
from texsamp.device.base import Device
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.deinterlace.compensation import search_motion
from texsamp.video.deinterlace.edges import Sought
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.field_vectors import find_vectors
from texsamp.video.deinterlace.frame_measures import Between, Wanted, measure
from texsamp.video.deinterlace.launches import compensated_share, deinterlace_fields, measure_motion
from texsamp.video.deinterlace.matches import find_matches
from texsamp.video.deinterlace.parameters import DRIVER_STATE, CompensationParameters, DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame
from texsamp.video.light import under_light_of
from texsamp.video.measurement import read_together
from texsamp.video.scene_cuts import mean_change

_LAYOUTS = ("yuv420p", "nv12", "yuv422p", "yuyv422", "uyvy422", "gray", "yuv420p10le", "p010le", "yuv422p10le")
_SIZES = ((1, 1), (2, 3), (17, 5), (64, 18), (57, 17), (131, 70), (250, 9), (9, 40), (1, 20), (255, 34))
_EDGES = Sought(20)
_DRIVER = DeinterlaceParameters.from_state(DRIVER_STATE)
_COMPENSATION = CompensationParameters.from_state(DRIVER_STATE)
_GENEROUS = replace(_COMPENSATION, cat_th1=3, sad_tha=15, sad_thb=15, sad_tight_th=0, smooth_mv_th=3)
_PARAMETERS = {
    "driver": _DRIVER,
    "eager": replace(_DRIVER, sdi_d=0, sdi_th=255, sdi_t1=255, sdi_t2=255, sdi_angle2x1=0, stmm_min=3, stmm_max=35),
    "extreme": replace(_DRIVER, **dict.fromkeys(("sdi_th", "sdi_d", "sdi_t1", "sdi_t2", "sdi_angle2x1"), 255)),
}


def _case(layout: str, size: tuple[int, int], word: str, index: int) -> Case:
    width, height = size
    parity, parameters = index & 1, _PARAMETERS[word]

    def run(device: Device) -> Arrays:
        previous, current = (
            noise_frame(PIXEL_LAYOUTS[layout], width, height, 1000 + index + n, index % 3 * 4, device) for n in range(2)
        )
        stored = np.random.default_rng(index).integers(0, 256, (height, (width + 1) // 2), "u1")
        memory = np.zeros((height, -(-width // 64) * 64), "u1")
        memory[:, : stored.shape[1]] = stored
        before = StatisticsSurface(device.upload(memory), width, height)
        motion = StatisticsSurface(device.upload(np.zeros_like(memory)), width, height)
        frames = (current, previous) if parity else (previous, current)
        device.launch(measure_motion(frames, (0, 1), parameters, before, motion))
        half = StatisticsSurface(device.upload(np.zeros_like(memory)), width, height)
        device.launch(measure_motion(frames, (parity, 2), parameters, before, half))
        noisy = noise_frame(PIXEL_LAYOUTS[layout], width, height, 1002 + index, index % 3 * 4, device), 1 - parity
        cut = StatisticsSurface(device.upload(np.zeros_like(memory)), width, height)
        device.launch(measure_motion(frames, (0, 1), parameters, before, cut, noisy))
        fields = [
            Field(previous, 1 - parity, current, motion),
            Field(current, parity, previous, motion),
            Field(current, parity),
        ]
        wanted = Wanted(both=True, chroma=Wanted(both=True))
        chroma = measure(frames, fields[:2], Between(), parameters, wanted).chroma
        chroma = {name: part.about(parity) for name, part in chroma.items()}
        constants = _GENEROUS if index % 2 else _COMPENSATION
        launch, vectors = search_motion(frames, constants)
        device.launch(launch)
        launch, sparse = search_motion(frames, constants, lines_apart=6)
        device.launch(launch)
        some = [array[line::6] for array in (sparse.x, sparse.y, sparse.sad) for line in (0, 1)]
        fields += [
            *(replace(field, vectors=vectors) for field in fields[:2]),
            *(replace(field, long_filters=True, chroma=chroma) for field in fields[1:]),
            *(replace(field, long_filters=True, edges=_EDGES) for field in fields[1:3]),
        ]
        found = find_matches(fields[:2], {})
        found = find_matches(fields[:2], found)
        fields += [replace(field, long_filters=True, matches=found[field.parity]) for field in fields[:2]]
        made = deinterlace_fields(fields, parameters)
        parts = [frame.component(name) for frame in made for name in frame.layout.components]
        shares = np.array([compensated_share(field, parameters) for field in fields])
        known = (array for matches in found.values() for array in (matches.verdict, matches.runs))
        planes = (*known, motion.memory, half.memory, cut.memory, vectors.x, vectors.y, vectors.sad, *some)
        return [shares, *(np.ascontiguousarray(device.download(part)) for part in (*planes, *parts))]

    return Case(f"fields-{layout}-{width}x{height}-{word}", run)


def _cases() -> Iterator[Case]:
    sizes = itertools.cycle(_SIZES)
    for index, (layout, word) in enumerate(itertools.product(_LAYOUTS, _PARAMETERS)):
        yield _case(layout, next(sizes), word, index)


def _change_case(layout: str, size: tuple[int, int], index: int) -> Case:
    def run(device: Device) -> Arrays:
        a, b = (noise_frame(PIXEL_LAYOUTS[layout], *size, 1500 + index + n, 4, device) for n in range(2))
        (change,) = read_together(device, [mean_change(a, b)])
        return [np.array([change.numerator, change.denominator])]

    return Case(f"change-{layout}-{size[0]}x{size[1]}", run)


# Of 65 and 257 columns the last tile has one, which the tile before repeats.
_VECTOR_SIZES = (("nv12", (18, 9)), ("p010le", (9, 5)), ("nv12", (257, 9)), ("p010le", (65, 9)))

_SMOOTH_SIZES = (("nv12", (70, 40)), ("p010le", (300, 26)))


def _vector_case(layout: str, size: tuple[int, int], index: int) -> Case:
    def run(device: Device) -> Arrays:
        a, b, *out = (noise_frame(PIXEL_LAYOUTS[layout], *size, 1700 + index + n, 2, device) for n in range(4))
        fields = [Field(a, 1, b, limited=index % 2 == 0), Field(b, 0, a)]
        found = find_vectors(fields)
        device.launch(*(found[field.parity].compensated(field, to) for field, to in zip(fields, out, strict=True)))
        arrays = [array for vectors in found.values() for array in vectors.arrays]
        shares = np.array([vectors.moving_share() for vectors in found.values()])
        arrays += [*out[0].planes, *out[1].planes]
        return [shares, *(np.ascontiguousarray(device.download(array)) for array in arrays)]

    return Case(f"vectors-{layout}-{size[0]}x{size[1]}", run)


def _shaken_case(size: tuple[int, int], steps: tuple[tuple[int, int], ...]) -> Case:
    """A camera that shakes: each field shows another place (83)."""
    width, height = size

    def run(device: Device) -> Arrays:
        rng = np.random.default_rng(size)
        world = np.add.outer(*(rng.integers(0, 128, length + 16) for length in (height, width)))
        views = [world[8 + y :][:height, 8 + x :][:, :width] for x, y in steps]
        lumas = (np.where(np.arange(height)[:, None] % 2 == 0, *views[n : n + 2]).astype("u1") for n in (0, 2))
        a, b = (Frame.from_arrays("gray", [luma], width, height, device) for luma in lumas)
        found = find_vectors([Field(a, 1, b), Field(b, 0, a)])
        device.launch(found[1].compensated(Field(a, 1, b), a))
        arrays = [array for vectors in found.values() for array in (*vectors.arrays, vectors.shift)]
        return [device.download(array).copy() for array in (*arrays, a.planes[0])]

    return Case(f"shaken-{width}x{height}", run)


def _smooth_case(layout: str, size: tuple[int, int], index: int) -> Case:
    def run(device: Device) -> Arrays:
        soft, sharp, *out = (noise_frame(PIXEL_LAYOUTS[layout], *size, 1950 + index + n, 2, device) for n in range(4))
        arrays = [device.download(plane) for plane in soft.planes]
        arrays[0][...] = arrays[0] // 16 * (np.arange(size[1]) % 5 < 3)[:, None]  # calm lines, and others
        field = Field(Frame.from_arrays(layout, arrays, *size, device), index & 1, sharp)
        vectors = find_vectors([field])[field.parity]
        for launch in vectors.smoothed(field, out[0], device.upload(np.array([index % 3], "<u4"))):
            device.launch(launch)
        return [np.ascontiguousarray(device.download(plane)) for plane in out[0].planes]

    return Case(f"smooth-{layout}-{size[0]}x{size[1]}", run)


def _light_case(layout: str, size: tuple[int, int], index: int) -> Case:
    def run(device: Device) -> Arrays:
        frame = noise_frame(PIXEL_LAYOUTS[layout], *size, 1900 + index, 2, device)
        darker = Frame.from_arrays(layout, [device.download(plane) // 2 for plane in frame.planes], *size, device)
        made = under_light_of(index & 1, frame, darker)
        assert made is not None
        parts = [one.component(name) for one in made for name in frame.layout.components]
        return [np.ascontiguousarray(device.download(part)) for part in parts]

    return Case(f"light-{layout}-{size[0]}x{size[1]}", run)


_CHANGES = (
    ("gray", (1, 1)),
    ("nv12", (513, 65)),
    ("uyvy422", (67, 70)),
    ("p010le", (300, 9)),
    ("gray10le", (255, 129)),
)

FIELD_CASES = (
    *_cases(),
    *(_change_case(layout, size, n) for n, (layout, size) in enumerate(_CHANGES)),
    *(_vector_case(layout, size, n) for n, (layout, size) in enumerate(_VECTOR_SIZES)),
    _shaken_case((192, 10), ((0, 0), (3, 0), (-2, 0), (4, 0))),
    _shaken_case((13, 150), ((0, 0), (0, 3), (0, -2), (0, 4))),
    *(_smooth_case(layout, size, n) for n, (layout, size) in enumerate(_SMOOTH_SIZES)),
    *(_light_case(layout, size, n) for n, (layout, size) in enumerate((("nv12", (545, 70)), ("p010le", (131, 97))))),
)
