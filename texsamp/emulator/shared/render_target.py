"""Writes to render targets: what pixel threads leave of their pixels.

Messages are those of seed 003:10180-10445 and of Sandy Bridge's volume 4 part 1, pages 193-194 and 235-253. Nothing
is written here: the output merger does that with what is collected, in the order of the objects. All that is collected
stays where the registers are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.base import Array
from texsamp.emulator.eu.sends.all_threads import of_all
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks, alike
from texsamp.emulator.eu.sends.messages import Message
from texsamp.errors import CaptureError
from texsamp.state.data_port import RenderCacheDescriptor, RenderTargetMessage

_HEADER_REGISTERS = 2
_LANES = 8
_GROUP = 16
"""Slots that a header has pixel enables for."""
_MASK_AT = 15
"""Dword of M0 and M1 with the pixel enables."""
_INDEX, _ARRAY_AT, _ARRAY = 7, 16, 0x7FF
_DEPTH, _OMASK, _SOURCE0_ALPHA = 1 << 13, 1 << 12, 1 << 11
_PARTS = ((_SOURCE0_ALPHA, "source 0 alpha"), (_OMASK, "a sample mask"), (_DEPTH, "depth"))
"""Bits of M0.0, or of R0.0 where there is no header, that say what a message holds."""
_ALL_SAMPLES = 0xFFFF
_DUAL = (RenderTargetMessage.SIMD8_DUALSRC_LO, RenderTargetMessage.SIMD8_DUALSRC_HI)
_WIDE = (RenderTargetMessage.SIMD16, RenderTargetMessage.SIMD16_REPDATA)
_LAST_TARGET = 251
"""Binding table indices of render targets end here."""

Target = tuple[int, int]
"""A render target of a draw: its binding table index, and the number of its blend state."""

_LOOKS: Looks = ((0, sum(bit for bit, _ in _PARTS)), (2, _INDEX))
"""What the host asks of headers: what messages hold, and which target they are to."""


class RenderTargetWrites:
    """Collects the messages of a batch of pixel threads.

    colors: by target, bits as messages had them, (threads, slots, 4). written: by target, slots that were written,
    (threads, slots); None for all that threads were started for. samples: of slots, the sample masks that the kernel
    wrote; slices: of the render targets, as headers have them; depth, second, source0_alpha: computed depth, the second
    color and the alpha of target 0. None where no message had any.
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

        count, width: threads, and slots of each. flags: R0.0 of all threads. dual_source: whether 3DSTATE_PS says that
        kernels write two colors.
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
        """Whether slots that are alive, and those written to all targets, are what threads were started for."""
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
        """Take a message whose senders the host knows; CaptureError for forms that the pages do not have."""
        if not self.send_unasked(of_all(message)):
            _refuse(message)

    def send_unasked(self, message: Unasked) -> bool:
        """Take one message of all threads; False where headers do not agree."""
        descriptor = message.described(RenderCacheDescriptor)
        kind, slots = _form_of(message, descriptor, self._shape[1])
        if not message.has_registers:
            return False
        start, index, flags, enables = 0, 0, self._flags & ~_SOURCE0_ALPHA, None
        if message.has_header:
            message.need(_HEADER_REGISTERS)
            found = message.ranges(_LOOKS)
            if not alike(found):
                return False
            flags, index, start = int(found[0, 0]), int(found[1, 0]), _HEADER_REGISTERS
            enables = self._take_header(message, slots)
        senders = message.senders
        if senders is not None:
            chosen = np.broadcast_to(senders[:, None], (len(senders), slots.stop - slots.start))
            enables = chosen if enables is None else enables & chosen
        parts = _parts_of(message, kind, flags, start)
        if descriptor.last_render_target:
            self._end(message, slots, enables, parts)
        if self._dual_source and kind not in _DUAL:
            return True  # it updates depth and stencil at most (page 193)
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
        header, arrays = message.dwords_on_device(0, _HEADER_REGISTERS), message.threads.arrays
        first = slots.start % _GROUP
        bits = arrays.arange(first, first + slots.stop - slots.start, dtype=np.uint32)
        if self.slices is None:
            self.slices = np.broadcast_to(self._slices_given()[:, None], self._shape).copy()
        own = (header[:, 0] >> _ARRAY_AT & _ARRAY).astype(np.int32)[:, None]
        _put(message, self.slices, slots, np.broadcast_to(own, (len(own), len(bits))))
        enables: Array = (header[:, _MASK_AT : _MASK_AT + 1] >> bits & np.uint32(1)) != 0
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
                self.samples = message.threads.arrays.full(self._shape, _ALL_SAMPLES, np.uint32)
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


