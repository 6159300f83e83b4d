"""Frames of a video through chains of filters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from time import perf_counter

import numpy as np

from texsamp.device import Device, get_device
from texsamp.errors import MediaError
from texsamp.io import VideoReader
from texsamp.io.frames.av_frame import seconds
from texsamp.io.input.picture_times import picture_times, times_are_as_stored
from texsamp.shown.pictures import png
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline
from texsamp.view.controls import chain_controls, filter_controls
from texsamp.view.numbers import plain
from texsamp.view.server import Answer, Answers, Question

BEFORE, AFTER = 8, 4
"""Frames that chains are fed before the one that is shown, and after it: what filters know of the video."""
_KEPT = 16
"""Results that are kept, for values of their pixels and for going back."""
_HALF_TICK_S = Fraction(1, 2000)


class VideoView:
    """A video file, decoded where it is looked at. Raises MediaError for what cannot be read."""

    def __init__(self, path: str, chains: Sequence[str], device: Device | str = "auto") -> None:
        self._path, self._chains, self._device = path, tuple(chains), get_device(device)
        for text in self._chains:
            Pipeline.parse(text, self._device)
        with VideoReader(path, max_frames=1) as reader:
            self._info, self._begin_s = reader.info, reader.info.start_s
            self._size = f"{reader.width_px}x{reader.height_px}"  # as turned, not as stored
        self._times = picture_times(path)
        if not self._times:
            raise MediaError(f"{path}: its packets do not say when pictures are shown, so that none can be looked up")
        self._joined: VideoReader | None = None
        if len(set(self._times)) < len(self._times) or not times_are_as_stored(
            path
        ):  # only decoding tells which is which
            with VideoReader(path) as reader:
                self._times = [seconds(frame.pts, frame.time_base) or Fraction(0) for frame in reader]
            self._joined = VideoReader(path)
        self._read: tuple[int, list[Frame]] = -1, []
        self._made: OrderedDict[tuple[int, str], tuple[Frame, float]] = OrderedDict()

    @property
    def answers(self) -> Answers:
        """What the page asks for."""
        return {"state": self._state, "chain": self._chain, "frame": self._frame, "values": self._values}

    def _state(self, _: Question) -> Answer:
        info = self._info
        return Answer.of(
            {
                "name": Path(self._path).name,
                "about": f"{info.codec}, {info.pix_fmt}, {self._size}, {len(self._times)} frames",
                "frames": len(self._times),
                "chains": self._chains,
                "filters": filter_controls(),
                "context": [BEFORE, AFTER],
            }
        )

    def _chain(self, question: Question) -> Answer:
        return Answer.of(chain_controls(question.words.get("vf", "")))

    def _frame(self, question: Question) -> Answer:
        number = question.integer("n")
        made, took_s = self._result(number, question.words.get("vf", ""))
        aspect = made.sample_aspect or Fraction(1)
        told = {
            "size": [made.width_px, made.height_px],
            "layout": made.layout.name,
            "aspect": [aspect.numerator, aspect.denominator],
            "time_s": float(self._times[number] - self._begin_s),
            "ms": round(took_s * 1000, 1),
        }
        return Answer("image/png", png(made.to_rgb()), told)

    def _values(self, question: Question) -> Answer:
        """Codes of the components at a pixel; of subsampled ones those of the sample that covers it."""
        made, _ = self._result(question.integer("n"), question.words.get("vf", ""))
        x, y = question.integer("x"), question.integer("y")
        if not (0 <= x < made.width_px and 0 <= y < made.height_px):
            raise MediaError(f"the picture is {made.width_px}x{made.height_px}, found x {x}, y {y}")
        found = {}
        for name, part in made.layout.components.items():
            samples = np.asarray(made.component(name))
            row, column = y * samples.shape[0] // made.height_px, x * samples.shape[1] // made.width_px
            found[name] = plain(samples[row, column] >> part.shift & (1 << part.bits) - 1)[0]
        return Answer.of(found)

    def _result(self, number: int, text: str) -> tuple[Frame, float]:
        """What a chain makes of a frame, on the host, and the seconds that its filters took for all they were fed."""
        key = (number, text)
        if key not in self._made:
            pipeline = Pipeline.parse(text, self._device)
            frames = self._frames(number)
            begin = perf_counter()
            results = list(pipeline(frames))
            took_s = perf_counter() - begin
            if not results:
                raise MediaError(f"the filters give nothing for {len(frames)} frames")
            due_s = self._times[number] - _HALF_TICK_S
            times = [seconds(result.pts, result.time_base) for result in results]
            due = [(t or due_s, n) for n, t in enumerate(times) if t is None or t >= due_s]
            shown = results[min(due)[1] if due else -1]
            self._made[key] = shown.to("cpu"), took_s
            if len(self._made) > _KEPT:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        return self._made[key]

    def _frames(self, number: int) -> list[Frame]:
        """A frame and those around it."""
        if not 0 <= number < len(self._times):
            raise MediaError(f"there are frames 0 to {len(self._times) - 1}, found {number}")
        first = max(0, number - BEFORE)
        if self._read[0] != number and self._joined is not None:
            self._read = number, self._joined[first : number + 1 + AFTER]
        elif self._read[0] != number:
            start_s = max(self._times[first] - self._begin_s, Fraction(0)) if first else None
            with VideoReader(self._path, start_s, max_frames=number - first + 1 + AFTER) as reader:
                self._read = number, list(reader)
        return self._read[1]
