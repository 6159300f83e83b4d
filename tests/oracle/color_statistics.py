"""Statistics of the contrast block, one pixel at a time (seed 003:6558, 6574-6578, 6959-6967); see `oracle.color`."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import floor

from oracle import color_gamut, color_skin
from oracle.color import Pixel, combined
from oracle.color_state import Dwords


def counts(
    d: Dwords, rows: Sequence[Sequence[Pixel]], area: tuple[int, int, int, int] | None, shared_chroma: bool
) -> tuple[Counter[int], tuple[int, int, int], int]:
    """Pixels by Y[9:2]; Ymin, Ymax and number of the skin pixels; pixels outside the gamut.

    The histogram counts every pixel (Haswell PRM volume 9, page 25). Ymin and Ymax begin at 3FFh and 0, are compared
    with the 10 MSB of the luma of what is above the skin threshold (003:7560; Haswell page 23), and are 0 without
    detection.

    Chroma is repeated for every pixel; pairs that share it share their scores and scaling too. The area is left, top,
    width, height; the full image flag makes it everything.
    """
    height, width = len(rows), len(rows[0])
    if area is None or d.u(29, 1, 1):
        area = (0, 0, width, height)
    histogram: Counter[int] = Counter()
    skin = outside = y_max = 0
    y_min = 0x3FF if d.u(0, 0, 0) else 0
    for y in range(area[1], area[1] + area[3]):
        for x in range(area[0], area[0] + area[2]):
            pixel, partner = rows[y][x], rows[y][min(x ^ 1, width - 1)]
            score = 0
            if d.u(0, 0, 0):
                score = color_skin.score(d, *pixel)
                if shared_chroma:
                    first, second = (pixel, partner) if x % 2 == 0 else (partner, pixel)
                    score = combined(d.u(66, 27, 26), color_skin.score(d, *first), color_skin.score(d, *second))
                if d.u(0, 1, 1):
                    dark = [color_skin.dark_membership(d, p[0]) for p in (pixel, partner)]
                    own = combined(d.u(66, 25, 24), *dark) if shared_chroma else dark[0]
                    pixel = (pixel[0], *color_skin.enhance(d, pixel[1], pixel[2], score, own))
            luma = pixel[0]
            if d.u(64, 31, 31):
                found = color_gamut.compress(d, pixel)
                outside += found.outside
                luma = color_gamut.scaled(d, pixel, found, found.scaling)[0]
            y10 = floor(Fraction(luma) * 4)
            histogram[y10 >> 2] += 1
            if score > d.u(29, 6, 2):
                skin += 1
                y_min, y_max = min(y_min, y10), max(y_max, y10)
    return histogram, (y_min, y_max, skin), outside
