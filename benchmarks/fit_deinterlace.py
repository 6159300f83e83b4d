"""Fits how much `hq` and `best` take of samples along edges, and of compensated ones (docs/deinterlace-hq.md).

`python -m benchmarks.fit_deinterlace edges|vectors|again [--clips 4]` prints a table of
texsamp.video.deinterlace.edges or .field_vectors, from the seeds to fit by. Together the weights make the mean PSNR as
large as they can: a picture's squared error counts by what is left of it. Classes count the same, but those of cameras
more, as what they can gain is little, and for edges charts, which look like some where they alias, and diagonals, which
are nothing else.
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
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.frame_pairs import ShownField, under_light
from texsamp.video.deinterlace.launches import deinterlace_fields
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

Weights = tuple[int, ...]
Moments = tuple[float, np.ndarray, np.ndarray]
"""Of a picture, by weight but for the first: squared error, (sample - made)^2, (sample - made)(truth - made)."""
_MOST = 8
_ROUNDS = 8
_LEAST = 1e-6 * 255**2
"""Mean squared error at 60 dB, which is taken for none."""


def _edges(field: Field, weights: Weights) -> Field:
    return replace(field, edges=replace(edges.BY_HQ, weights=weights))


def _again(field: Field, weights: Weights) -> Field:
    return replace(field, edges=replace(edges.BY_HQ, again=weights))


def _vectors(field: Field, weights: Weights) -> Field:
    if not isinstance(field.motions, field_vectors.FieldVectors):
        return field
    return replace(field, motions=replace(field.motions, weights=bytes(weights)))


PARTS: dict[str, tuple[Callable[[Field, Weights], Field], Weights, int, dict[str, int]]] = {
    "edges": (
        _edges,
        edges.WEIGHTS,
        12,
        {"real": 5, "hand camera": 8, "overlay": 3, "diagonals": 3, "charts": 2, "credits": 3},
    ),
    "again": (_again, edges.AGAIN, 12, {"real": 8, "hand camera": 8, "pan": 5}),
    "vectors": (
        _vectors,
        tuple(field_vectors.WEIGHTS),
        32,
        {
            "real": 8,
            "hand camera": 8,
            "small objects": 4,
            "overlay": 3,
            "diagonals": 3,
            "credits": 2,
            "pan": 2,
            "wheels": 2,
            "ticker": 2,
            "H.264": 2,
        },
    ),
}
"""Of a part: a field with other weights, those that are, how many the module has in a row, and what classes count."""


def _made(part: str, frames: list[Frame], weights: Weights) -> np.ndarray:
    """What `hq` makes of both fields of frames with other weights."""
    stage, change = Deinterlace("hq", "field", deint="all", parity="tff"), PARTS[part][0]

    def fields_of(shown: list[ShownField]) -> list[Frame]:
        lit = [under_light(one.relit, one.field) for one in shown]
        fields = [replace(field, long_filters=True, edges=edges.BY_HQ) for field in lit]
        return deinterlace_fields([change(field, weights) for field in fields], stage.parameters)

    stage._pairs._deinterlaced = fields_of  # type: ignore[method-assign, assignment]
    return np.stack([result.planes[0] for result in Pipeline([stage], "cpu")(frames)]).astype(np.int64)


def _moments(part: str, name: str, seed: int) -> list[Moments]:
    """Of a clip's pictures."""
    count, truth = len(PARTS[part][1]), clip(name, seed)
    frames = [to_texsamp(frame) for frame in frames_of(name, truth)]
    none, most = (_made(part, frames, (weight,) * count) for weight in (0, _MOST))
    keys = np.zeros(none.shape, np.int64)  # by which weight each pixel is made, where that matters: found bit by bit
    for bit in range((count - 1).bit_length()):
        given = tuple(_MOST * (key >> bit & 1) for key in range(count))
        keys += (_made(part, frames, given) != none).astype(np.int64) << bit
    change, gap = most - none, np.stack(truth).astype(np.int64) - none
    found = []
    for key, by, lacks in zip(keys, change, gap, strict=True):
        sums = [np.bincount(key.ravel(), values.ravel(), count) / key.size for values in (by**2, by * lacks)]
        found.append((float((lacks**2).mean()), sums[0], sums[1]))
    return found


def fitted(part: str, clips: int) -> Weights:
    """The weights of a part in eighths; those of an eighth are none."""
    times = PARTS[part][3]
    pictures = [
        (times.get(name, 1), picture)
        for name in (*CLASSES, *COMPRESSED)
        for seed in seeds("fit", clips)
        for picture in _moments(part, name, seed)
    ]
    best = np.array(PARTS[part][1]) / _MOST
    for _ in range(_ROUNDS):
        total = np.zeros((2, len(best)))
        for count, (error, own, shared) in pictures:
            left = error + float(best @ (best * own - 2 * shared))
            total += count / max(left, _LEAST) * np.array([own, shared])
        best = (total[1] / np.maximum(total[0], 1e-12)).clip(0, 1)
    eighths = np.rint(_MOST * best).astype(int)
    return tuple(int(weight) if weight > 1 else 0 for weight in eighths)


def main() -> None:
    """The table as it stands in the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--clips", type=int, default=4, help="of each class")
    chosen = parser.parse_args()
    weights, row = fitted(chosen.part, chosen.clips), PARTS[chosen.part][2]
    for first in range(0, len(weights), row):
        print(f"    *({', '.join(map(str, weights[first : first + row]))}),")


if __name__ == "__main__":
    main()
