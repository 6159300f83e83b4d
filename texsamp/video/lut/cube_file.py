"""Reading .cube files: the "Cube LUT Specification 1.0" of Adobe, and the two ranges that DaVinci Resolve adds."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from texsamp.device.arguments import check_kind, path_text, short
from texsamp.errors import FormatError, MediaError

MAX_ENTRIES_3D = 256
MAX_ENTRIES_1D = 65536
MAX_FILE_B = 1 << 30
_COLORS = 3
_SIZES = {"LUT_1D_SIZE": MAX_ENTRIES_1D, "LUT_3D_SIZE": MAX_ENTRIES_3D}
_RANGES = ("LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE")
_DOMAIN = ("DOMAIN_MIN", "DOMAIN_MAX")
_LARGEST = 65504.0

Numbers = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, eq=False)
class ColorTable:
    """What a .cube file says. Colors are R, G, B, 1.0 being white.

    curves: (entries, 3), a curve of its own for each channel, applied first; None if there are none.
    cube: (B, G, R, 3), None if there is none. Their ranges are what the first and last entry stand for: (2, 3).
    """

    title: str = ""
    curves: Numbers | None = None
    cube: Numbers | None = None
    curve_range: Numbers = field(default_factory=lambda: np.array([[0, 0, 0], [1, 1, 1]], np.float32))
    cube_range: Numbers = field(default_factory=lambda: np.array([[0, 0, 0], [1, 1, 1]], np.float32))

    def __post_init__(self) -> None:
        check_kind("the title of a table", self.title, str)
        if self.curves is not None:
            _check_numbers("curves", self.curves, "(entries, 3)", 2, _SIZES["LUT_1D_SIZE"])
        if self.cube is not None:
            _check_numbers("cube", self.cube, "(size, size, size, 3)", 4, _SIZES["LUT_3D_SIZE"])
        for name in ("curve_range", "cube_range"):
            ends = getattr(self, name)
            _check_numbers(name, ends, "(2, 3)", 2, 2)
            if not (ends[0] < ends[1]).all():
                raise FormatError(f"{name} of a table must begin below its end, found {ends[0]} and {ends[1]}")


def _check_numbers(name: str, given: object, shape: str, axes: int, largest: int) -> None:
    """Raise FormatError unless numbers of a table have ``axes`` axes: as many entries on each, but three colors."""
    kind = given.dtype.kind if isinstance(given, np.ndarray) else ""
    found = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else short(given)
    if not isinstance(given, np.ndarray) or kind not in "fiu" or given.ndim != axes or given.shape[-1] != _COLORS:
        raise FormatError(f"{name} of a table must be an array of numbers of {shape}, found {found}")
    if len(set(given.shape[:-1])) != 1 or not 2 <= len(given) <= largest:
        raise FormatError(f"{name} of a table must have 2 to {largest} entries along each axis, found {found}")
    if not (np.abs(given) <= _LARGEST).all():
        raise FormatError(f"{name} of a table must be numbers of at most {_LARGEST:g}, found others")


def read_cube(path: str | os.PathLike[str]) -> ColorTable:
    """Read a .cube file with curves (1D), a cube (3D), or curves and then a cube.

    Raises MediaError for a file that cannot be read, FormatError that names the line, limit and value found.
    """
    name = path_text(path)
    try:
        size_B = Path(name).stat().st_size
        if size_B > MAX_FILE_B:
            raise FormatError(f"{name}: a .cube file must have at most {MAX_FILE_B} bytes, found {size_B}")
        text = Path(name).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise MediaError(f"{name}: cannot be read: {error.strerror or error}") from error
    try:
        return parse_cube(text)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


def parse_cube(text: str) -> ColorTable:
    """The table that a .cube file's text says. Raises FormatError."""
    lines = text.splitlines()
    words: dict[str, list[str]] = {}
    first = len(lines)
    for number, line in enumerate(lines):
        parts = line.split("#", 1)[0].split() if not line.lstrip().startswith("TITLE") else ["TITLE", line.strip()]
        if not parts:
            continue
        if not parts[0][0].isalpha():
            first = number
            break
        if parts[0] in words:
            raise FormatError(f"line {number + 1}: {parts[0]} must be there once, found it again")
        if parts[0] not in (*_SIZES, *_RANGES, *_DOMAIN, "TITLE"):
            known = ", ".join(["TITLE", *_SIZES, *_DOMAIN, *_RANGES])
            raise FormatError(f"line {number + 1}: words of a .cube file are {known}, found {parts[0][:40]!r}")
        words[parts[0]] = [f"{number + 1}", *parts[1:]]
    sizes = {word: _size(word, words[word]) for word in _SIZES if word in words}
    if not sizes:
        raise FormatError("a .cube file must have LUT_1D_SIZE or LUT_3D_SIZE before its numbers, found neither")
    curves, cube = sizes.get("LUT_1D_SIZE", 0), sizes.get("LUT_3D_SIZE", 0)
    rows = _rows(lines, first, curves + cube**3)
    title = words.get("TITLE", ["", ""])[1].removeprefix("TITLE").strip().strip('"')
    made = rows[curves:].reshape(cube, cube, cube, _COLORS) if cube else None
    domain = _domain(words)
    return ColorTable(
        title,
        rows[:curves] if curves else None,
        made,
        _range("LUT_1D_INPUT_RANGE", words, domain),
        # After curves the cube's domain is what they make.
        _range("LUT_3D_INPUT_RANGE", words, domain if not curves else ColorTable().cube_range),
    )


