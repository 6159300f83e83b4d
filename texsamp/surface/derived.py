"""What others made of a surface's texels and keep with it, as the sampler does."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

_Kind = TypeVar("_Kind")


class Derived:
    """One thing of each class and name."""

    def __init__(self) -> None:
        self._kept: dict[tuple[type, Hashable], object] = {}

    def find(self, kind: type[_Kind], name: Hashable = None) -> _Kind | None:
        """What is kept, if anything is."""
        found = self._kept.get((kind, name))
        return found if isinstance(found, kind) else None

    def keep(self, made: _Kind, name: Hashable = None) -> _Kind:
        """Keep this in place of what was there."""
        self._kept[type(made), name] = made
        return made

    def made(self, kind: type[_Kind], name: Hashable, make: Callable[[], _Kind]) -> _Kind:
        """What is kept, made now if nothing is."""
        found = self.find(kind, name)
        return self.keep(make(), name) if found is None else found

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
