"""What a field's own lines tell better than anything else (modes hq and best): the kernels are the oracle's."""

from dataclasses import replace

import numpy as np
import pytest
from oracle.smooth_lines import smoothed
from support.frames import samples_of
from video.test_deinterlace_vectors import DEPTHS, errors, frame_with, made_of, soft_texture

from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.field_guides import FieldGuides
from texsamp.video.deinterlace.field_vectors import SMOOTH_TILES, FieldVectors
from texsamp.video.frame import Frame


def soft(height, width, bits):
    """Slopes of any steepness, some of them of one level a line, and a part that is sharp."""
    rng = np.random.default_rng([height, width])
    picture = soft_texture(height, width, 13) * 2 ** (bits - 8)
    sharp = slice(0, min(16, height)), slice(0, width // 3)
    picture[sharp] = rng.integers(0, 2**bits, picture[sharp].shape)
    return picture


def smooth(field, target, vectors, noise=None):
    """The frame of a field, made anew where it should be."""
    device = target.device
    given = zip(vectors, ("i1", "i1", "i1", "<u2"), strict=True)
    found = FieldVectors(
        *(device.upload(np.asarray(values).astype(kind)) for values, kind in given),
        device.upload(np.zeros(4, "<i4")),
        (FieldGuides.of(field.current), FieldGuides.of(field.needed_reference("motions"))),
    )
    for launch in found.smoothed(field, target, None if noise is None else device.upload(np.array([noise], "<u4"))):
        device.launch(launch)
    return samples_of(target, "Y")


def given_vectors(rng, height, width, parity):
    """Some of them 0 that cost little."""
    shape = -(-((height + parity) // 2) // 4), -(-width // 16)
    values = (0, 0, 0, -67, 3), (0, 0, 0, -1, 19), (0, 2), (0, 63, 64, 65, 300, 65535)
    return np.array([rng.choice(v, shape) for v in values])


@pytest.mark.parametrize("parity", [0, 1])
@pytest.mark.parametrize("name", DEPTHS)
@pytest.mark.parametrize("size", [(1, 1), (9, 3), (40, 26), (33, 63), (50, 100)])
def test_the_kernels_are_the_oracle(name, size, parity):
    rng, bits, (width, height) = np.random.default_rng([*size, parity]), DEPTHS[name], size
    if height + parity < 2:
        return
    c = soft(height, width, bits)
    made = (c + rng.normal(0, 3 * 2 ** (bits - 8), c.shape)).round().astype(np.int64).clip(0, 2**bits - 1)
    field, vectors = Field(frame_with(c, name), parity, frame_with(c, name)), given_vectors(rng, height, width, parity)
    expected, noisy = (smoothed(c, parity, made, vectors, bits, noise) for noise in (0, 4))
    assert np.array_equal(smooth(field, frame_with(made, name), vectors), expected)
    assert np.array_equal(smooth(field, frame_with(made, name), vectors, 4), noisy)
    kept = made[1 - parity :: 2] == expected[1 - parity :: 2]
    assert height < 30 or (kept.any() and not kept.all())


@pytest.mark.parametrize("level", [level for level in supported_levels() if library_path(level)])
@pytest.mark.parametrize("more", [0, 1, 17, 31])
def test_widths_beyond_tiles_and_strips_at_every_level(level, more):
    rng, width, height = np.random.default_rng(5), SMOOTH_TILES["host"][0] + more, 8 * SMOOTH_TILES["host"][1] + 22
    c = soft(height, width, 8)
    made = (c + rng.normal(0, 3, c.shape)).round().astype(np.int64).clip(0, 255)
    vectors = given_vectors(rng, height, width, 1)
    vectors[:2, :, 6:9], vectors[3, :, 6:9] = 0, 0  # nothing is asked of whole columns of blocks
    device = CpuDevice(level)
    frames = [Frame.from_arrays("gray", [values.astype("u1")], width, height, device) for values in (c, c, made)]
    assert np.array_equal(smooth(Field(frames[0], 1, frames[1]), frames[2], vectors), smoothed(c, 1, made, vectors))


@pytest.mark.parametrize(("steep", "taken"), [(0, True), (6, False)])
def test_only_what_follows_from_the_lines_around_is_made_anew(steep, taken):
    """Where the field's own lines are farther from what follows than what was made is, that stays."""
    lines = np.arange(48)[:, None]
    c = np.broadcast_to(60 + 2 * lines + steep * (lines // 2 % 2) * 2, (48, 64))
    made = c.copy()
    made[1::2] += 3
    vectors = np.zeros((4, 6, 4), int)
    vectors[0] = 4
    field = Field(frame_with(c, "gray"), 0, frame_with(c, "gray"))
    changed = (smooth(field, frame_with(made, "gray"), vectors) != made)[1::2].any(1)
    assert changed.tolist() == [taken and k < 23 for k in range(24)]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_soft_picture_that_shakes_is_as_good_as_its_own_lines(seed, monkeypatch):
    """Waves of 20 pixels and more: fields of other places, woven or along vectors, are levels beside the truth."""
    rng, (y, x) = np.random.default_rng(seed), np.mgrid[:160, :320]
    waves = zip(rng.uniform(0, 2 * np.pi, 4), rng.uniform(20, 40, 4), strict=True)
    world = 128 + sum(30 * np.sin((x * np.cos(a) + y * np.sin(a)) * 2 * np.pi / period + a) for a, period in waves)
    world = np.rint(world).clip(0, 255).astype(np.int64)
    across, down = (np.cumsum(rng.normal(*by, 10)).astype(int) + 24 for by in ((3, 3), (0, 2)))
    pictures = [world[top:][:64, left:][:, :160] for left, top in zip(across, down, strict=True)]
    with_it, launches = errors(pictures, "hq"), FieldVectors.smoothed
    calm = lambda self, *given: launches(replace(self, x=self.x * 0, y=self.y * 0, cost=self.cost * 0), *given)  # noqa: E731
    monkeypatch.setattr(FieldVectors, "smoothed", calm)
    assert with_it < 0.2 * errors(pictures, "hq")
    monkeypatch.undo()
    assert with_it < 1.1 * errors(pictures, "madi")


def test_fine_detail_that_stands_under_noise_is_mostly_left_alone():
    """It costs as what moves does, and each field is even. Blocks for which noise finds a vector are made anew."""
    rng, (y, x) = np.random.default_rng(1), np.mgrid[80:144, -80:80]
    rings = 126 + 15 * np.cos(np.pi * (x * x + y * y) / 288)
    pictures = [np.rint(rings + rng.normal(0, 2, rings.shape)).astype(int) for _ in range(10)]
    assert errors(pictures, "hq") < 3 * errors(pictures, "madi")


@pytest.mark.parametrize("unit", [1, 2])
def test_edges_upright_of_bars_that_roll_are_whole(unit):
    """By steps of 2 and 3 pixels, or of 4 and 6, both fields agree on a place beside, while lines are all alike."""
    levels = np.repeat(np.random.default_rng(1).integers(20, 236, 12), 40)
    pictures = [np.tile(levels[5 * n // 2 * unit :][:160], (64, 1)) for n in range(10)]
    made = [samples_of(frame, "Y") for frame in made_of(pictures, "hq")]
    assert all(
        np.array_equal(a[1:-1, 20:-20], b[1:-1, 20:-20]) for a, b in zip(pictures[2:-2], made[2:-2], strict=True)
    )


@pytest.mark.parametrize("name", ["gray", "p010le"])
def test_a_line_that_only_the_other_fields_have_stays(name):
    """Far from what lies around, but by itself: what was made counts up to a limit."""
    scale = 1 << (DEPTHS[name] - 8)
    c = np.broadcast_to(60 + 3 * (np.arange(64)[:, None] // 2 % 2), (64, 64)) * scale
    vectors = np.zeros((4, 8, 4), int)
    vectors[0] = 4
    field, (line, noise) = Field(frame_with(c, name), 0, frame_with(c, name)), (c.copy() for _ in range(2))
    line[33] = 200 * scale
    noise[1::2] += 20 * scale
    assert np.array_equal(smooth(field, frame_with(line, name), vectors), line)
    assert not np.array_equal(smooth(field, frame_with(noise, name), vectors), noise)


def test_soft_detail_of_any_contrast_that_sways_is_as_its_own_lines_tell():
    """Waves of 20 lines and more, that bend from field to field: no vector of a block is right."""
    y, x = np.mgrid[:96, :160]
    pictures = []
    for n in range(12):
        bent = x + 9 * np.sin(0.7 * n + x / 40) * np.cos(y / 30)
        waves = 45 * np.sin(bent / 1.3 + 1.7 * np.sin(y / 25)) * np.sin(y * 2 * np.pi / 24 + bent / 5)
        pictures.append(np.rint(128 + waves).astype(np.int64))
    assert errors(pictures, "hq") < 0.5 * errors(pictures, "madi")
