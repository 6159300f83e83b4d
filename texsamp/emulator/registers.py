"""Memory-mapped registers as a command streamer sees them."""

from __future__ import annotations

from texsamp.errors import CaptureError
from texsamp.state.commands_mi import CombineOperation, CompareOperation, LoadOperation, MiPredicate
from texsamp.state.registers import registers

_PREDICATE_SOURCES = ("MI_PREDICATE_SRC0", "MI_PREDICATE_SRC1")


def _offset(name: str) -> int:
    return next(register.offset for register in registers() if register.name == name)


TIMESTAMP, PS_DEPTH_COUNT = _offset("TIMESTAMP"), _offset("PS_DEPTH_COUNT")


class Registers:
    """Dwords by register offset; what nobody has written reads as 0. `predicate` is what MI_PREDICATE computes.

    TIMESTAMP counts executed commands, which is ours: it grows, and is the same in every replay.
    """

    def __init__(self) -> None:
        self._values: dict[int, int] = {}
        self.predicate = False

    def read(self, offset: int) -> int:
        """One dword."""
        return self._values.get(offset, 0)

    def write(self, offset: int, value: int, byte_write_disables: int = 0) -> None:
        """One dword; bit n of `byte_write_disables` leaves byte n alone."""
        kept = sum(0xFF << 8 * byte for byte in range(4) if byte_write_disables >> byte & 1)
        self._values[offset] = self.read(offset) & kept | value & ~kept & 0xFFFFFFFF

    def read_wide(self, offset: int) -> int:
        """Two dwords, the low one first."""
        return self.read(offset) | self.read(offset + 4) << 32

    def count_commands(self, count: int) -> None:
        """Let the time stamp go on."""
        value = self.read_wide(TIMESTAMP) + count
        self.write(TIMESTAMP, value & 0xFFFFFFFF)
        self.write(TIMESTAMP + 4, value >> 32 & 0xFFFFFFFF)

    def set_predicate(self, command: MiPredicate) -> None:
        """Compare, load, combine (seed 002:225-246); CaptureError for a comparison with MI_PREDICATE_DATA."""
        if command.compare_operation == CompareOperation.DELTAS_EQUAL:
            raise CaptureError("MI_PREDICATE.compare_operation DELTAS_EQUAL is not executed")
        sources = [self.read_wide(at) for at in map(_offset, _PREDICATE_SOURCES)]
        compared = {
            CompareOperation.TRUE: True,
            CompareOperation.FALSE: False,
            CompareOperation.SRCS_EQUAL: sources[0] == sources[1],
        }[command.compare_operation]
        if command.load_operation == LoadOperation.KEEP:
            return
        loaded = compared != (command.load_operation == LoadOperation.LOADINV)
        self.predicate = {
            CombineOperation.SET: loaded,
            CombineOperation.AND: self.predicate and loaded,
            CombineOperation.OR: self.predicate or loaded,
            CombineOperation.XOR: self.predicate != loaded,
        }[command.combine_operation]
