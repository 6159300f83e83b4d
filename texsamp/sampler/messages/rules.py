"""What the manual forbids in sampler messages (seeds 003:4427-4851 and 002:2143-2861), as a table of rules.

A rule sees a request and, where they are known, the surface and sampler states it uses; a rule about a state that is
not given is not checked. What breaks a rule has no defined result, so breaking one raises UndefinedBehavior.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, cast

import numpy as np

from texsamp.errors import UndefinedBehavior
from texsamp.sampler.messages.groups import (
    COMPARE,
    DEINTERLACE,
    GATHER,
    GATHER_C,
    GATHER_PO,
    INTEGER,
    LOD,
    MEDIA_PAYLOAD,
    MULTISAMPLE_LD,
    PIXEL,
    PLAIN_LD,
    SAMPLE,
    SAMPLE_8X8,
    SAMPLE_UNORM,
    group,
)
from texsamp.sampler.messages.request import Message, SamplerRequest
from texsamp.sampler.messages.rule import (
    Case,
    Find,
    ParametersOnDevice,
    Rule,
    SurfaceState,
    address_controls,
    format_of,
    surface_in,
    unless,
)
from texsamp.sampler.messages.state_rules import BORDERS, STATE_RULES
from texsamp.state.base import Struct
from texsamp.state.media_surface import MediaSurfaceFormat, MediaSurfaceState
from texsamp.state.render_surface import RenderSurfaceState, SampleCount, SurfaceType
from texsamp.state.sample_8x8 import Sample8x8SamplerState
from texsamp.state.sampler import AddressControl, BorderColorMode, MapFilter, MipFilter, SamplerState

_GIVEN_GRADIENTS = group("SAMPLE_D SAMPLE_D_C")
_UNIT_CUBE_TOLERANCE = 2.0**-12
"""How far the largest coordinate of a cube may be from 1: shaders divide by an approximate reciprocal."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a request breaks, and the value that breaks it."""

    rule: Rule
    message: Message
    found: object

    def __str__(self) -> str:
        found = getattr(self.found, "name", self.found)
        return f"{self.message.name}: {self.rule.limit}; found {found} (seed {self.rule.source})"


def _size(case: Any, name: str) -> int:
    """A field that buffers do not have; 0 for them, whose type breaks another rule."""
    value: int = case.surface.values().get(name, 0)
    return value


def _is_integer(case: Any) -> bool:
    return any(channel.kind in ("uint", "sint") for channel in format_of(case).channels)


def _border_address(case: Any) -> object:
    return next((mode for mode in address_controls(case) if mode in BORDERS), None)


def _integer_with_border(case: Any) -> object:
    return _border_address(case) if _is_integer(case) else None


def _integer_volume(case: Any) -> object:
    bad = (SurfaceType.SURFTYPE_3D, SurfaceType.SURFTYPE_CUBE)
    return unless(not (_is_integer(case) and case.surface.surface_type in bad), case.surface.surface_type)


def _dx9_border(case: Any) -> object:
    if case.sampler.border_color_mode != BorderColorMode.DX9:
        return None
    if case.surface.surface_type == SurfaceType.SURFTYPE_CUBE and case.surface.cube_faces != 0x3F:
        return f"enabled cube faces {case.surface.cube_faces:#08b}"
    return _border_address(case)


_UNCOMPARED_CUBES = frozenset({"I24X8_UNORM", "L24X8_UNORM", "A24X8_UNORM", "I32_FLOAT", "L32_FLOAT", "A32_FLOAT"})
_GATHER_C_FORMATS = frozenset({"R32_FLOAT_X8X24_TYPELESS", "R32_FLOAT", "R24_UNORM_X8_TYPELESS", "R16_UNORM"})


def _compared_cube(case: Any) -> object:
    cube = case.surface.surface_type == SurfaceType.SURFTYPE_CUBE
    return format_of(case).name if cube and format_of(case).name in _UNCOMPARED_CUBES else None


def _samples(case: Any) -> object:
    count = case.surface.values().get("samples", SampleCount.COUNT_1)
    return unless(count == SampleCount.COUNT_1, count)


def _single_sample(case: Any) -> object:
    return unless(_samples(case) is not None, SampleCount.COUNT_1)


