"""Times of pictures in AVI, which counts packets and does not say when pictures are shown."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from fractions import Fraction
from typing import Any

import av

CONTAINER = "avi"

SEEK_MARGIN_S = Fraction(24)
"""How far before a place to begin, so that two key frames come before it: encoders set them 10 to 12 s apart."""

_MOST_REORDERED = 32
"""Pictures that may be shown before one that was decoded earlier, at most: more than any codec has."""


class CountedTimes:
    """The n-th picture that is shown has the time of the n-th packet.

    FFmpeg guesses: its times are a picture or more late beside the sound, and those of H.264 not in order. Where
    reading begins in the ``middle`` pictures are missing that the first one stands behind, so that only the next key
    frame tells how many packets were shown before it.
    """

    def __init__(self, middle: bool) -> None:
        self._fed: list[int] = []
        self._shown: deque[int] = deque(maxlen=_MOST_REORDERED)
        self._next = 0
        self._keys_to_wait = 2 if middle else 0

    def feed(self, packet: av.Packet[Any]) -> None:
        """Count a packet, whose picture the decoder gives its own time."""
        packet.pts = packet.dts
        if packet.size and packet.dts is not None:
            self._fed.append(packet.dts)

    def place(self, picture: av.VideoFrame) -> bool:
        """Give a picture its time, in the order in which they are shown; whether that is known."""
        own = picture.pts
        if own is not None:
            if picture.key_frame:  # all that was decoded before it is shown before it
                self._next = bisect_left(self._fed, own) + sum(shown > own for shown in self._shown)
                self._keys_to_wait = max(0, self._keys_to_wait - 1)
            self._shown.append(own)
        if self._next < len(self._fed):
            picture.pts = self._fed[self._next]
        self._next += 1
        return not self._keys_to_wait
