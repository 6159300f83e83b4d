"""`Lut3d`: a table of colors from a .cube file, applied to video."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from texsamp.device.base import Array, Device
from texsamp.errors import FormatError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color.convert import ConvertColor
from texsamp.video.color.matrices import tagged_matrix
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame
from texsamp.video.lut.cube_file import read_cube
from texsamp.video.lut.launch import Interpolation, lut_launch, tables_of
from texsamp.video.options import Choice, FileName, Kinds, check
from texsamp.video.stage import Stage

KINDS: Kinds = {"file": FileName(".cube"), "interp": Choice(get_args(Interpolation))}
"""What options may be."""
WIDE = "rgba64le"
_PLANAR_422 = {8: "yuv422p", 10: "yuv422p10le"}


class Lut3d(Stage):
    """Apply the table of a .cube file to the colors of frames; they keep their pixel format, range and tags.

    ``interp`` "tetrahedral" (ours) or "trilinear", as the sampler filters a volume, with 8 bits of the way between two
    entries. YUV becomes RGB of 16 bits by its tags and is made YUV again; chroma of 4:2:0 and 4:2:2 is repeated, so
    that a table that changes nothing changes no more than the color pipe rounds.

    The file is read when the first frame comes. Raises StateError for another interpolation; with frames, MediaError
    and FormatError for the file (`read_cube`), FormatError for gray ones.
    """

    def __init__(self, file: str, interp: Interpolation = "tetrahedral") -> None:
        check("lut3d", KINDS, file=file, interp=interp)
        self.file, self.interp = file, interp
        self._uploaded: tuple[Device, tuple[Array, Array]] | None = None

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with other colors."""
        layout = frame.layout
        if layout.model == "gray":
            raise FormatError(f"lut3d needs colors, found {layout.name}: put csc=format=yuv444p before it")
        if layout.model == "rgb":
            yield convert(self._applied(convert(frame, WIDE)), layout).with_color(frame.color)
            return
        matrix, guessed = tagged_matrix(frame)
        if guessed:
            self.note(f"lut3d: {guessed}")
        # The pipe knows no fields: between it and interlaced 4:2:0 is 4:2:2.
        between = layout
        if frame.interlaced and layout.log2_chroma_height:
            between = PIXEL_LAYOUTS[_PLANAR_422[layout.bits]]
        full = "full" if frame.color.full_range else "limited"
        to_rgb = ConvertColor(format=WIDE, in_matrix=matrix, in_range=full, chroma="repeated")
        to_yuv = ConvertColor(format=between.name, matrix=matrix, range=full)
        for wide in to_rgb.feed(convert(frame, between)):
            for made in to_yuv.feed(self._applied(wide)):
                yield convert(made.with_color(frame.color), layout)

    def _applied(self, wide: Frame) -> Frame:
        device = wide.device
        if self._uploaded is None or self._uploaded[0] is not device:
            tables = tables_of(read_cube(self.file))
            self._uploaded = device, (device.upload(tables.places), device.upload(tables.cube))
        made = Frame.empty(wide.layout, wide.width_px, wide.height_px, device)
        device.launch(lut_launch(device, wide.planes[0], made.planes[0], self._uploaded[1], self.interp))
        return wide.like(wide.width_px, wide.height_px, made.planes, wide.layout)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_uploaded": None}
