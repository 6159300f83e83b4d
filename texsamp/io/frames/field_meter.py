"""Field order by the looks of pictures: FFmpeg's idet asks which field fits the neighboring frames better."""

from __future__ import annotations

from collections import Counter

import av
import numpy as np

from texsamp.io.frames.av_frame import plane_view
from texsamp.io.frames.convert import model_of
from texsamp.io.frames.linear_light import has_floats
from texsamp.io.frames.picture_graph import PictureGraph

_HIGHEST_PX = 1152
"""There is no interlaced video with more lines (1080 and padding)."""

_MIDDLE_PX = 960
"""Columns that idet looks at: it takes as long as all filters of a small job."""

_MOST_PICTURES = 300
_ENOUGH = 8
"""Pictures that agree on an order."""

_PROGRESSIVE = 50
"""Pictures without fields, and none with, after which none are expected."""

_NAMES = {"tff": "top", "bff": "bottom"}

_MOVED = 8
"""Change of an 8-bit sample from picture to picture that is no noise."""

_COMBED_COLUMNS = 256
"""Columns looked at for a comb."""


class FieldMeter:
    """Measures the first pictures of a stream, as many as it takes."""

    def __init__(self, height_px: int, pix_fmt: str) -> None:
        self._graph = PictureGraph(("crop", f"min(iw\\,{_MIDDLE_PX}):ih"), ("idet", ""))
        self._looks: Counter[str] = Counter()
        self._flags: Counter[str] = Counter()
        self._flags_of_interlaced: Counter[str] = Counter()
        self._pictures = 0
        self._last: list[av.VideoFrame] = []
        self._last_flag = ""
        # FFmpeg ends the whole process by an assertion where it should convert floats of gray with alpha.
        has_fields = 4 <= height_px <= _HIGHEST_PX and model_of(pix_fmt) != "rgb" and not has_floats(pix_fmt)
        self._is_done = not has_fields

    @property
    def is_done(self) -> bool:
        """Whether more pictures would change nothing."""
        return self._is_done

    @property
    def is_flagged(self) -> bool:
        """Whether flags have told an order."""
        return self._flags["tff"] + self._flags["bff"] > 0

    @property
    def order(self) -> str | None:
        """What enough pictures agree on, "tff" or "bff"; None for progressive, still or unclear ones."""
        first, second = sorted(("tff", "bff"), key=lambda order: -self._looks[order])
        clear = self._looks[first] >= max(_ENOUGH, 4 * self._looks[second], self._looks["progressive"] // 4)
        return first if clear else None

    def add(self, picture: av.VideoFrame, flagged: str) -> None:
        """The next picture, and what it is flagged as: "tff", "bff" or "progressive"."""
        if self._is_done:
            return
        self._pictures += 1
        self._flags[flagged] += 1
        measured = self._graph.send(picture)  # of the picture before
        if measured is not None:
            looks = measured.metadata.get("lavfi.idet.single.current_frame", "undetermined")
            if looks in _NAMES and not (len(self._last) == 2 and _is_combed(*self._last)):
                looks = "undetermined"  # idet takes some moving patterns for fields
            self._looks[looks] += 1
            self._flags_of_interlaced[self._last_flag] += looks in _NAMES
        self._last, self._last_flag = [*self._last[-1:], picture], flagged
        is_progressive = self._looks["progressive"] >= _PROGRESSIVE and not self._looks["tff"] + self._looks["bff"]
        self._is_done = is_progressive or self.order is not None or self._pictures == _MOST_PICTURES

    @property
    def _mistaken(self) -> str | None:
        """What pictures are flagged as that are something else, None if they are what they look like.

        Those beside interlaced ones may be progressive, so these alone tell whether it is flagged that they are. All
        tell which field comes first.
        """
        orders = {order: self._flags[order] for order in _NAMES}
        missing = 2 * self._flags_of_interlaced["progressive"] > self._flags_of_interlaced.total()
        flagged = "progressive" if missing else max(orders, key=lambda order: orders[order])
        return None if self.order is None or flagged == self.order else flagged

    @property
    def note(self) -> str | None:
        """What people should know: pictures that are not what their flags say."""
        order, flagged = self.order, self._mistaken
        if order is None or flagged is None:
            return None
        looks = f"pictures look interlaced, {_NAMES[order]} field first ({self._looks[order]} of {self._looks.total()})"
        return (
            f"{looks}, but are {'not flagged so' if flagged == 'progressive' else f'flagged {_NAMES[flagged]} first'}"
        )

    @property
    def remedy(self) -> tuple[str, str] | None:
        """The option of `deinterlace`, and its value, for such pictures."""
        order, flagged = self.order, self._mistaken
        if order is None or flagged is None:
            return None
        return ("deint", "all") if flagged == "progressive" else ("parity", order)


def _is_combed(before: av.VideoFrame, picture: av.VideoFrame) -> bool:
    """Whether lines are closer to those of their own field than to their neighbors, where a picture moves."""
    now, last = (_some_columns(shown) for shown in (picture, before))
    if now.shape != last.shape:
        return False
    bits = picture.format.components[0].bits
    moved = np.abs(now - last)[:-2] >= _MOVED << (bits - 8)
    neighbors, same_field = np.abs(now[:-2] - now[1:-1]), np.abs(now[:-2] - now[2:])
    return int(neighbors[moved].sum()) > int(same_field[moved].sum())


def _some_columns(picture: av.VideoFrame) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    kind = np.dtype("<u2" if picture.format.components[0].bits > 8 else "u1")
    luma = plane_view(picture.planes[0], (picture.height, picture.width), kind)
    return luma[:, :: max(1, picture.width // _COMBED_COLUMNS)].astype(np.int32)
