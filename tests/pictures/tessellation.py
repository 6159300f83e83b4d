"""Patches of random factors, divided: points, objects, and what domain threads begin with."""

from __future__ import annotations

from itertools import product

import numpy as np
from support.patches import INNER, OUTER, tessellated

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.emulator.fixed.domain_threads import DomainWork

_PATCHES = 12


def _case(domain: str, partitioning: str, output: str, lanes: int) -> Case:
    random = np.random.default_rng(len(domain) + len(partitioning))
    shape = _PATCHES, len(OUTER[domain]) + len(INNER[domain])
    factors = np.where(random.random(shape) < 0.5, random.integers(1, 9, shape), random.uniform(0.5, 12, shape))
    factors[1, 0], factors[2], factors[3, -1], factors[4, 0] = -1, 1, np.nan, np.inf
    outer, inner = np.split(factors, [len(OUTER[domain])], axis=1)

    def run(device: Device) -> Arrays:
        ids = device.upload(np.arange(_PATCHES) * 3 + 1)
        made = tessellated((domain, partitioning, output), outer, inner, device)
        places = device.empty((made.ends.points,), np.int32)
        work = DomainWork(made, ids, lanes, 2, 3, partitioning == "INTEGER", places, device)
        there = [made.points, made.ends.ends, made.objects.vertices, made.objects.numbers, made.objects.runs]
        for threads in work.batches(50):
            there += [threads.headers, threads.fixed, threads.channels, threads.patches, threads.held]
        return [device.download(each) for each in (*there, places)]

    return Case(f"tessellation-{domain}-{partitioning}-{output}-{lanes}", run)


_PARTITIONINGS = "INTEGER", "ODD_FRACTIONAL", "EVEN_FRACTIONAL"

TESSELLATION_CASES = (
    *(_case(domain, partitioning, "TRI_CW", 2) for domain, partitioning in product(("QUAD", "TRI"), _PARTITIONINGS)),
    *(_case("ISOLINE", partitioning, "LINE", 2) for partitioning in _PARTITIONINGS),
    _case("TRI", "INTEGER", "TRI_CCW", 1),
    _case("QUAD", "ODD_FRACTIONAL", "POINT", 1),
)
