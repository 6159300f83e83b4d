"""Where an input's other streams come from: the file opened once more, or what the reader of a pipe laid aside."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Protocol

import av
from av.stream import Stream

from texsamp.io.frames.channel import Channel
from texsamp.io.input.container import open_container, packets_of
from texsamp.io.input.continuous_time import ContinuousTime, clock_may_jump, heard
from texsamp.io.input.reader import VideoReader

_SEEK_MARGIN_S = 5
"""How far before a cut to begin looking for packets that reach into it."""

_TIMED = "mov,mp4,m4a,3gp,3g2,mj2"
"""The container that tells when each picture is decoded. FFmpeg learns it from the first 20 pictures of others."""

Wanted = Callable[[Stream], bool]
"""Whether the packets of a stream are wanted."""


class OtherStreams(Protocol):
    """The packets of all streams of a reader's input but the video, in an input time that goes on at joints."""

    templates: list[Stream]
    notes: list[str]

    def cover(self, index: int) -> bytes | None:
        """The file that a cover picture is; None if it cannot be found in time."""

    def next(self, wanted: Wanted, wait: bool) -> av.Packet[Any] | None:
        """The next packet; None at the end, and without ``wait`` also if there is none yet."""

    def close(self) -> None:
        """Release what was opened."""


def other_streams(reader: VideoReader, is_cut: bool) -> OtherStreams:
    """Those of a reader's input; what lies far before the reader's origin is left out where it ``is_cut``."""
    return _FileStreams(reader, is_cut) if reader.others is None else _PipeStreams(*reader.others)


class _FileStreams:
    def __init__(self, reader: VideoReader, is_cut: bool) -> None:
        self.notes: list[str] = []
        self._path, self._video_index = reader.path, reader.info.video_index
        self._start_s = max(reader.origin_s - _SEEK_MARGIN_S, min(reader.info.start_s, Fraction(0))) if is_cut else None
        skipped = [{"skip_frame": "all"} if s.index == self._video_index else {} for s in reader.info.streams]
        self._container = open_container(
            reader.path, stream_options=skipped if reader.info.container == _TIMED else None
        )
        self.templates = list(self._container.streams)
        self._packets: Iterator[av.Packet[Any]] | None = None

    def cover(self, index: int) -> bytes | None:
        with open_container(self._path) as source:
            return bytes(next(source.demux(source.streams[index])))

    def next(self, wanted: Wanted, wait: bool) -> av.Packet[Any] | None:
        if self._packets is None:
            self._packets = self._read([s for s in self.templates if wanted(s) and s.type != "attachment"])
        return next(self._packets, None)

    def _read(self, streams: list[Stream]) -> Iterator[av.Packet[Any]]:
        if not streams:
            return
        if self._start_s is not None:
            with contextlib.suppress(av.FFmpegError, OSError):  # then all packets before the cut are read and left out
                self._container.seek(int(self._start_s * av.time_base))
        time = ContinuousTime(self._video_index, clock_may_jump(self._container))
        told = [self.templates[self._video_index], *heard(self._container)]  # they tell how far the others are moved
        read = {stream.index: stream for stream in (*streams, *told)}
        wanted = {stream.index for stream in streams} - {self._video_index}
        for packet in time.moved(packets_of(self._container, *read.values())):
            if packet.size and packet.stream.index in wanted:
                yield packet

    def close(self) -> None:
        self._packets = None
        self._container.close()


class _PipeStreams:
    def __init__(self, templates: list[Stream], packets: Channel[av.Packet[Any]]) -> None:
        late = "frames were taken from the pipe before there was an output: other streams are missing"
        self.notes = [late] if packets.closed else []
        self.templates = templates
        self._packets = packets
        self._early: deque[av.Packet[Any]] = deque()

    def cover(self, index: int) -> bytes | None:
        while (packet := self._packets.poll()) is not None:
            self._early.append(packet)
        return next((bytes(packet) for packet in self._early if packet.stream.index == index), None)

    def next(self, wanted: Wanted, wait: bool) -> av.Packet[Any] | None:
        while True:
            take = self._packets.get if wait else self._packets.poll
            packet = self._early.popleft() if self._early else take()
            if packet is None or wanted(packet.stream):
                return packet

    def close(self) -> None:
        self._packets.close()
