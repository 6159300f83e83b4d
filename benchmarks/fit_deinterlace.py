"""Fits how much `hq` and `best` take of samples along edges, and of compensated ones (docs/deinterlace.md).

`python -m benchmarks.fit_deinterlace edges|vectors [--clips 6]` prints the table of texsamp.video.deinterlace.edges or
.field_vectors, from the seeds to fit by. Each weight minimizes the squared error that `hq` has in the end over the
pixels it is for. Classes count the same, but those of cameras tenfold, as what they can gain is little, and charts,
which look like edges where they alias, thrice.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.clips import to_texsamp
from benchmarks.judged import frames_of
from benchmarks.judged_clips import CLASSES, COMPRESSED, clip, seeds
from texsamp.video.deinterlace import Deinterlace, edges, field_vectors
from texsamp.video.deinterlace.fields import Field, deinterlace_fields
from texsamp.video.deinterlace.pairs import ShownField
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

Weights = tuple[int, ...]
_MOST = 8
_TIMES = {"real": 10, "hand camera": 10, "overlay": 10, "dissolve": 10, "charts": 3}


def _edges(field: Field, weights: Weights) -> Field:
    return replace(field, edges=replace(edges.BY_HQ, weights=weights))


def _vectors(field: Field, weights: Weights) -> Field:
    if not isinstance(field.motions, field_vectors.FieldVectors):
        return field
    return replace(field, motions=replace(field.motions, weights=weights))


PARTS: dict[str, tuple[Callable[[Field, Weights], Field], Weights, int]] = {
    "edges": (_edges, edges.WEIGHTS, 12),
    "vectors": (_vectors, field_vectors.WEIGHTS, 16),
}
"""Of a part: a field with other weights, the weights as they are, and how many the module has in a row."""


def _made(part: str, frames: list[Frame], weights: Weights) -> np.ndarray:
    """What `hq` makes of both fields of frames with other weights."""
    stage, change = Deinterlace("hq", "field", deint="all", parity="tff"), PARTS[part][0]

    def fields_of(shown: list[ShownField]) -> list[Frame]:
        fields = [replace(one.field, long_filters=True, edges=edges.BY_HQ) for one in shown]
        return deinterlace_fields([change(field, weights) for field in fields], stage.parameters)

    stage._pairs._deinterlaced = fields_of  # type: ignore[method-assign, assignment]
    return np.stack([result.planes[0] for result in Pipeline([stage], "cpu")(frames)]).astype(np.int64)


def _moments(part: str, name: str, seed: int) -> np.ndarray:
    """By weight the sums of (sample - made)^2 and (sample - made)(truth - made), over the squared error of made."""
    count, truth = len(PARTS[part][1]), clip(name, seed)
    frames = [to_texsamp(frame) for frame in frames_of(name, truth)]
    none, most = (_made(part, frames, (weight,) * count) for weight in (0, _MOST))
    keys = np.zeros(none.shape, np.int64)  # by which weight each pixel is made, where that matters: found bit by bit
    for bit in range((count - 1).bit_length()):
        given = tuple(_MOST * (key >> bit & 1) for key in range(count))
        keys += (_made(part, frames, given) != none).astype(np.int64) << bit
    change, gap = most - none, np.stack(truth).astype(np.int64) - none
    sums = [np.bincount(keys.ravel(), values.ravel(), count) for values in (change**2, change * gap)]
    return np.array(sums) / max(float((gap**2).sum()), 1.0)


def fitted(part: str, clips: int) -> Weights:
    """The weights of a part in eighths; those of an eighth are none."""
    total = np.zeros((2, len(PARTS[part][1])))
    for name in (*CLASSES, *COMPRESSED):
        total += _TIMES.get(name, 1) * sum(_moments(part, name, seed) for seed in seeds("fit", clips))
    best = np.rint(_MOST * total[1] / np.maximum(total[0], 1e-12)).clip(0, _MOST).astype(int)
    return tuple(int(weight) if weight > 1 else 0 for weight in best)


def main() -> None:
    """The table as it stands in the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--clips", type=int, default=6, help="of each class")
    chosen = parser.parse_args()
    weights, row = fitted(chosen.part, chosen.clips), PARTS[chosen.part][2]
    for first in range(0, len(weights), row):
        print(f"    *({', '.join(map(str, weights[first : first + row]))}),")


if __name__ == "__main__":
    main()
