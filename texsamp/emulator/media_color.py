"""Media block writes through the color pipe, by the kernels of `texsamp.video.color` (seed 003:6032-6122, 8651-8828).

The surface is packed 4:2:2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.budget import Budget
from texsamp.emulator.memory import CaseMemory
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


@dataclass(frozen=True)
class ColorWrite:
    """What blocks of one message format are on their way to a surface."""

    payload: PixelLayout
    target: PixelLayout

    @classmethod
    def of(cls, code: int, surface: RenderSurfaceState) -> ColorWrite:
        """CaptureError for surfaces that are not executed."""
        name = surface_format(surface.code("format")).name
        if name not in _TARGETS:
            raise CaptureError(f"media blocks with color processing to {name} are not executed")
        if not surface.tiled:
            raise CaptureError("media blocks with color processing need a tiled surface")
        return cls(_PAYLOADS[MediaMessageFormat(code)], pixel_layout(_TARGETS[name]))

    @property
    def _pixel_B(self) -> int:  # noqa: N802 - the unit
        return self.payload.dtype.itemsize * (2 if self.payload.log2_chroma_width else 4)

    def columns(self, x: NDArray[np.int64]) -> NDArray[np.int64]:
        """Byte columns of the surface by those of the message; CaptureError within a pair of pixels."""
        if (x % (2 * self._pixel_B)).any():
            raise CaptureError("media blocks with color processing begin at whole pairs of pixels")
        return np.asarray(x // self._pixel_B * _TARGET_PIXEL_B)

    def blocks(
        self, block: NDArray[np.uint32], pointers: NDArray[np.int64], memory: CaseMemory, budget: Budget
    ) -> NDArray[np.uint32]:
        """Blocks (threads, rows, dwords) as they are written; pointers: address of each thread's state.

        CaptureError for blocks that are not made of 2x2 pixels, and for illegal states.
        """
        threads, rows, dwords = block.shape
        width = 4 * dwords // self._pixel_B
        if rows % 2 or not width or 4 * dwords % (2 * self._pixel_B):
            raise CaptureError(
                f"media blocks with color processing are made of 2x2 pixels, found {4 * dwords} bytes and {rows} rows"
            )
        out = np.zeros((threads, rows, width * _TARGET_PIXEL_B // 4), np.uint32)
        for pointer in np.unique(pointers).tolist():
            budget.spend()
            mine = np.flatnonzero(pointers == pointer)
            try:
                state = ColorProcessingState.unpack(memory.read(pointer, 4 * ColorProcessingState.dwords))
            except StateError as error:
                raise CaptureError(str(error)) from None
            samples = np.ascontiguousarray(block[mine]).view(self.payload.dtype).reshape(len(mine) * rows, -1)
            frame = Frame.from_arrays(self.payload, [samples], width, len(samples), "cpu")
            made = run_pipe(frame, ColorBlocks.from_state(state), self.target, pairing=pairing_of(state, frame.layout))
            written = np.ascontiguousarray(made.planes[0][:, : width * _TARGET_PIXEL_B])
            out[mine] = written.view("<u4").reshape(len(mine), rows, -1)
        return out
