"""Groups of pairs that are seen to be inside the gamut without their hues: no pixel on the wrong side is missed."""

import numpy as np
import pytest

from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color.gamut import gamut_blocks
from texsamp.video.color.pipe import run_pipe
from texsamp.video.frame import Frame

GROUP_PX = 64
LAYOUTS = {layout: PIXEL_LAYOUTS[layout] for layout in ("yuv444p10le", "yuv422p10le")}


def outside(name, y, u, v, blocks):
    planes = [np.ascontiguousarray(plane, np.uint16) for plane in (y, u, v)]
    frame = Frame.from_arrays(LAYOUTS[name], planes, *y.shape[::-1])
    found = np.zeros(y.shape, np.uint8)
    run_pipe(frame, blocks, outside=found)
    return found


@pytest.mark.parametrize("full_range", [False, True])
@pytest.mark.parametrize("matrix", ["bt601", "bt709", "bt2020"])
def test_a_group_just_outside_is_never_taken_as_inside(matrix, full_range):
    """Single pixels give the last luma on either side that is outside; groups of that luma alone are outside too."""
    blocks = gamut_blocks(matrix, full_range, "basic")
    steps = np.r_[0, 5:1024:33, 500:526:3, 1023]
    u, v = (part.ravel() for part in np.meshgrid(steps, steps))
    luma = np.arange(1024)
    each = outside("yuv444p10le", *np.broadcast_arrays(luma, u[:, None], v[:, None]), blocks)
    inside = each == 0
    some = inside.any(1)
    least, most = inside.argmax(1)[some] - 1, 1024 - inside[:, ::-1].argmax(1)[some]
    assert len(least) > 500
    chroma = tuple(np.repeat(part[some][:, None], GROUP_PX // 2, 1) for part in (u, v))
    for border, valid in ((least, least >= 0), (most, most < 1024)):
        lines = np.repeat(border[valid][:, None], GROUP_PX, 1)
        assert valid.sum() > 300
        assert outside("yuv422p10le", lines, *(part[valid] for part in chroma), blocks).all()
