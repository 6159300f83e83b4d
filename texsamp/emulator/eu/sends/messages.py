"""What `send` hands to the shared functions: one message of many threads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.emulator.eu.alu.plan import Predicate, execution_mask
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.opcodes import Shape
from texsamp.emulator.eu.isa.operands import Immediate, RegisterFile, Source
from texsamp.emulator.eu.isa.operands import Region as SourceRegion
from texsamp.emulator.eu.isa.text import SHARED_FUNCTIONS
from texsamp.emulator.eu.registers.accumulator_place import is_accumulator
from texsamp.emulator.eu.registers.channels import any_channel
from texsamp.emulator.eu.registers.pointers import ENDED
from texsamp.emulator.eu.registers.regions import Place, Region, is_null, source_region
from texsamp.emulator.eu.registers.threads import ADDRESSES_AT, GENERAL_REGISTERS, REGISTER_B, Array, Mask, Threads
from texsamp.emulator.eu.sends.descriptors import Described
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks, NobodySendsError, Ranges, alike, ranges, ranges_on_device
from texsamp.emulator.eu.sends.host_copies import Asked, Brought, Dwords, everything, only_of
from texsamp.emulator.eu.sends.lanes import BlockPlaces, answer, place_blocks, take
from texsamp.emulator.eu.sends.splitting import parted
from texsamp.errors import CaptureError

_ALL_COMPONENTS, _DWORD_B = 15, 4
_BLOCK_REGISTERS = 4


_GATEWAY = SHARED_FUNCTIONS.index("gateway")
_DESCRIPTOR = -1
"""Instead of a dword of the payload that is looked at."""
_ALL_BITS = 0xFFFFFFFF


@dataclass(frozen=True)
class Message(Described):
    """One message, sent by the threads `rows` at once; row i of the payload and of the response is thread rows[i].

    rows: numbers of the threads in the batch, ascending. mask: enabled channels, shape (rows, exec_size).
    """

    threads: Threads
    rows: NDArray[np.intp]
    mask: NDArray[np.bool_]
    shared_function: int
    descriptor: int
    source: int
    destination: int | None
    end_of_thread: bool
    ahead: Brought = field(default_factory=dict)
    """Registers of all threads that have come with what was asked before, by what `dwords` is asked."""
    asked: set[Dwords] = field(default_factory=set)
    """What `dwords` was asked."""

    @property
    def count(self) -> int:
        """Threads that send it."""
        return len(self.rows)

    @property
    def exec_size(self) -> int:
        """Channels that each has."""
        return int(self.mask.shape[1])

    def payload(self) -> NDArray[np.uint8]:
        """The registers sent as bytes, shape (rows, 32 * length); a copy."""
        return np.asarray(self.threads.download(self._copy(self.source, self.length)))

    def dwords(self, first: int, count: int, only: tuple[int, ...] | None = None) -> NDArray[np.uint32]:
        """Registers `first` to `first + count - 1` of the payload, shape (rows, 8 * count).

        only: numbers of the dwords that are looked at: from a GPU no others are brought, but 0 for them.
        CaptureError if the payload ends before.
        """
        if self.threads.arrays is np:
            return np.asarray(self.dwords_on_device(first, count))
        self.need(first + count)
        asked = first, count, only
        self.asked.add(asked)
        known = self.ahead.pop(asked, None)
        if known is None:
            known = self.threads.download(
                only_of(self.threads, self._copy(self.source + first, count).view("<u4"), only)
            )
        elif len(self.rows) < self.threads.count:
            known = known[self.rows]
        if only is None:
            return np.asarray(known) if known.flags.writeable else known.copy()
        found = np.zeros((len(self.rows), 8 * count), np.uint32)
        found[:, only] = known
        return found

    def dwords_on_device(self, first: int, count: int) -> Array:
        """`dwords` where the registers are."""
        self.need(first + count)
        return self._copy(self.source + first, count).view("<u4")

    def need(self, registers: int) -> None:
        """CaptureError if the payload has fewer registers."""
        if registers > self.length:
            raise CaptureError(f"the message has {self.length} registers, its type needs {registers}")

    def held(self, count: int) -> NDArray[np.uint32]:
        """What the first `count` registers of the response hold before it, shape (rows, 8 * count); a copy.

        CaptureError if there is no response.
        """
        return np.asarray(self.threads.download(self.held_on_device(count)))

    def held_on_device(self, count: int) -> Array:
        """`held` where the registers are."""
        if self.destination is None:
            raise CaptureError("a message without a response has no registers for it")
        return self._copy(self.destination, count).view("<u4")

    def respond(self, data: Array, register: int = 0) -> None:
        """Write bytes, shape (rows, n), from a register of the response on; what lies beyond it is dropped.

        They are the host's or where the registers are.
        """
        size = min(data.shape[1], (self.response_length - register) * REGISTER_B)
        if self.destination is None or size <= 0:
            return
        target = self.threads.general(self.destination + register, -(-size // REGISTER_B))
        values = self.threads.upload(data[:, :size])
        if len(self.rows) == self.threads.count:
            target[:, :size] = values
        else:
            target[self._rows_on_device, :size] = values

    def tell(self, begin: int, data: NDArray[np.uint8]) -> None:
        """Bytes of a response, (rows, n), that are the host's own: when it gives the same again, they are no answer."""
        walk = self.threads.walk
        if walk is not None and self.destination is not None and len(self.rows) == self.threads.count:
            walk.told(self.destination * REGISTER_B + begin, data)

    def take(self, registers: Sequence[int], lanes: int) -> list[Array]:
        """A dword for each of 8 or 16 lanes from registers of the payload on, arrays (rows, lanes) where these are."""
        last = max(registers) + -(-lanes * _DWORD_B // REGISTER_B)
        self.threads.general(self.source, max(last, self.length))  # they are there
        places = [(self.source + register) * REGISTER_B for register in registers]
        return take(self.threads, self._some_rows, places, lanes)

    def answer(self, values: Array, channels: Sequence[int]) -> bool:
        """Write channels of lanes, 32 bits in (rows, lanes, 4), a channel behind the other, where the mask allows it.

        They are the host's, or contiguous where the registers are.

        False, writing nothing, where they are not all that comes back, or for other lanes than a kernel takes.
        """
        lanes = values.shape[1]
        size_B = len(channels) * lanes * _DWORD_B
        if self.destination is None or values.itemsize != _DWORD_B or lanes not in (8, 16):
            return False
        if size_B != self.response_length * REGISTER_B or self.mask.shape[1] != lanes:
            return False
        self.threads.general(self.destination, self.response_length)  # they are there
        place_B = self.destination * REGISTER_B
        answer(self.threads, self._some_rows, place_B, values, channels, None if self.is_whole else self.mask)
        return True

    def respond_blocks(
        self,
        samples: NDArray[np.uint16],
        places: BlockPlaces,
        register: int,
        threads: NDArray[np.intp] | None,
    ) -> bool:
        """Write a block of samples from a register of the response on, of these threads, by their rows; None for all.

        False, writing nothing, where the response does not have all of it.
        """
        if self.destination is None or register + _BLOCK_REGISTERS > self.response_length:
            return False
        self.threads.general(self.destination + register, _BLOCK_REGISTERS)  # they are there
        rows = self._some_rows if threads is None else self.rows[threads].astype(np.int32)
        place_blocks(self.threads, rows, (self.destination + register) * REGISTER_B, samples, places)
        return True

    @cached_property
    def is_whole(self) -> bool:
        """Whether all channels are enabled."""
        return bool(self.mask.all())

    @property
    def _some_rows(self) -> NDArray[np.int32] | None:
        return None if len(self.rows) == self.threads.count else self.rows.astype(np.int32)

    @property
    def _rows_on_device(self) -> Array:
        return self.threads.kept(self.rows)[0]

    def _copy(self, register: int, count: int) -> Array:
        data = self.threads.general(register, count)
        return data.copy() if len(self.rows) == self.threads.count else data[self._rows_on_device]


class SharedFunctions(Protocol):
    """Whoever takes messages."""

    def send(self, message: Message) -> None:
        """Carry a message out, in ascending order of its threads; CaptureError if it cannot be."""
        ...


def _first_element(descriptor: Source) -> tuple[Source, Region]:
    """A descriptor's dword: that of channel 0, which a swizzle chooses in align16 (volume 4 part 3, page 8)."""
    if descriptor.swizzle is None:
        return descriptor, source_region(descriptor, 1)
    if descriptor.indirection is not None:
        raise CaptureError("align16 operands at addresses are not executed")
    moved = descriptor.subregister_B + descriptor.swizzle[0] * descriptor.type.size_B
    scalar = replace(descriptor, subregister_B=moved, swizzle=None, region=SourceRegion(0, 1, 0))
    return scalar, source_region(scalar, 1)


class _Looking:
    """Looks at ranges of one message: what has come ahead, what is known of the threads' way, or what is asked now."""

    def __init__(self, send: Send, threads: Threads, here: Mask) -> None:
        self._send, self._threads, self._here = send, threads, here
        self._walk = threads.walk if here is None and not send.instruction.predicate else None
        self._known: dict[tuple[int, int], NDArray[np.int32]] = {}
        ahead = threads.ahead or {}
        for what in [what for what in ahead if what[0] == "ranges"]:
            self._learn(what, ahead[what])
            threads.ahead = None
        for what, found in ({} if self._walk is None else self._walk.registers()).items():
            if what[0] == "ranges":
                self._learn(what, found, was_seen=True)
        self.looks: Looks = ()
        """All that was looked at."""
        expected = send._expected_ranges(threads) or ()
        self._expected = expected if send._has_payload(expected) else ()

    def look(self, looks: Looks) -> Ranges:
        """See `Unasked.ranges`."""
        if not self._known.keys() >= set(looks):  # what is expected comes along
            new = tuple(each for each in dict.fromkeys((*looks, *self._expected)) if each not in self._known)
            self._learn(
                ("ranges", new), self._threads.download(self._send._ranges_on_device(self._threads, self._here, new))
            )
        self.looks += tuple(each for each in looks if each not in self.looks)
        return ranges(np.stack([self._known[each] for each in looks]))

    def _learn(self, what: Any, found: NDArray[np.int32], *, was_seen: bool = False) -> None:
        self._known |= dict(zip(what[1], found, strict=True))
        if self._walk is not None and not was_seen:
            self._walk.looked(self._send, {what: found})


class Send:
    """`send` and `sendc`, which are one here: there is nothing a thread could depend on.

    CaptureError for operands that no message has.
    """

    def __init__(self, instruction: Instruction, offset: int) -> None:
        destination, (payload, descriptor) = instruction.destination, instruction.sources
        if not isinstance(payload, Source) or payload.file != RegisterFile.GENERAL or payload.indirection is not None:
            raise CaptureError("the payload of a message is in general registers")
        if destination is None or destination.indirection is not None:
            raise CaptureError("the response of a message goes to general registers")
        assert instruction.opcode.shape is Shape.MESSAGE
        if payload.subregister_B or destination.subregister_B:
            raise CaptureError("payload and response begin with whole registers")
        has_none = is_null(destination) or (instruction.end_of_thread and is_accumulator(destination))
        if instruction.end_of_thread and not (has_none and isinstance(descriptor, Immediate)):
            raise CaptureError("a message that ends its thread has a null destination and an immediate descriptor")
        self.instruction = instruction
        self.next = offset + instruction.size_B
        self._predicate = Predicate(instruction) if instruction.predicate else None
        self.source = payload.number
        self._destination = None if has_none else destination.number
        if self._destination is not None and destination.file != RegisterFile.GENERAL:
            raise CaptureError("the response of a message goes to general registers")
        self._components: NDArray[np.bool_] | None = None
        if destination.mask is not None and destination.mask != _ALL_COMPONENTS:
            enabled = [bool(destination.mask >> n % 4 & 1) for n in range(instruction.exec_size)]
            self._components = np.array(enabled, np.bool_)
        self.place = None
        if isinstance(descriptor, Immediate):
            self._descriptor = descriptor.bits
        else:
            self.place = Place(*_first_element(descriptor))
        self._looked_at: set[Dwords] | None = None
        self._stays = False
        """Whether of the last one nothing was asked but ranges."""
        self._came = False
        """Whether a part of the threads of the last one, with a descriptor of its own, came to the host."""
        self._ranges: Looks = ()
        """Of which dwords they were."""

    def _enabled(self, threads: Threads, here: Mask) -> Mask:
        """Channels that send, where threads are; None for all."""
        mask = execution_mask(self.instruction, here, self._predicate, threads)
        if self._components is not None:  # align16: part of the message's channel enables (volume 4 part 3, page 215)
            shape = threads.count, self.instruction.exec_size
            components = threads.upload(np.broadcast_to(self._components, shape))
            mask = components if mask is None else mask & components
        return mask

    def asks(self, threads: Threads, here: Mask) -> dict[Asked, Array]:
        """What the host looks at of a message that would be sent now: of registers, what it looked at the last time.

        Of the first one, what was looked at of the last message to the same shared function.
        """
        looks = self._expected_ranges(threads)
        if looks is None:
            return self._asked(threads, here, ())
        return {("ranges", looks): self._ranges_on_device(threads, here, looks)} if self._has_payload(looks) else {}

    def _asked(self, threads: Threads, here: Mask, known: Collection[Asked]) -> dict[Asked, Array]:
        """The same without ranges, and nothing that is known."""
        found: dict[Asked, Array] = {}
        mask = None if "mask" in known else self._enabled(threads, here)
        if mask is not None:
            found["mask"] = mask
        if self.place is not None and "descriptors" not in known:
            found["descriptors"] = self.place.read(threads)[:, :1]
        last = threads.looked_at.get(self.instruction.condition, ()) if self._looked_at is None else self._looked_at
        for first, count, only in last:
            register = self.source + first
            if register + count <= GENERAL_REGISTERS and (first, count, only) not in known:
                found[first, count, only] = only_of(threads, threads.general(register, count).view("<u4"), only)
        return found

    def run(self, threads: Threads, here: Mask, functions: SharedFunctions) -> None:
        """Send the message of every thread that has enabled channels here, then go on, or end."""
        if threads.arrays is np:  # what is known of messages on a device stays
            self._send(threads, here, functions)
        else:
            self._stays = self._sent_unasked(threads, here, functions)
            if not self._stays:
                self._looked_at = threads.looked_at[self.instruction.condition] = self._send(threads, here, functions)
        if threads.walk is not None:
            threads.walk.sent()
        self._advance(threads, here)

    @property
    def was_brought(self) -> bool:
        """Whether the last one, of threads on a device, came to the host with registers of its payload."""
        return self._came or (not self._stays and bool(self._looked_at))

    def _sent_unasked(self, threads: Threads, here: Mask, functions: SharedFunctions) -> bool:
        """Whether the message was carried out where threads are."""
        send_unasked = getattr(functions, "send_unasked", None)
        if send_unasked is None:
            return False
        looking, self._came = _Looking(self, threads, here), False
        try:
            descriptor = self._common_descriptor(looking)
            enabled = partial(self._enabled, threads, here)
            if descriptor is not None:
                was_sent: bool = send_unasked(self._unasked(threads, descriptor, enabled, looking.look))
            else:
                was_sent = self._send_parts(threads, here, functions)
        except NobodySendsError:
            was_sent = True
        if was_sent:
            threads.ahead = None
            self._ranges = threads.looked_at["ranges", self.instruction.condition] = looking.looks
        else:
            threads.looked_at.pop(("ranges", self.instruction.condition), None)
        return was_sent

    def _unasked(
        self, threads: Threads, descriptor: int, enabled: Callable[[], Mask], look: Callable[[Looks], Ranges] | None
    ) -> Unasked:
        instruction, ends = self.instruction, self.instruction.end_of_thread
        size, function = instruction.exec_size, instruction.condition
        return Unasked(threads, size, function, descriptor, self.source, self._destination, ends, enabled, look)

    def _send_parts(self, threads: Threads, here: Mask, functions: Any) -> bool:
        """The same for each descriptor that threads have; a part that nobody takes comes to the host alone."""
        if self.place is None:
            return False
        descriptors = self.place.read(threads)[:, 0].copy()
        message = self._unasked(threads, 0, partial(self._enabled, threads, here), None)
        forwards = self.instruction.condition == _GATEWAY  # into registers that others send
        for each in parted(message, [descriptors], at_once=not forwards):
            (descriptor,) = each.values
            part = replace(each.message, descriptor=descriptor)
            if not functions.send_unasked(part):
                sent = threads.download(part.channels)
                rows, self._came = np.flatnonzero(any_channel(sent)), True
                functions.send(self._message(threads, rows, sent[rows], descriptor, {}, set()))
        return True

    def _message(
        self,
        threads: Threads,
        rows: NDArray[np.intp],
        mask: NDArray[np.bool_],
        descriptor: int,
        ahead: Brought,
        asked: set[Dwords],
    ) -> Message:
        ends, function = self.instruction.end_of_thread, self.instruction.condition
        return Message(threads, rows, mask, function, descriptor, self.source, self._destination, ends, ahead, asked)

    def _common_descriptor(self, looking: _Looking) -> int | None:
        """The descriptor of all threads; None if they differ."""
        if self.place is None:
            return self._descriptor
        if self.place.is_indirect:
            return None
        found = looking.look(((_DESCRIPTOR, _ALL_BITS),))
        return int(found[0, 0]) & _ALL_BITS if alike(found) else None

    def _expected_ranges(self, threads: Threads) -> Looks | None:
        """Of which dwords the host asks ranges, if it is expected to ask nothing else."""
        if self._stays:
            return self._ranges
        if self._looked_at is not None:
            return None
        looks: Looks | None = threads.looked_at.get(("ranges", self.instruction.condition))
        return looks

    def _has_payload(self, looks: Looks) -> bool:
        farthest = max((number for number, _ in looks), default=GENERAL_REGISTERS * REGISTER_B)
        return self.source * REGISTER_B + _DWORD_B * (farthest + 1) <= GENERAL_REGISTERS * REGISTER_B

    def place_of(self, number: int) -> int:
        """Byte of a thread's registers that a dword of the payload is at, or the descriptor."""
        if number == _DESCRIPTOR:
            return ADDRESSES_AT if self.place is None else self.place.positions[0]
        return self.source * REGISTER_B + _DWORD_B * number

    def _ranges_on_device(self, threads: Threads, here: Mask, looks: Looks) -> Array:
        mask = self._enabled(threads, here)
        places = [(self.place_of(number), bits) for number, bits in looks]
        return ranges_on_device(threads, None if mask is None else mask.copy(), places)

    def _send(self, threads: Threads, here: Mask, functions: SharedFunctions) -> set[Dwords]:
        """Send it with what the host looks at of it, and return what that is."""
        brought = self._brought(threads, here)
        mask = brought.pop("mask", None)
        if mask is None:
            rows, mask = everything(threads.count, self.instruction.exec_size)
        else:
            rows = np.flatnonzero(any_channel(mask))
        groups = self._groups(brought.pop("descriptors", None), rows)
        ahead = brought if len(groups) == 1 else {}  # what one group does may be seen by the next
        asked: set[Dwords] = set()
        for descriptor, group in groups:
            of_group = mask if len(group) == len(mask) else mask[group]
            functions.send(self._message(threads, group, of_group, descriptor, ahead, asked))
        return asked

    def _brought(self, threads: Threads, here: Mask) -> Brought:
        """What `asks` says, on the host: it has come already, or comes now, at once."""
        found, threads.ahead = threads.ahead, None
        walk = threads.walk if here is None else None
        seen = {} if walk is None else walk.registers()
        if found is None or any(what[0] == "ranges" for what in found):
            asked = self._asked(threads, here, seen)
            found = dict(zip(asked, threads.bring(tuple(asked.values())), strict=True))
        if walk is not None:
            walk.looked(self, found)
        return {**found, **seen}

    def _groups(
        self, descriptors: NDArray[np.uint32] | None, rows: NDArray[np.intp]
    ) -> list[tuple[int, NDArray[np.intp]]]:
        """Threads by descriptor, in the order in which descriptors first occur; nearly always one group."""
        if not len(rows):
            return []
        if descriptors is None:
            return [(self._descriptor, rows)]
        descriptors = descriptors[rows, 0]
        if (descriptors == descriptors[0]).all():
            return [(int(descriptors[0]), rows)]
        _, firsts = np.unique(descriptors, return_index=True)
        return [(int(value), rows[descriptors == value]) for value in descriptors[np.sort(firsts)]]

    def _advance(self, threads: Threads, here: Mask) -> None:
        """Every thread that is here ends, even where its channels are off."""
        ends = self.instruction.end_of_thread
        if ends and here is not None:
            threads.diverge()[threads.present(here)[:, 0]] = ENDED
        threads.leave(ENDED if ends else self.next, here)
