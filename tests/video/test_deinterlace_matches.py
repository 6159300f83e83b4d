"""Fields of one picture are woven, and still pictures stand, in `deinterlace=hq`: the kernels equal the oracle."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from oracle.field_matches import OWN, REFERENCE, RESTS, STILL, Verdicts, verdicts, with_matches
from support.filter_cases import sweep
from support.frames import samples_of
from support.interlaced import CONTENTS, DRIVER, fill, frame_pair

import texsamp as ts
from texsamp.device import get_device
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.launches import deinterlace_fields
from texsamp.video.deinterlace.matches import Matches, find_matches
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame

LAYOUTS = ("gray", "yuv420p", "nv12", "yuyv422", "p010le", "yuv422p10le")


def one_picture(rng, c: Frame, r: Frame, parity: int) -> None:
    """The lines a field lacks become its own ones, in its frame or in the reference; the left third stands still."""
    luma, still = samples_of(c, "Y"), c.width_px // 3
    fill(r, "Y", np.hstack([luma[:, :still], samples_of(r, "Y")[:, still:]]))
    other = c if rng.random() < 0.5 else r
    target = samples_of(other, "Y").copy()
    lines = min(len(target[1 - parity :: 2]), len(luma[parity::2]))
    target[1 - parity :: 2, still:][:lines] = luma[parity::2, still:][:lines]
    fill(other, "Y", target)


def check(rng, layout, width, height, content, together=False) -> set[int]:
    """Both fields of a pair with random runs before; which verdicts there were."""
    r, c = frame_pair(rng, layout, width, height, content)
    parity, device, bits = int(rng.integers(0, 2)), get_device("cpu"), c.layout.bits
    if together and height > 1:
        one_picture(rng, c, r, parity)
    motion = StatisticsSurface.after_first_frame(device, width, height)
    fields = [Field(a, n, b, motion, long_filters=True) for a, n, b in ((c, parity, r), (r, 1 - parity, c))]
    shape = -(-height // 8), -(-width // 8)
    held = rng.integers(-3, 4, shape) if rng.random() < 0.5 else np.full(shape, rng.integers(-3, 4))
    held = np.where(rng.random(shape) < rng.choice([0.3, 1]), held, 0).astype("i1")
    said = np.where(rng.random(shape) < rng.choice([0.3, 1]), RESTS, 0).astype("u1")
    before = {parity: Matches(device.upload(said), device.upload(held), device.empty((1,), "<u4"))}
    plain = deinterlace_fields(fields, DRIVER)
    found = find_matches(fields, before)
    fields = [replace(field, matches=found[field.parity]) for field in fields]
    seen: set[int] = set()
    for field, made, result in zip(fields, plain, deinterlace_fields(fields, DRIVER), strict=True):
        mine, theirs = samples_of(field.current, "Y"), samples_of(field.reference, "Y")
        known = Verdicts(said, held, 0) if field.parity == parity else None
        expected = verdicts(mine, theirs, field.parity, known, bits)
        assert np.array_equal(found[field.parity].verdict, expected.verdict)
        assert np.array_equal(found[field.parity].runs, expected.runs)
        assert found[field.parity].noise[0] == expected.noise
        seen |= set(expected.verdict.ravel().tolist())
        sub = made.layout.log2_chroma_width, made.layout.log2_chroma_height
        for name in made.layout.components:
            frames = [samples_of(frame, name) for frame in (made, field.current, field.reference)]
            whole = with_matches(*frames, field.parity, expected, (0, 0) if name == "Y" else sub, bits)
            wrong = np.argwhere(samples_of(result, name) != whole)
            assert not len(wrong), f"{name}: {len(wrong)} differ, first at {wrong[0]}"
    return seen


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_content(layout, content):
    rng = np.random.default_rng([len(content), LAYOUTS.index(layout)])
    for case in range(sweep(2)):
        width, height = (int(v) for v in rng.integers(1, 60, 2))
        check(rng, layout, width, height, content, bool(case % 2))


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1), (9, 9), (8, 8), (255, 17), (257, 16), (513, 25), (600, 9)])
def test_sizes(size):
    for layout in ("yuv420p", "gray10le"):
        check(np.random.default_rng(size), layout, *size, "noisy edges", True)


def test_every_verdict_is_met():
    rng = np.random.default_rng(6)
    seen = set().union(*(check(rng, "gray", 90, 70, "noisy edges", True) for _ in range(24)))
    assert {0, OWN, REFERENCE} <= seen
    assert any(value & STILL for value in seen)


def _interlaced(pictures: list[np.ndarray], first: int = 0) -> list[Frame]:
    """The top lines of one picture and the bottom lines of the next, from the ``first`` one on."""
    frames = []
    for top, bottom in zip(pictures[first::2], pictures[first + 1 :: 2], strict=False):
        luma = top.copy()
        luma[1::2] = bottom[1::2]
        frames.append(Frame.from_arrays("gray", [luma], luma.shape[1], luma.shape[0], "cpu", interlaced=True))
    return frames


def _deinterlaced(frames: list[Frame]) -> list[np.ndarray]:
    stage = ts.Deinterlace("hq", "field", parity="tff", scenecut="off")
    return [np.array(made.planes[0]) for made in ts.Pipeline([stage], "cpu")(frames)]


def _errors(pictures: list[np.ndarray], made: list[np.ndarray]) -> list[float]:
    return [float(np.mean((a.astype(float) - b) ** 2)) for a, b in zip(pictures, made, strict=False)]


def _texture(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    fine = rng.integers(0, 256, (height, width)).astype(float)
    for _ in range(2):  # as a camera sees it
        fine = (fine + np.roll(fine, 1, 0) + np.roll(fine, 1, 1) + np.roll(fine, 1, (0, 1))) / 4
    return fine.astype("u1")


@pytest.mark.parametrize("late", [0, 1])
def test_a_pan_of_25_pictures_a_second_comes_out_whole(late):
    """Either phase, and the still band under it: after three pictures nearly all is exact."""
    world = _texture(np.random.default_rng(5), 96, 400)
    shown = [np.ascontiguousarray(world[:, 5 * n : 5 * n + 160]) for n in range(12)]
    for picture in shown:
        picture[64:] = world[64:, :160]
    pictures = [shown[n // 2] for n in range(late, 24)]
    made = _deinterlaced(_interlaced(pictures))
    assert len(made) == 22 + 2 * (not late)
    late_ones = _errors(pictures, made)[8:-2]
    assert np.mean(late_ones) < 1.5
    plain = ts.Deinterlace("madi", "field", parity="tff", scenecut="off")
    other = [np.array(m.planes[0]) for m in ts.Pipeline([plain], "cpu")(_interlaced(pictures))]
    assert np.mean(_errors(pictures, other)[8:-2]) > 50


def test_a_still_picture_stands_at_once_and_through_noise():
    """From the first field on; with noise it is the mean of two, no worse than the noise."""
    rng = np.random.default_rng(7)
    world = _texture(rng, 64, 96)
    assert max(_errors([world] * 10, _deinterlaced(_interlaced([world] * 10)))) == 0
    noisy = [np.clip(np.rint(world + rng.normal(0, 1, world.shape)), 0, 255).astype("u1") for _ in range(12)]
    assert max(_errors([world] * 12, _deinterlaced(_interlaced(noisy)))) < 1.2


def test_a_still_picture_stands_from_the_first_field_after_a_cut_on():
    """It is made when the next frame has come, in its turn; that of a frame with no next one at the end."""
    worlds = [_texture(np.random.default_rng(seed), 64, 96) for seed in (1, 2)]
    pictures = [worlds[0]] * 6 + [worlds[1]] * 6
    frames = [replace(f, pts=n, duration=1) for n, f in enumerate(_interlaced(pictures))]
    pipeline = ts.Pipeline([ts.Deinterlace("hq", "field", parity="tff")], "cpu")
    made = list(pipeline(frames))
    assert [frame.pts for frame in made] == list(range(12))
    assert max(_errors(pictures, [np.array(frame.planes[0]) for frame in made])) == 0
    alone = list(pipeline(frames[:1]))
    assert [frame.pts for frame in alone] == [0, 1]
    assert min(_errors(pictures, [np.array(frame.planes[0]) for frame in alone])) > 0


def test_what_combs_is_woven_by_how_many_have_matched_before():
    """A field beside it that differs by noise: as the oracle says, with few runs before and with many."""
    rng, device, shape = np.random.default_rng(9), get_device("cpu"), (12, 16)
    woven = []
    for _ in range(sweep(24)):
        c, r = (Frame.empty("gray", 128, 96, "cpu") for _ in range(2))
        own, moved = _texture(rng, 97, 128).astype(int), _texture(rng, 97, 128)
        near = np.clip(own[1:] + rng.normal(0, rng.uniform(2, 30), (96, 1)), 0, 255)
        lines, way = np.arange(96)[:, None] % 2 == 1, int(rng.choice([-1, 1]))
        fill(c, "Y", np.where(lines, moved[:96] if way < 0 else near, own[:96]))
        fill(r, "Y", np.where(lines, near if way < 0 else moved[:96], moved[1:]))
        held = np.where(rng.random(shape) < rng.choice([0.05, 0.2, 0.5]), way, 0).astype("i1")
        said = np.zeros(shape, "u1")
        before = {0: Matches(device.upload(said), device.upload(held), device.empty((1,), "<u4"))}
        found = find_matches([Field(c, 0, r)], before)[0]
        expected = verdicts(samples_of(c, "Y"), samples_of(r, "Y"), 0, Verdicts(said, held, 0))
        assert np.array_equal(found.verdict, expected.verdict)
        woven.append(float(np.mean(expected.verdict[expected.runs * way > 0] & (OWN | REFERENCE) > 0)))
    assert min(woven) < 0.2
    assert max(woven) > 0.8


def _with_noise(world: np.ndarray, sigma: float, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(int(10 * sigma))
    return [np.clip(np.rint(world + rng.normal(0, sigma, world.shape)), 0, 255).astype("u1") for _ in range(count)]


@pytest.mark.parametrize("sigma", [1.0, 2.5, 5.0])
def test_sharp_detail_under_noise_stands_at_once(sigma):
    """From the second field on, as the mean of two: half the noise of its own field's lines, and nothing resolves."""
    world = np.kron(_texture(np.random.default_rng(4), 24, 40), np.ones((1, 4))).repeat(3, 0)
    world[:, 80:] = 120  # beside something calm, by which the noise is told
    noisy = _with_noise(world, sigma, 10)
    errors = _errors([world] * 10, _deinterlaced(_interlaced(noisy)))[1:]
    assert max(errors) < sigma**2


