"""Video files and pipes in: frames decoded ahead of the caller, on another thread."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from io import BufferedIOBase, BufferedReader
from operator import index
from threading import Lock, Thread
from types import TracebackType
from typing import Any, SupportsIndex, overload

import av
from av.stream import Stream

from texsamp.device import Device, get_device
from texsamp.device.arguments import path_text
from texsamp.errors import MediaError, StateError, TexsampError
from texsamp.io.files.pipe_input import PipeInput, is_pipe, named_input
from texsamp.io.frames.av_frame import seconds
from texsamp.io.frames.channel import Channel
from texsamp.io.input.av_source import AvSource
from texsamp.io.input.cut import Cut, exact_count, exact_duration, exact_seconds
from texsamp.io.input.damage import Damage
from texsamp.io.input.frame_index import FrameIndex, times_by_packets
from texsamp.io.input.stream_info import StreamInfo
from texsamp.io.input.y4m import MAGIC, Y4mSource
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.conversion import convert
from texsamp.video.frame import ColorTags, Frame

QUEUE_FRAMES = 6
"""Frames decoded ahead of the consumer."""

_JOIN_S = 2.0


def _open_source(
    path: str, threads: int | None, damage: Damage, autorotate: bool, wait_for_order: bool, decode_on: Device | None
) -> AvSource | Y4mSource:
    try:
        if is_pipe(path):
            pipe = PipeInput(path)
            if pipe.peek(len(MAGIC)) == MAGIC:
                return _y4m_source(BufferedReader(pipe), pipe.name)
            return AvSource(pipe.name, threads, damage, autorotate, wait_for_order, pipe)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                is_y4m = file.read(len(MAGIC)) == MAGIC
            if is_y4m:
                return _y4m_source(open(path, "rb"), path)
    except MediaError:
        raise
    except OSError as error:
        raise MediaError(f"{path}: cannot be opened: {error.strerror or error}") from error
    return AvSource(path, threads, damage, autorotate, wait_for_order, decode_on=decode_on)


def _y4m_source(stream: BufferedIOBase, path: str) -> Y4mSource:
    try:
        return Y4mSource(stream, path)
    except BaseException:
        stream.close()
        raise


def _decode(source: AvSource | Y4mSource, cut: Cut, channel: Channel[Frame]) -> None:
    """The decoding thread. It holds no reference to the reader, so that a forgotten reader can be collected."""
    try:
        for frame in cut.frames(source):
            if not channel.put(frame):
                break
        channel.finish()
    except TexsampError as error:
        channel.fail(error)
    except Exception as error:
        failure = MediaError(f"{source.path}: cannot be decoded: {error}")
        failure.__cause__ = error
        channel.fail(failure)
    finally:
        source.end(cut.end_s)


class VideoReader:
    """The frames of a video file or pipe in display order; the path "-" is standard input.

    Frames are in CPU memory, views on the decoder's own memory wherever their pixel format is a layout of texsamp;
    ``notes`` says what was converted or is unknown. Decoding runs ahead on its own thread. A frame's ``pts`` is the
    container's, whatever the frame rate does.

    ``start_s`` and ``duration_s`` (seconds from the first sample of the container, at most 10**9; a duration must be
    above 0.001) and ``max_frames`` select a part.
    ``threads`` is the number of decoding threads (None: as many as FFmpeg likes). Damaged input is noted and read as
    far as possible; with ``strict`` it raises MediaError. Pictures that players turn are turned, unless
    ``autorotate`` is off.

    Where FFmpeg has NVDEC, files of 8- and 10-bit 4:2:0 are decoded on a GPU that ``decode_on`` names, and their frames
    are there; a note says where that is not possible.

    Where no flag tells which field comes first, the first pictures are measured before the first frame is given;
    without ``wait_for_order`` frames come at once, and have that order only as soon as it is known.

    ``rgb`` makes all frames RGB of 8 bits a channel (rgb24), as displayed.

    Frames of files also come by number, ``reader[100]`` and ``reader[-50::10]``, and by time, ``reader.at(2.5)``.
    They are exact: the first use reads all packets, or decodes the file once where only that tells how many pictures
    they make (fields, transport streams, cuts). That does not move the iteration. Threads may share a reader for this.

    Iterate once; use as a context manager or call ``close`` to stop early. Raises MediaError when the input cannot be
    opened or holds no video, and while iterating when it cannot be read further.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        start_s: float | Fraction | None = None,
        duration_s: float | Fraction | None = None,
        max_frames: int | None = None,
        threads: int | None = None,
        strict: bool = False,
        autorotate: bool = True,
        decode_on: Device | str = "cpu",
        wait_for_order: bool = True,
        rgb: bool = False,
    ) -> None:
        self.path = named_input(path_text(path))
        self._rgb = rgb
        self._index: FrameIndex | None = None
        self._indexing = Lock()
        self._again = partial(
            VideoReader,
            path,
            threads=threads,
            strict=strict,
            autorotate=autorotate,
            decode_on=decode_on,
            wait_for_order=wait_for_order,
            rgb=rgb,
        )
        self._damage = Damage(self.path, strict)
        frame_limit, thread_count = exact_count(max_frames, "frames to read"), exact_count(threads, "decoding threads")
        self._cut = Cut(exact_seconds(start_s, "start"), exact_duration(duration_s), frame_limit, self._damage)
        self._source = _open_source(
            self.path, thread_count, self._damage, autorotate, wait_for_order, get_device(decode_on)
        )
        self._channel: Channel[Frame] = Channel(QUEUE_FRAMES)
        self._thread = Thread(
            target=_decode, args=(self._source, self._cut, self._channel), name="texsamp-decode", daemon=True
        )
        self._thread.start()
        self._finalizer = weakref.finalize(self, self._channel.close)
        self._begun = self._ended = self._keeps_others = self._closed = False
        self._last: Frame | None = None
        self._pending: Frame | None = None
        try:
            self._first = self._take_first()
        except BaseException:
            self.close()
            raise
        self._pending = self._first

    def _take(self) -> Frame | None:
        frame = self._channel.get()
        return convert(frame, "rgb24") if self._rgb and frame is not None else frame

    def _take_first(self) -> Frame:
        first = self._take()
        if first is not None:
            return first
        cut, origin_s = self._cut, self.info.start_s
        if cut.start_s is not None and cut.next_after_s is not None:
            next_s = float(cut.next_after_s - origin_s)
            part = f"{float(cut.start_s):.3f} s and {float(cut.start_s + (cut.duration_s or 0)):.3f} s"
            raise MediaError(f"{self._source.path}: no frame between {part}, the next begins at {next_s:.3f} s")
        if cut.start_s is not None and cut.last_before_s is not None:
            last_s = float(cut.last_before_s - origin_s)
            when = f"nothing at {float(cut.start_s):.3f} s"
            raise MediaError(f"{self._source.path}: {when}, its last frame begins at {last_s:.3f} s")
        raise MediaError(f"{self._source.path}: no frame could be decoded from its {self.info.codec} video stream")

    # What is known about the stream

    @property
    def info(self) -> StreamInfo:
        """The stream and its container as stored."""
        return self._source.info

    @property
    def notes(self) -> list[str]:
        """What people should know: conversions, unknown flags, damage. It grows while frames are read."""
        return [*self._source.notes, *self._damage.notes]

    @property
    def field_remedy(self) -> tuple[str, str] | None:
        """The option of `deinterlace`, and its value, for pictures that are not what they are flagged as."""
        return self._source.field_remedy

    @property
    def layout(self) -> PixelLayout:
        """Pixel layout of the frames, after any conversion."""
        return self._first.layout

    @property
    def width_px(self) -> int:
        """Width of the first frame."""
        return self._first.width_px

    @property
    def height_px(self) -> int:
        """Height of the first frame."""
        return self._first.height_px

    @property
    def time_base(self) -> Fraction:
        """Unit of the frames' ``pts``, in seconds."""
        return self._first.time_base or Fraction(1, 25)

    @property
    def frame_rate(self) -> Fraction | None:
        """Frames per second, an average if the rate varies; None if unknown."""
        return self.info.frame_rate

    @property
    def sample_aspect(self) -> Fraction | None:
        """Width of a sample over its height; None if unknown."""
        return self._first.sample_aspect

    @property
    def color(self) -> ColorTags:
        """Color tags of the first frame."""
        return self._first.color

    @property
    def first_frame(self) -> Frame:
        """The first frame; iteration yields it all the same."""
        return self._first

    @property
    def display_matrix(self) -> tuple[int, ...] | None:
        """The nine numbers of FFmpeg's display matrix, which turn the picture for display; None if upright."""
        return self._source.display_matrix

    @property
    def color_profile(self) -> bytes | None:
        """The color profile (ICC) of a picture's file, or of a sequence's first one; None if it has none."""
        return self._source.color_profile

    @property
    def rotation(self) -> int:
        """Degrees, counter-clockwise, by which players turn the frames; 0 if they have been turned here."""
        from math import atan2, degrees

        matrix = self.display_matrix
        return 0 if matrix is None else -round(degrees(atan2(matrix[1], matrix[0])))

    @property
    def duration_s(self) -> Fraction | None:
        """Seconds of video that will be read; None if unknown."""
        whole = self.info.duration_s
        parts = [] if whole is None else [max(whole - (self._cut.start_s or 0), Fraction(0))]
        if self._cut.duration_s is not None:
            parts.append(self._cut.duration_s)
        if self._cut.max_frames is not None and self.frame_rate:
            parts.append(self._cut.max_frames / self.frame_rate)
        return min(parts, default=None)

    @property
    def frame_count(self) -> int | None:
        """Frames that will be read, an estimate; None if unknown."""
        if self._cut.start_s is None and self._cut.duration_s is None:
            counts = [c for c in (self.info.frame_count, self._cut.max_frames) if c]
            return min(counts, default=None)
        if self.duration_s is None or not self.frame_rate:
            return self._cut.max_frames
        return max(1, round(self.duration_s * self.frame_rate))

    @property
    def origin_s(self) -> Fraction:
        """Time in the input that is zero in an output: of the first frame after a cut, else of the first sample."""
        first_s = seconds(self._first.pts, self._first.time_base) or Fraction(0)
        return first_s if self._cut.start_s is not None else self.info.whole_from_s(first_s)

    @property
    def end_s(self) -> Fraction | None:
        """Time in the input at which what was read ends; None when the input was read to its end."""
        if self._ended:
            return self._cut.end_s
        last = self._last
        return None if last is None else (seconds((last.pts or 0) + (last.duration or 0), last.time_base))

    @property
    def planned_end_s(self) -> Fraction | None:
        """Time in the input at which the wanted part will end; None without a limit."""
        limited = self._cut.duration_s is not None or self._cut.max_frames is not None
        return self.origin_s + self.duration_s if limited and self.duration_s is not None else None

    @property
    def ended(self) -> bool:
        """Whether the last frame has been taken."""
        return self._ended

    @property
    def joints(self) -> int:
        """How often time stamps have started again in what has been read so far."""
        return 0 if isinstance(self._source, Y4mSource) else self._source.joints

    # A pipe's other streams

    def keep_others(self) -> None:
        """Before frames are taken: the packets of a pipe's other streams are wanted, too."""
        self._keeps_others = True

    @property
    def others(self) -> tuple[list[Stream], Channel[av.Packet[Any]]] | None:
        """A pipe's streams and the packets of all but the video's; None for what can be opened once more."""
        source = self._source
        return None if isinstance(source, Y4mSource) or source.others is None else (source.templates, source.others)

    # Iteration

    def __iter__(self) -> Iterator[Frame]:
        self._begun = True
        return self

    def __next__(self) -> Frame:
        if self._pending is not None and not self._keeps_others and self.others is not None:
            self.others[1].close()
        if not self._ended:
            self._require_open()
        frame, self._pending = self._pending, None
        if frame is None and not self._ended:
            frame = self._take()
        if frame is None:
            if not self._channel.closed:
                self._ended = True
            raise StopIteration
        self._last = frame
        return frame

    # By number and time

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """How many frames will have been read in the end.

        Raises TypeError for a pipe, which is read only once; and while iterating, where only decoding the file tells:
        `list` asks for a length, too, and would decode all of it twice.
        """
        return len(self._frame_index(may_decode=not self._begun).times_s)

    @overload
    def __getitem__(self, which: SupportsIndex) -> Frame: ...

    @overload
    def __getitem__(self, which: slice) -> list[Frame]: ...

    def __getitem__(self, which: SupportsIndex | slice) -> Frame | list[Frame]:
        """The frame of a number, or those of a slice, whatever has been iterated over.

        Raises IndexError beyond the frames, TypeError for a pipe.
        """
        found = self._frame_index()
        count = len(found.times_s)
        if isinstance(which, slice):
            return [found.frame(number) for number in range(*which.indices(count))]
        number = index(which)
        if not -count <= number < count:
            raise IndexError(f"frames are 0 to {count - 1}, or -1 to -{count} from the end, found {number}")
        return found.frame(number % count)

    def at(self, time_s: float | Fraction) -> Frame:
        """The frame shown at a time, in seconds from the first sample of the container.

        Raises StateError for a time before the first frame or beyond the last one's end, TypeError for a pipe.
        """
        found = self._frame_index()
        given = exact_seconds(time_s, "time")
        assert given is not None
        time = self.info.start_s + given
        frame = found.frame(found.number_at(time))
        begin = seconds(frame.pts, frame.time_base) or Fraction(0)
        lasts = seconds(frame.duration, frame.time_base) or 1 / (self.frame_rate or 1)
        if time > begin + lasts and found.times_s[-1] == begin:
            end_s = float(begin + lasts - self.info.start_s)
            raise StateError(f"the last frame ends at {end_s:.3f} s, found {time_s} s")
        return frame

    def _require_open(self) -> None:
        """Raise StateError for a reader that was closed: that it has no more frames would be no answer."""
        if self._closed:
            raise StateError(f"{self.path} is closed: its frames are read within `with`, or before close()")

    def _frame_index(self, may_decode: bool = True) -> FrameIndex:
        if is_pipe(self.path):
            raise TypeError(f"{self.path} is a pipe, which is read once and in order: it has no length and no indices")
        self._require_open()
        with self._indexing:
            if self._index is None:
                self._index = FrameIndex(self._frame_times(may_decode), self._open_at)
            return self._index

    def _frame_times(self, may_decode: bool) -> list[Fraction]:
        """When the frames that are wanted begin."""
        cut, times = self._cut, None
        if cut.start_s is None and cut.duration_s is None:
            times = times_by_packets(self.path, self.info)
        if times is None and not may_decode:
            raise TypeError(f"only decoding {self.path} tells how many frames it has: ask before iterating")
        if times is None:
            with self._again(start_s=cut.start_s, duration_s=cut.duration_s, max_frames=cut.max_frames) as reader:
                times = [seconds(frame.pts, frame.time_base) or Fraction(0) for frame in reader]
        return times[: cut.max_frames]

    def _open_at(self, time_s: Fraction | None) -> VideoReader:
        start_s = self._cut.start_s if time_s is None else max(time_s - self.info.start_s, Fraction(0))
        return self._again(start_s=start_s)

    def close(self) -> None:
        """Stop decoding and release the input; whoever asks for frames after that gets a StateError."""
        self._closed = True
        if self._index is not None:
            self._index.close()
        self._pending = None
        self._channel.close()
        if self.others is not None:
            self.others[1].close()
        # A thread that waits for a pipe cannot be woken; it is left behind and ends with the process.
        self._thread.join(0.0 if is_pipe(self.path) else _JOIN_S)
        if not self._thread.is_alive():
            self._source.close()

    def __repr__(self) -> str:
        return f"<VideoReader {self.path}: {self.layout.name} {self.width_px}x{self.height_px}>"

    def __enter__(self) -> VideoReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._damage.tell_with(error)
        self.close()
