"""The coordinates of a textured quad that is turned, scaled, moved or seen in perspective: a picture in three lines.

Every number is the same on every machine: matrices are rational numbers without rounding, sines a series to 60 binary
places, and pixels are computed with IEEE operations in the order that `quad_grid` states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from texsamp.device import Device, get_device
from texsamp.device.base import Array
from texsamp.errors import FormatError, StateError
from texsamp.shown.html import figure
from texsamp.shown.pictures import png
from texsamp.surface.layout.description import CUBE_FACES
from texsamp.surface.memory import size_px

MAX_PIXELS = 1 << 26
"""Pixels of a grid."""
MAX_STEPS = 64
"""Words of a transform; each makes the rational numbers longer."""
_ROWS = 64  # computed at a time, so that what lies between stays in the cache

Matrix = tuple[tuple[Fraction, Fraction, Fraction], ...]
_PI = Fraction(3141592653589793238462643383279502884, 10**36)


_AXES = 2


@dataclass(frozen=True, eq=False, repr=False)
class QuadGrid:
    """Coordinates of every pixel of a picture, and which pixels the quad covers.

    u, v: float32 (height, width), 0 to 1 across the quad and beyond outside of it; 0 beyond the horizon, where there is
    nothing. Their neighbors are the derivatives that `sample` takes the LOD from.
    inside: bool, whether the pixel's center is in the quad. visible: whether it is in the quad's plane at all: false
    beyond the horizon.
    """

    u: Array
    v: Array
    inside: Array
    visible: Array

    def __post_init__(self) -> None:
        """Raise FormatError unless all are arrays of one shape, (height, width)."""
        shapes = [getattr(part, "shape", None) for part in (self.u, self.v, self.inside, self.visible)]
        if len(set(shapes)) > 1 or shapes[0] is None or len(shapes[0]) != _AXES:
            raise FormatError(f"arrays of a QuadGrid must have one shape, (height, width), found {shapes}")

    def _repr_png_(self) -> bytes:
        """For notebooks: u red, v green; darker outside of the quad, black where there is nothing."""
        u, v, inside, visible = (_host(part) for part in (self.u, self.v, self.inside, self.visible))
        light = np.where(inside, 255, 96) * visible
        shown = np.stack([u.clip(0, 1), v.clip(0, 1), np.zeros_like(u)], axis=-1) * light[..., None]
        return png(np.round(shown).astype(np.uint8))

    def _repr_html_(self) -> str:
        return figure(self._repr_png_(), f"{repr(self).strip('<>')}: u red, v green, brighter inside")

    def __repr__(self) -> str:
        height, width = self.u.shape
        return f"<QuadGrid {width}x{height}>"


def _host(array: Array) -> np.ndarray[Any, np.dtype[Any]]:
    made: np.ndarray[Any, np.dtype[Any]] = array if isinstance(array, np.ndarray) else array.get()
    return made


def _cos_sin(degrees: Fraction) -> tuple[Fraction, Fraction]:
    quarters, rest = divmod(degrees, 90)
    x = rest * _PI / 180
    term, sums = Fraction(1), [Fraction(0), Fraction(0)]
    for k in range(1, 40):
        sums[(k - 1) % 2] += term * (-1) ** ((k - 1) // 2)
        term = _short(term * x / k)
    cos, sin = (_short(value) for value in sums)
    return ((cos, sin), (-sin, cos), (-cos, -sin), (sin, -cos))[int(quarters) % 4]


def _short(value: Fraction) -> Fraction:
    """To 60 places after the point, so that products stay short."""
    return Fraction(round(value * (1 << 60)), 1 << 60)


def _scale(aspect: Fraction, x: Fraction, y: Fraction) -> Matrix:
    if not x or not y:
        raise StateError("scale must not be 0")
    return _matrix((x, 0, 0), (0, y, 0), (0, 0, 1))


def _rotate(aspect: Fraction, degrees: Fraction) -> Matrix:
    cos, sin = _cos_sin(degrees)
    return _matrix((cos, sin, 0), (-sin, cos, 0), (0, 0, 1))


def _translate(aspect: Fraction, x: Fraction, y: Fraction) -> Matrix:
    return _matrix((1, 0, 2 * x * aspect), (0, 1, 2 * y), (0, 0, 1))


def _perspective(aspect: Fraction, x: Fraction, y: Fraction) -> Matrix:
    return _matrix((1, 0, 0), (0, 1, 0), (x / aspect, -y, 1))


def _matrix(*rows: Sequence[Fraction | int]) -> Matrix:
    return tuple((Fraction(a), Fraction(b), Fraction(c)) for a, b, c in rows)


_STEPS: dict[str, tuple[Callable[..., Matrix], int]] = {
    "scale": (_scale, 2),
    "rotate": (_rotate, 1),
    "translate": (_translate, 2),
    "perspective": (_perspective, 2),
}
"""What makes the matrix, and of how many numbers."""
_ONE_NUMBER: dict[str, Callable[[Fraction], Sequence[Fraction]]] = {
    "scale": lambda one: (one, one),
    "perspective": lambda one: (Fraction(0), one),
}
"""What one number means where there could be two."""


def _numbers(word: str, text: str) -> list[Fraction]:
    numbers = []
    for part in text.split(":"):
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        if not abs(value) <= 1e6:
            raise StateError(f"{word} takes numbers up to 1000000, found {part!r}")
        numbers.append(Fraction(value))
    return numbers


def _steps(transform: str, aspect: Fraction) -> list[Matrix]:
    made = []
    words = transform.split(",") if transform.strip() else []
    if len(words) > MAX_STEPS:
        raise StateError(f"a transform may have {MAX_STEPS} steps, found {len(words)}")
    for word in words:
        name, equals, text = word.strip().partition("=")
        if name not in _STEPS or not equals:
            raise StateError(
                f"transform must be steps of {', '.join(_STEPS)} (as in rotate=30), found {word.strip()!r}"
            )
        make, count = _STEPS[name]
        numbers: Sequence[Fraction] = _numbers(name, text)
        if len(numbers) == 1 and name in _ONE_NUMBER:
            numbers = _ONE_NUMBER[name](numbers[0])
        if len(numbers) != count:
            wanted = f"1 or {count}" if name in _ONE_NUMBER else count
            raise StateError(f"{name} takes {wanted} number{'s' * (count > 1)} with colons between, found {text!r}")
        made.append(make(aspect, *numbers))
    return made


def _product(a: Matrix, b: Matrix) -> Matrix:
    return _matrix(*(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3)))


def _inverse(m: Matrix) -> Matrix:
    def minor(i: int, j: int) -> Fraction:
        (a, b), (c, d) = (tuple(m[(i + di) % 3][(j + dj) % 3] for dj in (1, 2)) for di in (1, 2))
        return a * d - b * c

    determinant = sum((m[0][j] * minor(0, j) for j in range(3)), Fraction(0))
    if not determinant:
        raise StateError("the transform flattens the quad to a line")
    return _matrix(*(tuple(minor(j, i) / determinant for j in range(3)) for i in range(3)))


def _pixels_to_quad(size: tuple[int, int], transform: str) -> list[list[float]]:
    """The matrix from pixels of the picture to the quad, in doubles."""
    width, height = map(Fraction, size)
    aspect = width / height
    placed = _matrix((2 * aspect, 0, -aspect), (0, 2, -1), (0, 0, 1))  # the quad in half heights around the center
    for step in _steps(transform, aspect):
        placed = _product(step, placed)
    shown = _product(_matrix((height / 2, 0, width / 2), (0, height / 2, height / 2), (0, 0, 1)), placed)
    try:
        return [[float(number) for number in row] for row in _inverse(shown)]
    except OverflowError:
        raise StateError(f"the transform's numbers leave the range of doubles, found {transform!r}") from None


def quad_grid(size: tuple[int, int], transform: str = "", *, device: Device | str = "auto") -> QuadGrid:
    """Coordinates for every pixel of a picture of a transformed quad.

    size: width and height of the picture in pixels, 1 to 65536, at most 2^26 pixels in all.
    transform: steps with commas between, done in the order written; none: the quad fills the picture.

        - ``scale=2`` or ``scale=2:0.5``: width and height, about the picture's center; negative numbers mirror.
        - ``rotate=30``: degrees counterclockwise about the center; pixels are squares, nothing is sheared.
        - ``translate=0.25:-0.5``: by parts of the picture's width (to the right) and height (downward).
        - ``perspective=0.6`` or ``perspective=X:Y``: what lies at the picture's top edge (its right edge, for X) moves
          to 1.6 times the distance of the center, what lies at the bottom edge to 0.4 times.

    A pixel's center is (x + 0.5, y + 0.5). With the matrix from pixels to the quad, rounded to doubles, s = m00 px +
    (m01 py + m02), t and w alike; u and v are s / w and t / w, doubles rounded once to float32. A pixel is inside for
    0 <= s < w and 0 <= t < w.

    Raises StateError for transforms that cannot be done, FormatError for sizes.
    """
    if not isinstance(size, Sequence) or len(size) != 2:
        raise FormatError(f"size must be a width and a height, found {size!r}")
    if not isinstance(transform, str):
        raise StateError(f"transform must be text, found {transform!r}")
    width, height = size_px(*size)
    if width * height > MAX_PIXELS:
        raise StateError(f"a grid may have {MAX_PIXELS} pixels, found {width} x {height}")
    matrix = _pixels_to_quad((width, height), transform)
    u, v = (np.empty((height, width), np.float32) for _ in range(2))
    inside, visible = (np.empty((height, width), np.bool_) for _ in range(2))
    x = np.arange(width, dtype=np.float64) + 0.5
    for first in range(0, height, _ROWS):
        rows = slice(first, first + _ROWS)
        y = np.arange(first, min(first + _ROWS, height), dtype=np.float64)[:, None] + 0.5
        s, t, w = (a * x + (b * y + c) for a, b, c in matrix)
        visible[rows] = w > 0
        inside[rows] = visible[rows] & (s >= 0) & (s < w) & (t >= 0) & (t < w)
        divisor = np.where(visible[rows], w, np.inf)
        with np.errstate(over="ignore"):
            u[rows], v[rows] = s / divisor + 0.0, t / divisor + 0.0  # no negative zeros
    on = get_device(device)
    return QuadGrid(*(on.upload(array) for array in (u, v, inside, visible)))


_FACES = (
    # Of each face, axis and sign of: the face itself, s, t.
    ((0, 1), (2, -1), (1, -1)),
    ((0, -1), (2, 1), (1, -1)),
    ((1, 1), (0, 1), (2, 1)),
    ((1, -1), (0, 1), (2, -1)),
    ((2, 1), (0, 1), (1, -1)),
    ((2, -1), (0, -1), (1, -1)),
)


def face_directions(face: int, u: Any, v: Any) -> tuple[Any, Any, Any]:
    """Directions x, y, z that meet a cube's face at u, v; beyond the face they meet its neighbors.

    face: 0 to 5 for +X -X +Y -Y +Z -Z. u, v: float32 arrays, 0 to 1 across the face. The two components along the face
    are 2u - 1 and 2v - 1, or their negatives. Raises StateError for other faces.
    """
    if face not in range(CUBE_FACES):
        raise StateError(f"face must be from 0 to 5, found {face!r}")
    values: list[Any] = [None] * 3
    for (axis, sign), along in zip(_FACES[face], (None, u, v), strict=True):
        one = np.float32(sign)
        values[axis] = (u * 0 + one) if along is None else (along * np.float32(2) - np.float32(1)) * one
    return values[0], values[1], values[2]
