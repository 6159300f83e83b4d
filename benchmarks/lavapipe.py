"""Mesa's software Vulkan device doing the jobs of captured Vulkan cases, through an ffmpeg binary."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path
from unittest.mock import patch

from benchmarks.peers import binary_cpu_ms, ffmpeg_with

_DRIVER = Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
_SIZE = 352, 288
_FRAMES = 200
"""Enough for starting Vulkan, which is among what is timed, to take little of it."""
_FRAMES_OF_A_CASE = 2
_JOBS = {
    "pl_spline36": ("nv12", "libplacebo", "libplacebo=w=528:h=432:upscaler=spline36:format=yuv420p"),
    "vk_hflip": ("yuv420p", "hflip_vulkan", "hflip_vulkan"),
    "vk_scale_bilinear": ("nv12", "scale_vulkan", "scale_vulkan=w=704:h=576"),
    "vk_scale_nearest": ("nv12", "scale_vulkan", "scale_vulkan=w=500:h=200:scaler=nearest"),
}
"""Pixel format of the frames, the filter a binary must have, and the filter of each case."""


def lavapipe_ms(case: str, folder: Path) -> float:
    """CPU milliseconds for the two frames of a case; nan where it is none of Vulkan's or nothing can run it."""
    source = folder / "inputs" / f"prog_352x288_{_JOBS[case][0]}.raw.gz" if case in _JOBS else None
    if source is None or not (_DRIVER.exists() and source.exists()):
        return float("nan")
    form, needed, job = _JOBS[case]
    binary = ffmpeg_with(needed)
    if binary is None:
        return float("nan")
    frame = gzip.decompress(source.read_bytes())[: _SIZE[0] * _SIZE[1] * 3 // 2]
    output = "yuv420p" if case == "pl_spline36" else form
    chain = f"format={form},hwupload,{job},hwdownload,format={output}"
    with patch.dict(os.environ, VK_ICD_FILENAMES=str(_DRIVER), LP_NUM_THREADS="0"):
        try:
            of_frame = binary_cpu_ms(
                binary, frame, chain, _FRAMES, form=(form, *_SIZE), options=["-init_hw_device", "vulkan"]
            )
        except subprocess.CalledProcessError:  # the binary has no Vulkan device
            return float("nan")
    return _FRAMES_OF_A_CASE * of_frame
