"""The kernel of Convolve: S3.12 codes and the scale that undoes them (seed 003:1707-1726)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from texsamp.device.arguments import is_integer
from texsamp.errors import StateError
from texsamp.state.convolve import LARGEST_KERNEL, LARGEST_SCALE, STORED, CoefficientSize, ConvolveState

ONE = 4096
"""1.0 in S3.12."""

LARGEST_AUTOMATIC_SCALE = 9
"""Max_power_of_2 is at most 512 (seed 003:1721)."""

_LIMIT = 8
_LOW_BYTE = 0xFF


def _table(values: Any, what: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise StateError(f"{what} must be an array, found rows that do not fit together") from None
    if array.ndim != 2 or not all(1 <= side <= LARGEST_KERNEL for side in array.shape):
        raise StateError(
            f"{what} must have 1 to {LARGEST_KERNEL} rows and 1 to {LARGEST_KERNEL} columns, found shape {array.shape}"
        )
    return array


def _checked_scale(scale: object) -> int:
    if not is_integer(scale) or not 0 <= scale <= LARGEST_SCALE:  # type: ignore[operator]
        raise StateError(
            f"the scale of a convolve kernel must be an integer from 0 to {LARGEST_SCALE}, found {scale!r}"
        )
    return int(scale)  # type: ignore[call-overload, no-any-return]


def _rounded(coefficients: npt.NDArray[np.float64], scale: int) -> npt.NDArray[np.float64]:
    return np.floor(coefficients * float(ONE << scale) + 0.5)


@dataclass(frozen=True, eq=False, repr=False)
class ConvolveKernel:
    """``codes``: integers (rows, columns), at most 15 x 15, 4096 * 2^scale being 1.0; ``scale``: 0 to 10.

    Row n, column m weighs the sample n - (rows - 1) // 2 lines down and m - (columns - 1) // 2 columns to the right:
    the hardware does not flip the kernel (seed 003:1783). Raises StateError for another shape, codes outside S3.12
    (-32768 to 32767) or another scale.
    """

    codes: npt.NDArray[np.int16]
    scale: int = 0

    def __repr__(self) -> str:
        rows, columns = self.codes.shape
        return f"<ConvolveKernel {columns}x{rows}, scale {self.scale}>"

    def __post_init__(self) -> None:
        codes = _table(self.codes, "a convolve kernel")
        if codes.dtype.kind not in "iu":
            raise StateError(f"codes of a convolve kernel are integers, found {codes.dtype}: use from_coefficients")
        low, high = int(codes.min()), int(codes.max())
        if low < -(1 << 15) or high >= 1 << 15:
            raise StateError(f"codes of a convolve kernel must be S3.12 (-32768 to 32767), found {low} to {high}")
        object.__setattr__(self, "codes", np.array(codes, np.int16))
        self.codes.flags.writeable = False
        object.__setattr__(self, "scale", _checked_scale(self.scale))

    @classmethod
    def from_coefficients(cls, coefficients: npt.ArrayLike, scale: int | None = None) -> ConvolveKernel:
        """The kernel of real coefficients, an array (rows, columns), rounded to the nearest code, halves up.

        Without a scale it is the largest up to 9 with which every code is S3.12, which is the driver's rule (seed
        003:1709-1721). Raises StateError as the class does, and for coefficients of 8 and more (scale those down, and
        the results up) or of which only zeros would be left.
        """
        table = _table(coefficients, "a convolve kernel")
        if table.dtype.kind not in "iufb":
            raise StateError(f"coefficients of a convolve kernel are real numbers, found {table.dtype}")
        real = table.astype(np.float64)
        if not np.isfinite(real).all():
            raise StateError(f"coefficients of a convolve kernel must be finite, found {real[~np.isfinite(real)][0]}")
        if scale is None:
            fitting = (s for s in range(LARGEST_AUTOMATIC_SCALE, 0, -1) if _fits(_rounded(real, s)))
            scale = next(fitting, 0) if real.any() else 0
        codes = _rounded(real, _checked_scale(scale))
        if not _fits(codes):
            largest = real.flat[np.abs(codes).argmax()]
            raise StateError(
                f"coefficients of a convolve kernel of scale {scale} must be below {_LIMIT / 2**scale:g}, "
                f"found {largest:g}"
            )
        if real.any() and not codes.any():
            raise StateError(
                f"coefficients of a convolve kernel of scale {scale} count 1/{ONE << scale}, "
                f"the largest found is {np.abs(real).max():g}: nothing of it is left"
            )
        return cls(codes.astype(np.int16), scale)

    @classmethod
    def from_state(cls, state: ConvolveState) -> ConvolveKernel:
        """The kernel of a state. With coefficients of 8 bits their lower bytes count as 0, as its field says."""
        table = np.array(state.coefficients)[: state.height, : state.width] * ONE
        codes = table.astype(np.int16)
        if state.code("coefficient_size") == CoefficientSize.EIGHT_BITS:
            codes &= ~np.int16(_LOW_BYTE)
        return cls(codes, int(state.scale_down))

    def to_state(self) -> ConvolveState:
        """The state with this kernel; what it does not use of the table is 0."""
        rows, columns = self.codes.shape
        table = np.zeros((STORED, STORED))
        table[:rows, :columns] = self.codes / ONE
        short = not (self.codes & _LOW_BYTE).any()
        size = CoefficientSize.EIGHT_BITS if short else CoefficientSize.SIXTEEN_BITS
        return ConvolveState(
            height=rows, width=columns, scale_down=self.scale, coefficient_size=size, coefficients=table.tolist()
        )


def _fits(codes: npt.NDArray[np.float64]) -> bool:
    return bool((codes >= -(1 << 15)).all() and (codes < 1 << 15).all())
