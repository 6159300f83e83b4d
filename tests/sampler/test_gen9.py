"""Sampler states of Gen9, written bit by bit as the manual prints them (seed 000:701-1335), sample as Gen7's do."""

import numpy as np
import pytest

import texsamp as ts
from texsamp.errors import FormatError, StateError
from texsamp.state import SamplerState
from texsamp.state.gen9 import SamplerStateGen9

LINEAR = 1
WORDS = {"min_filter": "linear", "mag_filter": "linear", "mip_filter": "none", "address": "wrap", "rounding": False}
PLACES = np.random.default_rng(9).uniform(-1.5, 2.5, (2, 24, 24)).astype(np.float32)
CASES = {
    # (dword, bit) -> code, on a state with linear filters, no mips and wrapping coordinates; the same in words
    "address u": ({(3, 6): 1}, {"address": ("mirror", "wrap", "wrap")}),
    "address v": ({(3, 3): 2}, {"address": ("wrap", "clamp", "wrap")}),
    "address border": ({(3, 6): 4, (3, 3): 6}, {"address": ("border", "half_border", "wrap")}),
    "border mode": ({(0, 29): 1, (3, 6): 4}, {"address": ("border", "wrap", "wrap"), "border_mode": "dx9"}),
    "mag filter": ({(0, 17): 0}, {"mag_filter": "nearest"}),
    "min filter": ({(0, 14): 0}, {"min_filter": "nearest"}),
    "mip nearest": ({(0, 20): 1, (1, 8): 14 << 8}, {"mip_filter": "nearest"}),
    "mip linear": ({(0, 20): 3, (1, 8): 14 << 8}, {"mip_filter": "linear"}),
    "bias": ({(0, 20): 3, (1, 8): 14 << 8, (0, 1): 0x1F80}, {"mip_filter": "linear", "lod_bias": -0.5}),
    "min lod": ({(0, 20): 3, (1, 8): 14 << 8, (1, 20): 0x180}, {"mip_filter": "linear", "min_lod": 1.5}),
    "max lod": ({(0, 20): 3, (1, 8): 0x140}, {"mip_filter": "linear", "max_lod": 1.25}),
    "preclamp": (
        {(0, 20): 3, (1, 8): 14 << 8, (1, 20): 0x100, (0, 27): 2, (0, 17): 0},
        {"mip_filter": "linear", "min_lod": 1.0, "lod_preclamp": True, "mag_filter": "nearest"},
    ),
    "trilinear med": (
        {(0, 20): 3, (1, 8): 14 << 8, (3, 11): 2}, {"mip_filter": "linear", "trilinear_quality": "med"}
    ),
    "trilinear low": (
        {(0, 20): 3, (1, 8): 14 << 8, (3, 11): 3}, {"mip_filter": "linear", "trilinear_quality": "low"}
    ),
    "anisotropy": (
        {(0, 17): 2, (0, 14): 2, (3, 19): 3, (0, 20): 3, (1, 8): 14 << 8},
        {"min_filter": "anisotropic", "mag_filter": "anisotropic", "max_anisotropy": 8, "mip_filter": "linear"},
    ),
    "ewa": (
        {(0, 17): 2, (0, 14): 2, (3, 19): 7, (0, 20): 3, (1, 8): 14 << 8, (0, 0): 1},
        {"min_filter": "anisotropic", "mag_filter": "anisotropic", "max_anisotropy": 16, "mip_filter": "linear",
         "anisotropy": "ewa"},
    ),
}  # fmt: skip


def _state(codes):
    bits = {(0, 17): LINEAR, (0, 14): LINEAR, (1, 8): 14 << 8, **codes}
    dwords = [0, 0, 0, 0]
    for (dword, low), code in bits.items():
        dwords[dword] |= code << low
    return SamplerStateGen9.unpack(np.array(dwords, "<u4").tobytes())


def _surface(format="R8G8B8A8_UNORM"):
    rng = np.random.default_rng(1)
    texels = rng.integers(0, 256, (16, 24, 4), np.uint8) if "8" in format else rng.random((16, 24), np.float32)
    return ts.Surface.from_array(texels, format, mips="box")


@pytest.mark.parametrize("name", CASES)
def test_functions_are_those_of_gen7(name):
    codes, words = CASES[name]
    border = (0.2, 0.4, 0.6, 0.8) if "border mode" not in name else (51 / 255, 102 / 255, 1.0, 0.0)
    surface, wanted = _surface(), ts.Sampler(**{"cube": "programmed", **WORDS, **words}, border=border)
    found = ts.Sampler.from_state(_state(codes), border)
    steps = np.arange(24, dtype=np.float32)
    grids = [PLACES * 0.1, np.meshgrid(steps / 60, steps / 7), np.meshgrid(steps / 240, steps / 240)]
    changed = False
    for places in grids:
        made = ts.sample(surface, found, *places)
        assert np.array_equal(made, ts.sample(surface, wanted, *places))
        changed |= not np.array_equal(made, ts.sample(surface, ts.Sampler(**WORDS), *places))
    assert changed


