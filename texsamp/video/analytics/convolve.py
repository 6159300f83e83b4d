"""`convolve`: the Convolve function of video analytics on arrays (seed 003:1701-1783)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from texsamp.device import Device, get_device
from texsamp.device.base import Array, Launch
from texsamp.device.given import GivenArray
from texsamp.device.params import params_type
from texsamp.errors import FormatError, StateError
from texsamp.video.analytics.kernel import ConvolveKernel

_PAIRS, _COLUMNS = 8, 16
"""Of the table of weights: pairs of lines that a kernel meets, and columns."""

_PARAMS = params_type("ConvolveParams")
TILE_SIZES = {"host": (384, 16), "device": (64, 8)}
"""Columns and rows of a tile."""

_KERNELS = {"uint8": "convolve_u8", "uint16": "convolve_u16", "int16": "convolve_s16"}
_FRACTION_BITS = 12
EDGES = ("clamp", "mirror")
MAX_SIDE_PX = 1 << 28
"""Largest width and height."""


def _weights(kernel: ConvolveKernel) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Codes of two rows in one word, the upper one's in its low half: as they are, and one row further down."""
    rows, columns = kernel.codes.shape
    table = np.zeros((2, 2 * _PAIRS, _COLUMNS), np.uint16)
    for lower in (0, 1):
        table[lower, lower : lower + rows, :columns] = kernel.codes.view(np.uint16)
    words = table[:, 0::2] | table[:, 1::2].astype(np.uint32) << 16
    return np.ascontiguousarray(words.transpose(1, 0, 2)).reshape(-1)


def convolve(
    array: GivenArray, kernel: ConvolveKernel | ArrayLike, edge: str = "clamp", device: Device | str = "auto"
) -> Array:
    """Every sample replaced by the weighted sum around it: an int16 array of the same shape.

    ``array`` is (rows, columns) of uint8, uint16 or int16, ``kernel`` a `ConvolveKernel` or an array (rows, columns) of
    real coefficients for `ConvolveKernel.from_coefficients`, at most 15 x 15. It is applied as it is, as the hardware
    does (seed 003:1783); mathematical convolution takes ``kernel[::-1, ::-1]``. Sums are exact; the result is rounded
    to the nearest integer, halves up, and clamped to -32768 to 32767.

    ``edge`` says what lies outside: "clamp" the nearest sample, "mirror" the samples before the edge again, from it on;
    of arrays smaller than the kernel that can be outside again, and is 0 then. The result lies on ``device``.

    Raises FormatError for another array, StateError for another kernel or edge.
    """
    on = get_device(device)
    if not hasattr(array, "dtype") and not hasattr(array, "__dlpack__"):
        raise FormatError(f"convolve takes an array, found {type(array).__name__}")
    source = on.upload(array)
    if source.dtype.name not in _KERNELS or source.ndim != 2 or 0 in source.shape:
        raise FormatError(
            f"convolve takes uint8, uint16 or int16 of shape (rows, columns), found {source.dtype} of "
            f"{tuple(source.shape)}"
        )
    if edge not in EDGES:
        raise StateError(f"convolve edge must be one of {', '.join(EDGES)}, found {edge!r}")
    if max(source.shape) > MAX_SIDE_PX:
        raise FormatError(f"convolve takes at most {MAX_SIDE_PX} rows and columns, found {tuple(source.shape)}")
    if not source.dtype.isnative or source.strides[1] != source.itemsize or source.strides[0] < 0:
        source = on.copy(source.astype(source.dtype.newbyteorder("=")))
    chosen = kernel if isinstance(kernel, ConvolveKernel) else ConvolveKernel.from_coefficients(kernel)
    height, width = source.shape
    rows, columns = chosen.codes.shape
    made = on.empty((height, width), np.int16)
    params = _PARAMS(
        src=on.address(source),
        dst=on.address(made),
        src_pitch_B=source.strides[0],
        dst_pitch_B=made.strides[0],
        width=width,
        height=height,
        left=(columns - 1) >> 1,
        top=(rows - 1) >> 1,
        columns=columns,
        pairs=rows // 2 + 1,
        mirror=int(edge == "mirror"),
        shift=_FRACTION_BITS + chosen.scale,
        weights=_weights(chosen),
    )
    across, down = TILE_SIZES[on.tile_limits]
    on.launch(Launch(_KERNELS[source.dtype.name], params, -(-width // across), -(-height // down), (source, made)))
    return made
