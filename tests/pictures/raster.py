"""Objects of every kind on a picture of odd size, clipped and set up: their samples, attributes, and their weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from support.drawing import primitives, raster_state, viewport

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.emulator.fixed.interpolation import Interpolator
from texsamp.emulator.fixed.line_coverage import line_coverage
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.raster_stage import subspans
from texsamp.emulator.fixed.setup import clip_and_set_up, set_up
from texsamp.emulator.fixed.stipple import counted
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import LineAntialiasing, LineStipple, PolyStippleOffset, PolyStipplePattern

_CORNERS = {Topology.TRILIST: 3, Topology.RECTLIST: 3, Topology.LINELIST: 2, Topology.POINTLIST: 1}
_KINDS = {**_CORNERS, Topology.LINESTRIP: 2, Topology.LINESTRIP_CONT: 2}
_SIZE = (53, 37)
_MADE = ("edges", "areas", "rows", "weights", "scales", "corners", "told", "setup")


def _case(topology: Topology, samples: int) -> Case:
    corners = _KINDS[topology]
    random = np.random.default_rng(corners)
    at = random.uniform(-20, 60, (150 * corners, 4))
    at[: 30 * corners, :2] *= 100
    at[:, 3] = random.uniform(0.2, 9, len(at))
    at[:, :3] *= at[:, 3:]
    points = {"point_width_source": "STATE", "point_width": 5.25}
    state = raster_state(_SIZE, samples=samples, clip={"perspective_divide_disable": False}, setup=points)

    def run(device: Device) -> Arrays:
        objects = set_up(primitives(at, topology=topology, corners=corners, device=device), state)
        pieces: list[Arrays] = []
        for spans in rasterize(objects, state.tested):
            sample = (spans.subspans[:, 1] // 2 + spans.subspans[:, 2]) % samples
            numbers = Interpolator(objects, spans, state, device, device.upload(sample.astype(np.int32)))
            with device.current():
                there = [numbers.barycentrics(0b111111), numbers.depth_of_samples()]
                there += [numbers.at(place).w for place in (0, 2, 3)]
            pieces.append([spans.subspans, *map(device.download, there)])
        return [np.concatenate(parts) for parts in zip(*pieces, strict=True)]

    return Case(f"raster-{topology.name}-{samples}", run)


def _lines_case(topology: Topology, name: str, slope: float, setup: dict[str, Any]) -> Case:
    """Stippled lines and polygons, and how much of pixels antialiased lines cover."""
    corners = _KINDS[topology]
    random = np.random.default_rng(corners)
    at = random.uniform(-20, 60, (40 * corners, 4))
    at[:, 3] = 1
    modes = {"multisample_mode": "OFF_PATTERN"}
    windower = {"line_stipple": True, "polygon_stipple": True, "line_width": "PIXELS_2", **modes}
    state = replace(
        raster_state(_SIZE, samples=4, setup={"line_width": 3.0, **modes, **setup}, windower=windower),
        line_stipple=LineStipple(pattern=0b1011000111100101, repeat=3),
        line_antialiasing=LineAntialiasing(slope=slope, bias=0.25, end_slope=slope / 2, end_bias=0.125),
        stipple_pattern=PolyStipplePattern(pattern=[0xF0F3C0F0 * (n + 1) & 0xFFFFFFFF for n in range(32)]),
        stipple_offset=PolyStippleOffset(x=5, y=9), sample_mask=0b1011,
    )  # fmt: skip

    def run(device: Device) -> Arrays:
        given = primitives(at, topology=topology, corners=corners, device=device, runs=np.arange(40) // 7)
        objects = set_up(given, state)
        pieces: list[Arrays] = []
        for spans in subspans(objects, state):
            covered = line_coverage(objects, spans, state)
            pieces.append([spans.subspans, *([] if covered is None else [device.download(covered)])])
        after = counted(objects, topology, state)
        return [*(np.concatenate(parts) for parts in zip(*pieces, strict=True)), np.frombuffer(after.pack(), np.uint8)]

    return Case(f"lines-{topology.name}-{name}", run)


def _setup_case(topology: Topology, name: str, setup: dict[str, Any]) -> Case:
    """Objects that leave the view volume and the guard band, with attributes of every source."""
    corners = _KINDS[topology]
    random = np.random.default_rng(corners)
    at = random.uniform(-1.5, 1.5, (100 * corners, 4))
    at[:, 3] = random.uniform(-0.1, 1.4, len(at))
    values = random.uniform(-1, 1, (len(at), 4, 4)).astype(np.float32)
    values[random.random(values.shape) < 0.05] = np.inf
    entries = {"source_attribute": [3, 1, 0, 2] * 4, "swizzle_select": [0, 1, 2, 3] * 4, "wrap_shortest": [5] * 16}
    clipping = {
        "enable": True, "perspective_divide_disable": False, "viewport_xy_test": True, "viewport_z_test": True,
        "guardband_test": True, "clip_distances": 0b10, "cull_distances": 0b100, "non_perspective_barycentric": True,
    }  # fmt: skip
    state = raster_state(
        _SIZE, clip=clipping,
        setup={"viewport_transform": True, "point_width_source": "STATE", "point_width": 2.5, **setup},
        backend={"attributes": 5, "swizzle_enable": True, "constant_attributes": 4, "sprite_attributes": 8, **entries},
        viewports=[viewport(_SIZE, 1.25)],
    )  # fmt: skip
    distances = random.uniform(-0.2, 2, (len(at), 2, 4))

    def run(device: Device) -> Arrays:
        given = primitives(
            at, values, topology=topology, corners=corners, distances=distances, device=device,
            runs=np.arange(100) // 7,
        )  # fmt: skip
        objects, passed = clip_and_set_up(given, state)
        made = [device.download(getattr(objects, name)) for name in _MADE]
        made += [] if objects.straight is None else [device.download(objects.straight)]
        return [*made, np.array([passed, objects.extent.pixels]), np.asarray(device.download(objects.meet))]

    return Case(f"setup-{topology.name}-{name}", run)


_BIASED = {f"depth_offset_{mode}": True for mode in ("solid", "wireframe", "point")} | {
    "depth_offset_constant": 2.0, "depth_offset_scale": 0.5, "depth_format": "D32_FLOAT",
}  # fmt: skip

RASTER_CASES = (
    *(_case(topology, 1) for topology in _CORNERS),
    _case(Topology.TRILIST, 8),
    _setup_case(Topology.TRILIST, "solid", _BIASED),
    _setup_case(Topology.TRILIST, "lines", _BIASED | {"front_fill": "WIREFRAME", "back_fill": "WIREFRAME"}),
    _setup_case(Topology.TRILIST, "points", _BIASED | {"front_fill": "POINT", "line_width": 2.0}),
    _setup_case(Topology.LINELIST, "thin", {"last_pixel": True}),
    _setup_case(Topology.LINELIST, "wide", {"line_width": 2.5, "antialiasing": True}),
    _setup_case(Topology.POINTLIST, "points", {}),
    _lines_case(Topology.LINESTRIP, "stippled", 0.0, {}),
    _lines_case(Topology.LINESTRIP_CONT, "continued", 0.0, {}),
    _lines_case(Topology.LINELIST, "covered", 0.0, {"antialiasing": True}),
    _lines_case(Topology.TRILIST, "slopes", 0.55, {"antialiasing": True, "front_fill": "WIREFRAME"}),
)
