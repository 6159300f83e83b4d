"""The encoding side of PyAV: frames into a container, with the rest of the input's container around them."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import av
from av.video.stream import VideoStream

from texsamp.errors import MediaError
from texsamp.io.files.checked_files import CheckedFiles
from texsamp.io.files.ffmpeg_log import captured_log, failure_reason
from texsamp.io.files.output_folder import NUMBER
from texsamp.io.files.piped_file import PipedFile
from texsamp.io.input.reader import VideoReader
from texsamp.io.output.camera_tags import key_list_options
from texsamp.io.output.encode_request import EncodeRequest, choose_codec
from texsamp.io.output.encoded_part import EncodedPart
from texsamp.io.output.encoder_options import encoder_options
from texsamp.io.output.kept_profile import kept_profile, with_profile
from texsamp.io.output.lost_tags import GivenTags, all_lost, lost_tags
from texsamp.io.output.matroska_aspect import AspectInHeader
from texsamp.io.output.plan import READER_LEFT, OutputPlan, stream_fates
from texsamp.io.output.player_defaults import for_common_players
from texsamp.io.output.program_stream import ARRANGED, PicturesApart, PicturesFirst
from texsamp.io.output.rate import counted_origin_s, output_frame_rate
from texsamp.io.output.video_encoder import EncoderSetup, VideoEncoder
from texsamp.io.streams.codecs import CODECS, PROGRAM_STREAMS, VIDEO_FIRST, CodecSettings, ContainerChoice
from texsamp.io.streams.copying import StreamCopy, carried_metadata, describe, shifted_chapters
from texsamp.io.textures.color_profile import PROFILE_LOST
from texsamp.video.frame import Frame


def _odd_size_hint(encoder: VideoEncoder, frame: Frame) -> str:
    """What to do when an encoder refuses a size that its subsampled chroma does not divide; empty for other sizes."""
    form = av.VideoFormat(encoder.pix_fmt, 16, 16)
    odd_columns = frame.width_px % 2 == 1 and form.chroma_width(16) < 16
    if not odd_columns and not (frame.height_px % 2 == 1 and form.chroma_height(16) < 16):
        return ""
    offered = {form.name for form in av.Codec(encoder.codec, "w").video_formats or ()}
    whole = " or --pix-fmt yuv444p" if "yuv444p" in offered else ""
    return f"; use an even size (scale to -2 keeps the aspect){whole}"


_BROADCAST_RATES = tuple(Fraction(n) for n in (24, 25, 30, 50, 60)) + tuple(
    Fraction(n, 1001) for n in (24000, 30000, 60000)
)
"""Frames per second that all codecs and containers of fixed rates take."""


def _rate_hint(encoder: VideoEncoder, refusal: MediaError) -> str:
    """What to do when a frame rate is refused; empty if it was something else."""
    if not re.search(r"frame rate|\bfps\b", str(refusal)):
        return ""
    nearest = min(_BROADCAST_RATES, key=lambda rate: abs(rate - encoder.rate))
    return f"; fps={nearest} as the last filter makes a rate it takes"


class AvSink:
    """Encodes and muxes, to standard output for a path of None; all but the constructor runs on the writer's thread.

    The constructor raises MediaError for a request that cannot be met whatever the frames are.
    """

    def __init__(
        self, path: str | None, where: str, choice: ContainerChoice, request: EncodeRequest, reader: VideoReader | None
    ) -> None:
        self._where, self._choice, self._request, self._reader = where, choice, request, reader
        self._pipe = PipedFile(sys.stdout.fileno()) if path is None else None
        self._path = path or os.devnull
        self._notes: list[str] = []
        self._codec = choose_codec(choice, request, self._notes)
        encoder_options(self._codec, request)
        self._container: av.container.OutputContainer | None = None
        self._encoder: VideoEncoder | None = None
        self._copy: StreamCopy | None = None
        self._given = GivenTags()
        self._aspect: AspectInHeader | None = None
        self._profile: bytes | None = None
        self._files = CheckedFiles()
        self._arranged: PicturesApart | PicturesFirst | None = None
        self._is_joined = False
        self._origin_s = self._video_end_s = Fraction(0)
        self._last_dts: int | None = None
        if reader is not None:
            reader.keep_others()

    @property
    def notes(self) -> list[str]:
        """What people should know."""
        parts = [part.notes for part in (self._encoder, self._copy) if part is not None]
        return [*self._notes, *(text for part in parts for text in part)]

    def write(self, frame: Frame) -> None:
        """Encode a frame in CPU memory. Raises MediaError if its size changes or the encoder fails."""
        if self._encoder is None or self._container is None:
            self._container = self._open()
            self._encoder = self._start(self._container, frame)
        elif self._choice.files == "numbered" and not self._is_sequence:
            stem, extension = os.path.splitext(self._where)
            raise MediaError(f"{self._where}: names one picture, and there are more: write {stem}_%04d{extension}")
        packets = self._encode(self._encoder, frame)
        try:
            self._mux(self._container, packets)
        except (av.FFmpegError, OSError) as error:
            raise self._failure("cannot be written", error) from error

    def setup_for(self, first: Frame) -> tuple[EncoderSetup, str | None]:
        """What the encoder of a video that begins so is opened with, and a note on what was chosen for players."""
        reader, request = self._reader, self._request
        codec, request, note = for_common_players(self._choice, self._codec, request, first)
        rate = request.frame_rate or output_frame_rate(first, reader)
        if reader is None:
            return EncoderSetup(self._choice, codec, request, first, rate), note
        stored_as = reader.info.pix_fmt if first.layout is reader.layout else None
        origin_s = reader.origin_s
        if self._choice.constant_rate or CODECS.get(codec, CodecSettings()).constant_rate:
            origin_s = counted_origin_s(origin_s, first, rate)
        return EncoderSetup(self._choice, codec, request, first, rate, origin_s, stored_as), note

    def append(self, first: Frame, part: EncodedPart) -> None:
        """Write what another encoder has made with `setup_for` the ``first`` frame of all; parts come in order.

        Raises MediaError as `write` does, and where a part does not begin after the one before.
        """
        if self._encoder is None or self._container is None:
            self._is_joined = True
            self._container = self._open()
            self._encoder = self._start(self._container, first)
        try:
            self._mux(self._container, self._after_the_last(part))
        except (av.FFmpegError, OSError) as error:
            raise self._failure("cannot be written", error) from error

    def _after_the_last(self, part: EncodedPart) -> Iterable[av.Packet[VideoStream]]:
        """A part's packets, with times of decoding that go on after the part's before."""
        assert self._encoder is not None
        for packet in part.packets():
            packet.stream = self._encoder.stream
            if packet.dts is not None:
                packet.dts = packet.dts if self._last_dts is None else max(packet.dts, self._last_dts + 1)
                if packet.pts is not None and packet.dts > packet.pts:
                    raise self._failure("cannot be joined", MediaError("a part begins before the one before ends"))
                self._last_dts = packet.dts
            yield packet

    def plan(self, frame: Frame) -> OutputPlan:
        """What would be written of a first frame; nothing but `abort` may follow. Raises as `write` does."""
        self._container = self._open(os.devnull if self._pipe is not None else None)
        self._encoder = self._start(self._container, frame)
        fates = self._copy.fates if self._copy is not None else {}
        streams = stream_fates(None if self._reader is None else self._reader.info, fates)
        encoder, size = self._encoder, (frame.width_px, frame.height_px)
        what = (self._choice.muxer, encoder.codec, encoder.pix_fmt)
        return OutputPlan(self._where, *what, *size, encoder.rate, encoder.options, streams)

    def _container_options(self) -> dict[str, str]:
        options, reader = dict(self._choice.options), self._reader
        if reader is not None:
            has_covers = sum(stream.kind == "video" for stream in reader.info.streams) > 1
            keys = key_list_options(self._choice.muxer, carried_metadata(reader.info.metadata), has_covers)
            options |= {name: options.get(name, "") + flags for name, flags in keys.items()}
        return options

    def _open(self, instead: str | None = None) -> av.container.OutputContainer:
        """The output, or a file ``instead`` of it."""
        if self._is_first_pass:
            return av.open(os.devnull, "w", format="null")
        options = self._container_options()
        if self._pipe is not None or instead is not None:
            return av.open(instead or self._pipe, "w", format=self._choice.muxer, container_options=options)
        if self._choice.files == "playlist":
            options["hls_segment_filename"] = f"{os.path.splitext(self._path)[0]}_%05d.ts"
            return av.open(
                f"file:{self._path}",
                "w",
                format=self._choice.muxer,
                container_options=options,
                io_open=self._files.open,
            )
        if self._choice.files == "numbered" and not self._is_sequence:
            options["update"] = "1"
        folder, name = os.path.split(self._path)
        url = os.path.join(folder.replace("%", "%%"), name) if self._is_sequence else self._path
        return av.open(f"file:{url}", "w", format=self._choice.muxer, container_options=options)

    @property
    def _is_sequence(self) -> bool:
        """Whether every frame becomes a file."""
        return self._choice.files == "numbered" and bool(NUMBER.search(os.path.basename(self._path)))

    @property
    def _is_first_pass(self) -> bool:
        """Whether only the encoder's statistics are wanted, and no file."""
        return self._request.pass_log is not None and self._request.pass_log.number == 1

    def _encode(self, encoder: VideoEncoder, frame: Frame) -> list[av.Packet[VideoStream]]:
        try:
            return encoder.encode(frame)
        except MediaError as error:
            raise self._failure("cannot be written", error) from error
        except (av.FFmpegError, OSError) as error:
            raise self._failure(self._cannot_encode(encoder, frame), error) from error

    def _cannot_encode(self, encoder: VideoEncoder, frame: Frame) -> str:
        shape = f"{frame.width_px}x{frame.height_px} {encoder.pix_fmt}"
        return f"{self._codec} cannot encode {shape} into {self._choice.muxer}"

    def _failure(self, what: str, error: Exception, log: Sequence[str] = ()) -> MediaError:
        if self._pipe is not None and isinstance(error, BrokenPipeError):
            return MediaError(f"{self._where}: {READER_LEFT}")
        reason = str(error) if isinstance(error, MediaError) else failure_reason(error, list(log))
        return MediaError(f"{self._where}: {what}: {reason}")

    def _start(self, container: av.container.OutputContainer, frame: Frame) -> VideoEncoder:
        reader = self._reader
        setup, note = self.setup_for(frame)
        self._codec, self._request, self._origin_s = setup.codec, setup.request, setup.origin_s
        if note is not None:
            self._notes.append(note)
        if reader is not None and len(reader.info.streams) > 1 and not self._is_first_pass:
            self._copy = StreamCopy(reader, self._choice.muxer, not self._request.copy_only, setup.origin_s)
        encoder: VideoEncoder | None = None
        templates = self._copy.templates if self._copy is not None else []
        if reader is not None and self._choice.muxer in VIDEO_FIRST:
            video_index = reader.info.video_index
            templates = sorted(templates, key=lambda template: template.index != video_index)
        for template in templates:
            if reader is not None and template.index == reader.info.video_index:
                encoder = VideoEncoder(container, setup)
                describe(encoder.stream, template)
            elif self._copy is not None:
                self._copy.add(container, template)
        encoder = encoder or VideoEncoder(container, setup)
        if self._choice.muxer in PROGRAM_STREAMS:
            arrange = ARRANGED.get(av.Codec(setup.codec, "w").canonical_name)
            self._arranged = None if arrange is None else arrange()
        if reader is not None:
            metadata, chapters = carried_metadata(reader.info.metadata), shifted_chapters(reader)
            container.metadata.update(metadata)
            container.set_chapters(chapters)  # type: ignore[arg-type]
            tags = tuple(dict(s.metadata) for s in container.streams if s.type != "data")
            self._given = GivenTags(metadata, tags, len(chapters), reader.display_matrix is not None)
            self._keep_profile(reader, frame, encoder.pix_fmt)
            if reader.display_matrix is not None:
                encoder.stream.set_display_matrix(reader.display_matrix)
        aspect = frame.sample_aspect if frame.sample_aspect != 1 else None
        self._given = replace(self._given, aspect=aspect)
        self._aspect = AspectInHeader.of(self._choice.muxer, encoder.stream, aspect)
        if self._pipe is not None and self._aspect is not None:
            self._pipe.header = self._aspect.put
        self._write_header(container, encoder, frame)
        return encoder

    def _keep_profile(self, reader: VideoReader, frame: Frame, pix_fmt: str) -> None:
        if self._choice.files == "numbered":
            self._profile = kept_profile(reader, frame, self._codec, pix_fmt)
        if self._profile is None and reader.color_profile is not None:
            self._notes.append(PROFILE_LOST)

    def _write_header(self, container: av.container.OutputContainer, encoder: VideoEncoder, frame: Frame) -> None:
        failure: Exception | None = None
        with captured_log(av.logging.ERROR) as log:
            try:
                container.start_encoding()
            except (av.FFmpegError, ValueError, OSError) as error:
                failure = error
        if failure is not None:
            refusal = self._failure(self._cannot_encode(encoder, frame), failure, log)
            hints = f"{_odd_size_hint(encoder, frame)}{_rate_hint(encoder, refusal)}"
            raise MediaError(f"{refusal}{hints}") from failure

    def _mux(self, container: av.container.OutputContainer, packets: Iterable[av.Packet[VideoStream]]) -> None:
        for packet in packets if self._arranged is None else self._arranged.packets(packets):
            self._mux_one(container, packet)

    def _mux_one(self, container: av.container.OutputContainer, packet: av.Packet[VideoStream]) -> None:
        time = packet.dts * packet.time_base if packet.dts is not None else None
        if packet.pts is not None and self._encoder is not None:
            self._video_end_s = max(self._video_end_s, packet.pts * packet.time_base + 1 / self._encoder.rate)
        if self._profile is not None:
            packet = with_profile(packet, self._profile, self._codec)
        container.mux(packet)
        if self._copy is not None and time is not None:
            self._copy.pump(container, time, None)

    def finish(self) -> None:
        """Encode what the encoder holds back, copy what is left of the other streams, and complete the file."""
        if self._container is None or self._encoder is None:
            raise MediaError(f"{self._where}: no frame to write")
        try:
            self._mux(self._container, self._encoder.flush())
            for packet in self._arranged.last() if self._arranged is not None else ():
                self._mux_one(self._container, packet)
            if self._copy is not None and self._reader is not None:
                end_s = None if self._is_joined else self._reader.end_s  # parts are those of a whole file
                self._copy.pump(self._container, None, None if end_s is None else end_s - self._origin_s)
                self._copy.finish(self._container, self._video_end_s)
        except (av.FFmpegError, OSError) as error:
            raise self._failure("cannot be completed", error) from error
        self._close(self._container)
        if self._aspect is not None and self._pipe is None and not self._is_first_pass:
            self._aspect.put_into(self._path)
        if self._arranged is not None and not self._is_first_pass:
            self._notes.extend(self._arranged.notes(self._path))
        if self._choice.files == "numbered":
            self._notes.extend(all_lost(self._given))
        elif not self._is_first_pass:
            written = self._path if self._pipe is None else self._pipe.head()
            self._notes.extend(lost_tags(written, self._choice.muxer, self._given))

    def _close(self, container: av.container.OutputContainer) -> None:
        failure: Exception | None = None
        with captured_log(av.logging.ERROR) as log:
            try:
                container.close()
            except (av.FFmpegError, OSError) as error:
                failure = error
        failure = failure or self._files.failure
        if failure is not None:
            raise self._failure("cannot be completed", failure, log) from failure

    def abort(self) -> None:
        """Release everything; a file that is not finished is worthless."""
        if self._copy is not None:
            self._copy.close()
        if self._container is not None:
            with contextlib.suppress(av.FFmpegError, OSError, ValueError):
                self._container.close()
        self._notes = self.notes
        self._encoder = self._copy = self._container = None  # encoders write what they learned when they are freed
