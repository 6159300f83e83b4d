"""Video packets for MPEG program streams, whose time stamps belong to the first picture that begins in a packet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import av
from av.video.stream import VideoStream

_PICTURE = b"\0\0\1\0"
"""The start code of a picture (ISO/IEC 13818-2, 6.2.1)."""


class PicturesFirst:
    """Packets of MPEG-1 or MPEG-2 video that begin with the picture: what stands before it ends the packet before.

    FFmpeg's muxer takes the beginning of a packet for the beginning of the picture. Where it cuts between headers and
    picture, it would give the picture the time of the next one (ISO/IEC 13818-1, 2.4.3.7).
    """

    def __init__(self) -> None:
        self._held: av.Packet[VideoStream] | None = None

    def packets(self, packets: Iterable[av.Packet[VideoStream]]) -> Iterator[av.Packet[VideoStream]]:
        """The packets but for the last one, which waits."""
        for packet in packets:
            held = self._held
            if held is None:
                self._held = packet
                continue
            data = bytes(packet)
            before = max(data.find(_PICTURE), 0)
            self._held = _with_data(packet, data[before:]) if before else packet
            yield _with_data(held, bytes(held) + data[:before]) if before else held

    def last(self) -> Iterator[av.Packet[VideoStream]]:
        """The packet that waits."""
        if self._held is not None:
            yield self._held
        self._held = None


def _with_data(packet: av.Packet[VideoStream], data: bytes) -> av.Packet[VideoStream]:
    made = cast("av.Packet[VideoStream]", av.Packet(data))
    made.stream, made.time_base = packet.stream, packet.time_base
    made.pts, made.dts, made.duration = packet.pts, packet.dts, packet.duration
    made.is_keyframe = packet.is_keyframe
    return made
