"""`CompressGamut`: colors outside the RGB cube drawn to it along their hue (seed 003:6816-7051)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from texsamp.device.base import Array
from texsamp.errors import StateError
from texsamp.state import ColorProcessingState
from texsamp.video.color.matrices import tagged_matrix
from texsamp.video.color.params import ColorBlocks, gamut_block
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.frame import Frame
from texsamp.video.stage import Stage

MODES = ("basic", "advanced")
TARGETS = ("auto", "bt709", "bt601")

Mode = Literal["basic", "advanced"]


def _gamut_matrix(frame: Frame, to: str) -> tuple[str, str]:
    """The cube's matrix, and what to tell people about it."""
    if to != "auto":
        return to, ""
    matrix, guessed = tagged_matrix(frame)
    if matrix in TARGETS:
        return matrix, f"gamut: {guessed}" if guessed else ""
    return "bt709", f"gamut: there is no table for {matrix}: bt709 is used"


class CompressGamut(Stage):
    """Draw colors outside the RGB cube of a matrix to it, keeping their hue.

    ``mode`` "basic" moves what is outside onto the boundary; "advanced" also squeezes what is near it, so that detail
    outside is kept. ``to`` is the matrix whose cube it is; "auto" takes the frame's. ``notes`` says what was guessed.
    Limited range is taken as xvYCC. Raises StateError for other words, FormatError for a picture that is not YUV.
    """

    def __init__(self, mode: Mode = "basic", to: str = "auto") -> None:
        for name, value, words in (("mode", mode, MODES), ("to", to, TARGETS)):
            if value not in words:
                raise StateError(f"gamut {name} must be one of {', '.join(words)}, found {value!r}")
        self.mode, self.to = mode, to

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with every color inside the cube."""
        require_yuv(frame, "gamut")
        matrix, said = _gamut_matrix(frame, self.to)
        if said:
            self.note(said)
        yield run_pipe(frame, gamut_blocks(matrix, bool(frame.color.full_range), self.mode))


def gamut_blocks(matrix: str, full_range: bool, mode: Mode) -> ColorBlocks:
    """The pipe with gamut compression alone, for samples of a matrix and range."""
    state = ColorProcessingState(
        gamut_enable=True, gamut_mapping=mode, xvycc_enable=not full_range, vertex_color_space=matrix
    )
    return ColorBlocks(gamut=gamut_block(state), vertex_space=matrix)


def outside_gamut(frame: Frame, to: str = "auto") -> Array:
    """Which pixels lie outside the RGB cube (seed 003:6959-6967): 1 or 0, a uint8 array on the frame's device.

    Raises FormatError for a picture that is not YUV.
    """
    require_yuv(frame, "gamut detection")
    outside = frame.device.empty((frame.height_px, frame.width_px), "u1")
    blocks = gamut_blocks(_gamut_matrix(frame, to)[0], bool(frame.color.full_range), "basic")
    run_pipe(frame, blocks, outside=outside)
    return outside
