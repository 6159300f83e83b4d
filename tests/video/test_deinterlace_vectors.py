"""Motion between fields (modes hq and best): the kernels are the oracle's, and what moves evenly comes out whole."""

from dataclasses import replace

import numpy as np
import pytest
from oracle.field_shift import shift
from oracle.field_vectors import Search, compensated
from support.frames import random_frame, samples_of

import texsamp as ts
from texsamp.device import CpuDevice, get_device
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.field_guides import FieldGuides
from texsamp.video.deinterlace.field_vectors import VECTORED_TILES, WEIGHTS, FieldVectors, find_vectors
from texsamp.video.frame import Frame

DEPTHS = {"gray": 8, "uyvy422": 8, "p010le": 10, "yuv422p10le": 10}


def texture(rng, height, width, bits=8):
    """Soft noise with sharp boxes in it."""
    fine = rng.integers(0, 256, (height + 2, width + 2)).astype(float)
    soft = (fine[:-2, :-2] + fine[1:-1, 1:-1] + fine[2:, 2:] + fine[1:-1, :-2]) / 4
    for _ in range(height * width // 400):
        y, x = rng.integers(0, height), rng.integers(0, width)
        soft[y : y + 5, x : x + 7] = rng.integers(0, 256)
    return np.rint(soft * 2 ** (bits - 8)).astype(np.int64)


def frame_with(luma, name):
    """A frame of a layout with this luma; what lies beside it is random."""
    height, width = luma.shape
    frame = random_frame(np.random.default_rng(1), name, width, height)
    view = frame.component("Y")
    view[...] = (luma << frame.layout.components["Y"].shift).astype(view.dtype)
    return frame


def moving_pair(rng, width, height, bits, step):
    """Two frames whose four fields are views of a texture that moves by ``step`` (across, down) a field."""
    dx, dy = step
    world = texture(rng, height + 8 * abs(dy) + 8, width + 8 * abs(dx) + 8, bits)
    views = []
    for n in range(4):
        top, left = (n * d if d >= 0 else -(3 - n) * d for d in (dy, dx))
        views.append(world[top : top + height, left : left + width])
    frames = [views[0].copy(), views[2].copy()]
    for n, frame in enumerate(frames):
        frame[1::2] = views[2 * n + 1][1::2]
    return frames


def check(rng, name, lumas):
    """Both fields of a pair of frames; what was found."""
    bits, (height, width) = DEPTHS[name], lumas[0].shape
    frames = [frame_with(luma, name) for luma in lumas]
    fields = [Field(frames[0], 1, frames[1]), Field(frames[1], 0, frames[0])]
    found = find_vectors(fields)
    for field, (c, r) in zip(fields, (lumas, lumas[::-1]), strict=True):
        if height + field.parity < 2:
            assert field.parity not in found
            continue
        vectors = found[field.parity]
        search = Search(c, r, field.parity, bits)
        expected = search.found()
        assert tuple(vectors.shift) == search.shift
        for mine, theirs in zip(vectors.arrays, expected, strict=True):
            assert np.array_equal(mine, theirs)
        made = rng.integers(0, 2**bits, (height, width))
        target = frame_with(made, name)
        weights = tuple(int(v) for v in rng.integers(0, 9, len(WEIGHTS)))
        target.device.launch(replace(vectors, weights=weights).compensated(field, target))
        literal = compensated(c, r, field.parity, made, expected, weights, bits, shift=search.shift)
        assert np.array_equal(samples_of(target, "Y"), literal)
    return found


@pytest.mark.parametrize(
    ("name", "size", "step"),
    [
        ("gray", (40, 24), (3, 2)),
        ("gray", (33, 19), (-5, 1)),
        ("uyvy422", (22, 14), (1, -3)),
        ("p010le", (27, 17), (-2, 4)),
        ("yuv422p10le", (30, 10), (0, 0)),
        ("gray", (257, 18), (3, 1)),
    ],
)
def test_the_kernels_are_the_oracle(name, size, step):
    rng = np.random.default_rng([*size, *name.encode()])
    check(rng, name, moving_pair(rng, *size, DEPTHS[name], step))


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1), (9, 3), (5, 40)])
def test_sizes(size):
    rng = np.random.default_rng(size)
    check(rng, "gray", moving_pair(rng, *size, 8, (1, 1)))


