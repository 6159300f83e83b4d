"""The vector loops for arrays, volumes and cubes compute what the general kernel does, bit by bit."""

import numpy as np
import pytest
from support.sampling import HOSTILE, assert_equal, noise, sample_generally

import texsamp as ts
from texsamp.sampler.expanded import texel_kind
from texsamp.sampler.kernel import choose_kernel

MODES = ("wrap", "mirror", "clamp", "mirror_once", "border", "half_border")
SHAPES = {
    "array": [(3, 1, 1), (5, 37, 61), (2, 16, 256)],
    "volume": [(1, 1, 1), (7, 5, 33), (16, 16, 16)],
    "cube": [(6, 1, 1), (6, 7, 7), (12, 16, 16)],
}
PICTURES = [(9, 131), (4, 64), (700,)]
"""Pieces, some of them narrower than lanes, pieces that are whole, and strips."""


def surface(kind, shape, mips="box"):
    type = {"volume": "3D", "cube": "CUBE"}.get(kind)
    return ts.Surface.from_array(noise((*shape, 4), np.uint8), type=type, mips=mips, device="cpu")


def coordinates(count, shape, seed=2):
    random = np.random.default_rng(seed)
    made = random.uniform(-3, 3, (count, *shape)).astype(np.float32)
    hostile = random.random((count, *shape)) < 0.03
    return np.where(hostile, random.choice(HOSTILE, (count, *shape)), made)


def places(kind, made, shape, seed=2):
    """Coordinates of any kind, as arguments; a layer where there are several."""
    *at, layer = coordinates(3 if kind == "array" else 4, shape, seed)
    return tuple(at), {"layer": layer} if made.layers > 1 else {}


def kernel_of(made, sampler, layer=None, **_):
    kind = texel_kind(made.info, sampler.border_mode)
    return choose_kernel(made, sampler, kind, is_plain=True, is_layered=layer is not None, is_lod_given=False).name


@pytest.mark.parametrize("kind", SHAPES)
def test_slices_of_every_level_and_between_them(kind):
    for number, (shape, mode) in enumerate(
        (shape, mode) for shape in SHAPES[kind] for mode in (MODES if kind != "cube" else MODES[:2])
    ):
        made, picture = surface(kind, shape), PICTURES[number % 3]
        at, layer = places(kind, made, picture, number)
        address = "clamp" if kind == "cube" else (mode, MODES[(number + 1) % 4], MODES[number % 4])[: len(at)]
        lods = np.random.default_rng(number).uniform(-2, made.levels + 1, picture).astype(np.float32)
        for cube in ("seamless", "programmed") if kind == "cube" else ("seamless",):
            sampler = ts.Sampler(
                address=address, rounding=number % 4 < 2, border=(0.1, 0.2, 1.0, 0.7), lod_bias=0.3, cube=cube
            )
            is_bordered = kind == "volume" and "border" in mode
            wanted = "sample_unorm8" if is_bordered else "sample_slices8"
            if kind != "array":
                assert kernel_of(made, sampler, **layer) == wanted
            for lod in (lods, 1.3, None):
                for dtype in (np.uint8, np.float32):
                    found = ts.sample(made, sampler, *at, **layer, lod=lod, dtype=dtype)
                    assert_equal(found, sample_generally(made, sampler, *at, **layer, lod=lod, dtype=dtype))
