"""The denoise kernels equal the oracle to the last bit."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from oracle.denoise import DnState, block_noise, denoise, denoise_chroma, frame_noise, second_differences
from support.filter_cases import PATTERNS, nothing_else_written, padded_plane, picture, sweep
from support.frames import random_frame, samples_of
from support.interlaced import fill

from texsamp.device import get_device
from texsamp.errors import StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.presets import preset
from texsamp.video.denoise import launches
from texsamp.video.denoise.automatic import automatic_parameters
from texsamp.video.denoise.launches import Before, denoise_plane, history_shape
from texsamp.video.denoise.levels import level_parameters
from texsamp.video.denoise.measure import noise_sums
from texsamp.video.denoise.parameters import DenoiseParameters, NoiseThresholds
from texsamp.video.samples import Samples

CPU = get_device("cpu")
DRIVER = DenoiseParameters.from_state(preset(DeinterlaceSamplerState, "ihd"))
LAYOUTS = ("gray", "gray10le", "nv12", "yuyv422", "p010le")


def random_parameters(rng: np.random.Generator) -> DenoiseParameters:
    """Any legal state, fields often at an end of their range."""

    def any_of(top: int) -> int:
        return int(rng.choice([0, top, rng.integers(0, top + 1), rng.integers(0, top // 4 + 1)]))

    width = int(rng.integers(1, 17))
    low = any_of(63 - width)
    both_zero = rng.random() < 0.1
    return DenoiseParameters(
        stad_th=any_of(255),
        mp_th=any_of(16),
        tasd_th=any_of(63),
        scm_th=any_of(255),
        history_max=int(rng.choice([128, 240, rng.integers(128, 241)])),
        delta=any_of(15),
        th=0 if both_zero else low + width,
        low=0 if both_zero else low,
        gn_th=any_of(63),
        even=bool(rng.random() < 0.3),
    )


def oracle_state(parameters: DenoiseParameters, bits: int, progressive: bool) -> DnState:
    fields = asdict(parameters)
    changes = {"progressive": progressive, "bits": bits}
    if fields.pop("even"):
        shift = 11 if bits == 8 else 16
        changes |= {"gn_q": tuple(-(-(1 << shift) // n) for n in range(1, 10)), "gn_shift": shift}
    return DnState(**fields, **changes)


def successive(rng, layout, width, height, content):
    """Two frames in a row whose blocks change a little, a lot, or not at all."""
    first, second = (random_frame(rng, layout, width, height) for _ in range(2))
    for name, part in first.layout.components.items():
        columns, rows = first.layout.component_size(name, width, height)
        top = (1 << part.bits) - 1
        old, new = (PATTERNS[content](rng, rows, columns, top).astype(np.int64) for _ in range(2))
        change = np.repeat(np.repeat(rng.integers(0, 4, (rows // 5 + 1, columns // 5 + 1)), 5, 0), 5, 1)
        change = change[:rows, :columns]
        little = np.clip(old + rng.integers(-(top // 20), top // 20 + 1, old.shape), 0, top)
        drift = np.clip(old + top // 50, 0, top)
        fill(first, name, old)
        fill(second, name, np.select([change == 0, change == 1, change == 2], [old, little, drift], new))
    return first, second


def check(rng, layout, width, height, content, parameters, progressive, component="Y", first=False):
    """One component of one frame, filtered as luma and as chroma: pictures, histories, statistics, nothing else."""
    previous, current = successive(rng, layout, width, height, content)
    source = Samples.of(current, component)
    stored = rng.integers(0, 256, history_shape(source)).astype("u1")
    before = None if first else Before(Samples.of(previous, component), stored)
    state = oracle_state(parameters, source.bits, progressive)
    c, p = samples_of(current, component), None if first else samples_of(previous, component)
    expected, filtered = denoise(c, p, stored, state), denoise_chroma(c, p, stored, state)
    kept = [plane.copy() for plane in (*previous.planes, *current.planes, stored)]
    for kind, counted in (("luma", True), ("chroma", True), ("luma", False), ("chroma", False)):
        out = random_frame(rng, layout, width, height)
        target = Samples.of(out, component)
        rows, columns = stored.shape
        history = padded_plane(rng, rows, columns, "u1")
        statistics = padded_plane(rng, rows, 5 * columns, "<u2")
        table = statistics if counted else None
        with nothing_else_written([out.component(component), history, statistics]):
            CPU.launch(denoise_plane(CPU, source, target, before, history, parameters, progressive, kind, table))
        if kind == "luma":
            assert not counted or np.array_equal(statistics.reshape(rows, columns, 5), expected.statistics), (
                "statistics"
            )
            made, new = expected.picture, expected.history
        else:
            made, new = filtered
        assert np.array_equal(history, new), f"history of {kind}"
        wrong = np.argwhere(samples_of(out, component) != made)
        assert not len(wrong), f"{kind}: {len(wrong)} differ, first at {wrong[0]}: {parameters}"
    after = (*previous.planes, *current.planes, stored)
    assert all(np.array_equal(a, b) for a, b in zip(kept, after, strict=True)), "an input was written"


@pytest.mark.parametrize("content", PATTERNS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_states_on_every_content(layout, content):
    rng = np.random.default_rng([len(content), LAYOUTS.index(layout)])
    for case in range(sweep(4)):
        width, height = int(rng.integers(1, 30 if case % 4 < 2 else 110)), int(rng.integers(1, 30))
        check(rng, layout, width, height, content, random_parameters(rng), bool(case % 2), first=rng.random() < 0.2)


@pytest.mark.parametrize("size", [(16, 4), (16, 8), (17, 5), (1, 1), (1, 2), (1, 3), (2, 1), (1, 9), (9, 1), (3, 3)])
@pytest.mark.parametrize("progressive", [True, False])
def test_small_sizes(size, progressive):
    rng = np.random.default_rng(size)
    for layout in LAYOUTS:
        for first in (False, True):
            check(rng, layout, *size, "random", random_parameters(rng), progressive, first=first)
            check(rng, layout, *size, "soft", replace(DRIVER, gn_th=16), progressive, first=first)


@pytest.mark.parametrize("width", [*range(15, 19), *range(31, 36), 47, 61, 63, 64, 65, 511, 512, 513])
@pytest.mark.parametrize("layout", ["gray", "p010le"])
def test_sizes_around_tile_borders(width, layout):
    rng = np.random.default_rng(width)
    for height in (7, 16, 17) if width < 100 else (6,):
        check(rng, layout, width, height, "soft", replace(DRIVER, gn_th=9), bool(height % 2))


@pytest.mark.parametrize("width", [2047, 2048, 2049, 2081])
def test_bytes_of_several_tiles(width):
    rng = np.random.default_rng(width)
    check(rng, "gray", width, 5, "soft", replace(DRIVER, gn_th=9), progressive=bool(width % 4))


@pytest.mark.parametrize("layout", ["nv12", "yuyv422", "yuv422p10le", "nv21"])
def test_chroma_samples_between_others(layout):
    rng = np.random.default_rng(len(layout))
    for component in ("U", "V"):
        for _ in range(sweep(2)):
            check(rng, layout, 21, 13, "soft", random_parameters(rng), False, component)


@pytest.mark.parametrize("distance", range(1, 17))
def test_every_blend_at_every_difference(distance):
    """White, black and all between, for each entry of q_table; 13 reaches past white and is clamped."""
    rng = np.random.default_rng(distance)
    for low in (0, 3, 63 - distance):
        parameters = replace(DRIVER, low=low, th=low + distance, stad_th=255, mp_th=16, gn_th=0)
        for top in (255, 200):
            c = top - rng.integers(0, 2, (16, 48)) * rng.integers(0, 2)
            p = np.clip(c - rng.integers(0, min(low + distance + 2, 15), c.shape), 0, 255)
            source, before = (Samples.plane(plane.astype("u1"), 8) for plane in (c, p))
            stored = rng.integers(0, 256, (4, 12)).astype("u1")
            out, history = np.empty((16, 48), "u1"), np.empty((4, 12), "u1")
            CPU.launch(
                denoise_plane(
                    CPU, source, Samples.plane(out, 8), Before(before, stored), history, parameters, progressive=True
                )
            )
            assert np.array_equal(out, denoise(c, p, stored, oracle_state(parameters, 8, True)).picture)


def test_every_history_and_every_way_it_changes():
    """All 256 stored bytes through static, drifting and moving blocks."""
    stored = np.arange(256).reshape(16, 16).astype("u1")
    rng = np.random.default_rng(6)
    c = rng.integers(100, 110, (64, 64))
    for change, moves in ((0, False), (3, False), (90, True)):
        parameters = replace(DRIVER, stad_th=200, mp_th=16, tasd_th=40, scm_th=255, history_max=200, delta=15)
        state = oracle_state(parameters, 8, True)
        p = c + change
        out, history = np.empty((64, 64), "u1"), np.empty((16, 16), "u1")
        source, before = (Samples.plane(plane.astype("u1"), 8) for plane in (c, p))
        launch = denoise_plane(
            CPU, source, Samples.plane(out, 8), Before(before, stored), history, parameters, progressive=True
        )
        CPU.launch(launch)
        expected = denoise(c, p, stored, state)
        assert np.array_equal(history, expected.history)
        assert np.array_equal(out, expected.picture)
        old = stored.astype(int)
        if moves:
            assert np.array_equal(history, np.where(old >= 128, old // 2, 0))
        elif change == 0:
            assert np.array_equal(history, np.where(old < 128, 128, np.where(old < 200, old + 15, old)))
        else:
            assert (history[:, :] == 128).any()


@pytest.mark.parametrize("level", range(1, 65))
def test_every_level(level):
    rng = np.random.default_rng(level)
    check(rng, "gray" if level % 2 else "gray10le", 53, 9, "soft", level_parameters(level), progressive=True)


@pytest.mark.parametrize("sigma", [0.9, 1, 1.5, 3, 8, 15, 25, 60])
def test_automatic_strengths(sigma):
    rng = np.random.default_rng(int(sigma * 10))
    for layout in ("gray", "gray10le"):
        check(rng, layout, 53, 18, "random", automatic_parameters(sigma), progressive=False)


# ---- noise ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (17, 5), (16, 8), (40, 21), (258, 18)])
def test_block_noise(layout, size):
    rng = np.random.default_rng(size)
    for content in ("soft", "random", "steps"):
        frame = random_frame(rng, layout, *size)
        bits = frame.layout.bits
        values = picture(rng, size[1], size[0], (1 << bits) - 1, content)
        if content == "soft":  # calm enough for blocks with and without estimates
            values = (1 << bits - 1) + np.rint(rng.normal(0, 4 << bits - 8, values.shape)).astype(int)
        fill(frame, "Y", values)
        for progressive, rows in ((True, 8), (False, 4)):
            thresholds = NoiseThresholds(int(rng.choice([1, 4, 15])), int(rng.choice([20, 31])))
            launch, blocks = launches.block_noise(CPU, Samples.of(frame, "Y"), thresholds, progressive, rows)
            CPU.launch(launch)
            state = DnState(edge_th=thresholds.edge_th, nn_th=thresholds.nn_th, progressive=progressive, bits=bits)
            expected = block_noise(values, state, rows)
            assert np.array_equal(blocks, expected)
            assert launches.frame_noise(CPU, blocks) == frame_noise(expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [(22, 22), (38, 28), (21, 50), (279, 38), (290, 44)])
def test_second_differences(layout, size):
    rng = np.random.default_rng(size)
    for content in ("random", "soft", "extremes", "checkerboard"):
        frame = random_frame(rng, layout, *size)
        top = frame.layout.max_value
        values = picture(rng, size[1], size[0], top, content)
        if content == "random":
            values = 1 + values % (top - 1)
            values[values.shape[0] // 2, 3] = top
        fill(frame, "Y", values)
        for progressive in (True, False):
            expected = second_differences(values, progressive, top)
            made = noise_sums(CPU, Samples.of(frame, "Y"), progressive)
            if made is None:
                assert not expected.size
                continue
            CPU.launch(made[0])
            assert np.array_equal(made[1], expected)


# ---- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("th", "low"), [(5, 5), (3, 4), (40, 20), (0, 1)])
def test_thresholds_that_do_not_fit(th, low):
    with pytest.raises(StateError, match=f"1 to 16 above the low one, or both 0, found {th} and {low}"):
        replace(DRIVER, th=th, low=low)


def test_planes_that_do_not_fit():
    small, large = (Samples.plane(np.zeros((4, n), "u1"), 8) for n in (4, 5))
    deep = Samples.plane(np.zeros((4, 4), "<u2"), 16)
    history = np.zeros((1, 1), "u1")
    with pytest.raises(StateError, match="found 4x4 of 8 bits to 5x4 of 8"):
        denoise_plane(CPU, small, large, None, history, DRIVER, progressive=True)
    with pytest.raises(StateError, match="8 bits in bytes, or of 10 bits in 16, found 16 bits in 16"):
        denoise_plane(CPU, deep, deep, None, history, DRIVER, progressive=True)


def test_parameters_are_the_fields_of_the_state():
    state = DeinterlaceSamplerState(
        stad_threshold=1, moving_pixel_threshold=2, asd_threshold=3, scm_threshold=4, max_history=130, history_delta=5,
        temporal_difference_threshold=20, low_temporal_difference_threshold=7, good_neighbor_threshold=6,
        bne_edge_threshold=8, bne_noise_threshold=9,
    )  # fmt: skip
    read = DenoiseParameters.from_state(state)
    assert asdict(read) == {
        "stad_th": 1, "mp_th": 2, "tasd_th": 3, "scm_th": 4, "history_max": 130, "delta": 5, "th": 20, "low": 7,
        "gn_th": 6, "even": False,
    }  # fmt: skip
    assert NoiseThresholds.from_state(state) == NoiseThresholds(8, 9)
