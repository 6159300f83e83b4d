"""Few samples of a compressed surface decode the blocks that they read, and have the bits of a whole surface."""

import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from support.sampling import HOSTILE, assert_equal

import texsamp as ts
from texsamp.sampler import touched
from texsamp.sampler.expanded import expanded, room_of
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages, image_size_B
from texsamp.surface.surface import format_named

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
SURFACES = {
    "2D": (SurfaceType.SURFTYPE_2D, "BC1_UNORM", (93, 61), {}),
    "2D-floats": (SurfaceType.SURFTYPE_2D, "BC6H_SF16", (64, 70), {}),
    "2D-srgb": (SurfaceType.SURFTYPE_2D, "BC7_UNORM_SRGB", (50, 77), {}),
    "2D-array": (SurfaceType.SURFTYPE_2D, "BC3_UNORM", (37, 64), {"array_length": 3, "is_array": True}),
    "3D": (SurfaceType.SURFTYPE_3D, "BC4_UNORM", (21, 30), {"depth_px": 9}),
    "CUBE": (SurfaceType.SURFTYPE_CUBE, "BC2_UNORM", (52, 52), {}),
    "wide-blocks": (SurfaceType.SURFTYPE_2D, "FXT1", (90, 57), {}),
    "large-blocks": (SurfaceType.SURFTYPE_2D, "ASTC_LDR_2D_12X10_U8SRGB", (150, 110), {}),
}

OPTIONS = [{}, {"max_anisotropy": 8}, {"mag_filter": "nearest", "mip_filter": "nearest"}]
CASES = [(name, each) for name in SURFACES for each in OPTIONS if name != "3D" or "max_anisotropy" not in each]


def surface(name, seed=1):
    """Blocks of noise, or for ASTC of constant colors, on every level."""
    type, format, (width, height), more = SURFACES[name]
    info, random = format_named(format), np.random.default_rng(seed)
    levels, slices = [], more.get("array_length", 1) * (6 if name == "CUBE" else 1)
    depth = more.get("depth_px", 1)
    for level in range(max(width, height, depth).bit_length()):
        size = [max(side >> level, 1) for side in (width, height, depth)]
        blocks = random.integers(0, 256, (slices, image_size_B(info, *size) // (info.bits // 8), info.bits // 8))
        if "ASTC" in format:
            blocks[..., :8] = (0xFC, 0xFD, *[0xFF] * 6)
        levels.append(tuple(each.astype(np.uint8).tobytes() for each in blocks))
    return ts.Surface.from_images(TextureImages(type, format, width, height, tuple(levels), **more), device="cpu")


def whole(name):
    made = surface(name)
    expanded(made)
    return made


@pytest.mark.parametrize(("name", "options"), CASES)
def test_few_samples_are_those_of_a_whole_surface(name, options):
    few, all_texels, random = surface(name), whole(name), np.random.default_rng(5)
    axes = 3 if name in ("3D", "CUBE") else 2
    modes = ("wrap", "mirror", "clamp", "mirror_once", "border", "half_border")
    for mode in modes[:1] if name == "CUBE" else modes:
        sampler = ts.Sampler(address=mode, border=(0.2, 0.4, 0.6, 1.0), **options)
        for count in (1, 5, 17):
            points = random.uniform(-3, 3, (axes, count)).astype(np.float32)
            points = np.where(random.random(points.shape) < 0.1, random.choice(HOSTILE, points.shape), points)
            more = {"layer": random.integers(0, 3, count)} if "array" in name else {}
            slopes = random.normal(0, 0.05, (2, axes, count)).astype(np.float32)
            for detail in ({"lod": random.uniform(-1, 9, count)}, {"gradients": slopes}, {}):
                found = ts.sample(few, sampler, *points, **detail, **more)
                assert_equal(found, ts.sample(all_texels, sampler, *points, **detail, **more))
    assert touched.touched_by_few(few, sampler, touched.SampleArguments(0), 1) is not None
    assert not room_of(few, "dx10").is_whole
    assert_equal(expanded(few).texels, expanded(all_texels).texels)


def test_a_point_decodes_no_more_than_the_blocks_around_it(monkeypatch):
    decoded = []

    def picture_of(surface, kind, elements, size, *rest):
        decoded.append(size)
        return original(surface, kind, elements, size, *rest)

    original = touched.picture_of
    monkeypatch.setattr(touched, "picture_of", picture_of)
    made = surface("2D")
    sampler = ts.Sampler(address="clamp", mip_filter="none")
    u, v = np.array([40.5 / 93, 41.25 / 93], np.float32), np.full(2, 30.5 / 61, np.float32)
    ts.sample(made, sampler, u, v)
    assert 0 < sum(width * height for width, height in decoded) <= 4 * 2 * (93 + 3)
    before = len(decoded)
    ts.sample(made, sampler, u, v)
    assert len(decoded) == before


def test_the_rest_is_decoded_when_few_samples_come_again_and_again(monkeypatch):
    monkeypatch.setattr(touched, "_MOST_LAUNCHES", 3)
    made, all_texels = surface("2D"), whole("2D")
    for step in range(5):
        at = np.float32([0.11, 0.19 * step])
        assert_equal(ts.sample(made, ts.Sampler(), at, at), ts.sample(all_texels, ts.Sampler(), at, at))
        assert room_of(made, "dx10").is_whole == (step >= 3)


def test_what_changes_all_texels_takes_all_texels():
    made, at = surface("CUBE"), np.float32([0.3, -0.8])
    found = ts.sample(made, ts.Sampler(border=(1, 0, 0, 1)), 1, at, at, lod=0, cube_faces=0b101111)
    assert_equal(found[0], np.float32([1, 0, 0, 1]))
    again = ts.sample(surface("CUBE"), ts.Sampler(border=(1, 0, 0, 1)), 1, at, at, lod=0)
    assert (again[0] != found[0]).any()
    with pytest.raises(ts.TexsampError, match="cube_faces"):
        ts.sample(surface("2D"), ts.Sampler(), at, at, cube_faces=63.0)


def test_expanding_needs_little_more_than_the_texels():
    width, height, random = 4096, 2048, np.random.default_rng(1)
    blocks = random.integers(0, 256, width * height // 2, np.uint8).tobytes()
    made = ts.Surface.from_images(TextureImages(SurfaceType.SURFTYPE_2D, "BC1_UNORM", width, height, ((blocks,),)))
    made.device.empty((1,), np.uint8)
    tracemalloc.start()
    try:
        texels = expanded(made).texels
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most <= 1.2 * texels.nbytes


def test_runs_are_the_kernels():
    (run,) = re.findall(r"TOUCHED_RUN = (\d+)", (KERNELS / "sample_touched.h").read_text())
    assert int(run) == touched.RUN
