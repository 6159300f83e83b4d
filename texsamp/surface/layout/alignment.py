"""Alignment units: levels and slices begin at multiples of i texels and j rows."""

from __future__ import annotations

import math

from texsamp.errors import StateError
from texsamp.surface.layout.description import SurfaceDescription, Usage

_HALIGN = (4, 8)  # 003:2056-2066, Gen7's field
_VALIGN = (2, 4)  # 003:2034-2055, Gen6's and Gen7's

_ALIGN_GEN9 = (4, 8, 16)
"""Elements (BXT 2c p. 33-34)."""

Choice = tuple[int, ...]
_Rule = tuple[Choice, Choice]

_FIXED_4_2: _Rule = ((4,), (2,))
_FIXED_4_4: _Rule = ((4,), (4,))

_RULES: dict[int, dict[str, _Rule]] = {
    # 001:2349-2365: nothing is programmable; j = 4 for the separate stencil buffer of generation 5
    5: {
        "FXT1": ((8,), (4,)),
        "stencil": _FIXED_4_4,
        "depth": _FIXED_4_2,
        "depth, 16 bits": _FIXED_4_2,
        "multisampled": _FIXED_4_2,
        "YUV or 96 bits": _FIXED_4_2,
        "other": _FIXED_4_2,
    },
    # SNB 1.1 p. 113: j = 4 for depth and 4x, 2 for stencil, else VALIGN
    6: {
        "FXT1": ((8,), (4,)),
        "stencil": _FIXED_4_2,
        "depth": _FIXED_4_4,
        "depth, 16 bits": _FIXED_4_4,
        "multisampled": _FIXED_4_4,
        "YUV or 96 bits": _FIXED_4_2,
        "other": ((4,), _VALIGN),
    },
    # 003:2034-2066 for the fields and who may use them; IVB 1.1 p. 110 for depth and stencil
    7: {
        "FXT1": ((8,), (4,)),
        "stencil": ((8,), (8,)),
        "depth": _FIXED_4_4,
        "depth, 16 bits": ((8,), (4,)),
        "multisampled": (_HALIGN, (4,)),
        "YUV or 96 bits": (_HALIGN, (2,)),
        "Y-tiled render target": (_HALIGN, (4,)),
        "other": (_HALIGN, _VALIGN),
    },
}


def _kind(description: SurfaceDescription) -> str:
    d, info = description, description.info
    if d.usage is Usage.STENCIL:
        return "stencil"
    if d.usage is Usage.DEPTH:
        return "depth, 16 bits" if info.bits == 16 else "depth"
    if info.name == "FXT1":
        return "FXT1"
    if d.samples > 1:
        return "multisampled"
    # Gen6: all formats of 96 bits; Gen7 before Haswell: R32G32B32_FLOAT (003:2055)
    narrow_96 = info.bits == 96 and (d.generation < 7 or (info.name == "R32G32B32_FLOAT" and d.generation == 7))
    if info.name.startswith("YCRCB") or narrow_96:
        return "YUV or 96 bits"
    if d.usage is Usage.RENDER_TARGET and d.tiling == "Y" and d.generation >= 7:  # 003:2054
        return "Y-tiled render target"
    return "other"


def _pick(name: str, wanted: int | None, legal: Choice, what: str) -> int:
    if wanted is None:
        return legal[0]
    if wanted not in legal:
        raise StateError(f"{name} of {what} must be {' or '.join(map(str, legal))}, found {wanted}")
    return wanted


def has_fixed_unit(description: SurfaceDescription) -> bool:
    """Whether nothing about the alignment unit can be chosen."""
    d = description
    if d.generation >= 9:
        return False
    blocks = d.is_compressed and d.usage in (Usage.TEXTURE, Usage.RENDER_TARGET)
    return blocks or all(len(choice) == 1 for choice in _RULES[max(int(d.generation), 5)][_kind(d)])


def alignment_unit(description: SurfaceDescription) -> tuple[int, int]:
    """Width i in texels and height j in rows of the alignment unit.

    Compressed formats are aligned to their block (FXT1: 8 x 4; BC and ETC: 4 x 4); formats that only later generations
    have follow the same rule. Elements wider than a unit (texels of one bit) widen it.

    Raises StateError if the description asks for a unit that its format, usage or generation does not allow.
    """
    d = description
    if d.generation >= 9:
        wide, high = d.element.width_px, d.element.height_px
        name = f"{d.format} on generation 9"
        i = _pick("halign_px", d.halign_px, tuple(n * wide for n in _ALIGN_GEN9), name)
        return i, _pick("valign_rows", d.valign_rows, tuple(n * high for n in _ALIGN_GEN9), name)
    if d.is_compressed and d.info.name != "FXT1" and d.usage in (Usage.TEXTURE, Usage.RENDER_TARGET):
        return d.info.block_width, d.info.block_height
    kind = _kind(d)
    halign, valign = _RULES[max(int(d.generation), 5)][kind]
    if kind == "FXT1":
        return halign[0], valign[0]
    what = f"{d.format} ({kind}) on generation {d.generation:g}"
    i = _pick("halign_px", d.halign_px, halign, what)
    return math.lcm(i, d.element.width_px), _pick("valign_rows", d.valign_rows, valign, what)
