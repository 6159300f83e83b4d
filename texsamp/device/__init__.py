"""Compute devices: `get_device("auto" | "cpu" | "cuda" | "cuda:1")`."""

from __future__ import annotations

import os
import re

from texsamp.device.base import Array, Device, Launch
from texsamp.device.cpu import CpuDevice, cpu_device
from texsamp.device.cuda import CudaDevice, cuda_device, why_no_cuda
from texsamp.device.threads import set_threads, thread_count
from texsamp.errors import DeviceError

__all__ = [
    "Array",
    "CpuDevice",
    "CudaDevice",
    "Device",
    "Launch",
    "check_device_name",
    "devices",
    "get_device",
    "set_threads",
    "thread_count",
]


_NAME = re.compile(r"auto|cpu|cuda(:[0-9]{1,3})?")


def check_device_name(which: object) -> None:
    """Raises DeviceError for what cannot name a device on any machine; the device named need not be here."""
    if not isinstance(which, str) or _NAME.fullmatch(which) is None:
        raise DeviceError(f"device must be auto, cpu, cuda or cuda:N, found {which!r}")


def get_device(which: Device | str = "auto") -> Device:
    """A device by name; "auto" is the first CUDA device if there is one, else the CPU. Raises DeviceError.

    The environment's TEXSAMP_DEVICE names another one for "auto".
    """
    if isinstance(which, Device):
        return which
    check_device_name(which)
    if which == "auto":
        which = os.environ.get("TEXSAMP_DEVICE") or which
        check_device_name(which)
    if which == "cpu" or (which == "auto" and why_no_cuda() is not None):
        return cpu_device()
    return cuda_device(int(which.partition(":")[2] or 0))


def devices() -> dict[str, str]:
    """What is here: device name to one line of description; "cuda" explains its absence if there is none."""
    found = {"cpu": cpu_device().describe()}
    reason = why_no_cuda()
    if reason is not None:
        return found | {"cuda": f"not available: {reason}"}
    import cupy

    for ordinal in range(cupy.cuda.runtime.getDeviceCount()):
        found[f"cuda:{ordinal}"] = cuda_device(ordinal).describe()
    return found
