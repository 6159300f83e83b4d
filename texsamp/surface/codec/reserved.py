"""Blocks that no encoder may write, by format: from a uint8 array (count, bytes) to a bool array (count)."""

from __future__ import annotations

from collections.abc import Callable

from texsamp.device.base import Array, Device
from texsamp.surface.codec.launch import DecodeJob


def in_job(is_reserved: Callable[[Array], Array]) -> Callable[[Device, DecodeJob], Array]:
    """The reserved blocks of a decoder's job, row by row."""
    return lambda _, job: is_reserved(job.blocks.reshape(-1, job.format.bits // 8))


def is_reserved_bc6h(blocks: Array) -> Array:
    """Modes 19, 23, 27 and 31 (Direct3D 11.3 functional specification 19.5.13.3): the five lowest bits are 1xx11."""
    found: Array = (blocks[:, 0] & 0x13) == 0x13
    return found


def is_reserved_bc7(blocks: Array) -> Array:
    """No mode bit in the first byte (Direct3D 11.3 functional specification 19.5.14.4)."""
    found: Array = blocks[:, 0] == 0
    return found


def is_undefined_etc1(blocks: Array) -> Array:
    """Differential blocks with a second color outside of 0 to 31 (Khronos Data Format Specification 1.4, "ETC1")."""
    stored = blocks[:, :3].astype("i2")
    second = (stored >> 3) + ((stored & 7) ^ 4) - 4
    found: Array = ((second & ~31) != 0).any(axis=1) & (blocks[:, 3] & 2 != 0)
    return found
