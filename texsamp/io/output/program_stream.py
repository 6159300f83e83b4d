"""Video packets for MPEG program streams, whose time stamps belong to the first picture that begins in a packet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

import av
from av.video.stream import VideoStream

from texsamp.io.input.container import TAGS_ONLY, open_container

_PACK_B = 2048
"""Bytes of a pack, which has one packet of video and one time stamp."""

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

    def notes(self, path: str) -> list[str]:
        """Readers know the times that are missing."""
        return []


class PicturesApart:
    """Packets of H.264 or HEVC, filled up with the zeros that may follow a picture (trailing_zero_8bits of both).

    Of the pictures that begin in one pack only the first would have a time stamp. Readers know the others' times of
    MPEG-1 and MPEG-2 by the frame rate alone.
    """

    def packets(self, packets: Iterable[av.Packet[VideoStream]]) -> Iterator[av.Packet[VideoStream]]:
        """The packets, none smaller than a pack."""
        for packet in packets:
            yield packet if packet.size >= _PACK_B else _with_data(packet, bytes(packet).ljust(_PACK_B, b"\0"))

    def last(self) -> Iterator[av.Packet[VideoStream]]:
        """None waits."""
        return iter(())

    def notes(self, path: str) -> list[str]:
        """What people should know of the finished file: FFmpeg has no time for what begins in a pack's last bytes."""
        with open_container(path, TAGS_ONLY) as container:
            sizes = [(packet.pts, packet.size) for packet in container.demux(video=0)]
        untimed, pictures = sum(pts is None and size > 0 for pts, size in sizes), sum(size > 0 for _, size in sizes)
        if not untimed:
            return []
        return [f"{untimed} of {pictures} pictures have no time in a program stream: readers go by the frame rate"]


ARRANGED: dict[str, Callable[[], PicturesApart | PicturesFirst]] = {
    "mpeg1video": PicturesFirst,
    "mpeg2video": PicturesFirst,
    "h264": PicturesApart,
    "hevc": PicturesApart,
}
"""What is to be done with the packets of a codec."""


def _with_data(packet: av.Packet[VideoStream], data: bytes) -> av.Packet[VideoStream]:
    made = cast("av.Packet[VideoStream]", av.Packet(data))
    made.stream, made.time_base = packet.stream, packet.time_base
    made.pts, made.dts, made.duration = packet.pts, packet.dts, packet.duration
    made.is_keyframe = packet.is_keyframe
    return made
