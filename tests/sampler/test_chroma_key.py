"""Chroma keys: which texels match, samples that they kill, and texels that they turn black."""

import numpy as np
import pytest
from oracle import sampler as oracle
from support.sampling import assert_same, coordinates, expected, levels_of, state_of, surface

import texsamp as ts
from texsamp.sampler import chroma_key
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages

ZERO = np.zeros(300, np.float32)
FULL, FULL_SIGNED = ((0,) * 4, (255,) * 4), ((0xFF,) * 4, (0x7F,) * 4)
FORMATS = {
    "B8G8R8A8_UNORM": ((60, 0, 0, 20), (200, 255, 180, 255)),
    "B8G8R8X8_UNORM": ((0, 60, 0, 0), (255, 200, 180, 255)),
    "B5G6R5_UNORM": ((57, 0, 33, 0), (200, 190, 255, 255)),
    "B5G5R5A1_UNORM": ((24, 0, 0, 1), (230, 255, 255, 255)),
    "B4G4R4A4_UNORM": ((34, 0, 0, 17), (255, 238, 255, 255)),
    "R8_UNORM": ((100, 0, 0, 0), (150, 255, 255, 255)),
    "A8_UNORM": ((0, 0, 0, 100), (255, 255, 255, 180)),
    "L8_UNORM": ((90, 0, 0, 0), (170, 255, 255, 255)),
    "L8A8_UNORM": ((50, 0, 0, 10), (200, 255, 255, 200)),
    "R8G8_SNORM": ((0x80 | 60, 0x80 | 127, 0xFF, 0xFF), (30, 100, 0x7F, 0x7F)),
    "R5G5_SNORM_B6_UNORM": ((0x80 | 80, 0x80 | 127, 0, 0xFF), (80, 100, 100, 0x7F)),
}


def signed(byte):
    return -(byte & 127) if byte & 128 else byte


def repeated(magnitude, bits, wanted):
    """High bits repeated below."""
    text = f"{magnitude:0{bits}b}"
    return int((text * wanted)[:wanted], 2)


def key_bytes(made, texel):
    """A texel's channels as the key compares them: from float or code, red to alpha."""
    channels = {c.name: c for c in made.info.channels}
    is_signed = any(c.kind == "snorm" for c in channels.values())
    result = []
    for place, value in enumerate(texel):
        name = "RGBA"[place]
        channel = channels.get(name) or (channels.get("L") if place < 3 else None)
        number = float(value) / 255 if texel.dtype == np.uint8 else float(value)
        width = 7 if is_signed else 8
        if channel is None:
            result.append(round(number * (2**width - 1)))
            continue
        bits = channel.bits - (channel.kind == "snorm")
        stored = round(number * (2**bits - 1))
        result.append((-1 if stored < 0 else 1) * repeated(abs(stored), bits, width))
    return result, is_signed


def matches_of(made, levels, key):
    """Whether each texel of each level matches, by the words of 003:676 and 4318-4328."""
    found = []
    for level in levels:
        match = np.zeros(level.shape[:3], bool)
        for at in np.ndindex(match.shape):
            values, is_signed = key_bytes(made, level[at])
            low, high = ([signed(b) if is_signed else b for b in end] for end in key)
            match[at] = all(a <= v <= b for a, v, b in zip(low, values, high, strict=True))
        found.append(match)
    return found


def sampler_of(key, mode, **options):
    return ts.Sampler(chroma_key=key, chroma_key_mode=mode, **options)


@pytest.mark.parametrize("format", FORMATS)
def test_replaced_texels_are_black_before_filtering(format):
    made = surface(format=format, mips="box")
    sampler = sampler_of(FORMATS[format], "replace", address="mirror")
    levels = levels_of(made)
    matches = matches_of(made, levels, FORMATS[format])
    assert 0 < sum(m.sum() for m in matches) < sum(m.size for m in matches)
    for level, match in zip(levels, matches, strict=True):
        level[match] = 0
    points = coordinates(300, 2)
    lod = np.random.default_rng(2).uniform(-1, 3, 300).astype(np.float32)
    codes = [oracle.lod_number(each) for each in lod]
    wanted = expected(state_of(made, sampler), levels, [*points, ZERO], codes)
    found = ts.sample(made, sampler, *points, lod=lod)
    np.testing.assert_array_equal(found, wanted)
    assert len(np.unique(found)) > 10


@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("format", FORMATS)
def test_samples_are_killed_by_any_texel_that_contributes(format, filter):
    made = surface(format=format)
    key = FORMATS[format]
    sampler = sampler_of(key, "kill", min_filter=filter, mag_filter=filter, mip_filter="none")
    points = coordinates(300, 2)
    values, killed = ts.sample_killpix(made, sampler, *points)
    plain = ts.Sampler(min_filter=filter, mag_filter=filter, mip_filter="none")
    assert_same(values, ts.sample(made, plain, *points)) if format != "A8_UNORM" else None
    (match,) = matches_of(made, levels_of(made), key)
    s = state_of(made, sampler)
    wanted = []
    for u, v in zip(*points, strict=True):
        linear = filter == "linear"
        x = oracle.taps(u, 13, "wrap", s, linear, linear, 0)
        y = oracle.taps(v, 7, "wrap", s, linear, linear, 0)
        wanted.append(any(match[0, j % 7, i % 13] for i, w in x for j, t in y if w * t > 0))
    np.testing.assert_array_equal(killed, wanted)
    assert 0 < killed.sum() < 300


