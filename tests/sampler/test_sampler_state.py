"""Samplers from words and from state, and what they refuse."""

import numpy as np
import pytest
from support.sampling import assert_same, coordinates, surface

import texsamp as ts
from texsamp.state.sampler import AddressControl, MapFilter, MipFilter, SamplerState


def test_words_become_state():
    sampler = ts.Sampler(
        min_filter="nearest", mag_filter="linear", mip_filter="nearest", address=("wrap", "mirror"), lod_bias=-1.5,
        min_lod=1, max_lod=3.25, base_level=0.5, normalized=True, border=(1, 2, 3, 4), shadow="less",
    )  # fmt: skip
    s = sampler.state
    assert (s.min_filter, s.mag_filter, s.mip_filter) == (MapFilter.NEAREST, MapFilter.LINEAR, MipFilter.NEAREST)
    assert (s.address_u, s.address_v, s.address_r) == (0, AddressControl.MIRROR, AddressControl.MIRROR)
    assert (s.lod_bias, s.min_lod, s.max_lod, s.base_mip_level) == (-1.5, 1, 3.25, 0.5)
    assert (sampler.rounds("mag"), sampler.rounds("min")) == (7, 0)
    assert sampler.border == (1, 2, 3, 4)


def test_state_and_words_sample_the_same():
    made, points = surface(mips="box"), coordinates(200, 2)
    sampler = ts.Sampler(address=("mirror", "border"), border=(0.5, 0, 1, 1), mip_filter="nearest")
    again = ts.Sampler.from_state(SamplerState.unpack(sampler.state.pack()), sampler.border)
    assert again == sampler
    assert_same(ts.sample(made, again, *points), ts.sample(made, sampler, *points))


@pytest.mark.constant
def test_a_disabled_sampler_returns_zero():
    sampler = ts.Sampler.from_state(SamplerState(disable=1))
    made, offsets = surface(), np.zeros(2, int)
    assert ts.sample(made, sampler, 0.5, 0.5).tolist() == [0, 0, 0, 0]
    assert ts.gather4(made, sampler, 0.5, 0.5).tolist() == [0, 0, 0, 0]
    assert ts.gather4(made, sampler, [0.5] * 2, [0.5] * 2, offset=(offsets, 0)).tolist() == [[0, 0, 0, 0]] * 2
    assert ts.query_lod(made, sampler, 0.5, 0.5, bias=3).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_filter": "cubic"}, "min_filter must be one of nearest, linear, anisotropic, mono, found 'cubic'"),
        ({"mip_filter": "box"}, "mip_filter must be one of none, nearest, linear, found 'box'"),
        ({"address": "tile"}, "address must be one of wrap, .*, found 'tile'"),
        ({"address": ("wrap",) * 4}, "address takes one value or one for each of 3 axes, found 4"),
        ({"border": (1, 2)}, "border must be four numbers"),
        ({"border": 5}, "border must be four numbers .* found 5"),
        ({"border": (10**400, 0, 0, 0)}, "border must be four numbers that a float can hold, found .1000"),
        ({"address": None}, "address must be one of wrap, .* found None"),
        ({"chroma_key": (0,) * 4}, "chroma_key must be two times four integers"),
        ({"chroma_key": 5}, "chroma_key must be two times four integers"),
        ({"mono_size": 3}, "mono_size must be two integers from 1 to 7"),
        ({"border_mode": "gl"}, "border_mode must be one of dx10, dx9, found 'gl'"),
        ({"lod_bias": 16}, "lod_bias"),
        ({"max_lod": 14.5}, "max_lod"),
        ({"shadow": "<"}, "shadow must be one of always, .*, found '<'"),
        ({"cube": "flat"}, "cube must be seamless or programmed, found 'flat'"),
        ({"trilinear_quality": "best"}, "trilinear_quality must be one of full, med, low"),
    ],
)
def test_words_that_mean_nothing(options, message):
    with pytest.raises(ts.StateError, match=message):
        ts.Sampler(**options)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (SamplerState(chroma_key_enable=1), "chroma_key_enable is 1, found none given"),
    ],
)
def test_states_that_are_refused(state, message):
    with pytest.raises(ts.StateError, match=message):
        ts.Sampler.from_state(state)


NEAREST = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")


@pytest.mark.parametrize(
    ("made", "sampler", "points", "message"),
    [
        (surface("BUFFER"), ts.Sampler(), 1, "only 1D, 2D, 3D and CUBE"),
        (surface("CUBE"), ts.Sampler(cube="programmed"), 3, "cubes need address CLAMP or CUBE"),
        (surface("1D"), ts.Sampler(normalized=False, address="clamp"), 1, "need a 2D or 3D surface"),
        (surface(), ts.Sampler(normalized=False), 2, "need address CLAMP, .*, found WRAP"),
        (surface(mips="box"), ts.Sampler(normalized=False, address="clamp"), 2, "need one level"),
    ],
)
def test_surfaces_and_states_that_do_not_go_together(made, sampler, points, message):
    with pytest.raises(ts.StateError, match=message):
        ts.sample(made, sampler, *[0.5] * points)


