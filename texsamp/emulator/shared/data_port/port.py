"""Routing of data port messages to what executes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from texsamp.emulator.context.surfaces import SHARED
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.buffers import Buffers
from texsamp.emulator.shared.data_port.data_blocks import DataBlocks
from texsamp.emulator.shared.data_port.element_messages import ElementMessages
from texsamp.emulator.shared.data_port.media_block import MediaBlocks
from texsamp.emulator.shared.data_port.scattered import Scattered
from texsamp.emulator.shared.data_port.scratch import Scratch
from texsamp.emulator.shared.data_port.typed import Typed
from texsamp.emulator.shared.data_port.typed_messages import TypedMessages
from texsamp.emulator.shared.data_port.untyped import Untyped
from texsamp.emulator.shared.router import SendMessage, SendUnasked, SharedFunction
from texsamp.errors import CaptureError
from texsamp.state.data_port import (
    ConstantCacheDescriptor,
    ConstantCacheMessage,
    DataCacheDescriptor,
    DataCacheMessage,
    RenderCacheDescriptor,
    RenderCacheMessage,
    SamplerCacheDescriptor,
    SamplerCacheMessage,
)

_WITH_SHARED_MEMORY = (
    DataCacheMessage.BYTE_SCATTERED_READ,
    DataCacheMessage.BYTE_SCATTERED_WRITE,
    DataCacheMessage.UNTYPED_SURFACE_READ,
    DataCacheMessage.UNTYPED_SURFACE_WRITE,
    DataCacheMessage.UNTYPED_ATOMIC,
    DataCacheMessage.MEMORY_FENCE,
)
"""Messages that reach shared local memory (seed 003:8142-8189); to other caches its index is a surface's."""


