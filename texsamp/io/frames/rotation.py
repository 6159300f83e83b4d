"""Pictures that players turn, as those of phones held upright: turned while they are read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import av

from texsamp.io.frames.convert import convert, nearest_layout
from texsamp.io.frames.picture_graph import PictureGraph
from texsamp.video.frame import ColorTags

DisplayMatrix = tuple[int, ...]
"""FFmpeg's nine numbers: a b u, c d v, x y w; a point (x, y) goes to (a x + c y, b x + d y), y downwards."""

_ONE = 1 << 16
"""1.0 in a, b, c and d."""


@dataclass(frozen=True)
class Turn:
    """A turn by right angles: FFmpeg's filters that make it, whether width and height change places, and its name."""

    filters: tuple[tuple[str, str], ...]
    swaps: bool
    name: str
    lines_reversed: bool = False


_HFLIP, _VFLIP = ("hflip", ""), ("vflip", "")
_TURNS = {
    (0, 1, -1, 0): Turn((("transpose", "clock"),), True, "turned by 90 degrees clockwise"),
    (0, -1, 1, 0): Turn((("transpose", "cclock"),), True, "turned by 90 degrees counterclockwise"),
    (-1, 0, 0, -1): Turn((_HFLIP, _VFLIP), False, "turned by 180 degrees", lines_reversed=True),
    (-1, 0, 0, 1): Turn((_HFLIP,), False, "mirrored"),
    (1, 0, 0, -1): Turn((_VFLIP,), False, "mirrored upside down", lines_reversed=True),
    (0, 1, 1, 0): Turn((("transpose", "cclock_flip"),), True, "mirrored and turned counterclockwise"),
    (0, -1, -1, 0): Turn((("transpose", "clock_flip"),), True, "mirrored and turned clockwise"),
}
"""By the signs of a, b, c and d."""

_LOCATIONS = {1: (0, 1), 2: (1, 1), 3: (0, 0), 4: (1, 0), 5: (0, 2), 6: (1, 2)}
"""Where chroma of 4:2:0 lies, by FFmpeg's code: column and row, in halves of a luma sample's distance."""


def is_upright(matrix: DisplayMatrix) -> bool:
    """Whether a display matrix asks for nothing, as that of a camera held level."""
    a, b, _, c, d = matrix[:5]
    return (a, b, c, d) == (_ONE, 0, 0, _ONE)


def turn_of(matrix: DisplayMatrix) -> Turn | None:
    """The turn a display matrix asks for; None for others than right angles, and for none."""
    a, b, _, c, d = matrix[:5]
    if any(abs(value) not in (0, _ONE) for value in (a, b, c, d)):
        return None
    return _TURNS.get((a // _ONE, b // _ONE, c // _ONE, d // _ONE))


class Turner:
    """Turns pictures and what describes them."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self._graph = PictureGraph(*turn.filters)

    def picture(self, picture: av.VideoFrame) -> av.VideoFrame:
        """The picture turned, in its format; 4:2:2 becomes 4:4:4 where rows become columns, which 4:2:2 cannot hold."""
        form = av.VideoFormat(picture.format.name, 16, 16)
        if self.turn.swaps and form.chroma_width(16) != form.chroma_height(16):
            picture = convert(picture, f"yuv444p{'10le' if nearest_layout(form.name).bits > 8 else ''}")
        turned = self._graph.send(picture)
        assert turned is not None
        return convert(turned, picture.format.name)

    def color(self, color: ColorTags) -> ColorTags:
        """The tags with the chroma location turned; unspecified where FFmpeg has no code for the new one."""
        place = _LOCATIONS.get(color.chroma_location)
        if place is None:
            return color
        column, row = place
        for name, arguments in self.turn.filters:
            if name == "hflip":
                column = 2 - column
            elif name == "vflip":
                row = 2 - row
            else:
                column, row = row, column
                column = 2 - column if arguments in ("clock", "clock_flip") else column
                row = 2 - row if arguments in ("cclock", "clock_flip") else row
        found = next((code for code, its in _LOCATIONS.items() if its == (column, row)), 0)
        return replace(color, chroma_location=found)