@pytest.mark.parametrize("steps", [(0, 3, 6, 10), (0, -3, -6, -10), (0, 2, 5, 7), (5, 2, 0, 1)])
def test_the_kernels_are_the_oracle_where_a_field_is_not_in_the_middle(steps):
    world = soft_texture(26, 90)
    views = [world[:, 20 + step :][:, :60] for step in steps]
    lumas = [np.where(np.arange(26)[:, None] % 2 == 0, *views[n : n + 2]) for n in (0, 2)]
    found = check(np.random.default_rng(1), "gray", lumas)
    assert any((vectors.aside != 0).any() for vectors in found.values())


def shaken_pair(rng, width, height, steps, bits=8):
    """Two frames whose four fields are views of a texture from places (x, y) of each."""
    fine, coarse = (soft_texture(height + 40, width + 60, reach) for reach in (3, 9))
    world = (fine + coarse << bits - 8) // 2 + rng.integers(0, 2, fine.shape)
    views = [world[20 + y : 20 + y + height, 30 + x : 30 + x + width] for x, y in steps]
    return [np.where(np.arange(height)[:, None] % 2 == 0, *views[n : n + 2]) for n in (0, 2)]


SHAKEN = [(0, 0), (3, -2), (-2, 3), (4, -1)], [(2, 2), (-2, -2), (3, 1), (-1, -3)], [(-3, 0), (3, 3), (-2, -1), (4, 3)]


@pytest.mark.parametrize("steps", SHAKEN)
@pytest.mark.parametrize(
    ("name", "size"), [("gray", (240, 18)), ("p010le", (23, 197)), ("gray", (1060, 130)), ("gray", (170, 1062))]
)
def test_a_camera_that_shakes_is_the_oracles(name, size, steps):
    """Each field is seen from where it lies (83); pictures that are larger than what is summed, too."""
    rng = np.random.default_rng([*size, len(steps)])
    lumas = shaken_pair(rng, *size, steps, DEPTHS[name])
    if size[0] * size[1] > 20000:  # where it is, and no more: the oracle takes its time
        frames = [frame_with(luma, name) for luma in lumas]
        found = find_vectors([Field(frames[0], 1, frames[1]), Field(frames[1], 0, frames[0])])
        assert tuple(found[1].shift) == shift(*lumas, 1)
        assert tuple(found[0].shift) == shift(*lumas[::-1], 0)
    else:
        found = check(rng, name, lumas)
    assert any(vectors.shift.any() for vectors in found.values())


def test_a_shift_is_the_oracles_over_random_steps():
    """Of pictures of all sizes, of which some are too small to tell."""
    rng, some = np.random.default_rng(83), 0
    for _ in range(60):
        width, height = (int(v) for v in rng.integers(100, 360, 2))
        steps = rng.integers(-8, 9, (4, 2)).tolist()
        c, r = shaken_pair(rng, width, height, steps)
        frames = [frame_with(luma, "gray") for luma in (c, r)]
        found = find_vectors([Field(frames[0], 1, frames[1]), Field(frames[1], 0, frames[0])])
        assert tuple(found[1].shift) == shift(c, r, 1)
        assert tuple(found[0].shift) == shift(r, c, 0)
        some += bool(found[1].shift.any())
    assert some > 20


def test_what_goes_evenly_is_in_the_middle():
    """A pan, pictures that stand, and noise."""
    rng = np.random.default_rng(1)
    noise = [rng.integers(0, 256, (160, 184)) for _ in range(2)]
    for lumas in (*(moving_pair(rng, 184, 160, 8, step) for step in ((3, 1), (0, 0), (-5, 2), (0, -3))), noise):
        frames = [frame_with(luma, "gray") for luma in lumas]
        for vectors in find_vectors([Field(frames[0], 1, frames[1]), Field(frames[1], 0, frames[0])]).values():
            assert not vectors.shift.any()


