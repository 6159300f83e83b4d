"""Two streams of pictures, compared frame by frame; nothing is kept but the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from texsamp.errors import FormatError
from texsamp.quality.difference import Difference, first_difference
from texsamp.quality.planes import Plane
from texsamp.quality.psnr import mean_squared_error, psnr_from_mse
from texsamp.quality.ssim import ssim
from texsamp.shown.html import table


@dataclass(frozen=True)
class Planes:
    """One picture: its planes by name ("Y", "U", ...) and the largest value a sample of each can have."""

    planes: Mapping[str, Plane]
    max_value: Mapping[str, int]


@dataclass(frozen=True)
class PlaneScores:
    """Scores of one plane over a stream. PSNR in dB is infinite where nothing differs; frames count from 0.

    ``psnr_mean`` is the PSNR of the mean squared error over all frames, not the mean of the frames' PSNRs (which a
    single identical frame would make infinite). The worst frame is the first of those with the lowest score.
    """

    psnr_mean: float
    psnr_min: float
    psnr_worst_frame: int
    ssim_mean: float
    ssim_min: float
    ssim_worst_frame: int


@dataclass(frozen=True)
class Comparison:
    """How many frames were compared, and the scores of each plane by name."""

    frames: int
    planes: Mapping[str, PlaneScores]

    @property
    def identical(self) -> bool:
        """Whether no sample of any frame differs."""
        return all(math.isinf(scores.psnr_min) for scores in self.planes.values())

    def _repr_html_(self) -> str:
        """For notebooks."""
        head = ("plane", "PSNR (dB)", "lowest", "of frame", "SSIM", "lowest", "of frame")
        rows = [
            (
                name, f"{each.psnr_mean:.3f}", f"{each.psnr_min:.3f}", each.psnr_worst_frame,
                f"{each.ssim_mean:.5f}", f"{each.ssim_min:.5f}", each.ssim_worst_frame,
            )
            for name, each in self.planes.items()
        ]  # fmt: skip
        return table(f"{self.frames} frames compared", head, rows)


@dataclass(frozen=True)
class FrameScores:
    """Scores of one frame's planes by name: PSNR in dB, infinite where nothing differs, and SSIM."""

    frame: int
    psnr: Mapping[str, float]
    ssim: Mapping[str, float]


Watcher = Callable[[FrameScores, Planes, Planes], None]
"""Is told the scores of each frame, with both pictures."""


class _Running:
    """Scores of one plane so far."""

    def __init__(self, max_value: int) -> None:
        self.max_value = max_value
        self.mse_sum = self.ssim_sum = 0.0
        self.worst_mse, self.worst_mse_frame = -1.0, 0
        self.worst_ssim, self.worst_ssim_frame = math.inf, 0

    def add(self, frame: int, mse: float, similarity: float) -> None:
        self.mse_sum += mse
        self.ssim_sum += similarity
        if mse > self.worst_mse:
            self.worst_mse, self.worst_mse_frame = mse, frame
        if similarity < self.worst_ssim:
            self.worst_ssim, self.worst_ssim_frame = similarity, frame

    def scores(self, frames: int) -> PlaneScores:
        return PlaneScores(
            psnr_mean=psnr_from_mse(self.mse_sum / frames, self.max_value),
            psnr_min=psnr_from_mse(self.worst_mse, self.max_value),
            psnr_worst_frame=self.worst_mse_frame,
            ssim_mean=self.ssim_sum / frames,
            ssim_min=self.worst_ssim,
            ssim_worst_frame=self.worst_ssim_frame,
        )


def _pairs(
    reference: Iterable[Planes], distorted: Iterable[Planes], is_opaque: bool = False
) -> Iterator[tuple[int, Planes, Planes]]:
    """Frame numbers and both pictures; raises FormatError when the streams stop matching."""
    for frame, (one, other) in enumerate(zip_longest(reference, distorted)):
        if one is None or other is None:
            shorter, longer = ("reference", "distorted") if one is None else ("distorted", "reference")
            raise FormatError(f"the {shorter} stream ends after {frame} frames, the {longer} stream goes on")
        a, b = (_with_alpha(one, other), _with_alpha(other, one)) if is_opaque else (one, other)
        if dict(a.max_value) != dict(b.max_value):
            remedy = "" if a.max_value.keys() == b.max_value.keys() else ": convert one first, as by csc=format=rgb24"
            raise FormatError(f"frame {frame}: {_format(a)} cannot be compared with {_format(b)}{remedy}")
        sizes = [{name: plane.shape[::-1] for name, plane in picture.planes.items()} for picture in (a, b)]
        if sizes[0] != sizes[1]:
            texts = [", ".join(f"{name} {w}x{h}" for name, (w, h) in size.items()) for size in sizes]
            raise FormatError(f"frame {frame}: sizes differ: reference {texts[0]}; distorted {texts[1]}")
        yield frame, a, b


def _with_alpha(picture: Planes, other: Planes) -> Planes:
    """The picture, opaque if the other one has an alpha and it has none."""
    if other.max_value.keys() - picture.max_value.keys() != {"A"}:
        return picture
    opaque, like = other.max_value["A"], next(iter(picture.planes.values()))
    alpha = np.full(like.shape, opaque, like.dtype)
    return Planes({**picture.planes, "A": alpha}, {**picture.max_value, "A": opaque})


def _format(picture: Planes) -> str:
    depths = (f"{name} of {max_value.bit_length()} bits" for name, max_value in picture.max_value.items())
    return ", ".join(depths)


def compare_streams(
    reference: Iterable[Planes], distorted: Iterable[Planes], watch: Watcher | None = None
) -> Comparison:
    """PSNR and SSIM of every plane over two streams; `watch` is told those of each frame.

    A picture without alpha is opaque beside one that has it.
    Raises FormatError if they have no frames or differ in length, planes, depth or size.
    """
    running: dict[str, _Running] = {}
    frames = 0
    for frame, a, b in _pairs(reference, distorted, is_opaque=True):
        frames = frame + 1
        psnrs, similarities = {}, {}
        for name, plane in a.planes.items():
            if name not in running:
                running[name] = _Running(a.max_value[name])
            max_value = a.max_value[name]
            mse = mean_squared_error(plane, b.planes[name])
            similarities[name] = ssim(plane, b.planes[name], max_value) if mse else 1.0
            psnrs[name] = psnr_from_mse(mse, max_value)
            running[name].add(frame, mse, similarities[name])
        if watch is not None:
            watch(FrameScores(frame, psnrs, similarities), a, b)
    if not frames:
        raise FormatError("there is nothing to compare: both streams have no frames")
    return Comparison(frames, {name: scores.scores(frames) for name, scores in running.items()})


def first_stream_difference(
    reference: Iterable[Planes], distorted: Iterable[Planes]
) -> tuple[int, str, Difference] | int:
    """Frame, plane and sample of the first difference, or the number of frames if there is none.

    Raises FormatError as `compare_streams` does.
    """
    frames = 0
    for frame, a, b in _pairs(reference, distorted):
        frames = frame + 1
        for name, plane in a.planes.items():
            difference = first_difference(plane, b.planes[name])
            if difference is not None:
                return frame, name, difference
    if not frames:
        raise FormatError("there is nothing to compare: both streams have no frames")
    return frames
