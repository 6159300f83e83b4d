"""Threads on a GPU leave the picture that threads on the CPU leave."""

from __future__ import annotations

import pytest
from support.replayed import paths

from texsamp import get_device
from texsamp.emulator import Case

pytestmark = pytest.mark.gpu


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scale_up_704x576_default", "csc_nv12_bgrx", "csc_rgbx_nv12"])
def test_replayed_pictures_are_the_cpus(name):
    case = Case.open(paths(name, 1))
    (on_cpu,), (on_gpu,) = case.replay(), case.replay(device=get_device("cuda"))
    assert on_gpu.raw() == on_cpu.raw()
