"""How long kernels take on a GPU: what was launched is launched again as a CUDA graph, without the host between."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from texsamp.device.base import Launch
from texsamp.device.cuda import CudaDevice

Calls = Sequence[tuple[Launch, ...]]
"""Launches as they were given to `Device.launch`, call by call."""


class RecordingDevice(CudaDevice):
    """A device that can tell what is launched on it."""

    def __init__(self) -> None:
        super().__init__(0)
        self._calls: list[tuple[Launch, ...]] | None = None

    def launch(self, *launches: Launch) -> None:
        if self._calls is not None:
            self._calls.append(launches)
        super().launch(*launches)

    def launched_by(self, run: Callable[[], object]) -> Calls:
        """What one run launches; the memory it is about stays alive with it."""
        self._calls = calls = []
        run()
        self._calls = None
        self.synchronize()
        return calls


def kernels_s(device: CudaDevice, calls: Calls, rounds: int = 9, copies: int = 10) -> float:
    """Median time of all launches, one after the other: `copies` of them are one graph."""
    cupy: Any = device.arrays
    with device.current():
        stream = cupy.cuda.get_current_stream()
        stream.begin_capture()
        for _ in range(copies):
            for launches in calls:
                CudaDevice.launch(device, *launches)
        graph = stream.end_capture()
        graph.launch(stream)
        times = []
        for _ in range(rounds):
            begin = stream.record()
            graph.launch(stream)
            end = stream.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end) / 1e3 / copies)
    return statistics.median(times)
