"""A user's program: strict mypy and pyright accept it, and it runs (tests/packaging/test_types.py)."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import texsamp as ts


class Invert(ts.Stage):
    """A stage of one's own."""

    def feed(self, frame: ts.Frame) -> list[ts.Frame]:
        """The negative of 8-bit luma."""
        luma, *chroma = frame.to("cpu").planes
        return [frame.to("cpu").like(frame.width_px, frame.height_px, [255 - luma, *chroma])]


def brightness(frame: ts.Frame) -> float:
    """Mean of the first plane."""
    plane: NDArray[np.uint8] = np.asarray(frame.plane(0))
    return float(plane.mean())


def video(source: Path, target: Path) -> int:
    """Filter a file, frame by frame; how many came out."""
    pipeline = ts.Pipeline([ts.Scale(64, 48, preset="ihd"), ts.Sharpen(44), Invert()], device="cpu")
    count = 0
    with ts.VideoReader(source) as reader:
        rate: Fraction | None = reader.frame_rate
        assert rate is None or rate > 0
        for frame in pipeline(reader):
            assert 0 <= brightness(frame) <= 255
            picture: NDArray[np.uint8] = frame.to_rgb()
            assert picture.shape == (48, 64, 3)
            count += 1
    result = ts.process(source, target, vf="scale=32x24", device="cpu")
    seconds: float = result.seconds.total
    assert seconds >= 0
    return count + result.frames_out


def texture() -> NDArray[np.float32]:
    """Sample a texture made of an array, at lists and arrays of coordinates."""
    texels = np.zeros((8, 8, 4), np.uint8)
    surface = ts.Surface.from_array(texels, mips="box", device="cpu")
    sampler = ts.Sampler(min_filter="linear", address=("wrap", "clamp"))
    at = np.linspace(0, 1, 5, dtype=np.float32)
    samples = ts.sample(surface, sampler, at, [0.5] * 5, lod=0.0)
    values: NDArray[np.float32] = np.asarray(samples)
    level = ts.load(surface, 1, 2, level=1)
    assert level.shape == (4,)
    killed, _ = ts.sample_killpix(surface, sampler, at, at, lod=0.0, palette=None)
    assert killed.shape == (5, 4)
    return values


def main(folder: str) -> None:
    """Both."""
    print(video(Path(folder, "in.mkv"), Path(folder, "out.mkv")), texture().shape)


if __name__ == "__main__":
    main(sys.argv[1])
