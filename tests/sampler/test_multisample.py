"""Loads from multisampled surfaces: by sample, by slice, by a control surface; what sampleinfo says."""

import numpy as np
import pytest

import texsamp as ts
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.elements import Place, write_rows
from texsamp.surface.layout import (
    MCS_CLEAR,
    SurfaceDescription,
    SurfaceLayout,
    SurfaceView,
    Usage,
    mcs_description,
    pack_mcs,
)

D2 = SurfaceType.SURFTYPE_2D
SIZE = (7, 9)


def multisampled(samples, layers=None):
    """A surface of noise, and its texels: (layers, samples, height, width, 4)."""
    shape = (samples, *SIZE) if layers is None else (layers, samples, *SIZE)
    random = np.random.default_rng(samples)
    texels = random.integers(0, 256, (*shape, 4), np.uint8)
    made = ts.Surface.from_array(texels, samples=samples, tiling="Y", device="cpu")
    return made, texels.reshape(-1, samples, *SIZE, 4)


def interleaved(samples):
    """A depth buffer of noise, its samples side by side, and its texels."""
    texels = np.random.default_rng(samples).random((1, samples, *SIZE, 1)).astype(np.float32)
    layout = SurfaceLayout(
        SurfaceDescription(D2, "R32_FLOAT", SIZE[1], SIZE[0], samples=samples, tiling="Y", usage=Usage.DEPTH)
    )
    device = ts.get_device("cpu")
    made = ts.Surface(SurfaceView(layout, 0), np.zeros(layout.size_B, np.uint8), device)
    for sample in range(samples):
        rows = texels[0, sample].view(np.uint8).reshape(SIZE[0], -1)
        write_rows(rows, made.data, made.surface_view, Place(0, 0, sample), device)
    return made, texels


def places(count, samples, layers, seed=3):
    random = np.random.default_rng(seed)
    far = np.array([-(2**31), 2**31 - 1, -1, 100])
    limits = (SIZE[1], SIZE[0], layers, samples)
    made = [random.integers(0, limit, count) for limit in limits]
    return [np.where(random.random(count) < 0.05, random.choice(far, count), each).astype(np.int32) for each in made]


def wanted_texels(texels, x, y, layer, slice_):
    layers, samples, height, width, _ = texels.shape
    made = np.zeros((len(x), texels.shape[-1]), texels.dtype)
    for i, (a, b, c, d) in enumerate(zip(x, y, layer, slice_, strict=True)):
        if 0 <= a < width and 0 <= b < height and 0 <= c < layers and 0 <= d < samples:
            made[i] = texels[c, d, b, a]
    return made


@pytest.mark.parametrize("layers", [None, 3])
@pytest.mark.parametrize("samples", [4, 8])
def test_loads_by_slice(samples, layers):
    made, texels = multisampled(samples, layers=layers)
    x, y, layer, sample = places(500, samples, layers or 1)
    given = {} if layers is None else {"layer": layer}
    layer = layer if given else np.zeros_like(layer)
    found = ts.load(made, x, y, sample=sample, **given)
    wanted = wanted_texels(texels, x, y, layer, sample).astype(np.float32) / np.float32(255)
    np.testing.assert_array_equal(found, wanted)
    assert len(np.unique(found)) > 100


@pytest.mark.parametrize("samples", [4, 8])
def test_interleaved_samples(samples):
    made, texels = interleaved(samples)
    assert made.description.interleaved
    x, y, _, sample = places(300, samples, 1)
    found = ts.load(made, x, y, sample=sample)[:, 0]
    np.testing.assert_array_equal(found, wanted_texels(texels, x, y, np.zeros_like(x), sample)[:, 0])
    assert len(np.unique(found)) > 50
    assert np.isin(found, texels).sum() > 250


@pytest.mark.parametrize("samples", [4, 8])
def test_a_control_surface_says_where_samples_are(samples):
    made, texels = multisampled(samples)
    random = np.random.default_rng(1)
    height, width = SIZE
    slices = random.integers(0, samples - 1, (height, width, samples))
    elements = np.array([[pack_mcs(tuple(pixel)) for pixel in row] for row in slices.tolist()], np.uint32)
    elements[2, 3] = elements[6, 8] = MCS_CLEAR[samples]
    format = mcs_description(made.description).format
    control = ts.Surface.from_array(
        elements[..., None].astype(np.uint8 if samples == 4 else np.uint32), format, tiling="Y", device="cpu"
    )
    x, y, _, sample = places(400, samples, 1)
    mcs = ts.load_mcs(control, x, y)
    assert mcs.dtype == np.uint32
    found = ts.load(made, x, y, sample=sample, mcs=mcs[:, 0].astype(np.int64), clear_color=(1, 0, 1, 1))
    clear = 0
    for i in range(400):
        if not (0 <= x[i] < width and 0 <= y[i] < height and 0 <= sample[i] < samples):
            assert found[i].tolist() == [0, 0, 0, 0]
        elif elements[y[i], x[i]] == MCS_CLEAR[samples]:
            assert found[i].tolist() == [1, 0, 1, 1]
            clear += 1
        else:
            texel = texels[0, slices[y[i], x[i], sample[i]], y[i], x[i]]
            np.testing.assert_array_equal(found[i], texel.astype(np.float32) / np.float32(255))
    assert clear > 2


