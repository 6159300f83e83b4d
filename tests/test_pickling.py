"""Surfaces, samplers and states travel: by pickle to other processes, and by deepcopy."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from support.pretended_cuda import pretended_cuda

import texsamp as ts
from texsamp.state.base import Struct

TEXELS = np.random.default_rng(3).integers(0, 256, (12, 20, 4), dtype=np.uint8)


def surfaces():
    plain = ts.Surface.from_array(TEXELS, mips="box", tiling="Y", device="cpu")
    cube = ts.Surface.from_array(TEXELS[:12, :12][None].repeat(6, 0), type="cube", device="cpu")
    return [plain, plain.view(level=1, levels=2), cube, cube.view(face="+z")]


@pytest.mark.parametrize(
    "travel", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
class TestTravel:
    def test_samplers_and_states(self, travel):
        sampler = ts.Sampler(address=("wrap", "clamp"), border=(1, 0.5, 0, 1), max_anisotropy=4, lod_bias=-0.5)
        again = travel(sampler)
        assert again == sampler
        assert again.max_anisotropy == 4
        for kind in [kind for kind in Struct.by_name.values() if kind.__module__.startswith("texsamp.")]:
            state = kind(generation=max(kind.since, 7) if kind.until >= 7 else kind.until)
            assert travel(state) == state
            assert travel(state).generation == state.generation

    def test_surfaces_with_all_levels_and_without_what_was_derived(self, travel):
        for surface in surfaces():
            sampled = ts.sample(surface, ts.Sampler(), *ats(surface))
            again = travel(surface)
            assert again == surface
            assert again.device is surface.device
            assert not again.derived
            assert np.array_equal(ts.sample(again, ts.Sampler(), *ats(again)), sampled)
            again.data[...] = 0
            assert surface.to_array().any()

    def test_surfaces_of_a_gpu(self, travel):
        with pretended_cuda():
            surface = ts.Surface.from_array(TEXELS, tiling="X", device="cuda")
            assert travel(surface) == surface
            assert travel(surface).device is surface.device

    def test_null_surfaces(self, travel):
        assert travel(ts.NullSurface("cpu")).device.name == "cpu"


def ats(surface):
    axes = 3 if surface.faces == 6 else 2
    return [np.linspace(0.1, 0.9, 5, dtype=np.float32) for _ in range(axes)]