def test_states_are_read_by_their_generation():
    """Bytes say nothing about whose they are: the generation chooses the structure."""
    later, sooner = _state({(3, 6): 1}), ts.Sampler(**{**WORDS, "address": ("mirror", "wrap", "wrap")}).state
    assert ts.Sampler.from_state(later.pack(), generation=9) == ts.Sampler.from_state(later)
    assert ts.Sampler.from_state(sooner.pack()) == ts.Sampler.from_state(sooner)
    assert ts.Sampler.from_state(sooner.pack()).state.address_u == ts.Sampler.from_state(later).state.address_u
    known = "generation 8 .Broadwell. are not known; those of 7 .Ivy Bridge and Bay Trail., 7.5 .Haswell., 9 .Skylake."
    with pytest.raises(StateError, match=known):
        ts.Sampler.from_state(later.pack(), generation=8)
    with pytest.raises(StateError, match=r"SAMPLER_STATE has 4 dwords .16 bytes., found 15 bytes"):
        ts.Sampler.from_state(later.pack()[:15])


def test_the_monochrome_filter_keeps_its_rules():
    """Seed 000:860-863, 936, 959, 1296-1298: both filters, no mips, min LOD 0, border on all axes, MONO8."""
    mono = {(0, 17): 6, (0, 14): 6, (3, 6): 4, (3, 3): 4, (3, 0): 4}
    bits = np.random.default_rng(5).integers(0, 2, (8, 32, 1)).astype(np.uint8)
    surface = ts.Surface.from_array(bits, "MONO8", device="cpu")
    wanted = ts.sample(
        surface, ts.Sampler(mono_size=(3, 2), mip_filter="none", address="border", rounding=False), *PLACES
    )
    assert np.array_equal(ts.sample(surface, ts.Sampler.from_state(_state(mono), mono_size=(3, 2)), *PLACES), wanted)
    for change in ({(0, 14): 1}, {(0, 20): 1}, {(3, 3): 2}, {(1, 20): 256}, {(3, 10): 1}):
        with pytest.raises(StateError, match="MONO"):
            ts.sample(surface, ts.Sampler.from_state(_state({**mono, **change}), mono_size=(3, 2)), *PLACES)
    with pytest.raises((StateError, FormatError), match="MONO8"):
        ts.sample(_surface(), ts.Sampler.from_state(_state(mono), mono_size=(3, 2)), *PLACES)


@pytest.mark.parametrize("bit", range(13, 19))
def test_rounding_of_each_axis_and_filter(bit):
    names = ("round_r_min", "round_r_mag", "round_v_min", "round_v_mag", "round_u_min", "round_u_mag")
    found = ts.Sampler.from_state(_state({(3, bit): 1})).state
    assert [name for name in names if getattr(found, name)] == [names[bit - 13]]


@pytest.mark.parametrize("code", range(8))
def test_shadow_functions(code):
    surface = _surface("R32_FLOAT")
    compare = np.random.default_rng(2).random((24, 24), np.float32)
    found = ts.Sampler.from_state(_state({(1, 1): code}))
    words = ("always", "never", "less", "equal", "lequal", "greater", "notequal", "gequal")
    wanted = ts.Sampler(**WORDS, shadow=words[code])
    options = {"compare": compare, "lod": 0.0}
    assert np.array_equal(ts.sample(surface, found, *PLACES, **options), ts.sample(surface, wanted, *PLACES, **options))


def test_the_chroma_key():
    key = ((0, 0, 0, 0), (90, 255, 255, 255))
    for code, mode in enumerate(("kill", "replace")):
        found = ts.Sampler.from_state(_state({(1, 7): 1, (1, 5): 3, (1, 4): code}), chroma_key=key)
        assert found.state.chroma_key_index == 3
        wanted = ts.Sampler(**WORDS, chroma_key=key, chroma_key_mode=mode)
        surface = _surface("B8G8R8A8_UNORM")
        for a, b in zip(
            ts.sample_killpix(surface, found, *PLACES), ts.sample_killpix(surface, wanted, *PLACES), strict=True
        ):
            assert np.array_equal(a, b)


def test_coordinates_in_texels():
    surface = ts.Surface.from_array(np.random.default_rng(3).integers(0, 256, (9, 7, 4), np.uint8))
    found = ts.Sampler.from_state(_state({(3, 10): 1, (3, 6): 2, (3, 3): 2, (3, 0): 2}))
    wanted = ts.Sampler(**{**WORDS, "address": "clamp"}, normalized=False)
    assert np.array_equal(ts.sample(surface, found, *PLACES * 5), ts.sample(surface, wanted, *PLACES * 5))


def test_cubes_are_overridden_or_programmed():
    for code, word in enumerate(("programmed", "seamless")):
        found = ts.Sampler.from_state(_state({(1, 0): code, (3, 6): 2, (3, 3): 2, (3, 0): 2}))
        assert found.state.cube_control == ts.Sampler(cube=word).state.cube_control


def test_the_pointer_and_the_disable_bit_are_kept():
    state = ts.Sampler.from_state(_state({(2, 6): 0x123, (0, 31): 1})).state
    assert (state.border_color_pointer, bool(state.disable)) == (0x123 << 6, True)
    assert isinstance(state, SamplerState)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ({(3, 9): 1, (3, 22): 2}, "reduction_enable must be 0: Gen7 has no such function, found 1"),
        ({(0, 22): 5}, "coarse_lod_quality must be 0: Gen7 has no such function, found 5"),
        ({(2, 0): 1}, "lod_clamp_magnification must be MIPNONE, as Gen7 does it, found MIPFILTER"),
    ],
)
def test_what_gen7_lacks_is_refused(codes, message):
    with pytest.raises(StateError, match=f"SAMPLER_STATE_GEN9.{message}"):
        ts.Sampler.from_state(_state(codes))
