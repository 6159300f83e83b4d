"""With texsamp's own thresholds motion is compensated where most of it is found: docs/deinterlace.md (37) to (39)."""

from dataclasses import asdict

import numpy as np
import pytest
from oracle.motion_compensation import McState, adaptive_limit, plain_complexity, search
from support.frames import samples_of
from support.interlaced import random_statistics

from texsamp.video.deinterlace import Deinterlace
from texsamp.video.deinterlace.compensation_choice import motion_matches
from texsamp.video.deinterlace.parameters import TUNED_COMPENSATION
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

MC = McState(**asdict(TUNED_COMPENSATION))


def literal(lacks, parity, stmm, stmm_min, bits):
    """``lacks``: luma, by the parity of a line that its field lacks."""
    height = len(stmm)
    step = min(max(height // 16 // 2 * 2, 2), 64)
    lines = np.array([y for y in range(0, height, step) if y + 1 < height], np.int64)
    found = []
    for n in (parity, 1 - parity):
        motion = search(lacks[n], lacks[1 - n], lines + n)
        limit = adaptive_limit(plain_complexity(lacks[n], lines + n), MC, bits)
        found.append((motion, (motion.sad <= MC.cat_th1 << (bits - 8)) | (motion.sad < limit)))
    (here, small), (there, also_small) = found
    moving = stmm[lines + parity] > stmm_min
    matched = moving & small & also_small & (here.x == -there.x) & (here.y == -there.y)
    return bool(matched.sum() > 0 and 2 * matched.sum() >= moving.sum())


def pan(rng, layout, width, height, part):
    """Two frames; the first ``part`` of the second one's columns are the first one's moved by four, the others new."""
    bits = 10 if layout.endswith("10le") else 8
    picture = rng.integers(0, 1 << bits, (height, width + 4))
    new = rng.integers(0, 1 << bits, (height, width))
    moved = np.where(np.arange(width) < part * width, picture[:, 4:], new)
    dtype = "u1" if bits == 8 else "<u2"
    planes = [np.ascontiguousarray(plane.astype(dtype)) for plane in (picture[:, :width], moved)]
    return [Frame.from_arrays(layout, [plane], width, height, "cpu", interlaced=True) for plane in planes]


@pytest.mark.parametrize("layout", ["gray", "gray10le"])
@pytest.mark.parametrize("size", [(40, 1), (41, 2), (50, 17), (90, 40), (64, 67), (300, 130)])
def test_the_share_of_matches_decides(layout, size):
    answers = set()
    for seed, part in enumerate((0, 0.4, 0.55, 0.7, 1)):
        rng = np.random.default_rng([*size, seed])
        last, other = pan(rng, layout, *size, part)
        first = seed & 1
        by_line = (other, last) if first else (last, other)
        motion = random_statistics(rng, last)
        expected = literal([samples_of(f, "Y") for f in by_line], 1 - first, motion.stmm, 60, last.layout.bits)
        assert motion_matches(by_line, 1 - first, motion, 60, TUNED_COMPENSATION) == expected
        answers.add(expected)
    assert answers == ({False, True} if size[1] > 1 else {False})


@pytest.mark.parametrize("rate", ["frame", "field"])
@pytest.mark.parametrize("top_first", [True, False])
def test_compensation_needs_half_of_what_moves(rate, top_first):
    rng = np.random.default_rng(3)
    texture = np.repeat(rng.integers(0, 256, (40, 60)), 3, 1).astype("u1")

    def clip(moving):
        planes = [rng.integers(0, 256, (40, 120)).astype("u1") for _ in range(5)]
        for number, plane in enumerate(planes):
            plane[:, :moving] = texture[:, 4 * number : 4 * number + moving]
        return [
            Frame.from_arrays("gray", [p], 120, 40, "cpu", pts=n, interlaced=True, top_field_first=top_first)
            for n, p in enumerate(planes)
        ]

    def luma(mode, preset, frames):
        stage = Deinterlace(mode, rate, preset=preset, scenecut="off")
        made = list(Pipeline([stage], "cpu")(frames, statistics=True))
        used = {f.statistics["deinterlace_method"] for f in made[2:-2]} == {"mcdi"}
        told = (f"deinterlace: motion compensated in {4 * used} of 4 pairs of frames",)
        assert stage.notes == (told if mode == "mcdi" else ())
        return [frame.planes[0].tobytes() for frame in made], {f.statistics["deinterlace_method"] for f in made[2:-2]}

    for moving, compensated in ((40, False), (90, True)):
        frames = clip(moving)
        plain, _ = luma("madi", "tuned", frames)
        made, methods = luma("mcdi", "tuned", frames)
        assert (made != plain) == compensated
        assert methods == ({"mcdi"} if compensated else {"madi"})
        assert luma("mcdi", "i965", frames)[0] != plain
