"""Objects of every kind on a picture of odd size: their samples, and the weights at pixels, centroids and samples."""

from __future__ import annotations

import numpy as np
from support.drawing import primitives, raster_state

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.emulator.fixed.interpolation import Interpolator
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_3d import Topology

_KINDS = {Topology.TRILIST: 3, Topology.RECTLIST: 3, Topology.LINELIST: 2, Topology.POINTLIST: 1}


def _case(topology: Topology, samples: int) -> Case:
    corners = _KINDS[topology]
    random = np.random.default_rng(corners)
    at = random.uniform(-20, 60, (150 * corners, 4))
    at[: 30 * corners, :2] *= 100
    at[:, 3] = random.uniform(0.2, 9, len(at))
    at[:, :3] *= at[:, 3:]
    points = {"point_width_source": "STATE", "point_width": 5.25}
    state = raster_state((53, 37), samples=samples, clip={"perspective_divide_disable": False}, setup=points)
    drawn = primitives(at, topology=topology, corners=corners)

    def run(device: Device) -> Arrays:
        objects = set_up(drawn, state)
        made: Arrays = []
        for spans in rasterize(objects, state.tested, device):
            sample = np.arange(len(spans)) % samples
            numbers = Interpolator(objects, spans, state, device, sample)
            with device.current():
                there = [numbers.barycentrics(0b111111), numbers.depth_of_samples()]
                there += [numbers.at(place).w for place in (0, 2, 3)]
            made += [spans.subspans, *map(device.download, there)]
        return made

    return Case(f"raster-{topology.name}-{samples}", run)


RASTER_CASES = (*(_case(topology, 1) for topology in _KINDS), _case(Topology.TRILIST, 8))
