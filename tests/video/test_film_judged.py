"""The judge of film mode: what counts as combed, before coding and of decoded fields."""

import numpy as np
import pytest

from benchmarks import judged_film_more as judge
from benchmarks.woven import combs_more, tile_combs, weave
from texsamp.video.film.planner import FieldVerdict

RNG = np.random.default_rng(5)


def ramp(height: int, width: int, left: int) -> np.ndarray:
    """Smooth bars, which comb with nothing but where they have moved."""
    across = 128 + 80 * np.sin((np.arange(width) + left) / 7)
    return np.rint(np.tile(across, (height, 1))).astype(np.uint8)


def films(*moved: int) -> list[np.ndarray]:
    """Frames whose fields show what has moved so far."""
    pictures = [ramp(72, 100, left) for left in moved]
    return judge.telecined(pictures, range(len(pictures)), True)


def test_a_field_of_another_picture_combs_more_than_its_own():
    frames = films(0, 0, 9, 9)
    assert combs_more(frames, 1, 1, [0])
    assert combs_more(frames, 2, -1, [3])
    assert not combs_more(frames, 2, 1, [3])


def test_decoded_fields_that_a_codec_made_alike_comb_no_more():
    frames = films(0, 0, 9, 9)
    frames[1][0::2] = frames[0][0::2]  # the codec took the earlier picture for that field
    assert not combs_more(frames, 1, 1, [0])


def test_it_is_enough_that_one_tile_combs():
    """The mean of the picture would not tell: the other one combs more elsewhere."""
    frames = films(0, 0, 0, 0)
    frames[1][0:32:2, 64:96] = 255 - frames[1][0:32:2, 64:96]
    frames[0][0::2, :64] = RNG.integers(0, 256, (36, 64))
    worse, right = weave(frames, 1, 2), weave(frames, 1, 0)
    assert tile_combs(worse).mean() < tile_combs(right).mean()
    assert combs_more(frames, 1, 1, [0])


@pytest.mark.parametrize("width", [100, 256, 176])
def test_tiles_reach_to_the_edges(width):
    picture = np.full((72, width), 16, np.uint8)
    picture[-2, -1] = 255
    assert tile_combs(picture)[-1, -1] > 0
    assert tile_combs(picture).shape == (3, -(-width // 32))


def test_without_a_right_field_it_combs():
    assert combs_more(films(0, 0, 9, 9), 1, 1, [])


def test_every_right_field_is_asked():
    """One of them may be coded worse than the other one."""
    frames = films(0, 0, 9, 0)
    frames[0][0::2] = RNG.integers(0, 256, (36, 100))
    assert not combs_more(frames, 1, 1, [0])
    frames = films(0, 0, 0, 9)
    assert combs_more([frames[1], frames[1], frames[0]], 2, 1, [5])


def test_strips_that_are_deinterlaced_comb_nothing():
    frames = films(0, 0, 0, 0)
    frames[1][24:32:2] = 255 - frames[1][24:32:2]
    assert combs_more(frames, 1, 1, [0])
    assert not combs_more(frames, 1, 1, [0], [2, 3, 4])


def test_fields_of_one_parity_are_never_woven():
    with pytest.raises(ValueError, match="fields 1 and 3 have the same lines"):
        weave(films(0, 0, 9, 9), 1, 3)


@pytest.mark.parametrize(("width", "strip", "top"), [(176, 1, 8), (256, 2, 8)])
def test_strips_are_counted_across_the_picture_that_they_are_of(width, strip, top):
    """Of a narrow clip there is one strip to a row: it was taken for one of two."""
    fields = [np.zeros((32, width), np.uint8), np.full((32, width), 9, np.uint8)]
    shown = judge.shown_with(fields, FieldVerdict(0, 1, None, True, (strip,)))
    own = np.flatnonzero(shown[:, 0] == 0)
    assert own.tolist() == list(range(top, top + 8))


@pytest.mark.parametrize("kind", ["25 from 24", "scenes", "faded", "wrong order"])
def test_kinds_have_whole_frames_and_a_picture_of_every_field(kind):
    make, names = judge.KINDS[kind]
    for name in names:
        for seed in (1, 2):
            fields, numbers = make(np.random.default_rng(seed), name)
            assert len(fields) == len(numbers) >= 100
            assert len(fields) % 2 == 0
            assert {field.shape for field in fields} == {fields[0].shape}


def test_what_is_told_top_first_was_bottom_first():
    fields, numbers = judge.KINDS["wrong order"][0](np.random.default_rng(2), "32")
    steps = np.diff(numbers)
    assert (steps < 0).any()
    assert (np.diff([n for pair in zip(numbers[1::2], numbers[::2], strict=True) for n in pair]) >= 0).sum() > 60
    assert len(fields) == len(numbers)


def test_counts_of_decoded_fields_are_of_those_that_comb():
    row = judge.judged_more("pan, coded", "32", "plain", 20000)
    assert row.worse <= row.combed == 0
    assert row.recovered == row.pictures > 40