def _size(word: str, found: list[str]) -> int:
    line, *values = found
    largest = _SIZES[word]
    if len(values) != 1 or not values[0].isascii() or not values[0].isdigit() or not 2 <= int(values[0]) <= largest:
        raise FormatError(
            f"line {line}: {word} must be an integer from 2 to {largest}, found {' '.join(values)[:40]!r}"
        )
    return int(values[0])


def _numbers(line: str, word: str, values: list[str], count: int) -> list[float]:
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(abs(number) <= _LARGEST for number in numbers):
        found = " ".join(values)[:60]
        raise FormatError(f"line {line}: {word} must be {count} numbers of at most {_LARGEST:g}, found {found!r}")
    return numbers


def _domain(words: dict[str, list[str]]) -> Numbers:
    ends = [
        _numbers(words[word][0], word, words[word][1:], _COLORS) if word in words else [float(end)] * _COLORS
        for end, word in enumerate(_DOMAIN)
    ]
    return _checked_range("DOMAIN_MIN", "DOMAIN_MAX", ends)


def _range(word: str, words: dict[str, list[str]], otherwise: Numbers) -> Numbers:
    if word not in words:
        return otherwise
    ends = _numbers(words[word][0], word, words[word][1:], 2)
    return _checked_range(f"{word}'s first number", "its second", [[end] * _COLORS for end in ends])


def _checked_range(low: str, high: str, ends: list[list[float]]) -> Numbers:
    if any(first >= last for first, last in zip(*ends, strict=True)):
        raise FormatError(f"{low} must be below {high}, found {ends[0]} and {ends[1]}")
    return np.array(ends, np.float32)


def _rows(lines: list[str], first: int, count: int) -> Numbers:
    """Rows of three numbers from a line on. Raises FormatError."""
    data = [line for line in lines[first:] if line.strip() and not line.lstrip().startswith("#")]
    if len(data) != count:
        raise FormatError(f"a table of these sizes has {count} lines of numbers, found {len(data)}")
    try:
        flat = np.array(" ".join(data).split(), np.float32)
    except ValueError:
        flat = np.zeros(0, np.float32)
    if (
        flat.size != _COLORS * count
        or not (np.abs(flat) <= _LARGEST).all()
        or any(len(line.split()) != 3 for line in data)
    ):
        for number, line in enumerate(lines[first:], first + 1):
            if line.strip() and not line.lstrip().startswith("#"):
                _numbers(str(number), "a color", line.split(), _COLORS)
    return flat.reshape(count, _COLORS)
