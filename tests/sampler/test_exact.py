"""The exact filter is the mathematics in float32; its gradients are differences of the oracle in double precision."""

import itertools

import numpy as np
import pytest
from oracle import exact as oracle

import texsamp as ts

MODES = ("wrap", "mirror", "clamp", "mirror_once", "border", "half_border")
SHAPES = {"1D": (13,), "2D": (7, 13), "3D": (5, 7, 6), "CUBE": (6, 8, 8)}
FLOATS = "R32G32B32A32_FLOAT"
BORDER = (0.2, 0.8, 0.4, 1.0)  # codes of 8 bits, too
COUNT = 60


def texture(kind, format=FLOATS, seed=1, mips="box"):
    random = np.random.default_rng(seed)
    texels = random.uniform(0, 1, (*SHAPES[kind], 4)).astype(np.float32)
    if format != FLOATS:
        texels = random.integers(0, 256, texels.shape, np.uint8)
    made = ts.Surface.from_array(texels, format, type=kind, mips=mips, device="cpu")
    return made, [level_of(made, kind, level) for level in range(made.levels)]


def level_of(made, kind, level):
    texels = made.to_array(level).astype(np.float64)
    if made.format != FLOATS:
        texels = texels / 255
    return texels.reshape(-1, *texels.shape[-3:] if kind != "1D" else (1, *texels.shape[-2:]))


def points(kind, seed=2, count=COUNT, far=1.5):
    random = np.random.default_rng(seed)
    axes = {"1D": 1, "2D": 2}.get(kind, 3)
    return random.uniform(-far, far, (axes, count)).astype(np.float32)


def state(sampler, kind, **more):
    words = {0: "nearest", 1: "linear", 2: "anisotropic"}
    mips = {0: "none", 1: "nearest", 3: "linear"}
    hardware = sampler.state
    addresses = {0: "wrap", 1: "mirror", 2: "clamp", 4: "border", 5: "mirror_once", 6: "half_border"}
    return oracle.State(
        mag=words[hardware.mag_filter],
        min=words[hardware.min_filter],
        mip=mips[hardware.mip_filter],
        address=tuple(addresses[each] for each in sampler.address),
        border=sampler.border,
        bias=hardware.lod_bias,
        min_lod=hardware.min_lod,
        max_lod=hardware.max_lod,
        base=hardware.base_mip_level,
        most_probes=sampler.max_anisotropy if sampler.is_anisotropic else 1,
        kind=kind,
        **more,
    )


def samples(model, levels, at, **arrays):
    """The oracle's samples; arrays: of each sample."""
    rows = [{name: array[..., i].astype(float) for name, array in arrays.items()} for i in range(at.shape[1])]
    if "slice" in arrays:
        rows = [row | {"slice": int(row["slice"])} for row in rows]
    return np.array([oracle.sample(model, levels, at[:, i].astype(float), **row) for i, row in enumerate(rows)])


def close(found, wanted, most=1.0, tolerance=3e-5):
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, rtol=0, atol=tolerance * most)


@pytest.mark.parametrize("format", [FLOATS, "R8G8B8A8_UNORM"])
@pytest.mark.parametrize("kind", SHAPES)
def test_every_filter_and_address(kind, format):
    made, levels = texture(kind, format)
    at, random = points(kind), np.random.default_rng(3)
    filters = itertools.product(("nearest", "linear"), ("nearest", "linear"), ("none", "nearest", "linear"))
    modes = itertools.cycle(["wrap"] if kind == "CUBE" else MODES)
    for mag, least, mip in filters:
        mode = next(modes)
        sampler = ts.Sampler(
            filter="exact", mag_filter=mag, min_filter=least, mip_filter=mip, address=mode, border=BORDER,
            lod_bias=0.25, min_lod=0.5, max_lod=2.5, base_level=0.5,
        )  # fmt: skip
        lod = random.uniform(-1, 4, COUNT).astype(np.float32)
        close(ts.sample(made, sampler, *at, lod=lod), samples(state(sampler, kind), levels, at, lod=lod))


@pytest.mark.parametrize("kind", ["1D", "2D", "CUBE"])
def test_levels_and_probes_follow_from_derivatives(kind):
    made, levels = texture(kind)
    at, random = points(kind, far=0.9), np.random.default_rng(4)
    slopes = (random.normal(0, 1, (2, len(at), COUNT)) * 2 ** random.uniform(-7, -1, (2, 1, COUNT))).astype(np.float32)
    bias = random.uniform(-1, 1, COUNT).astype(np.float32)
    for most in (1, 2, 8, 16):
        sampler = ts.Sampler(filter="exact", max_anisotropy=most, address="wrap" if kind == "CUBE" else "mirror")
        found = ts.sample(made, sampler, *at, gradients=slopes, bias=bias)
        close(found, samples(state(sampler, kind), levels, at, derivatives=slopes, bias=bias), tolerance=2e-4)