def _not_unorm_of(bits: int) -> Find:
    def find(case: Any) -> object:
        if isinstance(case.surface, MediaSurfaceState):
            # Media formats are UNORM of 8 or, one of them, 10 bits; statistics are no picture.
            return unless(case.surface.format != MediaSurfaceFormat.STMM_DN_STATISTICS, case.surface.format)
        channels = [channel for channel in format_of(case).channels if channel.kind != "pad"]
        fits = all(channel.kind == "unorm" and (channel.bits or 8) <= bits for channel in channels)
        return unless(fits, format_of(case).name)

    return find


def _not_zero(*names: str) -> Find:
    def find(case: Any) -> object:
        for name in names:
            if _size(case, name):
                return f"{name} {_size(case, name)}"
        return None

    return find


def _filters(case: Any) -> object:
    legal = (MapFilter.NEAREST, MapFilter.LINEAR)
    return next((mode for mode in (case.sampler.min_filter, case.sampler.mag_filter) if mode not in legal), None)


def _unfiltered_format(case: Any) -> object:
    state, info = case.sampler, format_of(case)
    filters = {state.min_filter, state.mag_filter} & {MapFilter.LINEAR, MapFilter.ANISOTROPIC}
    if not filters and state.mip_filter != MipFilter.LINEAR:
        return None
    return unless(info.can("filtering", case.request.generation), info.name)


def _unorm_address(case: Any) -> object:
    legal = (AddressControl.CLAMP, AddressControl.CUBE)
    return next((mode for mode in (case.sampler.address_u, case.sampler.address_v) if mode not in legal), None)


def _step(name: str, size: str, fits: Callable[[float], bool]) -> Find:
    """A step times the size of the surface, in texels."""

    def find(case: Any) -> object:
        texels = case.largest(name) * _size(case, size)
        return unless(fits(texels), texels)

    return find


def _second_derivative(case: Any) -> object:
    """64 - 2 du over 35 >= ddu >= -du over 18, in texels."""
    width = _size(case, "width")
    du, ddu = (case.request.parameter(name).astype(np.float64) * width for name in ("du", "ddu"))
    fits = ((64 - 2 * du) / 35 >= ddu) & (ddu >= -du / 18)
    return unless(bool(fits.all()), float(ddu[~fits][0]) if not fits.all() else None)


def _small_second_derivative(case: Any) -> object:
    if not case.sampler.ief_bypass:
        return None
    rgb = (MediaSurfaceFormat.R8G8B8A8_UNORM, MediaSurfaceFormat.R10G10B10A2_UNORM)
    limit = 0.05 if case.surface.format in rgb else 0.02
    texels = float(np.abs(case.request.parameter("ddu")).max(initial=0.0)) * _size(case, "width")
    return unless(texels < limit, texels)


def _undivided_cube(case: Any) -> object:
    if case.surface.surface_type != SurfaceType.SURFTYPE_CUBE or case.request.message.name in _GIVEN_GRADIENTS:
        return None
    given = case.request.parameters
    if isinstance(given, ParametersOnDevice) and not given.is_any(_divided_wrongly, case.request.active):
        return None
    largest = np.stack([np.abs(case.request.parameter(name)) for name in "uvr"]).max(axis=0)[case.request.active]
    found = largest[_is_divided_wrongly(largest)]
    return float(found[0]) if len(found) else None


def _divided_wrongly(given: ParametersOnDevice) -> Any:
    """Lanes whose coordinates are; what is not sent is 0."""
    return _is_divided_wrongly(reduce(np.maximum, (np.abs(given.there(name)) for name in "uvr" if name in given)))


def _is_divided_wrongly(largest: Any) -> Any:
    """By the largest coordinates; nothing divides a vector of no length."""
    return (largest > 0) & ~(np.abs(largest - 1) <= _UNIT_CUBE_TOLERANCE)


def _header_offsets(case: Any) -> object:
    if case.request.header is None:
        return None
    fields = {name: case.request.header.field(name) for name in ("u_offset", "v_offset", "r_offset")}
    return next((f"{name} {int(v[v != 0][0])}" for name, v in fields.items() if v.any()), None)


