"""What follows from a surface and a sampler is made once; nothing of one call may be seen in the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import texsamp as ts

U, V = np.random.default_rng(6).random((2, 3, 80), np.float32)
LINEAR, NEAREST = ts.Sampler(), ts.Sampler(min_filter="nearest", mag_filter="nearest")
PROBING = ts.Sampler(max_anisotropy=8)
CALLS: list[Callable[[ts.Surface], Any]] = [
    lambda surface: ts.sample(surface, LINEAR, U, V, lod=np.full(U.shape, 1.5, np.float32)),
    lambda surface: ts.sample(surface, LINEAR, U, V, offset=(1, -1), resource_min_lod=1.0),
    lambda surface: ts.sample(surface, LINEAR, U, V, dtype=np.uint8),
    lambda surface: ts.sample(surface, PROBING, U, V, gradients=((U, V), (V, U))),
    lambda surface: ts.sample(surface, NEAREST, U, V, lod=2.0),
    lambda surface: ts.gather4(surface, LINEAR, U, V, channel="b"),
    lambda surface: ts.sample(surface, LINEAR, U, V),
]


def test_calls_in_turn_give_what_each_gives_alone() -> None:
    texels = np.random.default_rng(5).integers(0, 256, (16, 16, 4), np.uint8)

    def surface() -> ts.Surface:
        return ts.Surface.from_array(texels, mips="box")

    alone = [np.asarray(call(surface())).tobytes() for call in CALLS]
    shared = surface()
    for calls, wanted in ((CALLS, alone), (CALLS[::-1], alone[::-1])):
        assert [np.asarray(call(shared)).tobytes() for call in calls] == wanted
