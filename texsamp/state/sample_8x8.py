"""State of the sample_8x8 message: its SAMPLER_STATE (seed 003:3541) and the coefficient block (seed 003:4011)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from texsamp.errors import StateError
from texsamp.state.base import Array, Field, Struct
from texsamp.state.fields import Axis, Legal
from texsamp.state.kinds import address, fixed, flag, unsigned

STORED_PHASES = 17
"""Phases 0/32 to 16/32; later ones are the stored ones mirrored (hole A1)."""

PHASES = 32
_PHASE_STRIDE_BITS = 8 * 32

_STEP = 1 / 64
_QUARTER, _HALF, _ONE, _TWO = ((-limit, limit - _STEP) for limit in (0.25, 0.5, 1.0, 2.0))
_TAPS_8: list[Legal] = [_QUARTER, _HALF, _ONE, _TWO, _TWO, _ONE, _HALF, _QUARTER]
_CENTER: Legal = (0.0, 2.0 - _STEP)
_TAPS_4: list[Legal] = [_ONE, _CENTER, _CENTER, _ONE]


def _table(dword: int, low: int, taps: list[Legal], doc: str) -> Array[float]:
    axes = (Axis(STORED_PHASES, _PHASE_STRIDE_BITS), Axis(len(taps), 8))
    return Array(dword, low + 7, low, fixed("S1.6"), doc, axes, legal=taps)


class Sampler8x8State(Struct, name="SAMPLER_8x8_STATE", dwords=138, source="003:4011-4194"):
    """Polyphase coefficients and the adaptive filter's limits; phase n of every table starts at dword 8n (hole T12).

    Tables 0X and 0Y have 8 taps (Y and G), 1X and 1Y the 4 central ones (Cr, Cb, R, B). Coefficients are S1.6.
    """

    table_0x = _table(0, 0, _TAPS_8, "horizontal 8-tap coefficients [phase][tap]")
    table_0y = _table(2, 0, _TAPS_8, "vertical 8-tap coefficients [phase][tap]")
    table_1x = _table(4, 16, _TAPS_4, "horizontal 4-tap coefficients, taps 2 to 5 of eight [phase][tap - 2]")
    table_1y = _table(6, 16, _TAPS_4, "vertical 4-tap coefficients, taps 2 to 5 of eight [phase][tap - 2]")
    adaptive_all_channels = Field(4, 15, 15, flag, "adaptive filter on U and V, R and B as well; 8-tap mode only")
    rgb_adaptive = Field(4, 14, 14, flag, "RGB: adapt on (R + 2G + B) >> 2 instead of on G")
    default_sharpness = Field(136, 31, 24, unsigned, "share of the sharp filter where it is not adaptive: 0 to 255")
    max_derivative_4 = Field(136, 23, 16, unsigned, "lower bound of the smooth area of 4 pixels")
    max_derivative_8 = Field(136, 15, 8, unsigned, "lower bound of the smooth area of 8 pixels")
    transition_area_4 = Field(136, 6, 4, unsigned, "log2 of the transition's width, 4 pixels")
    transition_area_8 = Field(136, 2, 0, unsigned, "log2 of the transition's width, 8 pixels")
    bypass_x = Field(137, 22, 22, flag, "horizontally: default_sharpness instead of the adaptive weight")
    bypass_y = Field(137, 21, 21, flag, "vertically: default_sharpness instead of the adaptive weight")

    def coefficients(self, table: str) -> npt.NDArray[np.int8]:
        """Return stored S1.6 codes of table "0x", "0y" (17, 8) or "1x", "1y" (17, 4), signed, 64 = 1.0."""
        row = self._row(table)
        codes = np.array(row.codes(self.image), np.uint8).view(np.int8)
        return codes.reshape(row.shape)

    def expanded(self, table: str) -> npt.NDArray[np.int8]:
        """Return the 32 phases of a table, (32, 8) or (32, 4): phase p > 16 is stored phase 32 - p, taps reversed."""
        stored = self.coefficients(table)
        return np.concatenate([stored, stored[PHASES - STORED_PHASES : 0 : -1, ::-1]])

    @classmethod
    def from_coefficients(
        cls,
        table_0x: npt.ArrayLike,
        table_0y: npt.ArrayLike,
        table_1x: npt.ArrayLike,
        table_1y: npt.ArrayLike,
        **fields: Any,
    ) -> Self:
        """Build the state from integer S1.6 codes (64 = 1.0): arrays (17, 8), (17, 8), (17, 4), (17, 4).

        Raises StateError for a wrong shape, numbers that are not integers, and taps outside their range.
        """
        tables: dict[str, npt.ArrayLike] = {
            "table_0x": table_0x,
            "table_0y": table_0y,
            "table_1x": table_1x,
            "table_1y": table_1y,
        }
        return cls(**fields, **{name: _values(name, codes) for name, codes in tables.items()})

    def _row(self, table: str) -> Array[float]:
        row = self.rows.get(f"table_{table.lower()}")
        if not isinstance(row, Array):
            raise StateError(f"{self.name} has tables 0x, 0y, 1x and 1y, not {table!r}")
        return row


def _values(name: str, codes: npt.ArrayLike) -> Any:
    array = np.asarray(codes)
    if array.dtype.kind not in "iu":
        raise StateError(f"{Sampler8x8State.name}.{name}: coefficients are integer S1.6 codes, found {array.dtype}")
    return (array / 64.0).tolist()


class Sample8x8SamplerState(Struct, name="SAMPLER_STATE_8x8", dwords=4, source="003:3541-3667"):
    """SAMPLER_STATE as the sample_8x8 message reads it; its sampler index is a multiple of 4 (hole T21).

    The R coefficients weigh rings of the detail filter: R3x 4 diagonal and R3c 4 axial neighbors of the 3x3 window;
    R5x 4 corners, R5c 4 axial and R5cx 8 other pixels of the 5x5 ring (holes T8, E2).
    """

    disable_8x8 = Field(0, 31, 31, flag, "8-tap filter off, bilinear instead; drivers use it, the manual reserves it")
    ief_bypass = Field(0, 29, 29, flag, "image enhancement filter off")
    chroma_key_enable = Field(0, 18, 18, flag, "replace matching texels by black, on the 8 high bits")
    chroma_key_index = Field(0, 17, 16, unsigned, "entry of the chroma key table")
    global_noise_estimation = Field(0, 7, 0, unsigned, "noise of the previous frame")
    sampler_8x8_state_pointer = Field(1, 31, 5, address, "SAMPLER_8x8_STATE, from Dynamic State Base")
    r5c = Field(2, 30, 26, fixed("U0.5"), "detail weight, axial pixels of the 5x5 ring", 3 / 32)
    r5cx = Field(2, 25, 21, fixed("U0.5"), "detail weight, other pixels of the 5x5 ring", 8 / 32)
    r5x = Field(2, 20, 16, fixed("U0.5"), "detail weight, corners of the 5x5 ring", 9 / 32)
    strong_edge_threshold = Field(2, 13, 8, unsigned, "edge metric above it: strong edge", 8)
    weak_edge_threshold = Field(2, 5, 0, unsigned, "edge metric above it: weak edge", 1)
    ief_smooth = Field(3, 31, 31, flag, "content-adaptive 3x3 smooth filter instead of the 5x5 detail filter")
    strong_edge_weight = Field(3, 30, 28, unsigned, "sharpening on a strong edge", 7)
    regular_weight = Field(3, 26, 24, unsigned, "sharpening on a weak edge", 2)
    non_edge_weight = Field(3, 22, 20, unsigned, "sharpening where there is no edge", 1)
    gain = Field(3, 19, 14, unsigned, "the user's sharpening strength", 40)
    r3c = Field(3, 10, 6, fixed("U0.5"), "detail weight, axial neighbors", 15 / 32)
    r3x = Field(3, 4, 0, fixed("U0.5"), "detail weight, diagonal neighbors", 6 / 32)
