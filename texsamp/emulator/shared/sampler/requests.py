"""What the threads of a message ask of the sampling engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.samplers import POINTER, POINTER_BITS
from texsamp.emulator.eu.agreeing import Header
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.eu.ranges import Looks
from texsamp.emulator.eu.unasked import Unasked
from texsamp.emulator.shared.sampler.answers_there import lanes_enabled
from texsamp.sampler.messages import MessageHeader, SamplerRequest, check_request, decode_request
from texsamp.sampler.messages.lengths import check_response_length
from texsamp.sampler.messages.rule import ParametersThere
from texsamp.state.sampler_messages import SamplerMessageDescriptor

_DWORDS = 8
"""Of a register."""
HEADER: Looks = ((2, 0x3FFFF), (POINTER, POINTER_BITS))
"""Bits of the header that count: offsets, masks, gather channel or forced LOD; the sampler table."""
TABLE: Looks = ((2, 1 << 16), HEADER[1])
"""Those that one call to sample has one of."""


class _Brought(ParametersThere):
    """Parameters that come to the host when someone looks at them: of most messages no rule does.

    Of what rules look at, it tells the numbers that decide.
    """

    def __init__(self, device: Device, parameters: Mapping[str, Array], enabled: Array | None = None) -> None:
        """enabled: lanes that count, (threads, lanes) there; None for those that are said to be active."""
        self._device, self._there, self._enabled = device, parameters, enabled
        self._here: dict[str, Array] = {}
        self._extremes: dict[str, tuple[float, float]] | None = None

    def __getitem__(self, name: str) -> Array:
        if name not in self._here:
            self._here[name] = self._device.download(self._there[name])
        return self._here[name]

    def extremes(self, name: str, active: NDArray[np.bool_]) -> tuple[float, float]:
        """See `ParametersThere`: those of all parameters come at once."""
        if self._extremes is None:
            lanes = self._lanes(active)
            there = [
                part
                for values in self._there.values()
                for part in (
                    (values if lanes is None else np.where(lanes, values, np.inf)).min(),
                    (values if lanes is None else np.where(lanes, values, -np.inf)).max(),
                )
            ]
            found = [float(each) for each in self._device.start_download(there).result()]
            pairs = zip(self._there, found[::2], found[1::2], strict=True)
            self._extremes = {each: (0.0, 0.0) if low > high else (low, high) for each, low, high in pairs}
        return self._extremes[name]

    def is_any(self, lanes: Array, active: NDArray[np.bool_]) -> bool:
        """See `ParametersThere`."""
        counted = self._lanes(active)
        found: Any = (lanes if counted is None else lanes & counted).any()
        return bool(self._device.download(found))

    def _lanes(self, active: NDArray[np.bool_]) -> Array | None:
        """Those that count, there; None for all."""
        if self._enabled is not None or active.all():
            return self._enabled
        return self._device.upload(active)

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
    """The same of messages whose rules drivers may break, and their parameters where the registers are."""
    registers = _registers(message, message.dwords_there(0, message.length))
    there = decode_request(descriptor, registers, message.mask, strict=False)
    header = None if there.header is None else MessageHeader(message.dwords(0, 1))
    request = replace(there, header=header, parameters=_Brought(message.threads.device, there.parameters))
    check_response_length(request)
    check_request(request, as_drivers=True)
    return request, there.parameters


def lanes_there(
    message: Unasked, descriptor: SamplerMessageDescriptor, header: Header | None
) -> tuple[SamplerRequest, Mapping[str, Array]]:
    """As `read_lanes`, of threads whose headers agree in what `HEADER` has; which lanes are enabled stays there."""
    registers = message.dwords_there(0, message.length).reshape(message.count, message.length, _DWORDS)
    there = decode_request(descriptor, registers, None, strict=False)
    enabled = lanes_enabled(message, there.simd, there.lanes)
    parameters = _Brought(message.threads.device, there.parameters, enabled)
    request = replace(there, header=None if header is None else MessageHeader(header), parameters=parameters)
    check_response_length(request)
    check_request(request, as_drivers=True)
    return request, there.parameters


def _registers(message: Message, dwords: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return dwords.reshape(len(message.rows), message.length, _DWORDS)
