"""The deinterlace message: blocks of denoised and deinterlaced frames, by the kernels of `texsamp.video`.

All threads' blocks are cut out of frames that one call makes as a whole (seed 003:1528-1582, 5551-5880).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.samplers import POINTER, POINTER_BITS, SamplerTable
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks
from texsamp.emulator.eu.sends.equal_parts import Header, agreeing, agreeing_on_device
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.sampler.block_statistics import block_statistics
from texsamp.emulator.shared.sampler.media_frames import media_frame, stored_statistics
from texsamp.emulator.shared.sampler.requests import read_request
from texsamp.emulator.shared.sampler.walked_blocks import WalkedBlocks
from texsamp.errors import CaptureError
from texsamp.sampler.messages import SamplerRequest
from texsamp.sampler.messages.deinterlace import DeinterlaceForm, deinterlace_bytes, place_bytes
from texsamp.sampler.messages.parameters import BLOCK_PAYLOADS
from texsamp.sampler.messages.rows import REGISTER_DWORDS
from texsamp.state import MediaSurfaceState
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.sampler_messages import BlockMessage, SamplerMessageDescriptor
from texsamp.video.deinterlace.call import BLOCK_ROWS, BLOCK_WIDTH_PX, Call, run_call
from texsamp.video.frame import Frame

_REFERENCE, _STORED = 1, 2
"""Binding table indices beyond that of the current frame: the frame before, and what the call before left."""


def _first_dword(bits: int) -> int:
    return ((bits & -bits).bit_length() - 1) // 32


_U, _V = (_first_dword(BLOCK_PAYLOADS[BlockMessage.DEINTERLACE][0].rows[name].mask) for name in ("u", "v"))
"""Dwords of the register behind the header."""
_ALL_BITS = 0xFFFFFFFF
_LOOKS: Looks = (
    (POINTER, POINTER_BITS),
    (REGISTER_DWORDS + _U, _ALL_BITS),
    (REGISTER_DWORDS + _V, _ALL_BITS),
    (REGISTER_DWORDS + _U, BLOCK_WIDTH_PX - 1),
    (REGISTER_DWORDS + _V, BLOCK_ROWS - 1),
)
_MOST = 4095, 2046, 0, 0
"""What the host asks of messages: the sampler table, U and V, what they are beyond whole blocks; and the limits."""
_PAIR_PX = 2
_WORK_PER_UNIT_B = 1 << 14
"""Bytes of a frame that are worth a unit of work."""


@dataclass
class Deinterlacer:
    """Executes deinterlace messages of one dispatch; CaptureError for what is illegal or not executed."""

    surfaces: SurfaceTable
    samplers: SamplerTable
    budget: Budget
    walked: WalkedBlocks
    _calls: dict[tuple[object, ...], Call] = field(default_factory=dict)

    def send(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """Answer every thread with its block."""
        for part in agreeing(message, _LOOKS[:1]) if message.has_header else [message]:
            self._send(part, descriptor)

    def _send(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """The same of threads with one table of samplers."""
        request = read_request(message, descriptor)
        table = self.samplers.named(message.dwords(0, 1, (POINTER,))) if message.has_header else self.samplers
        state = table.state(DeinterlaceSamplerState, descriptor.sampler_index)
        index = descriptor.binding_table_index
        current = self.surfaces.media(index)
        form = DeinterlaceForm.of(state, current)
        if form.response_length != message.response_length:
            raise CaptureError(f"deinterlace returns {form.response_length} registers, not {message.response_length}")
        device = message.threads.device
        x, y = self.walked.of(message, state, current) if state.walker_enable else _corners(request)
        places = place_bytes(form, x, y)
        blocks = _Blocks(device, x.astype(np.int32), y.astype(np.int32))
        message.respond(self._response(blocks, index, state, current, form))
        message.tell(*places)

    def send_unasked(self, message: Unasked, descriptor: SamplerMessageDescriptor) -> bool:
        """The same of threads on a device, whose places stay in registers; False of those that a walker chooses."""
        state = self.samplers.state(DeinterlaceSamplerState, descriptor.sampler_index)
        if not message.has_header or not message.has_registers or message.length != 2 or state.walker_enable:
            return False
        _, *places = message.ranges(_LOOKS)
        if not all(low >= 0 and high <= most for (low, high), most in zip(places, _MOST, strict=True)):
            return False
        parts = agreeing_on_device(message, _LOOKS[:1])
        answers = [self._answer_on_device(part.message, descriptor, part.header) for part in parts]
        if None in answers:
            return False
        for part, answer in zip(parts, answers, strict=True):
            assert answer is not None
            response, form = answer
            part.message.respond(response)
            part.give_back()
            begin, place = place_bytes(form, *np.zeros((2, 1), np.int64))
            part.message.tell_made(begin, place.shape[1], (part.message.at(1) + 4 * _U, 4 * (_V + 1 - _U)))
        return True

    def _answer_on_device(
        self, message: Unasked, descriptor: SamplerMessageDescriptor, header: Header
    ) -> tuple[Array, DeinterlaceForm] | None:
        """The response to threads that name one table; None for what is not left there."""
        state = self.samplers.named(header).state(DeinterlaceSamplerState, descriptor.sampler_index)
        index = descriptor.binding_table_index
        current = self.surfaces.media(index)
        form = DeinterlaceForm.of(state, current)
        if state.walker_enable or form.response_length != message.response_length:
            return None
        sent = message.dwords_on_device(1, 1)
        x, y = (sent[:, at].copy().view(np.int32) for at in (_U, _V))
        return self._response(_Blocks(message.threads.device, x, y), index, state, current, form), form

    def _response(
        self,
        blocks: _Blocks,
        index: int,
        state: DeinterlaceSamplerState,
        current: MediaSurfaceState,
        form: DeinterlaceForm,
    ) -> Array:
        call = self._call(index, state, current, blocks.device)
        values = blocks.deinterlaced(call, state) if form.di else blocks.denoised(call)
        wanted = {name: values[name] for name, _ in form.arrays if name in values}
        return deinterlace_bytes(form, wanted, blocks.statistics(call))

    def _call(self, index: int, state: DeinterlaceSamplerState, current: MediaSurfaceState, device: Device) -> Call:
        """What the frames of a message come to on a device; anew when memory has changed."""
        memory, alone = self.surfaces.memory, bool(state.first_frame)
        used: list[Any] = [current]
        if not alone:
            used += [self.surfaces.media(index + _REFERENCE), self.surfaces.render(index + _STORED)]
        key = (state.image, *((each.image, memory.version(each.base_address)) for each in used))
        if key not in self._calls:
            size_B = current.pitch * current.height
            self.budget.spend(1 + size_B // _WORK_PER_UNIT_B)
            whole = bool(state.di_enable)
            frame = media_frame(self.surfaces, current, device, whole=whole)
            reference = stored = None
            if not alone:
                reference = media_frame(self.surfaces, used[1], device, whole=whole)
                if (reference.layout, reference.planes[0].shape) != (frame.layout, frame.planes[0].shape):
                    raise CaptureError(f"deinterlace: surfaces {index} and {index + _REFERENCE} differ in kind or size")
                stored = stored_statistics(self.surfaces, used[2], frame)
            self._calls.clear()
            self._calls[key] = run_call(state, frame, reference, stored)
        return self._calls[key]


def _corners(request: SamplerRequest) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Columns and rows of the upper left pixels of blocks that messages name."""
    x, y = (request.parameter(name)[:, 0].astype(np.int64) for name in ("u", "v"))
    odd = (x % BLOCK_WIDTH_PX != 0) | (y % BLOCK_ROWS != 0)
    if odd.any():
        raise CaptureError(
            f"deinterlace blocks begin at multiples of {BLOCK_WIDTH_PX} pixels and {BLOCK_ROWS} lines, "
            f"found {x[odd][0]}, {y[odd][0]}"
        )
    return x, y


