"""Multisampled surfaces: interleaved samples, sample slices, the control surface."""

import itertools

import numpy as np
import pytest

from texsamp.errors import StateError
from texsamp.state.render_surface import MultisampleFormat, SurfaceType
from texsamp.surface.layout import (
    MCS_CLEAR,
    SurfaceDescription,
    SurfaceLayout,
    Usage,
    interleave,
    mcs_description,
    pack_mcs,
    sample_slice,
    uninterleave,
)

D2 = SurfaceType.SURFTYPE_2D


def test_four_samples_of_a_pixel_pair():
    """The arrangement printed in Sandy Bridge's and Ivy Bridge's manuals, as Mesa's ilo driver quotes it."""
    plane = {(x, y, s): interleave(x, y, s, 4) for x, y, s in itertools.product(range(2), range(2), range(4))}
    rows = [[None] * 4 for _ in range(4)]
    for (x, y, s), (column, row) in plane.items():
        rows[row][column] = (x, y, s)
    assert rows == [
        [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)],
        [(0, 1, 0), (1, 1, 0), (0, 1, 1), (1, 1, 1)],
        [(0, 0, 2), (1, 0, 2), (0, 0, 3), (1, 0, 3)],
        [(0, 1, 2), (1, 1, 2), (0, 1, 3), (1, 1, 3)],
    ]


@pytest.mark.parametrize(("samples", "size"), [(4, (2, 2)), (8, (4, 2))])
def test_interleaving_fills_the_plane(samples, size):
    y, x, sample = np.meshgrid(np.arange(6), np.arange(10), np.arange(samples), indexing="ij")
    column, row = interleave(x, y, sample, samples)
    assert (column.max() + 1, row.max() + 1) == (10 * size[0], 6 * size[1])
    assert len(set(zip(column.flat, row.flat, strict=True))) == 60 * samples
    for found, expected in zip(uninterleave(column, row, samples), (x, y, sample), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_eight_samples_put_the_third_bit_into_x():
    assert [interleave(3, 5, s, 8) for s in range(8)] == [
        (9, 9), (11, 9), (9, 11), (11, 11), (13, 9), (15, 9), (13, 11), (15, 11),
    ]  # fmt: skip


@pytest.mark.parametrize(("samples", "extent"), [(4, (12, 8)), (8, (24, 8))])
def test_interleaved_surfaces_are_larger(samples, extent):
    """W = ceil(W / 2) * 4 or 8, H = ceil(H / 2) * 4."""
    made = SurfaceLayout(SurfaceDescription(D2, "R32_FLOAT", 5, 3, samples=samples, tiling="Y", usage=Usage.DEPTH))
    assert (made.width_el, made.rows_el) == extent
    assert made.level_size_px(0) == (5, 3)
    assert made.place_el(4, 2, sample=3) == interleave(4, 2, 3, samples)


def test_samples_in_slices():
    """001:2449: the slices of one pixel's samples are neighbors; LOD0 spacing."""
    made = SurfaceLayout(SurfaceDescription(D2, "R8G8B8A8_UNORM", 30, 30, array_length=3, samples=4, tiling="Y"))
    assert made.description.storage == MultisampleFormat.MSS
    assert made.slice_pitch_el_rows == 32
    assert made.place_el(7, 9, layer=2, sample=1) == (7, 9 + (2 * 4 + 1) * 32)
    assert made.rows_el == 12 * 32


@pytest.mark.parametrize(("samples", "width"), [(4, 2), (8, 3)])
def test_mcs_elements(samples, width):
    """001:2427-2443."""
    assert pack_mcs((0,) * samples) == 0
    rng = np.random.default_rng(5)
    for slices in rng.integers(0, samples, (50, samples)):
        element = pack_mcs(tuple(int(s) for s in slices))
        assert element == int("".join(f"{s:0{width}b}" for s in reversed(slices)), 2)
        assert [sample_slice(element, k, samples) for k in range(samples)] == slices.tolist()
    with pytest.raises(StateError, match=f"all samples in slice {samples - 1} cannot be expressed: 0x"):
        pack_mcs((samples - 1,) * samples)
    with pytest.raises(StateError, match=f"from 0 to {samples - 1}, found {samples}"):
        pack_mcs((samples,) * samples)


def test_clear_elements():
    assert MCS_CLEAR == {4: 0xFF, 8: 0x00FFFFFF}


@pytest.mark.parametrize(("samples", "element_B"), [(4, 1), (8, 4)])
def test_mcs_surface(samples, element_B):
    """001:2423: a byte or a dword for each pixel; 003:2519: tiled in Y, size and slices of its surface."""
    surface = SurfaceDescription(D2, "R8G8B8A8_UNORM", 100, 50, array_length=2, samples=samples, tiling="Y")
    made = SurfaceLayout(mcs_description(surface))
    assert made.element.size_B == element_B
    assert made.level_size_px(0) == (100, 50)
    assert made.slice_pitch_el_rows == 52
    assert made.pitch_B % 128 == 0
    assert SurfaceLayout(mcs_description(surface, 1024)).pitch_B == 1024


def test_surfaces_without_mcs():
    with pytest.raises(StateError, match="only surfaces with samples in slices have an MCS, found 1 samples"):
        mcs_description(SurfaceDescription(D2, "R8G8B8A8_UNORM", 4, 4))
    with pytest.raises(StateError, match="found 4 samples, interleaved"):
        mcs_description(SurfaceDescription(D2, "R32_FLOAT", 4, 4, samples=4, tiling="Y", usage=Usage.DEPTH))
    with pytest.raises(StateError, match="samples must be one of 4, 8, found 2"):
        interleave(0, 0, 0, 2)
