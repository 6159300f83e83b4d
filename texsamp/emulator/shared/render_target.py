"""Writes to render targets: what pixel threads leave of their pixels.

Messages are those of seed 003:10180-10445 and of Sandy Bridge's volume 4 part 1, pages 193-194 and 235-253. Nothing
is written here: the output merger does that with what is collected, in the order of the objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.unasked import Unasked
from texsamp.errors import CaptureError
from texsamp.state.data_port import RenderCacheDescriptor, RenderTargetMessage

HEADER_REGISTERS = 2
_LANES = 8
GROUP = 16
"""Slots that a header has pixel enables for."""
MASK_AT = 15
"""Dword of M0 and M1 with the pixel enables."""
INDEX, ARRAY_AT, ARRAY = 7, 16, 0x7FF
_DEPTH, _OMASK, SOURCE0_ALPHA = 1 << 13, 1 << 12, 1 << 11
PARTS = ((SOURCE0_ALPHA, "source 0 alpha"), (_OMASK, "a sample mask"), (_DEPTH, "depth"))
"""Bits of M0.0, or of R0.0 where there is no header, that say what a message holds."""
ALL_SAMPLES = 0xFFFF
DUAL = (RenderTargetMessage.SIMD8_DUALSRC_LO, RenderTargetMessage.SIMD8_DUALSRC_HI)
_WIDE = (RenderTargetMessage.SIMD16, RenderTargetMessage.SIMD16_REPDATA)
LAST_TARGET = 251
"""Binding table indices of render targets end here."""

Target = tuple[int, int]
"""A render target of a draw: its binding table index, and the number of its blend state."""


Rows = NDArray[np.intp] | slice
"""Threads of a batch."""


@dataclass
class TargetColors:
    """Colors of one target: bits as messages had them, (threads, slots, 4), and which slots were written.

    The colors are where the registers are. written: None for all that threads were started for.
    """

    colors: Array
    written: NDArray[np.bool_] | None


class RenderTargetWrites:
    """Collects the messages of a batch of pixel threads.

    targets: colors by target. lit: slots that some message to a last render target left alive, (threads, slots);
    are_as_started: whether these, and what is written to all targets, are what threads were started for, no more known;
    samples: of these the sample masks that the kernel wrote; slices: of the render targets, as headers have them;
    depth, second, source0_alpha: computed depth, the second color and the alpha of target 0, where the registers are.
    None where no message had any.
    """

    def __init__(
        self,
        enables: NDArray[np.bool_] | Callable[[], NDArray[np.bool_]],
        flags: NDArray[np.uint32],
        slices: NDArray[np.int32] | Callable[[], NDArray[np.int32]],
        *,
        dual_source: bool,
        width: int | None = None,
    ) -> None:
        """enables: pixels (samples) every thread was started for, (threads, slots). flags: R0.0 of every thread.

        slices: of every thread. dual_source: whether 3DSTATE_PS says that kernels write two colors. width: slots of a
        thread, where enables and slices are asked for only if a message needs them.
        """
        self._given, self._flags, self._dual_source = enables, flags, dual_source
        if width is None:
            assert not callable(enables)
            width = enables.shape[1]
        self._width, self._all_are_lit = width, False
        self.samples: NDArray[np.uint32] | None = None
        self.slices: NDArray[np.int32] | None = None
        self._slices_given = slices
        self.targets: dict[Target, TargetColors] = {}
        self.depth: Array | None = None
        self.second: Array | None = None
        self.source0_alpha: Array | None = None

    @cached_property
    def _enables(self) -> NDArray[np.bool_]:
        return self._given() if callable(self._given) else self._given

    @cached_property
    def lit(self) -> NDArray[np.bool_]:
        """See above; to be written in place."""
        return self._enables.copy() if self._all_are_lit else np.zeros((len(self._flags), self._width), np.bool_)

    @property
    def are_as_started(self) -> bool:
        """See above."""
        known = "lit" not in self.__dict__ and self._all_are_lit and self.samples is None and self.slices is None
        return known and all(target.written is None for target in self.targets.values())

    def written(self, target: Target) -> NDArray[np.bool_]:
        """Slots that were written to a target, (threads, slots)."""
        written = self.targets[target].written
        return self._enables if written is None else written

    def send(self, message: Message) -> None:
        """Take one message; CaptureError for forms that the pages do not have."""
        descriptor = message.described(RenderCacheDescriptor)
        self._take(message, descriptor, *form_of(message, descriptor, self._width))

    def _take(
        self, message: Message, descriptor: RenderCacheDescriptor, kind: RenderTargetMessage, slots: slice
    ) -> None:
        rows: Rows = slice(None) if len(message.rows) == len(self._flags) else message.rows
        start, index = 0, 0
        flags, enables = self._flags[rows] & ~np.uint32(SOURCE0_ALPHA), None
        if message.has_header:
            header, start = message.dwords(0, HEADER_REGISTERS), HEADER_REGISTERS
            flags = header[:, 0]
            first = slots.start % GROUP
            bits = np.arange(first, first + slots.stop - slots.start, dtype=np.uint32)
            enables = (header[:, MASK_AT, None] >> bits & 1).astype(np.bool_)
            indices = header[:, 2] & INDEX
            index = int(indices[0])
            if (indices != index).any():
                raise CaptureError("threads name different render targets in one message")
            if self.slices is None:
                first_slices = self._slices_given() if callable(self._slices_given) else self._slices_given
                self.slices = np.repeat(first_slices[:, None], self._width, axis=1)
            self.slices[rows, slots] = (flags >> ARRAY_AT & ARRAY)[:, None].astype(np.int32)
        elif not callable(self._given) or not isinstance(rows, slice) or slots != slice(0, self._width):
            enables = self._enables[rows, slots]
        parts = self._parts(message, kind, flags, start)
        if descriptor.last_render_target:
            self._end(message, rows, slots, enables, parts)
        if self._dual_source and kind not in DUAL:
            return  # it updates depth and stencil at most (page 193)
        self._color(message, (int(descriptor.binding_table_index), index), rows, slots, enables, parts["color"])
        there = _there(message, rows)
        if "second" in parts and self._dual_source:
            if self.second is None:
                self.second = self._zeros(message, 4)
            self.second[there, slots] = parts["second"]
        if "source 0 alpha" in parts:
            if self.source0_alpha is None:
                self.source0_alpha = self._zeros(message).view(np.float32)
            self.source0_alpha[there, slots] = parts["source 0 alpha"].view(np.float32)

    def _parts(
        self, message: Message, kind: RenderTargetMessage, flags: NDArray[np.uint32], start: int
    ) -> dict[str, Array]:
        """What a message holds behind its header, by name: (rows, slots), colors (rows, slots, 4).

        Sample masks are the host's, all others are where the registers are.
        """
        for bit, name in PARTS:
            found = flags & bit != 0
            if (found != found[0]).any():
                raise CaptureError(f"headers of one message do not agree on whether it holds {name}")
        parts = parts_of(message, kind, int(flags[0]), start)
        if "a sample mask" in parts:
            parts["a sample mask"] = message.threads.download(parts["a sample mask"])
        return parts

    def _end(
        self, message: Message, rows: Rows, slots: slice, enables: NDArray[np.bool_] | None, parts: dict[str, Array]
    ) -> None:
        """What a message to the last render target decides: pixels that are alive, their samples, their depth."""
        if enables is not None:
            self.lit[rows, slots] |= enables & self._enables[rows, slots]
        elif "lit" in self.__dict__:
            self.lit[...] = self._enables
        self._all_are_lit |= enables is None
        if "a sample mask" in parts:
            if self.samples is None:
                self.samples = np.full(self._shape, ALL_SAMPLES, np.uint32)
            self.samples[rows, slots] = parts["a sample mask"]
        if "depth" in parts:
            if self.depth is None:
                self.depth = self._zeros(message).view(np.float32)
            self.depth[_there(message, rows), slots] = parts["depth"].view(np.float32)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self._flags), self._width

    def _zeros(self, message: Message, *channels: int) -> Array:
        """For all slots, where the registers are."""
        found: Array = message.threads.arrays.zeros((*self._shape, *channels), np.uint32)
        return found

    def _color(
        self,
        message: Message,
        target: Target,
        rows: Rows,
        slots: slice,
        enables: NDArray[np.bool_] | None,
        colors: Array,
    ) -> None:
        """enables: None for all slots of all threads, as these were started."""
        is_whole = isinstance(rows, slice) and colors.shape[1] == self._width
        if target not in self.targets and is_whole:
            written = None if enables is None else enables & self._enables
            self.targets[target] = TargetColors(colors.copy(), written)
            return
        if target not in self.targets:
            self.targets[target] = TargetColors(self._zeros(message, 4), np.zeros(self._shape, np.bool_))
        held = self.targets[target]
        started = self._enables[rows, slots]
        written = started if enables is None else enables & started
        if held.written is None:
            held.written = self._enables.copy()
        if (held.written[rows, slots] & written).any():
            raise CaptureError(f"a thread writes one of its pixels twice to render target {target[0]}")
        held.written[rows, slots] |= written
        held.colors[_there(message, rows), slots] = colors


def form_of(
    message: Message | Unasked, descriptor: RenderCacheDescriptor, width: int
) -> tuple[RenderTargetMessage, slice]:
    """Kind and slots of a message, of `width` of a thread; CaptureError for forms that the pages do not have."""
    kind = RenderTargetMessage(descriptor.rt_message)
    if kind is RenderTargetMessage.SIMD8_IMAGE_WRITE:
        raise CaptureError("SIMD8_IMAGE_WRITE is a message of Sandy Bridge alone; Gen7 has typed surface writes")
    if descriptor.binding_table_index > LAST_TARGET:
        raise CaptureError(f"binding table index {descriptor.binding_table_index} is no render target")
    if message.end_of_thread and not descriptor.last_render_target:
        raise CaptureError("a write that ends its thread is one to the last render target")
    count = GROUP if kind in _WIDE else _LANES
    first = GROUP * descriptor.rt_slot_group + _LANES * (kind is RenderTargetMessage.SIMD8_DUALSRC_HI)
    if first + count > width:
        raise CaptureError(f"{kind.name} writes slots {first} to {first + count - 1} of {width}")
    return kind, slice(first, first + count)


def parts_of(message: Message | Unasked, kind: RenderTargetMessage, flags: int, start: int) -> dict[str, Array]:
    """What a message holds behind its header, by name, where the registers are: see `RenderTargetWrites`.

    flags: of its header, which say what it holds. start: registers of the header.
    """
    held = {name: bool(flags & bit) for bit, name in PARTS}
    count = GROUP if kind in _WIDE else _LANES
    each = count // _LANES
    parts: dict[str, Array] = {}
    if held["source 0 alpha"]:
        parts["source 0 alpha"], start = message.dwords_there(start, each), start + each
    if held["a sample mask"]:
        words = message.dwords_there(start, 1).copy().view("<u2").astype(np.uint32)
        high = kind is RenderTargetMessage.SIMD8_DUALSRC_HI
        parts["a sample mask"], start = words[:, _LANES:] if high else words[:, :count], start + 1
    if kind is RenderTargetMessage.SIMD16_REPDATA:
        color = message.dwords_there(start, 1)[:, None, :4]
        parts["color"], start = np.broadcast_to(color, (len(color), count, 4)), start + 1
    else:
        for name in ("color", "second")[: 1 + (kind in DUAL)]:
            channels = message.dwords_there(start, 4 * each).reshape(-1, 4, count)
            parts[name], start = channels.transpose(0, 2, 1), start + 4 * each
    if held["depth"]:
        parts["depth"], start = message.dwords_there(start, each), start + each
    if start != message.length:
        raise CaptureError(f"{kind.name} with these parts has {start} registers, found {message.length}")
    return parts


def _there(message: Message, rows: Rows) -> slice | Array:
    """Threads by which arrays that are where the registers are can be indexed."""
    return rows if isinstance(rows, slice) else message.threads.upload(rows)