@dataclass(frozen=True)
class _Blocks:
    """Upper left pixels of the threads' blocks, each (threads,) int32, the host's or there.

    device: where samples are.
    """

    device: Device
    x: Any
    y: Any

    @cached_property
    def _there(self) -> tuple[Array, Array]:
        """Both on the device; those of a picture of a video are there from the one before."""
        if not isinstance(self.x, np.ndarray):
            return self.x, self.y
        x, y = kept(self.device, [self.x, self.y])
        return x, y

    def deinterlaced(self, call: Call, state: DeinterlaceSamplerState) -> dict[str, Array]:
        """Arrays of the response with deinterlacing."""
        lines = range(BLOCK_ROWS)
        second = lines[int(state.top_first) :: 2]
        values = {
            "second_field_luma": self._luma(call.denoised, second),
            "stmm": self._of(call.statistics.stmm, _PAIR_PX, lines),
        }
        if not call.denoised.layout.log2_chroma_height:
            values["second_field_chroma"] = self._chroma(call.denoised, second)
        for name, frame in (("previous", call.second), ("current", call.first)):
            # A first frame has no second field before it: its registers hold 0.
            shape = len(self.x), BLOCK_ROWS, BLOCK_WIDTH_PX // _PAIR_PX, 2
            zeros = self.device.arrays.zeros
            luma = zeros((*shape[:2], BLOCK_WIDTH_PX), np.uint8) if frame is None else self._luma(frame, lines)
            values[f"{name}_luma"] = luma
            values[f"{name}_chroma"] = zeros(shape, np.uint8) if frame is None else self._chroma(frame, lines)
        return values

    def denoised(self, call: Call) -> dict[str, Array]:
        """Arrays of the response without deinterlacing: two blocks, one above the other."""
        lines = range(2 * BLOCK_ROWS)
        values = {"luma": self._luma(call.denoised, lines)}
        if "U" in call.denoised.layout.components:
            values["chroma"] = self._chroma(call.denoised, lines)
        return values

    def statistics(self, call: Call) -> Array:
        """Their register, (threads, 8) uint32."""
        return block_statistics(self.device, *self._there, call.sums, call.noise, call.statistics, call.film)

    def _luma(self, frame: Frame, lines: range) -> Array:
        return self._of(frame.component("Y"), 1, lines)

    def _chroma(self, frame: Frame, lines: range) -> Array:
        """Cr and Cb of every pair of pixels of a frame with chroma in every line."""
        parts = [self._of(frame.component(name), _PAIR_PX, lines) for name in ("V", "U")]
        return np.stack(parts, axis=-1)

    def _of(self, plane: Array, across: int, lines: range) -> Array:
        """Cut (threads, lines, samples) out of a plane whose samples serve ``across`` pixels; edges repeat."""
        (x, y), arange = self._there, self.device.arrays.arange
        rows = np.minimum(y[:, None] + arange(lines.start, lines.stop, lines.step), plane.shape[0] - 1)
        columns = np.minimum(x[:, None] // across + arange(BLOCK_WIDTH_PX // across), plane.shape[1] - 1)
        places = rows[:, :, None] * plane.shape[1] + columns[:, None, :]
        cut: Array = np.take(plane.copy().reshape(-1), places)
        return cut
