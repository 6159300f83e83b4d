"""What descriptors of messages say of all of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

from texsamp.state import Struct

_LENGTH, _RESPONSE, _HEADER = (25, 15), (20, 31), 19
_Described = TypeVar("_Described", bound=Struct)


@lru_cache(maxsize=256)
def _descriptor(structure: str, bits: int, strict: bool) -> Struct:
    return Struct.by_name[structure].from_dwords([bits], strict=strict)


class Described:
    """A message, by its descriptor."""

    descriptor: int

    @property
    def length(self) -> int:
        """Registers sent."""
        return self.descriptor >> _LENGTH[0] & _LENGTH[1]

    @property
    def response_length(self) -> int:
        """Registers that come back."""
        return self.descriptor >> _RESPONSE[0] & _RESPONSE[1]

    @property
    def has_header(self) -> bool:
        """Whether the first register is a header."""
        return bool(self.descriptor >> _HEADER & 1)

    def described(self, structure: type[_Described], *, strict: bool = True) -> _Described:
        """The descriptor as one of some kind; StateError if it is illegal (strict)."""
        found = _descriptor(structure.name, self.descriptor, strict)
        assert isinstance(found, structure)
        return found
