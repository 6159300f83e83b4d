"""What the denoise filter takes from DEINTERLACE_SAMPLER_STATE, under the names of docs/denoise.md."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from texsamp.errors import StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.video.presets.ranges import check_ranges

_Q_TABLE = (1024, 512, 341, 256, 205, 171, 146, 128, 114, 102, 93, 85, 79, 73, 68, 64)
"""1024 / n (seed 003:944)."""
_GN_Q_TABLE = (2048, 1024, 682, 512, 409, 341, 292, 256, 227)
"""2048 / n, rounded down (seed 003:891)."""


@dataclass(frozen=True)
class Reciprocals:
    """Reciprocals of 1 to 9 in 1 / 2**shift: what the spatial filter divides by."""

    values: tuple[int, ...]
    shift: int


_HARDWARE = Reciprocals(_GN_Q_TABLE, 11)


@cache
def even_reciprocals(bits: int) -> Reciprocals:
    """Reciprocals rounded up, so that nine equal samples of ``bits`` bits stay what they are (ours)."""
    shift = 11 if bits == 8 else 16
    return Reciprocals(tuple(-(-(1 << shift) // n) for n in range(1, 10)), shift)


@dataclass(frozen=True)
class DenoiseParameters:
    """Constants of the equations, for 8-bit samples; the range of each is that of its field (seed 003:3669-3921).

    ``even`` divides by reciprocals that keep constants (ours) instead of the manual's. Raises StateError for a value
    outside its range and for thresholds of the temporal difference that are not 1 to 16 apart, or both 0.
    """

    stad_th: int
    mp_th: int
    tasd_th: int
    scm_th: int
    history_max: int
    delta: int
    th: int
    low: int
    gn_th: int
    even: bool = False

    def __post_init__(self) -> None:
        ranges = {"stad_th": 255, "mp_th": 16, "tasd_th": 255, "scm_th": 255, "history_max": 240, "delta": 15}
        check_ranges(self, {**ranges, "th": 63, "low": 63, "gn_th": 63})
        if not (1 <= self.th - self.low <= 16 or self.th == self.low == 0):
            raise StateError(
                "the temporal difference threshold must be 1 to 16 above the low one, or both 0, "
                f"found {self.th} and {self.low}"
            )

    @classmethod
    def from_state(cls, state: DeinterlaceSamplerState) -> DenoiseParameters:
        """The constants of a state; dn_enable, first_frame and progressive_dn are the caller's."""
        return cls(
            stad_th=state.stad_threshold,
            mp_th=state.moving_pixel_threshold,
            tasd_th=state.asd_threshold,
            scm_th=state.scm_threshold,
            history_max=state.max_history,
            delta=state.history_delta,
            th=state.temporal_difference_threshold,
            low=state.low_temporal_difference_threshold,
            gn_th=state.good_neighbor_threshold,
        )

    @property
    def blend_reciprocal(self) -> int:
        """q_table of the distance of the thresholds (seed 003:944)."""
        return _Q_TABLE[max(self.th - self.low, 1) - 1]

    def neighbor_reciprocals(self, bits: int) -> Reciprocals:
        """What the spatial filter divides by."""
        return even_reciprocals(bits) if self.even else _HARDWARE


@dataclass(frozen=True)
class NoiseThresholds:
    """Thresholds of the block noise estimate, 0..15 and 0..31."""

    edge_th: int
    nn_th: int

    @classmethod
    def from_state(cls, state: DeinterlaceSamplerState) -> NoiseThresholds:
        """The thresholds of a state."""
        return cls(state.bne_edge_threshold, state.bne_noise_threshold)
