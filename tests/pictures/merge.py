"""The output merger: random states, formats, tilings and samples, many fragments of a pixel among them."""

from __future__ import annotations

import numpy as np
from support.merging import random_case

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.emulator.fixed.merge import merge


def _case(seed: int) -> Case:
    drawn = random_case(seed, count=40)

    def run(device: Device) -> Arrays:
        memory = drawn.graphics.memory()
        merged = merge(memory, drawn.state, drawn.fragments, device)
        places = [*drawn.targets.values(), *(each for each in (drawn.depth, drawn.stencil) if each is not None)]
        return [merged.samples, *(np.array(memory.bytes_from(placed.address)) for placed in places)]

    return Case(f"merge-{seed}", run)


MERGE_CASES = tuple(_case(seed) for seed in (1, 2, 5, 11))
