"""Memory-mapped registers as a command streamer sees them."""

from __future__ import annotations

from enum import IntEnum

from texsamp.device import Device
from texsamp.emulator.context.registers_on_device import RegistersOnDevice
from texsamp.errors import CaptureError
from texsamp.state.commands_mi import CombineOperation, CompareOperation, LoadOperation, MiPredicate
from texsamp.state.registers import registers

_PREDICATE_SOURCES = ("MI_PREDICATE_SRC0", "MI_PREDICATE_SRC1")


def _offset(name: str) -> int:
    return next(register.offset for register in registers() if register.name == name)


TIMESTAMP, PS_DEPTH_COUNT = _offset("TIMESTAMP"), _offset("PS_DEPTH_COUNT")
_DATA, _RESULT = _offset("MI_PREDICATE_DATA"), _offset("MI_PREDICATE_RESULT")
DISPATCH_DIMENSIONS = tuple(_offset(f"GPGPU_DISPATCHDIM{axis}") for axis in "XYZ")
PRIMITIVE_REGISTERS = {
    name: _offset(f"3DPRIM_{name}")
    for name in ("END_OFFSET", "START_VERTEX", "VERTEX_COUNT", "INSTANCE_COUNT", "START_INSTANCE", "BASE_VERTEX")
}
"""Where draws have counts that are not in their command."""
SO_PRIMS_WRITTEN, SO_STORAGE_NEEDED = _offset("SO_NUM_PRIMS_WRITTEN0"), _offset("SO_PRIM_STORAGE_NEEDED0")
SO_WRITE_OFFSET = _offset("SO_WRITE_OFFSET0")
_ALL_BITS = (1 << 64) - 1
INSTPM, CCID, CHANNELS_DISPATCHED = map(_offset, ("INSTPM", "CCID", "TS_GPGPU_THREADS_DISPATCHED"))
_BLITTER_TILES = _offset("BCS_SWCTRL")
_SOURCE_Y, _DESTINATION_Y = 1 << 0, 1 << 1
MASKED = (INSTPM, _BLITTER_TILES)
"""Registers whose upper half enables the bits of the lower one, and reads as 0 (volume 1 part 3, page 69)."""
OACONTROL = 0x2360
"""What performance counters count, and in which form they are reported."""
HWS_PGA = 0x4080
"""Where the hardware status page is (volume 1 part 3, page 29)."""
STATUS_PAGE_B = 4096
_NOT_SAVED = (CCID, TIMESTAMP, TIMESTAMP + 4, HWS_PGA)
"""Registers that belong to no context."""
_ABSOLUTE_CONSTANTS = 1 << 6
_INSTRUCTIONS = ("palettes", "states", "draws", "media")
_IGNORED = tuple(frozenset(name for bit, name in enumerate(_INSTRUCTIONS) if code >> bit & 1) for code in range(1 << 4))


class Counter(IntEnum):
    """Statistics counters of the 3D pipeline by their offset (volume 1 part 3, pages 101-108)."""

    IA_VERTICES = _offset("IA_VERTICES_COUNT")
    IA_PRIMITIVES = _offset("IA_PRIMITIVES_COUNT")
    VS_INVOCATIONS = _offset("VS_INVOCATION_COUNT")
    HS_INVOCATIONS = _offset("HS_INVOCATION_COUNT")
    DS_INVOCATIONS = _offset("DS_INVOCATION_COUNT")
    GS_INVOCATIONS = _offset("GS_INVOCATION_COUNT")
    GS_PRIMITIVES = _offset("GS_PRIMITIVES_COUNT")
    CL_INVOCATIONS = _offset("CL_INVOCATION_COUNT")
    CL_PRIMITIVES = _offset("CL_PRIMITIVES_COUNT")
    PS_INVOCATIONS = _offset("PS_INVOCATION_COUNT")
    PS_DEPTH = PS_DEPTH_COUNT


