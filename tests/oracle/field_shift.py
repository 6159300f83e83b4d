"""Where a field lies beside those about it, written out literally: docs/deinterlace-hq.md (83)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]
REACH = 24, 16  # pixels across, lines of a frame down


def shift(c: Array, r: Array, parity: int) -> tuple[int, int, int, int]:
    """Of the field of a parity of ``c``, with ``r`` as the other frame, both of 8 bits: x, y, and those of T."""
    own, other, beyond = (c, 1 - parity), (r, 1 - parity), (r, parity)
    (x, beyond_x), (y, beyond_y) = (_along(axis, (c, parity), own, other, beyond) for axis in (0, 1))
    return (x, y, beyond_x, beyond_y) if (x, y) != (0, 0) else (0, 0, 0, 0)


def _along(axis: int, field, own, other, beyond) -> tuple[int, int]:
    s, a, b, t = (gradient(axis, *of) for of in (field, own, other, beyond))
    reach, most = REACH[axis], (13, 9)[axis]
    if len(s) < 2 * reach + 64:
        return 0, 0
    whole = np.arange(len(s) - 2 * reach)

    def pair(part: Array, total: int) -> tuple[int, int, int]:
        """The ways to A and B of a sum that cost least, and what they cost."""
        ways = [(u, total - u) for u in range(-reach, reach + 1) if abs(total - u) <= reach]
        rated = [cost(s, a, u, reach, part) + cost(s, b, v, reach, part) for u, v in ways]
        return *ways[rated.index(min(rated))], min(rated)

    pairs = [pair(whole, total) for total in range(-most, most + 1)]
    u, v, both = min(pairs, key=lambda one: one[2])
    agreed = [
        cost(s, a, u, reach, part) + cost(s, b, v, reach, part) < pair(part, 0)[2] for part in parts_of(whole)
    ].count(True)
    shows = 4 * both + len(whole) < 3 * pairs[most][2] and agreed >= 5 and abs(u + v) >= (2, 3)[axis]
    w = min(range(-reach, reach + 1), key=lambda way: cost(s, t, way, reach, whole))
    off = w - (v - u) if axis == 0 else halved(w - (v - u))
    by = halved(u + v) if axis == 0 else (1 if u + v > 0 else -1) * ((abs(u + v) + 2) // 4)
    return (by if shows else 0), (off if abs(off) <= (8, 3)[axis] else 0)


def halved(steps: int) -> int:
    """Half of them, without what is beyond the point."""
    return int(toward_0(np.array(steps), 2))


def cost(here: Array, there: Array, way: int, reach: int, part: Array) -> int:
    """How far what every way reaches, or a part of it, is from where one leads."""
    return int(abs(there[reach + part + way] - here[reach + part]).sum())


def parts_of(values: Array) -> list[Array]:
    """Eight of them."""
    return [values[len(values) * n // 8 : len(values) * (n + 1) // 8] for n in range(8)]


def gradient(axis: int, frame: Array, parity: int) -> Array:
    """Of the middle of a field: 8 times how far the mean of a column or line (of the frame) is from the next."""
    height, width = frame.shape
    lines, columns = min(height // 2, 512), min(width, 1024)
    top, left = (height // 2 - lines) // 2, (width - columns) // 2
    middle = frame[parity::2][top : top + lines, left : left + columns]
    if axis == 0:
        return byte(8 * np.diff(middle.sum(0).astype(np.int64)) >> bits_of(lines))
    sums = middle.sum(1)
    smooth = [eighth(sums, y, parity) for y in range(2, 2 * lines - 2)]
    return byte(np.diff(np.array(smooth, np.int64)) >> bits_of(columns))


def byte(eighths: Array) -> Array:
    """About 0, as far as a byte goes."""
    return np.clip(eighths, -128, 127)


def bits_of(count: int) -> int:
    """Of the least power of two that is not less."""
    return max(count - 1, 0).bit_length()


def eighth(sums: Array, y: int, parity: int) -> int:
    """8 times the sum of line y of a frame, of lines of one parity, made smooth."""
    k = (y - parity) // 2
    between = (y - parity) % 2
    return int(4 * sums[k] + 4 * sums[k + 1] if between else sums[k - 1] + 6 * sums[k] + sums[k + 1])


def toward_0(values: Array, divisor: int) -> Array:
    """Quotients without what is beyond the point."""
    return np.sign(values) * (abs(values) // divisor)
