"""Every barrier of these kernels is needed: executed without one of them, they race."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from pictures import CASES
from support.pretended_cuda import pretended_cuda
from support.ptx import Fault
from support.ptx.library import operation

import texsamp as ts
from texsamp.device.sources import kernels_by_name


def barriers(cupy, module: str) -> Iterator[tuple[str, np.ndarray, int]]:
    """Of the kernels of a file that ran: the kernel, its instructions, and the place of a barrier they came to."""
    number, found = operation("bar.sync").number, kernels_by_name()
    for kernel in (kernel for loaded in cupy.standin.devices[0].modules for kernel in loaded.kernels):
        if kernel.was_launched and found[kernel.name] == module:
            for place in np.flatnonzero((kernel.program.code["op"] == number) & (kernel.reached == 1)):
                yield kernel.name, kernel.program.code, int(place)


def races(cases, device) -> bool:
    try:
        for case in cases:
            case.run(device)
    except Fault as fault:
        return "a race: " in str(fault)
    return False


@pytest.mark.parametrize(
    ("module", "pattern", "of_each_kernel"),
    [
        ("sample_plane", "^sample-plane-.*-wrap$", {2}),
        ("convert", "^convert-.*-67x6$", {2}),
        ("sample_aniso", "^anisotropy-(CUBE-R8G8B8A8_UNORM|2D-R8G8B8A8_UNORM-wrap)", {2}),
    ],
)
def test_without_one_barrier_there_is_a_race(module, pattern, of_each_kernel):
    cases = [case for case in CASES if re.search(pattern, case.name)]
    with pretended_cuda() as cupy:
        device = ts.get_device("cuda")
        assert not races(cases, device)
        found = list(barriers(cupy, module))
        assert set(Counter(kernel for kernel, _, _ in found).values()) == of_each_kernel
        for kernel, code, place in found:
            whole = code[place].copy()
            code[place]["op"], code[place]["immediate"] = operation("bra").number, place + 1
            assert races(cases, device), f"{kernel}: nobody misses the barrier at {place} of {len(code)}"
            code[place] = whole
