"""Frames and statistics surfaces of the deinterlace message, read out of memory."""

from __future__ import annotations

from texsamp.device import Device
from texsamp.emulator.context.surfaces import SurfaceTable, addressing_of
from texsamp.errors import CaptureError, FormatError, StateError, UndefinedBehavior
from texsamp.state import MediaSurfaceFormat, MediaSurfaceState, RenderSurfaceState
from texsamp.state.media_surface import PictureStructure
from texsamp.surface.detile import detile
from texsamp.surface.planar import media_planes, read_plane
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame

_PACKED = {
    MediaSurfaceFormat.YCRCB_NORMAL: "yuyv422",
    MediaSurfaceFormat.YCRCB_SWAPY: "uyvy422",
    MediaSurfaceFormat.YCRCB_SWAPUV: "yvyu422",
    MediaSurfaceFormat.YCRCB_SWAPUVY: "vyuy422",
}
_PLANAR = {
    (MediaSurfaceFormat.PLANAR_420_8, True): "nv12",
    (MediaSurfaceFormat.PLANAR_420_8, False): "yuv420p",
    (MediaSurfaceFormat.PLANAR_422_8, False): "yuv422p",
}
"""Layouts by format and interleaved chroma."""


def media_frame(surfaces: SurfaceTable, state: MediaSurfaceState, device: Device, *, whole: bool) -> Frame:
    """The frame a media surface shows, on a device; of planar ones luma alone unless `whole`.

    CaptureError if that cannot be.
    """
    format = MediaSurfaceFormat(state.code("format"))
    name = _PACKED.get(format)
    if state.code("picture_structure") != PictureStructure.FRAME:
        raise CaptureError("deinterlace of a surface that shows one field is not executed")
    if name is None:
        name = _PLANAR.get((format, bool(state.interleave_chroma))) if whole else "gray"
    if name is None or (name == "gray" and not format.name.startswith("PLANAR")):
        raise CaptureError(f"deinterlace of {format.name} is not executed")
    try:
        planes = media_planes(state)[: 1 if name == "gray" else None]
        memory = surfaces.bytes_on(device, state.base_address)
        rows = [read_plane(memory, plane, device=device) for plane in planes]
        return Frame.from_arrays(name, rows, int(state.width), int(state.height), device, interlaced=True)
    except (StateError, FormatError, UndefinedBehavior) as error:
        raise CaptureError(f"surface at {state.base_address:#x}: {error}") from None


def stored_statistics(surfaces: SurfaceTable, state: RenderSurfaceState, frame: Frame) -> StatisticsSurface:
    """What the call before left: STMM, and denoise history from half the pitch on (seed 003:1542-1564).

    CaptureError if the surface does not hold them.
    """
    device = frame.device
    stored = StatisticsSurface.empty(device, frame.width_px, frame.height_px)
    memory, addressing = surfaces.bytes_on(device, state.base_address), addressing_of(state)
    for target, x_B in ((stored.stmm, 0), (stored.denoise_history, addressing.pitch_B // 2)):
        rows, width_B = target.shape
        try:
            target[...] = detile(memory, addressing, width_B, rows, x_B=x_B, device=device)
        except StateError as error:
            raise CaptureError(f"statistics surface at {state.base_address:#x}: {error}") from None
    return stored
