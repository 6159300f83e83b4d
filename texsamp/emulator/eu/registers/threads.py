"""The state of many threads in lockstep: their registers, and where each channel is in the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device, get_device
from texsamp.device.kept import kept
from texsamp.emulator.eu.isa.operands import ADDRESS
from texsamp.emulator.eu.registers.accumulators import Accumulators
from texsamp.emulator.eu.registers.channels import any_channel, bits_of, put
from texsamp.emulator.eu.registers.frames import Frames
from texsamp.emulator.eu.registers.instruction_counts import Executed
from texsamp.emulator.eu.registers.pointers import ENDED, NOWHERE, WAITING, Together, first_behind
from texsamp.emulator.eu.registers.spare_registers import SpareRegisters
from texsamp.emulator.eu.registers.trail_state import Walk
from texsamp.errors import CaptureError

GENERAL_REGISTERS = 128
REGISTER_B = 32
GENERAL_B = GENERAL_REGISTERS * REGISTER_B
CHANNELS = 32
"""Channels of a media thread; all of them start enabled."""
NOTIFICATIONS = 3
"""Counters of n0: of other threads, of the host, of other threads again (volume 4 part 3, page 51)."""

ARCHITECTURE_PLACES = {
    0x10: (0, 16), 0x20: (32, 64), 0x21: (64, 32), 0x30: (96, 4), 0x31: (100, 4), 0x70: (112, 16), 0x80: (128, 12),
    0x90: (144, 12), 0xA0: (160, 4), 0xB0: (176, 16), 0xC0: (192, 32),
}  # fmt: skip
"""Architecture registers that are kept: byte offset behind the general ones, and bytes: a0, acc0 with acc1 behind it,
acc1, f0, f1, sr0, cr0, n0, ip, tdr0, tm0."""
STATE, CONTROL = 0x70, 0x80
_USUAL_CONTROL = np.uint32(1 << 2)
"""Bits of cr0.0 that do not change what instructions compute: single program flow."""
STATE_AT = GENERAL_B + ARCHITECTURE_PLACES[STATE][0]
FLAGS = (0x30, 0x31)
FLAGS_AT = GENERAL_B + ARCHITECTURE_PLACES[0x30][0]
ADDRESSES_AT = GENERAL_B + ARCHITECTURE_PLACES[ADDRESS][0]
_WHOLE_ADDRESSES = 2
"""Elements of a0 with 16 bits, which come first; message descriptors need them."""
_ADDRESS_BITS = np.uint16(0xFFF)
PITCH_B = GENERAL_B + 320  # an odd number of 64-byte lines: equal registers of neighbors share no cache set

Array = NDArray[Any]
Mask = NDArray[np.bool_] | None
"""Which channels take part, shape (threads, channels); None for all."""


class Threads:
    """`count` threads, with ascending `numbers` (by default from 0 on), that run one kernel.

    `registers` is uint8 (count, bytes): general ones, then architecture's.

    `notifications`: n0.0 to n0.2, which `wait` counts down. A thread that finds none is suspended until one comes.

    `modes`: cr0.0 of every thread, where one of them rounds or computes otherwise than usual.

    `executed`: what tm0 counts: instructions of each thread. `accumulators`: the bits of acc0 that `registers` have no
    room for.

    `params`: what the engine is told of these threads. `walk`: what the host knows of their way; None if it asks all.
    `ahead`: what the message that is sent next asks of the device, if it has come with what was asked before.

    While all channels of all threads are at one instruction, `ip` is its byte offset; else `ips` has each channel's,
    which are brought up to date when they are asked for.

    `is_guessed`: whether perhaps no channel is at the current instruction, as the device was not asked for it.

    `alone`: where threads are that have no channel there, on their way to where the next one is (only what ignores the
    execution mask has an effect then); ENDED for all others, and None if there is no such thread.
    """

    def __init__(
        self,
        count: int,
        numbers: NDArray[np.intp] | None = None,
        device: Device | None = None,
        spare: SpareRegisters | None = None,
    ) -> None:
        """device: where registers are and instructions are carried out; numpy arrays if None.

        spare: registers of threads that have ended, which these take if there are any.
        """
        self.device = get_device("cpu") if device is None else device
        self._device = None if self.device.arrays is np else device
        self.arrays: Any = np if self._device is None else self._device.arrays
        self.count = count
        self.numbers: NDArray[np.intp] = np.arange(count) if numbers is None else numbers
        self._spare = SpareRegisters() if spare is None else spare
        self._taken = self._spare.take(self.device, count, PITCH_B)
        self.registers: NDArray[np.uint8] = self._taken[:count]
        self.ip = 0
        self._ips: NDArray[np.int64] | None = None
        self._together: Together | None = None
        self.alone: NDArray[np.int64] | None = None
        self.is_guessed = False
        self._others: frozenset[int] | None = None
        self.executed = Executed()
        self.accumulators = Accumulators(self.arrays, count)
        self.modes: NDArray[np.uint32] | None = None
        self.notifications: NDArray[np.int64] = np.zeros((count, NOTIFICATIONS), np.int64)
        self.suspended: NDArray[np.bool_] = np.zeros(count, np.bool_)
        self._views: dict[tuple[object, ...], Array] = {}
        self.ahead: dict[Any, Array] | None = None
        self.params: dict[str, int] | None = None
        self.walk: Walk | None = None

    @cached_property
    def frames(self) -> Frames:
        """Of threads in calls, where all channels go on when the called ones have returned."""
        return Frames(self.arrays, self.count, CHANNELS, self.numbers_of)

    @property
    def looked_at(self) -> dict[Any, Any]:
        """What was asked of the last messages of these threads and others, by shared function: dwords, or ranges."""
        return self._spare.looked_at

    def channel_bits(self, channels: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """(threads, CHANNELS) as a word for each thread, the lowest bit the first channel."""
        together = self._together
        kept = together if together is not None and channels is together.channels else None
        if kept is not None and kept.words is not None:
            return kept.words
        packed: NDArray[np.uint8] = np.packbits(channels.reshape(-1), bitorder="little")
        words = packed.view(np.uint32)
        if kept is not None:
            kept.words = words
        return words

    def some(self, rows: Array) -> Threads:
        """Others, that begin with the registers of these, (n,) where they are; numbered from 0 on."""
        made = Threads(len(rows), None, self._device, self._spare.beside())
        made.registers[...] = self.registers[rows]
        return made

    def upload(self, values: Array) -> Array:
        """A numpy array where the registers are."""
        return values if self._device is None else self._device.upload(values)

    def download(self, values: Array) -> Array:
        """An array as numpy."""
        return values if self._device is None else self._device.download(values)

    def constant(self, values: Array) -> Array:
        """`upload` of an array that never changes: only once, for these threads and later ones."""
        return self.constants(values)[0]

    def constants(self, *values: Array) -> Sequence[Array]:
        """The same of several, which travel together."""
        return values if self._device is None else self._spare.constants.of(self._device, values)

    def kept(self, *values: Array) -> Sequence[Array]:
        """`upload` of arrays that are only read; those with bytes that are there already do not travel."""
        return values if self._device is None else kept(self._device, values)

    def bring(self, arrays: Sequence[Array]) -> Sequence[Array]:
        """Arrays as numpy, which travel together."""
        return arrays if self._device is None or not arrays else self._device.start_download(arrays).result()

    def numbers_of(self, *values: Array) -> list[int]:
        """Single int64 where the registers are, brought together."""
        if self._device is None:
            return [int(each) for each in values]
        found: list[int] = self.download(np.stack(values)).tolist()
        return found

    def view(self, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
        """A strided window into every thread's registers, shape (count, *shape); strides in bytes."""
        key = (offset, dtype, shape, strides)
        window = self._views.get(key)
        if window is None:
            window = self._window(offset, dtype, (self.count, *shape), (PITCH_B, *strides))
            self._views[key] = window
        return window

    def _window(self, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
        if self._device is None:
            return np.ndarray(shape, dtype, self.registers.data, offset, strides)
        pointer: Any = self.registers.data
        window: Array = self.arrays.ndarray(shape, dtype, pointer + offset, strides)
        return window

    def general(self, first: int, count: int) -> NDArray[np.uint8]:
        """Bytes of general registers, shape (threads, 32 * count); CaptureError beyond the last register."""
        if not 0 <= first <= first + count <= GENERAL_REGISTERS:
            raise CaptureError(f"registers r{first} to r{first + count - 1} of {GENERAL_REGISTERS}")
        return self.registers[:, first * REGISTER_B : (first + count) * REGISTER_B]

    def begin(self, *parts: tuple[int, Any]) -> None:
        """Fill registers: from a byte on, bytes (threads, n), the host's or there; n is a multiple of 4.

        Dwords that all threads have alike travel once, and what threads had before not again.
        """
        if self._device is None:
            for at, data in parts:
                self.registers[:, at : at + data.shape[1]] = data
            return
        sent: list[Array] = []
        for _, data in parts:
            if isinstance(data, np.ndarray):
                words = np.ascontiguousarray(data).view("<u4")
                own = np.flatnonzero((words != words[0]).any(axis=0))
                sent += [words[0], own.astype(np.int32), np.ascontiguousarray(words[:, own])]
        there = iter(kept(self._device, sent))
        for at, data in parts:
            if isinstance(data, np.ndarray):
                window = self.view(at, np.dtype("<u4"), (data.shape[1] // 4,), (4,))
                window[...], own, values = next(there), next(there), next(there)
                window[:, own] = values
            else:
                self.registers[:, at : at + data.shape[1]] = data

    def addresses(self, subregister: int) -> NDArray[np.uint16]:
        """a0.`subregister` of every thread."""
        return self.view(ADDRESSES_AT + 2 * subregister, np.dtype("<u2"), (), ())

    def trim_addresses(self) -> None:
        """Drop what a0.2 to a0.7 have no room for: they have 12 bits (volume 4 part 3, page 41)."""
        words = self.view(ADDRESSES_AT + 2 * _WHOLE_ADDRESSES, np.dtype("<u2"), (8 - _WHOLE_ADDRESSES,), (2,))
        words &= _ADDRESS_BITS

    def state(self, number: int) -> NDArray[np.uint32]:
        """Dwords of a state register, (threads, dwords), to read and write in place."""
        offset, size_B = ARCHITECTURE_PLACES[number]
        return self.view(GENERAL_B + offset, np.dtype("<u4"), (size_B // 4,), (4,))

    def take_control(self, control: int | None = None) -> None:
        """Compute as cr0.0 says from now on. control: what it is in all threads, if that is known."""
        held = self.state(CONTROL)[:, 0]
        is_usual = not ((held if control is None else control) & ~_USUAL_CONTROL).any()
        self.modes = None if is_usual else held.copy()

    def flag_bits(self) -> NDArray[np.bool_]:
        """f0 and f1 of every thread, shape (threads, 2, 32)."""
        return bits_of(self.registers[:, FLAGS_AT : FLAGS_AT + 8]).reshape(self.count, 2, 32)

    def flags(self, register: int, first: int, count: int) -> NDArray[np.bool_]:
        """Bits `first` to `first + count - 1` of a flag register, shape (threads, count)."""
        start = FLAGS_AT + 4 * register + first // 8
        bits = bits_of(self.registers[:, start : start + -(-(first % 8 + count) // 8)])
        return bits[:, first % 8 : first % 8 + count]

    def set_flags(self, register: int, first: int, values: NDArray[np.bool_], mask: Mask) -> None:
        """Set bits of a flag register from `first` on where the mask allows it."""
        count = values.shape[1]
        start = FLAGS_AT + 4 * register + first // 8
        held = self.registers[:, start : start + -(-(first % 8 + count) // 8)]
        bits = bits_of(held)
        put(bits[:, first % 8 : first % 8 + count], values, mask)
        held[...] = np.packbits(bits.reshape(-1), bitorder="little").reshape(held.shape)

    def leave_registers(self) -> None:
        """These have ended, and nobody reads their registers any more: others may have them."""
        self._spare.give(self._taken)

    # -- instruction pointers ------------------------------------------------------------------------------------------

    @property
    def ips(self) -> NDArray[np.int64] | None:
        """Instruction pointers of every channel, (threads, CHANNELS); None while all are at one."""
        together, self._together = self._together, None
        if together is not None and self._ips is not None:
            if self._device is None:  # in half the time
                np.putmask(self._ips, together.channels, self.ip)
            else:
                put(self._ips, self.ip, together.channels)
        return self._ips

    @property
    def first_waiting(self) -> int | None:
        """The lowest instruction behind the current one that other channels wait at; None while there are none."""
        if self._together is not None:
            return self._together.others
        ips = self.ips
        if ips is None:
            return None
        return first_behind(ips, self.ip) if self._device is None else int(np.where(ips > self.ip, ips, ENDED).min())

    @property
    def are_together(self) -> bool:
        """Whether all channels of all threads are at the current instruction."""
        return self._ips is None

    @property
    def others(self) -> frozenset[int] | None:
        """Where channels may be beside the current instruction, on a device; None if that is not known."""
        return frozenset() if self._ips is None else self._others

    @property
    def running(self) -> bool:
        """Whether a thread can go on."""
        return self.ip < WAITING

    @property
    def ended(self) -> bool:
        """Whether all threads have ended."""
        return self.ip == ENDED

    @property
    def waiting(self) -> int:
        """Threads that are suspended."""
        return int(self.suspended.sum())

    def waits_at(self) -> int:
        """The lowest instruction a suspended thread is at; the current one if there is none."""
        if self.ips is None or not self.suspended.any():
            return self.ip
        return int(self.ips[self.upload(self.suspended)].min())

    def here(self) -> NDArray[np.bool_] | None:
        """Channels at the current instruction, shape (threads, CHANNELS); None if all are."""
        if self._together is not None:
            return self._together.channels
        ips = self.ips
        if ips is None:
            return None
        here: NDArray[np.bool_] = ips == self.ip
        if self.suspended.any():
            here &= self.upload(~self.suspended)[:, None]  # all channels of a thread wait with it
        return here

    def alone_here(self) -> NDArray[np.bool_]:
        """Threads at the current instruction for which `alone` says so."""
        assert self.alone is not None
        rows: NDArray[np.bool_] = self.alone == self.ip
        if self.suspended.any():
            rows &= self.upload(~self.suspended)
        return rows

    def present(self, here: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Threads at the current instruction, with channels `here` or without any, shape (threads, 1)."""
        rows = any_channel(here)[:, None]
        return rows if self.alone is None else rows | self.alone_here()[:, None]

    def leave(self, targets: Array | int, here: Mask, places: Iterable[int] | None = None) -> None:
        """All at the current instruction go on elsewhere: at one offset, or one each, shape (threads, 1).

        places: offsets that are among these, if that is known.
        """
        if here is None and isinstance(targets, int):
            self.ip = targets
            return
        together = self._together
        others = together.others if together is not None and here is together.channels else None
        if others is not None and isinstance(targets, int) and targets < others:
            self.ip = targets
            return
        if self.alone is not None:
            self.lead(self.alone_here(), targets)
        put(self.diverge(), targets, here)
        self.settle((targets,) if isinstance(targets, int) else places)

    def meet(self, target: int) -> None:
        """All channels of all threads go on at one offset."""
        self.ip, self._ips, self._together, self.alone, self.is_guessed = target, None, None, None, False

    def part(self, ips: Array, lowest: int, others: int, places: frozenset[int] | None = None) -> None:
        """All go on at pointers of their own; the lowest is told, and the next one; none is suspended or alone.

        places: where others may be, if the two are only guessed.
        """
        self._ips, self._others, self.is_guessed = ips, places, places is not None
        self.ip, self._together, self.alone = lowest, Together(ips == lowest, others), None

    def part_alone(self, ips: Array, alone: Array) -> None:
        """The same where threads go on without channels."""
        self._ips, self._others, self._together, self.alone = ips, None, None, alone
        self._ask(ips)

    def lead(self, rows: NDArray[np.bool_], targets: Array | int) -> None:
        """Threads go on at `targets`, one offset or one each, shape (threads, 1), though no channel may be there."""
        before = self.arrays.full(self.count, ENDED, np.int64) if self.alone is None else self.alone
        self.alone = np.where(rows, targets if isinstance(targets, int) else targets[:, 0], before)

    def diverge(self) -> NDArray[np.int64]:
        """Instruction pointers of every channel, to be changed in place."""
        ips = self.ips
        if ips is None:
            ips = self._ips = self.arrays.full((self.count, CHANNELS), self.ip, np.int64)
            self._others = None if self._device is None else frozenset()  # the host looks by itself
        return ips

    def settle(self, targets: Iterable[int] | None = None, occupied: bool = False) -> None:
        """Go on at the lowest instruction any channel waits at; forget the pointers if all wait there.

        Suspended threads do not go on: if only such ones are left, none is running.

        targets: all that channels of the current instruction may have gone on at, if that is known. Then a device is
        not asked: they go on at the lowest place any may be at, which does nothing if none is there. occupied: whether
        some are. At what lies behind them all is asked, so nothing goes around without an end.
        """
        ips = self.ips
        if ips is None:
            return
        known = None if targets is None or self._others is None else self._others.union(targets)
        if known is None or not self._guess(ips, known, occupied):
            self._others = known
            self._ask(ips)

    def _guess(self, ips: NDArray[np.int64], places: frozenset[int], occupied: bool) -> bool:
        """Go on at the lowest of places where channels may be, if that needs no question."""
        if self._device is None or self.alone is not None or self.suspended.any():
            return False
        lowest, *others = sorted(places)
        if not others:
            self.ip, self._ips, self.is_guessed = lowest, None, False
            return True
        if lowest <= self.ip and not occupied:
            return False
        here = ips == lowest
        self.ip, self._others, self._together = lowest, frozenset(others), Together(here, others[0])
        self.is_guessed = not occupied
        return True

    def be_certain(self) -> None:
        """Ask where channels are, if that is guessed."""
        if self.is_guessed and (ips := self.ips) is not None:
            self._ask(ips)

    def _ask(self, ips: NDArray[np.int64]) -> None:
        """See `settle`: by asking."""
        places = ips
        self.is_guessed = False
        if self.alone is not None:
            places = self._meet(self.alone, ips.min(axis=1))
        if not self.suspended.any():
            here, is_whole, others = self._lowest(places, ips)
            self._others = None if self._others is None else frozenset(p for p in self._others if p > self.ip)
            if is_whole:
                self._ips = None
            elif self.alone is None:
                self._together = Together(here, others)
            return
        self._others = None
        going = places[self.upload(~self.suspended)]
        self.ip = int(going.min()) if len(going) else ENDED
        if self.ip == ENDED:
            self.ip = WAITING

    def _lowest(self, places: NDArray[np.int64], ips: NDArray[np.int64]) -> tuple[NDArray[np.bool_], bool, int]:
        """Go on at the lowest place: which channels are there, whether all are, the lowest instruction of others."""
        lowest = places.min()
        if self._device is not None:  # one way to the host tells all
            here = ips == lowest
            behind = np.where(here, NOWHERE, ips).min()
            self.ip, others = self.numbers_of(lowest, behind)
            return here, others == NOWHERE, others
        self.ip = int(lowest)
        here = ips == self.ip
        is_whole = bool(here.all())
        return here, is_whole, ENDED if is_whole else first_behind(ips, self.ip)

    def _meet(self, alone: NDArray[np.int64], channels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where threads go on, those that have come to a channel of theirs with it; `channels`: the first of each."""
        alone = np.where(alone < channels, alone, ENDED)
        self.alone = alone if (alone < ENDED).any() else None
        return np.minimum(alone, channels)

    def enable(self, channels: Array) -> None:
        """Begin with these channels only, (threads, CHANNELS): the host's, or there, one of each thread."""
        here = isinstance(channels, np.ndarray)
        if not (here and channels.all()):
            self.diverge()[self.upload(~channels)] = ENDED
            self.settle((self.ip, ENDED), occupied=not here or bool(channels.any()))

    def wait(self, counter: int, rows: NDArray[np.intp], next_offset: int) -> None:
        """Threads `rows` take a notification and go on behind the instruction they are at, or are suspended there."""
        ready = self.notifications[rows, counter] > 0
        self.notifications[rows[ready], counter] -= 1
        if self.ips is None and ready.all():
            self.ip = next_offset
            return
        self.suspended[rows[~ready]] = True
        here = self.here()
        passed = np.zeros((self.count, 1), np.bool_)
        passed[rows[ready]] = True
        if self.alone is not None:
            self.lead(self.alone_here() & self.upload(passed)[:, 0], next_offset)
        mask = np.broadcast_to(self.upload(passed), (self.count, CHANNELS))
        put(self.diverge(), next_offset, mask if here is None else mask & here)
        self.settle()

    def notify(self, rows: NDArray[np.intp], counter: int) -> None:
        """Give threads a notification each, one for each time they are named; those that are suspended go on."""
        np.add.at(self.notifications[:, counter], rows, 1)
        self.suspended[rows] = False
