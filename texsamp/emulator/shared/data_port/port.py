"""Routing of data port messages to what executes them."""

from __future__ import annotations

from texsamp.emulator.context.surfaces import SHARED
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.shared.data_port.buffers import Buffers
from texsamp.emulator.shared.data_port.data_blocks import DataBlocks
from texsamp.emulator.shared.data_port.media_block import MediaBlocks
from texsamp.emulator.shared.data_port.scattered import Scattered
from texsamp.emulator.shared.data_port.scratch import Scratch
from texsamp.emulator.shared.data_port.typed import Typed
from texsamp.emulator.shared.data_port.untyped import Untyped
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

    def __init__(self, media: MediaBlocks, buffers: Buffers) -> None:
        self._media, self._blocks, self._scattered = media, DataBlocks(buffers), Scattered(buffers)
        self._typed, self._untyped, self._scratch = Typed(buffers), Untyped(buffers), Scratch(buffers)

    def sampler_cache(self, message: Message) -> None:
        """A message to the sampler cache."""
        descriptor = SamplerCacheDescriptor.from_dwords([message.descriptor])
        kind = SamplerCacheMessage(descriptor.message_type)
        if kind is SamplerCacheMessage.MEDIA_BLOCK_READ:
            self._media.read(message, descriptor)
        else:
            self._blocks.read(message, descriptor.binding_table_index, descriptor.block_size, aligned=False)

    def render_cache(self, message: Message) -> None:
        """A message to the render cache."""
        descriptor = RenderCacheDescriptor.from_dwords([message.descriptor])
        kind = RenderCacheMessage(descriptor.message_type)
        _check_response(message, kind.name, descriptor.commit if kind is RenderCacheMessage.MEMORY_FENCE else False)
        if kind is RenderCacheMessage.MEDIA_BLOCK_WRITE:
            self._media.write(message, descriptor)
        elif kind is RenderCacheMessage.MEDIA_BLOCK_READ:
            self._media.read(message, descriptor)
        elif kind is RenderCacheMessage.TYPED_SURFACE_READ:
            self._typed.read(message, descriptor)
        elif kind is RenderCacheMessage.TYPED_SURFACE_WRITE:
            self._typed.write(message, descriptor)
        elif kind is RenderCacheMessage.TYPED_ATOMIC:
            self._typed.atomic(message, descriptor)
        elif kind is not RenderCacheMessage.MEMORY_FENCE:
            raise CaptureError(f"{descriptor.name} {kind.name} is not executed")

    def constant_cache(self, message: Message) -> None:
        """A message to the constant cache."""
        descriptor = ConstantCacheDescriptor.from_dwords([message.descriptor])
        kind, index = ConstantCacheMessage(descriptor.message_type), descriptor.binding_table_index
        if kind is ConstantCacheMessage.OWORD_BLOCK_READ:
            self._blocks.read(message, index, descriptor.block_size, aligned=True)
        elif kind is ConstantCacheMessage.UNALIGNED_OWORD_BLOCK_READ:
            self._blocks.read(message, index, descriptor.block_size, aligned=False)
        elif kind is ConstantCacheMessage.DWORD_SCATTERED_READ:
            self._scattered.read_dwords(message, index, descriptor.scatter_size)
        else:
            self._blocks.read_dual(message, index, descriptor.dual_size)

    def data_cache(self, message: Message) -> None:
        """A message to the data cache."""
        descriptor = DataCacheDescriptor.from_dwords([message.descriptor])
        if descriptor.scratch:
            self._scratch.send(message, descriptor)
            return
        kind, index = DataCacheMessage(descriptor.message_type), descriptor.binding_table_index
        blocks, scattered = self._blocks, self._scattered
        _check_response(message, kind.name, descriptor.commit if kind is DataCacheMessage.MEMORY_FENCE else False)
        if index == SHARED and kind not in _WITH_SHARED_MEMORY:
            raise CaptureError(f"{kind.name} does not reach shared local memory")
        if kind is DataCacheMessage.OWORD_BLOCK_READ:
            blocks.read(message, index, descriptor.block_size, aligned=True)
        elif kind is DataCacheMessage.UNALIGNED_OWORD_BLOCK_READ:
            blocks.read(message, index, descriptor.block_size, aligned=False)
        elif kind is DataCacheMessage.OWORD_BLOCK_WRITE:
            blocks.write(message, index, descriptor.block_size)
        elif kind is DataCacheMessage.OWORD_DUAL_BLOCK_READ:
            blocks.read_dual(message, index, descriptor.dual_size)
        elif kind is DataCacheMessage.OWORD_DUAL_BLOCK_WRITE:
            blocks.write_dual(message, index, descriptor.dual_size)
        elif kind is DataCacheMessage.DWORD_SCATTERED_READ:
            scattered.read_dwords(message, index, descriptor.scatter_size)
        elif kind is DataCacheMessage.DWORD_SCATTERED_WRITE:
            scattered.write_dwords(message, index, descriptor.scatter_size)
        elif kind is DataCacheMessage.BYTE_SCATTERED_READ:
            scattered.read_bytes(message, index, descriptor.byte_count, simd16=descriptor.byte_simd16)
        elif kind is DataCacheMessage.BYTE_SCATTERED_WRITE:
            scattered.write_bytes(message, index, descriptor.byte_count, simd16=descriptor.byte_simd16)
        elif kind is DataCacheMessage.UNTYPED_SURFACE_READ:
            self._untyped.read(message, descriptor)
        elif kind is DataCacheMessage.UNTYPED_SURFACE_WRITE:
            self._untyped.write(message, descriptor)
        elif kind is DataCacheMessage.UNTYPED_ATOMIC:
            self._untyped.atomic(message, descriptor)
        else:
            assert kind is DataCacheMessage.MEMORY_FENCE


def _check_response(message: Message, name: str, commit: bool) -> None:
    """Refuse registers of a response that never comes (seed 003:320); a write commit does not change its register."""
    writes = "WRITE" in name or name == "MEMORY_FENCE"
    if writes and message.response_length != commit:
        raise CaptureError(f"{name} returns {int(commit)} registers, not {message.response_length}")
