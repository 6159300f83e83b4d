"""Fits how much `deinterlace=best` takes of samples along edges, and `hq` of compensated ones (docs/deinterlace.md).

`python -m benchmarks.fit_deinterlace edges|vectors [--clips 3]` prints the table of texsamp.video.deinterlace.edges or
.field_vectors, from the seeds to fit by. Each weight minimizes the squared error over the pixels it is for; every clip
counts the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

import numpy as np

from benchmarks.clips import to_texsamp
from benchmarks.judged import frames_of
from benchmarks.judged_clips import CLASSES, COMPRESSED, clip, seeds
from texsamp.device.base import Launch
from texsamp.video.deinterlace import Deinterlace, edges, field_vectors
from texsamp.video.deinterlace.fields import Field
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

_EVERY = 3
"""Which fields take part."""
_MOST = 8
Drawn = Callable[[Field, Frame, tuple[int, ...]], Launch]


def _edges(field: Field, out: Frame, weights: tuple[int, ...]) -> Launch:
    return edges.draw_edges(field.current, field.parity, field.reference, out, weights)


def _vectors(field: Field, out: Frame, weights: tuple[int, ...]) -> Launch:
    return _found(field).compensated(field, out, weights)


@lru_cache(1)
def _found(field: Field) -> field_vectors.FieldVectors:
    return field_vectors.find_vectors([field])[field.parity]


PARTS: dict[str, tuple[Drawn, tuple[int, ...]]] = {
    "edges": (_edges, edges.WEIGHTS),
    "vectors": (_vectors, field_vectors.WEIGHTS),
}


def _drawn(part: Drawn, field: Field, made: np.ndarray, weights: tuple[int, ...]) -> np.ndarray:
    out = Frame.from_arrays("gray", [made.copy()], made.shape[1], made.shape[0], "cpu")
    out.device.launch(part(field, out, weights))
    return out.planes[0].astype(np.int64)


def _keys(part: Drawn, field: Field, made: np.ndarray, count: int) -> np.ndarray:
    """By which weight each pixel is made, where that matters: found bit by bit."""
    keys = np.zeros(made.shape, np.int64)
    for bit in range((count - 1).bit_length()):
        weights = tuple(_MOST * (key >> bit & 1) for key in range(count))
        keys += (_drawn(part, field, made, weights) != made).astype(np.int64) << bit
    return keys


def _without_vectors(frames: list[Frame]) -> list[np.ndarray]:
    """What `hq` makes of both fields of frames before it looks where they move to."""
    stage = Deinterlace("hq", "field", deint="all", parity="tff")
    pairs = stage._pairs
    pairs.between = partial(pairs.between, search=False)  # type: ignore[method-assign]
    return [result.planes[0] for result in Pipeline([stage], "cpu")(frames)]


def _fields(name: str, seed: int) -> Iterator[tuple[Field, np.ndarray, np.ndarray]]:
    """Fields of a clip, what is made of them before the part that is fitted, and the truth."""
    truth = clip(name, seed)
    pictures = [to_texsamp(frame) for frame in frames_of(name, truth)]
    for number, made in list(enumerate(_without_vectors(pictures)))[1::_EVERY]:
        n, parity = divmod(number, 2)
        if 0 <= n + 2 * parity - 1 < len(pictures):
            yield Field(pictures[n], parity, pictures[n + 2 * parity - 1]), made, truth[number]


def _moments(name: str, seed: int, part: Drawn, count: int) -> tuple[np.ndarray, float]:
    """By weight the sums of (sample - made)^2 and (sample - made)(truth - made), and the squared error of made."""
    sums, error = np.zeros((2, count)), 0.0
    for field, made, truth in _fields(name, seed):
        assert field.reference is not None
        woven = (made == field.current.planes[0]) | (made == field.reference.planes[0])
        change = np.where(woven, 0, _drawn(part, field, made, (_MOST,) * count) - made)
        gap = truth.astype(np.int64) - made
        keys = _keys(part, field, made, count)
        error += float((gap**2).sum())
        for row, values in enumerate((change**2, change * gap)):
            sums[row] += np.bincount(keys.ravel(), values.ravel(), count)
    return sums, error


def fitted(name: str, clips: int) -> tuple[int, ...]:
    """The weights of a part in eighths; those of an eighth are none."""
    part, weights = PARTS[name]
    total = np.zeros((2, len(weights)))
    for kind in (*CLASSES, *COMPRESSED):
        found = [_moments(kind, seed, part, len(weights)) for seed in seeds("fit", clips)]
        total += sum(sums / max(error, 1.0) for sums, error in found)
    best = np.rint(_MOST * total[1] / np.maximum(total[0], 1e-12)).clip(0, _MOST).astype(int)
    return tuple(int(weight) if weight > 1 else 0 for weight in best)


def main() -> None:
    """The table as it stands in the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--clips", type=int, default=3, help="of each class")
    chosen = parser.parse_args()
    weights = fitted(chosen.part, chosen.clips)
    row = 12 if chosen.part == "edges" else 16
    for first in range(0, len(weights), row):
        print(f"    *({', '.join(map(str, weights[first : first + row]))}),")


if __name__ == "__main__":
    main()