@pytest.mark.parametrize("noise", [1, 2])
def test_what_stands_is_not_searched_for_noise(noise):
    """Between samples there is less noise than at them, so that a vector of a quarter would cost less than 0 does."""
    rng, still = np.random.default_rng(noise), soft_texture(26, 90, 9)
    lumas = [still + rng.integers(-noise, noise + 1, still.shape) for _ in range(2)]
    for vectors in check(rng, "gray", [luma.clip(0, 255) for luma in lumas]).values():
        assert vectors.cost.max() > 256
        assert not (vectors.x | vectors.y).any()


@pytest.mark.parametrize("level", [level for level in supported_levels() if library_path(level)])
@pytest.mark.parametrize(("limited", "parity"), [(False, 0), (False, 1), (True, 0), (True, 1)])
def test_strips_that_stay_and_blocks_that_are_calm_are_the_oracles(level, limited, parity):
    """Blocks of every kind beside each other: both fields and what was made are the same, or one of them is another."""
    rng, (height, width) = (
        np.random.default_rng(3),
        (2 * VECTORED_TILES["host"][1] + 21, VECTORED_TILES["host"][0] + 150),
    )
    c = texture(rng, height, width)
    r, made = c.copy(), c.copy()
    for picture, places in ((r, 40), (made, 40)):
        for y, x in zip(rng.integers(0, height, places), rng.integers(0, width, places), strict=True):
            picture[y : y + int(rng.integers(1, 5)), x : x + int(rng.integers(1, 20))] ^= 1 << rng.integers(0, 7)
    device = CpuDevice(level)
    first, second, target = (Frame.from_arrays("gray", [p.astype("u1")], width, height, device) for p in (c, r, made))
    field = Field(first, parity, second, limited=limited)
    vectors = find_vectors([field])[parity]
    device.launch(vectors.compensated(field, target))
    assert {0} < {int(v) for v in np.unique(vectors.cost)}
    expected = compensated(c, r, parity, made, np.array(vectors.arrays), WEIGHTS, calm=256 * limited)
    assert np.array_equal(samples_of(target, "Y"), expected)


@pytest.mark.parametrize("lit", [-1, 1])
@pytest.mark.parametrize("flash", range(4))
@pytest.mark.parametrize("name", ["gray", "p010le"])
def test_a_field_lit_by_itself_is_the_oracle(name, flash, lit):
    """(72) asks the nearest line how light it is; a block is lit as far as these limits, and the next one beyond."""
    bits, world = DEPTHS[name], soft_texture(18, 96) // 4 + 100
    light = np.repeat([0, 4, 8, 12, 40, 90], 16)
    views = [world + lit * light * (n == flash) << (bits - 8) for n in range(4)]
    check(
        np.random.default_rng(1), name, [np.where(np.arange(18)[:, None] % 2 == 0, *views[n : n + 2]) for n in (0, 2)]
    )


def rings(fine, grow, step, count):
    """Rings that go by ``step`` (across, down) a picture and widen: many ways bring one onto the next."""
    y, x = np.mgrid[:144, :176].astype(float)
    squares = ((x - 88 - step[0] * n) ** 2 + (y - 60 - step[1] * n) ** 2 for n in range(count))
    return [np.rint(128 + 100 * np.cos(fine * square - grow * n)).astype(np.int64) for n, square in enumerate(squares)]


@pytest.mark.parametrize(("fine", "grow", "step"), [(0.0077, 0.3, (-2.7, 1.2)), (0.005, -0.6, (2.5, -0.9))])
def test_ways_that_comb_are_the_oracle(fine, grow, step, monkeypatch):
    asked, again = [], Search._again
    monkeypatch.setattr(Search, "_again", lambda *args: asked.append(again(*args)) or asked[-1])
    views = [view[:96, :160] for view in rings(fine, grow, step, 4)]
    lumas = [np.where(np.arange(96)[:, None] % 2 == 0, *views[n : n + 2]) for n in (0, 2)]
    check(np.random.default_rng(1), "gray", lumas)
    assert (0, 0) in asked
    assert len(set(asked)) > 5


