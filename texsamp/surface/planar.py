"""Planes of media surfaces: where luma and chroma lie by a media SURFACE_STATE, and moving them in and out of memory.

NV12, YV12, I420, IMC3, IMC4 and planar 4:2:2 and 4:1:1 are one state format each with different offsets and pitches
(seed 003:793-798); `planar_state` lays them out. What lies inside a packed plane, `texsamp.surface.pixel_layout` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.errors import StateError, UndefinedBehavior
from texsamp.state.media_surface import MediaSurfaceFormat, MediaSurfaceState, MediaTileMode, PictureStructure
from texsamp.surface.detile import detile, tile
from texsamp.surface.tiling import Addressing, AddressSwizzle, tiling

__all__ = ["PLANAR_NAMES", "MediaPlane", "media_planes", "planar_state", "read_plane", "write_plane"]


@dataclass(frozen=True)
class MediaPlane:
    """One plane of a media surface.

    components: "Y", "U", "V" alone, "UV" interleaved, or the name of the format of a packed surface.
    width_B, rows: the plane's own bytes and rows, those of one field if the surface shows a field.
    x_B, y_rows: its corner in rows of ``pitch_B`` bytes, ``row_step`` rows apart, that begin at byte ``offset_B`` of
        the surface (0 unless the chroma has a pitch of its own).
    """

    components: str
    width_B: int  # noqa: N815 - the unit
    rows: int
    offset_B: int  # noqa: N815
    x_B: int  # noqa: N815
    y_rows: int
    pitch_B: int  # noqa: N815
    row_step: int
    tiling: str

    def addressing(self, swizzle: AddressSwizzle = AddressSwizzle.NONE) -> Addressing:
        """Where the bytes of the plane's rows lie."""
        return Addressing(tiling(self.tiling), self.pitch_B, swizzle)


_SUBSAMPLING = {
    MediaSurfaceFormat.PLANAR_420_8: (2, 2),
    MediaSurfaceFormat.PLANAR_411_8: (4, 1),
    MediaSurfaceFormat.PLANAR_422_8: (2, 1),
}
_ELEMENTS = {  # bytes, and the texels they hold
    MediaSurfaceFormat.YCRCB_NORMAL: (4, 2),
    MediaSurfaceFormat.YCRCB_SWAPUVY: (4, 2),
    MediaSurfaceFormat.YCRCB_SWAPUV: (4, 2),
    MediaSurfaceFormat.YCRCB_SWAPY: (4, 2),
    MediaSurfaceFormat.R10G10B10A2_UNORM: (4, 1),
    MediaSurfaceFormat.R8G8B8A8_UNORM: (4, 1),
    MediaSurfaceFormat.R8B8_UNORM: (2, 1),
    MediaSurfaceFormat.R8_UNORM: (1, 1),
    MediaSurfaceFormat.Y8_UNORM: (1, 1),
    MediaSurfaceFormat.A8Y8U8V8_UNORM: (4, 1),
    MediaSurfaceFormat.B8G8R8A8_UNORM: (4, 1),
    MediaSurfaceFormat.R16G16B16A16: (8, 1),
}
_TILINGS = {MediaTileMode.LINEAR: "linear", MediaTileMode.X: "X", MediaTileMode.Y: "Y"}