def test_a_grid_has_the_derivatives_of_its_quads():
    made, _ = texture("2D")
    y, x = np.mgrid[0:7, 0:9].astype(np.float32)
    u, v = x * 0.11 + y * 0.02, y * 0.2 - x * x * 0.01
    left, top = np.minimum(np.arange(9) & ~1, 7), np.minimum(np.arange(7) & ~1, 5)[:, None]
    slopes = [[each[top, left + 1] - each[top, left] for each in (u, v)]]
    slopes.append([each[top + 1, left] - each[top, left] for each in (u, v)])
    sampler = ts.Sampler(filter="exact", max_anisotropy=4)
    np.testing.assert_array_equal(
        ts.sample(made, sampler, u, v), ts.sample(made, sampler, u, v, gradients=slopes), strict=True
    )


def test_offset_layers_comparison_and_texel_coordinates():
    texels = np.random.default_rng(5).uniform(0, 1, (3, 7, 13)).astype(np.float32)
    made = ts.Surface.from_array(texels, "R32_FLOAT", device="cpu")
    at, layer = points("2D"), np.random.default_rng(6).integers(0, 3, COUNT)
    sampler = ts.Sampler(filter="exact", compare="less")
    reference = np.float32(0.5)
    found = ts.sample(made, sampler, *at, layer=layer, compare=reference, offset=(2, -3))
    levels = [np.repeat((reference < texels)[..., None], 4, axis=-1).astype(float)]
    model = state(sampler, "2D", offset=(2, -3, 0))
    close(found[:, 0], samples(model, levels, at, slice=layer)[:, 0])
    direct = ts.Sampler(filter="exact", normalized=False, address="clamp", mip_filter="none")
    where = (np.float32([0.5, 1.25, 12.5]), np.float32([0.5, 3.5, 6.5]))
    found = ts.sample(made, direct, *where)[:, 0]
    close(found, [texels[0, 0, 0], texels[0, 3, 0] * 0.25 + texels[0, 3, 1] * 0.75, texels[0, 6, 12]])


@pytest.mark.parametrize("kind", SHAPES)
def test_gradients_are_the_oracles_differences(kind):
    made, levels = texture(kind)
    random = np.random.default_rng(7)
    for seed, (mip, mode) in enumerate(itertools.product(("none", "linear"), MODES)):
        if kind == "CUBE" and mode != "wrap":
            continue
        sampler = ts.Sampler(filter="exact", mip_filter=mip, address=mode, border=BORDER)
        model, at = state(sampler, kind), points(kind, seed, 30)
        lod = random.uniform(0.1, 1.9, 30).astype(np.float32)
        weights = random.normal(0, 1, (30, 4)).astype(np.float32)
        found = ts.sample_gradients(made, sampler, *at, lod=lod, weights=weights)

        def loss(levels, at, lod, model=model, weights=weights):
            return (samples(model, levels, at, lod=lod) * weights).sum(axis=1)

        step = 1e-6
        at, lod = at.astype(np.float64), lod.astype(np.float64)
        for axis, by in enumerate(found.coordinates):
            move = step * (np.arange(len(at)) == axis)[:, None]
            close(by, (loss(levels, at + move, lod) - loss(levels, at - move, lod)) / (2 * step), 20)
        if mip == "linear":
            close(found.lod, (loss(levels, at, lod + step) - loss(levels, at, lod - step)) / (2 * step))
        change = [random.normal(0, 1, level.shape) for level in levels]
        moved = loss([a + b for a, b in zip(levels, change, strict=True)], at, lod) - loss(levels, at, lod)
        by_texels = sum((a * b).sum() for a, b in zip(found.texels, change, strict=True))
        close(by_texels, moved.sum(), 30)
        assert [each.shape for each in found.texels] == [each.shape for each in levels]


