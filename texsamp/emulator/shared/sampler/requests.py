"""What the threads of a message ask of the sampling engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.samplers import POINTER, POINTER_BITS
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks
from texsamp.emulator.eu.sends.equal_parts import AgreeingPart, Header
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.sampler.answers_on_device import lanes_enabled
from texsamp.sampler.messages import MessageHeader, SamplerRequest, check_request, decode_request
from texsamp.sampler.messages.lengths import check_response_length
from texsamp.sampler.messages.rule import ParametersOnDevice
from texsamp.state.sampler_messages import SamplerMessageDescriptor

_DWORDS = 8
"""Of a register."""
HEADER: Looks = ((2, 0x3FFFF), (POINTER, POINTER_BITS))
"""Bits of the header that count: offsets, masks, gather channel or forced LOD; the sampler table."""
TABLE: Looks = ((2, 1 << 16), HEADER[1])
"""Those that one call to sample has one of."""


class _Brought(ParametersOnDevice):
    """Parameters that come to the host when someone looks at them: of most messages no rule does.

    Of what rules look at, it tells the numbers that decide. What is asked of one of a company is asked of all at once.
    """

    def __init__(self, device: Device, parameters: Mapping[str, Array], enabled: Array | None = None) -> None:
        """enabled: lanes that count, (threads, lanes) there; None for those that are said to be active."""
        self._device, self._there, self._enabled = device, parameters, enabled
        self._here: dict[str, Array] = {}
        self._company: Sequence[_Brought] = (self,)
        self._told: dict[_Find, list[float]] = {}

    @staticmethod
    def join(company: Sequence[_Brought]) -> None:
        """Parameters of parts of one message, all with lanes that count or none."""
        for each in company:
            each._company = company

    def __getitem__(self, name: str) -> Array:
        if name not in self._here:
            self._here[name] = self._device.download(self._there[name])
        return self._here[name]

    def extremes(self, name: str, active: NDArray[np.bool_]) -> tuple[float, float]:
        """See `ParametersOnDevice`: those of all parameters come at once."""
        found, at = self._ask(_extremes, active), 2 * list(self._there).index(name)
        low, high = found[at], found[at + 1]
        return (0.0, 0.0) if low > high else (low, high)

    def is_any(self, find: Callable[[ParametersOnDevice], Array], active: NDArray[np.bool_]) -> bool:
        """See `ParametersOnDevice`."""
        return bool(self._ask(_any_of(find), active)[0])

    def _ask(self, find: _Find, active: NDArray[np.bool_]) -> list[float]:
        """Numbers that a function finds, (numbers,) of 64 bits there. active: of this one's lanes."""
        if find not in self._told:
            there = [find(each, each._lanes(active)) for each in self._company]
            for each, found in zip(self._company, self._device.download(np.stack(there)).tolist(), strict=True):
                each._told[find] = found
        return self._told[find]

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


_Find = Callable[[_Brought, Array | None], Array]


def _extremes(given: _Brought, lanes: Array | None) -> Array:
    """Least and largest of every parameter, one after the other."""
    return np.stack(
        [
            part.astype(np.float64)
            for values in map(given.there, given)
            for part in (
                (values if lanes is None else np.where(lanes, values, np.inf)).min(),
                (values if lanes is None else np.where(lanes, values, -np.inf)).max(),
            )
        ]
    )


@cache
def _any_of(find: Callable[[ParametersOnDevice], Array]) -> _Find:
    """Whether there is one of the lanes that a function finds."""

    def found(given: _Brought, lanes: Array | None) -> Array:
        chosen = find(given)
        any_one: Any = (chosen if lanes is None else chosen & lanes).any()
        return np.stack([any_one.astype(np.float64)])

    return found


def read_request(message: Message, descriptor: SamplerMessageDescriptor) -> SamplerRequest:
    """What all threads ask of the sampling engine."""
    return decode_request(descriptor, _registers(message, message.dwords(0, message.length)), message.mask)


def read_lanes(message: Message, descriptor: SamplerMessageDescriptor) -> tuple[SamplerRequest, Mapping[str, Array]]:
    """The same of messages whose rules drivers may break, and their parameters where the registers are."""
    registers = _registers(message, message.dwords_on_device(0, message.length))
    there = decode_request(descriptor, registers, message.mask, strict=False)
    header = None if there.header is None else MessageHeader(message.dwords(0, 1))
    request = replace(there, header=header, parameters=_Brought(message.threads.device, there.parameters))
    check_response_length(request)
    check_request(request, as_drivers=True)
    return request, there.parameters


Lanes = tuple[SamplerRequest, Mapping[str, Array]]


def lanes_on_device(parts: Sequence[AgreeingPart], descriptor: SamplerMessageDescriptor) -> list[Lanes]:
    """As `read_lanes`, of threads whose headers agree in what `HEADER` has; which lanes are enabled stays there."""
    made = [_decoded(each.message, descriptor, each.header) for each in parts]
    _Brought.join([parameters for _, parameters, _ in made])
    for request, _, _ in made:
        check_response_length(request)
        check_request(request, as_drivers=True)
    return [(request, there) for request, _, there in made]


def _decoded(
    message: Unasked, descriptor: SamplerMessageDescriptor, header: Header
) -> tuple[SamplerRequest, _Brought, Mapping[str, Array]]:
    registers = message.dwords_on_device(0, message.length).reshape(message.count, message.length, _DWORDS)
    there = decode_request(descriptor, registers, None, strict=False)
    enabled = lanes_enabled(message, there.simd, there.lanes)
    parameters = _Brought(message.threads.device, there.parameters, enabled)
    request = replace(there, header=MessageHeader(header) if message.has_header else None, parameters=parameters)
    return request, parameters, there.parameters


def _registers(message: Message, dwords: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return dwords.reshape(len(message.rows), message.length, _DWORDS)
