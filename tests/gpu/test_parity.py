"""The GPU computes what the CPU computes, byte for byte."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from pictures import CASES

from texsamp import get_device
from texsamp.device.base import Launch
from texsamp.device.cpu import CpuDevice
from texsamp.device.sources import kernels_by_name
from texsamp.video.frame import Frame
from texsamp.video.scale import Scale

pytestmark = pytest.mark.gpu


class Recorder(CpuDevice):
    """Notes the kernels that are launched."""

    def __init__(self) -> None:
        super().__init__()
        self.launched: set[str] = set()

    def launch(self, *launches: Launch) -> None:
        self.launched |= {launch.kernel for launch in launches}
        super().launch(*launches)


@pytest.fixture(scope="module")
def cuda():
    return get_device("cuda")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bytes_are_the_cpus(cuda, case):
    for on_gpu, on_cpu in zip(case.run(cuda), case.run(get_device("cpu")), strict=True):
        assert (on_gpu.shape, on_gpu.dtype) == (on_cpu.shape, on_cpu.dtype)
        assert on_gpu.tobytes() == on_cpu.tobytes()


@pytest.mark.slow
def test_no_kernel_is_left_out():
    """The cases launch every kernel there is."""
    device = Recorder()
    for case in CASES:
        case.run(device)
    missing = sorted(set(kernels_by_name()) - device.launched)
    assert not missing, f"no case launches {missing}: add one to tests/pictures, and to its __init__.py"


def test_no_instance_of_a_function_is_left_out():
    """Every function that a kernel calls, such as each instance of a template, was executed by the cases above."""
    standin = pytest.importorskip("cupy.standin", reason="only the stand-in knows")
    kernels = [kernel for module in standin.devices[0].modules for kernel in module.kernels]
    if {kernel.name for kernel in kernels if kernel.was_launched} != set(kernels_by_name()):
        pytest.skip("a part of the cases was run")
    executed: Counter[str] = Counter()
    for kernel in kernels:
        executed.update(kernel.executed())
    assert len(executed) > len(kernels_by_name())
    assert [name for name, count in executed.items() if not count] == []


@pytest.mark.parametrize("adaptive", ["off", "on"])
def test_a_whole_frame(cuda, adaptive):
    """A size with many tiles in both directions."""
    planes = [np.random.default_rng(i).integers(0, 256, shape, np.uint8) for i, shape in enumerate([(720, 1280)])]
    stage = Scale(1920, 1080, preset="ihd", adaptive=adaptive)
    results = []
    for device in (cuda, get_device("cpu")):
        (frame,) = stage.feed(Frame.from_arrays("gray", planes, 1280, 720, device))
        results.append(frame.to_arrays()[0])
    assert results[0].tobytes() == results[1].tobytes()


def test_a_frame_moves_between_devices(cuda):
    planes = [np.random.default_rng(0).integers(0, 256, (16, 24), np.uint8)]
    frame = Frame.from_arrays("gray", planes, 24, 16, "cpu")
    assert frame.to(cuda).to("cpu").to_arrays()[0].tobytes() == planes[0].tobytes()


def test_arrays_of_the_users_own_stream_order(cuda):
    """CuPy's default stream and the device's stream see each other's work without events."""
    import cupy

    for _ in range(20):
        array = cupy.full((512, 512), 7, cupy.uint8)
        for _ in range(10):
            array = array + 1
        (out,) = Scale(512, 512, preset="bilinear").feed(Frame.from_arrays("gray", [array], 512, 512, cuda))
        assert int((out.planes[0] + 1).max()) == 18


def test_an_unknown_kernel_is_an_error(cuda):
    from texsamp import DeviceError

    with pytest.raises(DeviceError, match="no kernel named"):
        cuda.launch(Launch("nonesuch", np.zeros((), [("a", "<i4")])[()], 1, 1, ()))
