"""More rows of tiles than a grid's y can have, on the stand-in, which refuses such a grid as a GPU does."""

import numpy as np
import pytest
from support.pretended_cuda import pretended_cuda

import texsamp as ts
from texsamp.device import cuda
from texsamp.video.component_planes import ComponentPlanes


@pytest.fixture
def cupy():
    with pretended_cuda() as module:
        yield module


def test_a_picture_of_more_rows_than_a_grid_has(cupy):
    rows = np.random.default_rng(1).integers(0, 1 << 32, (cuda.GRID_ROWS + 1, 1), np.uint32)

    def channels(device: str) -> list[bytes]:
        frame = ts.Frame.from_arrays("x2rgb10le", [rows], 1, len(rows), device)
        return [frame.device.download(part.array).tobytes() for part in ComponentPlanes(frame).part().values()]

    assert channels("cuda") == channels("cpu")
    assert cupy.standin.launched == {"unpack10"}


def test_rows_of_samples_that_go_on_along_z(cupy, monkeypatch):
    monkeypatch.setattr(cuda, "GRID_ROWS", 7)
    random = np.random.default_rng(2)
    texels, u = random.integers(0, 256, (8, 8, 4), np.uint8), random.random((30, 1), np.float32)

    def sampled(device: str) -> list[bytes]:
        surface = ts.Surface.from_array(texels, "R8G8B8A8_UNORM", device=device)
        made = ts.sample(surface, ts.Sampler(max_anisotropy=4), u, u), ts.query_lod(surface, ts.Sampler(), u, u)
        return [surface.device.download(each).tobytes() for each in made]

    assert sampled("cuda") == sampled("cpu")
    assert {"sample_grid_footprints", "sample_grid_lods"} <= cupy.standin.launched, "a row of tiles for each row"