def test_lights_that_change_are_no_rhythm():
    """A still picture whose light changes from field to field is not taken for two fields of one picture."""
    world = _texture(np.random.default_rng(8), 64, 96) / 2 + 60
    pictures = [np.rint(world * (1 + 0.2 * np.sin(1.3 * n))).astype("u1") for n in range(20)]
    frames = _interlaced(pictures)
    before: dict[int, Matches] = {}
    for last, coming in itertools.pairwise(frames):
        fields = [Field(last, 1, coming), Field(coming, 0, last)]
        before = find_matches(fields, before)
        for found in before.values():
            assert not (found.verdict & (OWN | REFERENCE)).any()


@pytest.mark.parametrize("late", [0, 1])
def test_something_small_that_goes_by_uneven_steps_is_not_of_two_fields(late):
    """By five lines, then one: two of its fields differ less than the next two, but are not of one picture."""
    woven = 0
    for seed in range(6):
        world = _texture(np.random.default_rng(seed), 80, 120) // 2 + 60
        patch, pictures = _texture(np.random.default_rng(seed + 100), 80, 16) // 2 + 80, []
        for n in range(late, 20 + late):
            picture, at = world.copy(), (5 * (n // 2 + n % 2) + n // 2) % 60
            picture[32:48, 48:64] = patch[at : at + 16]
            pictures.append(picture)
        before: dict[int, Matches] = {}
        for last, coming in itertools.pairwise(_interlaced(pictures)):
            before = find_matches([Field(last, 1, coming), Field(coming, 0, last)], before)
            woven += sum(int(np.count_nonzero(found.verdict & (OWN | REFERENCE))) for found in before.values())
    assert not woven


def test_detail_beside_what_moves_stands_at_once():
    """A patch that changes wildly costs what stands a few pixels away nothing, from the second field on."""
    world = _texture(np.random.default_rng(11), 80, 120)
    rng, pictures = np.random.default_rng(12), []
    for _ in range(8):
        picture = world.copy()
        picture[32:48, 40:60] = rng.integers(0, 256, (16, 20))
        pictures.append(picture)
    away = np.ones(world.shape, bool)
    away[26:54, 37:63] = False
    for picture, made in zip(pictures[1:], _deinterlaced(_interlaced(pictures))[1:], strict=True):
        assert np.array_equal(made[away], picture[away])


def _shaken(seed: int, count: int) -> list[np.ndarray]:
    """A texture that is soft, in a camera that goes a few pixels aside from field to field."""
    rng = np.random.default_rng(seed)
    world = sum(_texture(rng, 260 // size, 320 // size).repeat(size, 0).repeat(size, 1) / 2 for size in (4, 10))
    for _ in range(5):
        world = (world + np.roll(world, 1, 0) + np.roll(world, 1, 1) + np.roll(world, 1, (0, 1))) / 4
    x, y = (np.cumsum(rng.normal(0, 2.3, count)).round().astype(int) % 60 for _ in range(2))
    return [np.rint(world[v : v + 160, h : h + 240]).astype("u1") for h, v in zip(x, y, strict=True)]


@pytest.mark.parametrize("seed", [2, 3])
def test_a_camera_that_shakes_is_no_film_of_25_pictures(seed):
    """By chance fields beside each other agree now and then; in a row of pairs that begins no rhythm."""
    pictures = _shaken(seed, 48)
    assert max(_errors(pictures, _deinterlaced(_interlaced(pictures)))) < 4


def test_what_is_gone_for_one_field_does_not_stand():
    """Bars of segments that jump up and down: the lines before and after agree, and the field shows something else."""
    rng, pictures = np.random.default_rng(3), []
    for _ in range(40):
        picture = np.full((96, 160), 16, np.uint8)
        for bar, lit in enumerate(rng.integers(0, 8, 20)):
            for segment in range(lit):
                picture[92 - 12 * segment - 9 : 92 - 12 * segment, 8 * bar + 1 : 8 * bar + 7] = 200
        pictures.append(picture)
    made = _deinterlaced(_interlaced(pictures))
    hidden = [np.mean((a.astype(float) - b)[20:] ** 2) for a, b in zip(pictures, made, strict=True)]
    assert np.mean(hidden) < 700
