"""`convert`: a frame in another pixel layout, its meaning kept (docs/conversions.md)."""

from __future__ import annotations

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.surface.pixel_layout import PixelLayout, pixel_layout
from texsamp.video.color.convert import ConvertColor
from texsamp.video.component_planes import ComponentPlanes
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
    came, over = ComponentPlanes(source, turns=False).part(), ComponentPlanes(target, turns=False)
    target.device.launch(_launch(source, "A", came["A"], over.part()["A"], target.layout))
    over.join()


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


def _kept(frame: Frame, layout: PixelLayout, sources: dict[str, Samples]) -> dict[str, Samples]:
    """Components that are the same in both layouts, down to unused bits, of which there are none."""
    return {
        name: samples
        for name, samples in sources.items()
        if name in layout.components
        and (samples.step, samples.bits) == (1, layout.components[name].bits) == (1, 8 * layout.dtype.itemsize)
        and frame.layout.dtype == layout.dtype
        and frame.layout.subsampling(name) == layout.subsampling(name)
    }


def _repacked(frame: Frame, layout: PixelLayout) -> Frame:
    device, width, height = frame.device, frame.width_px, frame.height_px
    sources = ComponentPlanes(frame).part()
    kept = _kept(frame, layout, sources)
    made = ComponentPlanes(Frame.empty(layout, width, height, device), kept)
    targets = {name: samples for name, samples in made.samples.items() if samples is not kept.get(name)}
    device.launch(*(_launch(frame, name, sources.get(name), target, layout) for name, target in targets.items()))
    made.join()
    return frame.like(width, height, made.planes, layout)


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
