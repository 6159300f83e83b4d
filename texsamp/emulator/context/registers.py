"""Memory-mapped registers as a command streamer sees them."""

from __future__ import annotations

from texsamp.state.commands_mi import CombineOperation, CompareOperation, LoadOperation, MiPredicate
from texsamp.state.registers import registers

_PREDICATE_SOURCES = ("MI_PREDICATE_SRC0", "MI_PREDICATE_SRC1")


def _offset(name: str) -> int:
    return next(register.offset for register in registers() if register.name == name)


TIMESTAMP, PS_DEPTH_COUNT = _offset("TIMESTAMP"), _offset("PS_DEPTH_COUNT")
_DATA, _RESULT = _offset("MI_PREDICATE_DATA"), _offset("MI_PREDICATE_RESULT")
DISPATCH_DIMENSIONS = tuple(_offset(f"GPGPU_DISPATCHDIM{axis}") for axis in "XYZ")
_ALL_BITS = (1 << 64) - 1


class Registers:
    """Dwords by register offset; what nobody has written reads as 0.

    TIMESTAMP counts executed commands, which is ours: it grows, and is the same in every replay.
    """

    def __init__(self) -> None:
        self._values: dict[int, int] = {}

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

    def write_wide(self, offset: int, value: int) -> None:
        """Two dwords, the low one first."""
        self.write(offset, value & 0xFFFFFFFF)
        self.write(offset + 4, value >> 32 & 0xFFFFFFFF)

    @property
    def predicate(self) -> bool:
        """What MI_PREDICATE computed last, or what was written to MI_PREDICATE_RESULT since."""
        return bool(self.read(_RESULT) & 1)

    def count_commands(self, count: int) -> None:
        """Let the time stamp go on."""
        self.write_wide(TIMESTAMP, self.read_wide(TIMESTAMP) + count)

    def set_predicate(self, command: MiPredicate) -> None:
        """Compare, combine, then load (volume 1 part 3, pages 199-200; seed 002:225-246)."""
        first, second = (self.read_wide(at) for at in map(_offset, _PREDICATE_SOURCES))
        delta = first - second & _ALL_BITS
        compared = {
            CompareOperation.TRUE: True,
            CompareOperation.FALSE: False,
            CompareOperation.SRCS_EQUAL: delta == 0,
            CompareOperation.DELTAS_EQUAL: delta == self.read_wide(_DATA),
        }[command.compare_operation]
        if command.compare_operation == CompareOperation.SRCS_EQUAL:
            self.write_wide(_DATA, delta)
        if command.load_operation == LoadOperation.KEEP:
            return
        combined = {
            CombineOperation.SET: compared,
            CombineOperation.AND: self.predicate and compared,
            CombineOperation.OR: self.predicate or compared,
            CombineOperation.XOR: self.predicate != compared,
        }[command.combine_operation]
        self.write(_RESULT, int(combined != (command.load_operation == LoadOperation.LOADINV)))
