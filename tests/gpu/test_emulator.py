"""Threads on a GPU leave the picture that threads on the CPU leave."""

from __future__ import annotations

import pytest
from support.captures import real_captures
from support.filter_cases import sweep

from texsamp.emulator import Case

pytestmark = pytest.mark.gpu

QUICK = ("compute_hist", "depth_tri_procflat", "tex_linear_blitfb", "tex_mip_linear_genmip", "tri_flow", "tri_nearest")
DRAWN = sorted({path.stem[:-4] for path in real_captures("gl/*.g7cap")})
FIRST = {
    "vpp/scale_up_704x576_default": 1,
    "vpp/csc_nv12_bgrx": 1,
    "vpp/csc_rgbx_nv12": 1,
    "vpp/dn_025": 2,
    "vpp/di_madi_top": 2,
}
"""Submissions up to the first picture of cases that show all kinds of messages of a video driver."""
OTHERS = sorted({f"{path.parent.name}/{path.stem[:-4]}" for path in real_captures("v*/*.g7cap")})


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS if sweep(1) >= 10 else FIRST)
def test_replayed_pictures_are_the_cpus(name):
    """TEXSAMP_SWEEP=10 replays every case of video and Vulkan to its end, which takes an hour on the stand-in."""
    every = [path for path in real_captures(f"{name}_*.g7cap") if path.stem[:-4] == name.partition("/")[2]]
    case = Case.open(every if sweep(1) >= 10 else every[: FIRST[name]])
    on_cpu, on_gpu = ([picture.raw() for picture in case.replay(device=device)] for device in ("cpu", "cuda"))
    assert on_cpu == on_gpu
    assert on_cpu


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in DRAWN]
)
def test_drawn_pictures_are_the_cpus(name):
    """Of every case of an OpenGL driver."""
    case = Case.open([path for path in real_captures(f"gl/{name}_*.g7cap") if path.stem[:-4] == name])
    on_cpu, on_gpu = ([picture.raw() for picture in case.replay(device=device)] for device in ("cpu", "cuda"))
    assert on_cpu == on_gpu
    assert on_cpu