def test_the_weight_of_a_level_counts():
    """A match on one level kills only while that level has a part."""
    texels = np.zeros((4, 4, 4), np.uint8)
    texels[0, 0] = 255
    made = ts.Surface.from_array(texels, "B8G8R8A8_UNORM", mips="box", device="cpu")
    sampler = sampler_of(((255,) * 4, (255,) * 4), "kill")
    lod = np.float32([0, 0.5, 1 - 1 / 256, 1, 2])
    _, killed = ts.sample_killpix(made, sampler, np.full(5, 1 / 8, np.float32), 1 / 8, lod=lod)
    assert killed.tolist() == [True, True, True, False, False]


def test_a_border_never_matches():
    made = ts.Surface.from_array(np.zeros((4, 4, 4), np.uint8), "B8G8R8A8_UNORM", device="cpu")
    sampler = sampler_of(((1,) * 4, (255,) * 4), "kill", address="border", border=(1, 1, 1, 1))
    _, killed = ts.sample_killpix(made, sampler, np.float32([0.5, 1.5, 0.99]), 0.5)
    assert not killed.any()
    everything = sampler_of(FULL, "kill", address="border")
    _, killed = ts.sample_killpix(made, everything, np.float32([0.5, 1.5, 0.99]), 0.5)
    assert killed.tolist() == [True, False, True]


def test_ycrcb_is_replaced_by_its_black_and_compared_between_its_chroma():
    """003:3427; hole S20: texels without chroma have the mean of both sides for the comparison alone."""
    pairs = np.zeros((1, 6, 3), np.uint8)
    pairs[0, :, 1] = [10, 20, 30, 40, 50, 60]
    pairs[0, :, 0] = np.repeat([100, 201, 50], 2)
    pairs[0, :, 2] = 128
    made = ts.Surface.from_array(pairs, "YCRCB_NORMAL", tiling="linear", device="cpu")
    assert ts.load(made, np.arange(6), 0)[:, 0].tolist() == pytest.approx(np.array([100, 100, 201, 201, 50, 50]) / 255)
    nearest = {"min_filter": "nearest", "mag_filter": "nearest", "mip_filter": "none"}
    u = (np.arange(6) + 0.5).astype(np.float32) / 6
    for cr, wanted in (
        (100, [1, 0, 0, 0, 0, 0]),
        (150, [0, 1, 0, 0, 0, 0]),
        (125, [0, 0, 0, 1, 0, 0]),
        (50, [0] * 4 + [1, 1]),
    ):
        key = ((cr, 0, 0, 0), (cr, 255, 255, 255))
        _, killed = ts.sample_killpix(made, sampler_of(key, "kill", **nearest), u, 0.5)
        assert killed.tolist() == [bool(each) for each in wanted]
    black = ts.sample(made, sampler_of(FULL, "replace", **nearest), u, 0.5)
    np.testing.assert_array_equal(black, np.tile(np.float32([0x80, 0x10, 0x80, 0]) / np.float32(255), (6, 1)))


@pytest.mark.parametrize(("format", "alpha"), [("BC1_UNORM", ""), ("BC3_UNORM", "ff00000000000000")])
def test_decoded_blocks_are_compared(format, alpha):
    white, black = (bytes.fromhex(f"{alpha}ffff0000{indices * 4}") for indices in ("00", "55"))
    images = TextureImages(SurfaceType.SURFTYPE_2D, format, 8, 8, ((white + black + black + black,),))
    made = ts.Surface.from_images(images, device="cpu")
    u = (np.arange(8) + 0.5).astype(np.float32) / 8
    _, killed = ts.sample_killpix(made, sampler_of(((255, 255, 255, 0), (255,) * 4), "kill"), u, 1 / 16)
    assert killed.tolist() == [True] * 4 + [False] * 4


def test_kill_leaves_values_and_replace_kills_nothing():
    made, points = surface(format="B8G8R8A8_UNORM"), coordinates(100, 2)
    values, killed = ts.sample_killpix(made, sampler_of(FULL, "kill"), *points)
    assert killed.all()
    assert_same(values, ts.sample(made, ts.Sampler(), *points))
    values, killed = ts.sample_killpix(made, sampler_of(FULL, "replace"), *points)
    assert not killed.any()
    assert not values.any()
    _, killed = ts.sample_killpix(made, ts.Sampler(), *points)
    assert not killed.any()


def test_gathers_see_replaced_texels():
    made = surface(format="B8G8R8A8_UNORM")
    assert not ts.gather4(made, sampler_of(FULL, "replace"), *coordinates(50, 2)).any()
    assert ts.gather4(made, sampler_of(FULL, "kill"), *coordinates(50, 2)).any()


