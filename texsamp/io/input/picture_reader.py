"""Pictures of FFmpeg's decoders as frames: time, field order, color, pixel layout, and what is told beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import av
import numpy as np

from texsamp.device import Device
from texsamp.io.files.picture_sequence import first_file
from texsamp.io.frames.av_frame import frame_of, tags_of
from texsamp.io.frames.convert import SAME_BYTES, conversion_note, nearest_layout
from texsamp.io.frames.field_meter import FieldMeter
from texsamp.io.frames.field_order import CODECS_WITH_FIELD_FLAGS, CODECS_WITH_REPEAT_FLAGS, FieldOrderProbe
from texsamp.io.frames.linear_light import NOTE, SRGB, coded, is_linear
from texsamp.io.frames.rotation import DisplayMatrix, Turner, is_upright, turn_of
from texsamp.io.input.hardware_decoder import frame_on_gpu, is_on_gpu, on_host
from texsamp.io.input.side_data import side_data_of
from texsamp.io.input.still_colors import tag_still
from texsamp.io.input.stream_info import StreamInfo
from texsamp.io.input.tiff_jpeg import read_by_pillow
from texsamp.io.textures.color_profile import PROFILE_LOST, profile_of
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.frame import Frame
from texsamp.video.hdr import ContentLight, HdrMetadata, MasteringDisplay

_SIDE_DATA_NOT_CARRIED = {
    "DYNAMIC_HDR_PLUS": "HDR10+ metadata",
    "DYNAMIC_HDR_VIVID": "HDR Vivid metadata",
    "DOVI_RPU_BUFFER": "Dolby Vision metadata",
    "DOVI_METADATA": "Dolby Vision metadata",
    "AMBIENT_VIEWING_ENVIRONMENT": "the HDR ambient viewing environment",
    "A53_CC": "closed captions inside the video",
    "FILM_GRAIN_PARAMS": "film grain parameters",
    "EXIF": "EXIF metadata",
}
"""Frame side data that a viewer would miss and that PyAV cannot hand to an encoder."""

_AHEAD = 10
"""Pictures to look at before the first frame, where no flag tells which field comes first."""


class PictureReader:
    """Turns the pictures of one stream into frames; ``note`` is told what people should know."""

    def __init__(
        self,
        info: StreamInfo,
        note: Callable[[str], None],
        autorotate: bool,
        wait_for_order: bool,
        decode_on: Device | None = None,
    ) -> None:
        self.display_matrix: DisplayMatrix | None = None
        self.color_profile: bytes | None = None
        self._autorotate = autorotate
        self._ahead = _AHEAD if wait_for_order else 0
        self._decode_on = decode_on
        self._turner: Turner | None = None
        self._info = info
        self._note = note
        self._layout: PixelLayout | None = None
        self.end_s: Fraction | None = None
        self.longest_s = Fraction(0)
        self._begin_s: Fraction | None = None
        self._probe = FieldOrderProbe()
        self._meter = FieldMeter(info.height_px, info.pix_fmt)
        self._measured = 0
        self._stream_order = {"tff": True, "bff": False}.get(info.field_order)
        self._next_pts: int | None = None
        self._size = (info.width_px, info.height_px)
        self._hdr: HdrMetadata | None = None

    def measure(self, picture: av.VideoFrame) -> None:
        """Look at the fields of a picture, in display order, before `frame` is asked for it."""
        self._measured += 1
        if self._meter.is_done:
            return
        interlaced, top_first, _ = self._flags(picture)
        self._meter.add(
            on_host(picture, self._info.pix_fmt),
            "progressive" if not interlaced else "bff" if top_first is False else "tff",
        )
        if note := self._meter.note:
            self._note(note)

    @property
    def field_remedy(self) -> tuple[str, str] | None:
        """As in `VideoReader`."""
        return self._meter.remedy

    @property
    def ahead(self) -> int:
        """How many pictures to measure before the next `frame`: some at first, if no flags tell the field order."""
        return 0 if self._meter.is_done or self._measured > self._ahead or self._meter.is_flagged else self._ahead

    def frame(self, picture: av.VideoFrame, damaged: bool) -> Frame:
        """The next picture in display order."""
        if self._layout is None:
            self._read_side_data(picture)
            self._choose_turn(picture)
        if (picture.width, picture.height) != self._size:
            self._note(
                f"the frame size changes from {self._size[0]}x{self._size[1]} to {picture.width}x{picture.height} "
                "within the stream"
            )
            self._size = (picture.width, picture.height)
        time_base = picture.time_base or self._info.time_base or Fraction(1, 25)
        pts, duration = self._time(picture, time_base)
        begin_s, end_s = pts * time_base, (pts + duration) * time_base
        if self._begin_s is not None:
            self.longest_s = max(self.longest_s, begin_s - self._begin_s)
        self._begin_s = begin_s
        self.end_s = end_s if self.end_s is None else max(end_s, self.end_s)
        interlaced, top_first, repeat = self._fields(picture)
        if isinstance(picture.opaque, bytes):
            picture = read_by_pillow(picture, picture.opaque, self._info.path)
        tag_still(picture, self._info.codec)
        color, aspect = tags_of(picture, self._info.color.chroma_location), self._info.sample_aspect
        if color.full_range is None:
            color = replace(color, full_range=self._info.color.full_range)
        damaged = damaged or picture.is_corrupt
        light = picture if is_linear(self._info.codec, picture.format.name) else None
        if light is not None:
            self._note(NOTE)
            picture, color = coded(picture), replace(color, transfer=SRGB)
        if self._turner is not None:
            turn = self._turner.turn
            if turn.lines_reversed and top_first is not None and picture.height % 2 == 0:
                top_first = not top_first
            picture, color = self._turner.picture(on_host(picture, self._info.pix_fmt)), self._turner.color(color)
            aspect = 1 / aspect if aspect and turn.swaps else aspect
        make = frame_of
        if self._decode_on is not None:
            if is_on_gpu(picture):
                make = partial(frame_on_gpu, device=self._decode_on)
            elif self._turner is None:
                self._note("decoded on the CPU: NVDEC does not take this stream")
        return make(
            picture,
            self._layout_of(light or picture),
            pts=pts,
            duration=duration,
            time_base=time_base,
            interlaced=interlaced,
            top_field_first=top_first,
            repeat_fields=repeat,
            sample_aspect=aspect,
            color=color,
            hdr=self._hdr,
            damaged=damaged,
        )

    def _layout_of(self, picture: av.VideoFrame) -> PixelLayout:
        """The layout of all frames, which is that of the first."""
        name = self._info.pix_fmt if is_on_gpu(picture) else picture.format.name
        if self._layout is None:
            self._layout = nearest_layout(name)
        if SAME_BYTES.get(name, name) != self._layout.name:
            self._note(conversion_note(name, self._layout.name))
        return self._layout

    def _choose_turn(self, picture: av.VideoFrame) -> None:
        """Turn pictures as players would, if that can be done."""
        if not self._autorotate or self.display_matrix is None:
            return
        turn = turn_of(self.display_matrix)
        if turn is None:
            self._note("pictures are not turned: their rotation is not by right angles, and is passed on as a tag")
        elif turn.swaps and picture.interlaced_frame:
            self._note("pictures are not turned: they are interlaced, and the rotation is passed on as a tag")
        else:
            self._turner = Turner(turn)
            self.display_matrix = None
            self._note(f"pictures are {turn.name}, as players show them")

    def _read_side_data(self, picture: av.VideoFrame) -> None:
        for side in side_data_of(picture):
            kind = side.kind
            if kind == "DISPLAYMATRIX":
                matrix = tuple(int(v) for v in np.frombuffer(side.data, "<i4"))
                self.display_matrix = None if is_upright(matrix) else matrix
            elif kind == "MASTERING_DISPLAY_METADATA":
                self._hdr = replace(self._hdr or HdrMetadata(), mastering=MasteringDisplay.from_bytes(side.data))
            elif kind == "CONTENT_LIGHT_LEVEL":
                self._hdr = replace(self._hdr or HdrMetadata(), light=ContentLight.from_bytes(side.data))
            elif kind == "ICC_PROFILE":
                self.color_profile = profile_of(first_file(self._info.path))
                if self.color_profile is None:
                    self._note(PROFILE_LOST)
            elif kind in _SIDE_DATA_NOT_CARRIED:
                self._note(f"{_SIDE_DATA_NOT_CARRIED[kind]} cannot be passed on to the output")

    def _time(self, picture: av.VideoFrame, time_base: Fraction) -> tuple[int, int]:
        rate = self._info.frame_rate or Fraction(25)
        duration = int(picture.duration or 0) or max(1, round(1 / (rate * time_base)))
        pts = picture.pts
        if pts is None:
            self._note(f"frames without time stamps are placed at {float(rate):.6g} frames per second")
            pts = self._next_pts or 0
        self._next_pts = pts + duration
        return pts, duration

    def _fields(self, picture: av.VideoFrame) -> tuple[bool, bool | None, int | None]:
        """Interlaced, top field first by the flags or else by measurement, repeated fields."""
        interlaced, top_first, repeat = self._flags(picture)
        if top_first is None and self._meter.order is not None:
            top_first = self._meter.order == "tff"
        return interlaced, top_first, repeat

    def _flags(self, picture: av.VideoFrame) -> tuple[bool, bool | None, int | None]:
        """Interlaced, top field first, repeated fields: what the stream says."""
        codec = self._info.codec
        packet_flags = picture.opaque if isinstance(picture.opaque, tuple) else None
        repeat: int | None = 0
        if codec == "mpeg2video":
            repeat = packet_flags[0] if packet_flags else None
        elif codec in CODECS_WITH_REPEAT_FLAGS:
            repeat = None
        if picture.interlaced_frame:
            if repeat is None:
                self._note(f"repeat flags of interlaced {codec} are unknown")
            return True, self._probe.top_field_first(on_host(picture, self._info.pix_fmt)), repeat
        if codec not in CODECS_WITH_FIELD_FLAGS and self._stream_order is not None:
            return True, self._stream_order, repeat
        return False, packet_flags[1] if packet_flags and repeat else None, repeat
