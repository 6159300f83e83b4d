"""What the deinterlacer takes from DEINTERLACE_SAMPLER_STATE, under the names of docs/deinterlace.md."""

from __future__ import annotations

from dataclasses import dataclass, replace

from texsamp.errors import StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState, StmmSelect, StmmShiftDown, StmmShiftUp
from texsamp.state.presets import preset

_TDM_SHIFT1 = {
    StmmShiftDown.SHIFT_4: 4,
    StmmShiftDown.SHIFT_5: 5,
    StmmShiftDown.SHIFT_6: 6,
    StmmShiftDown.RESERVED_AS_4: 4,
}
_TDM_SHIFT2 = {StmmShiftUp.SHIFT_6: 6, StmmShiftUp.SHIFT_7: 7, StmmShiftUp.SHIFT_8: 8}


@dataclass(frozen=True)
class DeinterlaceParameters:
    """Constants of the equations, for 8-bit samples; the range of each is that of its field (seed 003:3669-3921)."""

    tdm_shift1: int
    tdm_shift2: int
    stmm_c2: int
    vecm_mul: int
    stmm_trc1: int
    stmm_trc2: int
    stmm_md_th: int
    stmm_min: int
    stmm_max: int
    stmm_shift: int
    sdi_th: int
    sdi_d: int
    sdi_t1: int
    sdi_t2: int
    sdi_angle2x1: int
    own_angles: bool = False
    """Whether the angle is chosen by texsamp's own rule (docs/deinterlace.md, 41), which finds more of them."""

    def __post_init__(self) -> None:
        """Raises StateError if the weights of the blend do not add up (seed 003:3785)."""
        if self.stmm_max - self.stmm_min != 1 << self.stmm_shift:
            raise StateError(
                f"maximum STMM - minimum STMM must be 2 to the STMM output shift, found {self.stmm_max} - "
                f"{self.stmm_min} and shift {self.stmm_shift}"
            )

    @classmethod
    def from_state(cls, state: DeinterlaceSamplerState) -> DeinterlaceParameters:
        """The constants of a state; its `mcdi_enable` and film mode fields are not among them."""
        largest = state.stmm_select == StmmSelect.MAXIMUM
        return cls(
            tdm_shift1=_TDM_SHIFT1[state.stmm_shift_down],
            tdm_shift2=_TDM_SHIFT2[state.stmm_shift_up],
            stmm_c2=state.stmm_c2,
            vecm_mul=state.vecm_multiplier,
            stmm_trc1=state.large_stmm_blend,
            stmm_trc2=state.small_stmm_blend,
            stmm_md_th=state.max_stmm if largest else state.min_stmm,
            stmm_min=state.min_stmm,
            stmm_max=state.max_stmm,
            stmm_shift=state.stmm_output_shift,
            sdi_th=state.sdi_threshold,
            sdi_d=state.sdi_delta,
            sdi_t1=state.sdi_fallback1_t1,
            sdi_t2=state.sdi_fallback1_t2,
            sdi_angle2x1=state.sdi_fallback2,
        )


_EVERY_SUM = 8191
"""More than any sum of absolute differences over the 6x5 window."""


@dataclass(frozen=True)
class CompensationParameters:
    """Constants of motion compensation, for 8-bit samples; ranges are those of the fields (seed 003:3669-3921)."""

    cat_th1: int
    cat_slope: int
    sad_tha: int
    sad_thb: int
    sad_tight_th: int
    smooth_mv_th: int
    mc_pixel_consistency_th: int
    neighbor_pixel_th: int
    blended: bool = True
    """Whether compensated samples take part in the blend with the mean in time, or only stand above it."""

    @classmethod
    def from_state(cls, state: DeinterlaceSamplerState) -> CompensationParameters:
        """The constants of a state."""
        return cls(
            cat_th1=state.cat_threshold1,
            cat_slope=state.cat_slope,
            sad_tha=state.sad_threshold_a,
            sad_thb=state.sad_threshold_b,
            sad_tight_th=state.sad_tight_threshold,
            smooth_mv_th=state.smooth_mv_threshold,
            mc_pixel_consistency_th=state.mc_pixel_consistency_threshold,
            neighbor_pixel_th=state.neighbor_pixel_threshold,
        )

    def on_haswell(self) -> CompensationParameters:
        """As the next generation merges: checks alone decide, no sums, where the mean in time has no part."""
        return replace(self, cat_th1=_EVERY_SUM, blended=False)


DRIVER_STATE: DeinterlaceSamplerState = preset(DeinterlaceSamplerState, "i965")
"""What every public driver programs for deinterlacing; their presets differ in denoising alone."""

TUNED_COMPENSATION = replace(
    CompensationParameters.from_state(DRIVER_STATE), sad_tha=2, sad_thb=2, neighbor_pixel_th=15
)
"""texsamp's own: a vector must match to two levels a pixel, and may then differ more from the lines around it."""
