"""The CPU device: the same bits from every instruction set, thread count and process."""

import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest
from pictures import CASES, ExactDevice

from texsamp import DeviceError, set_threads
from texsamp.device import cpu, levels
from texsamp.device.base import Launch
from texsamp.device.cpu import CpuDevice, chosen_level, library_path
from texsamp.device.levels import supported_levels

LEVELS = [level for level in supported_levels() if library_path(level)]
FEW = CASES[:: len(CASES) // 12]


@pytest.fixture(autouse=True)
def default_threads(monkeypatch):
    monkeypatch.delenv("TEXSAMP_CPU_LEVEL", raising=False)
    yield
    set_threads(None)


def bytes_of(arrays):
    return [(array.shape, array.dtype.str, array.tobytes()) for array in arrays]


@pytest.fixture(scope="module")
def expected():
    set_threads(1)
    device = CpuDevice(LEVELS[-1])
    made = {case.name: bytes_of(case.run(device)) for case in CASES}
    set_threads(None)
    return made


@pytest.mark.slow
def test_cases_have_names_of_their_own_and_results_that_are_not_flat():
    assert len({case.name for case in CASES}) == len(CASES)
    flat = [case.name for case in CASES if all(np.ptp(array) == 0 for array in case.run(CpuDevice()))]
    assert [name for name in flat if not any(part in name for part in ("1x1", "2x1", "far", "scores"))] == []


@pytest.mark.slow
@pytest.mark.parametrize(("level", "threads"), [*((LEVELS[0], n) for n in (1, 2, 7)), *((each, 3) for each in LEVELS)])
def test_results_do_not_depend_on_threads_and_instruction_set(expected, level, threads):
    set_threads(threads)
    device = CpuDevice(level)
    different = [case.name for case in CASES if bytes_of(case.run(device)) != expected[case.name]]
    assert different == []


@pytest.mark.parametrize("level", LEVELS)
def test_libraries_of_other_sources_are_refused(monkeypatch, level):
    monkeypatch.setattr(cpu, "kernel_digest", lambda: "other sources")
    with pytest.raises(DeviceError, match="install texsamp again"):
        CpuDevice(level)


@pytest.mark.slow
def test_several_python_threads_launch_at_once(expected):
    set_threads(3)
    device = CpuDevice()
    wrong: list[str] = []

    def work(offset: int) -> None:
        for case in FEW[offset:] + FEW[:offset]:
            if bytes_of(case.run(device)) != expected[case.name]:
                wrong.append(case.name)

    workers = [threading.Thread(target=work, args=(i * 3,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert wrong == []


# -- fork ------------------------------------------------------------------------------------------------------------


def _child(queue: "multiprocessing.Queue[bool]", want) -> None:
    queue.put(all(bytes_of(case.run(CpuDevice())) == want[case.name] for case in FEW))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
class TestFork:
    def test_a_child_process_computes_the_same(self, expected):
        set_threads(3)
        _launch_all(expected)
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        children = [context.Process(target=_child, args=(queue, expected)) for _ in range(2)]
        for child in children:
            child.start()
        assert [queue.get(timeout=60) for _ in children] == [True, True]
        for child in children:
            child.join(60)
            assert child.exitcode == 0

    def test_forking_while_other_threads_launch(self, expected):
        set_threads(3)
        stop = threading.Event()
        busy = [threading.Thread(target=_launch_until, args=(stop,)) for _ in range(2)]
        for thread in busy:
            thread.start()
        try:
            for _ in range(8):
                assert _fork_and_compute(expected) == 0
        finally:
            stop.set()
            for thread in busy:
                thread.join(60)


def _launch_all(want) -> None:
    assert all(bytes_of(case.run(CpuDevice())) == want[case.name] for case in FEW)


def _launch_until(stop: threading.Event) -> None:
    device = CpuDevice()
    while not stop.is_set():
        FEW[0].run(device)


def _fork_and_compute(want) -> int:
    """Exit status of a child that launches kernels; it is killed by an alarm if it hangs."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            _launch_all(want)
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


# -- choosing a level ------------------------------------------------------------------------------------------------


def test_the_best_level_is_chosen():
    assert chosen_level() == LEVELS[0]
    assert CpuDevice().level == LEVELS[0]


@pytest.mark.parametrize("level", LEVELS)
def test_the_environment_chooses_a_level(monkeypatch, level):
    monkeypatch.setenv("TEXSAMP_CPU_LEVEL", level)
    assert CpuDevice().level == level
    assert level in CpuDevice().describe()


@pytest.mark.parametrize("text", ["v9", "V3", "avx2", "x86-64-v3", "../v3"])
def test_a_bad_level_in_the_environment(monkeypatch, text):
    monkeypatch.setenv("TEXSAMP_CPU_LEVEL", text)
    with pytest.raises(DeviceError, match=f"TEXSAMP_CPU_LEVEL must be one of {', '.join(LEVELS)} .* found '{text}'"):
        CpuDevice()


def test_a_level_that_is_not_built():
    with pytest.raises(DeviceError, match="built without kernels for CPU level 'v9'"):
        CpuDevice("v9")


@pytest.mark.skipif("v3" not in LEVELS, reason="needs a processor of level v3")
def test_a_level_that_the_processor_does_not_run(monkeypatch):
    monkeypatch.setattr(cpu, "supported_levels", lambda: ("v2",))
    with pytest.raises(DeviceError, match="this processor runs v2, not CPU level 'v3'"):
        CpuDevice("v3")
    assert CpuDevice().level == "v2"


@pytest.mark.parametrize(
    ("missing", "runs"),
    [
        (set(), ("v4", "v3", "v2", "generic")),
        ({"avx512vl"}, ("v3", "v2", "generic")),
        ({"avx2"}, ("v2", "generic")),
        ({"ssse3"}, ("generic",)),
    ],
)
def test_levels_follow_the_processors_flags(monkeypatch, missing, runs):
    every = frozenset().union(*levels.X86_LEVELS.values())
    monkeypatch.setattr(levels.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(levels, "_processor_flags", lambda: every - missing)
    assert supported_levels() == runs


def test_levels_elsewhere(monkeypatch):
    monkeypatch.setattr(levels.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(levels, "_processor_flags", frozenset)
    assert supported_levels() == ("v2", "generic"), "without flags only the lowest is safe"
    monkeypatch.setattr(levels.platform, "machine", lambda: "aarch64")
    assert supported_levels() == ("generic",)


def test_no_library_for_this_processor(monkeypatch):
    monkeypatch.setattr(cpu, "library_path", lambda _level: None)
    with pytest.raises(DeviceError, match="no kernel library for this processor"):
        chosen_level()


# -- arrays and launches ---------------------------------------------------------------------------------------------


def test_numpy_arrays_are_not_copied():
    device = CpuDevice()
    array = np.arange(12).reshape(3, 4)
    assert device.upload(array) is array
    assert device.download(array) is array
    assert device.address(array[1:]) == array.ctypes.data + array.strides[0]


def test_arrays_of_other_libraries_are_taken():
    device = CpuDevice()

    class Foreign:
        def __init__(self, array):
            self._array = array

        def __dlpack__(self, **_):
            return self._array.__dlpack__()

        def __dlpack_device__(self):
            return self._array.__dlpack_device__()

    class Tensor(Foreign):
        def __array__(self, *_, **__):
            return self._array

    class OnAGpu:
        device = "some"

        def get(self):
            return np.ones(3)

    array = np.arange(5)
    assert device.address(device.upload(Foreign(array))) == array.ctypes.data
    assert device.upload([1, 2]).tolist() == [1, 2]
    with pytest.raises(BufferError):
        device.upload(Foreign(array)).__dlpack__()  # which may not be written, for all that numpy knows
    assert device.upload(Tensor(array)).__dlpack__() is not None
    assert device.upload(OnAGpu()).tolist() == [1, 1, 1]


def test_a_copy_is_packed_tightly():
    array = np.arange(200).reshape(10, 20)[:, :7]
    copy = CpuDevice().copy(array)
    assert (copy == array).all()
    assert copy.strides == (7 * array.itemsize, array.itemsize)


def test_an_unknown_kernel():
    with pytest.raises(DeviceError, match=r"no kernel named 'nonesuch' in the CPU library"):
        CpuDevice().launch(Launch("nonesuch", np.zeros((), [("a", "<i4")])[()], 1, 1, ()))


def test_a_library_built_elsewhere():
    device = ExactDevice(library_path(LEVELS[0]))
    assert bytes_of(FEW[0].run(device)) == bytes_of(FEW[0].run(CpuDevice()))
