"""Messages to the sampling engine, to what executes them."""

from __future__ import annotations

from collections.abc import Callable

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.sampler_settings import SamplerSettings
from texsamp.emulator.context.samplers import SamplerTable
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.sampler.deinterlace import Deinterlacer
from texsamp.emulator.shared.sampler.kept_surfaces import KeptSurfaces
from texsamp.emulator.shared.sampler.sample_8x8 import Sample8x8
from texsamp.emulator.shared.sampler.sample_messages import SampleMessages
from texsamp.emulator.shared.sampler.walked_blocks import WalkedBlocks
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
        walked: WalkedBlocks,
        kept: KeptSurfaces,
    ) -> None:
        blocks = Sample8x8(surfaces, samplers, budget, settings)
        deinterlacer = Deinterlacer(surfaces, samplers, budget, walked)
        samples = SampleMessages(surfaces, samplers, budget, settings, kept)
        self._samples = samples
        self._blocks: dict[BlockMessage, Callable[[Message, SamplerMessageDescriptor], None]] = {
            **{kind: samples.send for kind in BlockMessage if kind.name in SAMPLE_UNORM},
            BlockMessage.SAMPLE_8X8: blocks.send,
            BlockMessage.DEINTERLACE: deinterlacer.send,
            BlockMessage.CACHE_FLUSH: samples.flush,
        }
        self._unasked_blocks: dict[BlockMessage, Callable[[Unasked, SamplerMessageDescriptor], bool]] = {
            BlockMessage.SAMPLE_8X8: blocks.send_unasked,
            BlockMessage.DEINTERLACE: deinterlacer.send_unasked,
            **{kind: samples.send_unasked for kind in BlockMessage if kind.name in SAMPLE_UNORM},
            BlockMessage.CACHE_FLUSH: samples.flush_unasked,
        }

    def send(self, message: Message) -> None:
        """Carry a message out; CaptureError and what `texsamp.sampler` raises for what is illegal or not executed."""
        descriptor = message.described(SamplerMessageDescriptor)
        if descriptor.simd_mode != SimdMode.SIMD32_64:
            self._samples.send(message, descriptor)
            return
        kind = BlockMessage(descriptor.block_message_type)
        if kind not in self._blocks:
            raise CaptureError(f"sampler message {kind.name} is not executed")
        self._blocks[kind](message, descriptor)

    def send_unasked(self, message: Unasked) -> bool:
        """Carry a message out with its mask left where threads are; False if that cannot be."""
        descriptor = message.described(SamplerMessageDescriptor)
        if descriptor.simd_mode != SimdMode.SIMD32_64:
            return self._samples.send_unasked(message, descriptor)
        kind = BlockMessage(descriptor.block_message_type)
        return kind in self._unasked_blocks and self._unasked_blocks[kind](message, descriptor)