class DataPort:
    """The data ports of the sampler, render, constant and data caches; all of them see one memory.

    CaptureError for what is illegal or not executed, and for what lies where nothing is mapped.
    """

    def __init__(
        self,
        media: MediaBlocks,
        buffers: Buffers,
        render_targets: SendMessage | None = None,
        render_targets_unasked: SendUnasked | None = None,
    ) -> None:
        """render_targets: what takes writes to render targets; only pixel threads have any.

        render_targets_unasked: of threads on a device, with nothing brought.
        """
        self._render_targets, self._render_targets_unasked = render_targets, render_targets_unasked
        self.media, self.blocks, self.scattered = media, DataBlocks(buffers), Scattered(buffers)
        self.typed, self.untyped, self.scratch = Typed(buffers), Untyped(buffers), Scratch(buffers)
        self.elements, self.texels = ElementMessages(buffers), TypedMessages(buffers)

    def sampler_cache(self, message: Message) -> None:
        """A message to the sampler cache."""
        descriptor = message.described(SamplerCacheDescriptor)
        _SAMPLER_CACHE[SamplerCacheMessage(descriptor.message_type)](self, message, descriptor)

    def render_cache(self, message: Message) -> None:
        """A message to the render cache."""
        descriptor = message.described(RenderCacheDescriptor)
        kind = RenderCacheMessage(descriptor.message_type)
        _check_response(message, kind.name, descriptor.commit if kind is RenderCacheMessage.MEMORY_FENCE else False)
        if kind is RenderCacheMessage.RENDER_TARGET_WRITE and self._render_targets is not None:
            self._render_targets(message)
            return
        if kind not in _RENDER_CACHE:
            raise CaptureError(f"{descriptor.name} {kind.name} is not executed")
        _RENDER_CACHE[kind](self, message, descriptor)

    def constant_cache(self, message: Message) -> None:
        """A message to the constant cache."""
        descriptor = message.described(ConstantCacheDescriptor)
        _CONSTANT_CACHE[ConstantCacheMessage(descriptor.message_type)](self, message, descriptor)

    def unasked(self, message: Unasked) -> bool:
        """A message to any of them, with what it is about left where threads are; False if that cannot be."""
        function = message.shared_function
        if function == SharedFunction.RENDER_CACHE:
            of_render = message.described(RenderCacheDescriptor)
            if of_render.message_type == RenderCacheMessage.MEDIA_BLOCK_WRITE:
                return not message.response_length and self.media.write_unasked(message, of_render)
            if of_render.message_type == RenderCacheMessage.MEDIA_BLOCK_READ:
                return self.media.read_unasked(message, of_render)
            if of_render.message_type == RenderCacheMessage.RENDER_TARGET_WRITE:
                take = self._render_targets_unasked
                return take is not None and not message.response_length and take(message)
            carry_out = {
                RenderCacheMessage.TYPED_SURFACE_READ: self.texels.read,
                RenderCacheMessage.TYPED_SURFACE_WRITE: self.texels.write,
                RenderCacheMessage.TYPED_ATOMIC: self.texels.atomic,
            }.get(of_render.message_type)
            return carry_out is not None and carry_out(message, of_render)
        if function == SharedFunction.SAMPLER_CACHE:
            of_sampler = message.described(SamplerCacheDescriptor)
            if of_sampler.message_type == SamplerCacheMessage.MEDIA_BLOCK_READ:
                return self.media.read_unasked(message, of_sampler)
            return self.elements.of_constants(message, of_sampler, SamplerCacheMessage(of_sampler.message_type).name)
        if function == SharedFunction.CONSTANT_CACHE:
            of_constants = message.described(ConstantCacheDescriptor)
            kind = ConstantCacheMessage(of_constants.message_type)
            return self._reads_blocks(message, of_constants, kind.name) or self.elements.of_constants(
                message, of_constants, kind.name
            )
        return False

    def _reads_blocks(self, message: Unasked, descriptor: Any, kind: str) -> bool:
        return kind == "OWORD_BLOCK_READ" and self.blocks.read_unasked(
            message, descriptor.binding_table_index, descriptor.block_size
        )

    def data_unasked(self, message: Unasked) -> bool:
        """A message to the data cache, with addresses left where threads are; False if that cannot be."""
        descriptor = message.described(DataCacheDescriptor)
        if not descriptor.scratch:
            kind = DataCacheMessage(descriptor.message_type)
            if kind is DataCacheMessage.MEMORY_FENCE:
                return message.response_length == int(descriptor.commit)
            if self._reads_blocks(message, descriptor, kind.name):
                return True
        return self.elements.of_data(message, descriptor)

    def data_cache(self, message: Message) -> None:
        """A message to the data cache."""
        descriptor = message.described(DataCacheDescriptor)
        if descriptor.scratch:
            self.scratch.send(message, descriptor)
            return
        kind = DataCacheMessage(descriptor.message_type)
        _check_response(message, kind.name, descriptor.commit if kind is DataCacheMessage.MEMORY_FENCE else False)
        if descriptor.binding_table_index == SHARED and kind not in _WITH_SHARED_MEMORY:
            raise CaptureError(f"{kind.name} does not reach shared local memory")
        _DATA_CACHE[kind](self, message, descriptor)


_Handler = Callable[[DataPort, Message, Any], None]


def _read_blocks(*, aligned: bool) -> _Handler:
    def handler(port: DataPort, message: Message, descriptor: Any) -> None:
        port.blocks.read(message, descriptor.binding_table_index, descriptor.block_size, aligned=aligned)

    return handler


def _read_bytes(port: DataPort, message: Message, d: DataCacheDescriptor) -> None:
    port.scattered.read_bytes(message, d.binding_table_index, d.byte_count, simd16=d.byte_simd16)


def _write_bytes(port: DataPort, message: Message, d: DataCacheDescriptor) -> None:
    port.scattered.write_bytes(message, d.binding_table_index, d.byte_count, simd16=d.byte_simd16)


def _fence(port: DataPort, message: Message, descriptor: Any) -> None:
    """Everything is written when the next message begins."""


