"""Messages to the sampling engine, to what executes them."""

from __future__ import annotations

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.sampler_settings import SamplerSettings
from texsamp.emulator.context.samplers import SamplerTable
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.shared.sampler.chosen_blocks import ChosenBlocks
from texsamp.emulator.shared.sampler.deinterlace import Deinterlacer
from texsamp.emulator.shared.sampler.sample_8x8 import Sample8x8
from texsamp.emulator.shared.sampler.sample_messages import Texturing
from texsamp.errors import CaptureError
from texsamp.sampler.messages.groups import SAMPLE_UNORM
from texsamp.state.sampler_messages import BlockMessage, SamplerMessageDescriptor, SimdMode


class Sampling:
    """The sampling engine as the threads of one dispatch see it."""

    def __init__(
        self,
        surfaces: SurfaceTable,
        samplers: SamplerTable,
        budget: Budget,
        settings: SamplerSettings,
        chosen: ChosenBlocks,
    ) -> None:
        self._sample_8x8 = Sample8x8(surfaces, samplers, budget, settings)
        self._deinterlacer = Deinterlacer(surfaces, samplers, budget, chosen)
        self._texturing = Texturing(surfaces, samplers, budget, settings)

    def send(self, message: Message) -> None:
        """Carry a message out; CaptureError and what `texsamp.sampler` raises for what is illegal or not executed."""
        descriptor = SamplerMessageDescriptor.from_dwords([message.descriptor])
        if descriptor.simd_mode != SimdMode.SIMD32_64:
            self._texturing.send(message, descriptor)
            return
        kind = BlockMessage(descriptor.block_message_type)
        if kind is BlockMessage.SAMPLE_8X8:
            self._sample_8x8.send(message, descriptor)
        elif kind is BlockMessage.DEINTERLACE:
            self._deinterlacer.send(message, descriptor)
        elif kind.name in SAMPLE_UNORM:
            self._texturing.send(message, descriptor)
        elif kind is BlockMessage.CACHE_FLUSH:
            self._texturing.flush(message, descriptor)
        else:
            raise CaptureError(f"sampler message {kind.name} is not executed")
