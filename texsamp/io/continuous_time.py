"""Time that goes on where a stream's time stamps start again, as they do in transport streams that were joined."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import av

_JITTER_S = Fraction(1, 5)
"""How far decoding times may fall back without a new start."""


class ContinuousTime:
    """Moves the packets of one stream: after a new start they follow the last one before it."""

    def __init__(self) -> None:
        self.starts = 0
        self._offset = 0
        self._next: int | None = None

    def move(self, packet: av.Packet[Any]) -> None:
        """Set the times of the next packet in decoding order; one without a decoding time tells nothing new."""
        if packet.dts is not None and packet.time_base:
            dts = packet.dts + self._offset
            if self._next is not None and (self._next - dts) * packet.time_base > _JITTER_S:
                self.starts += 1
                self._offset += self._next - dts
                dts = self._next
            self._next = dts + (packet.duration or 0)
        if self._offset:
            packet.pts = None if packet.pts is None else packet.pts + self._offset
            packet.dts = None if packet.dts is None else packet.dts + self._offset
