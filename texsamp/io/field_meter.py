"""Field order by the looks of pictures: FFmpeg's idet asks which field fits the neighboring frames better."""

from __future__ import annotations

from collections import Counter

import av

from texsamp.io.convert import model_of
from texsamp.io.picture_graph import PictureGraph

_HIGHEST_PX = 1152
"""There is no interlaced video with more lines (1080 and padding)."""

_MOST_PICTURES = 300
_ENOUGH = 8
"""Pictures that agree on an order."""

_PROGRESSIVE = 50
"""Pictures without fields, and none with, after which none are expected."""

_NAMES = {"tff": "top", "bff": "bottom"}


class FieldMeter:
    """Measures the first pictures of a stream, as many as it takes."""

    def __init__(self, height_px: int, pix_fmt: str) -> None:
        self._graph = PictureGraph(("idet", ""))
        self._looks: Counter[str] = Counter()
        self._flags: Counter[str] = Counter()
        self._pictures = 0
        self._is_done = not 4 <= height_px <= _HIGHEST_PX or model_of(pix_fmt) == "rgb"

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
            self._looks[measured.metadata.get("lavfi.idet.single.current_frame", "undetermined")] += 1
        is_progressive = self._looks["progressive"] >= _PROGRESSIVE and not self._looks["tff"] + self._looks["bff"]
        self._is_done = is_progressive or self.order is not None or self._pictures == _MOST_PICTURES

    @property
    def note(self) -> str | None:
        """What people should know: pictures that are not what their flags say."""
        order, (flagged, _) = self.order, (self._flags.most_common(1) or [("", 0)])[0]
        if order is None or flagged == order:
            return None
        looks = f"pictures look interlaced, {_NAMES[order]} field first ({self._looks[order]} of {self._looks.total()})"
        if flagged == "progressive":
            return f"{looks}, but are not flagged so: deinterlace=deint=all takes them"
        return f"{looks}, but are flagged {_NAMES[flagged]} field first: deinterlace=parity={order} corrects that"
