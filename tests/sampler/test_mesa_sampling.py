"""Mesa's llvmpipe (OSMesa, Debian package libosmesa6) as an outside voice: its samples are what Direct3D allows."""

import numpy as np
import pytest
from support import osmesa
from support.osmesa_sampling import FAST, sampled
from support.sampling import levels_of, surface

import texsamp as ts
from texsamp.sampler.quad import face_directions

pytestmark = pytest.mark.skipif(osmesa.library() is None, reason="libOSMesa is not installed: no llvmpipe to ask")

FORMATS = ["R32G32B32A32_FLOAT", "R8G8B8A8_UNORM"]
BORDER = (0.1, 0.5, 0.9, 0.3)
SHAPE = (48, 64)
SEEN_FLAT = "one number for all samples would prove nothing"


def noise(count, low, high, seed=1):
    return np.random.default_rng(seed).uniform(low, high, (count, *SHAPE)).astype(np.float32)


def voice(made, points, *, type="2D", filter="linear", mip="linear", address=("wrap",) * 3, lod=None, **options):
    """Mesa's samples, and our sampler of the same state."""
    state = {"mip": mip, "address": address, "border": BORDER, "lod": lod, **options}
    result = sampled(type, levels_of(made), points, mag=filter, min=filter, **state)
    assert len(np.unique(result)) > 50, SEEN_FLAT
    sampler = ts.Sampler(min_filter=filter, mag_filter=filter, mip_filter=mip, address=address, border=BORDER)
    return result, sampler


def check(made, points, result, sampler, precision="d3d", **options):
    report = ts.verify(made, sampler, *points, result=result, precision=precision, **options)
    assert report.ok, report
    assert report.accepted.all()
    ours = ts.sample(made, sampler, *points, **options)
    assert ts.verify(made, sampler, *points, result=ours, **options).ok


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("address", [("wrap", "mirror"), ("clamp", "border"), ("mirror_once", "wrap")])
@pytest.mark.parametrize(("filter", "mip"), [("linear", "linear"), ("nearest", "nearest")])
def test_explicit_levels_of_detail(format, address, filter, mip):
    made = surface(format=format, sizes=(64, 40, 1), mips="box")
    points, (lod,) = noise(2, -3, 3), noise(1, -1, 7, seed=2)
    result, sampler = voice(made, points, filter=filter, mip=mip, address=(*address, "wrap"), lod=lod)
    check(made, points, result, sampler, lod=lod)
    other = ts.Sampler(min_filter=filter, mag_filter=filter, mip_filter=mip, address=address[::-1], border=BORDER)
    assert not ts.verify(made, other, *points, result=result, lod=lod, precision="loose").ok


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("transform", ["rotate=20,scale=0.3:0.5,perspective=0.6", "scale=3,rotate=10"])
def test_quads(format, transform):
    """The same quads, with LODs from the derivatives of the grid."""
    made = surface(format=format, sizes=(64, 40, 1), mips="box")
    grid = ts.quad_grid(SHAPE[::-1], transform, device="cpu")
    for mip in ("linear", "none"):
        check(made, (grid.u, grid.v), *voice(made, (grid.u, grid.v), mip=mip))


@pytest.mark.parametrize("format", FORMATS)
def test_cubes(format):
    made = surface("CUBE", format, sizes=(16, 16, 1), mips="box")
    points = np.random.default_rng(3).normal(size=(3, *SHAPE)).astype(np.float32)
    (lod,) = noise(1, -1, 5)
    for filter in ("linear", "nearest"):
        check(made, points, *voice(made, points, type="CUBE", filter=filter, lod=lod), lod=lod)


@pytest.mark.parametrize("format", FORMATS)
def test_quads_of_cubes(format):
    """A face and its neighbors, with LODs from the derivatives of the directions, also where faces meet."""
    made = surface("CUBE", format, sizes=(16, 16, 1), mips="box")
    grid = ts.quad_grid(SHAPE[::-1], "scale=0.3,rotate=10", device="cpu")
    points = face_directions(4, grid.u, grid.v)
    check(made, points, *voice(made, points, type="CUBE"))


