"""What the model of a GPU's costs is made from: filters on pictures of 8 and 10 bits, textures, draws."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import numpy as np

import texsamp as ts
from benchmarks.gpu_draws import draws
from benchmarks.gpu_textures import textures
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.presets import preset
from texsamp.video.deinterlace.call import run_call
from texsamp.video.deinterlace.launches import measure_motion
from texsamp.video.deinterlace.parameters import DRIVER_STATE, DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.denoise.launches import block_noise
from texsamp.video.denoise.parameters import NoiseThresholds
from texsamp.video.light import under_light_of
from texsamp.video.presets.avs import adaptive_parameters
from texsamp.video.presets.ief import ief_level
from texsamp.video.samples import Samples
from texsamp.video.scale import AvsPlane, AvsTables

Cases = Iterator[tuple[str, Callable[[], object]]]

FILTERS = (
    "scale=1280x720",
    "scale=1920x1080",
    "scale=1920x1080:adaptive=on",
    "scale=480x270",
    "sharpen=44",
    "sharpen=mode=gen6-combination",
    "denoise=20",
    "deinterlace=mode=madi:rate=field:deint=all",
    "procamp=contrast=1.1",
    "csc=matrix=bt709",
    "contrast=auto",
    "tonemap=auto:from=pq",
    "tonemap=from=pq:bits=10",
    "lut3d=look.cube",
    "lut3d=look.cube:interp=trilinear",
)
FILTERS_OF_MOTION = (
    "denoise=60",
    "denoise=fast",
    "denoise=hq",
    "deinterlace=mode=mcdi:rate=field:deint=all",
    "deinterlace=mode=hq:rate=field:deint=all",
    "deinterlace=mode=best:rate=field:deint=all",
    "deinterlace=film=auto:deint=all",
)
"""Fed with a picture that moves."""
DEEP_FILTERS = (
    "scale=512x256",
    "scale=512x256:adaptive=on",
    "scale=192x96",
    "sharpen=44",
    "sharpen=mode=gen6-combination",
    "deinterlace=mode=madi:rate=field:deint=all",
    "procamp=contrast=1.1",
    "csc=matrix=bt709",
    "csc=matrix=bt709:format=yuv420p",
    "tonemap=auto:from=pq",
    "tonemap=from=pq:bits=8",
    "denoise=60",
    "denoise=fast",
    "denoise=hq",
    "deinterlace=mode=mcdi:rate=field:deint=all",
    "deinterlace=film=auto:deint=all",
)
"""Fed with a picture of 10 bits that moves."""
WARM_UP = 11
"""Pictures until every filter has those around one that it asks for."""
WIDTH_PX, HEIGHT_PX = 960, 540
"""Of the frames: whole tiles of a larger picture cost the same."""
MOVING_PX = 384, 192
"""Of frames that are fed in numbers: whole tiles, too."""
STEP_PX, SOFT_PX = 3, 5
"""What moves between two of them, and how soft it is."""
CONVERSIONS = (("yuv420p", "nv12"), ("yuv420p", "p010le"), ("yuv420p10le", "p010le"), ("yuv420p10le", "nv12"))
TAPS = 5
CUBE = 33
"""Entries of a side of the table of colors."""


def model_cases(device: ts.Device) -> Cases:
    """Names of cases, and what runs each."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        yield from _filters(device, rng, Path(folder))
    yield from _conversions(device, rng)
    yield from _states(device, rng)
    yield from textures(device, rng)
    yield from draws(device)


def _filters(device: ts.Device, rng: np.random.Generator, folder: Path) -> Cases:
    _write_cube(folder / "look.cube")
    still = [_still(device, rng)]
    moving = _moving(device, rng, WARM_UP + 1)
    deep = _moving(device, rng, WARM_UP + 1, 10)
    given: tuple[tuple[tuple[str, ...], list[ts.Frame], int, str], ...] = (
        (FILTERS, still, 2, ""),
        (FILTERS_OF_MOTION, moving, WARM_UP, ""),
        (DEEP_FILTERS, deep, WARM_UP, " of 10 bits"),
    )
    for texts, frames, warm_up, words in given:
        for text in texts:
            full = text.replace("look.cube", str(folder / "look.cube"))
            pipeline, fed = ts.Pipeline.parse(full, device), cycle(frames)
            for _ in range(warm_up):
                list(pipeline.feed(next(fed)))  # temporal filters hold frames back
            yield text + words, partial(_feed, pipeline, next(fed))


def _write_cube(path: Path) -> None:
    """A table of colors that lifts the dark."""
    axis = np.linspace(0, 1, CUBE) ** 0.8
    blue, green, red = np.meshgrid(axis, axis, axis, indexing="ij")
    rows = np.stack([red, green, blue], -1).reshape(-1, 3)
    path.write_text(f"LUT_3D_SIZE {CUBE}\n" + "".join("{:.6f} {:.6f} {:.6f}\n".format(*row) for row in rows))


def _still(device: ts.Device, rng: np.random.Generator, bits: Literal[8, 10] = 8) -> ts.Frame:
    """A ramp under noise."""
    luma = np.add.outer(np.arange(HEIGHT_PX), np.arange(WIDTH_PX)) // 8 % 200
    return _frame(device, luma + rng.integers(0, 24, luma.shape), bits)


def _moving(device: ts.Device, rng: np.random.Generator, count: int, bits: Literal[8, 10] = 8) -> list[ts.Frame]:
    """A soft texture that moves to the left: what searches find."""
    (width, height), soft = MOVING_PX, np.ones(SOFT_PX) / SOFT_PX
    wide = rng.uniform(0, 255, (height, width + STEP_PX * count))
    for axis in (0, 1):
        wide = np.apply_along_axis(np.convolve, axis, wide, soft, "same")
    return [_frame(device, wide[:, STEP_PX * n :][:, :width], bits) for n in range(count)]


