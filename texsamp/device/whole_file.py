"""Whole files read in pieces, for reading takes the memory it asks for, however short the file is."""

from __future__ import annotations

from typing import BinaryIO

_PIECE_B = 1 << 20


def read_at_most(file: BinaryIO, most_B: int) -> bytearray | None:  # noqa: N803 - the unit
    """What is left of a file; None if that is more than ``most_B``."""
    data = bytearray()
    while piece := file.read(_PIECE_B):
        data += piece
        if len(data) > most_B:
            return None
    return data