@pytest.mark.parametrize("level", [level for level in supported_levels() if library_path(level)])
@pytest.mark.parametrize("step", [(5, 1), (-16, 0), (2, -4), None])
def test_blocks_are_searched_alone_or_by_twos_where_some_are_still(step, level):
    """Every pair of neighbors there is, of blocks that move, are still, or are of another picture: at every level."""
    rng, (width, height) = np.random.default_rng(7), (32 * 11 + 9, 36)
    lumas = moving_pair(rng, width, height, 8, step or (0, 0))
    if step is None:
        lumas[1] = texture(rng, height, width)
    for block in (1, 3, 4, 8):
        for luma in lumas:
            luma[:, 32 * block : 32 * block + 32] = 90
    lumas[1][:, 32 * 5 : 32 * 7] = rng.integers(0, 256, (height, 64))
    device = CpuDevice(level)
    frames = [Frame.from_arrays("gray", [luma.astype("u1")], width, height, device) for luma in lumas]
    fields = [Field(frames[0], 1, frames[1]), Field(frames[1], 0, frames[0])]
    for parity, vectors in find_vectors(fields).items():
        expected = Search(*(lumas if parity else lumas[::-1]), parity, 8).found()
        for mine, theirs in zip(vectors.arrays, expected, strict=True):
            assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("more", [0, 1, 2, 9])
