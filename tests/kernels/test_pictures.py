"""The pictures that sanitizers run reach every kernel of the modules they touch."""

import pytest
from pictures import CASES, ExactDevice

from texsamp.device.sources import kernels_by_name


@pytest.fixture(scope="module")
def launched():
    names = set()

    class Recorder(ExactDevice):
        def launch(self, *launches):
            names.update(launch.kernel for launch in launches)
            super().launch(*launches)

    for case in CASES:
        case.run(Recorder())
    return names


@pytest.mark.parametrize(
    "module",
    [
        "blocks",
        "blocks_bptc",
        "blocks_etc",
        "blocks_fxt1",
        "color",
        "color_planes",
        "color_statistics",
        "convert",
        "convolve",
        "deinterlace",
        "deinterlace_hq",
        "deinterlace_match",
        "deinterlace_motion",
        "denoise",
        "denoise_hq",
        "edge_line",
        "field_vectors",
        "film",
        "lut",
        "merge",
        "mips",
        "packed10",
        "prefilter",
        "raster",
        "sample",
        "sample_aniso",
        "sample_exact",
        "sample_plane",
        "sample_slices",
        "scale",
        "scene_change",
        "sharpen",
        "sharpen_gen6",
        "texels",
        "tiling",
        "tonemap",
    ],
)
def test_every_kernel_is_launched(launched, module):
    assert {kernel for kernel, where in kernels_by_name().items() if where == module} <= launched
