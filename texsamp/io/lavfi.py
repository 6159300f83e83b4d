"""FFmpeg's own filters as a stage: libavfilter does what it has and texsamp has not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import cast

import av
import av.filter
import av.video.format
from av.filter.context import FilterContext
from av.video.format import names  # type: ignore[attr-defined]

from texsamp.device.arguments import check_kind
from texsamp.errors import MediaError, StateError
from texsamp.fidelity.part import Part
from texsamp.io.files.ffmpeg_log import captured_log, failure_reason, sample_aspect
from texsamp.io.frames.av_frame import format_of, frame_of, picture_of, tags_of
from texsamp.io.frames.convert import nearest_layout
from texsamp.io.frames.field_order import FieldOrderProbe, FieldStamp
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.foreign import OURS_INSTEAD, ForeignFilters, register
from texsamp.video.frame import Frame
from texsamp.video.options import did_you_mean
from texsamp.video.stage import Stage

_RATE_UNKNOWN = Fraction(25)

_LAYOUTS_OF_FFMPEG = tuple(name for name in PIXEL_LAYOUTS if name in names)

_SHOWN = 100
"""Letters of a text that a message repeats."""


def split_chain(text: str) -> list[tuple[str, str]]:
    """Names and arguments of a chain of FFmpeg's filters, one level of its quoting undone, as FFmpeg does.

    Raises StateError for labels and for several chains: a stage has one input and one output.
    """
    words, word, quoted, letters = [], "", False, iter(text)
    for letter in letters:
        if letter == "'":
            quoted = not quoted
        elif quoted:
            word += letter
        elif letter == "\\":
            word += next(letters, "")
        elif letter in "[];":
            raise StateError(f"FFmpeg's filters run in a row here, with one input and one output: found {letter!r}")
        elif letter == ",":
            words.append(word)
            word = ""
        else:
            word += letter
    if quoted:
        raise StateError(f"a quote ' does not end in {text[:_SHOWN]!r}")
    pairs = [word.partition("=") for word in (*words, word)]
    return [(name.strip(), arguments.strip()) for name, _, arguments in pairs]


class Lavfi(Stage):
    """Frames through a row of FFmpeg's filters, each with one input and one output: ``Lavfi("crop=640:360,hflip")``.

    Frames keep their pixel layout where the filters take it; otherwise FFmpeg converts them, which is noted. Their
    size, rate, times and aspect may change. Raises StateError for filters this FFmpeg lacks and for arguments they do
    not take.
    """

    def __init__(self, text: str) -> None:
        check_kind("a filter of FFmpeg", text, str)
        self.text = text.strip()
        self._chain = split_chain(self.text)
        self._graph: av.filter.Graph | None = None
        self._shape: object = None
        self._aspect: Fraction | None = None
        self._probe, self._stamps = FieldOrderProbe(), {True: FieldStamp("tff"), False: FieldStamp("bff")}
        self._latest: Frame | None = None
        self._count = 0
        self._check()
        for name, _ in self._chain:
            if name in OURS_INSTEAD:
                self.note(f"FFmpeg's {name} runs; texsamp's own is {OURS_INSTEAD[name]}")

    def __reduce__(self) -> tuple[type[Lavfi], tuple[str]]:
        if self._graph is not None:
            raise StateError(f"FFmpeg's filters do not travel in the midst of a stream, found {self!r} in one")
        return Lavfi, (self.text,)

    def __repr__(self) -> str:
        return f"<Lavfi {self.text}>"

    def __str__(self) -> str:
        return f'lavfi="{self.text}"'

    @property
    def deinterlaces(self) -> bool:
        """Whether one of the filters makes progressive frames of interlaced ones."""
        return any(OURS_INSTEAD.get(name, "").startswith("deinterlace") for name, _ in self._chain)

    @property
    def parts(self) -> tuple[Part, ...]:
        """FFmpeg's description of each filter."""
        version = ".".join(str(number) for number in av.library_versions["libavfilter"])
        return tuple(
            Part(f"{name}: {av.filter.Filter(name).description.rstrip('.')}", "FFmpeg", f"libavfilter {version}")
            for name, _ in self._chain
        )

    def _check(self) -> None:
        """Refuse what is wrong whatever the frames are."""
        for name, _ in self._chain:
            if not name:
                raise StateError(f"{str(self)[:_SHOWN]}: a filter without a name")
            if name not in av.filter.filters_available:
                shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
                hint = _ours(name) or did_you_mean(shown, av.filter.filters_available)
                raise StateError(f"this FFmpeg has no filter {shown!r}{hint}")
        graph = av.filter.Graph()
        self._add(graph, "video_size=64x64:pix_fmt=yuv420p:time_base=1/25", Fraction(1))

    def _add(self, graph: av.filter.Graph, source: str, aspect: Fraction) -> None:
        """Put the filters between a source with these arguments and a sink. Raises StateError with FFmpeg's reason."""
        shape = graph.add("setsar", f"sar={aspect.numerator}/{aspect.denominator}:max={2**31 - 1}")
        nodes = [graph.add("buffer", source), shape]
        graph.link_nodes(*nodes)
        for name, arguments in self._chain:
            with captured_log(av.logging.ERROR) as log:
                node = _try_to_add(graph, name, arguments)
            if node is None:
                reason = log[0] if log else "it says not why"
                raise StateError(f"FFmpeg's filter {name!r} does not take {arguments[:_SHOWN]!r}: {reason}")
            try:
                if not len(node.inputs) == len(node.outputs) == 1:  # type: ignore[attr-defined]
                    raise ValueError("several streams")
                nodes[-1].link_to(node)
            except (av.FFmpegError, ValueError):
                raise StateError(f"FFmpeg's filter {name!r} is not one with one video in and one out") from None
            nodes.append(node)
        layouts = graph.add("format", f"pix_fmts={'|'.join(_LAYOUTS_OF_FFMPEG)}")
        graph.link_nodes(nodes[-1], layouts, graph.add("buffersink"))

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frames that are now complete; none while the filters wait for more."""
        time_base = frame.time_base or 1 / _RATE_UNKNOWN
        color = (frame.color.matrix, frame.color.full_range)
        shape = (frame.layout.name, frame.width_px, frame.height_px, time_base, frame.sample_aspect, color)
        if shape != self._shape:
            yield from self._drain()
            self._graph, self._shape = self._configured(frame, time_base), shape
        picture = picture_of(frame.to("cpu"))
        if frame.interlaced:
            picture = self._stamps[frame.top_field_first is not False].apply(picture)
        picture.pts = self._count if frame.pts is None else frame.pts
        picture.time_base, picture.duration = time_base, frame.duration or 0
        picture.opaque = frame  # filters hand it on with what they make of the picture
        self._count += 1
        self._latest = frame
        assert self._graph is not None
        yield from self._results(self._graph, picture)

    def flush(self) -> Iterable[Frame]:
        """What the filters still held."""
        yield from self._drain()
        self._latest, self._count = None, 0

    def _drain(self) -> Iterator[Frame]:
        graph, self._graph, self._shape = self._graph, None, None
        if graph is not None:
            yield from self._results(graph, None)

    def _configured(self, frame: Frame, time_base: Fraction) -> av.filter.Graph:
        """The graph for frames like this one."""
        rate = 1 / (frame.duration * time_base) if frame.duration else _RATE_UNKNOWN
        color_range = 0 if frame.color.full_range is None else 1 + frame.color.full_range
        graph = av.filter.Graph()
        self._add(
            graph,
            f"video_size={frame.width_px}x{frame.height_px}:pix_fmt={format_of(frame.layout)}:time_base={time_base}:"
            f"frame_rate={rate}:colorspace={frame.color.matrix}:range={color_range}",
            frame.sample_aspect or Fraction(0),
        )
        failure: Exception | None = None
        with captured_log(av.logging.ERROR) as log:
            try:
                graph.configure()
            except (av.FFmpegError, ValueError) as error:
                failure = error
        if failure is not None:
            what = f"{frame.width_px}x{frame.height_px} {frame.layout.name}"
            reason = failure_reason(failure, log)
            raise StateError(f"FFmpeg's filters {self.text[:_SHOWN]!r} do not take {what}: {reason}")
        self._aspect = None
        return graph

    def _results(self, graph: av.filter.Graph, picture: av.VideoFrame | None) -> Iterator[Frame]:
        """The frames that are complete after one more picture, or after the last (None)."""
        try:
            graph.push(picture)
            while True:
                yield self._frame(cast(av.VideoFrame, graph.pull()))
        except (av.error.BlockingIOError, av.error.EOFError):
            return
        except av.FFmpegError as error:
            raise MediaError(f"FFmpeg's filters {self.text[:_SHOWN]!r} fail: {error.strerror}") from error

    def _frame(self, picture: av.VideoFrame) -> Frame:
        origin = picture.opaque if isinstance(picture.opaque, Frame) else self._latest
        assert origin is not None
        layout = nearest_layout(picture.format.name)
        if layout.name != format_of(origin.layout):
            self.note(f"FFmpeg's filters {self.text[:_SHOWN]!r} make {layout.name} of {origin.layout.name}")
        if self._aspect is None:
            self._aspect = sample_aspect(picture)
        interlaced = picture.interlaced_frame
        same_moment = (picture.pts, picture.time_base) == (origin.pts, origin.time_base)
        return frame_of(
            picture,
            layout,
            pts=picture.pts,
            duration=int(picture.duration or 0) or _rescaled(origin, picture.time_base),
            time_base=picture.time_base,
            interlaced=interlaced,
            top_field_first=self._probe.top_field_first(picture) if interlaced else None,
            repeat_fields=origin.repeat_fields if same_moment else 0,
            sample_aspect=self._aspect or None,
            color=tags_of(picture, origin.color.chroma_location),
            hdr=origin.hdr,
            damaged=origin.damaged,
            statistics=origin.statistics,
        ).to(origin.device)


def _rescaled(frame: Frame, time_base: Fraction | None) -> int | None:
    """A frame's duration in another time base."""
    if not frame.duration or not frame.time_base or not time_base:
        return None
    return max(1, round(frame.duration * frame.time_base / time_base))


def _try_to_add(graph: av.filter.Graph, name: str, arguments: str) -> FilterContext | None:
    try:
        return graph.add(name, arguments or None)
    except (av.FFmpegError, ValueError):
        return None


def _ours(name: str) -> str:
    return f"; texsamp's own is {OURS_INSTEAD[name]}" if name in OURS_INSTEAD else ""


register(ForeignFilters("FFmpeg", "lavfi", lambda: av.filter.filters_available, Lavfi))
