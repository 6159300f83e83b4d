"""Denoise and deinterlace side by side are the hardware's one call: same pictures, same statistics surface."""

from dataclasses import replace

import numpy as np
import pytest
from support.frames import random_frame, samples_of
from support.interlaced import fill

from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.presets import preset
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.deinterlace.call import run_call
from texsamp.video.denoise import Denoise, DenoiseParameters
from texsamp.video.frame import Frame

FIELDS = {
    "dn_enable": True, "di_enable": True, "progressive_dn": False, "stad_threshold": 200,
    "fmd_first_field": 0, "fmd_second_field": 0,
}  # fmt: skip
STATE = preset(DeinterlaceSamplerState, "i965-dn", **FIELDS)


def clip(layout: str, width: int, height: int, top_first: bool) -> list[Frame]:
    """A texture of which one half stands still and the other moves, both under noise."""
    rng = np.random.default_rng([width, height, top_first])
    texture = rng.integers(60, 200, (height, 2 * width))
    texture = (texture + np.roll(texture, 1, 1) + np.roll(texture, 2, 1)) // 3
    frames = []
    for number in range(5):
        frame = random_frame(rng, layout, width, height)
        luma = texture[:, :width].copy()
        luma[:, : width // 2] = texture[:, 4 * number : 4 * number + width // 2]
        fill(frame, "Y", np.clip(luma + rng.integers(-3, 4, luma.shape), 0, 255))
        frames.append(replace(frame, pts=number, interlaced=True, top_field_first=top_first))
    return frames


@pytest.mark.parametrize("mcdi", [False, True])
@pytest.mark.parametrize("top_first", [False, True])
@pytest.mark.parametrize(("layout", "size"), [("nv12", (64, 32)), ("yuyv422", (50, 23)), ("yuv420p", (129, 20))])
def test_filters_side_by_side_are_one_message(layout, size, top_first, mcdi):
    state = STATE.replace(top_first=top_first, mcdi_enable=mcdi)
    frames = clip(layout, *size, top_first)
    denoise = Denoise(settings=DenoiseParameters.from_state(state), chroma="off", scenecut="off")
    deinterlace = Deinterlace("mcdi" if mcdi else "madi", "field", state=state, scenecut="off")
    reference = stored = None
    changed = static = 0
    for frame in frames:
        (denoised,) = denoise.feed(frame)
        made = list(deinterlace.feed(denoised))
        call = run_call(state.replace(first_frame=reference is None), frame, reference, stored)
        expected = [each for each in (call.second, call.first) if each is not None]
        for ours, theirs in zip([denoised, *made], [call.denoised, *expected], strict=True):
            assert all(np.array_equal(samples_of(ours, n), samples_of(theirs, n)) for n in frame.layout.components)
        surface = deinterlace.surface
        assert np.array_equal(surface.stmm, call.statistics.stmm)
        assert np.array_equal(surface.denoise_history, call.statistics.denoise_history)
        changed += int((samples_of(denoised, "Y") != samples_of(frame, "Y")).sum())
        static += int((surface.denoise_history >= 128).sum())
        reference, stored = call.denoised, surface  # what the filters leave is what the next call reads
    assert changed
    assert static


def test_the_history_belongs_to_its_own_pixels():
    frames = clip("nv12", 64, 32, True)
    denoise, deinterlace = Denoise(settings=DenoiseParameters.from_state(STATE)), Deinterlace("madi", "field")
    for frame in frames:
        (denoised,) = denoise.feed(frame)
        cropped = denoised.like(64, 32, denoised.planes)
        list(deinterlace.feed(cropped))
    assert denoised.denoise_history.any()
    assert cropped.denoise_history is None
    assert not deinterlace.surface.denoise_history.any()