_SAMPLER_CACHE: Mapping[SamplerCacheMessage, _Handler] = {
    SamplerCacheMessage.UNALIGNED_OWORD_BLOCK_READ: _read_blocks(aligned=False),
    SamplerCacheMessage.MEDIA_BLOCK_READ: lambda port, m, d: port.media.read(m, d),
}
_RENDER_CACHE: Mapping[RenderCacheMessage, _Handler] = {
    RenderCacheMessage.MEDIA_BLOCK_READ: lambda port, m, d: port.media.read(m, d),
    RenderCacheMessage.MEDIA_BLOCK_WRITE: lambda port, m, d: port.media.write(m, d),
    RenderCacheMessage.TYPED_SURFACE_READ: lambda port, m, d: port.typed.read(m, d),
    RenderCacheMessage.TYPED_SURFACE_WRITE: lambda port, m, d: port.typed.write(m, d),
    RenderCacheMessage.TYPED_ATOMIC: lambda port, m, d: port.typed.atomic(m, d),
    RenderCacheMessage.MEMORY_FENCE: _fence,
}
_CONSTANT_CACHE: Mapping[ConstantCacheMessage, _Handler] = {
    ConstantCacheMessage.OWORD_BLOCK_READ: _read_blocks(aligned=True),
    ConstantCacheMessage.UNALIGNED_OWORD_BLOCK_READ: _read_blocks(aligned=False),
    ConstantCacheMessage.OWORD_DUAL_BLOCK_READ: lambda port, m, d: port.blocks.read_dual(
        m, d.binding_table_index, d.dual_size
    ),
    ConstantCacheMessage.DWORD_SCATTERED_READ: lambda port, m, d: port.scattered.read_dwords(
        m, d.binding_table_index, d.scatter_size
    ),
}
_DATA_CACHE: Mapping[DataCacheMessage, _Handler] = {
    DataCacheMessage.OWORD_BLOCK_READ: _read_blocks(aligned=True),
    DataCacheMessage.UNALIGNED_OWORD_BLOCK_READ: _read_blocks(aligned=False),
    DataCacheMessage.OWORD_BLOCK_WRITE: lambda port, m, d: port.blocks.write(m, d.binding_table_index, d.block_size),
    DataCacheMessage.OWORD_DUAL_BLOCK_READ: _CONSTANT_CACHE[ConstantCacheMessage.OWORD_DUAL_BLOCK_READ],
    DataCacheMessage.OWORD_DUAL_BLOCK_WRITE: lambda port, m, d: port.blocks.write_dual(
        m, d.binding_table_index, d.dual_size
    ),
    DataCacheMessage.DWORD_SCATTERED_READ: _CONSTANT_CACHE[ConstantCacheMessage.DWORD_SCATTERED_READ],
    DataCacheMessage.DWORD_SCATTERED_WRITE: lambda port, m, d: port.scattered.write_dwords(
        m, d.binding_table_index, d.scatter_size
    ),
    DataCacheMessage.BYTE_SCATTERED_READ: _read_bytes,
    DataCacheMessage.BYTE_SCATTERED_WRITE: _write_bytes,
    DataCacheMessage.UNTYPED_SURFACE_READ: lambda port, m, d: port.untyped.read(m, d),
    DataCacheMessage.UNTYPED_SURFACE_WRITE: lambda port, m, d: port.untyped.write(m, d),
    DataCacheMessage.UNTYPED_ATOMIC: lambda port, m, d: port.untyped.atomic(m, d),
    DataCacheMessage.MEMORY_FENCE: _fence,
}
"""What carries a message out, by cache and message type."""


def _check_response(message: Message, name: str, commit: bool) -> None:
    """Refuse registers of a response that never comes (seed 003:320); a write commit does not change its register."""
    writes = "WRITE" in name or name == "MEMORY_FENCE"
    if writes and message.response_length != commit:
        raise CaptureError(f"{name} returns {int(commit)} registers, not {message.response_length}")
