"""Pictures of quads that a GPU draws are those of the CPU, and its samples are verified where they are."""

from __future__ import annotations

import numpy as np
import pytest
from support.textures import KINDS, texture

import texsamp as ts
from texsamp import get_device
from texsamp.draw import FILTERS, draw_quad, quad_sampler

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def cuda():
    return get_device("cuda")


@pytest.mark.parametrize("filter", FILTERS)
@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "BC1_UNORM_SRGB", "BC4_UNORM"])
def test_pictures_are_the_cpus(cuda, filter, format):
    sampler = quad_sampler(filter, ("wrap", "mirror"))
    for levels in (1, 3):
        images = texture(format, levels=levels)
        drawn = [
            draw_quad(images, sampler, (90, 70), "rotate=30,scale=0.4,perspective=0.5", plane=True, device=device)
            for device in (cuda, "cpu")
        ]
        assert drawn[0].texels.tobytes() == drawn[1].texels.tobytes()
        assert len(np.unique(drawn[0].texels)) > 10


def test_cubes_and_volumes(cuda):
    for kind in ("cube", "3D"):
        images = texture("R8G8B8A8_UNORM", **KINDS[kind])
        drawn = [draw_quad(images, ts.Sampler(), (40, 30), "scale=0.4", device=device) for device in (cuda, "cpu")]
        assert drawn[0].texels.tobytes() == drawn[1].texels.tobytes()


def test_samples_on_the_gpu_are_verified(cuda):
    made = ts.Surface.from_array(np.random.default_rng(0).random((32, 48, 4), np.float32), mips="box", device=cuda)
    grid = ts.quad_grid((64, 48), "rotate=30,scale=0.4", device=cuda)
    result = ts.sample(made, ts.Sampler(), grid.u, grid.v)
    assert ts.verify(made, ts.Sampler(), grid.u, grid.v, result=result).ok
    result[3, 4] += 1
    assert ts.verify(made, ts.Sampler(), grid.u, grid.v, result=result).rejected == 1
