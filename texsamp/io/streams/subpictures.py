"""How long subtitles of DVDs are shown, which their own commands say and containers often do not."""

from __future__ import annotations

from fractions import Fraction

CODEC = "dvd_subtitle"

_TICK_S = Fraction(1024, 90000)
"""The unit of a sequence's date."""

_SIZES_B = {0: 1, 1: 1, 2: 1, 3: 3, 4: 3, 5: 7, 6: 5}
"""Bytes of each command; the one that changes colors within a line says how many it has."""

_STOP, _CHANGE, _MOST_SEQUENCES = 2, 7, 64


def shown_s(data: bytes) -> Fraction | None:
    """Seconds from a subpicture's time to its end; None where it stays until the next one."""
    place = int.from_bytes(data[2:4])
    for _ in range(_MOST_SEQUENCES):
        date, following = int.from_bytes(data[place : place + 2]), int.from_bytes(data[place + 2 : place + 4])
        at = place + 4
        while at < len(data) and (data[at] in _SIZES_B or data[at] == _CHANGE):
            if data[at] == _STOP:
                return date * _TICK_S
            at += _SIZES_B.get(data[at]) or 1 + int.from_bytes(data[at + 1 : at + 3])
        if following <= place:
            return None
        place = following
    return None
