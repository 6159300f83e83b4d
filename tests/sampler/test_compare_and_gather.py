"""Shadow comparison before the filter, and gathering four texels."""

import numpy as np
import pytest
from oracle import sampler as oracle
from support.sampling import assert_same, coordinates, expected, levels_of, state_of, surface

import texsamp as ts
from texsamp.device.cpu import CpuDevice

COMPARES = ("always", "never", "less", "equal", "lequal", "greater", "notequal", "gequal")
ZERO = np.zeros(200, np.float32)


def depth(format="R32_FLOAT", type="2D"):
    """A depth texture of few values, so that references are equal to some of them."""
    shape = (6, 6, 6, 1) if type == "CUBE" else (6, 7, 1)
    texels = np.random.default_rng(1).integers(0, 5, shape).astype(np.float32) / 4
    return ts.Surface.from_array(texels, format, type=type, mips=None, device="cpu")


def references(count=200):
    random = np.random.default_rng(2)
    made = random.integers(-1, 6, count).astype(np.float32) / 4
    made[::17] = np.nan
    return made


def test_comparison_in_the_words_of_opengl():
    """GL_COMPARE_REF_TO_TEXTURE: 1 where the reference holds against the texel."""
    made = ts.Surface.from_array(np.full((1, 1, 1), 0.5, np.float32), "R32_FLOAT", device="cpu")
    reference = np.float32([0.25, 0.5, 0.75])
    holds = {
        "never": lambda r, t: np.zeros_like(r), "less": np.less, "equal": np.equal, "lequal": np.less_equal,
        "greater": np.greater, "notequal": np.not_equal, "gequal": np.greater_equal,
        "always": lambda r, t: np.ones_like(r),
    }  # fmt: skip
    for word, function in holds.items():
        found = ts.sample(made, ts.Sampler(compare=word), 0.5, 0.5, compare=reference)[:, 0]
        assert found.tolist() == function(reference, np.float32(0.5)).tolist()
    assert ts.Sampler(compare="less_equal") == ts.Sampler(compare="lequal")


def test_a_sampler_that_compares_asks_for_references():
    made = depth()
    for read in (ts.sample, ts.gather4):
        with pytest.raises(
            ts.StateError, match="this sampler was made to compare: sampling needs references, compare="
        ):
            read(made, ts.Sampler(compare="less"), [0.5], [0.5])
        with pytest.raises(ts.StateError, match="this sampler was not made to compare: references need one as"):
            read(made, ts.Sampler(), [0.5], [0.5], compare=0.5)
        as_state = ts.Sampler.from_state(ts.Sampler().state)
        assert as_state == ts.Sampler()
        assert not read(made, as_state, [0.5], [0.5], compare=0.5)[..., 0].any()  # always: 0
    with pytest.raises(ts.StateError, match="shadow and compare say the same in two languages"):
        ts.Sampler(compare="less", shadow="less")
    with pytest.raises(ts.StateError, match=r"compare must be one of never, less, .*, found 'below'"):
        ts.Sampler(compare="below")


@pytest.mark.constant
@pytest.mark.parametrize(
    "format", ["R32_FLOAT", "R16_UNORM", "R24_UNORM_X8_TYPELESS", "L32_FLOAT", "I16_FLOAT", "A32_FLOAT"]
)
@pytest.mark.parametrize("compare", COMPARES)
def test_comparison_comes_before_the_filter(compare, format):
    made = depth() if format == "R32_FLOAT" else surface(format=format, sizes=(7, 6, 1))
    border = (1.0 if "UNORM" in format else 0.5,) * 4  # that references are equal to
    sampler = ts.Sampler(shadow=compare, address="border", border=border)
    points, reference = coordinates(200, 2), references()
    wanted = expected(state_of(made, sampler), levels_of(made), [*points, ZERO], references=reference)
    found = ts.sample(made, sampler, *points, compare=reference)
    np.testing.assert_array_equal(found, wanted)
    different = len(np.unique(wanted[:, 3 if format[0] == "A" else 0]))
    assert different == 1 if compare in ("always", "never") else different > 2


