"""The streams of a container that are not processed, carried over unchanged: audio, subtitles, attachments and more."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, cast

import av
from av.audio.codeccontext import AudioCodecContext
from av.audio.stream import AudioStream
from av.stream import Stream

from texsamp.io.av_source import codec_of, is_cover, open_container
from texsamp.io.codecs import COVER_MUXERS, DATA_MUXERS, MPEGTS_STREAMS, TIMECODE_MUXERS
from texsamp.io.continuous_time import ContinuousTime
from texsamp.io.reader import VideoReader

_SEEK_MARGIN_S = 5
"""How far before a cut to begin looking for packets that reach into it."""

_OVERRUN_S = 10
"""How far past a cut to look for late packets of a stream: no container interleaves more loosely."""

TECHNICAL_TAGS = frozenset(
    "encoder software major_brand minor_version compatible_brands handler_name vendor_id duration bps number_of_frames "
    "number_of_bytes _statistics_writing_app _statistics_writing_date_utc _statistics_tags".split()
)
"""Metadata that describes the old file and would be wrong in the new one."""


def carried_metadata(metadata: dict[str, str]) -> dict[str, str]:
    """The metadata that stays true of the new file."""
    return {
        key: value
        for key, value in metadata.items()
        if key.lower() not in TECHNICAL_TAGS and key.lower().rpartition("-")[0] not in TECHNICAL_TAGS
    }


def _must_guess_layout(muxer: str, template: Stream) -> bool:
    """Whether a stream is PCM that does not say which channels it has, for a muxer that fails at its end for that."""
    if muxer != "mp4" or not isinstance(template, AudioStream) or not codec_of(template).startswith("pcm_"):
        return False
    return template.codec_context.layout.name.endswith(" channels")


def _add(container: av.container.OutputContainer, template: Stream) -> Stream:
    stream = container.add_stream_from_template(template, opaque=True)
    if _must_guess_layout(container.format.name, template):
        context = cast(AudioCodecContext, stream.codec_context)
        context.layout = f"{context.channels}c"  # FFmpeg's usual layout of so many channels; ValueError without one
    stream.disposition = template.disposition
    stream.metadata.update(carried_metadata(dict(template.metadata)))
    return stream


def muxer_holds(muxer: str, template: Stream) -> bool:
    """Whether a container can hold a stream: some say it only when their header is written."""
    if is_cover(template) and muxer not in COVER_MUXERS:
        return False
    if template.type == "data" and muxer not in DATA_MUXERS:
        return False
    if muxer == "mpegts" and codec_of(template) not in MPEGTS_STREAMS:
        return False
    container = av.open(io.BytesIO(), "w", format=muxer)
    try:
        _add(container, template)
        container.start_encoding()
    except (ValueError, av.FFmpegError, MemoryError):
        return False
    finally:
        with contextlib.suppress(ValueError, av.FFmpegError):
            container.close()  # an empty file may be refused; the header was what mattered
    return True


class StreamCopy:
    """The other streams of a reader's input, opened a second time and copied packet by packet.

    Times are moved so that the reader's origin becomes zero; what lies outside the reader's cut is left out.
    """

    def __init__(self, reader: VideoReader, muxer: str) -> None:
        self.notes: list[str] = []
        self._muxer = muxer
        self._origin_s = reader.origin_s
        self._container = open_container(reader.path)
        self._video_index = reader.info.video_index
        self._has_chapters = bool(reader.info.chapters)
        self._streams: dict[int, Stream] = {}
        self._packets: Iterator[tuple[av.Packet[Any], Fraction]] | None = None
        self._waiting: tuple[av.Packet[Any], Fraction] | None = None
        self._refused = 0
        self._cut_start = reader.origin_s > max(reader.info.start_s, Fraction(0))

    @property
    def templates(self) -> list[Stream]:
        """The input's streams in order, the processed video among them."""
        return list(self._container.streams)

    def add(self, container: av.container.OutputContainer, template: Stream) -> None:
        """Add one stream to the output, or note why it is dropped."""
        if is_cover(template) and self._muxer == "matroska":
            self._attach_cover(container, template)
        elif template.type == "data" and self._is_carried_otherwise(template):
            return
        elif muxer_holds(self._muxer, template):
            stream = self._streams[template.index] = _add(container, template)
            if _must_guess_layout(self._muxer, template):
                layout = cast(AudioStream, stream).codec_context.layout.name
                self.notes.append(f"audio stream {template.index} does not name its channels: {layout} is written")
        else:
            language = template.metadata.get("language", "und")
            what = codec_of(template) + (f", {language}" if language != "und" else "")
            self.notes.append(
                f"{template.type} stream {template.index} ({what}) is dropped: {self._muxer} cannot hold it"
            )

    def _is_carried_otherwise(self, template: Stream) -> bool:
        """Chapter titles travel as chapters, and a time code track as the tag that it also is."""
        timecode = "timecode" in template.metadata and self._muxer in TIMECODE_MUXERS
        return timecode or (self._has_chapters and codec_of(template) == "bin_data")

    def _attach_cover(self, container: av.container.OutputContainer, template: Stream) -> None:
        """Matroska keeps covers as attached files, which FFmpeg shows as video streams."""
        kind = codec_of(template).replace("mjpeg", "jpeg")
        with open_container(self._container.name.removeprefix("file:")) as source:
            packet = next(p for p in source.demux(source.streams[template.index]))
            data = bytes(packet)
        container.add_attachment(
            template.metadata.get("filename", f"cover.{kind.replace('jpeg', 'jpg')}"),
            template.metadata.get("mimetype", f"image/{kind}"),
            data,
        )

    def _read(self) -> Iterator[tuple[av.Packet[Any], Fraction]]:
        """Packets to copy and their time in the output."""
        wanted = [s for s in self._container.streams if s.index in self._streams and s.type != "attachment"]
        if not wanted:
            return
        if self._cut_start:
            start_s = max(self._origin_s - _SEEK_MARGIN_S, Fraction(0))
            with contextlib.suppress(av.FFmpegError, OSError):  # then all packets before the cut are read and left out
                self._container.seek(int(start_s * av.time_base))
        times = {stream.index: ContinuousTime() for stream in wanted}
        for packet in self._container.demux(wanted):
            if packet.size and not is_cover(packet.stream):
                times[packet.stream.index].move(packet)
            stamp = packet.pts if packet.pts is not None else packet.dts
            if packet.size and is_cover(packet.stream):
                packet.pts = packet.dts = 0
                yield packet, Fraction(0)
            elif packet.size and stamp is not None:
                time = stamp * packet.time_base - self._origin_s
                if self._shift(packet, time):
                    yield packet, max(time, Fraction(0))

    def _shift(self, packet: av.Packet[Any], time: Fraction) -> bool:
        """Move a packet to the output's time; False if it lies before the cut."""
        base = packet.time_base
        ticks = round(self._origin_s / base)
        if self._cut_start and time < 0:
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

    def pump(self, container: av.container.OutputContainer, until_s: Fraction | None, end_s: Fraction | None) -> None:
        """Copy the packets that begin before ``until_s`` (None: all there are) and before ``end_s`` (None: no end)."""
        if self._packets is None:
            self._packets = self._read()
        while True:
            item = self._waiting or next(self._packets, None)
            self._waiting = None
            if item is None:
                return
            packet, time = item
            if until_s is not None and time >= until_s:
                self._waiting = item
                return
            if end_s is not None and time >= end_s + _OVERRUN_S:
                return
            if end_s is None or time < end_s:
                self._mux(container, packet)

    def _mux(self, container: av.container.OutputContainer, packet: av.Packet[Any]) -> None:
        packet.stream = self._streams[packet.stream.index]
        try:
            container.mux(packet)
        except ValueError:
            self._refused += 1

    def close(self) -> None:
        """Release the input."""
        self._packets = None
        self._container.close()
        if self._refused:
            self.notes.append(f"{self._refused} packets with impossible time stamps were not copied")


def shifted_chapters(reader: VideoReader) -> list[dict[str, Any]]:
    """The input's chapters in the output's time, without those outside the reader's cut."""
    chapters = []
    end_s = reader.planned_end_s
    for chapter in reader.info.chapters:
        base = chapter["time_base"]
        shift = round(reader.origin_s / base)
        last = chapter["end"] if end_s is None else min(chapter["end"], round(end_s / base))
        start, end = max(chapter["start"] - shift, 0), last - shift
        if end > start:
            chapters.append({**chapter, "start": start, "end": end})
    return chapters