@pytest.mark.parametrize("format", FORMATS)
def test_volumes(format):
    made = surface("3D", format, sizes=(16, 8, 4), mips="box")
    points, (lod,) = noise(3, -1, 2), noise(1, -1, 5, seed=2)
    check(made, points, *voice(made, points, type="3D", address=("wrap", "mirror", "clamp"), lod=lod), lod=lod)


@pytest.mark.parametrize("format", FORMATS)
def test_arrays(format):
    made = surface(format=format, sizes=(24, 20, 1), slices=4, mips="box")
    points, (lod,) = noise(2, -3, 3), noise(1, -1, 6, seed=2)
    layer = np.random.default_rng(4).integers(-1, 6, SHAPE).astype(np.float32)
    result, sampler = voice(made, (*points, layer), type="2D array", lod=lod)
    check(made, points, result, sampler, lod=lod, layer=layer)


@pytest.mark.parametrize(
    ("compare", "theirs"),
    [("less", "greater"), ("lequal", "gequal"), ("equal", "equal"), ("notequal", "notequal"), ("gequal", "lequal")],
)
def test_comparison(compare, theirs):
    """OpenGL compares the reference with the texel and gives 1 where that holds; the hardware is its opposite."""
    texels = np.random.default_rng(5).integers(0, 5, (20, 24, 1)).astype(np.float32) / 4
    made = ts.Surface.from_array(texels, "R32_FLOAT", device="cpu")
    points, (reference,) = noise(2, -3, 3), noise(1, 0, 5, seed=6)
    reference = np.floor(reference) / 4
    state = {"lod": np.zeros(SHAPE), "address": ("wrap", "mirror", "wrap"), "compare": theirs}
    result = 1 - sampled("2D shadow", levels_of(made), (*points, reference), **state)
    assert len(np.unique(result)) > 50, SEEN_FLAT
    result[..., 1:] = (0, 0, 1)
    sampler = ts.Sampler(shadow=compare, address=("wrap", "mirror"), mip_filter="none")
    check(made, points, result, sampler, lod=0, compare=reference)


@pytest.mark.parametrize("address", [("wrap", "mirror"), ("clamp", "border"), ("mirror_once", "wrap")])
@pytest.mark.parametrize("format", FORMATS)
def test_gathered_texels_and_their_order(format, address):
    """The same texels in the same order, wherever a step of 1/256 texel does not change which they are."""
    made = surface(format=format, sizes=(64, 40, 1))
    points = noise(2, -3, 3)
    state = {"address": (*address, "wrap"), "border": BORDER}
    theirs = sampled("2D gather", levels_of(made), points, **state)
    ours = ts.gather4(made, ts.Sampler(address=address, border=BORDER, rounding=False), *points)
    parts = [(point.astype(float) * size - 0.5) % 1 for point, size in zip(points, (64, 40), strict=True)]
    clear = np.all([(part > 1 / 128) & (part < 127 / 128) for part in parts], axis=0)
    assert clear.mean() > 0.9
    rounded = 0.5 / 255 if format == "R8G8B8A8_UNORM" else 0  # the border color, to a code
    np.testing.assert_allclose(ours[clear], theirs[clear], rtol=0, atol=1e-7 + rounded)
    assert len(np.unique(theirs)) > 50, SEEN_FLAT


def test_filtering_in_8_bits_is_found_out():
    """Left to itself llvmpipe filters bytes in bytes: loose, but not what Direct3D allows."""
    made = surface(sizes=(64, 40, 1), mips="box")
    grid = ts.quad_grid(SHAPE[::-1], "rotate=20,scale=0.3:0.5", device="cpu")
    result, sampler = voice(made, (grid.u, grid.v), perf=FAST)
    found = [ts.verify(made, sampler, grid.u, grid.v, result=result, precision=name) for name in ("d3d", "loose")]
    assert not found[0].ok
    assert found[1].ok, found[1]
