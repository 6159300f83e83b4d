"""Video whose every frame is shown twice, which repeats fields as a film does."""

import numpy as np
import pytest

from benchmarks.judged_film import CONTENTS, PICTURES, telecined, verdicts
from benchmarks.judged_film_more import judged_more


def doubled(content: str, video: bool) -> tuple[list[np.ndarray], list[int]]:
    """Frames, each of them twice, and the picture of each field: video has another one in every field."""
    film = CONTENTS[content](np.random.default_rng(5))
    shown = [(2 * n + parity * video) % PICTURES for n in range(PICTURES // 2) for _ in range(2) for parity in (0, 1)]
    return telecined(film, shown, True), shown


@pytest.mark.parametrize("content", ["pan", "hand", "noise"])
def test_video_whose_frames_come_twice_is_not_woven(content):
    """Its fields come again as those of 4:4; but what moves goes on from the first field to the second."""
    frames, _ = doubled(content, video=True)
    assert not any(verdict.partner for verdict in verdicts(frames, True))


@pytest.mark.parametrize("content", ["pan", "hand", "credits", "up or down by 1", "chart"])
def test_film_of_four_fields_a_picture_in_whole_frames_is_woven(content):
    """Each frame comes twice, too: nothing moves within it."""
    frames, shown = doubled(content, video=False)
    found = verdicts(frames, True)
    assert sum(verdict.partner != 0 for verdict in found) > 0.9 * len(found)
    assert all(shown[v.number] == shown[v.number + v.partner] for v in found)


@pytest.mark.parametrize(("way", "seed"), [("H.264", 20001), ("MPEG-2", 20002)])
def test_a_codecs_second_frame_does_not_hide_that_frames_come_twice(way, seed):
    """The second frame of a stream is what the codec mends of the first."""
    row = judged_more("video: doubled", "each", way, seed)
    assert (row.locked, row.combed) == (0, 0)