@pytest.mark.constant
def test_written_texels_are_compared_again():
    made = ts.Surface.from_array(np.zeros((4, 4, 4), np.uint8), "B8G8R8A8_UNORM", device="cpu")
    sampler = sampler_of(((1,) * 4, (255,) * 4), "kill")
    assert not ts.sample_killpix(made, sampler, 0.5, 0.5)[1]
    made.data[...] = 9
    made.invalidate()
    assert ts.sample_killpix(made, sampler, 0.5, 0.5)[1]


def test_state_keeps_the_key():
    sampler = sampler_of(((1, 2, 3, 4), (5, 6, 7, 8)), "replace")
    assert (sampler.state.chroma_key_enable, sampler.state.chroma_key_mode, sampler.kills) == (1, 1, False)
    assert ts.Sampler.from_state(sampler.state, chroma_key=sampler.chroma_key) == sampler
    with pytest.raises(ts.StateError, match="chroma_key_enable is 0, found one given"):
        ts.Sampler.from_state(ts.Sampler().state, chroma_key=FULL)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chroma_key": ((0,) * 3, (255,) * 4)}, "chroma_key must be two times four integers"),
        ({"chroma_key": ((0,) * 4, (256,) * 4)}, "chroma_key must be two times four integers"),
        ({"chroma_key": FULL, "chroma_key_mode": "fade"}, "chroma_key_mode must be one of kill, replace, found 'fade'"),
    ],
)
def test_keys_that_mean_nothing(options, message):
    with pytest.raises(ts.StateError, match=message):
        ts.Sampler(**options)


@pytest.mark.constant
def test_what_the_manual_does_not_allow():
    with pytest.raises(ts.FormatError, match="R16G16_UNORM has no chroma key"):
        ts.sample(surface(format="R16G16_UNORM"), sampler_of(FULL, "kill"), 0.5, 0.5)
    with pytest.raises(ts.StateError, match=r"needs filters NEAREST or LINEAR .* found SURFTYPE_3D"):
        ts.sample(surface("3D", "B8G8R8A8_UNORM"), sampler_of(FULL, "kill"), 0.5, 0.5, 0.5)
    with pytest.raises(ts.StateError, match="found ANISOTROPIC"):
        ts.sample(surface(format="B8G8R8A8_UNORM"), sampler_of(FULL, "kill", max_anisotropy=2), 0.5, 0.5)
    with pytest.raises(ts.StateError, match="the key's highest green must not be below its lowest, found 3 and 5"):
        ts.sample(surface(format="B8G8R8A8_UNORM"), sampler_of(((0, 5, 0, 0), (9, 3, 9, 9)), "replace"), 0.5, 0.5)
    with pytest.raises(ts.StateError, match="the key's highest red must not be below"):
        ts.sample(surface(format="R8G8_SNORM"), sampler_of(FULL, "replace"), 0.5, 0.5)
    assert not ts.sample(surface(format="R8G8_SNORM"), sampler_of(FULL_SIGNED, "replace"), 0.5, 0.5).any()


def test_a_surface_keeps_the_texels_of_as_many_keys_as_the_table_has(monkeypatch):
    made, points, matched = surface(format="B8G8R8A8_UNORM"), coordinates(50, 2), []
    matches = chroma_key._matches

    def counted(surface, texels, key):
        matched.append(key)
        return matches(surface, texels, key)

    monkeypatch.setattr(chroma_key, "_matches", counted)
    for mode in ("kill", "replace"):
        results = {}
        for limit in (10, 60, 110, 160, 160, 10, 210, 60, 10):  # 210 takes the place of 10, and 10 that of 60
            sampler = ts.Sampler(chroma_key=((0,) * 4, (limit,) * 4), chroma_key_mode=mode)
            values, killed = ts.sample_killpix(made, sampler, *points)
            known = results.setdefault(limit, (values, killed))
            np.testing.assert_array_equal(values, known[0])
            np.testing.assert_array_equal(killed, known[1])
        assert [key[1][0] for key in matched] == [10, 60, 110, 160, 210, 10]
        matched.clear()


def test_no_more_keys_are_kept_when_several_are_made_at_once(monkeypatch):
    """A key whose texels are made while those of others are, as threads do it."""
    made, points = surface(format="B8G8R8A8_UNORM"), coordinates(50, 2)
    matches = chroma_key._matches

    def sampled(limit):
        return ts.sample(made, ts.Sampler(chroma_key=((0,) * 4, (limit,) * 4), chroma_key_mode="replace"), *points)

    wanted = sampled(210)
    for limit in (10, 60, 110, 160):
        sampled(limit)

    def interrupted(surface, texels, key):
        monkeypatch.setattr(chroma_key, "_matches", matches)
        for limit in (20, 30, 40, 50):
            sampled(limit)
        return matches(surface, texels, key)

    monkeypatch.setattr(chroma_key, "_matches", interrupted)
    np.testing.assert_array_equal(sampled(210), wanted)
    for limit in range(90, 100):
        sampled(limit)
    assert len(made.derived.find(chroma_key._Keyed, "black")) == chroma_key.MOST_KEYS