@pytest.mark.parametrize("kind", ["2D", "CUBE"])
def test_gradients_of_the_anisotropic_filter(kind):
    made, levels = texture(kind)
    random, at = np.random.default_rng(8), points(kind, 9, 25, 0.9)
    sampler = ts.Sampler(filter="exact", max_anisotropy=8)
    model = state(sampler, kind)
    slopes = (random.normal(0, 1, (2, len(at), 25)) * [[[0.2]], [[0.02]]]).astype(np.float32)
    weights = random.normal(0, 1, (25, 4)).astype(np.float32)
    found = ts.sample_gradients(made, sampler, *at, gradients=slopes, weights=weights)
    change = [random.normal(0, 1, level.shape) for level in levels]
    moved = [a + b for a, b in zip(levels, change, strict=True)]
    parts = [(samples(model, each, at, derivatives=slopes) * weights).sum() for each in (moved, levels)]
    close(sum((a * b).sum() for a, b in zip(found.texels, change, strict=True)), parts[0] - parts[1], 30)
    if kind == "2D":  # on a face the derivatives that are held change with the direction
        for axis in range(2):
            move = 1e-6 * (np.arange(2) == axis)[:, None]
            ends = [samples(model, levels, at + sign * move, derivatives=slopes) for sign in (1, -1)]
            close(found.coordinates[axis], ((ends[0] - ends[1]) * weights).sum(axis=1) / 2e-6, 20)


def test_sums_do_not_depend_on_threads():
    made, _ = texture("2D")
    random = np.random.default_rng(9)
    at = random.uniform(-1, 1, (2, 200_000)).astype(np.float32)
    weights = (random.normal(0, 1, (200_000, 4)) * 10.0 ** random.uniform(-9, 9, (200_000, 1))).astype(np.float32)
    sampler = ts.Sampler(filter="exact")
    found = []
    try:
        for threads in (1, 3):
            ts.set_threads(threads)
            found.append(ts.sample_gradients(made, sampler, *at, lod=0.4, weights=weights))
    finally:
        ts.set_threads(None)
    for one, three in zip(found[0].texels, found[1].texels, strict=True):
        np.testing.assert_array_equal(one, three, strict=True)
    assert found[0].texels[0].all()


@pytest.mark.constant
def test_what_is_refused_says_why():
    made, at = texture("2D")[0], points("2D")
    weights = np.ones((COUNT, 4), np.float32)
    with pytest.raises(ts.TexsampError, match=r"steps of 1/256.*filter='exact'"):
        ts.sample_gradients(made, ts.Sampler(), *at, weights=weights)
    with pytest.raises(ts.TexsampError, match="finite"):
        ts.sample_gradients(made, ts.Sampler(filter="exact"), *at, weights=weights * np.inf)
    with pytest.raises(ts.TexsampError, match="weights"):
        ts.sample_gradients(made, ts.Sampler(filter="exact"), *at, weights=weights[:, :3])
    for options in ({"chroma_key": ((0,) * 4, (1,) * 4)}, {"mono_size": (2, 2)}, {"anisotropy": "ewa"}):
        with pytest.raises(ts.TexsampError, match="exact"):
            ts.Sampler(filter="exact", **options)
    with pytest.raises(ts.TexsampError, match="hardware or exact"):
        ts.Sampler(filter="perfect")
    for function in (ts.gather4, ts.query_lod):
        with pytest.raises(ts.TexsampError, match="filter is exact"):
            function(made, ts.Sampler(filter="exact"), *at)
    with pytest.raises(ts.TexsampError, match="filter is exact"):
        ts.verify(made, ts.Sampler(filter="exact"), *at, result=weights)
    with pytest.raises(ts.TexsampError, match="float32"):
        ts.sample(texture("2D", "R8G8B8A8_UNORM")[0], ts.Sampler(filter="exact"), *at, dtype=np.uint8)


def test_hostile_coordinates_give_numbers():
    hostile = np.array([np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e-45, 0.0, -0.0, 4e6, 1.0], np.float32)
    for kind in SHAPES:
        made, _ = texture(kind)
        axes = {"1D": 1, "2D": 2}.get(kind, 3)
        at = [each.reshape(-1) for each in np.meshgrid(*[hostile] * axes)]
        for mode in ["wrap"] if kind == "CUBE" else MODES:
            sampler = ts.Sampler(filter="exact", address=mode, border=BORDER)
            for detail in ({"lod": at[0]}, {"gradients": (at, at[::-1])}, {"bias": at[-1]}):
                found = ts.sample(made, sampler, *at, **detail)
                assert np.isfinite(found).all()
                assert (found >= -1e-6).all()
                assert (found <= 1 + 1e-6).all()
                slopes = ts.sample_gradients(made, sampler, *at, **detail, weights=np.ones_like(found))
                assert all(np.isfinite(each).all() for each in slopes.texels)
