"""Parameters of the color pipe's kernels, from COLOR_PROCESSING_STATE (seed 003:7119-8117, docs/color.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.params import params_type
from texsamp.errors import StateError
from texsamp.state import ColorProcessingState
from texsamp.state.color_processing import ColorSpace

Block = Mapping[str, Any]
"""Fields of one block of the kernels' parameters."""

COLOR_PARAMS = params_type("ColorParams")
COLOR_PLANES_PARAMS = params_type("ColorPlanesParams")

_BLOCKS = "skin", "primaries", "gamut", "control", "contrast", "procamp", "matrix"


def _fixed(value: Any, fraction_bits: int) -> Any:
    """Integer codes of values that are multiples of 2^-fraction_bits; numpy arrays for tuples."""
    codes = np.asarray(value, np.float64) * (1 << fraction_bits)
    return codes.astype(np.int64)


@dataclass(frozen=True)
class ColorBlocks:
    """The blocks of the pipe that are on; an empty one is off. ``vertex_space`` names the gamut's matrix.

    ``primaries`` is no block of the hardware: no state switches it on (docs/color.md, "Wider sources").
    """

    skin: Block = field(default_factory=dict)
    primaries: Block = field(default_factory=dict)
    gamut: Block = field(default_factory=dict)
    control: Block = field(default_factory=dict)
    contrast: Block = field(default_factory=dict)
    procamp: Block = field(default_factory=dict)
    matrix: Block = field(default_factory=dict)
    vertex_space: str = "bt601"

    @classmethod
    def from_state(cls, state: ColorProcessingState) -> ColorBlocks:
        """The blocks a state switches on."""
        return cls(
            skin=skin_block(state) if state.std_enable else {},
            gamut=gamut_block(state) if state.gamut_enable else {},
            control=control_block(state) if state.tcc_enable else {},
            contrast=contrast_block(state) if state.ace_enable else {},
            procamp=procamp_block(state) if state.procamp_enable else {},
            matrix=matrix_block(state) if state.csc_enable else {},
            vertex_space=_vertex_space(state) if state.gamut_enable else "bt601",
        )

    @property
    def mixes(self) -> bool:
        """Whether luma depends on chroma or chroma on luma, or one pixel on another."""
        return bool(self.skin or self.primaries or self.gamut or self.matrix)

    @cached_property
    def records(self) -> dict[str, Any]:
        """The blocks as structured scalars."""
        made: dict[str, Any] = {}
        for name in _BLOCKS:
            record = np.zeros((), COLOR_PARAMS.dtype[name])
            for key, value in getattr(self, name).items():
                record[key] = value
            made[name] = record
        return made

    @cached_property
    def _planes_bytes(self) -> bytes:
        blocks = {name: self.records[name] for name in ("control", "contrast", "procamp")}
        kinds = (COLOR_PLANES_PARAMS(planes=0, width=0, height=0, is_chroma=kind, **blocks) for kind in (0, 1))
        return b"".join(kind.tobytes() for kind in kinds)

    def planes_params(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Parameters for planes of luma and for those of chroma, which lack where these are and how large."""
        return np.frombuffer(bytearray(self._planes_bytes), COLOR_PLANES_PARAMS.dtype)  # numpy's copies take 20 us


def _vertex_space(s: ColorProcessingState) -> str:
    names = {code.value: code.name.lower() for code in ColorSpace}
    code = s.code("vertex_color_space")
    if code not in names:
        raise StateError(f"display color space must be {' or '.join(names.values())}, found code {code}")
    return names[code]


def skin_block(s: ColorProcessingState) -> Block:
    """Skin tone detection, and enhancement if the state has it on (dwords 0 to 28)."""
    kinds = [(getattr(s, f"{curve}_{what}")[skin]) for what in ("points", "biases", "slopes")
             for skin in (0, 1) for curve in ("sat", "hue")]  # fmt: skip
    points, biases, slopes = kinds[:4], kinds[4:8], kinds[8:]
    margin = s.skin_types_margin
    return {
        "detect": 1,
        "enhance": int(s.ste_enable),
        "output_scores": int(s.std_output),
        "u_mid": s.u_mid << 4,
        "v_mid": s.v_mid << 4,
        "cos_alpha": _fixed(s.cos_alpha, 7),
        "sin_alpha": _fixed(s.sin_alpha, 7),
        "sat_max": s.sat_max,
        "hue_max": s.hue_max,
        "margin_shift": 6 + s.hs_margin,
        "diamond_du": s.diamond_du * 2048,
        "diamond_dv": s.diamond_dv * 2048,
        "diamond_alpha": _fixed(s.diamond_alpha, 6),
        "diamond_threshold": s.diamond_threshold << 17,
        "diamond_shift": 12 + s.diamond_margin,
        "y_points": [p << 4 for p in s.y_points],
        "y_slopes": _fixed(s.y_slopes, 3),
        "vy_enable": int(s.vy_std_enable),
        "vy_points": [p << 4 for p in (*s.lower_points, *s.upper_points)],
        "vy_biases": [p << 4 for p in (*s.lower_biases, *s.upper_biases)],
        "vy_slopes": _fixed((*s.lower_slopes, *s.upper_slopes), 8),
        "vy_inverses": _fixed((s.inverse_margin_vyl, s.inverse_margin_vyu), 16),
        "types": int(s.skin_types_enable),
        "type_low": (s.skin_types_threshold - margin) * 16,
        "type_high": (s.skin_types_threshold + margin) * 16,
        "type_inverse": _fixed(s.inverse_skin_types_margin, 16),
        "curve_points": [p * 2048 for curve in points for p in curve],
        "curve_biases": [b for curve in biases for b in (0, *(_fixed(curve, 19)))],
        "curve_slopes": [c for curve in slopes for c in _fixed(curve, 8)],
        "score_mode": int(s.std_factor_mode),
        "dark_mode": int(s.mv_dark_factor_mode),
    }


def gamut_block(s: ColorProcessingState) -> Block:
    """Gamut compression (dwords 64 to 66); its lengths are 10-bit fractions of 1.0."""
    return {
        "enable": 1,
        "full_range_mapping": int(s.gamut_mapping),
        "xvycc": int(s.xvycc_enable),
        "line_shift": s.compression_line_shift,
        "inner": (s.gamut_d_in * 4, s.gamut_d1_in * 4),
        "outer": (s.gamut_d_out * 4, s.gamut_d1_out * 4),
        "scaling_mode": int(s.scaling_factor_mode),
    }


def control_block(s: ColorProcessingState) -> Block:
    """Total color control (dwords 42 to 52)."""
    slopes, biases = _fixed(s.color_transit_slopes, 16), _fixed(s.color_biases, 8)
    return {
        "enable": 1,
        "factors": _fixed(s.sat_factors, 7),
        "bases": s.base_colors,
        "slopes": slopes,
        "offsets": [-b * m - (c << 8) for b, m, c in zip(s.base_colors, slopes, biases, strict=True)],
        "threshold": s.uv_threshold,
        "threshold_bits": s.uv_threshold_bits,
        "skin_threshold": s.ste_threshold,
        "skin_scale": 8 << s.ste_slope_bits,
        "max_color": s.uv_max,
        "inverse_max": _fixed(s.inverse_uv_max, 16),
    }


def contrast_block(s: ColorProcessingState) -> Block:
    """The contrast curve (dwords 29 to 41); its bias 0, which the state lacks, is Ymin."""
    points, slopes = [p << 4 for p in s.ace_points], _fixed(s.ace_slopes, 10)
    biases = [b << 4 for b in (s.ace_points[0], *s.ace_biases)]
    return {
        "enable": 1,
        "points": points,
        "offsets": [(b << 10) - m * p for b, m, p in zip(biases, slopes, points, strict=False)],
        "slopes": slopes,
    }


def procamp_block(s: ColorProcessingState) -> Block:
    """Procamp (dwords 53 and 54)."""
    return {
        "enable": 1,
        "contrast": _fixed(s.contrast, 7),
        "brightness": _fixed(s.brightness, 4),
        "cos_hue": _fixed(s.cos_c_s, 8),
        "sin_hue": _fixed(s.sin_c_s, 8),
    }


def matrix_block(s: ColorProcessingState) -> Block:
    """Color space conversion (dwords 55 to 62); the offsets count 10-bit codes (hole T20)."""
    offsets_in = np.array(s.csc_offsets_in) * (4 if s.csc_yuv_in else 0)
    offsets_out = np.array(s.csc_offsets_out) * (4 if s.csc_yuv_out else 0)
    return {
        "enable": 1,
        "shift": 10,
        "coefficients": _fixed(s.csc_coefficients, 10),
        "offsets_in": offsets_in,
        "offsets_out": offsets_out,
    }
