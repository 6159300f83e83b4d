"""The engines that start threads, on one memory."""

from __future__ import annotations

from texsamp.device import Device
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.dispatch.compute import ComputePipeline
from texsamp.emulator.dispatch.draw_pipeline import DrawPipeline
from texsamp.emulator.dispatch.media import MediaPipeline
from texsamp.emulator.dispatch.runner import Runner


class Engines:
    """What commands work with: the memory of a case, and the pipelines, which keep prepared kernels together."""

    def __init__(self, memory: CaseMemory, device: Device | None = None) -> None:
        """device: where threads run, the CPU if None."""
        self.memory = memory
        self.runner = Runner(memory, device)
        self.drawing = DrawPipeline(self.runner)
        self.media, self.compute = MediaPipeline(self.runner), ComputePipeline(self.runner)
