"""Where samples live: arrays of a device in, arrays of the same device out, and as few kernels as there can be."""

import numpy as np
import pytest
from support.sampling import assert_equal, noise

import texsamp as ts
from texsamp.device.cpu import CpuDevice


class Held(np.ndarray):
    """Stands for an array in a device's memory, which only the device turns into numpy's."""


class StandIn(CpuDevice):
    """A device whose kernels take nothing but its own arrays; ``kernels`` lists what was launched."""

    def __init__(self):
        super().__init__()
        self.kernels = []

    def empty(self, shape, dtype):
        return super().empty(shape, dtype).view(Held)

    def upload(self, array):
        return array if isinstance(array, Held) else super().upload(array).view(Held)

    def download(self, array):
        return np.array(array)

    def copy(self, array):
        return super().copy(array).view(Held)

    def launch(self, *launches):
        for launch in launches:
            assert all(isinstance(array, Held) for array in launch.arrays), launch.kernel
            self.kernels.append(launch.kernel)
        super().launch(*launches)


KEY = ((0, 0, 0, 0), (30, 255, 255, 255))
U, V, W = np.random.default_rng(1).uniform(-1, 2, (3, 9, 70)).astype(np.float32)
CALLS = {
    "grid": lambda s, u, v, w: ts.sample(s, ts.Sampler(), u, v),
    "codes": lambda s, u, v, w: ts.sample(s, ts.Sampler(), u, v, dtype="uint8"),
    "lod": lambda s, u, v, w: ts.sample(s, ts.Sampler(address="border"), u, v, lod=w, offset=(1, 2)),
    "bias": lambda s, u, v, w: ts.sample(s, ts.Sampler(), u, v, bias=w),
    "gradients": lambda s, u, v, w: ts.sample(s, ts.Sampler(), u, v, gradients=((u, v), (v, w))),
    "anisotropic": lambda s, u, v, w: ts.sample(s, ts.Sampler(max_anisotropy=8), u, v),
    "ellipse": lambda s, u, v, w: ts.sample(s, ts.Sampler(anisotropy="ewa", address="border"), u, v),
    "killpix": lambda s, u, v, w: ts.sample_killpix(s, ts.Sampler(chroma_key=KEY, mip_filter="none"), u, v)[1],
    "gather4": lambda s, u, v, w: ts.gather4(s, ts.Sampler(), u, v, channel="b", offset=(3, -4)),
    "offsets": lambda s, u, v, w: ts.gather4(s, ts.Sampler(), u, v, offset=((u * 5).astype(int), 1)),
    "query": lambda s, u, v, w: ts.query_lod(s, ts.Sampler(max_anisotropy=4), u, v),
    "load": lambda s, u, v, w: ts.load(s, (u * 9).astype(np.int32), 3, level=(w * 2).astype(np.int32)),
    "resinfo": lambda s, u, v, w: ts.resinfo(s, (w * 2).astype(np.int32)),
    "cube": lambda s, u, v, w: ts.sample(cube_on(s.device), ts.Sampler(border=(1, 0, 1, 0)), u, v, w, cube_faces=21),
    "volume": lambda s, u, v, w: ts.sample(volume_on(s.device), ts.Sampler(), u, v, w, lod=0.5),
}


def brick_on(device):
    return ts.Surface.from_array(noise((17, 31, 4), np.uint8), "B8G8R8A8_UNORM", mips="box", tiling="Y", device=device)


def cube_on(device):
    return ts.Surface.from_array(noise((6, 8, 8, 4), np.float32), type="CUBE", mips="box", device=device)


def volume_on(device):
    return ts.Surface.from_array(noise((4, 5, 6, 4), np.uint8), type="3D", mips="box", device=device)


@pytest.mark.parametrize("name", CALLS)
def test_arrays_of_a_device_give_arrays_of_it(name):
    device, host = StandIn(), CpuDevice()
    wanted = CALLS[name](brick_on(host), U, V, W)
    assert not isinstance(wanted, Held)
    for points in ([device.upload(point) for point in (U, V, W)], (U, V, W)):
        found = CALLS[name](brick_on(device), *points)
        assert isinstance(found, Held)
        assert_equal(device.download(found), wanted)
    assert len(np.unique(wanted)) > 1


@pytest.mark.parametrize(
    ("name", "most"), [("grid", 1), ("codes", 1), ("lod", 2), ("anisotropic", 2), ("gather4", 1), ("load", 1)]
)
def test_a_texture_is_expanded_once_and_then_sampled_by_one_kernel(name, most):
    """Or two, if LODs or footprints of samples come first."""
    device = StandIn()
    brick, points = brick_on(device), [device.upload(point) for point in (U, V, W)]
    CALLS[name](brick, *points)
    known = set(device._functions)
    kernels = device.kernels[:]
    for _ in range(2):
        device.kernels.clear()
        CALLS[name](brick, *points)
        assert device.kernels == kernels[-len(device.kernels) :]
        assert len(device.kernels) <= most < len(kernels)
    assert set(device._functions) == known


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3, 4), (2, 1, 3, 2), (0, 4)])
def test_every_shape_of_coordinates(shape):
    random = np.random.default_rng(len(shape))
    u, v = random.random((2, *shape), np.float32)
    brick = brick_on(CpuDevice())
    found = ts.sample(brick, ts.Sampler(), u, v, lod=0.5)
    assert found.shape == (*shape, 4)
    flat = [ts.sample(brick, ts.Sampler(), *point, lod=0.5) for point in zip(u.ravel(), v.ravel(), strict=True)]
    assert_equal(found.reshape(-1, 4), np.array(flat, np.float32).reshape(-1, 4))


def test_arrays_through_dlpack():
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    brick = brick_on(CpuDevice())
    found = ts.sample(brick, ts.Sampler(), Foreign(U), Foreign(V), bias=Foreign(W))
    assert_equal(found, ts.sample(brick, ts.Sampler(), U, V, bias=W))