def test_random_and_extreme_vectors_beyond_tiles_and_borders(more):
    """Any vector there can be, on the lines and columns where tiles meet."""
    rng, width, height = np.random.default_rng(5), VECTORED_TILES["host"][0] + more, 2 * VECTORED_TILES["host"][1] + 11
    c, r, made = (rng.integers(0, 2, (height, width)) * 255 for _ in range(3))
    field = Field(frame_with(c, "gray"), 1, frame_with(r, "gray"))
    shape = -(-((height + 1) // 2) // 4), -(-width // 16)
    values = (-67, -1, 0, 30, 67), (-19, -2, 0, 4, 19), (-2, -1, 0, 2), (0, 300, 700, 65280)
    vectors = [rng.choice(v, shape) for v in values]
    device, frames = get_device("cpu"), (field.current, field.needed_reference("motions"))
    given = zip(vectors, ("i1", "i1", "i1", "<u2"), strict=True)
    found = FieldVectors(
        *(device.upload(values.astype(kind)) for values, kind in given),
        device.upload(np.array(by := [int(rng.integers(-most, most + 1)) for most in (6, 2, 8, 3)], "<i4")),
        tuple(FieldGuides.of(frame) for frame in frames),
    )
    target = frame_with(made, "gray")
    device.launch(found.compensated(field, target))
    assert np.array_equal(samples_of(target, "Y"), compensated(c, r, 1, made, np.array(vectors), WEIGHTS, shift=by))


def made_of(pictures, mode, **options):
    """The frames of fields, each of another picture."""
    frames = []
    for n in range(0, len(pictures) - 1, 2):
        luma = pictures[n].copy()
        luma[1::2] = pictures[n + 1][1::2]
        frame = Frame.from_arrays("gray", [luma.astype("u1")], luma.shape[1], luma.shape[0], "cpu")
        frames.append(replace(frame, interlaced=True, top_field_first=True, pts=n))
    return list(ts.Pipeline([ts.Deinterlace(mode, "field", scenecut="off")], "cpu")(frames, **options))


def errors(pictures, mode):
    """The mean squared error of every field but the first and last two."""
    made = [samples_of(frame, "Y") for frame in made_of(pictures, mode)]
    pairs = zip(pictures[2:-2], made[2:-2], strict=False)
    return np.mean([(a[8:-8, 20:-20].astype(float) - b[8:-8, 20:-20]) ** 2 for a, b in pairs])


def soft_texture(height, width, reach=5):
    """As a camera sees one, whose pixels have an area."""
    fine = texture(np.random.default_rng(3), height + reach - 1, width + reach - 1)
    return sum(fine[i : i + height, j : j + width] for i in range(reach) for j in range(reach)) // reach**2


def moving_pictures(step):
    """Ten of them, of a texture."""
    dx, dy = step
    world = texture(np.random.default_rng([abs(v) for v in step]), 64 + 10 * abs(dy), 160 + 10 * abs(dx))
    places = [tuple(n * d if d >= 0 else -(9 - n) * d for d in (dy, dx)) for n in range(10)]
    return [world[top : top + 64, left : left + 160] for top, left in places]


@pytest.mark.parametrize("step", [(7, 0), (16, 0), (-5, 0), (0, 2), (0, -4), (6, 2), (-3, 4)])
def test_what_moves_evenly_comes_out_whole(step):
    """Crawls and scrolls: what the lines of a field lack, the fields beside it show."""
    pictures = moving_pictures(step)
    assert errors(pictures, "hq") < 0.2 * errors(pictures, "madi")


@pytest.mark.parametrize("up", [False, True])
def test_steps_of_whole_pixels_that_differ_do_not_comb_edges_upright(up):
    """Fields that go by 4, 4 and 3 pixels are not in the middle of their neighbors: 3.7 pixels a field, rounded."""
    rng = np.random.default_rng(4)
    world = np.repeat(np.repeat(rng.integers(20, 236, (1, 16)), 64, 0), 20, 1)
    pictures = [world[:, 20 + int(3.7 * (9 - n if up else n)) :][:, :160] for n in range(10)]
    assert errors(pictures, "hq") < 1 < errors(pictures, "weave")


def test_a_camera_in_a_hand_comes_out_better_than_what_is_taken_to_go_evenly(monkeypatch):
    world, places = soft_texture(64, 220), np.cumsum(np.random.default_rng(2).normal(2, 1.5, 10)).astype(int) + 10
    pictures = [world[:, place:][:, :160] for place in places]
    with_it = errors(pictures, "hq")
    compensated_field = FieldVectors.compensated
    even = lambda self, *given: compensated_field(replace(self, aside=self.aside * 0), *given)  # noqa: E731
    monkeypatch.setattr(FieldVectors, "compensated", even)
    assert with_it < 0.8 * errors(pictures, "hq")


def test_a_camera_that_shakes_comes_out_better_than_what_is_taken_to_go_evenly(monkeypatch):
    """By whole pixels and lines of a field, of which `aside` and vectors know nothing."""
    rng, world = np.random.default_rng(83), soft_texture(190, 260, 3)
    places = 2 * np.cumsum(rng.integers(-1, 2, (10, 2)), axis=0) + 20
    pictures = [world[y:][:144, x:][:, :200] for x, y in places]
    with_it = errors(pictures, "hq")
    monkeypatch.setattr(FieldGuides, "summed", (1, 1))  # too little to tell
    assert with_it < 0.6 * errors(pictures, "hq")


def errors_by(pictures, monkeypatch, weights):
    """Those of `hq` with other weights of vectors."""
    compensated_field = FieldVectors.compensated
    other = lambda self, *given: compensated_field(replace(self, weights=weights), *given)  # noqa: E731
    with monkeypatch.context() as patch:
        patch.setattr(FieldVectors, "compensated", other)
        return errors(pictures, "hq")


@pytest.mark.parametrize("reach", [5, 9])
def test_soft_pictures_that_shake_keep_what_their_own_lines_make(monkeypatch, reach):
    """There a field's lines tell what lies between them better than two fields do that are not alike."""
    rng, world = np.random.default_rng(0), soft_texture(90, 240, reach)
    across, down = (np.cumsum(rng.normal(*by, 10)).astype(int) + 10 for by in ((2, 1.5), (0, 1)))
    pictures = [world[max(y, 0) :][:64, x:][:, :100] for x, y in zip(across, down, strict=True)]  # too small for (83)
    believed = tuple(weight for at in range(0, len(WEIGHTS), 64) for weight in 2 * WEIGHTS[at : at + 32])
    assert errors(pictures, "hq") < 0.9 * errors_by(pictures, monkeypatch, believed)


def test_vectors_that_part_are_believed_less(monkeypatch):
    """Two sheets of paper that go opposite ways: at their borders a block has one vector and two motions."""
    one, other = soft_texture(64, 260, 3), soft_texture(64, 260, 4)[::-1]
    pictures = []
    for n in range(10):
        pictures.append(one[:, 4 * n :][:, :160].copy())
        pictures[-1][20:44] = other[20:44, 100 - 5 * n :][:, :160]
    assert errors(pictures, "hq") < 0.8 * errors_by(pictures, monkeypatch, 2 * WEIGHTS[: len(WEIGHTS) // 2])


@pytest.mark.parametrize(("fine", "grow", "step", "most"), [(0.006, 0, (2.4, -1.4), 10), (0.006, 0.3, (-2.4, 1.3), 14)])
def test_of_the_ways_rings_may_have_gone_one_that_does_not_comb_is_taken(fine, grow, step, most):
    """By what fields cost alone the mean square error is 14 and 16.5."""
    truth = rings(fine, grow, step, 8)
    made = [samples_of(frame, "Y").astype(int) for frame in made_of(truth, "hq")]
    error = np.mean([(a[8:-8] - b[8:-8]) ** 2 for a, b in zip(truth[2:-2], made[2:-2], strict=True)])
    assert error < most, error


@pytest.mark.parametrize("name", ["gray", "p010le"])
@pytest.mark.parametrize(
    ("own", "beyond", "rows", "believed"),
    [(65, 55, 9, False), (65, 56, 9, True), (65, 55, 1, True), (69, 69, 9, True), (70, 70, 9, False)],
)
def test_fields_that_agree_by_chance_are_not_believed(name, own, beyond, rows, believed):
    """Both show 50 between lines that are brighter, and these are not where they should come from, or far and even."""
    scale, (height, width) = 1 << (DEPTHS[name] - 8), (20, 40)
    c, r = (np.full((height, width), 50) for _ in range(2))
    c[1 : 2 * rows : 2], r[1 : 2 * rows : 2] = own, beyond
    made = np.full((height, width), 120)
    field, target = Field(frame_with(c * scale, name), 1, frame_with(r * scale, name)), frame_with(made * scale, name)
    arrays = (
        target.device.upload(np.zeros(shape, kind))
        for shape, kind in zip(4 * [(3, 3)] + [4], ("i1", "i1", "i1", "<u2", "<i4"), strict=True)
    )
    guides = FieldGuides.of(field.current), FieldGuides.of(field.needed_reference("motions"))
    target.device.launch(FieldVectors(*arrays, guides, (8,) * len(WEIGHTS)).compensated(field, target))
    middle = samples_of(target, "Y")[2:16:2][: max(rows - 2, 1)]
    assert (middle == (50 if believed else 120) * scale).all()


def test_what_shakes_to_and_fro_before_something_bright_does_not_comb():
    """A post that stands at one place in every other field hides what lies beside it between them."""
    world = soft_texture(64, 200) // 2 + 120
    pictures = []
    for n, place in enumerate((0, 6, 0, -7, 0, 5, 0, -6, 0, 7)):
        pictures.append(world[:, 20 + 3 * n // 8 :][:, :160].copy())
        pictures[-1][:, 70 + place : 84 + place] = 20
    assert errors(pictures, "hq") < 1.05 * errors(pictures, "madi")


@pytest.mark.parametrize("noise", [0, 2])
@pytest.mark.parametrize(("period", "step"), [(6, 0.1), (6, 0.3), (8, 0.2), (8, 0.5), (12, 0.3)])
def test_stripes_upright_that_go_by_about_half_their_distance_do_not_comb(period, step, noise):
    """Every other field is nearly the same, so that what moves looks as if it stood, or as if it went elsewhere."""
    rng, x = np.random.default_rng(1), np.arange(160)
    pictures = []
    for n in range(10):
        stripes = 128 + 70 * np.sin((x + n * (period / 2 + step)) * 2 * np.pi / period)
        pictures.append(np.rint(stripes + rng.normal(0, noise, (64, 160))).astype(int))
    assert errors(pictures, "hq") < 0.03 * errors(pictures, "weave")


@pytest.mark.parametrize(("phase", "noise"), [(0, 0), (0, 2), (0, 4), (0.01, 0), (0.02, 0)])
def test_fine_rings_that_stand_or_breathe_do_not_look_like_stripes_that_go_by(phase, noise):
    """Up to one line on, one off: each field is even there, and the others differ from it."""
    rng, (y, x) = np.random.default_rng(1), np.mgrid[80:144, -80:80]
    rings = [126 + 90 * np.cos(np.pi * (x * x + y * y) / 288 + phase * n) for n in range(10)]
    pictures = [np.rint(picture + rng.normal(0, noise, picture.shape)).astype(int) for picture in rings]
    found = [errors(pictures, mode) for mode in ("hq", "madi")]
    assert found[0] <= found[1], found


def test_rain_does_not_comb():
    """Where a drop falls there is ground before and after, and the block beside may have another vector."""
    rng = np.random.default_rng(2)
    ground, drops = soft_texture(128, 160, 9) // 2, rng.integers(0, (160, 128), (15, 2))
    pictures = []
    for n in range(10):
        picture = ground.copy()
        for x, y in drops:
            place = (y + 14 * n) % 128
            picture[place : place + 14, x] += 90
        pictures.append(picture)
    assert errors(pictures, "hq") < 0.7 * errors(pictures, "madi")


def test_rings_that_breathe_are_not_drawn_as_edges():
    y, x = np.mgrid[-48:48, -80:80]
    pictures = [np.rint(126 + 90 * np.cos(np.pi * (x * x + y * y) / 140 + 0.12 * n)).astype(int) for n in range(10)]
    assert errors(pictures, "hq") < 0.5 * errors(pictures, "madi")


@pytest.mark.parametrize("step", [1, 3])
def test_the_pictures_first_and_last_line_come_out_as_well(step):
    """They have a line of the field on one side alone, by which nothing can be seen to comb."""
    world = soft_texture(64, 190)
    pictures = [world[:, step * n :][:, :160] for n in range(10)]
    wrong = {}
    for mode in ("hq", "madi"):
        made = [samples_of(frame, "Y").astype(int) for frame in made_of(pictures, mode)]
        for line, first in ((-1, 2), (0, 3)):
            gaps = [(pictures[n] - made[n])[line, 20:-20] for n in range(first, 8, 2)]
            wrong[mode, line] = np.mean(np.square(gaps))
    assert all(wrong["hq", line] < 0.005 * wrong["madi", line] for line in (0, -1)), wrong


@pytest.mark.parametrize("light", [-40, 60])
def test_the_pictures_first_and_last_line_are_lit_as_a_flash_lights_their_field(light):
    world, lit = soft_texture(64, 260) // 2 + 50, {4: light, 7: light}
    pictures = [world[:, 3 * n :][:, :160] + lit.get(n, 0) for n in range(10)]
    made = [samples_of(frame, "Y").astype(int) for frame in made_of(pictures, "hq")]
    assert max(np.abs(made[n][line] - pictures[n][line]).mean() for n in lit for line in (0, -1)) < 10


@pytest.mark.parametrize("levels", [12, 20])
def test_soft_pictures_that_shake_are_not_taken_for_still(levels):
    """They change by a level or two from field to field, and the mean of two fields is another picture."""
    places, x = np.cumsum(np.random.default_rng(1).normal(0, 1, 10)), np.arange(160)
    pictures = [np.rint(128 + levels * np.sin((x + place) / 12) + np.zeros((64, 1))).astype(int) for place in places]
    assert errors(pictures, "hq") < 0.8 * errors(pictures, "madi")


def test_statistics_tell_how_much_moves():
    still, moving = moving_pictures((0, 0)), moving_pictures((4, 0))
    both = [np.vstack([a[:32], b[32:]]) for a, b in zip(still, moving, strict=True)]
    shares = [frame.statistics["deinterlace_compensated_share"] for frame in made_of(both, "hq", statistics=True)]
    assert shares[0] == shares[-1] == 0
    assert all(0.4 < share < 0.6 for share in shares[1:-1]), shares


@pytest.mark.parametrize("step", [1, 3, 5, 8])
@pytest.mark.parametrize("late", [0, 1])
def test_pictures_shown_twice_are_not_taken_for_motion(late, step):
    """25 pictures a second: halfway between two of them there is none."""
    world = soft_texture(64, 260, reach=3)
    pictures = [world[:, step * ((n + late) // 2) :][:, :160] for n in range(20)]
    assert errors(pictures, "hq") < errors(pictures, "madi")
