"""Whether what moves does so by vectors that the motion search has, so that compensation pays (ours)."""

from __future__ import annotations

from texsamp.video.deinterlace.compensation import search_motion
from texsamp.video.deinterlace.parameters import CompensationParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame

_MOST_LINES_APART = 64
_NOT_SMALL = 65535


def lines_apart(height_px: int) -> int:
    """From one line that is looked at to the next: about 17 lines of a picture."""
    return min(max(height_px // 16 & ~1, 2), _MOST_LINES_APART)


def motion_matches(
    frames: tuple[Frame, Frame],
    parity: int,
    motion: StatisticsSurface,
    stmm_min: int,
    parameters: CompensationParameters,
) -> bool:
    """Whether at least half of the pairs that move are found: (37) to (39) of docs/deinterlace.md.

    ``frames`` are those of `search_motion`. Pairs of some lines of ``parity`` are asked; they move where ``motion``,
    STMM of those lines if not of all, is above ``stmm_min``.
    """
    device = frames[0].device
    step = lines_apart(motion.height_px)
    launch, found = search_motion(frames, parameters, step)
    device.launch(launch)
    own, other = slice(parity, None, step), slice(1 - parity, None, step)
    rows = -(-(motion.height_px - 1) // step)  # for which there are both lines

    asked = [array[which] for array in (found.sad, found.x, found.y) for which in (own, other)]
    hosts = device.start_download([*asked, motion.stmm[own]]).result()
    sad, other_sad, x, other_x, y, other_y, stmm = (host[:rows] for host in hosts)
    moving = stmm > stmm_min
    matched = moving & (sad != _NOT_SMALL) & (other_sad != _NOT_SMALL) & (x == -other_x) & (y == -other_y)
    count = int(matched.sum())
    return count > 0 and 2 * count >= int(moving.sum())
