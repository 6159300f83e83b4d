"""Captured cases of OpenGL and Vulkan drivers, replayed to the pictures that software drivers make of them.

Differences have their causes in the references: ties of positions and nearest texels, an approximate level of detail
and anisotropy (docs/emulator-drawing.md), several roundings to 8 bits.
"""

import gzip

import numpy as np
import pytest
from support.captures import CAPTURES, real_captures

from texsamp.emulator.case import Case
from texsamp.replay import replay

TWO = ("bc1_linear", "bc1_mip_linear_lod", "tex_linear_blitfb", "tri_linear_cmask", "bc3_linear", "bc5_linear")
AUTOMATIC_LEVELS = ("tex_mip_linear_bias", "tex_mip_linear_npot_repeat")
REFERENCE = {name: 2 for name in TWO} | dict.fromkeys(AUTOMATIC_LEVELS, 10) | {
    "tex_mip_linear_persp3_repeat": 75, "tex_mip_linear_genmip": 3, "rt565_linear": 9,
}  # fmt: skip
"""Largest difference of a channel, in steps of 1/255; 1 for all others."""
ROUNDING = 1e-3
"""What float targets may differ by beside."""
TIES = 60
"""Pixels that may differ by more in pictures of triangles."""
CASES = sorted({path.stem[:-4] for path in CAPTURES.glob("gl/*.g7cap")}) or ["tex_linear"]


def reference(name):
    """Bytes of a reference picture."""
    with gzip.open(CAPTURES / name) as file:
        return np.frombuffer(file.read(), np.uint8)


@pytest.mark.parametrize("case", CASES)
def test_captured_pictures_of_opengl_are_those_of_the_software_driver(case, tmp_path):
    paths = [path for path in real_captures(f"gl/{case}_*.g7cap") if path.stem[:-4] == case]
    pictures = replay(paths, tmp_path, expect=CAPTURES / "gl" / "ref", tolerance=REFERENCE.get(case, 1) + ROUNDING)
    (compared,) = [picture for picture in pictures if picture.compared]
    if case.startswith("tri_") and compared.differences:
        expected = reference(f"gl/ref/{case}.raw.gz")
        found = np.frombuffer(compared.raw.read_bytes(), np.uint8)
        errors = np.abs(found.astype(int) - expected).reshape(-1, 4).max(axis=1)
        assert np.count_nonzero(errors > REFERENCE.get(case, 1)) <= TIES
    else:
        assert not compared.differences, compared.differences


CHAINS = {"vk_scale_nearest": (0, 0), "vk_scale_bilinear": (1, 0.2), "vk_hflip": (2, 0.8), "pl_spline36": (3, 0.8)}
"""Largest difference, and largest mean, of all frames of a chain."""
DOWNLOADS = {"pl_spline36": ("020", "037")}
"""Submissions that copy the frames to where the client reads them."""


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS)
def test_captured_chains_of_vulkan_filters_are_those_of_the_software_driver(chain):
    paths = real_captures(f"vk/{chain}_*.g7cap")
    submissions = DOWNLOADS.get(chain, ("007", "012"))
    pictures = [picture for picture in Case.open(paths).replay() if picture.name.split("_")[-3] in submissions]
    found = np.frombuffer(b"".join(picture.raw() for picture in pictures), np.uint8)
    expected = reference(f"vk/ref/{chain}.ref.raw.gz")
    errors = np.abs(found.astype(int) - expected)
    largest, mean = CHAINS[chain]
    assert errors.max() <= largest
    assert errors.mean() <= mean
