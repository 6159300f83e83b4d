"""Denoise and deinterlace side by side are two calls, as drivers make them; one call of both has a window."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from oracle.deinterlace import DiState, deinterlace_luma, missing_lines
from support.frames import random_frame, samples_of
from support.interlaced import fill, random_parameters, random_statistics

from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.presets import preset
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.deinterlace.call import run_call
from texsamp.video.deinterlace.launches import measure_motion
from texsamp.video.deinterlace.parameters import DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
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
@pytest.mark.parametrize(("layout", "size"), [("nv12", (64, 32)), ("yuyv422", (50, 23)), ("yuv420p", (129, 21))])
def test_filters_side_by_side_are_two_messages(layout, size, top_first, mcdi):
    state = STATE.replace(top_first=top_first, mcdi_enable=mcdi)
    frames = clip(layout, *size, top_first)
    denoise = Denoise(settings=DenoiseParameters.from_state(state), chroma="off", scenecut="off")
    deinterlace = Deinterlace("mcdi" if mcdi else "madi", "field", state=state, scenecut="off")
    reference = stored = None
    changed = static = 0
    for frame in frames:
        (denoised,) = denoise.feed(frame)
        made = list(deinterlace.feed(denoised))
        now = state.replace(first_frame=reference is None)
        cleaned = run_call(now.replace(di_enable=False), frame, reference, stored)
        call = run_call(now.replace(dn_enable=False), cleaned.denoised, reference, stored)
        fields = [(call.second, int(top_first)), (call.first, int(not top_first))]
        expected = [(cleaned.denoised, None), *(each for each in fields if each[0] is not None)]
        for ours, (theirs, parity) in zip([denoised, *made], expected, strict=True):
            for name in frame.layout.components:
                lines = samples_of(theirs, name)
                if name != "Y" and parity is not None and frame.layout.log2_chroma_height:
                    lines = lines[parity::2]  # those of the field; the message also has the lines between them
                assert np.array_equal(samples_of(ours, name)[: len(lines)], lines), name
        surface = deinterlace.surface
        assert np.array_equal(surface.stmm, call.statistics.stmm)
        assert np.array_equal(surface.denoise_history, cleaned.statistics.denoise_history)
        changed += int((samples_of(denoised, "Y") != samples_of(frame, "Y")).sum())
        static += int((surface.denoise_history >= 128).sum())
        reference, stored = cleaned.denoised, surface  # what the filters leave is what the next call reads
    assert changed
    assert static


@pytest.mark.parametrize("top_first", [False, True])
def test_one_message_measures_motion_with_denoised_lines_near_its_block_alone(top_first):
    """Seed 003:1016: noise in one line of the frame as it came is seen from the blocks whose window it lies beyond."""
    height, parity = 40, int(not top_first)
    first, last = (-2, 6) if top_first else (-3, 5)
    frames = clip("gray", 64, height, top_first)[:2]
    by_line = frames if top_first else frames[::-1]
    current, stored = frames[1], StatisticsSurface.after_first_frame(frames[0].device, 64, height)
    parameters = DeinterlaceParameters.from_state(STATE)

    def stmm(noisy):
        written = StatisticsSurface.empty(current.device, 64, height)
        current.device.launch(measure_motion(tuple(by_line), (0, 1), parameters, stored, written, noisy))
        return written.stmm.copy()

    clean = stmm(None)
    assert np.array_equal(stmm((current, 1 - parity)), clean)
    for line in range(12, 28):
        noisy = current.like(64, height, [plane.copy() for plane in current.planes])
        noisy.planes[0][line] ^= 255
        seen = np.flatnonzero((stmm((noisy, 1 - parity)) != clean).any(axis=1))
        measured = [y for y in range(height) if (y - parity) & 1 and line - y in (-4, -3, -2, -1, 0, 1, 2, 3, 4)]
        assert list(seen) == [y for y in measured if not first <= line - y // 4 * 4 <= last], line


@pytest.mark.parametrize("layout", ["gray", "yuyv422", "yuv420p10le"])
@pytest.mark.parametrize("top_first", [False, True])
def test_the_window_is_that_of_the_oracle(layout, top_first):
    rng = np.random.default_rng([len(layout), top_first])
    parity = int(not top_first)
    for width, height in ((1, 1), (2, 3), (3, 2), (17, 5), (57, 37), (255, 34)):
        current, reference, noisy = (random_frame(rng, layout, width, height) for _ in range(3))
        stored, parameters = random_statistics(rng, current), random_parameters(rng)
        written = StatisticsSurface.empty(current.device, width, height)
        by_line = (current, reference) if parity else (reference, current)
        current.device.launch(measure_motion(by_line, (0, 1), parameters, stored, written, (noisy, 1 - parity)))
        for field, c, r, before in ((parity, current, reference, noisy), (1 - parity, reference, current, None)):
            lines = missing_lines(field, height)
            if not len(lines):
                continue
            expected = deinterlace_luma(
                samples_of(c, "Y"),
                samples_of(r, "Y"),
                field,
                DiState(**asdict(parameters)),
                stored.stmm[lines],
                current.layout.bits,
                None if before is None else samples_of(before, "Y"),
            )
            assert np.array_equal(written.stmm[lines], expected.stmm2), (width, height, field)


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
