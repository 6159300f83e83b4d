"""Time that goes on where a file's time stamps start again or jump, as in transport streams that were joined."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
from av.container import InputContainer

_JITTER_S = Fraction(1, 5)
"""How far decoding times may fall back without a new start."""

_JUMP_S = 10
"""How far they may jump without one where the clock may be another."""

_DISCONTINUOUS = 0x200
"""FFmpeg's AVFMT_TS_DISCONT."""

_MOST_WAITING = 500
"""Packets of other streams that may come before the video starts again, too; then they alone have started again."""


@dataclass
class _StreamTime:
    """Where one stream is: the part of the file, and the decoding time that is due, before anything is moved.

    own_s: what this stream alone was moved by. fall_s: how far it fell back at its last new start, negative for a jump.
    """

    part: int = 0
    due_s: Fraction | None = None
    own_s: Fraction = Fraction(0)
    fall_s: Fraction = Fraction(0)


def clock_may_jump(container: InputContainer) -> bool:
    """Whether time stamps of a container are those of a clock that broadcasters may replace by another."""
    return bool(container.format.flags & _DISCONTINUOUS)


def heard(container: InputContainer) -> list[av.stream.Stream]:
    """What tells a new clock from a picture that stands: sound that goes on, or does not."""
    return list(container.streams.audio) if clock_may_jump(container) else []


class ContinuousTime:
    """Moves the packets of a container whose parts each have times of their own.

    The first frame of a part follows the last frame of the one before it; all other streams are moved by as much as the
    video, so that they keep their distance to it. The video is the stream of index ``leader``. With ``jumps`` a part
    also begins where video and sound jump ahead; a picture that stands while sound goes on is none.
    """

    def __init__(self, leader: int, jumps: bool) -> None:
        self._leader, self._jumps = leader, jumps
        self._offsets_s = [Fraction(0)]
        self._places_B: list[int] = []
        self._streams: dict[int, _StreamTime] = {}

    @property
    def starts(self) -> int:
        """How often time stamps have started again so far."""
        return len(self._offsets_s) - 1

    def moved(self, packets: Iterable[av.Packet[Any]]) -> Iterator[av.Packet[Any]]:
        """The packets, moved; those of a new part wait until the video tells by how much."""
        waiting: list[tuple[av.Packet[Any], int]] = []
        for packet in packets:
            starts = self.starts
            part = self._part_of(packet)
            if part > self.starts:
                waiting.append((packet, part))
                if len(waiting) > _MOST_WAITING:
                    yield from self._alone(waiting)
                    waiting = []
                continue
            if self.starts > starts:
                yield from (self._with_video(p, its) for p, its in waiting if its <= self.starts)
                waiting = [(p, its) for p, its in waiting if its > self.starts]
            if not packet.size:  # they tell the end
                yield from self._alone(waiting)
                waiting = []
            index = packet.stream.index
            for astray in [p for p, _ in waiting if p.stream.index == index]:  # they go where they were due
                yield self._move(astray, part, self._streams[index].fall_s)
            waiting = [(p, its) for p, its in waiting if p.stream.index != index]
            yield self._move(packet, part)
        yield from self._alone(waiting)

    def _with_video(self, packet: av.Packet[Any], part: int) -> av.Packet[Any]:
        """A packet that waited for the video's new part; one that came to another time than that was astray."""
        fall_s = self._streams[packet.stream.index].fall_s
        if self._jumps and abs(fall_s - self._streams[self._leader].fall_s) > _JUMP_S:
            return self._move(packet, part - 1, fall_s)
        return self._move(packet, part)

    def _part_of(self, packet: av.Packet[Any]) -> int:
        """The part that a packet belongs to; the video's next part begins here if it starts again with this packet."""
        stream = self._streams.setdefault(packet.stream.index, _StreamTime())
        leads, before = packet.stream.index == self._leader, stream.part
        if not leads and self.starts:
            stream.part = max(before, self._part_at(packet))
        if packet.dts is None or packet.stream.type not in ("video", "audio"):
            return stream.part
        base_s = packet.time_base or Fraction(0)
        now_s, due_s = packet.dts * base_s, stream.due_s
        stream.due_s = now_s + (packet.duration or 0) * base_s
        if due_s is None or stream.part != before:
            return stream.part
        if not leads and self._jumps and abs(now_s - due_s) > _JUMP_S and self._is_beside_video(now_s):
            stream.part = min(stream.part, self.starts)  # back where it belongs, or silent for a while
            return stream.part
        jumps = self._jumps and now_s - due_s > _JUMP_S and not (leads and self._sound_goes_on(due_s, now_s))
        if jumps or due_s - now_s > _JITTER_S:
            stream.part, stream.fall_s = before + 1, due_s - now_s
            if leads:
                self._offsets_s.append(self._offsets_s[-1] + stream.fall_s)
                self._places_B.append(packet.pos or 0)
        return stream.part

    def _is_beside_video(self, now_s: Fraction) -> bool:
        """Whether a time is about that of the latest picture."""
        video = self._streams.get(self._leader)
        return video is not None and video.due_s is not None and abs(now_s - video.due_s) < _JUMP_S / 2

    def _sound_goes_on(self, due_s: Fraction, now_s: Fraction) -> bool:
        """Whether a stream that did not jump is nearer to where the video goes on than to where it stopped."""
        return any(
            stream.part <= self.starts and stream.due_s is not None and stream.due_s - due_s > now_s - stream.due_s
            for index, stream in self._streams.items()
            if index != self._leader
        )

    def _part_at(self, packet: av.Packet[Any]) -> int:
        """The part that a packet lies in by its place in the file: the next part's video may have come before it."""
        if packet.pos is not None:
            return bisect_right(self._places_B, packet.pos)
        return 0 if packet.stream.type in ("video", "audio") else self.starts

    def _alone(self, waiting: Iterable[tuple[av.Packet[Any], int]]) -> Iterator[av.Packet[Any]]:
        """The packets of streams that have started again without the video: they follow what came before them."""
        for packet, _ in waiting:
            stream = self._streams[packet.stream.index]
            if stream.part > self.starts:
                stream.part, stream.own_s = self.starts, stream.own_s + stream.fall_s
            yield self._move(packet, self.starts)

    def _move(self, packet: av.Packet[Any], part: int, astray_s: Fraction = Fraction(0)) -> av.Packet[Any]:
        if self._jumps and packet.pts is not None and packet.dts is not None:
            held_s = abs(packet.pts - packet.dts) * (packet.time_base or Fraction(0))
            if held_s > _JUMP_S:  # no decoder holds pictures back as long: one that is due has a damaged time stamp
                packet.pts = None if packet.stream.type == "video" else packet.dts
        offset_s = self._offsets_s[part] + self._streams[packet.stream.index].own_s + astray_s
        if offset_s and packet.time_base:
            ticks = round(offset_s / packet.time_base)
            packet.pts = None if packet.pts is None else packet.pts + ticks
            packet.dts = None if packet.dts is None else packet.dts + ticks
        return packet
