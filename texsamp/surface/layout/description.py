"""What a surface is: everything its layout follows from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.arguments import short
from texsamp.errors import StateError
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.state.render_surface import ArraySpacing, MultisampleFormat, SurfaceType
from texsamp.surface.layout.element import Element, element_of
from texsamp.surface.layout.limits import (
    ENTRIES,
    MAX_BUFFER_PITCH_B,
    RAW_ENTRIES,
    axis_limits,
    limits_of,
    require,
)
from texsamp.surface.tiling import AddressSwizzle

CUBE_FACES = 6
BUFFERS = (SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF)
_DEPTH_FORMATS = ("I24X8_UNORM", "L24X8_UNORM", "A24X8_UNORM", "R24_UNORM_X8_TYPELESS")
_TILINGS = ("linear", "X", "Y", "W")


class Usage(Enum):
    """Who laid the surface out: the rules differ."""

    TEXTURE = "texture"
    RENDER_TARGET = "render target"
    DEPTH = "depth buffer"
    STENCIL = "stencil buffer"


class MipLayout(Enum):
    """Where level 1 lies (001:2293-2302). RIGHT exists up to Gen6, on single 2D surfaces."""

    BELOW = "below"
    RIGHT = "right"


@dataclass(frozen=True)
class SurfaceDescription:
    """A surface before it has addresses. Sizes are those of level 0.

    type: SURFTYPE_1D, _2D, _3D, _CUBE, _BUFFER or _STRBUF. Buffers have ``width_px`` elements, ``pitch_B`` bytes apart.
    array_length: slices of a 1D or 2D array, cubes of a cube array; ``is_array`` tells an array of one from no array.
    tiling: linear, X, Y, or W (stencil buffers).
    pitch_B: bytes from row to row; None for the smallest that the rules allow.
    halign_px, valign_rows: alignment unit, where the format leaves a choice; None for the smallest that is legal.
    array_spacing, multisample_format: None for what the usage asks for.
    field_access: the surface will also be read as two interleaved fields, which takes padding (001:2560).
    generation: 4 (965), 5 (Ironlake), 6 (Sandy Bridge), 7 (Ivy Bridge, Bay Trail), 7.5 (Haswell) or 9 (Broxton).
    slice_rows: Gen9's QPitch, rows of texels from slice to slice; None for the smallest that holds one.
    wide_samples: take 8 samples of more than 64 bits, which the manual forbids and Mesa's OpenGL driver has.

    Raises StateError for values beyond the generation's limits or against its rules, FormatError for formats that
    cannot be laid out so.
    """

    type: SurfaceType
    format: str
    width_px: int
    height_px: int = 1
    depth_px: int = 1
    array_length: int = 1
    is_array: bool = False
    levels: int = 1
    samples: int = 1
    tiling: str = "linear"
    usage: Usage = Usage.TEXTURE
    pitch_B: int | None = None  # noqa: N815 - the unit
    halign_px: int | None = None
    valign_rows: int | None = None
    array_spacing: ArraySpacing | None = None
    multisample_format: MultisampleFormat | None = None
    mip_layout: MipLayout = MipLayout.BELOW
    field_access: bool = False
    swizzle: AddressSwizzle = AddressSwizzle.NONE
    generation: float = 7
    slice_rows: int | None = None
    wide_samples: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):  # numpy's integers wrap around
            if isinstance(value := getattr(self, field.name), np.integer):
                object.__setattr__(self, field.name, int(value))
        limits_of(self.generation)
        if self.array_length > 1:
            object.__setattr__(self, "is_array", True)
        if not isinstance(self.tiling, str) or self.tiling not in _TILINGS:
            raise StateError(f"tiling must be one of {', '.join(_TILINGS)}, found {short(self.tiling)}")
        if self.is_buffer:
            self._check_buffer()
        else:
            self._check_extents()
            self._check_tiling()
            self._check_mips()
            self._check_samples()
            self._check_slice_rows()

    @cached_property
    def info(self) -> SurfaceFormatInfo:
        """Row of the format table."""
        return surface_format(self.format)

    @cached_property
    def element(self) -> Element:
        """The surface's element."""
        return element_of(self.info)

    @property
    def is_buffer(self) -> bool:
        """Whether this is a typed, raw or structured buffer."""
        return self.type in BUFFERS

    @property
    def is_compressed(self) -> bool:
        """Whether elements are blocks of more than one row."""
        return self.info.block_height > 1

    @property
    def slices(self) -> int:
        """Logical array slices: array elements, or faces of all cubes."""
        return self.array_length * (CUBE_FACES if self.type == SurfaceType.SURFTYPE_CUBE else 1)

    @property
    def interleaved(self) -> bool:
        """Whether samples lie in one plane (IMS), not in slices of their own (UMS, CMS)."""
        return self.samples > 1 and self.storage == MultisampleFormat.DEPTH_STENCIL

    @property
    def storage(self) -> MultisampleFormat:
        """How samples are stored (003:2345-2378): as asked, else as the usage and the format want it."""
        if self.multisample_format is not None:
            return self.multisample_format
        as_depth = self.usage in (Usage.DEPTH, Usage.STENCIL) or self.format in _DEPTH_FORMATS or self.generation < 7
        return MultisampleFormat.DEPTH_STENCIL if as_depth else MultisampleFormat.MSS

    @property
    def spacing(self) -> ArraySpacing:
        """Room between slices (003:2108-2122): as asked, else FULL unless slices hold samples."""
        if self.array_spacing is not None:
            return self.array_spacing
        return ArraySpacing.LOD0 if self.samples > 1 and not self.interleaved else ArraySpacing.FULL

    def _check_buffer(self) -> None:
        raw = self.format == "RAW" and self.type == SurfaceType.SURFTYPE_BUFFER
        require(f"entries of a {self.type.name} of {self.format}", self.width_px, 1, RAW_ENTRIES if raw else ENTRIES)
        if self.pitch_B is not None:
            require("bytes of a buffer element", self.pitch_B, 1, MAX_BUFFER_PITCH_B)
        if self.tiling != "linear":  # 001:2258
            raise StateError(f"buffers are linear, found tiling {self.tiling}")
        plain = (self.height_px, self.depth_px, self.array_length, self.levels, self.samples)
        if plain != (1, 1, 1, 1, 1):
            raise StateError(
                f"a buffer has one row, slice, level and sample, found height, depth, slices, levels, samples = {plain}"
            )

    def _check_extents(self) -> None:
        limits = limits_of(self.generation)
        if self.type == SurfaceType.SURFTYPE_NULL:
            raise StateError("SURFTYPE_NULL has no memory and no layout; NullSurface is sampled in its place")
        width, height, depth = axis_limits(self.type, limits)
        name = self.type.name
        require(f"{name} width in texels", self.width_px, 1, width)
        require(f"{name} height in rows", self.height_px, 1, height)
        require(f"{name} depth in slices", self.depth_px, 1, depth)
        if self.type == SurfaceType.SURFTYPE_CUBE:  # 003:2248 and 003:2269
            if self.width_px != self.height_px:
                raise StateError(f"cube faces are square, found {self.width_px} x {self.height_px}")
            require("cubes of an array", self.array_length, 1, limits.slices // CUBE_FACES)
        elif self.type == SurfaceType.SURFTYPE_3D:
            require("array slices of a 3D surface", self.array_length, 1, 1)
        else:
            require("array slices", self.array_length, 1, limits.slices)
        if self.pitch_B is not None:
            require("pitch in bytes", self.pitch_B, 1, limits.pitch_B)
        if self.format == "MONO8" and self.width_px % 32:  # 003:2248
            raise StateError(f"width of a MONO8 surface must be a multiple of 32 texels, found {self.width_px}")

    def _check_tiling(self) -> None:
        stencil = self.usage is Usage.STENCIL
        if stencil and (self.format not in ("R8_UINT", "R8_UNORM") or self.generation < 5):
            raise StateError(
                "a separate stencil buffer is R8_UINT from generation 5 on, "
                f"found {self.format} on generation {self.generation:g}"
            )
        if stencil != (self.tiling == "W"):  # 004:2274, and 004:2341-2344: W-major
            raise StateError(f"stencil buffers, and only they, have tiling W; found {self.usage.value}, {self.tiling}")
        allowed = ("Y",) if self.generation >= 6 else ("Y", "linear")  # SNB 2.1 p. 318
        if self.usage is Usage.DEPTH and self.tiling not in allowed:
            raise StateError(
                f"depth buffers of generation {self.generation:g} have tiling {' or '.join(allowed)}, "
                f"found {self.tiling}"
            )

    def _check_mips(self) -> None:
        full_chain = max(self.width_px, self.height_px, self.depth_px).bit_length()
        require("levels", self.levels, 1, min(limits_of(self.generation).levels, full_chain))
        if self.mip_layout is MipLayout.RIGHT and (self.generation >= 7 or self.type != SurfaceType.SURFTYPE_2D):
            raise StateError(
                "MIPLAYOUT_RIGHT is for 2D surfaces up to generation 6, "
                f"found {self.type.name} on generation {self.generation:g}"
            )
        if self.usage is Usage.STENCIL and self.generation < 7:  # 001:2417
            require("levels of a stencil buffer before generation 7", self.levels, 1, 1)
        if self.spacing == ArraySpacing.LOD0 and self.slices > 1:  # 003:2120
            require("levels of an array with LOD0 spacing", self.levels, 1, 1)

    def _check_samples(self) -> None:
        allowed = limits_of(self.generation).samples
        if self.samples not in allowed:
            raise StateError(
                f"samples must be one of {', '.join(map(str, allowed))} on generation {self.generation:g}, "
                f"found {self.samples}"
            )
        if self.samples == 1:
            return
        if self.type != SurfaceType.SURFTYPE_2D:  # 003:2392
            raise StateError(f"only SURFTYPE_2D can be multisampled, found {self.type.name}")
        require("levels of a multisampled surface", self.levels, 1, 1)  # 003:2396
        if self.tiling == "linear":  # a public fact
            raise StateError("multisampled surfaces are tiled, found linear")
        too_large = self.samples == 8 and self.info.bits > 64 and not self.wide_samples
        if self.is_compressed or self.info.block_width > 1 or too_large:  # 003:2028-2032
            raise StateError(f"{self.format} cannot have {self.samples} samples")
        if self.storage == MultisampleFormat.MSS:
            if self.format in _DEPTH_FORMATS or self.usage in (Usage.DEPTH, Usage.STENCIL):  # 003:2376-2378
                raise StateError(f"{self.format} as {self.usage.value} must be stored as MSFMT_DEPTH_STENCIL")
            if self.spacing != ArraySpacing.LOD0:  # 003:2121
                raise StateError("a surface stored as MSFMT_MSS must have array spacing LOD0, found FULL")
            rows = self.array_length * self.height_px
            require("slices * rows of an MSFMT_MSS surface", rows, 1, (1 << 25) // self.samples)  # 003:2369-2374
        elif self.samples == 8:  # 003:2366
            require("width of an 8x MSFMT_DEPTH_STENCIL surface", self.width_px, 1, 8192)

    def _check_slice_rows(self) -> None:
        if self.generation < 9:
            if self.slice_rows is not None:
                raise StateError(f"generation {self.generation:g} chooses the rows from slice to slice itself")
        elif self.levels > 1 and self.type in (SurfaceType.SURFTYPE_1D, SurfaceType.SURFTYPE_3D):
            raise StateError(f"levels of {self.type.name} on generation 9: where they lie is in no page here")
        elif self.slices > 1 and self.type == SurfaceType.SURFTYPE_1D:
            raise StateError("arrays of SURFTYPE_1D on generation 9: their slices are texels apart, not rows")
