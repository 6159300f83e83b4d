"""Choosing levels, layers, faces and samples of a surface: what callers may say, and what it means."""

from __future__ import annotations

from texsamp.device.arguments import is_integer
from texsamp.errors import StateError

FACES = ("+x", "-x", "+y", "-y", "+z", "-z")
"""Faces of a cube in the order of their slices (001:2473)."""


def require_index(name: str, value: object, count: int) -> None:
    """Raises StateError unless ``value`` is an integer from 0 to ``count`` - 1."""
    if not is_integer(value) or not 0 <= value < count:  # type: ignore[operator]
        raise StateError(f"{name} must be from 0 to {count - 1}, found {value!r}")


def chosen(name: str, index: int | None, count: int) -> range:
    """The one index, or all of them for None. Raises StateError."""
    if index is None:
        return range(count)
    require_index(name, index, count)
    return range(index, index + 1)


def face_number(face: str | int | None, is_cube: bool) -> int | None:
    """A face by name or number as its number, None for all. Raises StateError for unknown names, and without a cube."""
    if face is None:
        return None
    if not is_cube:
        raise StateError(f"only cubes have faces, found face {face!r} of another surface")
    if isinstance(face, str):
        if face.lower() not in FACES:
            raise StateError(f"face must be one of {', '.join(FACES)} or 0 to 5, found {face!r}")
        return FACES.index(face.lower())
    return face


def window(name: str, first: int | None, count: int | None, available: int) -> tuple[int, int]:
    """First and number of what a view shows: everything, one, or so many from the first on. Raises StateError."""
    begin = 0 if first is None else first
    require_index(name, begin, available)
    length = (available if first is None else 1) if count is None else count
    if not is_integer(length) or not 1 <= length <= available - begin:
        raise StateError(
            f"{name}s of a view from {name} {begin} on must be from 1 to {available - begin}, found {length!r}"
        )
    return begin, length