def media_planes(state: MediaSurfaceState) -> tuple[MediaPlane, ...]:
    """The planes of a media surface: luma, then U and V or both interleaved; one of a format that is not planar.

    Offsets are pixels and rows from the base address (003:3168-3205), rows being those of the whole surface's pitch:
    ours, for chroma of half pitch, where the manual does not say whose rows it counts. Odd sizes have chroma for the
    last luma (the manual asks for even ones). A field's chroma is every second row, as its luma is.

    Raises StateError for the statistics surface, which only the deinterlacer lays out, and a picture structure that
    does not exist; UndefinedBehavior for half pitch in a tiled surface, of which the manual does not say how its tiles
    follow each other.
    """
    format = MediaSurfaceFormat(state.code("format"))
    structure = state.code("picture_structure")
    if structure not in (member.value for member in PictureStructure):
        raise StateError(f"picture_structure must be 0 to 2, found {structure}")
    step = 1 if structure == PictureStructure.FRAME else 2
    field_row = int(structure == PictureStructure.BOTTOM_FIELD)
    width_px, height_rows = int(state.width), int(state.height)
    memory = _TILINGS[MediaTileMode(state.code("tile_mode"))]
    pitch_B = int(state.pitch)

    def plane(components: str, size: tuple[int, int], corner: tuple[int, int], half: bool = False) -> MediaPlane:
        x_B, y_rows = corner
        if not half:
            return MediaPlane(components, *size, 0, x_B, y_rows + field_row, pitch_B, step, memory)
        if memory != "linear":
            raise UndefinedBehavior(f"half_pitch_chroma in a surface of tiling {memory} is defined nowhere")
        return MediaPlane(components, *size, y_rows * pitch_B + x_B, 0, field_row, pitch_B // 2, step, memory)

    corner_u = (int(state.x_offset_u), int(state.y_offset_u))
    if format in _ELEMENTS:
        size_B, texels = _ELEMENTS[format]
        corner = (corner_u[0] * size_B // texels, corner_u[1])
        return (plane(format.name, (-(-width_px // texels) * size_B, height_rows), corner),)
    if format not in _SUBSAMPLING:
        raise StateError(f"{format.name} has no planes of texels; the deinterlacer lays it out")
    across, down = _SUBSAMPLING[format]
    chroma = (-(-width_px // across), -(-height_rows // down))
    luma = plane("Y", (width_px, height_rows), (0, 0))
    half = bool(state.half_pitch_chroma)
    if state.interleave_chroma:
        return luma, plane("UV", (2 * chroma[0], chroma[1]), corner_u, half)
    corner_v = (int(state.x_offset_v), int(state.y_offset_v))
    return luma, plane("U", chroma, corner_u, half), plane("V", chroma, corner_v, half)


@dataclass(frozen=True)
class _Planar:
    """How a named layout places its chroma: the order of the planes behind luma, and what they share."""

    format: MediaSurfaceFormat
    order: str
    half_pitch: bool = False
    side_by_side: bool = False  # the second chroma plane begins half a pitch to the right of the first
    chroma_alignment_rows: int = 2


PLANAR: Mapping[str, _Planar] = MappingProxyType(
    {
        "NV12": _Planar(MediaSurfaceFormat.PLANAR_420_8, "UV"),
        "I420": _Planar(MediaSurfaceFormat.PLANAR_420_8, "U V", half_pitch=True),
        "YV12": _Planar(MediaSurfaceFormat.PLANAR_420_8, "V U", half_pitch=True),
        "IMC3": _Planar(MediaSurfaceFormat.PLANAR_420_8, "U V", chroma_alignment_rows=16),
        "IMC4": _Planar(MediaSurfaceFormat.PLANAR_420_8, "U V", side_by_side=True, chroma_alignment_rows=16),
        "422P": _Planar(MediaSurfaceFormat.PLANAR_422_8, "U V"),
        "411P": _Planar(MediaSurfaceFormat.PLANAR_411_8, "U V"),
    }
)
"""The layouts of 003:793-798 and planar 4:2:2 and 4:1:1. Plane orders are public facts: FourCC definitions."""

PLANAR_NAMES = tuple(PLANAR)


def planar_state(
    name: str,
    width_px: int,
    height_rows: int,
    *,
    pitch_B: int | None = None,  # noqa: N803 - the unit
    tile_mode: str = "LINEAR",
) -> tuple[MediaSurfaceState, int]:
    """The media SURFACE_STATE of a picture in a named layout (`PLANAR_NAMES`), and the bytes it takes.

    Luma is at the base address; planes follow each other as closely as their alignment, even row offsets (003:3185) and
    tiles allow. ``pitch_B`` is that of luma; None for the smallest.

    Raises StateError for an unknown name, sizes the state cannot hold, or a pitch too small for the layout; half pitch
    in tiles as in `media_planes`.
    """
    if name not in PLANAR:
        raise StateError(f"no planar layout {name!r}; there are {', '.join(PLANAR)}")
    layout = PLANAR[name]
    across, down = _SUBSAMPLING[layout.format]
    tile_B = tiling(_TILINGS[MediaTileMode[tile_mode]]).width_B
    chroma_px, chroma_rows = -(-width_px // across), -(-height_rows // down)
    two_chroma_B = 2 * chroma_px if layout.half_pitch or layout.side_by_side or layout.order == "UV" else 0
    multiple_B = max(tile_B, 4 if layout.side_by_side else 2)  # halves of it are even X offsets (003:3175)
    least_B = -(-max(width_px, two_chroma_B) // multiple_B) * multiple_B
    pitch = least_B if pitch_B is None else pitch_B
    if pitch < least_B or pitch % multiple_B:
        raise StateError(f"pitch of {name} must be a multiple of {multiple_B} from {least_B}, found {pitch}")
    align = layout.chroma_alignment_rows
    first = -(-height_rows // align) * align
    rows_of_pitch = -(-chroma_rows // 2) if layout.half_pitch else chroma_rows
    second = (pitch // 2, first) if layout.side_by_side else (0, first + -(-rows_of_pitch // align) * align)
    corners = dict(zip(layout.order.split(), ((0, first), second), strict=False))
    u, v = corners.get("U", (0, first)), corners.get("V", (0, 0))
    state = MediaSurfaceState(
        format=layout.format.name, width=width_px, height=height_rows, pitch=pitch, tile_mode=tile_mode,
        interleave_chroma=layout.order == "UV", half_pitch_chroma=layout.half_pitch,
        x_offset_u=u[0], y_offset_u=u[1], x_offset_v=v[0], y_offset_v=v[1],
    )  # fmt: skip
    return state, max(_end_B(plane) for plane in media_planes(state))


def _end_B(plane: MediaPlane) -> int:  # noqa: N802 - the unit
    return plane.offset_B + plane.addressing().size_B(plane.y_rows + plane.rows * plane.row_step)


def read_plane(
    memory: Array,
    plane: MediaPlane,
    *,
    swizzle: AddressSwizzle = AddressSwizzle.NONE,
    device: Device | str = "cpu",
) -> Array:
    """The bytes of a plane as a uint8 array (rows, width_B). ``memory`` is as for `detile`, and raises as there."""
    rows = _all_rows(plane)
    corner = {"x_B": plane.x_B, "y_rows": plane.y_rows}
    read = detile(memory[plane.offset_B :], plane.addressing(swizzle), plane.width_B, rows, **corner, device=device)
    return read if plane.row_step == 1 else get_device(device).copy(read[:: plane.row_step])


def write_plane(
    rows: Array,
    memory: Array,
    plane: MediaPlane,
    *,
    swizzle: AddressSwizzle = AddressSwizzle.NONE,
    device: Device | str = "cpu",
) -> None:
    """Write the bytes of a plane, a uint8 array (rows, width_B), into memory; the other field keeps its rows.

    Raises StateError if the array has another shape, and as `tile` does.
    """
    if tuple(rows.shape) != (plane.rows, plane.width_B) or rows.dtype != np.uint8:
        raise StateError(
            f"plane {plane.components} takes uint8 of shape {(plane.rows, plane.width_B)}, "
            f"found {rows.dtype} of {tuple(rows.shape)}"
        )
    addressing, corner = plane.addressing(swizzle), {"x_B": plane.x_B, "y_rows": plane.y_rows}
    memory = memory[plane.offset_B :]
    if plane.row_step > 1:
        both = detile(memory, addressing, plane.width_B, _all_rows(plane), **corner, device=device)
        both[:: plane.row_step] = rows
        rows = both
    tile(rows, memory, addressing, **corner, device=device)


def _all_rows(plane: MediaPlane) -> int:
    """Rows from the plane's first to its last, those of the other field between them included."""
    return (plane.rows - 1) * plane.row_step + 1
