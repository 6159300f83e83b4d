"""The statistics surface: STMM and denoise history of a frame in one block of memory (seed 003:1542-1564)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from texsamp.device.base import Array, Device
from texsamp.errors import StateError
from texsamp.video.frame import Frame

_PITCH_UNIT_B = 64


@dataclass(frozen=True, eq=False)
class StatisticsSurface:
    """``memory`` is (rows, pitch) bytes. One frame's surface is read while the next one's is written.

    The STMM of the pair of pixels at (x, y) is byte x / 2 of row y; the denoise history of the 4x4 block at (x, y) is
    byte pitch / 2 + x / 4 of row y / 4.
    """

    memory: Array
    width_px: int
    height_px: int

    @classmethod
    def empty(cls, device: Device, width_px: int, height_px: int) -> StatisticsSurface:
        """An uninitialized surface for a frame size."""
        pitch_B = -(-width_px // _PITCH_UNIT_B) * _PITCH_UNIT_B
        return cls(device.empty((height_px, pitch_B), "u1"), width_px, height_px)

    @classmethod
    def after_first_frame(cls, device: Device, width_px: int, height_px: int) -> StatisticsSurface:
        """What the first frame of a stream leaves: STMM 255, denoise history 0 (seed 003:1566-1582)."""
        surface = cls.empty(device, width_px, height_px)
        surface.memory.fill(0)
        surface.stmm[...] = 255
        return surface

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel with 0 where nobody has written."""
        made = StatisticsSurface(self.memory * 0, self.width_px, self.height_px)
        made.stmm[...], made.denoise_history[...] = self.stmm, self.denoise_history
        return StatisticsSurface, (made.memory, self.width_px, self.height_px)

    def require_size(self, frame: Frame) -> None:
        """Raises StateError for a frame of another size."""
        found, wanted = (self.width_px, self.height_px), (frame.width_px, frame.height_px)
        if found != wanted:
            raise StateError(
                f"statistics of a frame have its size, {wanted[0]}x{wanted[1]}, found {found[0]}x{found[1]}"
            )

    def keep_history(self, history: Array | None) -> None:
        """Take over the denoiser's history; without denoising it is 0."""
        self.denoise_history[...] = 0 if history is None else history

    @property
    def pitch_B(self) -> int:  # noqa: N802 - the unit
        """Bytes from one row to the next."""
        return int(self.memory.shape[1])

    @property
    def stmm(self) -> Array:
        """STMM, one byte per pair of pixels: a view of (height, (width + 1) // 2) bytes."""
        return self.memory[:, : (self.width_px + 1) // 2]

    @property
    def denoise_history(self) -> Array:
        """Denoise history, one byte per 4x4 block: a view of ((height + 3) // 4, (width + 3) // 4) bytes."""
        first = self.pitch_B // 2
        return self.memory[: -(-self.height_px // 4), first : first - (-self.width_px // 4)]
