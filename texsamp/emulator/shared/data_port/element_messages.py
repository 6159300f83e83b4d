"""Messages for dwords and bytes of buffers, carried out where their threads are: which form each one has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from texsamp.emulator.context.surfaces import LAST_BINDING_TABLE_INDEX, SHARED, STATELESS
from texsamp.emulator.eu.registers.threads import REGISTER_B
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.shared.data_port import element_forms as forms
from texsamp.emulator.shared.data_port.atomics import SOURCES
from texsamp.emulator.shared.data_port.buffers import DWORD_B, Buffers
from texsamp.emulator.shared.data_port.data_blocks import DUAL_OWORDS, OWORD_B, OWORDS
from texsamp.emulator.shared.data_port.element_forms import Form
from texsamp.emulator.shared.data_port.elements_on_device import Elements, Target, note_written
from texsamp.emulator.shared.data_port.scattered import BYTES, ELEMENT_B
from texsamp.emulator.shared.data_port.scattered import SLOTS as SCATTERED
from texsamp.emulator.shared.data_port.scratch import REGISTERS
from texsamp.emulator.shared.data_port.untyped import BUFFERS, QWORD_B
from texsamp.emulator.shared.data_port.untyped import SLOTS as UNTYPED
from texsamp.state import SurfaceType
from texsamp.state.data_port import (
    AtomicOperation,
    ByteCount,
    DataCacheDescriptor,
    DualBlockSize,
    OWordBlockSize,
    ScatterSize,
    ScratchBlockSize,
    UntypedSimd,
)
from texsamp.state.formats import surface_format


@dataclass(frozen=True)
class _Kind:
    """A type of message. form: of one of them; None of those that are left to others. element_B: of a buffer's bounds.

    element_B is None where the surface says it. stores, exchanges: what is done with elements; else they are loaded.
    """

    form: Callable[[Unasked, Any], Form | None]
    element_B: int | None = None  # noqa: N815 - the unit
    stores: bool = False
    exchanges: bool = False
    reaches_shared: bool = False


@dataclass
class ElementMessages:
    """Carries messages out, if nothing of them must come to the host; what is illegal is left to others."""

    buffers: Buffers

    def of_constants(self, message: Unasked, descriptor: Any, kind: str) -> bool:
        """A message to a cache that is only read, by its type's name."""
        return kind in _READS and self._carry_out(message, descriptor, _READS[kind], descriptor.binding_table_index)

    def of_data(self, message: Unasked, descriptor: DataCacheDescriptor) -> bool:
        """A message to the data cache."""
        if descriptor.scratch:
            return self._carry_out(message, descriptor, _SCRATCH[bool(descriptor.scratch_write)], STATELESS)
        kind = _OF_DATA.get(descriptor.message_type.name)
        index = descriptor.binding_table_index
        if kind is None or (index == SHARED and not kind.reaches_shared):
            return False
        return self._carry_out(message, descriptor, kind, index)

    def _carry_out(self, message: Unasked, descriptor: Any, kind: _Kind, index: int) -> bool:
        form = _fitting(message, kind.form(message, descriptor))
        if form is None or (kind.stores and message.response_length and index <= LAST_BINDING_TABLE_INDEX):
            return False
        target = self._target(message, index, kind)
        if target is None:
            return False
        elements = Elements(message, form, target, self.buffers.surfaces.memory)
        changes = kind.stores or kind.exchanges
        if not elements.are_legal(stores=changes):
            return False
        self.buffers.budget.spend(max(0, elements.parts - 1))
        if kind.exchanges:
            self.buffers.budget.spend()
            elements.atomic(int(descriptor.operation))
        elif kind.stores:
            elements.store()
        else:
            elements.load()
        if changes and index <= LAST_BINDING_TABLE_INDEX:
            note_written(message, self.buffers.surfaces, index, 1)
        return True

    def _target(self, message: Unasked, index: int, kind: _Kind) -> Target | None:
        """None of what is not legal, and of what nobody has."""
        if index == SHARED and kind.reaches_shared:
            memory = self.buffers.shared_memory
            bases = memory.base_B(message.threads.numbers)
            return Target(shared=memory.data.on(self.buffers.device), bases=bases, block_B=memory.block_B)
        if index == STATELESS:
            base = self.buffers.general_base
            return Target(base, stateless=True) if message.has_header and message.length else None
        if index > LAST_BINDING_TABLE_INDEX and (kind.element_B is None or index != SHARED):
            return None
        state = self.buffers.surfaces.render(index)
        if state.surface_type == SurfaceType.SURFTYPE_NULL:  # nothing lies inside (seed 003:1992)
            return Target(size_B=0, is_nothing=kind.element_B is None)
        if kind.element_B is None:
            if state.surface_type not in BUFFERS or surface_format(state.code("format")).name != "RAW":
                return Target(size_B=0, is_nothing=True)
            if state.base_address % DWORD_B:
                return None
            if state.surface_type == SurfaceType.SURFTYPE_STRBUF:
                return Target(state.base_address, pitch_B=state.pitch, entries=state.entries)
            return Target(state.base_address, state.entries)
        if state.surface_type != SurfaceType.SURFTYPE_BUFFER or state.base_address % DWORD_B:
            return None
        return Target(state.base_address, state.entries * kind.element_B)


def _fitting(message: Unasked, form: Form | None) -> Form | None:
    """A form with as many registers of its response as come back; None if the payload has fewer than the form."""
    if form is None or message.length < form.registers or not message.has_registers:
        return None
    return form if message.destination is None else forms.cut(form, message.response_length)


