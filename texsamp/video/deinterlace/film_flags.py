"""Which frames film mode judges, and in which order of fields: encoders flag what they will (ours; docs/film.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from texsamp.video.deinterlace.planned_frame import PlannedFrame

REACH = 24
"""Frames on either side of one that is interlaced which are judged with it: a reader needs as many to tell by looks.

An order that the flags tell for fewer frames in a row does not hold: by Euro pulldown it is 12 of 25.
"""


@dataclass(frozen=True, eq=False)
class JudgedFrame:
    """A frame, whether film mode is to judge it, and the parity of the first fields of those around it.

    ``by_looks`` says that it looks interlaced and nothing in the stream is flagged, ``mixed`` that flags of frames
    around it tell both orders.
    """

    planned: PlannedFrame
    judged: bool
    by_looks: bool = False
    first_parity: int = 0
    mixed: bool = False


class FilmFlags:
    """Frames in; the same frames out in their order, and what their flags and those around them are taken for.

    None waits while all are interlaced in one order. One that is not waits for one that is, beyond ``REACH`` behind the
    last of these. One of another order waits until that has held for as long, or the last one comes back.
    """

    def __init__(self) -> None:
        self._parity = 0
        self._flagged = False
        self._restart()

    def _restart(self) -> None:
        self._waiting: list[PlannedFrame] = []
        self._progressive = REACH + 1
        self._turned = 0
        self._mixed = False
        self._known = False

    def feed(self, frame: PlannedFrame) -> Iterator[JudgedFrame]:
        """The next frame; yields those that are known now."""
        self._flagged |= frame.interlaced
        if not (frame.interlaced or self._is_by_looks(frame)):
            yield from self._progressive_one(frame)
            return
        self._progressive = 0
        turns = frame.has_order and self._known and not self._mixed and frame.first_parity != self._parity
        self._waiting.append(frame)
        self._turned += turns
        if turns and self._turned < REACH:
            return
        if turns:
            yield from self._believed()
        else:
            self._mixed |= self._turned > 0
            self._turned = 0
            if frame.has_order and not self._known:
                self._parity, self._known = frame.first_parity, True
            yield from self._released(len(self._waiting))

    def finish(self) -> Iterator[JudgedFrame]:
        """No frame of the same stream follows."""
        yield from self._settled()
        self._restart()

    def _progressive_one(self, frame: PlannedFrame) -> Iterator[JudgedFrame]:
        """One that neither is nor looks interlaced. One that is shown for longer than two fields is no telecine's."""
        if frame.given.repeat_fields:
            yield from self.finish()
            yield JudgedFrame(frame, False)
            return
        self._progressive += 1
        if self._progressive > REACH and self._turned:
            yield from self._believed()
        self._waiting.append(frame)
        if self._progressive <= REACH and not self._turned:
            yield from self._released(1)
        elif len(self._waiting) > REACH and not self._turned:
            yield JudgedFrame(self._waiting.pop(0), False)

    def _settled(self) -> Iterator[JudgedFrame]:
        """All that wait: for an order that held for too short a time to tell, or for frames that are interlaced."""
        if self._turned:
            yield from self._believed()
        yield from (JudgedFrame(frame, False) for frame in self._waiting)
        self._waiting = []

    def _believed(self) -> Iterator[JudgedFrame]:
        """Those that wait from the first one of the other order on, in that."""
        self._parity, self._turned = 1 - self._parity, 0
        yield from self._released(len(self._waiting))

    def _released(self, count: int) -> Iterator[JudgedFrame]:
        released, self._waiting = self._waiting[:count], self._waiting[count:]
        for frame in released:
            own = frame if frame.has_order else replace(frame, first_parity=self._parity)
            yield JudgedFrame(own, True, self._is_by_looks(frame), self._parity, self._mixed)

    def _is_by_looks(self, frame: PlannedFrame) -> bool:
        """Whether the reader measured an order of fields, and no flag says anything: if some do, they say it all."""
        given = frame.given
        return not (self._flagged or given.repeat_fields) and given.top_field_first is not None
