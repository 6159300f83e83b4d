"""What pixel threads leave for the output merger, and the state it merges them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.state import RenderSurfaceState
from texsamp.state.commands_raster import DepthBuffer, StencilBuffer
from texsamp.state.pixel_state import BlendState, CcViewport, ColorCalcState, DepthStencilState

ALL_SAMPLES = 0xFF
"""Sample mask that hides none."""
_NAN = np.uint32(0x7FC00000)
"""No number as blending leaves it: CPUs and GPUs each have bits of their own."""


@dataclass(frozen=True)
class Found:
    """What is known of fragments that are on a GPU: pixels that they lie in, slices that they may have.

    samples: how many of them are left before the tests; None if that is not known.
    """

    x: tuple[int, int]
    y: tuple[int, int]
    slices: tuple[int, ...]
    samples: int | None


@dataclass(frozen=True)
class Fragments:
    """Pixels of primitives, n of them, in the order of the primitives: per pixel that order decides.

    x, y, slices: int32 (n,), pixels of the render targets and array index.
    samples: uint32 (n,), the samples that are left: coverage, dispatch mask, discard and oMask; bit s is sample s.
    back: bool (n,), fragments of back faces, for the stencil test.
    depth: float32 (n, 1 or samples), interpolated or computed; one number holds for all samples.
    viewports: int32 (n,), whose CC_VIEWPORT clamps the depth; None for 0.
    colors: by target (a key of `MergeState.targets`), uint32 (n, 4): R, G, B, A, the bits as the message had them.
    written: by target, bool (n,), whether a message wrote the fragment; targets left out were written by all.
    second: uint32 (n, 4), second color of dual source blending; None if there is none.
    source0_alpha: float32 (n,), alpha for alpha test and alpha to coverage; None for that of the first target.
    are_apart: whether it is known that no two of them share a pixel.
    found: of fragments that are all where they are merged; some of them may have no samples. None: of the host's.

    Depths, colors and alpha are the host's, or where they are merged.
    """

    x: NDArray[np.int32]
    y: NDArray[np.int32]
    slices: NDArray[np.int32]
    samples: NDArray[np.uint32]
    back: NDArray[np.bool_]
    depth: Array
    viewports: NDArray[np.int32] | None = None
    colors: Mapping[Any, Array] = field(default_factory=dict)
    written: Mapping[Any, NDArray[np.bool_]] = field(default_factory=dict)
    second: Array | None = None
    source0_alpha: Array | None = None
    are_apart: bool = False
    found: Found | None = None

    def none(self) -> Fragments:
        """None of these, which have no colors."""
        none = slice(0, 0)
        parts = {name: getattr(self, name)[none] for name in ("x", "y", "slices", "samples", "back", "depth")}
        return replace(self, **parts, viewports=None if self.viewports is None else self.viewports[none])

    def covered(self, coverage: Array) -> Fragments:
        """Fragments whose alpha is multiplied by how much of the pixel is covered, float32 (n,), where colors are."""

        def times(alpha: Array) -> Array:
            with np.errstate(all="ignore"):
                product = alpha * coverage
            return np.where(np.isnan(product), _NAN, product.view(np.uint32))

        def shown(color: Array) -> Array:
            made = color.copy()
            made[:, 3] = times(color.view(np.float32)[:, 3])
            return made

        alpha = self.source0_alpha
        return replace(
            self,
            colors={target: shown(color) for target, color in self.colors.items()},
            second=None if self.second is None else shown(self.second),
            source0_alpha=None if alpha is None else times(alpha).view(np.float32),
        )


@dataclass(frozen=True)
class Target:
    """A surface that is rendered to. blend: which of MergeState.blends applies, the render target index of messages."""

    surface: RenderSurfaceState
    blend: int = 0


@dataclass(frozen=True)
class MergeState:
    """What the output merger goes by.

    blends: by render target.
    targets: by any number that names them in `Fragments.colors`, as by binding table index; the first is the one whose
        alpha is tested.
    depth_buffer, stencil_buffer: the commands' values; None, or an address of 0 of the latter, if there is none.
    samples: 1, 4 or 8 per pixel. sample_mask: of 3DSTATE_SAMPLE_MASK.
    clear_depth: bits in the depth buffer's format that 3DSTATE_WM's depth buffer clear writes instead of testing;
        None if this is no clear.
    fast_clear: colors are not the fragments' but the targets' clear colors (3DSTATE_PS).
    """

    depth_stencil: DepthStencilState
    color_calc: ColorCalcState
    blends: Mapping[int, BlendState] | Sequence[BlendState]
    viewports: tuple[CcViewport, ...]
    targets: Mapping[Any, Target] = field(default_factory=dict)
    depth_buffer: DepthBuffer | None = None
    stencil_buffer: StencilBuffer | None = None
    samples: int = 1
    sample_mask: int = ALL_SAMPLES
    clear_depth: int | None = None
    fast_clear: bool = False

    def tested(self) -> MergeState:
        """The state for fragments whose depth and stencil were tested before the shader ran."""
        return replace(self, depth_buffer=None, stencil_buffer=None, clear_depth=None)


@dataclass(frozen=True)
class Merged:
    """samples: uint32 (n,), those of each fragment that passed all tests, where the fragments are.

    known: how many these are, if the host knows without them.
    """

    samples: NDArray[np.uint32]
    known: int | None = None

    @property
    def passed(self) -> int:
        """Samples that passed: what PS_DEPTH_COUNT counts."""
        if self.known is not None:
            return self.known
        return int(bits_in(self.samples))


def bits_in(samples: Array) -> Array:
    """How many samples there are in sample masks of pixels, one number, where these are."""
    each = samples & np.uint32(0x55)
    each = each + (samples >> np.uint32(1) & np.uint32(0x55))
    each = (each & np.uint32(0x33)) + (each >> np.uint32(2) & np.uint32(0x33))
    found: Array = ((each & np.uint32(0xF)) + (each >> np.uint32(4))).sum()
    return found