@pytest.mark.parametrize(
    ("made", "sampler", "points", "message"),
    [
        (surface(format="R8_UINT"), ts.Sampler(), 2, "R8_UINT has integers, which cannot be filtered"),
        (surface("3D", "R8_SINT"), NEAREST, 3, "R8_SINT can be sampled as 1D and 2D"),
        (surface(format="MONO8", sizes=(32, 2, 1)), ts.Sampler(), 2, "MONO8 has no channel map"),
        (surface(), ts.Sampler(), 3, "sampled at u, v, found w given"),
        (surface(), ts.Sampler(), 1, "sampled at u, v, found v missing"),
        (
            surface(format="R8_UINT"),
            ts.Sampler(address="border", min_filter="nearest", mag_filter="nearest", mip_filter="none"),
            2,
            "no border color",
        ),
        (
            surface(format="R24_UNORM_X8_TYPELESS"),
            ts.Sampler(address="border", border_mode="dx9"),
            2,
            r"R24_UNORM_X8_TYPELESS has no border color of mode DX9 .* up to 16 bits or floats",
        ),
    ],
)
def test_formats_and_arrays_that_are_refused(made, sampler, points, message):
    with pytest.raises(ts.FormatError, match=message):
        ts.sample(made, sampler, *[0.5] * points)


def test_arrays_of_different_shapes_are_refused():
    with pytest.raises(ts.FormatError, match=r"or shapes that broadcast to one, found u \(3,\), v \(4,\)"):
        ts.sample(surface(), ts.Sampler(), np.zeros(3), np.zeros(4))
    with pytest.raises(ts.FormatError, match="u must be real numbers, found complex128"):
        ts.sample(surface(), ts.Sampler(), np.zeros(3, complex), 0)
    with pytest.raises(ts.StateError, match="only arrays have layers"):
        ts.sample(surface(), ts.Sampler(), 0.5, 0.5, layer=1)
    with pytest.raises(ts.StateError, match="offset must be up to three integers from -8 to 7"):
        ts.sample(surface(), ts.Sampler(), 0.5, 0.5, offset=(8,))


def test_multisampled_surfaces_are_refused():
    texels = np.zeros((4, 8, 8, 4), np.uint8)
    made = ts.Surface.from_array(texels, samples=4, tiling="Y", device="cpu")
    with pytest.raises(ts.StateError, match="surfaces of 4 samples cannot be sampled"):
        ts.sample(made, ts.Sampler(), 0.5, 0.5)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (2, 3, 4)])
def test_results_have_the_shape_of_the_coordinates(shape):
    u = np.zeros(shape, np.float64)
    assert ts.sample(surface(mips="box"), ts.Sampler(), u, 0.5).shape == (*shape, 4)


def test_arrays_that_are_not_contiguous():
    made = surface()
    u, v = np.random.default_rng(0).random((2, 9, 10)).astype(np.float32)
    found = ts.sample(made, ts.Sampler(), u[::2, ::-3], v[::2, ::-3])
    assert_same(found, ts.sample(made, ts.Sampler(), u[::2, ::-3].copy(), v[::2, ::-3].copy()))


def _type_of(value):
    return type(value).__name__


NO_NUMBERS = ("x", "2", True, 1j, object(), np.array(1j))


@pytest.mark.parametrize("wrong", NO_NUMBERS, ids=_type_of)
@pytest.mark.parametrize("name", ["lod", "bias"])
def test_levels_of_detail_are_numbers(name, wrong):
    with pytest.raises(ts.FormatError, match=f"{name} must be real numbers, found"):
        ts.sample(surface(mips="box"), ts.Sampler(), 0.5, 0.5, **{name: wrong})


def test_numbers_of_any_size_are_levels_of_detail():
    made, at = surface(mips="box"), (np.linspace(0, 1, 50), 0.7)
    for far, level in ((10**400, 14), (float("inf"), 14), (-(10**400), 0), (float("nan"), 0)):
        wanted = ts.sample(made, ts.Sampler(), *at, lod=level)
        np.testing.assert_array_equal(ts.sample(made, ts.Sampler(), *at, lod=far), wanted)


@pytest.mark.parametrize("wrong", [*NO_NUMBERS, None, (np.zeros(3), 0), 3], ids=_type_of)
def test_offsets_of_sample_are_integers(wrong):
    with pytest.raises(ts.StateError, match="offset must be up to three integers from -8 to 7, found"):
        ts.sample(surface(), ts.Sampler(), 0.5, 0.5, offset=wrong)


@pytest.mark.parametrize("wrong", [*NO_NUMBERS, (1, 2), ((1,), (2,)), ((1, 2),)], ids=_type_of)
def test_gradients_are_two_groups(wrong):
    with pytest.raises(ts.FormatError, match=r"gradients are two groups \(by x and y\) of 2 arrays, found groups of"):
        ts.sample(surface(mips="box"), ts.Sampler(), 0.5, 0.5, gradients=wrong)


@pytest.mark.parametrize(
    "name",
    ["min_filter", "border_mode", "trilinear_quality", "anisotropy", "chroma_key_mode", "address", "rounding", "border",
     "chroma_key", "lod_preclamp", "mono_size", "lod_bias"],
)  # fmt: skip
def test_states_of_other_types_are_refused(name):
    for wrong in ([1, 2, 3], np.array(2.3 + 1j), object(), 10**400):
        with pytest.raises(ts.StateError):
            ts.Sampler(**{name: wrong})