@pytest.mark.parametrize("format, bits", [("R16_UNORM", 16), ("R24_UNORM_X8_TYPELESS", 24), ("A16_UNORM", 16)])
def test_references_have_the_range_and_the_steps_of_unorm_texels(format, bits):
    """A reference beyond 0 to 1 is equal to the end, one near a texel to the texel; halves go down."""
    most = (1 << bits) - 1
    codes = np.unique(np.r_[0, 1, most // 2, most - 1, most, np.random.default_rng(3).integers(0, most, 400)])
    made = ts.Surface.from_array((codes[None, :, None] / most).astype(np.float32), format, device="cpu")
    channel = 3 if format[0] == "A" else 0
    u = (np.arange(len(codes)) + 0.5) / len(codes)

    def equal(reference):
        found = ts.sample(
            made, ts.Sampler(compare="equal"), u, 0.5, compare=np.broadcast_to(np.float32(reference), u.shape)
        )
        return found[:, channel] == 1

    wide = codes if bits == 16 else np.where(codes < most // 4, codes, 0)  # beyond, floats are half steps apart
    for off in (-0.3, 0, 0.3):
        assert equal((wide + off) / most)[wide == codes].all()
    assert not equal((codes + 0.7) / most)[codes < most // 4].any()
    assert equal(codes / most).all()
    assert np.flatnonzero(equal(0.5)).tolist() == [np.flatnonzero(codes == most // 2)[0]]
    assert np.flatnonzero(equal(-7.5)).tolist() == np.flatnonzero(equal(np.nan)).tolist() == [0]
    assert np.flatnonzero(equal(1.25)).tolist() == [len(codes) - 1]


def test_the_result_is_zero_where_the_comparison_holds():
    made = ts.Surface.from_array(np.full((1, 1, 1), 0.5, np.float32), "R32_FLOAT", device="cpu")
    reference = np.float32([0.25, 0.5, 0.75])
    wanted = {
        "always": [0, 0, 0],
        "never": [1, 1, 1],
        "less": [1, 1, 0],
        "equal": [1, 0, 1],
        "lequal": [1, 0, 0],
        "greater": [0, 1, 1],
        "notequal": [0, 1, 0],
        "gequal": [0, 0, 1],
    }
    for compare, results in wanted.items():
        sampler = ts.Sampler(shadow=compare)
        assert ts.sample(made, sampler, 0.5, 0.5, compare=reference)[:, 0].tolist() == results


def test_comparison_on_cubes():
    made = depth(type="CUBE")
    sampler = ts.Sampler(shadow="lequal")
    points, reference = coordinates(200, 3), references()
    wanted = expected(state_of(made, sampler), levels_of(made), [*points, ZERO], references=reference)
    assert_same(ts.sample(made, sampler, *points, compare=reference), wanted)


def test_formats_without_comparison_are_refused():
    with pytest.raises(ts.FormatError, match="R8G8B8A8_UNORM cannot be compared"):
        ts.sample(surface(), ts.Sampler(), 0.5, 0.5, compare=0.5)


def gathered(state, made, arrays, channel, reference=None):
    levels = levels_of(made)
    return np.array(
        [
            oracle.gather4(state, levels, [a[i] for a in arrays], channel, None if reference is None else reference[i])
            for i in range(len(arrays[0]))
        ]
    )


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R16G16B16A16_SNORM"])
@pytest.mark.parametrize("mode", ["wrap", "mirror", "clamp", "border"])
def test_gather_of_every_channel(mode, format):
    made = surface(format=format)
    sampler = ts.Sampler(address=mode, border=(0.1, 0.2, 0.3, 0.4))
    points = coordinates(150, 2)
    for number, channel in enumerate("rgba"):
        for offset in ((-32, 31), (0, 0)):
            state = state_of(made, sampler, offset=(*offset, 0))
            wanted = gathered(state, made, [*points, ZERO[:150]], number)
            np.testing.assert_array_equal(ts.gather4(made, sampler, *points, channel=channel, offset=offset), wanted)
        assert len(np.unique(wanted)) > 1


@pytest.mark.parametrize("compare", [False, True])
def test_gather_with_an_offset_for_each_sample(compare):
    made = depth()
    sampler = ts.Sampler(address=("mirror", "border"), shadow="less", border=(0.3, 0, 0, 0))
    points = coordinates(150, 2)
    reference = references(150) if compare else None
    offsets = np.random.default_rng(4).integers(-32, 32, (2, 150))
    levels, wanted = levels_of(made), []
    for i in range(150):
        state = state_of(made, sampler, offset=(*map(int, offsets[:, i]), 0))
        one = None if reference is None else reference[i]
        wanted.append(oracle.gather4(state, levels, [points[0][i], points[1][i], ZERO[0]], 0, one))
    shaped = [each.reshape(10, 15) for each in (*points, *offsets)]
    found = ts.gather4(
        made,
        sampler,
        *shaped[:2],
        offset=shaped[2:],
        compare=None if reference is None else reference.reshape(10, 15),
    )
    assert_same(found, np.array(wanted).reshape(10, 15, 4))
    row = ts.gather4(made, sampler, *points, offset=(3, np.int8(offsets[1])))
    one = ts.gather4(made, sampler, points[0][7], points[1][7], offset=(3, int(offsets[1, 7])))
    np.testing.assert_array_equal(row[7], one)
    with pytest.raises(ts.FormatError, match=r"must fit coordinates of shape \(\), found \(150,\)"):
        ts.gather4(made, sampler, points[0][7], points[1][7], offset=tuple(offsets))


def _counted_launches(monkeypatch):
    """Sampling kernels that the processor is given from here on."""
    launched, launch = [], CpuDevice.launch

    def counted(device, *launches):
        launched.extend(each for each in launches if each.kernel.startswith("sample_"))
        launch(device, *launches)

    monkeypatch.setattr(CpuDevice, "launch", counted)
    return launched


def test_a_grid_of_offsets_is_one_launch(monkeypatch):
    made, sampler, random = surface(), ts.Sampler(), np.random.default_rng(5)
    u, v = (random.random((2, 32, 64)) * 3 - 1).astype(np.float32)
    chosen = random.permutation(np.arange(32 * 64) % 1024).reshape(32, 64)
    offsets = [(x, y) for y in range(-32, 0) for x in range(32)]
    texels = np.stack([ts.gather4(made, sampler, u, v, offset=offset) for offset in offsets])
    launched = _counted_launches(monkeypatch)
    found = ts.gather4(made, sampler, u, v, offset=(chosen % 32, chosen // 32 - 32))
    assert len(launched) == 1
    rows, columns = np.indices(u.shape)
    np.testing.assert_array_equal(found, texels[chosen, rows, columns])


def test_no_kernel_runs_for_offsets_of_which_one_is_too_far(monkeypatch):
    made, offsets = surface(), np.arange(-30, 34)
    launched = _counted_launches(monkeypatch)
    with pytest.raises(ts.StateError, match=r"from -32 to 31, found \(33, 0\)"):
        ts.gather4(made, ts.Sampler(), np.zeros(64), np.zeros(64), offset=(offsets, 0))
    assert not launched


def test_gather_is_in_the_order_of_the_manual():
    made = ts.Surface.from_array(np.float32([[[1], [2]], [[3], [4]]]), "R32_FLOAT", device="cpu")
    assert ts.gather4(made, ts.Sampler(), 0.5, 0.5).tolist() == [3, 4, 2, 1]


def test_gather_on_cubes_and_with_comparison():
    made = depth(type="CUBE")
    points = coordinates(150, 3)
    sampler = ts.Sampler(shadow="gequal")
    for reference in (None, references(150)):
        wanted = gathered(state_of(made, sampler), made, [*points, ZERO[:150]], 0, reference)
        assert_same(ts.gather4(made, sampler, *points, compare=reference), wanted)


def test_gather_takes_the_texels_that_linear_blends():
    made = surface()
    u, v = np.random.default_rng(3).random((2, 100)).astype(np.float32)
    four = ts.gather4(made, ts.Sampler(), u, v)
    blended = ts.sample(made, ts.Sampler(rounding=False), u, v)[:, 0]
    assert (blended >= four.min(-1) - 1e-6).all()
    assert (blended <= four.max(-1) + 1e-6).all()


def test_gather_refuses():
    with pytest.raises(ts.StateError, match="gather4 reads 2D and CUBE"):
        ts.gather4(surface("3D"), ts.Sampler(), 0.5, 0.5, 0.5)
    nearest = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
    with pytest.raises(ts.FormatError, match="gather4 does not read integers"):
        ts.gather4(surface(format="R8_UINT"), nearest, 0.5, 0.5)
    with pytest.raises(ts.StateError, match="channel must be one of r, g, b, a, found 'x'"):
        ts.gather4(surface(), ts.Sampler(), 0.5, 0.5, channel="x")
    for far in ((-33, 0), (0, np.array([32])), (np.array([2**40]), 0)):
        with pytest.raises(ts.StateError, match="from -32 to 31"):
            ts.gather4(surface(), ts.Sampler(), [0.5], [0.5], offset=far)
    each = np.zeros(2, int)
    with pytest.raises(ts.StateError, match=r"offsets of each sample are for 2D surfaces \(003:4759\)"):
        ts.gather4(surface("CUBE"), ts.Sampler(), [0.5, 1], [0.5, 1], [1, 1], offset=(each, each))
    with pytest.raises(ts.FormatError, match=r"one shape, or shapes that broadcast to one, found u \(3,\)"):
        ts.gather4(surface(), ts.Sampler(), np.zeros(3), np.zeros(3), offset=(0, each))
    with pytest.raises(ts.FormatError, match=r"offset\[0\] must be integers, found float64"):
        ts.gather4(surface(), ts.Sampler(), np.zeros(3), np.zeros(3), offset=(np.zeros(3), 0))


@pytest.mark.parametrize(("asked", "found"), [("r", "r"), ("g", "g"), ("b", "g")])
def test_gathers_of_r32g32_float_ld_find_green_in_blue_too(asked, found):
    """Mesa's drivers of this hardware gather green so."""
    texels = np.random.default_rng(5).random((5, 7, 2)).astype(np.float32)
    doubled, plain = (ts.Surface.from_array(texels, name) for name in ("R32G32_FLOAT_LD", "R32G32_FLOAT"))
    u, v = np.random.default_rng(6).random((2, 50), np.float32)
    assert_same(
        ts.gather4(doubled, ts.Sampler(), u, v, channel=asked), ts.gather4(plain, ts.Sampler(), u, v, channel=found)
    )
