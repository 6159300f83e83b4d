"""What the threads of a message ask of the sampling engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.unasked import Unasked
from texsamp.sampler.messages import MessageHeader, SamplerRequest, check_request, decode_request
from texsamp.sampler.messages.lengths import check_response_length
from texsamp.sampler.messages.rule import ParametersThere
from texsamp.state.sampler_messages import SamplerMessageDescriptor

_DWORDS = 8
"""Of a register."""


class _Brought(ParametersThere):
    """Parameters that come to the host when someone looks at them: of most messages no rule does.

    Of what rules look at, it tells the numbers that decide.
    """

    def __init__(self, device: Device, parameters: Mapping[str, Array]) -> None:
        self._device, self._there = device, parameters
        self._here: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._here:
            self._here[name] = self._device.download(self._there[name])
        return self._here[name]

    def extremes(self, arrays: Sequence[Array], active: NDArray[np.bool_]) -> list[tuple[float, float]]:
        """Least and largest value of arrays there among active lanes; NaN if one is, 0 if no lane is active."""
        if not active.any():
            return [(0.0, 0.0)] * len(arrays)
        least, largest = arrays, arrays
        if not active.all():
            lanes = self._device.upload(active)
            least, largest = ([np.where(lanes, each, end) for each in arrays] for end in (np.inf, -np.inf))
        there = [part for low, high in zip(least, largest, strict=True) for part in (low.min(), high.max())]
        found = [float(each) for each in self._device.start_download(there).result()]
        return list(zip(found[::2], found[1::2], strict=True))

    def there(self, name: str) -> Array:
        """A parameter where it is."""
        return self._there[name]

    def __contains__(self, name: object) -> bool:
        return name in self._there

    def __iter__(self) -> Iterator[str]:
        return iter(self._there)

    def __len__(self) -> int:
        return len(self._there)


def read_request(message: Message, descriptor: SamplerMessageDescriptor) -> SamplerRequest:
    """What all threads ask of the sampling engine."""
    return decode_request(descriptor, _registers(message, message.dwords(0, message.length)), message.mask)


def read_lanes(message: Message, descriptor: SamplerMessageDescriptor) -> tuple[SamplerRequest, Mapping[str, Array]]:
    """The same of messages that are no blocks, and their parameters where the registers are."""
    registers = _registers(message, message.dwords_there(0, message.length))
    there = decode_request(descriptor, registers, message.mask, strict=False)
    header = None if there.header is None else MessageHeader(message.dwords(0, 1))
    request = replace(there, header=header, parameters=_Brought(message.threads.device, there.parameters))
    check_response_length(request)
    check_request(request, as_drivers=True)
    return request, there.parameters


def described_lanes(
    message: Unasked, descriptor: SamplerMessageDescriptor
) -> tuple[SamplerRequest, Mapping[str, Array]]:
    """As `read_lanes`, of a message without a header, as if all of its lanes were enabled."""
    registers = message.dwords_there(0, message.length).reshape(message.count, message.length, _DWORDS)
    there = decode_request(descriptor, registers, None, strict=False)
    request = replace(there, parameters=_Brought(message.threads.device, there.parameters))
    check_response_length(request)
    check_request(request, as_drivers=True)
    return request, there.parameters


def _registers(message: Message, dwords: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return dwords.reshape(len(message.rows), message.length, _DWORDS)
