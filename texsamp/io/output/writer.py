"""Video files and pipes out: encoded behind the caller, on another thread, and complete or not there at all."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Unpack

from texsamp.device import CudaDevice
from texsamp.device.arguments import check_kind, path_text
from texsamp.errors import MediaError, StateError, TexsampError
from texsamp.io.files.output_file import OutputFile
from texsamp.io.files.output_folder import NUMBER, OutputFolder, numbered_names, segment_names
from texsamp.io.frames.channel import Channel
from texsamp.io.input.hardware_decoder import HwAccelChoice, check_hwaccel
from texsamp.io.input.reader import VideoReader
from texsamp.io.output.av_sink import AvSink
from texsamp.io.output.encode_request import EncodeOptions, EncodeRequest, PassLog
from texsamp.io.output.encoded_part import EncodedPart
from texsamp.io.output.hardware_encoder import NVENC
from texsamp.io.output.plan import OutputPlan
from texsamp.io.output.rate import exact_rate
from texsamp.io.output.video_encoder import EncoderSetup
from texsamp.io.output.y4m_sink import Y4mSink
from texsamp.io.streams.codecs import CONTAINERS, PIPE_CONTAINERS, ContainerChoice
from texsamp.video.frame import Frame, check_frame

QUEUE_FRAMES = 4
"""Frames waiting for the encoder."""

_JOIN_S = 2.0

STANDARD_OUTPUT = "standard output"


def is_y4m(path: str) -> bool:
    """Whether a file name means y4m."""
    return Path(path).suffix.lower() == ".y4m"


def container_of(path: str) -> ContainerChoice:
    """The container a file name means. Raises MediaError for unknown extensions."""
    extension = Path(path).suffix.lower()
    try:
        return CONTAINERS[extension]
    except KeyError:
        known = " ".join([*CONTAINERS, ".y4m"])
        found = f"its extension {extension!r} is that of none" if extension else "it has no extension"
        raise MediaError(f"{path}: the name says the container, but {found}: use one of {known}") from None


def container_of_pipe(path: str, request: EncodeRequest) -> ContainerChoice | None:
    """What goes to standard output, None for y4m. Raises StateError for a word that names none, and for files."""
    word = request.format
    if word is None or (path == "-" and word == "y4m"):
        return None
    if path != "-":
        raise StateError(f"format {word!r} is for standard output: the name of a file says its container, found {path}")
    if word not in PIPE_CONTAINERS:
        raise StateError(f"format must be one of y4m {' '.join(PIPE_CONTAINERS)}, found {word!r}")
    return PIPE_CONTAINERS[word]


class _Outcome:
    """What the encoding thread leaves behind."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.complete = False


_Work = Callable[[AvSink | Y4mSink], None]
"""What is to be done with the sink, on its thread."""


def _encode(sink: AvSink | Y4mSink, channel: Channel[_Work], outcome: _Outcome, where: str) -> None:
    """The encoding thread. It holds no reference to the writer, so that a forgotten writer can be collected."""
    try:
        while (work := channel.get()) is not None:
            work(sink)
        if not channel.closed:
            sink.finish()
            outcome.complete = True
    except TexsampError as error:
        outcome.error = error
    except Exception as error:
        outcome.error = MediaError(f"{where}: cannot be written: {error}")
        outcome.error.__cause__ = error
    finally:
        sink.abort()
        channel.close()


