"""Where the fields of a 128-bit instruction are, and how operands become bits and back."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.emulator.eu.isa.operands import (
    THREE_SOURCE_TYPES,
    VARIABLE,
    DataType,
    Destination,
    Immediate,
    ImmediateType,
    Indirection,
    Region,
    RegisterFile,
    Source,
)
from texsamp.errors import StateError

STRIDES = (0, 1, 2, 4)
_WIDTHS = (1, 2, 4, 8, 16)
_VERTICALS = {0: 0, 1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 32, 15: VARIABLE}
_VERTICAL_CODES = {stride: code for code, stride in _VERTICALS.items()}


@dataclass(frozen=True, slots=True)
class Bits:
    """A field: lowest bit and width."""

    low: int
    width: int = 1

    @property
    def mask(self) -> int:
        """The field's bits in the word."""
        return ((1 << self.width) - 1) << self.low

    def get(self, word: int) -> int:
        """Unsigned value."""
        return word >> self.low & ((1 << self.width) - 1)

    def put(self, value: int) -> int:
        """The word with only this field set; StateError if the value does not fit."""
        if not 0 <= value < 1 << self.width:
            raise StateError(
                f"bits {self.low + self.width - 1}:{self.low} hold 0..{(1 << self.width) - 1}, not {value}"
            )
        return value << self.low


OPCODE = Bits(0, 7)
COMPACT = Bits(29)
EXEC_SIZE = Bits(21, 3)
FLAGS = {"flag_subregister": Bits(89), "flag_register": Bits(90)}
THREE_SOURCE_FLAGS = {"flag_subregister": Bits(33), "flag_register": Bits(34)}
HEADER = {
    "align16": Bits(8), "no_mask": Bits(9), "dependency": Bits(10, 2), "quarter": Bits(12, 2),
    "thread_control": Bits(14, 2), "predicate": Bits(16, 4), "invert": Bits(20), "condition": Bits(24, 4),
    "accumulator_write": Bits(28), "debug": Bits(30), "saturate": Bits(31),
}  # fmt: skip
NIBBLE = Bits(47)
DESTINATION_FILE, DESTINATION_TYPE = Bits(32, 2), Bits(34, 3)
SOURCE_FILES, SOURCE_TYPES = (Bits(37, 2), Bits(42, 2)), (Bits(39, 3), Bits(44, 3))
IMMEDIATE = Bits(96, 32)
DESCRIPTOR, END_OF_THREAD = Bits(96, 29), Bits(127)
JIP, UIP = Bits(96, 16), Bits(112, 16)
SOURCE_LOWS = (64, 96)
_SOURCE_WIDTH = 25
_DESTINATION = Bits(48, 16)


def signed(value: int, width: int) -> int:
    """Two's complement of `width` bits."""
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    """Two's complement of `width` bits, undone; StateError if it does not fit."""
    if not -(1 << (width - 1)) <= value < 1 << (width - 1):
        raise StateError(f"{value} does not fit into {width} signed bits")
    return value & ((1 << width) - 1)


def _file(code: int) -> RegisterFile:
    if code not in (0, 1, 3):
        raise StateError("register file 2 (message registers) does not exist on Gen7")
    return RegisterFile(code)


# -- destinations ------------------------------------------------------------------------------------------------------


def read_destination(word: int, align16: bool) -> Destination:
    """Destination of an instruction with one or two sources; StateError for reserved codes."""
    file = _file(DESTINATION_FILE.get(word))
    if file == RegisterFile.IMMEDIATE:
        raise StateError("the destination cannot be an immediate")
    bits = _DESTINATION.get(word)
    kind = DataType(DESTINATION_TYPE.get(word))
    stride = STRIDES[bits >> 13 & 3]
    mask = bits & 15 if align16 else None
    low = bits & 0x1F if not align16 else bits & 0x10
    if bits >> 15:
        offset = signed(bits & 0x3FF if not align16 else bits & 0x3F0, 10)
        return Destination(file, kind, stride=stride, mask=mask, indirection=Indirection(bits >> 10 & 7, offset))
    return Destination(file, kind, bits >> 5 & 255, low, stride, mask)


