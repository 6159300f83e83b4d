"""Sound that an edit list hides: only its decoder needs it, and only shortly before what is heard."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import av

_LEAD_S = Fraction(1, 10)
"""What decoders need at most before their first sample (Opus 80 ms)."""


class LeadIn:
    """Leaves out packets that edit lists hide, but for those right before a packet that is heard.

    Only MP4 and MOV have such lists: in other containers what was cut off would be heard before the first picture.
    """

    def __init__(self) -> None:
        self._hidden: dict[int, list[av.Packet[Any]]] = defaultdict(list)

    def packets(self, packet: av.Packet[Any]) -> list[av.Packet[Any]]:
        """What is to be copied when a packet has come."""
        if packet.stream.type != "audio" or packet.pts is None:
            return [packet]
        hidden = self._hidden[packet.stream.index]
        earliest = packet.pts - _LEAD_S / packet.time_base
        hidden[:] = [each for each in hidden if each.pts is not None and each.pts >= earliest]
        if packet.is_discard:
            hidden.append(packet)
            return []
        led, hidden[:] = [*hidden, packet], []
        return led
