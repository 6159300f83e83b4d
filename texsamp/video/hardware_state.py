"""Between the sample_8x8 message's state and what the scaler and the sharpener take."""

from __future__ import annotations

from typing import Any

import numpy as np

from texsamp.state.sample_8x8 import STORED_PHASES, Sample8x8SamplerState, Sampler8x8State
from texsamp.video.presets.avs import AdaptiveParameters
from texsamp.video.presets.ief import IefParameters
from texsamp.video.scale.tables import AvsTables, Table

_ADAPTIVE_FIELDS = {
    "default_sharpness": "default_sharpness",
    "max_derivative4": "max_derivative_4",
    "max_derivative8": "max_derivative_8",
    "transition4": "transition_area_4",
    "transition8": "transition_area_8",
    "bypass_x": "bypass_x",
    "bypass_y": "bypass_y",
    "adaptive_all_channels": "adaptive_all_channels",
    "rgb_adaptive": "rgb_adaptive",
}
_IEF_FIELDS = {
    "gain": "gain",
    "strong_weight": "strong_edge_weight",
    "regular_weight": "regular_weight",
    "non_edge_weight": "non_edge_weight",
    "strong_threshold": "strong_edge_threshold",
    "weak_threshold": "weak_edge_threshold",
    "smooth": "ief_smooth",
    "noise_estimate": "global_noise_estimation",
}
_IEF_COEFFICIENTS = ("r3x", "r3c", "r5x", "r5cx", "r5c")
_COEFFICIENT_STEPS = 32  # U0.5


def avs_from_state(state: Sampler8x8State) -> tuple[AvsTables, AdaptiveParameters]:
    """The coefficient tables (all 32 phases, later ones mirrored) and adaptive settings of SAMPLER_8x8_STATE."""

    def table(name: str) -> Table:
        taps = state.expanded(name).astype(np.int16)
        return np.pad(taps, ((0, 0), (2, 2))) if taps.shape[1] == 4 else taps

    adaptive = AdaptiveParameters(**{ours: getattr(state, theirs) for ours, theirs in _ADAPTIVE_FIELDS.items()})
    return AvsTables(table("0x"), table("0y"), table("1x"), table("1y")), adaptive


def avs_to_state(tables: AvsTables, adaptive: AdaptiveParameters) -> Sampler8x8State:
    """SAMPLER_8x8_STATE of tables and settings. Gen7 stores phases 0 to 16 only: the others are what they mirror to.

    Raises StateError for a coefficient outside its tap's range.
    """
    stored = slice(0, STORED_PHASES)
    return Sampler8x8State.from_coefficients(
        tables.table_0x[stored],
        tables.table_0y[stored],
        tables.table_1x[stored, 2:6],
        tables.table_1y[stored, 2:6],
        **{theirs: getattr(adaptive, ours) for ours, theirs in _ADAPTIVE_FIELDS.items()},
    )


def ief_from_state(state: Sample8x8SamplerState) -> IefParameters:
    """The image enhancement settings of SAMPLER_STATE for sample_8x8 (its bypass bit is the caller's)."""
    settings: dict[str, Any] = {ours: getattr(state, theirs) for ours, theirs in _IEF_FIELDS.items()}
    settings |= {name: int(getattr(state, name) * _COEFFICIENT_STEPS) for name in _IEF_COEFFICIENTS}
    return IefParameters(**settings)


def ief_to_state(settings: IefParameters) -> Sample8x8SamplerState:
    """SAMPLER_STATE for sample_8x8 with these settings; `combine` is not a field of it and is lost."""
    fields = {theirs: getattr(settings, ours) for ours, theirs in _IEF_FIELDS.items()}
    coefficients = {name: getattr(settings, name) / _COEFFICIENT_STEPS for name in _IEF_COEFFICIENTS}
    return Sample8x8SamplerState(**fields, **coefficients)
