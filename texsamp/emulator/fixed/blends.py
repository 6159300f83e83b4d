"""What a blend state and a format make of a color, as the output merger's kernels see it (`kernels/merge_blend.h`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from texsamp.device.params import params_type
from texsamp.errors import CaptureError
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.state.pixel_state import BlendFactor, BlendState, ClampRange, ColorCalcState
from texsamp.surface.texel_formats import TexelType, describe, texel_type

_PARAMS = params_type("MergeBlend")

COMPONENTS = "RGBA"
RANGES = ("all", "positive", "signed one", "one")
"""MergeRange of `kernels/merge_blend.h`."""

_DISABLE_BITS = "BGRA"
"""The component of each of BLEND_STATE's write disables."""
_WORD_BITS = 32
_WORDS = 4


def target_type(format: Any) -> TexelType:
    """The texels of a render target; CaptureError if hardware does not render to the format."""
    info = surface_format(int(format))
    if not info.can("render_target"):
        raise CaptureError(f"{info.name} is not rendered to")
    if info.color_space == "ycbcr":
        raise CaptureError(f"rendering to {info.name} is not executed: pixels share their chroma")
    return texel_type(info.name)


def is_integer_format(type_: TexelType) -> bool:
    """Whether colors are integers: these are neither clamped to a range of floats nor blended."""
    return type_.value.kind in "iu"


@dataclass(frozen=True)
class ColorRules:
    """How colors become elements of a target.

    written: bits of an element's words; all clear if nothing is written. reads: whether stored elements matter.
    """

    type: TexelType
    blend: Any
    written: tuple[int, ...]
    reads: bool

    def values(self) -> dict[str, Any]:
        """Fields of MergeColorParams."""
        component = [COMPONENTS.index(name) for name in self.type.names]
        return {
            "blend": self.blend,
            "format": describe(self.type, self.type.names, self.type.value),
            "written": self.written,
            "component": component + [0] * (_WORDS - len(component)),
            "reads": int(self.reads),
        }


@lru_cache(maxsize=64)
def color_rules(state: BlendState, color_calc: ColorCalcState, format: Any) -> ColorRules:
    """The rules for a target's format; CaptureError if it cannot be rendered to."""
    type_ = target_type(format)
    info = type_.info
    integer = is_integer_format(type_)
    blend = bool(state.blend_enable) and info.can("blend") and not state.logic_op_enable
    logic = bool(state.logic_op_enable) and _has_logic(info)
    written = _written(type_, state)
    masked = any(word != whole for word, whole in zip(written, _whole(info), strict=True))
    range_ = "all" if integer else _range(state, info)
    functions = state.color_function, state.alpha_function if state.independent_alpha else state.color_function
    sources = state.source_factor, state.source_alpha_factor if state.independent_alpha else state.source_factor
    destinations = (
        state.destination_factor,
        state.destination_alpha_factor if state.independent_alpha else state.destination_factor,
    )
    record = _PARAMS(
        blend=int(blend),
        function=[int(each) for each in functions],
        source_factor=[_factor(each) for each in sources],
        destination_factor=[_factor(each) for each in destinations],
        before=RANGES.index(range_ if state.pre_blend_clamp else "all"),
        after=RANGES.index(range_ if state.post_blend_clamp and blend else "all"),
        alpha_to_one=int(bool(state.alpha_to_one)),
        logic=int(state.logic_op) if logic else -1,
        constant=_constant(state, color_calc, range_),
    )
    return ColorRules(type_, record, written, blend or logic or masked)


def _factor(code: Any) -> int:
    """The code; that of ZERO for reserved ones."""
    known = int(code) in set(BlendFactor) and code != BlendFactor.UNSET
    return int(code if known else BlendFactor.ZERO)


def _has_logic(info: SurfaceFormatInfo) -> bool:
    """SNB 2.1 p. 365: UNORM formats that are not SRGB have logic operations."""
    return info.color_space == "linear" and all(channel.kind in ("unorm", "pad") for channel in info.channels)


def _range(state: BlendState, info: SurfaceFormatInfo) -> str:
    """Where a clamp keeps floats."""
    if state.clamp_range == ClampRange.UNORM:
        return "one"
    if state.clamp_range == ClampRange.SNORM:
        return "signed one"
    kinds = {channel.kind for channel in info.channels}
    if "float" in kinds:
        return "positive" if info.name == "R11G11B10_FLOAT" else "all"
    return "signed one" if "snorm" in kinds else "one"


def _constant(state: BlendState, color_calc: ColorCalcState, range_: str) -> list[float]:
    """The blend constant, clamped as all that is blended (SNB 2.1 p. 384)."""
    low, high = {"one": (0, 1), "signed one": (-1, 1), "positive": (0, np.inf), "all": (-np.inf, np.inf)}[range_]
    constant = np.array([float(each) for each in color_calc.blend_constant], np.float32)
    if state.pre_blend_clamp and range_ != "all":
        if range_ != "positive":
            constant = np.where(np.isnan(constant), np.float32(0), constant)
        constant = np.clip(constant, low, high)
    return [float(each) for each in constant]


def _whole(info: SurfaceFormatInfo) -> tuple[int, ...]:
    return _words((1 << info.bits) - 1)


def _words(bits: int) -> tuple[int, ...]:
    return tuple(bits >> _WORD_BITS * word & (1 << _WORD_BITS) - 1 for word in range(_WORDS))


def _written(type_: TexelType, state: BlendState) -> tuple[int, ...]:
    """All bits of an element but those of disabled channels; none at all if every channel is disabled."""
    disabled = {name for name, off in zip(_DISABLE_BITS, state.write_disable, strict=True) if off}
    if disabled >= set(type_.names):
        return _words(0)
    bits = (1 << type_.info.bits) - 1
    for channel in type_.channels:
        if channel.name in disabled:
            bits &= ~(((1 << (channel.bits or 0)) - 1) << (channel.offset or 0))
    return _words(bits)