def _offsets_of_flat(case: Any) -> object:
    flat = case.surface.surface_type in (SurfaceType.SURFTYPE_CUBE, SurfaceType.SURFTYPE_BUFFER)
    return _header_offsets(case) if flat else None


def _bias(case: Any) -> object:
    low, high = case.least("bias"), case.largest("bias")
    return unless(low >= -16.0, low) or unless(high < 16.0, high)


def _deinterlace_origin(case: Any) -> object:
    return unless(case.largest("u") <= 4095, f"U {case.largest('u'):g}") or unless(
        case.largest("v") <= 2046, f"V {case.largest('v'):g}"
    )


_1D_TO_CUBE = (
    SurfaceType.SURFTYPE_1D,
    SurfaceType.SURFTYPE_2D,
    SurfaceType.SURFTYPE_3D,
    SurfaceType.SURFTYPE_CUBE,
)
_ALL_BUT_MULTISAMPLE = SAMPLE | LOD | GATHER | PLAIN_LD
_TAKES_OFFSETS = SAMPLE | LOD | GATHER | PLAIN_LD | group("LD_MCS")
_RENDER = RenderSurfaceState
_MEDIA = MediaSurfaceState

RULES: tuple[Rule, ...] = (
    # Descriptor and header
    Rule(DEINTERLACE, "the sampler index is a multiple of 2", "003:4465",
         lambda c: unless(c.request.sampler_index % 2 == 0, c.request.sampler_index)),
    Rule(SAMPLE_8X8, "the sampler index is a multiple of 4", "003:4466",
         lambda c: unless(c.request.sampler_index % 4 == 0, c.request.sampler_index)),
    Rule(None, "at least one channel is returned", "003:4507",
         lambda c: unless(not c.request.masked_channels.all(axis=1).any(), "all four masked")),
    Rule(GATHER_C, "the gather channel is red", "003:4499",
         lambda c: unless(not c.request.gather_channel.any(), int(c.request.gather_channel.max(initial=0)))),
    Rule(GATHER, "all four channels are returned", "002:2253",
         lambda c: unless(not c.request.masked_channels.any(), int(c.request.masked_channels.any(axis=0).sum()))),
    Rule(_TAKES_OFFSETS, "U, V and R offset are 0 for cube and buffer surfaces", "003:4514", _offsets_of_flat, _RENDER),
    Rule(MULTISAMPLE_LD - group("LD_MCS"), "U, V and R offset are 0 (erratum)", "003:4722", _header_offsets),
    # Parameters
    Rule(PIXEL - group("SAMPLEINFO"), "at least one parameter is sent", "002:2321",
         lambda c: unless(bool(c.request.parameters), 0)),
    Rule(group("SAMPLE_B SAMPLE_B_C"), "the LOD bias is in [-16.0, 16.0)", "003:4661", _bias,
         is_broken_by_drivers=True),
    Rule(SAMPLE | LOD | GATHER, "cube coordinates are divided by the largest absolute one", "003:4823",
         _undivided_cube, _RENDER),
    Rule(MEDIA_PAYLOAD, "Delta U is not negative", "003:5023",
         lambda c: unless(c.least("du") >= 0, c.least("du"))),
    Rule(MEDIA_PAYLOAD, "Delta V is not negative", "003:5012",
         lambda c: unless(c.least("dv") >= 0, c.least("dv"))),
    Rule(DEINTERLACE, "U is in [0, 4095] and V in [0, 2046]", "003:4967", _deinterlace_origin),
    # Surface types
    Rule((SAMPLE - COMPARE) | LOD, "the surface is 1D, 2D, 3D or CUBE", "003:4644", surface_in(*_1D_TO_CUBE), _RENDER),
    Rule(COMPARE, "the surface is 1D, 2D or CUBE", "003:4676",
         surface_in(SurfaceType.SURFTYPE_1D, SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_CUBE), _RENDER),
    Rule(GATHER - GATHER_PO, "the surface is 2D or CUBE", "003:4759",
         surface_in(SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_CUBE), _RENDER),
    Rule(GATHER_PO, "the surface is 2D", "003:4759", surface_in(SurfaceType.SURFTYPE_2D), _RENDER),
    Rule(PLAIN_LD, "the surface is 1D, 2D, 3D or BUFFER", "003:4731",
         surface_in(*_1D_TO_CUBE[:3], SurfaceType.SURFTYPE_BUFFER), _RENDER),
    Rule(MULTISAMPLE_LD | group("SAMPLEINFO"), "the surface is 2D", "003:4732",
         surface_in(SurfaceType.SURFTYPE_2D), _RENDER),
    Rule(SAMPLE_UNORM | SAMPLE_8X8, "the surface is 2D", "003:4787", surface_in(SurfaceType.SURFTYPE_2D), _RENDER),
    # Surface formats and samples
    Rule((SAMPLE - group("SAMPLE_L SAMPLE_LZ")) | LOD | GATHER | PLAIN_LD | MULTISAMPLE_LD,
         "the format is not MONO8", "003:4645", lambda c: unless(format_of(c).name != "MONO8", "MONO8"), _RENDER),
    Rule(SAMPLE, "UINT and SINT formats are not sampled as 3D or CUBE", "003:4646", _integer_volume, _RENDER,
         is_broken_by_drivers=True),
    Rule(SAMPLE, "UINT and SINT formats have no address control with border", "003:4646",
         _integer_with_border, _RENDER, SamplerState, is_broken_by_drivers=True),
    Rule(LOD | GATHER, "the format is not UINT or SINT", "003:4743",
         lambda c: unless(not _is_integer(c), format_of(c).name), _RENDER, is_broken_by_drivers=True),
    Rule(COMPARE, "the format supports shadow comparison", "003:4677",
         lambda c: unless(format_of(c).can("shadow", c.request.generation), format_of(c).name), _RENDER,
         is_broken_by_drivers=True),
    Rule(COMPARE, "the format is none of I24X8, L24X8, A24X8_UNORM, I32, L32, A32_FLOAT for CUBE", "003:4688",
         _compared_cube, _RENDER, is_broken_by_drivers=True),
    Rule(GATHER_C, "the format is R32_FLOAT(_X8X24_TYPELESS), R24_UNORM_X8_TYPELESS or R16_UNORM", "003:4771",
         lambda c: unless(format_of(c).name in _GATHER_C_FORMATS, format_of(c).name), _RENDER,
         is_broken_by_drivers=True),
    Rule(SAMPLE_UNORM, "the format is UNORM with at most 8 bits per channel", "003:4788",
         _not_unorm_of(8), (_RENDER, _MEDIA)),
    Rule(SAMPLE_8X8, "the format is UNORM with at most 10 bits per channel", "003:4812",
         _not_unorm_of(10), (_RENDER, _MEDIA)),
    Rule(_ALL_BUT_MULTISAMPLE | SAMPLE_UNORM, "the surface has one sample per pixel", "003:4648",
         _samples, _RENDER),
    Rule(group("LD_MCS"), "the surface has several samples per pixel", "002:2623",
         _single_sample, _RENDER, is_broken_by_drivers=True),
    Rule(SAMPLE_UNORM, "MIP count, minimum LODs and minimum array element are 0", "002:2824",
         _not_zero("mip_count", "surface_min_lod", "resource_min_lod", "min_array_element"), _RENDER),
    Rule(SAMPLE_UNORM, "the surface is one slice deep", "003:4788",
         lambda c: unless(_size(c, "depth") <= 1, _size(c, "depth")), _RENDER),
    Rule(SAMPLE_8X8, "the surface is at least 4 pixels wide", "003:4814",
         lambda c: unless(_size(c, "width") >= 4, _size(c, "width")), (_RENDER, _MEDIA)),
    # Sampler states
    Rule(COMPARE | GATHER, "border color mode DX9 has neither border address controls nor disabled cube faces",
         "003:4685", _dx9_border, _RENDER, SamplerState),
    Rule(SAMPLE_UNORM, "the mip filter is NONE", "003:4763",
         lambda c: unless(c.sampler.mip_filter == MipFilter.NONE, c.sampler.mip_filter), None, SamplerState),
    Rule(SAMPLE_UNORM, "min and mag filter are NEAREST or LINEAR", "003:4789", _filters, None, SamplerState),
    Rule(SAMPLE_UNORM, "U and V address control are CLAMP", "003:4790", _unorm_address, None, SamplerState),
    Rule(SAMPLE - COMPARE - group("SAMPLE_MIN SAMPLE_MAX"), "the format supports the filters of the sampler state",
         "003:3285", _unfiltered_format, _RENDER, SamplerState),
    # Steps in texels
    Rule(SAMPLE_UNORM, "Delta U times width is at most 3", "003:4796",
         _step("du", "width", lambda texels: texels <= 3), (_RENDER, _MEDIA)),
    Rule(SAMPLE_UNORM, "Delta V times height is at most 3", "003:4797",
         _step("dv", "height", lambda texels: texels <= 3), (_RENDER, _MEDIA)),
    Rule(SAMPLE_8X8, "Delta U times width is less than 16", "003:5021",
         _step("du", "width", lambda texels: texels < 16), (_RENDER, _MEDIA)),
    Rule(SAMPLE_8X8, "Delta V times height is less than 16", "003:4813",
         _step("dv", "height", lambda texels: texels < 16), (_RENDER, _MEDIA)),
    Rule(group("SAMPLE_8X8"), "the U second derivative is between -du/18 and (64 - 2 du)/35 texels", "003:5005",
         _second_derivative, (_RENDER, _MEDIA)),
    Rule(SAMPLE_8X8, "the U second derivative is below 0.02 texels (RGB: 0.05) with IEF off (erratum)", "003:4815",
         _small_second_derivative, _MEDIA, Sample8x8SamplerState),
    # The states themselves
    *STATE_RULES,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Outline:
    """What requests have that are alike to rules about states: rules that look at more raise AttributeError.

    name: of the message, which is equal to one of the other kind that has its code. generations: of the states, which
    are equal if their bits are.
    """

    name: str
    message: Message
    sampler_index: int
    generation: float
    generations: tuple[float, ...]


@lru_cache(maxsize=512)
def _unsettled(outline: _Outline, surface: SurfaceState | None, sampler: Struct | None) -> tuple[Rule, ...]:
    """Rules that states alone do not show to be kept: those of lanes, headers and lengths, and broken ones."""
    name, case = outline.name, Case(cast(SamplerRequest, outline), surface, sampler)
    rules = [rule for rule in RULES if rule.messages is None or name in rule.messages]
    return tuple(rule for rule in rules if not _is_settled(rule, case))


def _is_settled(rule: Rule, case: Case) -> bool:
    try:
        return rule.broken(case) is None
    except AttributeError:
        return False


def violations(
    request: SamplerRequest,
    surface: SurfaceState | None = None,
    sampler: Struct | None = None,
    *,
    as_drivers: bool = False,
) -> list[Violation]:
    """Every rule that a request breaks, in the table's order; as_drivers: but for rules that drivers break.

    sampler: SAMPLER_STATE, SAMPLER_STATE_8x8 or DEINTERLACE_SAMPLER_STATE; `ld` and information messages use none, and
    what is given is ignored for them. Null surfaces may be used with every message, and all their other fields are
    ignored (seed 003:1992): they are no surface.
    """
    if request.message.name in INTEGER:
        sampler = None
    if isinstance(surface, RenderSurfaceState) and surface.surface_type == SurfaceType.SURFTYPE_NULL:
        surface = None
    case = Case(request, surface, sampler)
    with np.errstate(all="ignore"):  # parameters may be NaN and infinite
        generations = tuple(state.generation for state in (surface, sampler) if state is not None)
        outline = _Outline(
            str(request.message.name), request.message, request.sampler_index, request.generation, generations
        )
        rules = _unsettled(outline, surface, sampler)
        kept = [rule for rule in rules if not (as_drivers and rule.is_broken_by_drivers)]
        found = [(rule, rule.broken(case)) for rule in kept]
    return [Violation(rule, request.message, what) for rule, what in found if what is not None]


def check_request(
    request: SamplerRequest,
    surface: SurfaceState | None = None,
    sampler: Struct | None = None,
    *,
    as_drivers: bool = False,
) -> None:
    """Raise UndefinedBehavior naming message, limit and value of the first rule a request breaks.

    as_drivers: but for rules that drivers break.
    """
    broken = violations(request, surface, sampler, as_drivers=as_drivers)
    if broken:
        raise UndefinedBehavior(str(broken[0]))