def write_destination(destination: Destination) -> tuple[int, int]:
    """Bits of a destination, and which bits they are; StateError for what cannot be encoded."""
    if destination.stride not in STRIDES:
        raise StateError(f"destination strides are {STRIDES}, not {destination.stride}")
    bits = STRIDES.index(destination.stride) << 13
    if destination.mask is not None:
        bits |= Bits(0, 4).put(destination.mask)
    if destination.indirection is not None:
        at = destination.indirection
        bits |= 1 << 15 | Bits(10, 3).put(at.subregister) | unsigned(at.offset_B, 10)
    else:
        bits |= Bits(5, 8).put(destination.number) | Bits(0, 5).put(destination.subregister_B)
    word = _DESTINATION.put(bits) | DESTINATION_FILE.put(destination.file) | DESTINATION_TYPE.put(destination.type)
    return word, _DESTINATION.mask | DESTINATION_FILE.mask | DESTINATION_TYPE.mask


# -- sources -----------------------------------------------------------------------------------------------------------


def source_mask(number: int, align16: bool) -> int:
    """Bits of source operand 0 or 1, without file and type; align16 leaves one bit unused."""
    low = SOURCE_LOWS[number]
    return Bits(low, _SOURCE_WIDTH).mask & ~(Bits(low + 20).mask if align16 else 0)


def read_source(word: int, number: int, align16: bool) -> Source | Immediate:
    """Source operand 0 or 1; StateError for reserved codes."""
    file = _file(SOURCE_FILES[number].get(word))
    code = SOURCE_TYPES[number].get(word)
    if file == RegisterFile.IMMEDIATE:
        return Immediate(ImmediateType(code), IMMEDIATE.get(word))
    bits = Bits(SOURCE_LOWS[number], _SOURCE_WIDTH).get(word)
    vertical = _VERTICALS.get(bits >> 21)
    if vertical is None:
        raise StateError(f"vertical stride code {bits >> 21} of source {number} is reserved")
    swizzle, low, offset = None, bits & 0x1F, bits & 0x3FF
    if align16:
        swizzle = (bits & 3, bits >> 2 & 3, bits >> 16 & 3, bits >> 18 & 3)
        low, offset = bits & 0x10, bits & 0x3F0
        region = Region(vertical, 4, 1)
    else:
        if bits >> 18 & 7 >= len(_WIDTHS):
            raise StateError(f"width code {bits >> 18 & 7} of source {number} is reserved")
        region = Region(vertical, _WIDTHS[bits >> 18 & 7], STRIDES[bits >> 16 & 3])
    indirect = bits >> 15 & 1
    return Source(
        file=file,
        type=DataType(code),
        number=0 if indirect else bits >> 5 & 255,
        subregister_B=0 if indirect else low,
        region=region,
        absolute=bool(bits >> 13 & 1),
        negate=bool(bits >> 14 & 1),
        swizzle=swizzle,
        indirection=Indirection(bits >> 10 & 7, signed(offset, 10)) if indirect else None,
    )


def write_source(source: Source | Immediate, number: int) -> tuple[int, int]:
    """Bits of source operand 0 or 1, and which bits they are; StateError for what cannot be encoded."""
    word, mask = SOURCE_TYPES[number].put(source.type), SOURCE_TYPES[number].mask | SOURCE_FILES[number].mask
    if isinstance(source, Immediate):
        word |= SOURCE_FILES[number].put(RegisterFile.IMMEDIATE) | IMMEDIATE.put(source.bits)
        return word, mask | IMMEDIATE.mask
    region = source.region
    if region.vertical not in _VERTICAL_CODES:
        raise StateError(f"vertical strides are {tuple(_VERTICAL_CODES)}, not {region.vertical}")
    bits = _VERTICAL_CODES[region.vertical] << 21 | source.absolute << 13 | source.negate << 14
    if source.swizzle is not None:
        x, y, z, w = source.swizzle
        bits |= x | y << 2 | z << 16 | w << 18
    elif region.width in _WIDTHS and region.horizontal in STRIDES:
        bits |= _WIDTHS.index(region.width) << 18 | STRIDES.index(region.horizontal) << 16
    else:
        raise StateError(f"widths are {_WIDTHS} and strides {STRIDES}, not {region.width} and {region.horizontal}")
    if source.indirection is not None:
        at = source.indirection
        bits |= 1 << 15 | Bits(10, 3).put(at.subregister) | unsigned(at.offset_B, 10)
    else:
        bits |= Bits(5, 8).put(source.number) | Bits(0, 5).put(source.subregister_B)
    word |= SOURCE_FILES[number].put(source.file) | bits << SOURCE_LOWS[number]
    return word, mask | source_mask(number, source.swizzle is not None)