def _form_of(message: Unasked, descriptor: RenderCacheDescriptor, width: int) -> tuple[RenderTargetMessage, slice]:
    """Kind and slots of a message, of `width` of a thread; CaptureError for forms that the pages do not have."""
    kind = RenderTargetMessage(descriptor.rt_message)
    if kind is RenderTargetMessage.SIMD8_IMAGE_WRITE:
        raise CaptureError("SIMD8_IMAGE_WRITE is a message of Sandy Bridge alone; Gen7 has typed surface writes")
    if descriptor.binding_table_index > _LAST_TARGET:
        raise CaptureError(f"binding table index {descriptor.binding_table_index} is no render target")
    if message.end_of_thread and not descriptor.last_render_target:
        raise CaptureError("a write that ends its thread is one to the last render target")
    count = _GROUP if kind in _WIDE else _LANES
    first = _GROUP * descriptor.rt_slot_group + _LANES * (kind is RenderTargetMessage.SIMD8_DUALSRC_HI)
    if first + count > width:
        raise CaptureError(f"{kind.name} writes slots {first} to {first + count - 1} of {width}")
    return kind, slice(first, first + count)


def _parts_of(message: Unasked, kind: RenderTargetMessage, flags: int, start: int) -> dict[str, Array]:
    """What a message holds behind its header, by name: (threads, slots), colors (threads, slots, 4).

    flags: of its header, which say what it holds. start: registers of the header.
    """
    held = {name: bool(flags & bit) for bit, name in _PARTS}
    count = _GROUP if kind in _WIDE else _LANES
    each = count // _LANES
    parts: dict[str, Array] = {}

    def read(first: int, registers: int) -> Array:
        message.need(first + registers)
        return message.dwords_on_device(first, registers)

    if held["source 0 alpha"]:
        parts["source 0 alpha"], start = read(start, each), start + each
    if held["a sample mask"]:
        words = read(start, 1).copy().view("<u2").astype(np.uint32)
        high = kind is RenderTargetMessage.SIMD8_DUALSRC_HI
        parts["a sample mask"], start = words[:, _LANES:] if high else words[:, :count], start + 1
    if kind is RenderTargetMessage.SIMD16_REPDATA:
        color = read(start, 1)[:, None, :4]
        parts["color"], start = np.broadcast_to(color, (len(color), count, 4)), start + 1
    else:
        for name in ("color", "second")[: 1 + (kind in _DUAL)]:
            channels = read(start, 4 * each).reshape(-1, 4, count)
            parts[name], start = channels.transpose(0, 2, 1), start + 4 * each
    if held["depth"]:
        parts["depth"], start = read(start, each), start + each
    if start != message.length:
        raise CaptureError(f"{kind.name} with these parts has {start} registers, found {message.length}")
    return parts


def _refuse(message: Message) -> None:
    """Say why a message is not taken: its registers are not there, or its headers do not agree."""
    message.dwords_on_device(0, message.length)
    header = message.dwords(0, _HEADER_REGISTERS)
    if (header[:, 2] & _INDEX != header[0, 2] & _INDEX).any():
        raise CaptureError("threads name different render targets in one message")
    held = next(name for bit, name in _PARTS if (header[:, 0] & bit != header[0, 0] & bit).any())
    raise CaptureError(f"headers of one message do not agree on whether it holds {held}")
