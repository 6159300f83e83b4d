"""The streams of a container that are not processed, carried over: audio, subtitles, attachments and more."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import av
from av.audio.codeccontext import AudioCodecContext
from av.audio.stream import AudioStream
from av.stream import Stream

from texsamp.io.input.av_source import OVERRUN_S
from texsamp.io.input.container import codec_of, is_cover
from texsamp.io.input.reader import VideoReader
from texsamp.io.streams.codecs import (
    ATTACHMENT_MUXERS,
    COVER_MUXERS,
    DATA_MUXERS,
    HELD_STREAMS,
    LACKS_NO_SOUND,
    PLAYED_ON,
    TIMECODE_MUXERS,
    TRIAL_MUXERS,
    VIDEO_FIRST,
)
from texsamp.io.streams.conversion import StreamConverter, converter_for, long_packet_s
from texsamp.io.streams.other_packets import OtherPackets
from texsamp.io.streams.unbroken_sound import UnbrokenSound

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
    describe(stream, template)
    return stream


def add_any_video(container: av.container.OutputContainer) -> None:
    """A video stream that every muxer takes."""
    stream = container.add_stream("mpeg2video", rate=25)
    stream.width, stream.height, stream.pix_fmt = 720, 576, "yuv420p"


def describe(stream: Stream, template: Stream) -> None:
    """Say of a stream what the input says of its own: disposition, language, title and other tags."""
    stream.disposition = template.disposition
    stream.metadata.update(carried_metadata(dict(template.metadata)))


def muxer_holds(muxer: str, template: Stream) -> bool:
    """Whether a container can hold a stream: some say it only when their header is written."""
    if is_cover(template) and muxer not in COVER_MUXERS:
        return False
    if template.type == "data" and muxer not in DATA_MUXERS:
        return False
    if template.type == "attachment" and muxer not in ATTACHMENT_MUXERS:
        return False
    if muxer in HELD_STREAMS and codec_of(template) not in HELD_STREAMS[muxer]:
        return False
    return muxer_takes(muxer, lambda trial: _add(trial, template) is not None)


def muxer_takes(muxer: str, add: Callable[[av.container.OutputContainer], bool]) -> bool:
    """Whether a container takes the header with a stream that ``add`` makes, if it makes one."""
    container = av.open(io.BytesIO(), "w", format=TRIAL_MUXERS.get(muxer, muxer))
    try:
        if muxer in VIDEO_FIRST:
            add_any_video(container)
        if not add(container):
            return False
        container.start_encoding()
    except (ValueError, av.FFmpegError, MemoryError):
        return False
    finally:
        with contextlib.suppress(ValueError, av.FFmpegError):
            container.close()  # an empty file may be refused; the header was what mattered
    return True


class StreamCopy:
    """The other streams of a reader's input, copied packet by packet; the input's time ``origin_s`` becomes zero."""

    def __init__(self, reader: VideoReader, muxer: str, converts: bool, origin_s: Fraction) -> None:
        self._converts = converts
        self._converters: dict[int, StreamConverter] = {}
        self.notes: list[str] = []
        self.fates: dict[int, str] = {}
        self._muxer = muxer
        self._source = OtherPackets(reader, origin_s)
        self._length_s = reader.info.duration_s
        self._has_chapters = bool(reader.info.chapters)
        self._streams: dict[int, Stream] = {}
        self._unbroken: dict[int, UnbrokenSound] = {}
        self._waiting: tuple[av.Packet[Any], Fraction] | None = None
        self._pictures_ended = False
        self._refused = 0

    @property
    def templates(self) -> list[Stream]:
        """The input's streams in order, the processed video among them."""
        return self._source.templates

    def add(self, container: av.container.OutputContainer, template: Stream) -> None:
        """Add one stream to the output, or note why it is dropped; ``fates`` tells for each what becomes of it."""
        self.fates[template.index] = "copied"
        too_long_s = long_packet_s(self._muxer, template) if self._converts else None
        if is_cover(template) and self._muxer == "matroska":
            self._attach_cover(container, template)
        elif template.type == "data" and self._is_carried_otherwise(template):
            return
        elif too_long_s is None and muxer_holds(self._muxer, template):
            stream = self._streams[template.index] = _add(container, template)
            self._play_on(template.index, stream)
            if _must_guess_layout(self._muxer, template):
                layout = cast(AudioStream, stream).codec_context.layout.name
                self.notes.append(f"audio stream {template.index} does not name its channels: {layout} is written")
        else:
            language = template.metadata.get("language", "und")
            what = codec_of(template) + (f", {language}" if language != "und" else "")
            converter = self._converter(container, template) if self._converts else None
            fate = self.fates[template.index] = "dropped" if converter is None else f"converted to {converter.codec}"
            why = f"{self._muxer} cannot hold it"
            if too_long_s is not None:
                why = f"{self._muxer} cannot put packets of {round(too_long_s * 1000)} ms in their place"
            self.notes.append(f"{template.type} stream {template.index} ({what}) is {fate}: {why}")

    def _converter(self, container: av.container.OutputContainer, template: Stream) -> StreamConverter | None:
        if not muxer_takes(self._muxer, lambda trial: converter_for(trial, self._muxer, template) is not None):
            return None
        converter = converter_for(container, self._muxer, template)
        if converter is not None:
            describe(converter.stream, template)
            self._converters[template.index] = converter
            self._play_on(template.index, converter.stream)
        return converter

    def _play_on(self, index: int, stream: Stream) -> None:
        if self._muxer in PLAYED_ON and isinstance(stream, AudioStream):
            self._unbroken[index] = UnbrokenSound(stream, self._muxer)

    def _is_carried_otherwise(self, template: Stream) -> bool:
        """Chapter titles travel as chapters, and a time code track as the tag that it also is."""
        timecode = "timecode" in template.metadata and self._muxer in TIMECODE_MUXERS
        return timecode or (self._has_chapters and codec_of(template) == "bin_data")

    def _attach_cover(self, container: av.container.OutputContainer, template: Stream) -> None:
        """Matroska keeps covers as attached files, which FFmpeg shows as video streams."""
        kind = codec_of(template).replace("mjpeg", "jpeg")
        data = self._source.cover(template.index)
        if data is None:
            self.notes.append(f"the cover picture of stream {template.index} came too late and is dropped")
            return
        container.add_attachment(
            template.metadata.get("filename", f"cover.{kind.replace('jpeg', 'jpg')}"),
            template.metadata.get("mimetype", f"image/{kind}"),
            data,
        )

    def _is_wanted(self, stream: Stream) -> bool:
        return stream.index in self._streams or stream.index in self._converters

    def pump(self, container: av.container.OutputContainer, until_s: Fraction | None, end_s: Fraction | None) -> None:
        """Copy the packets that begin before ``until_s`` (None: all there are) and before ``end_s`` (None: no end)."""
        self._pictures_ended = until_s is None
        while True:
            item = self._waiting or self._source.next(self._is_wanted, wait=until_s is None)
            self._waiting = None
            if item is None:
                return
            packet, time = item
            if until_s is not None and time >= until_s:
                self._waiting = item
                return
            if end_s is not None and time >= end_s + OVERRUN_S:
                return
            if end_s is None or time < end_s:
                self._mux(container, packet, time)

    def _mux(self, container: av.container.OutputContainer, packet: av.Packet[Any], time_s: Fraction) -> None:
        index = packet.stream.index
        if self._muxer == "mp4" and packet.stream.type == "subtitle" and not packet.duration and self._length_s:
            packet.duration = max(1, round((self._length_s - time_s) / packet.time_base))  # else players hide the last
        converter = self._converters.get(index)
        if converter is None:
            packet.stream = self._streams[index]
        try:
            for made in [packet] if converter is None else converter.convert(packet):
                container.mux(self._whole(index, made))
        except ValueError:
            self._refused += 1

    def _whole(self, index: int, packet: av.Packet[Any]) -> list[av.Packet[Any]]:
        """A packet and what is to be put before it."""
        unbroken = self._unbroken.get(index)
        if unbroken is None:
            return [packet]
        return list(unbroken.packets(packet, OVERRUN_S if self._pictures_ended else None))

    def finish(self, container: av.container.OutputContainer, end_s: Fraction) -> None:
        """Write what converters hold back, after the last packet, and what is missing up to the pictures' end."""
        for index, converter in self._converters.items():
            for packet in converter.flush():
                container.mux(self._whole(index, packet))
        for sound in self._unbroken.values() if self._muxer in LACKS_NO_SOUND else ():
            for packet in sound.up_to(end_s):
                container.mux(packet)

    def close(self) -> None:
        """Release the input."""
        self._source.close()
        self.notes.extend(self._source.notes)
        for sound in self._unbroken.values():
            self.notes.extend(sound.notes)
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
