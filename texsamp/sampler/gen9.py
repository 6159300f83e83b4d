"""Sampler states of Gen9 as those of Gen7, as far as Gen7 has the function."""

from __future__ import annotations

from texsamp.errors import StateError
from texsamp.state.gen9 import LodClampMagnification, LodPreclamp, SamplerStateGen9
from texsamp.state.sampler import SamplerState

_ALIKE = (
    "disable", "border_color_mode", "mip_filter", "mag_filter", "min_filter", "lod_bias", "min_lod", "max_lod",
    "chroma_key_enable", "chroma_key_index", "chroma_key_mode", "shadow_function", "cube_control", "max_anisotropy",
    "round_u_mag", "round_u_min", "round_v_mag", "round_v_min", "round_r_mag", "round_r_min", "trilinear_quality",
    "non_normalized", "address_u", "address_v", "address_r",
)  # fmt: skip
"""Fields that mean the same and only lie elsewhere (seed 000:701-1335)."""
_WITHOUT_COUNTERPART = ("coarse_lod_quality", "reduction_enable")


def as_gen7(state: SamplerStateGen9) -> SamplerState:
    """The SAMPLER_STATE of Gen7 that does what a state of Gen9 asks for; the border color pointer is kept.

    Gen9 keeps the base mip level with the surface; here it is 0. StateError, naming the field, for what Gen7 has no
    function for: reductions, coarse LODs, and clamping the LOD of magnification by the mip filter.
    """
    for name in _WITHOUT_COUNTERPART:
        if getattr(state, name):
            raise StateError(
                f"{state.name}.{name} must be 0: Gen7 has no such function, found {getattr(state, name):d}"
            )
    if state.lod_clamp_magnification != LodClampMagnification.MIPNONE:
        raise StateError(f"{state.name}.lod_clamp_magnification must be MIPNONE, as Gen7 does it, found MIPFILTER")
    return SamplerState(
        **{name: getattr(state, name) for name in _ALIKE},
        anisotropic_algorithm=state.lod_algorithm,
        lod_preclamp=state.lod_preclamp == LodPreclamp.OGL,
        border_color_pointer=state.indirect_state_pointer,
    )
