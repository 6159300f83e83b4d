"""`convert`: a frame in another pixel layout, its meaning kept (docs/conversions.md)."""

from __future__ import annotations

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.surface.pixel_layout import PixelLayout, pixel_layout
from texsamp.video import packed10
from texsamp.video.color.convert import ConvertColor
from texsamp.video.frame import Frame, check_frame
from texsamp.video.samples import Samples

_PARAMS = params_type("ConvertParams")
TILE_SIZES = {"host": (512, 4), "device": (128, 8)}
"""Columns and rows of a tile."""

PLANAR_422 = {8: pixel_layout("yuv422p"), 10: pixel_layout("yuv422p10le")}

SCALE_BITS = 40
"""Fraction bits of the ratio of two depths: enough for every 16-bit sample to be rounded as the exact quotient."""


def convert(frame: Frame, layout: PixelLayout | str) -> Frame:
    """The frame in another pixel layout; itself if it has that one. It stays on its device.

    Planes that are the same in both layouts (8-bit luma, mostly) are the frame's own: writing to one changes both.

    Depth and chroma subsampling change as docs/conversions.md says, rounded to the nearest once. Between RGB and luma
    with chroma the color pipe converts, with the matrix of the frame's tags (untagged: BT.709 from 720 rows on, BT.601
    below): RGB becomes full range, YUV of RGB limited, gray of RGB full. The tags say what the result is.

    Raises FormatError for a layout that is unknown.
    """
    check_frame(frame, "convert")
    wanted = layout if isinstance(layout, PixelLayout) else pixel_layout(layout)
    if wanted == frame.layout:
        return frame
    if "rgb" in (frame.layout.model, wanted.model) and frame.layout.model != wanted.model:
        return _recolored(frame, wanted)
    return _repacked(frame, wanted)


def copy_alpha(source: Frame, target: Frame) -> None:
    """Write the alpha of a frame over that of another one, of the same layout and size, whose planes are its own."""
    alphas = Samples.of(source, "A"), Samples.of(target, "A")
    target.device.launch(_launch(source, "A", *alphas, target.layout))


def _recolored(frame: Frame, layout: PixelLayout) -> Frame:
    """From or to RGB. The pipe knows no fields, so between it and the 4:2:0 it makes there is 4:2:2."""
    if frame.interlaced and layout.log2_chroma_height:
        return _repacked(_recolored(frame, PLANAR_422[layout.bits]), layout)
    gray_of_rgb = layout.model == "gray"
    return next(iter(ConvertColor(format=layout.name, range="full" if gray_of_rgb else "keep").feed(frame)))


def _full_range(frame: Frame) -> bool:
    """Whether the largest sample is white: untagged RGB is taken as such, untagged video is not."""
    if frame.layout.model == "rgb":
        return frame.color.full_range is not False
    return frame.color.full_range is True


def _channels(frame: Frame) -> dict[str, Samples]:
    if frame.layout.packed_element:
        return packed10.unpack(frame)
    return {name: Samples.of(frame, name) for name in frame.layout.components}


def _whole_plane(layout: PixelLayout, name: str) -> int | None:
    """The plane that is one component and nothing else, not even unused bits; None if there is none."""
    part = layout.components.get(name)
    if part is None or (part.step, part.bits) != (1, 8 * layout.dtype.itemsize):
        return None
    return part.plane


def _repacked(frame: Frame, layout: PixelLayout) -> Frame:
    device, width, height = frame.device, frame.width_px, frame.height_px
    made = Frame.empty(layout, width, height, device)
    planes, shared = list(made.planes), set()
    for name in layout.components:
        have, wanted = _whole_plane(frame.layout, name), _whole_plane(layout, name)
        same_size = frame.layout.subsampling(name) == layout.subsampling(name)
        if have is not None and wanted is not None and same_size and frame.layout.dtype == layout.dtype:
            planes[wanted] = frame.planes[have]
            shared.add(name)
    sources = _channels(frame)
    targets = (
        packed10.empty_channels(layout, device, width, height)
        if layout.packed_element
        else {name: Samples.of(made, name) for name in layout.components if name not in shared}
    )
    device.launch(*(_launch(frame, name, sources.get(name), target, layout) for name, target in targets.items()))
    if layout.packed_element:
        packed10.pack(targets, made.planes[0], layout, device)
    return frame.like(width, height, planes, layout)


def _scale(full: bool, src_bits: int, dst_bits: int) -> int:
    """The ratio of the largest samples; 0 where a shift is meant."""
    if not full or src_bits == dst_bits:
        return 0
    src_max, dst_max = (1 << src_bits) - 1, (1 << dst_bits) - 1
    return ((dst_max << (SCALE_BITS + 1)) + src_max) // (2 * src_max)


def _launch(frame: Frame, name: str, source: Samples | None, target: Samples, layout: PixelLayout) -> Launch:
    device = frame.device
    chroma = name in ("U", "V")
    read = target if source is None else source
    have, wanted = frame.layout.subsampling(name), layout.subsampling(name)
    across, down = (0, 0) if source is None else (wanted[0] - have[0], wanted[1] - have[1])
    middle = 1 << (target.bits - 1)
    params = _PARAMS(
        src=0 if source is None else source.address(device),
        dst=target.address(device),
        scale=_scale(name == "A" or _full_range(frame), read.bits, target.bits),
        src_pitch_B=read.pitch_B,
        dst_pitch_B=target.pitch_B,
        src_step=read.step,
        dst_step=target.step,
        src_shift=read.shift,
        dst_shift=target.shift,
        src_bits=read.bits,
        dst_bits=target.bits,
        src_width=read.width,
        src_height=read.height,
        dst_width=target.width,
        dst_height=target.height,
        across=across,
        down=down,
        interlaced=int(frame.interlaced),
        src_zero=1 << (read.bits - 1) if chroma else 0,
        dst_zero=middle if chroma else 0,
        fill=middle if chroma else target.max_value,
    )
    columns, rows = TILE_SIZES[device.tile_limits]
    arrays = (target.array,) if source is None else (source.array, target.array)
    kernel = f"convert_{read.type_name}_{target.type_name}"
    return Launch(kernel, params, -(-target.width // columns), -(-target.height // rows), arrays)
