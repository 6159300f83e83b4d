"""The packets of an input's other streams, in the time of the output: what is carried over beside the video."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any

import av
from av.stream import Stream

from texsamp.io.input.container import codec_of, is_cover
from texsamp.io.input.reader import VideoReader
from texsamp.io.streams.lead_in import LeadIn
from texsamp.io.streams.other_streams import Wanted, other_streams
from texsamp.io.streams.subpictures import CODEC, shown_s


class OtherPackets:
    """The packets of a reader's input but the video's.

    Times are moved so that the input's time ``origin_s`` becomes zero; what lies before the reader's cut is left out.
    """

    def __init__(self, reader: VideoReader, origin_s: Fraction) -> None:
        self._reader = reader
        self._origin_s = origin_s
        self._is_cut = reader.origin_s > reader.info.whole_from_s(reader.origin_s)
        self._source = other_streams(reader, self._is_cut)
        self._seams: dict[int, _Seam] = {}
        self._overlapping = 0
        self._lead_in = LeadIn()
        self._led: deque[av.Packet[Any]] = deque()

    @property
    def templates(self) -> list[Stream]:
        """The input's streams in order, the processed video among them."""
        return self._source.templates

    @property
    def notes(self) -> list[str]:
        """What people should know."""
        left_out = [f"{self._overlapping} packets of sound at joints were left out"] if self._overlapping else []
        return [*self._source.notes, *left_out]

    def cover(self, index: int) -> bytes | None:
        """The file that a cover picture is; None if it does not come first in a pipe."""
        return self._source.cover(index)

    def next(self, wanted: Wanted, wait: bool) -> tuple[av.Packet[Any], Fraction] | None:
        """The next packet and its time in the output; None at the end, and without ``wait`` if a pipe has none yet."""
        while (packet := self._next(wanted, wait and self._reader.ended)) is not None:
            time_s = self._place(packet)
            if time_s is not None:
                return packet, time_s
        return None

    def _next(self, wanted: Wanted, wait: bool) -> av.Packet[Any] | None:
        while not self._led:
            packet = self._source.next(wanted, wait)
            if packet is None:
                return None
            self._led.extend(self._lead_in.packets(packet))
        return self._led.popleft()

    def _place(self, packet: av.Packet[Any]) -> Fraction | None:
        """Move a packet to the output's time, and tell that; None for one that is left out."""
        if is_cover(packet.stream):
            packet.pts = packet.dts = 0
            return Fraction(0)
        stamp = packet.pts if packet.pts is not None else packet.dts
        if stamp is None:
            return None
        if not packet.duration and codec_of(packet.stream) == CODEC:
            packet.duration = round((shown_s(bytes(packet)) or 0) / packet.time_base)
        time_s = stamp * packet.time_base - self._origin_s
        if not self._shift(packet, time_s) or self._overlaps(packet, time_s):
            return None
        return max(time_s, Fraction(0))

    def _overlaps(self, packet: av.Packet[Any], time_s: Fraction) -> bool:
        """Whether a packet repeats time that the sound before a joint has filled already."""
        if packet.stream.type != "audio":
            return False
        seam = self._seams.setdefault(packet.stream.index, _Seam())
        overlaps = seam.overlaps(time_s, (packet.duration or 0) * packet.time_base, self._reader.joints > 0)
        self._overlapping += overlaps
        return overlaps

    def _shift(self, packet: av.Packet[Any], time: Fraction) -> bool:
        """Move a packet to the output's time; False if it lies before the cut."""
        base = packet.time_base
        ticks = round(self._origin_s / base)
        if self._is_cut and time < 0:
            if packet.stream.type != "subtitle" or time + (packet.duration or 0) * base <= 0:
                return False
            packet.duration = max(1, int((packet.duration or 0) + time / base))
            packet.pts = packet.dts = 0
            return True
        if packet.pts is not None:
            packet.pts -= ticks
        if packet.dts is not None:
            packet.dts -= ticks
        return True

    def close(self) -> None:
        """Release the input."""
        self._source.close()


class _Seam:
    """How far the sound of one stream reaches when it is played without heed of times, as many players do."""

    def __init__(self) -> None:
        self._end_s: Fraction | None = None

    def overlaps(self, time_s: Fraction, length_s: Fraction, is_joined: bool) -> bool:
        """Whether more than half of the next packet has been played already, in a joined file."""
        end_s = self._end_s
        if is_joined and end_s is not None and time_s + length_s / 2 < end_s:
            return True
        is_next = end_s is not None and abs(time_s - end_s) < length_s
        self._end_s = (end_s if is_next and end_s is not None else time_s) + length_s
        return False
