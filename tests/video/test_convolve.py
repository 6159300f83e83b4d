"""Convolve equals the manual's pseudo code; its kernels, their state, the edges of small arrays, what is refused."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from oracle.convolve import automatic_scale
from oracle.convolve import convolve as by_the_manual
from support.filter_cases import padded_plane, sweep

import texsamp as ts
from texsamp.errors import FormatError, StateError
from texsamp.state.convolve import ConvolveState
from texsamp.video.analytics import ConvolveKernel

TYPES = ("uint8", "uint16", "int16")


def samples(rng, shape, dtype):
    """Any samples, or only the least and largest."""
    limits = np.iinfo(dtype)
    if rng.random() < 0.3:
        return rng.choice([limits.min, limits.max], shape).astype(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def codes(rng, shape):
    """Any codes, small ones, or only the least and largest."""
    kind = rng.integers(0, 3)
    if kind == 0:
        return rng.choice([-32768, 32767], shape)
    return rng.integers(-32768, 32768, shape) if kind == 1 else rng.integers(-40, 60, shape)


def expected(array, kernel, edge):
    return by_the_manual(array.tolist(), kernel.codes.tolist(), kernel.scale, clamp=edge == "clamp")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("edge", ["clamp", "mirror"])
def test_random_kernels_on_random_samples(dtype, edge):
    rng = np.random.default_rng([TYPES.index(dtype), edge == "clamp"])
    for _ in range(sweep(12)):
        rows, columns = rng.integers(1, 16, 2)
        height, width = rng.integers(1, 20, 2)
        array = samples(rng, (height, width), dtype)
        kernel = ConvolveKernel(codes(rng, (rows, columns)), int(rng.integers(0, 11)))
        np.testing.assert_array_equal(ts.convolve(array, kernel, edge, "cpu"), expected(array, kernel, edge))


@pytest.mark.parametrize("side", range(1, 16))
def test_every_kernel_size_on_a_small_array(side):
    """Smaller than the kernel too: mirrored once and still outside, samples count as 0."""
    rng = np.random.default_rng(side)
    for height, width in ((1, 1), (3, 2), (8, 5)):
        array = samples(rng, (height, width), "int16")
        for shape in ((side, 16 - side), (side, side)):
            kernel = ConvolveKernel(codes(rng, shape), side % 11)
            for edge in ("clamp", "mirror"):
                np.testing.assert_array_equal(ts.convolve(array, kernel, edge, "cpu"), expected(array, kernel, edge))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("sign", [-32768, 32767])
def test_the_largest_sums_do_not_overflow(dtype, sign):
    limits, kernel = np.iinfo(dtype), ConvolveKernel(np.full((15, 15), sign), 10)
    for value in (limits.min, limits.max):
        array = np.full((3, 70), value, dtype)
        exact = floor(Fraction(225 * int(value) * sign, 4096 << 10) + Fraction(1, 2))
        assert (ts.convolve(array, kernel, device="cpu") == np.clip(exact, -32768, 32767)).all()


@pytest.mark.parametrize("scale", range(11))
def test_halves_round_up_at_every_scale(scale):
    array = np.arange(-4, 5, dtype=np.int16).reshape(1, -1)
    kernel = ConvolveKernel([[4096 << scale >> 1]] if scale < 4 else [[32767]], scale)
    np.testing.assert_array_equal(ts.convolve(array, kernel, device="cpu"), expected(array, kernel, "clamp"))
    if scale < 4:
        np.testing.assert_array_equal(ts.convolve(array, kernel, device="cpu")[0], [-2, -1, -1, 0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize(("width", "height"), [(255, 3), (256, 16), (257, 17), (513, 33), (600, 1)])
def test_tiles_do_not_show(width, height):
    rng = np.random.default_rng(width)
    array, kernel = samples(rng, (height, width), "uint16"), ConvolveKernel(codes(rng, (4, 9)), 5)
    whole = ts.convolve(array, kernel, device="cpu").astype(np.int64)
    padded = np.pad(array.astype(np.int64), ((1, 2), (4, 4)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (4, 9))
    sums = np.einsum("yxnm,nm->yx", windows, kernel.codes.astype(np.int64))
    np.testing.assert_array_equal(whole, np.clip((sums + (1 << 16)) >> 17, -32768, 32767))


def test_the_kernel_is_not_flipped():
    array = np.array([[0, 0, 9, 0, 0]], np.uint8)
    assert ts.convolve(array, [[1, 2, 3]], device="cpu").tolist() == [[0, 27, 18, 9, 0]]


@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_inside_others(dtype):
    rng = np.random.default_rng(9)
    array = padded_plane(rng, 20, 30, dtype)
    kernel = ConvolveKernel(codes(rng, (5, 5)), 3)
    result = ts.convolve(array, kernel, device="cpu")
    for other in (np.ascontiguousarray(array), np.asfortranarray(array), array.astype(array.dtype.newbyteorder(">"))):
        np.testing.assert_array_equal(ts.convolve(other, kernel, device="cpu"), result)
    np.testing.assert_array_equal(ts.convolve(array[::-1], ConvolveKernel(kernel.codes[::-1], 3)), result[::-1])


# -- kernels ---------------------------------------------------------------------------------------------------------


def test_the_automatic_scale_is_the_manuals():
    rng = np.random.default_rng(4)
    edges = [[[value]] for value in (0, 1, -1, 7.999, -8, 0.5, -0.5, 4, -4, 3.99, 1 / 128, 1 / 225, 2.0**-20)]
    random = [rng.normal(0, 2.0 ** rng.integers(-9, 1), (3, 3)).clip(-7.9, 7.9) for _ in range(60)]
    for table in (*edges, *random):
        kernel = ConvolveKernel.from_coefficients(table)
        exact = [[Fraction(float(c)) for c in row] for row in np.asarray(table)]
        assert kernel.scale == automatic_scale(exact), table
        rounded = [[floor(c * 4096 * 2**kernel.scale + Fraction(1, 2)) for c in row] for row in exact]
        assert kernel.codes.tolist() == rounded


def test_a_blur_keeps_a_flat_array():
    for side in (3, 5, 9, 15):
        array = np.full((20, 20), 200, np.uint8)
        assert (ts.convolve(array, np.full((side, side), 1 / side**2), device="cpu") == 200).all()


def test_kernels_survive_their_state():
    rng = np.random.default_rng(5)
    for rows, columns in ((1, 1), (15, 15), (4, 9)):
        kernel = ConvolveKernel(codes(rng, (rows, columns)), rows % 11)
        state = kernel.to_state()
        assert ConvolveState.unpack(state.pack()) == state
        again = ConvolveKernel.from_state(state)
        assert again.scale == kernel.scale
        np.testing.assert_array_equal(again.codes, kernel.codes)


def test_coefficients_of_8_bits_have_no_lower_byte():
    state = ConvolveState(width=2, coefficients=[[1 + 255 / 4096, -1 / 4096] + [0] * 14] + [[0] * 16] * 15)
    assert ConvolveKernel.from_state(state).codes.tolist() == [[4096, -256]]
    assert ConvolveKernel([[4096, -256]]).to_state().coefficient_size.name == "EIGHT_BITS"


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((4, 4), np.float32), r"uint8, uint16 or int16 .*found float32 of \(4, 4\)"),
        (np.zeros((4, 4), bool), "found bool"),
        (np.zeros((4, 4, 3), np.uint8), r"found uint8 of \(4, 4, 3\)"),
        (np.zeros((0, 4), np.uint8), r"found uint8 of \(0, 4\)"),
        ([[1]], "takes an array, found list"),
    ],
)
def test_arrays_that_are_refused(array, message):
    with pytest.raises(FormatError, match=message):
        ts.convolve(array, [[1]], device="cpu")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ConvolveKernel(np.zeros((16, 3), int)), r"1 to 15 rows and 1 to 15 columns, found shape \(16, 3\)"),
        (lambda: ConvolveKernel(np.zeros(3, int)), r"found shape \(3,\)"),
        (lambda: ConvolveKernel([[0.5]]), "codes of a convolve kernel are integers, found float64"),
        (lambda: ConvolveKernel([[32768]]), r"S3\.12 \(-32768 to 32767\), found 32768 to 32768"),
        (lambda: ConvolveKernel([[1]], 11), "integer from 0 to 10, found 11"),
        (lambda: ConvolveKernel([[1]], True), "integer from 0 to 10, found True"),
        (lambda: ConvolveKernel.from_coefficients([[8.0]]), "of scale 0 must be below 8, found 8"),
        (lambda: ConvolveKernel.from_coefficients([[1.0]], 3), "of scale 3 must be below 1, found 1"),
        (lambda: ConvolveKernel.from_coefficients([[1e-9]]), "of scale 9 count 1/2097152, .* 1e-09: nothing"),
        (lambda: ConvolveKernel.from_coefficients([[float("nan")]]), "must be finite, found nan"),
        (lambda: ConvolveKernel([[1], [2, 3]]), "rows that do not fit together"),
        (lambda: ConvolveKernel.from_coefficients([[1j]]), "real numbers, found complex128"),
        (lambda: ts.convolve(np.zeros((2, 2), "u1"), [[1]], "wrap"), "one of clamp, mirror, found 'wrap'"),
    ],
)
def test_kernels_that_are_refused(make, message):
    with pytest.raises(StateError, match=message):
        make()
