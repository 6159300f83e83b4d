"""Registers of the device where threads run, while these read and write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.params import constant

_DWORD_B = 4
_MOST_MESSAGES = 64
"""Whose places are kept before values are brought."""


@dataclass(frozen=True)
class RegistersOnDevice:
    """values: uint32 of all, by their number. places: of messages, int32 numbers of those that threads wrote, or -1."""

    device: Device
    values: Array
    places: list[Array] = field(default_factory=list)

    @classmethod
    def of(cls, device: Device, held: Mapping[int, int]) -> RegistersOnDevice:
        """Those that have a value, by their offset, and zeros."""
        values = device.arrays.zeros(constant("EU_DEVICE_REGISTERS"), np.uint32)
        if held:
            pairs = np.array(list(held.items()), np.int64)
            there = device.upload(pairs)
            values[there[:, 0] // _DWORD_B] = there[:, 1].astype(np.uint32)
        return cls(device, values)

    @property
    def is_full(self) -> bool:
        """Whether as many messages have been carried out as are told at once."""
        return len(self.places) >= _MOST_MESSAGES

    def written(self) -> dict[int, int]:
        """Values by offset of all that were written, which come at once."""
        if not self.places:
            return {}
        with self.device.current():
            places = np.concatenate(self.places)
            values = self.values[np.maximum(places, np.int32(0))]
            found = self.device.download(np.stack([places.astype(np.int64), values.astype(np.int64)]))
        _, distinct = np.unique(found[0], return_index=True)
        return {_DWORD_B * place: value for place, value in found[:, distinct].T.tolist() if place >= 0}
