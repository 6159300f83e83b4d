"""Surfaces on a GPU are the surfaces of the CPU, and share memory with other libraries there."""

from __future__ import annotations

import numpy as np
import pytest

import texsamp as ts
from texsamp import Surface, get_device

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def cuda():
    return get_device("cuda")


@pytest.mark.parametrize("tiling", ["linear", "X", "Y"])
@pytest.mark.parametrize("name", ["R8G8B8A8_UNORM", "B8G8R8A8_UNORM_SRGB", "B5G6R5_UNORM"])
def test_memory_and_texels_are_the_cpus(cuda, tiling, name):
    array = np.random.default_rng(0).random((6, 45, 45, 3 if name == "B5G6R5_UNORM" else 4), np.float32)
    options = {"format": name, "type": "CUBE", "mips": "kaiser", "tiling": tiling}
    on_cpu = Surface.from_array(array, device="cpu", **options)
    on_gpu = Surface.from_array(array, device=cuda, **options)
    assert on_gpu == on_cpu
    assert cuda.download(on_gpu.data).tobytes() == on_cpu.data.tobytes()
    assert Surface.from_memory(on_gpu.data, on_gpu.state, device=cuda) == on_cpu
    assert cuda.download(on_gpu.to_array(2, face="-z")).tobytes() == on_cpu.to_array(2, face="-z").tobytes()


def test_copies_are_of_their_own_memory(cuda):
    array = cuda.upload(np.arange(60, dtype=np.uint16).reshape(6, 10))
    for source in (array, array[1:4], array[:, 2:7]):
        copy = cuda.copy(source)
        assert copy.data.ptr != source.data.ptr
        assert np.array_equal(cuda.download(copy), cuda.download(source))


def test_a_tensor_that_needs_gradients_is_refused(cuda):
    class Tensor:
        requires_grad, dtype = True, "torch.float32"

        def __dlpack__(self, **_):
            raise RuntimeError("Can't export tensors that require gradient")

        def __dlpack_device__(self):
            return 1, 0

    with pytest.raises(ts.FormatError, match=r"needs gradients, which stop here: give array.detach\(\)"):
        cuda.upload(Tensor())


def test_samples_and_files(cuda):
    array = np.random.default_rng(1).integers(0, 256, (4, 9, 13, 1), np.uint8)
    surface = Surface.from_array(array, "R8_UNORM", samples=4, tiling="Y", device=cuda)
    assert cuda.download(surface.to_array()).tobytes() == array.tobytes()
    layers = Surface.from_array(array, "R8_UNORM", tiling="Y", device=cuda)
    assert Surface.from_images(layers.images(), tiling="Y", device="cpu") == layers


def test_texels_are_shared_by_dlpack(cuda):
    import cupy

    array = cupy.arange(64 * 4, dtype=cupy.uint8).reshape(8, 8, 4)
    surface = Surface.from_array(array, device=cuda)
    assert isinstance(surface.to_array(), cupy.ndarray)
    taken = cupy.from_dlpack(surface.data)
    assert taken.data.ptr == surface.data.data.ptr
    assert bool((cupy.from_dlpack(surface.to_array()) == array).all())


def test_lods_on_the_device_are_taken(cuda):
    texels = np.random.default_rng(2).integers(0, 256, (9, 13, 4), np.uint8)
    lod, u, v = np.random.default_rng(3).uniform(0, 3, (3, 40)).astype(np.float32)
    found = [
        ts.sample(
            Surface.from_array(texels, mips="box", device=on), ts.Sampler(), *map(on.upload, (u, v)), lod=on.upload(lod)
        )
        for on in (cuda, get_device("cpu"))
    ]
    assert cuda.download(found[0]).tobytes() == found[1].tobytes()
