"""Media block writes through the color pipe, by the kernels of `texsamp.video.color` (seed 003:6032-6122, 8651-8828).

The surface is packed 4:2:2, or NV12, which is written as R16_UNORM (003:2240, 8651-8670). Where its chroma plane lies
is not told: below the rows of luma (reconstructed).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import CaseMemory
from texsamp.errors import CaptureError, StateError
from texsamp.state import ColorProcessingState, RenderSurfaceState
from texsamp.state.data_port import MediaMessageFormat
from texsamp.state.formats import surface_format
from texsamp.surface.pixel_layout import Component, PixelLayout, pixel_layout
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.pipe import pairing_of, run_pipe
from texsamp.video.frame import Frame

_TARGETS = {
    "YCRCB_NORMAL": "yuyv422",
    "YCRCB_SWAPY": "uyvy422",
    "YCRCB_SWAPUV": "yvyu422",
    "YCRCB_SWAPUVY": "vyuy422",
}
"""Layouts by the surface format that is written."""
_TARGET_PIXEL_B = 2
_NV12 = "R16_UNORM"
_NV12_WIDTHS_PX = {
    MediaMessageFormat.YUV422_8: (4, 8),
    MediaMessageFormat.YUV422_16: (4,),
    MediaMessageFormat.YUV444_8: (4,),
}
"""Widths of the blocks that can become NV12 (003:8659-8665)."""
_NV12_UNIT_PX = 4


def _payload(name: str, order: str, bits: int) -> PixelLayout:
    """Layout of a message whose groups of four samples have this order; two lumas stand for two pixels."""
    shared = order.count("Y") == 2
    parts = {c: Component(0, order.index(c), 2 if shared and c == "Y" else 4, bits=bits) for c in "YUVA" if c in order}
    return PixelLayout(name, "yuv", parts, np.dtype(f"<u{bits // 8}"), int(shared))


_PAYLOADS = {
    MediaMessageFormat.YUV422_8: _payload("4:2:2 payload", "YUYV", 8),
    MediaMessageFormat.YUV444_8: _payload("4:4:4 payload", "VUYA", 8),
    MediaMessageFormat.YUV422_16: _payload("16-bit 4:2:2 payload", "YUYV", 16),
    MediaMessageFormat.YUV444_16: _payload("16-bit 4:4:4 payload", "UYVA", 16),
}
"""Samples of a message from the least significant bits on (seed 003:8818-8828)."""


States = Sequence[tuple[int, Any]]
"""Addresses of states, and the threads that have each, where blocks are: their numbers, or a slice of all."""


@dataclass(frozen=True)
class ColorWrite:
    """What blocks of one message format are on their way to a surface."""

    message: MediaMessageFormat
    target: PixelLayout
    nv12: bool

    @classmethod
    def of(cls, code: int, surface: RenderSurfaceState) -> ColorWrite:
        """CaptureError for surfaces that are not executed."""
        name, message = surface_format(surface.code("format")).name, MediaMessageFormat(code)
        if name not in (*_TARGETS, _NV12):
            raise CaptureError(f"media blocks with color processing to {name} are not executed")
        if not surface.tiled:
            raise CaptureError("media blocks with color processing need a tiled surface")
        if name in _TARGETS:
            return cls(message, pixel_layout(_TARGETS[name]), nv12=False)
        if message not in _NV12_WIDTHS_PX:
            raise CaptureError(f"media blocks of {message.name} cannot become NV12")
        if surface.width * 2 % _NV12_UNIT_PX or surface.height % 2:
            raise CaptureError(
                f"NV12 needs columns in multiples of {_NV12_UNIT_PX} and rows of 2, found {2 * surface.width} and "
                f"{surface.height}"
            )
        # 4:2:2 becomes 4:2:2 first, then the upper chroma of two rows is taken; of 4:4:4 that of pixel 0 (8668)
        shared = _PAYLOADS[message].log2_chroma_width
        return cls(message, pixel_layout("yuv422p" if shared else "nv12"), nv12=True)

    @property
    def payload(self) -> PixelLayout:
        """Layout of the message."""
        return _PAYLOADS[self.message]

    @property
    def _pixel_B(self) -> int:  # noqa: N802 - the unit
        return self.payload.dtype.itemsize * (2 if self.payload.log2_chroma_width else 4)

    @property
    def shifts(self) -> tuple[int, int]:
        """By how many bits `corners` shifts columns down, and then up."""
        return self._pixel_B.bit_length() - 1, 0 if self.nv12 else _TARGET_PIXEL_B.bit_length() - 1

    @property
    def unit_B(self) -> int:  # noqa: N802 - the unit
        """Of the message, at multiples of which blocks begin."""
        return (_NV12_UNIT_PX if self.nv12 else 2) * self._pixel_B

    @property
    def unit_lines(self) -> int:
        """The same down."""
        return 2 if self.nv12 else 1

    def corners(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
        """Byte columns of the surface by those of the message; CaptureError within what shares chroma."""
        if (x % (2 * self._pixel_B)).any():
            raise CaptureError("media blocks with color processing begin at whole pairs of pixels")
        if self.nv12 and (x % (_NV12_UNIT_PX * self._pixel_B)).any():
            raise CaptureError(f"media blocks that become NV12 begin at multiples of {_NV12_UNIT_PX} pixels")
        if self.nv12 and (y % 2).any():
            raise CaptureError("media blocks that become NV12 begin at even rows")
        return np.asarray(x // self._pixel_B * (1 if self.nv12 else _TARGET_PIXEL_B))

    def blocks(self, device: Device, block: Array, states: States, memory: CaseMemory, budget: Budget) -> list[Array]:
        """Blocks (threads, rows, dwords) of every plane as they are written, on the device as the given ones are.

        CaptureError for blocks that are not made of 2x2 pixels, or of the few sizes that become NV12, and for illegal
        states.
        """
        threads, rows, dwords = block.shape
        width = 4 * dwords // self._pixel_B
        if rows % 2 or not width or 4 * dwords % (2 * self._pixel_B):
            raise CaptureError(
                f"media blocks with color processing are made of 2x2 pixels, found {4 * dwords} bytes and {rows} rows"
            )
        if self.nv12 and width not in _NV12_WIDTHS_PX[self.message]:
            widths = " or ".join(map(str, _NV12_WIDTHS_PX[self.message]))
            raise CaptureError(f"media blocks of {self.message.name} that become NV12 are {widths} wide, found {width}")
        shapes = [(rows, width), (rows // 2, width)] if self.nv12 else [(rows, width * _TARGET_PIXEL_B)]
        out = [device.empty((threads, lines, columns_B // 4), np.uint32) for lines, columns_B in shapes]
        for pointer, mine in states:
            budget.spend()
            count = threads if isinstance(mine, slice) else len(mine)
            try:
                state = ColorProcessingState.unpack(memory.read(pointer, 4 * ColorProcessingState.dwords))
            except StateError as error:
                raise CaptureError(str(error)) from None
            samples = block[mine].copy().view(self.payload.dtype).reshape(count * rows, -1)
            frame = Frame.from_arrays(self.payload, [samples], width, len(samples), device)
            made = run_pipe(
                frame,
                ColorBlocks.from_state(state),
                self.target,
                pairing=pairing_of(state, frame.layout),
                first_chroma=self.nv12 and not self.payload.log2_chroma_width,
            )
            for plane, lines in zip(out, self._planes(made), strict=True):
                written = lines[:, : 4 * plane.shape[2]].copy()
                plane[mine] = written.view("<u4").reshape(count, *plane.shape[1:])
        return out

    def _planes(self, made: Frame) -> list[Array]:
        """Bytes of the rows of every plane that is written."""
        luma, *chroma = made.planes
        if len(chroma) < 2:
            return [luma, *chroma]
        pairs = np.stack([part[::2, : made.width_px // 2] for part in chroma], axis=2)
        return [luma, pairs.reshape(len(pairs), -1)]
