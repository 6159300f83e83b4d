"""Fits how much of the sample along an edge `deinterlace=best` takes, by how sure its path is (docs/deinterlace.md).

`python -m benchmarks.fit_edges [--clips 3]` prints the table of texsamp.video.deinterlace.edges, from the seeds to fit
by. Each weight minimizes the squared error over the pixels it is for; every class of clips counts the same.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.clips import to_texsamp
from benchmarks.judged import frames_of, ours
from benchmarks.judged_clips import CLASSES, COMPRESSED, clip, seeds
from texsamp.video.deinterlace.edges import WEIGHTS, draw_edges
from texsamp.video.frame import Frame

_EVERY = 3
"""Which fields take part."""


def _moments(name: str, seed: int) -> tuple[np.ndarray, float]:
    """By weight the sums of (edge - made)^2 and (edge - made)(truth - made), and the squared error of hq."""
    truth = clip(name, seed)
    frames = frames_of(name, truth)
    pictures = [to_texsamp(frame) for frame in frames]
    sums, error = np.zeros((len(WEIGHTS), 2)), 0.0
    for number, made in list(enumerate(ours("hq", frames)))[1::_EVERY]:
        n, parity = divmod(number, 2)
        if not 0 <= n + 2 * parity - 1 < len(pictures):
            continue
        height, width = made.shape
        gap = truth[number].astype(np.int64) - made
        error += float((gap**2).sum())
        for key in range(len(WEIGHTS)):
            out = Frame.from_arrays("gray", [made.copy()], width, height, "cpu")
            alone = tuple(8 * (k == key) for k in range(len(WEIGHTS)))
            out.device.launch(draw_edges(pictures[n], parity, pictures[n + 2 * parity - 1], out, alone))
            change = out.planes[0].astype(np.int64) - made
            sums[key] += (change**2).sum(), (change * gap).sum()
    return sums, error


def fitted(clips: int) -> tuple[int, ...]:
    """The weights in eighths; those of an eighth are none."""
    total = np.zeros((len(WEIGHTS), 2))
    for name in (*CLASSES, *COMPRESSED):
        found = [_moments(name, seed) for seed in seeds("fit", clips)]
        total += sum(sums for sums, _ in found) / max(sum(error for _, error in found), 1.0)
    best = np.rint(8 * total[:, 1] / np.maximum(total[:, 0], 1e-12)).clip(0, 8).astype(int)
    return tuple(int(weight) if weight > 1 else 0 for weight in best)


def main() -> None:
    """The table as it stands in the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=3, help="of each class")
    weights = fitted(parser.parse_args().clips)
    for row in range(0, len(weights), 12):
        print(f"    *({', '.join(map(str, weights[row : row + 12]))}),")


if __name__ == "__main__":
    main()