def _frame(device: ts.Device, picture: Any, bits: Literal[8, 10]) -> ts.Frame:
    luma = np.ascontiguousarray(picture).astype(np.uint8 if bits == 8 else np.uint16) << (bits - 8)
    layout = "yuv420p" if bits == 8 else "yuv420p10le"
    planes = [luma, luma[::2, ::2].copy(), luma[1::2, 1::2].copy()]
    return ts.Frame.from_arrays(layout, planes, luma.shape[1], luma.shape[0], device)


def _feed(pipeline: ts.Pipeline, frame: ts.Frame) -> list[ts.Frame]:
    return list(pipeline.feed(frame))


def _conversions(device: ts.Device, rng: np.random.Generator) -> Cases:
    frames = {"yuv420p": _still(device, rng), "yuv420p10le": _still(device, rng, 10)}
    yield "convert to rgb24", partial(ts.convert, frames["yuv420p"], "rgb24")
    for have, wanted in CONVERSIONS:
        yield f"convert {have} to {wanted}", partial(ts.convert, frames[have], wanted)
    yield "convert yuv420p10le to x2rgb10le", partial(ts.convert, frames["yuv420p10le"], "x2rgb10le")
    packed = ts.convert(frames["yuv420p10le"], "x2rgb10le")
    yield "convert x2rgb10le to rgba64le", partial(ts.convert, packed, "rgba64le")
    weights = rng.normal(0, 0.1, (TAPS, TAPS))
    for dtype in (np.uint8, np.uint16, np.int16):
        plane = device.upload(rng.integers(0, 256, (HEIGHT_PX, WIDTH_PX)).astype(dtype))
        yield f"convolve 5x5 {np.dtype(dtype)}", partial(ts.convolve, plane, weights, device=device)


def _states(device: ts.Device, rng: np.random.Generator) -> Cases:
    """What only states of the hardware ask for."""
    yield "message: denoise and deinterlace", partial(_message, *_moving(device, rng, 2))
    yield "message: noise of fields of 10 bits", partial(_noisy_fields, *_moving(device, rng, 2, 10))
    depths: tuple[Literal[8, 10], ...] = (8, 10)
    for bits in depths:
        yield f"state: largest coefficients, guide of RGB of {bits} bits", partial(_scaler, device, rng, bits)
        yield f"light that flickers, of {bits} bits", partial(_flickering, device, bits)
    strongest = replace(ief_level(64), combine="sum", r3x=31, r3c=31, r5x=31, r5cx=31, r5c=31)
    yield "state: sharpen with the largest weights", partial(ts.Sharpen(settings=strongest).apply, _still(device, rng))


def _message(reference: ts.Frame, current: ts.Frame) -> None:
    """One call of the denoiser and deinterlacer, with its statistics."""
    state = preset(DeinterlaceSamplerState, "i965", dn_enable=True, di_enable=True)
    stored = StatisticsSurface.after_first_frame(current.device, current.width_px, current.height_px)
    run_call(state, current, reference, stored)


def _noisy_fields(reference: ts.Frame, current: ts.Frame) -> None:
    """The same call's statistics, which has 8 bits only."""
    device, size = current.device, (current.width_px, current.height_px)
    stored, written = (StatisticsSurface.after_first_frame(device, *size) for _ in range(2))
    constants = DeinterlaceParameters.from_state(DRIVER_STATE)
    device.launch(measure_motion((reference, current), (0, 1), constants, stored, written, (current, 1)))
    launch, _ = block_noise(device, Samples.of(current, "Y"), NoiseThresholds.from_state(DRIVER_STATE), False, 4)
    device.launch(launch)


def _flickering(device: ts.Device, bits: Literal[8, 10]) -> None:
    """A field of `hq` beside others under three quarters of its light."""
    luma = np.add.outer(np.arange(MOVING_PX[1]), np.arange(MOVING_PX[0])) // 4
    lit, dim = (_frame(device, luma * quarters // 4, bits) for quarters in (4, 3))
    if not under_light_of(0, lit, dim):
        raise AssertionError("the light of both fields is taken for the same")


def _scaler(device: ts.Device, rng: np.random.Generator, bits: int) -> None:
    """Any coefficients that a state can hold, whose sums need 32 bits; RGB, one and all channels blended."""
    width, height = MOVING_PX
    table = rng.choice([-128, 127], (32, 8)).astype(np.int16)
    inner = table * np.isin(np.arange(8), (2, 3, 4, 5))
    tables = AvsTables(table, table, inner, inner)
    places = tuple((np.arange(size) * 32).astype(np.int32) for size in MOVING_PX)
    dtype: Any = np.uint8 if bits == 8 else np.uint16
    planes = [rng.integers(0, 1 << bits, (height, width)).astype(dtype) for _ in range(3)]
    for blended in (True, False):
        state = replace(
            adaptive_parameters("ihd"), adaptive_all_channels=blended, rgb_adaptive=blended, bypass_x=not blended,
            bypass_y=not blended, default_sharpness=255,
        )  # fmt: skip
        plane = AvsPlane(device, MOVING_PX, (places[0], places[1]), tables, state)
        pairs = [
            (Samples.plane(device.upload(each), bits), Samples.plane(device.empty(each.shape, dtype), bits))
            for each in planes
        ]
        device.launch(*plane.launches(pairs, 1))