class Registers:
    """Dwords by register offset; what nobody has written reads as 0.

    TIMESTAMP counts executed commands, which is ours: it grows, and is the same in every replay.
    """

    def __init__(self) -> None:
        self._held: dict[int, int] = {}
        self._there: RegistersOnDevice | None = None

    def read(self, offset: int, default: int = 0) -> int:
        """One dword; `default` if nobody has written it."""
        return self._values.get(offset, default)

    def write(self, offset: int, value: int, byte_write_disables: int = 0) -> None:
        """One dword; bit n of `byte_write_disables` leaves byte n alone."""
        kept = sum(0xFF << 8 * byte for byte in range(4) if byte_write_disables >> byte & 1)
        if offset in MASKED:
            kept |= ~(value >> 16) & 0xFFFF
            value &= 0xFFFF
        if offset == CHANNELS_DISPATCHED:  # a write resets the counter, whatever it says (page 117)
            self.write(offset + 4, 0)
            value = kept = 0
        self._values[offset] = self.read(offset) & kept | value & ~kept & 0xFFFFFFFF

    def on(self, device: Device) -> RegistersOnDevice:
        """All of them where threads run, until anything else reads or writes one."""
        if self._there is not None and self._there.is_full:
            self._bring()
        if self._there is None:
            self._there = RegistersOnDevice.of(device, self._held)
        return self._there

    def _bring(self) -> None:
        """Take what threads have written."""
        there, self._there = self._there, None
        found = {} if there is None else there.written()
        if CHANNELS_DISPATCHED in found:
            found.setdefault(CHANNELS_DISPATCHED + 4, 0)
        self._held |= found

    @property
    def _values(self) -> dict[int, int]:
        if self._there is not None:
            self._bring()
        return self._held

    def read_wide(self, offset: int) -> int:
        """Two dwords, the low one first."""
        return self.read(offset) | self.read(offset + 4) << 32

    def write_wide(self, offset: int, value: int) -> None:
        """Two dwords, the low one first."""
        self.write(offset, value & 0xFFFFFFFF)
        self.write(offset + 4, value >> 32 & 0xFFFFFFFF)

    def saved(self) -> dict[int, int]:
        """Values by offset of all registers of a context that were ever written."""
        return {offset: value for offset, value in self._values.items() if offset not in _NOT_SAVED}

    def restore(self, saved: dict[int, int]) -> None:
        """Put back what `saved` gave; what belongs to no context stays."""
        kept = {offset: value for offset, value in self._values.items() if offset in _NOT_SAVED}
        self._held = {**saved, **kept}

    @property
    def status_page(self) -> int:
        """Graphics address of the hardware status page; CaptureError if nothing has set it."""
        page = self.read(HWS_PGA) & -STATUS_PAGE_B
        if not page:
            raise CaptureError("a write to the status page, and HWS_PGA (4080h) does not say where it is")
        return page

    @property
    def absolute_constants(self) -> bool:
        """Whether buffer 0 of push constants counts from 0, not from Dynamic State Base (page 70)."""
        return bool(self.read(INSTPM) & _ABSOLUTE_CONSTANTS)

    @property
    def ignored(self) -> frozenset[str]:
        """Kinds of instructions that are parsed and not executed (page 71): palettes, states, draws, media."""
        return _IGNORED[self.read(INSTPM) & 15]

    @property
    def blits_from_y(self) -> bool:
        """Whether sources of the blitter are Y-tiled, whatever commands say (volume 1 part 4, page 133)."""
        return bool(self.read(_BLITTER_TILES) & _SOURCE_Y)

    @property
    def blits_to_y(self) -> bool:
        """The same of destinations."""
        return bool(self.read(_BLITTER_TILES) & _DESTINATION_Y)

    def count(self, offset: int, count: int) -> None:
        """Add to a counter of 64 bits."""
        total = self.read_wide(offset) + count & _ALL_BITS
        self._values[offset] = total & 0xFFFFFFFF
        self._values[offset + 4] = total >> 32

    def count_channels(self, count: int) -> None:
        """Add to the channels that compute threads were dispatched with (page 117)."""
        self.count(CHANNELS_DISPATCHED, count)

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