class VideoWriter:
    """Frames into a video file (container and codec by its extension), or for the path "-" standard output.

    That is y4m, unless ``format`` names a container that can be written to a pipe.

    ``reader`` is the template: its audio, subtitle, attachment and data streams, metadata, chapters, rotation and
    display aspect are carried over; what the container cannot hold is named in ``notes``. Size, pixel layout and time
    base follow from the first frame. ``encoding`` is what `EncodeOptions` lists. In the first of two passes
    (``pass_log``) the frames are only looked at, and no file is made.

    ``frame_rate``, above 0 to 1000, is that of the container; by default it follows from the first frame.

    With ``hwaccel`` "auto" NVENC encodes frames that are on a GPU there, if such a ``codec`` is asked for.

    A name with a number in it (out_%04d.png) means a picture for each frame, .m3u8 a playlist and its segments.

    Encoding runs on its own thread. The file is written under a temporary name in the same directory and renamed by
    ``commit`` (or a clean exit of the with statement); otherwise nothing is left. Raises MediaError at once for an
    output that exists (unless ``overwrite``), cannot be written, is the reader's input, or names an unknown container
    or codec; and from ``write`` or ``commit`` when encoding fails.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        reader: VideoReader | None = None,
        *,
        overwrite: bool = False,
        frame_rate: float | Fraction | None = None,
        pass_log: PassLog | None = None,
        hwaccel: HwAccelChoice = "auto",
        **encoding: Unpack[EncodeOptions],
    ) -> None:
        self.path = path_text(path)
        if unknown := sorted(encoding.keys() - EncodeOptions.__annotations__):
            known = ", ".join(EncodeOptions.__annotations__)
            raise TypeError(f"an encoder is told nothing of the name {unknown[0]!r}: known are {known}")
        rate = None if frame_rate is None else exact_rate(frame_rate)
        check_kind("reader of a writer", reader, VideoReader | None)
        request = EncodeRequest(frame_rate=rate, pass_log=pass_log, **encoding)
        check_hwaccel(hwaccel)
        self._piped = container_of_pipe(self.path, request)
        self._leaves_on_gpu = hwaccel == "auto" and request.codec in NVENC and not is_y4m(self.path)
        self._keeps_file = pass_log is None or pass_log.number == 2
        self._target = self._claim(overwrite, None if reader is None else reader.path)
        try:
            self._sink = self._open_sink(request, reader)
        except BaseException:
            if self._target is not None:
                self._target.discard()
            raise
        self._channel: Channel[_Work] = Channel(QUEUE_FRAMES)
        self._outcome = _Outcome()
        self._thread = Thread(
            target=_encode,
            args=(self._sink, self._channel, self._outcome, self.path),
            name="texsamp-encode",
            daemon=True,
        )
        self._thread.start()
        self._finalizer = weakref.finalize(self, self._channel.close)

    def _claim(self, overwrite: bool, input_path: str | None) -> OutputFile | OutputFolder | None:
        """The place of the output, None for a pipe."""
        if self.path == "-":
            return None
        if os.path.isdir(self.path):  # before its name is asked for a container
            raise MediaError(f"{self.path}: is a directory")
        name = os.path.basename(self.path)
        files = "one" if is_y4m(self.path) else container_of(self.path).files
        if files == "playlist":
            if "%" in os.path.realpath(self.path):
                raise MediaError(f"{self.path}: FFmpeg writes no playlist to a path with a % in it")
            return OutputFolder(self.path, segment_names(name), overwrite, input_path)
        numbers = len(NUMBER.findall(name))
        if files == "numbered" and numbers > 1:
            raise MediaError(f"{self.path}: the name of a sequence holds one number, found {numbers}")
        if files == "numbered" and numbers:
            return OutputFolder(self.path, numbered_names(name), overwrite, input_path)
        return OutputFile(self.path, overwrite, input_path, pipe_hint="; use - to write y4m to a pipe")

    def _open_sink(self, request: EncodeRequest, reader: VideoReader | None) -> AvSink | Y4mSink:
        if self._target is None:
            if self._piped is not None:
                return AvSink(None, STANDARD_OUTPUT, self._piped, request, reader)
            return Y4mSink(None, STANDARD_OUTPUT, request, reader)
        if is_y4m(self.path):
            return Y4mSink(self._target.temporary, self.path, request, reader)
        return AvSink(self._target.temporary, self.path, container_of(self.path), request, reader)

    @property
    def notes(self) -> list[str]:
        """What people should know: conversions, what the container cannot hold. It grows while frames are written."""
        return self._sink.notes

    def plan(self, frame: Frame) -> OutputPlan:
        """What would be written if this were the first frame; only `close` may follow. Raises as `write` does."""
        return self._sink.plan(frame.to("cpu"))

    def write(self, frame: Frame) -> None:
        """Append a frame, of any device; waits while the encoder is behind. Raises the encoder's error.

        The encoder may read the frame's own memory: leave its planes as they are until `commit`.
        """
        check_frame(frame, "a writer")
        stays = self._leaves_on_gpu and isinstance(frame.device, CudaDevice)
        arriving: Callable[[], Frame] = (lambda: frame) if stays else frame.start_download()
        self._put(lambda sink: sink.write(arriving()))

    def setup_for(self, first: Frame) -> EncoderSetup:
        """What `encode_part` is to be told to make parts that `append` joins, of a video whose first frame this is.

        StateError for an output that is not encoded pictures, or that has no gaps.
        """
        if not isinstance(self._sink, AvSink):
            raise StateError("y4m is written picture by picture")
        choice = self._piped or container_of(self.path)
        if choice.gapless:
            raise StateError(f"{choice.muxer} may need pictures again where others are missing")
        return self._sink.setup_for(first.to("cpu"))[0]

    def append(self, first: Frame, part: EncodedPart) -> None:
        """The next part, made by `encode_part` with what `setup_for` the ``first`` frame of all has told."""

        def join(sink: AvSink | Y4mSink) -> None:
            assert isinstance(sink, AvSink)
            sink.append(first, part)

        self._put(join)

    def _put(self, work: _Work) -> None:
        if not self._channel.put(work):
            self._raise_error()
            raise MediaError(f"{self.path}: is closed, no more frames can be written")

    def _raise_error(self) -> None:
        if self._outcome.error is not None:
            raise self._outcome.error

    def commit(self) -> None:
        """Finish the file and put it under its name. Raises MediaError if it cannot be completed."""
        self._channel.finish()
        self._thread.join()
        self._raise_error()
        if not self._outcome.complete:
            raise MediaError(f"{self.path}: is closed already")
        if self._target is not None and self._keeps_file:
            self._target.commit()

    def close(self) -> None:
        """Stop; unless `commit` came first, nothing is left of the file."""
        self._channel.close()
        # A thread that waits for a pipe or a slow encoder cannot be woken; it is left behind and ends with the process.
        self._thread.join(_JOIN_S)
        if self._target is not None:
            self._target.discard()

    def __repr__(self) -> str:
        return f"<VideoWriter {self.path}>"

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.close()