def _block(*, aligned: bool, stores: bool = False) -> Callable[[Unasked, Any], Form | None]:
    def form(message: Unasked, descriptor: Any) -> Form | None:
        size = OWordBlockSize(descriptor.block_size)
        first = OWORD_B // DWORD_B if size is OWordBlockSize.OWORD_1_HIGH else 0
        dwords = OWORDS[size] * OWORD_B // DWORD_B
        return forms.block(dwords, first, OWORD_B if aligned else 1, stores=stores) if message.has_header else None

    return form


def _dual(*, stores: bool) -> Callable[[Unasked, Any], Form]:
    return lambda message, descriptor: forms.dual(
        DUAL_OWORDS[DualBlockSize(descriptor.dual_size)], has_header=message.has_header, stores=stores
    )


def _dwords(*, stores: bool) -> Callable[[Unasked, Any], Form]:
    return lambda message, descriptor: forms.scattered(
        SCATTERED[ScatterSize(descriptor.scatter_size)],
        DWORD_B,
        DWORD_B,
        DWORD_B,
        has_header=message.has_header,
        stores=stores,
    )


def _bytes(*, stores: bool) -> Callable[[Unasked, Any], Form]:
    return lambda message, descriptor: forms.scattered(
        16 if descriptor.byte_simd16 else 8,
        BYTES[ByteCount(descriptor.byte_count)],
        1,
        1,
        has_header=message.has_header,
        stores=stores,
    )


def _scratch(*, stores: bool) -> Callable[[Unasked, Any], Form | None]:
    def form(message: Unasked, descriptor: Any) -> Form | None:
        registers, first_B = (
            REGISTERS[ScratchBlockSize(descriptor.scratch_size)],
            descriptor.scratch_offset * REGISTER_B,
        )
        by_oword = not descriptor.scratch_dword_mode
        return forms.scratch(registers, first_B, by_oword=by_oword, stores=stores) if message.has_header else None

    return form


def _axes(message: Unasked, slots: int, parameters: int) -> int | None:
    """Address parameters that the payload has before its others; None if they are not one or two."""
    registers = slots // 8
    axes, uneven = divmod(message.length - message.has_header - parameters * registers, registers)
    return axes if axes in (1, 2) and not uneven else None


def _untyped_read(message: Unasked, descriptor: Any) -> Form | None:
    channels = forms.channels_of(descriptor.masked_channels)
    if channels and descriptor.simd_mode == UntypedSimd.SIMD4X2:
        return forms.untyped_pair(channels, has_header=message.has_header)
    slots = UNTYPED.get(descriptor.simd_mode)
    axes = None if slots is None or not channels else _axes(message, slots, 0)
    if slots is None or axes is None:
        return None
    return forms.untyped(slots, axes, channels, 0, has_header=message.has_header, stores=False)


def _untyped_write(message: Unasked, descriptor: Any) -> Form | None:
    channels, slots = forms.channels_of(descriptor.masked_channels), UNTYPED.get(descriptor.simd_mode)
    if slots is None or not channels or channels[-1] != len(channels) - 1:
        return None
    axes = _axes(message, slots, len(channels))
    if axes is None:
        return None
    return forms.untyped(slots, axes, channels, len(channels), has_header=message.has_header, stores=True)


def _atomic(message: Unasked, descriptor: Any) -> Form | None:
    operation, slots = AtomicOperation(descriptor.operation), 8 if descriptor.atomic_simd8 else 16
    unit_B, sources = QWORD_B if operation is AtomicOperation.CMPWR8B else DWORD_B, SOURCES[operation]
    axes = _axes(message, slots, sources * unit_B // DWORD_B)
    if axes is None:
        return None
    returns = bool(descriptor.return_data)
    return forms.exchanged(slots, axes, unit_B, sources, has_header=message.has_header, returns=returns)


_READS: Mapping[str, _Kind] = {
    "OWORD_BLOCK_READ": _Kind(_block(aligned=True), OWORD_B),
    "UNALIGNED_OWORD_BLOCK_READ": _Kind(_block(aligned=False), OWORD_B),
    "OWORD_DUAL_BLOCK_READ": _Kind(_dual(stores=False), OWORD_B),
    "DWORD_SCATTERED_READ": _Kind(_dwords(stores=False), ELEMENT_B["dwords"]),
}
_OF_DATA: Mapping[str, _Kind] = {
    **_READS,
    "OWORD_BLOCK_WRITE": _Kind(_block(aligned=True, stores=True), OWORD_B, stores=True),
    "OWORD_DUAL_BLOCK_WRITE": _Kind(_dual(stores=True), OWORD_B, stores=True),
    "DWORD_SCATTERED_WRITE": _Kind(_dwords(stores=True), ELEMENT_B["dwords"], stores=True),
    "BYTE_SCATTERED_READ": _Kind(_bytes(stores=False), ELEMENT_B["bytes"], reaches_shared=True),
    "BYTE_SCATTERED_WRITE": _Kind(_bytes(stores=True), ELEMENT_B["bytes"], stores=True, reaches_shared=True),
    "UNTYPED_SURFACE_READ": _Kind(_untyped_read, reaches_shared=True),
    "UNTYPED_SURFACE_WRITE": _Kind(_untyped_write, stores=True, reaches_shared=True),
    "UNTYPED_ATOMIC": _Kind(_atomic, exchanges=True, reaches_shared=True),
}
_SCRATCH = {
    False: _Kind(_scratch(stores=False), 1),
    True: _Kind(_scratch(stores=True), 1, stores=True),
}