# -- three sources (seed 004:4189-4298) --------------------------------------------------------------------------------

_CHANNELS, _SUBREGISTER, _REGISTER = Bits(49, 4), Bits(53, 3), Bits(56, 8)
_COMMON_TYPE, _RESULT_TYPE = Bits(42, 2), Bits(44, 2)
_MODIFIERS = Bits(36, 6)
_THREE_LOWS = (64, 85, 106)
_THREE_WIDTH = 20
THREE_SOURCES_MASK = (
    _CHANNELS.mask | _SUBREGISTER.mask | _REGISTER.mask | _COMMON_TYPE.mask | _RESULT_TYPE.mask | _MODIFIERS.mask
    | sum(Bits(low, _THREE_WIDTH).mask for low in _THREE_LOWS)
)  # fmt: skip


def read_three_sources(word: int) -> tuple[Destination, tuple[Source, ...]]:
    """Operands of an instruction with three sources."""
    general = RegisterFile.GENERAL
    destination = Destination(
        general,
        THREE_SOURCE_TYPES[_RESULT_TYPE.get(word)],
        _REGISTER.get(word),
        4 * _SUBREGISTER.get(word),
        mask=_CHANNELS.get(word),
    )
    kind, sources = THREE_SOURCE_TYPES[_COMMON_TYPE.get(word)], []
    for number, low in enumerate(_THREE_LOWS):
        bits, modifiers = Bits(low, _THREE_WIDTH).get(word), _MODIFIERS.get(word) >> 2 * number
        sources.append(
            Source(
                file=general,
                type=kind,
                number=bits >> 12 & 255,
                subregister_B=4 * (bits >> 9 & 7),
                region=Region(4, 4, 1),
                absolute=bool(modifiers & 1),
                negate=bool(modifiers & 2),
                swizzle=(bits >> 1 & 3, bits >> 3 & 3, bits >> 5 & 3, bits >> 7 & 3),
                replicate=bool(bits & 1),
            )
        )
    return destination, tuple(sources)


def write_three_sources(destination: Destination, sources: tuple[Source | Immediate, ...]) -> int:
    """Bits of the operands of an instruction with three sources; StateError for what cannot be encoded."""
    registers = [source for source in sources if isinstance(source, Source) and source.swizzle is not None]
    if len(registers) != len(_THREE_LOWS) or destination.mask is None:
        raise StateError("three-source instructions take align16 registers")
    word = _CHANNELS.put(destination.mask) | _REGISTER.put(destination.number)
    word |= _SUBREGISTER.put(destination.subregister_B // 4)
    word |= _RESULT_TYPE.put(THREE_SOURCE_TYPES.index(destination.type))
    word |= _COMMON_TYPE.put(THREE_SOURCE_TYPES.index(registers[0].type))
    for number, (low, source) in enumerate(zip(_THREE_LOWS, registers, strict=True)):
        x, y, z, w = source.swizzle or (0, 0, 0, 0)
        bits = source.replicate | x << 1 | y << 3 | z << 5 | w << 7
        bits |= Bits(9, 3).put(source.subregister_B // 4) | Bits(12, 8).put(source.number)
        word |= bits << low | (source.absolute | source.negate << 1) << (36 + 2 * number)
    return word
