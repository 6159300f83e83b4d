"""The engines that start threads, on one memory."""

from __future__ import annotations

from texsamp.device import Device
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.compute import ComputePipeline
from texsamp.emulator.dispatch.media import MediaPipeline
from texsamp.emulator.dispatch.runner import Runner


class Engines:
    """Media and GPGPU pipeline; they keep prepared kernels together."""

    def __init__(self, memory: CaseMemory, device: Device | None = None) -> None:
        """device: where threads run, the CPU if None."""
        runner = Runner(memory, device)
        self.media, self.compute = MediaPipeline(runner), ComputePipeline(runner)
