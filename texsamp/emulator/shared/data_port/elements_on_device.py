"""Elements of buffers and shared memory at offsets that stay in registers on a device (kernels/eu_elements.h)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Launch
from texsamp.device.base import Array
from texsamp.device.params import constant, params_type
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.emulator.eu.registers.threads import PITCH_B, REGISTER_B
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.files.capture import BufferObject
from texsamp.emulator.shared.data_port.element_forms import Form
from texsamp.errors import CaptureError

_PARAMS = params_type("EuElementsParams")
_THREADS_OF_A_TILE, _OWNERS = constant("EU_ELEMENTS_THREADS"), constant("EU_ELEMENTS_OWNERS")
_NONE = np.iinfo(np.int32).min
_HIGHEST_BIT = 0x80000000
OFF = constant("EU_PLACE_OFF")
"""Instead of the place of an element that is not enabled."""
_BEYOND = 1 << 40
"""Of all addresses."""
_OFFSET_B, _BUFFER_BASE_B = 8, 20
"""Bytes of a header."""
_MOST_UNITS = 1 << 20
"""Of a buffer that is written without asking which of them are."""


@dataclass(frozen=True)
class Target:
    """Memory that elements reach: a buffer, or blocks of shared memory, whose bytes are `shared`.

    base: address. size_B: of the buffer; None if it has no end. stateless: whether headers say where each thread's
    begins. pitch_B, entries: of structures. is_nothing: whether addresses may be any.
    bases: first byte of every thread's block, of `block_B` bytes.
    """

    base: int = 0
    size_B: int | None = None  # noqa: N815 - the unit
    stateless: bool = False
    pitch_B: int = 0  # noqa: N815
    entries: int | None = None
    is_nothing: bool = False
    shared: Array | None = None
    bases: NDArray[np.int64] | None = None
    block_B: int = 1  # noqa: N815


@dataclass(frozen=True)
class _Reached:
    """Bytes on the device from an address on, and the addresses that elements may have, up to `end`.

    places: of elements; those in other buffer objects are off.
    """

    memory: Array
    begin: int
    first: int
    end: int
    owner: BufferObject | None
    places: Array


class Elements:
    """Elements of one message; `are_legal` before anything else, unless places in the target are given."""

    def __init__(
        self, message: Unasked, form: Form, target: Target, memory: CaseMemory | None, places: Array | None = None
    ) -> None:
        """memory: where buffer objects are; None if the target is in none. places: int64 (threads, elements)."""
        threads, device = message.threads, message.threads.device
        table = threads.kept(form.table)[0]
        bases = None if target.bases is None else threads.kept(target.bases)[0]
        self._message, self._form, self._target, self._memory = message, form, target, memory
        self._aligned_B = 1 if target.is_nothing else form.aligned_B
        self._shape = threads.count, len(form.table)
        self._places = device.empty(self._shape, np.int64) if places is None else places
        self._found = device.arrays.full(3, _NONE, np.int32)
        self._reached: list[_Reached] = []
        optional = [each for each in (message.mask, bases) if each is not None]
        self._held = (threads.registers, table, self._found, *optional)
        self._fields = dict(
            registers=device.address(threads.registers),
            mask=0 if message.mask is None else device.address(message.mask),
            table=device.address(table),
            bases=0 if bases is None else device.address(bases),
            found=device.address(self._found),
            base=target.base,
            size_B=-1 if target.size_B is None else target.size_B,
            stateless=_BUFFER_BASE_B if target.stateless else -1,
            offset=_OFFSET_B if form.has_offset else -1,
            to=-1 if message.destination is None else message.destination * REGISTER_B,
            scale=form.scale,
            entries=-1 if target.entries is None else target.entries,
            pitch_B=target.pitch_B,
            block_B=target.block_B,
            channels=message.exec_size,
            elements=len(form.table),
            unit_B=form.unit_B,
            aligned_B=self._aligned_B,
            apart_B=form.apart_B,
            threads=threads.count,
            pitch=PITCH_B,
        )
        self._fields["from"] = message.at(0)

    def are_legal(self, *, stores: bool) -> bool:
        """Whether they are at addresses that the form allows, all in buffer objects; numbers come to the host.

        Nothing is asked where neither a form nor a buffer allows anything else. stores: whether units will be claimed.
        """
        self._launch("PLACE", self._places)
        target = self._target
        if target.shared is not None:
            self._reached = [_Reached(target.shared, 0, 0, len(target.shared), None, self._places)]
            return self._aligned_B == 1 or not self._asked()[0]
        if target.size_B == 0 and self._aligned_B == 1:
            return True
        if self._is_inside(stores):
            assert self._memory is not None
            end = target.base + (target.size_B or 0)
            self._reach(self._memory.find(target.base), target.base, end, self._places)
            return True
        refused, least, greatest = self._asked()
        if refused or least > greatest:
            return not refused
        try:
            self._reach_all(least, greatest + self._form.unit_B)
        except CaptureError:
            return False
        return True

    def _reach_all(self, least: int, end: int) -> None:
        """One buffer object after the other: of all but the first the least address in it is asked for.

        CaptureError if an address is in none.
        """
        assert self._memory is not None
        unit_B, begin, places = self._form.unit_B, least, self._places
        while begin < end:
            owner = self._memory.find(begin, unit_B)
            behind = owner.address + owner.size
            if end <= behind:
                self._reach(owner, begin, end, places)
                return
            here = places <= behind - unit_B
            self._reach(owner, begin, behind, np.where(here, places, np.int64(OFF)))
            places = np.where(here & (places >= 0), np.int64(OFF), places)
            beyond = np.where(places < 0, np.int64(end), places).reshape(-1, 1).min(axis=0)
            begin = int(self._message.threads.download(beyond)[0])

    def are_mapped(self) -> bool:
        """Whether places that are given, which are addresses, are in buffer objects; two numbers come to the host."""
        places = self._places.reshape(-1, 1)
        ends = np.where(places < 0, np.int64(_BEYOND), places).min(axis=0), places.max(axis=0)
        least, greatest = self._message.threads.download(np.concatenate(ends)).tolist()
        try:
            if greatest >= 0:
                self._reach_all(least, greatest + self._form.unit_B)
        except CaptureError:
            return False
        return True

    @property
    def parts(self) -> int:
        """Buffer objects that are reached."""
        return len(self._reached)

    def _is_inside(self, stores: bool) -> bool:
        """Whether all that the buffer has is in its buffer object, and all addresses are legal."""
        target, form = self._target, self._form
        assert self._memory is not None
        if target.size_B is None or self._aligned_B > 1:
            return False
        if stores and target.size_B > _MOST_UNITS * form.unit_B:
            return False
        try:
            return target.size_B <= self._memory.extent(target.base)
        except CaptureError:
            return False

    def _asked(self) -> tuple[bool, int, int]:
        refused, complement, greatest = self._message.threads.download(self._found).astype(np.int64).tolist()
        return refused != _NONE, ~complement + _HIGHEST_BIT, greatest + _HIGHEST_BIT

    def _reach(self, owner: BufferObject, first: int, end: int, places: Array) -> None:
        assert self._memory is not None
        data = self._memory.bytes_on(self._message.threads.device, owner.address)
        self._reached.append(_Reached(data, owner.address, first, end, owner, places))

    def load(self) -> None:
        """Into the response; 0 of those outside of the buffer."""
        for reached in self._reached:
            self._launch("LOAD", reached.places, reached)
        if not self._reached:
            self._launch("LOAD", self._places)

    def store(self) -> None:
        """In the order of threads and elements: of several at one place the last one stays."""
        for reached in self._reached:
            units = -(-(reached.end - reached.first) // self._form.unit_B)
            last = self._message.threads.arrays.full((units,), -1, np.int32)
            for phase in ("CLAIM", "STORE"):
                self._launch(phase, reached.places, reached, last=last)
        self._touch()

    def atomic(self, operation: int, placed: Array | None = None) -> None:
        """Read, change and write, in the order of threads and elements; the response is what each returns.

        placed: memory from the target's base on, where places count from it.
        """
        if placed is not None:
            owner = None if self._memory is None else self._memory.find(self._target.base)
            self._reached = [_Reached(placed, 0, 0, len(placed), owner, self._places)]
        returned = self._message.threads.device.empty(self._shape, np.uint64)
        for reached in self._reached:
            self._launch("ATOMIC", reached.places, reached, returned=returned, operation=operation)
        self._launch("RETURN", self._places, returned=returned)
        self._touch()

    def _touch(self) -> None:
        for reached in self._reached:
            if reached.owner is not None and self._memory is not None:
                self._memory.touch(reached.owner, self._message.threads.device)

    def _launch(
        self,
        phase: str,
        places: Array,
        reached: _Reached | None = None,
        last: Array | None = None,
        returned: Array | None = None,
        operation: int = 0,
    ) -> None:
        device, memory = self._message.threads.device, None if reached is None else reached.memory
        given = {"places": places, "last": last, "returned": returned, "memory": memory}
        there = {name: array for name, array in given.items() if array is not None}
        params = _PARAMS(
            **self._fields,
            **{name: device.address(there[name]) if name in there else 0 for name in given},
            begin=0 if reached is None else reached.begin,
            first=0 if reached is None else reached.first,
            operation=operation,
            phase=constant(f"EU_ELEMENTS_{phase}"),
        )
        items = _OWNERS if phase == "ATOMIC" else self._shape[0]
        held = (*self._held, *there.values())
        device.launch(Launch("eu_elements", params, 1, -(-items // _THREADS_OF_A_TILE), held))


def note_written(message: Unasked, surfaces: SurfaceTable, index: int, texel_B: int) -> None:  # noqa: N803 - the unit
    """See `SurfaceTable`; of a surface that threads write to, if any does send."""
    if message.senders is None:
        surfaces.note_written(index, texel_B)
    else:
        there = surfaces.note_written_if(message.threads.device, index, texel_B)
        there[...] = np.maximum(there, message.senders.any())
