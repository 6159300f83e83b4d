"""FFmpeg's filters between filters that run on the GPU: frames go to the host and come back."""

import numpy as np
import pytest
from support.media import random_frames

from texsamp import Pipeline, get_device

pytestmark = pytest.mark.gpu


def test_ffmpegs_filters_between_ours() -> None:
    frames = random_frames("yuv420p", 64, 48, 2)
    text = "scale=48x32,hflip,sharpen=20,lavfi='crop=40:24'"
    on_gpu, on_cpu = (list(Pipeline.parse(text, device)(frames)) for device in ("cuda", "cpu"))
    assert all(frame.device is get_device("cuda") for frame in on_gpu)
    for a, b in zip(on_gpu, on_cpu, strict=True):
        for ours, theirs in zip(a.to_arrays(), b.to_arrays(), strict=True):
            np.testing.assert_array_equal(ours, theirs)
