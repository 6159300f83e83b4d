"""Threads on a GPU leave the picture that threads on the CPU leave."""

from __future__ import annotations

import pytest
from support.captures import real_captures
from support.replayed import paths

from texsamp import get_device
from texsamp.emulator import Case

pytestmark = pytest.mark.gpu

QUICK = ("compute_hist", "depth_tri_procflat", "tex_linear_blitfb", "tex_mip_linear_genmip", "tri_flow", "tri_nearest")
DRAWN = sorted({path.stem[:-4] for path in real_captures("gl/*.g7cap")})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scale_up_704x576_default", "csc_nv12_bgrx", "csc_rgbx_nv12"])
def test_replayed_pictures_are_the_cpus(name):
    case = Case.open(paths(name, 1))
    (on_cpu,), (on_gpu,) = case.replay(), case.replay(device=get_device("cuda"))
    assert on_gpu.raw() == on_cpu.raw()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in DRAWN]
)
def test_drawn_pictures_are_the_cpus(name):
    """Of every case of an OpenGL driver."""
    case = Case.open([path for path in real_captures(f"gl/{name}_*.g7cap") if path.stem[:-4] == name])
    on_cpu, on_gpu = ([picture.raw() for picture in case.replay(device=device)] for device in ("cpu", "cuda"))
    assert on_cpu == on_gpu
    assert on_cpu
