"""Key and value pairs of KTX and KTX2 files."""

from __future__ import annotations

import struct

from texsamp.errors import FormatError

MAX_KEY_VALUES_B = 1 << 20
"""Most bytes of all pairs: real files have some hundred."""

_ALIGNMENT_B = 4


def read_key_values(data: memoryview, byte_order: str = "<") -> dict[str, str]:
    """The pairs of a file, values as text. Raises FormatError for pairs that leave the data or have no key."""
    if data.nbytes > MAX_KEY_VALUES_B:
        raise FormatError(f"key and value pairs must have at most {MAX_KEY_VALUES_B} bytes, found {data.nbytes}")
    length_field = struct.Struct(f"{byte_order}I")
    pairs: dict[str, str] = {}
    offset_B = 0
    while offset_B + length_field.size <= data.nbytes:
        (length_B,) = length_field.unpack_from(data, offset_B)
        offset_B += length_field.size
        if length_B > data.nbytes - offset_B:
            raise FormatError(f"a key and value must end within {data.nbytes} bytes, found {offset_B} + {length_B}")
        key, separator, value = bytes(data[offset_B : offset_B + length_B]).partition(b"\0")
        if not separator:
            raise FormatError(f"a key must end with a zero byte, found {key[:32]!r}")
        pairs[key.decode("utf-8", "replace")] = value.rstrip(b"\0").decode("utf-8", "replace")
        offset_B += -(-length_B // _ALIGNMENT_B) * _ALIGNMENT_B
    return pairs


def notes_of(pairs: dict[str, str], orientation_default: str) -> list[str]:
    """What people should know: directions and swizzles that are not the default, which nothing here applies."""
    notes = []
    orientation = pairs.get("KTXorientation", orientation_default)
    if not orientation_default.startswith(orientation):
        notes.append(f"KTXorientation is {orientation}: rows and columns are kept as they are in the file")
    if (swizzle := pairs.get("KTXswizzle", "rgba")) != "rgba":
        notes.append(f"KTXswizzle is {swizzle}: channels are kept as they are in the file")
    return notes
