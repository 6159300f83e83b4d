"""Writes to render targets of pixel threads on a device: headers, masks, colors and depths stay there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.base import Array
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.ranges import Looks, alike
from texsamp.emulator.eu.unasked import Unasked
from texsamp.emulator.shared.render_target import (
    ALL_SAMPLES,
    ARRAY,
    ARRAY_AT,
    DUAL,
    GROUP,
    HEADER_REGISTERS,
    INDEX,
    MASK_AT,
    PARTS,
    SOURCE0_ALPHA,
    RenderTargetWrites,
    Target,
    form_of,
    parts_of,
)
from texsamp.errors import CaptureError
from texsamp.state.data_port import RenderCacheDescriptor

_LOOKS: Looks = ((0, sum(bit for bit, _ in PARTS)), (2, INDEX))
"""What the host asks of headers: what messages hold, and which target they are to."""


class RenderTargetWritesThere:
    """Collects the messages of a batch of pixel threads; see `RenderTargetWrites`. All that is collected is there.

    written: by target, slots that were written, (threads, slots); None for all that threads were started for.
    """

    def __init__(
        self,
        count: int,
        width: int,
        started: Callable[[], Array],
        slices: Callable[[], Array],
        flags: int,
        *,
        dual_source: bool,
    ) -> None:
        """started: slots that threads were started for, (threads, slots); slices: of every thread.

        flags: R0.0 of all threads.
        """
        self._shape, self._started_given, self._slices_given = (count, width), started, slices
        self._flags, self._dual_source = flags, dual_source
        self._all_are_lit = False
        self._lit: Array | None = None
        self._slots: dict[Target, list[slice]] = {}
        self.colors: dict[Target, Array] = {}
        self.written: dict[Target, Array | None] = {}
        self.samples: Array | None = None
        self.slices: Array | None = None
        self.depth: Array | None = None
        self.second: Array | None = None
        self.source0_alpha: Array | None = None

    @cached_property
    def started(self) -> Array:
        """Slots that threads were started for."""
        return self._started_given()

    @property
    def are_as_started(self) -> bool:
        """See `RenderTargetWrites`."""
        known = self._all_are_lit and self._lit is None and self.samples is None and self.slices is None
        return known and all(written is None for written in self.written.values())

    @property
    def alive(self) -> Array:
        """Slots that a message to a last render target left alive, or any wrote."""
        found: Array = self.started if self._all_are_lit else self.started & False
        for each in (self._lit, *self.written.values()):
            found = found if each is None else found | each
        if not self._all_are_lit and any(each is None for each in self.written.values()):
            found = self.started
        return found

    def send(self, message: Message) -> None:
        """Take a message whose senders have come to the host; CaptureError for forms that the pages do not have."""
        mask = np.zeros((message.threads.count, message.exec_size), np.bool_)
        mask[message.rows] = message.mask
        sent = Unasked(
            message.threads, message.exec_size, message.shared_function, message.descriptor, message.source,
            message.destination, message.end_of_thread, lambda: None,
        )  # fmt: skip
        if not self.send_unasked(sent.part(message.threads.upload(mask))):
            count, width = self._shape
            flags, every = np.full(count, self._flags, np.uint32), np.ones((count, width), np.bool_)
            RenderTargetWrites(every, flags, np.zeros(count, np.int32), dual_source=self._dual_source).send(message)
            raise CaptureError("a write to a render target that is not executed")

    def send_unasked(self, message: Unasked) -> bool:
        """Take one message of all threads; False where headers do not agree."""
        descriptor = message.described(RenderCacheDescriptor)
        kind, slots = form_of(message, descriptor, self._shape[1])
        if not message.has_registers:
            return False
        start, index, flags, enables = 0, 0, self._flags & ~SOURCE0_ALPHA, None
        if message.has_header:
            message.need(HEADER_REGISTERS)
            found = message.ranges(_LOOKS)
            if not alike(found):
                return False
            flags, index, start = int(found[0, 0]), int(found[1, 0]), HEADER_REGISTERS
            enables = self._take_header(message, slots)
        senders = message.senders
        if senders is not None:
            chosen = np.broadcast_to(senders[:, None], (len(senders), slots.stop - slots.start))
            enables = chosen if enables is None else enables & chosen
        parts = parts_of(message, kind, flags, start)
        if descriptor.last_render_target:
            self._end(message, slots, enables, parts)
        if self._dual_source and kind not in DUAL:
            return True  # see `RenderTargetWrites`
        self._color(message, (int(descriptor.binding_table_index), index), slots, enables, parts["color"])
        if "second" in parts and self._dual_source:
            self.second = self._zeros(message, 4) if self.second is None else self.second
            _put(message, self.second, slots, parts["second"])
        if "source 0 alpha" in parts:
            if self.source0_alpha is None:
                self.source0_alpha = self._zeros(message).view(np.float32)
            _put(message, self.source0_alpha, slots, parts["source 0 alpha"].view(np.float32))
        return True

    def _take_header(self, message: Unasked, slots: slice) -> Array:
        """Which slots headers enable, (threads, slots of the message); array indices are kept."""
        header, arrays = message.dwords_there(0, HEADER_REGISTERS), message.threads.arrays
        first = slots.start % GROUP
        bits = arrays.arange(first, first + slots.stop - slots.start, dtype=np.uint32)
        if self.slices is None:
            self.slices = np.broadcast_to(self._slices_given()[:, None], self._shape).copy()
        own = (header[:, 0] >> ARRAY_AT & ARRAY).astype(np.int32)[:, None]
        _put(message, self.slices, slots, np.broadcast_to(own, (len(own), len(bits))))
        enables: Array = (header[:, MASK_AT : MASK_AT + 1] >> bits & np.uint32(1)) != 0
        return enables

    def _end(self, message: Unasked, slots: slice, enables: Array | None, parts: dict[str, Array]) -> None:
        """What a message to the last render target decides."""
        if enables is None and slots == slice(0, self._shape[1]):
            self._all_are_lit = True
        else:
            if self._lit is None:
                self._lit = message.threads.arrays.zeros(self._shape, np.bool_)
            started = self.started[:, slots]
            self._lit[:, slots] = self._lit[:, slots] | (started if enables is None else started & enables)
        if "a sample mask" in parts:
            if self.samples is None:
                self.samples = message.threads.arrays.full(self._shape, ALL_SAMPLES, np.uint32)
            _put(message, self.samples, slots, parts["a sample mask"])
        if "depth" in parts:
            if self.depth is None:
                self.depth = self._zeros(message).view(np.float32)
            _put(message, self.depth, slots, parts["depth"].view(np.float32))

    def _color(self, message: Unasked, target: Target, slots: slice, enables: Array | None, colors: Array) -> None:
        is_whole = slots == slice(0, self._shape[1])
        if target not in self.colors and is_whole and message.senders is None:
            self.colors[target] = colors.copy()
            self.written[target] = None if enables is None else enables & self.started
            self._slots[target] = [slots]
            return
        if target not in self.colors:
            self.colors[target] = self._zeros(message, 4)
            self.written[target] = message.threads.arrays.zeros(self._shape, np.bool_)
            self._slots[target] = []
        written = self.written[target]
        if written is None:
            written = self.written[target] = self.started.copy()
        started = self.started[:, slots]
        new = started if enables is None else started & enables
        if any(slots.start < each.stop and each.start < slots.stop for each in self._slots[target]):
            is_twice: Any = (written[:, slots] & new).any()
            if bool(message.threads.download(is_twice)):
                raise CaptureError(f"a thread writes one of its pixels twice to render target {target[0]}")
        self._slots[target].append(slots)
        written[:, slots] = written[:, slots] | new
        _put(message, self.colors[target], slots, colors)

    def _zeros(self, message: Unasked, *channels: int) -> Array:
        """For all slots."""
        found: Array = message.threads.arrays.zeros((*self._shape, *channels), np.uint32)
        return found


def _put(message: Unasked, held: Array, slots: slice, values: Array) -> None:
    """Values of slots of the threads that send."""
    senders = message.senders
    if senders is None:
        held[:, slots] = values
    else:
        where = senders.reshape(len(senders), *[1] * (len(values.shape) - 1))
        np.copyto(held[:, slots], values, where=where)
