"""`CompressGamut`: colors outside the RGB cube drawn to it along their hue (seed 003:6816-7051)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, get_args

from texsamp.device.base import Array
from texsamp.errors import FormatError
from texsamp.state import ColorProcessingState
from texsamp.video.color.matrices import ColorSpace, conversion, tagged_matrix
from texsamp.video.color.params import ColorBlocks, gamut_block
from texsamp.video.color.pipe import require_yuv, run_pipe
from texsamp.video.color.primaries import primaries_block
from texsamp.video.fitting import with_luma
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.options import Choice, Kinds, check
from texsamp.video.stage import Stage

Mode = Literal["basic", "advanced"]

MODES = get_args(Mode)
TARGETS = ("auto", "bt709", "bt601")
KINDS: Kinds = {"mode": Choice(MODES), "to": Choice(TARGETS), "from": Choice(("auto", "bt2020"))}
"""What options may be."""

_TAG = {"bt709": 1, "bt601": 6}
"""Of matrix, primaries and transfer curve alike."""
_BT2020, _UNSPECIFIED = 9, 2
_SAME_CURVE = (1, _UNSPECIFIED, 6, 14, 15)
_OTHER_RANGE = {16: "PQ", 18: "HLG"}


def _gamut_matrix(frame: Frame, to: str) -> tuple[str, str]:
    """The cube's matrix, and what to tell people about it."""
    if to != "auto":
        return to, ""
    matrix, guessed = tagged_matrix(frame)
    return matrix, f"gamut: {guessed}" if guessed else ""


def _is_wide(tags: ColorTags) -> bool:
    """Whether one of matrix and primaries is BT.2020's, and the other too or unspecified."""
    pair = {tags.matrix, tags.primaries}
    return _BT2020 in pair and pair <= {_BT2020, _UNSPECIFIED}


def _curve_note(frame: Frame) -> str:
    """What to tell people about a curve that is taken as BT.2020's. Raises FormatError for one of high range."""
    transfer = frame.color.transfer
    if transfer in _OTHER_RANGE:
        raise FormatError(
            f"gamut brings BT.2020 of standard range to BT.709 and BT.601, found {_OTHER_RANGE[transfer]} "
            f"(transfer {transfer}): tonemap maps its tones and its gamut"
        )
    return "" if transfer in _SAME_CURVE else f"gamut: the video has transfer {transfer}: the curve of BT.2020 is used"


class CompressGamut(Stage):
    """Draw colors outside the RGB cube of a matrix to it, keeping their hue.

    ``mode`` "basic" moves what is outside onto the boundary; "advanced" also squeezes what is near it, so that detail
    outside is kept. ``to`` is the matrix whose cube it is; "auto" takes the frame's. A ``source`` of "bt2020", which
    "auto" takes from the frame's tags, with another matrix as ``to``, is brought to its primaries and tags as well
    (docs/color.md, "Wider sources"). ``notes`` says what was guessed. Limited range is taken as xvYCC.

    Raises StateError for other words; FormatError for a picture that is not YUV and for BT.2020 of PQ or HLG.
    """

    wants = staticmethod(with_luma)

    def __init__(self, mode: Mode = "basic", to: str = "auto", source: str = "auto") -> None:
        check("gamut", KINDS, mode=mode, to=to, **{"from": source})
        self.mode, self.to, self.source = mode, to, source

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with every color inside the cube."""
        require_yuv(frame, "gamut")
        matrix, said = _gamut_matrix(frame, self.to)
        wide = self.to != "auto" and (self.source == "bt2020" or _is_wide(frame.color))
        if wide:
            said = _curve_note(frame)
        if said:
            self.note(said)
        if not wide:
            yield run_pipe(frame, gamut_blocks(matrix, bool(frame.color.full_range), self.mode))
            return
        tag = _TAG[matrix]
        tags = replace(frame.color, matrix=tag, primaries=tag, transfer=tag)
        yield run_pipe(frame, wide_blocks(frame, matrix, self.mode), color=tags)


def gamut_blocks(matrix: str, full_range: bool, mode: Mode) -> ColorBlocks:
    """The pipe with gamut compression alone, for samples of a matrix in KR_KB and a range."""
    state = ColorProcessingState(gamut_enable=True, gamut_mapping=mode, xvycc_enable=not full_range)
    return ColorBlocks(gamut=gamut_block(state), vertex_space=matrix)


def wide_blocks(frame: Frame, to: str, mode: Mode) -> ColorBlocks:
    """BT.2020 samples as xvYCC of another gamut, its compression, and the range of the frame again."""
    full, bits = bool(frame.color.full_range), frame.layout.bits
    primaries = primaries_block(ColorSpace("bt2020", full, bits), to)
    matrix = conversion(ColorSpace(to, False, bits), ColorSpace(to, full, bits))
    return replace(gamut_blocks(to, False, mode), primaries=primaries, matrix=matrix)


def outside_gamut(frame: Frame, to: str = "auto") -> Array:
    """Which pixels lie outside the RGB cube (seed 003:6959-6967): 1 or 0, a uint8 array on the frame's device.

    The samples are taken as those of ``to``. Raises FormatError for a picture that is not YUV.
    """
    require_yuv(frame, "gamut detection")
    outside = frame.device.empty((frame.height_px, frame.width_px), "u1")
    blocks = gamut_blocks(_gamut_matrix(frame, to)[0], bool(frame.color.full_range), "basic")
    run_pipe(frame, blocks, outside=outside)
    return outside
