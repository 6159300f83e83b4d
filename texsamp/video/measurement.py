"""What kernels measure and the host decides by, read back together: waiting for a GPU costs more than the bytes do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from texsamp.device.base import Array, Device, Launch

Hosts = Sequence[np.ndarray[Any, np.dtype[Any]]]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Measurement(Generic[T]):
    """Launches that do not depend on each other, the arrays they fill, and the value that those have on the host."""

    launches: tuple[Launch, ...]
    arrays: tuple[Array, ...]
    value: Callable[[Hosts], T]


def read_together(device: Device, measurements: Sequence[Measurement[Any]]) -> list[Any]:
    """The values of measurements on a device, with one read-back for all; a measurement without launches needs none."""
    launches = [launch for each in measurements for launch in each.launches]
    arrays = [array for each in measurements for array in each.arrays]
    if launches:
        device.launch(*launches)
    hosts = device.start_download(arrays).result() if arrays else ()
    values, begin = [], 0
    for each in measurements:
        end = begin + len(each.arrays)
        values.append(each.value(hosts[begin:end]))
        begin = end
    return values