def test_the_first_slice_is_the_color_of_pixels_whose_control_is_zero():
    """003:749: an element of 0 says that all samples are in slice 0."""
    made, texels = multisampled(4)
    for sample in range(4):
        found = ts.load(made, np.arange(9), 3, sample=sample, mcs=0)
        np.testing.assert_array_equal(found, texels[0, 0, 3].astype(np.float32) / np.float32(255))


def test_sampleinfo_returns_samples_and_the_index_plus_one():
    assert ts.sampleinfo(multisampled(4)[0], palette_index=5).tolist() == [4, 0, 0, 6]
    assert ts.sampleinfo(multisampled(8)[0]).tolist() == [8, 0, 0, 1]
    single = ts.Surface.from_array(np.zeros((2, 2, 4), np.uint8), device="cpu")
    assert ts.sampleinfo(single).tolist() == [1, 0, 0, 1]


def test_resinfo_counts_pixels():
    assert ts.resinfo(multisampled(4)[0]).tolist() == [9, 7, 0, 1]


def test_what_is_refused():
    made, _ = multisampled(4)
    single = ts.Surface.from_array(np.zeros((2, 2, 4), np.uint8), device="cpu")
    volume = ts.Surface.from_array(np.zeros((2, 2, 2, 4), np.uint8), type="3D", device="cpu")
    with pytest.raises(ts.StateError, match="more than 1 sample are loaded from by sample, found none"):
        ts.load(made, 0, 0)
    with pytest.raises(ts.StateError, match="more than 1 sample are loaded from by sample, found one"):
        ts.load(single, 0, 0, sample=0)
    with pytest.raises(ts.StateError, match="interleaved samples have no control surface"):
        ts.load(interleaved(4)[0], 0, 0, sample=0, mcs=0)
    with pytest.raises(ts.StateError, match="clear_color must be four numbers that are 0 or 1"):
        ts.load(made, 0, 0, sample=0, mcs=0xFF, clear_color=(0, 0, 0, 2))
    with pytest.raises(ts.StateError, match="a control surface is 2D, of R8_UINT or R32_UINT"):
        ts.load_mcs(single, 0, 0)
    with pytest.raises(ts.StateError, match="sampleinfo is for 2D surfaces, found SURFTYPE_3D"):
        ts.sampleinfo(volume)
    with pytest.raises(ts.StateError, match="palette_index must be an integer from 0 to 7, found 8"):
        ts.sampleinfo(single, 8)


@pytest.mark.parametrize("layers", [None, 3])
def test_double_size_puts_the_four_samples_of_a_pixel_beside_each_other(layers):
    """Seed 003:736-743: samples 0 and 2 above samples 1 and 3."""
    made, texels = multisampled(4, layers=layers)
    double = ts.double_size(made)
    assert (double.width_px, double.height_px, double.samples) == (2 * SIZE[1], 2 * SIZE[0], 1)
    found = np.asarray(double.to_array()).reshape(-1, 2 * SIZE[0], 2 * SIZE[1], 4)
    for x, y in np.ndindex(2 * SIZE[1], 2 * SIZE[0]):
        sample = [[0, 2], [1, 3]][y % 2][x % 2]
        np.testing.assert_array_equal(found[:, y, x], texels[:, sample, y // 2, x // 2])


def test_double_size_of_interleaved_samples():
    made, texels = interleaved(4)
    found = ts.double_size(made).to_array()
    np.testing.assert_array_equal(found[1::2, ::2], texels[0, 1])


def test_linear_samples_at_double_size_resolve():
    """A linear filter halfway between the four samples is their mean, at every pixel."""
    made, texels = multisampled(4)
    y, x = np.mgrid[0 : SIZE[0], 0 : SIZE[1]].astype(np.float32)
    smooth = ts.Sampler(min_filter="linear", mag_filter="linear")
    found = ts.sample(ts.double_size(made), smooth, (x + 0.5) / SIZE[1], (y + 0.5) / SIZE[0], lod=0)
    mean = texels[0].astype(np.float64).mean(axis=0) / 255
    np.testing.assert_allclose(found, mean, rtol=0, atol=1e-6)


def test_double_size_is_for_four_samples():
    with pytest.raises(ts.StateError, match="surfaces of 4 samples are read at double size, found 8"):
        ts.double_size(multisampled(8)[0])
    with pytest.raises(ts.StateError, match="surfaces of 4 samples cannot be sampled"):
        ts.sample(multisampled(4)[0], ts.Sampler(), 0.5, 0.5, lod=0)
