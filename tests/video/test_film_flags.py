"""Film mode where flags of encoders lie: of interlaced frames, and of the order of their fields."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.telecine import fields_of, real_pictures, telecined, video

from texsamp.video.deinterlace import Deinterlace
from texsamp.video.deinterlace.film_flags import REACH, FilmFlags
from texsamp.video.deinterlace.planned_frame import PlannedFrame
from texsamp.video.film import field_order, field_pairs
from texsamp.video.film.cadence import CADENCES, Rhythm
from texsamp.video.film.meter import FilmMeter
from texsamp.video.film.planner import FieldVerdict, FilmPlanner
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

COUNT = 60


@cache
def pictures() -> list[np.ndarray]:
    return real_pictures("bikes.mp4", 2 * COUNT, (160, 64, 240, 96))


def film(cadence: str = "32", top_first: bool = True, count: int = COUNT) -> list[Frame]:
    """Of the first pictures, rightly flagged."""
    return video(telecined(pictures()[:count], fields_of(count, CADENCES[cadence]), top_first), top_first)


def progressive(shown: Sequence[np.ndarray]) -> list[Frame]:
    return [replace(frame, interlaced=False, top_field_first=None) for frame in video(shown)]


def in_a_row(*parts: list[Frame]) -> list[Frame]:
    return [replace(frame, pts=n) for n, frame in enumerate(frame for part in parts for frame in part)]


def mixed(frames: list[Frame], cadence: str) -> list[Frame]:
    """Flagged as FFmpeg's telecine does: only frames of two pictures are interlaced."""
    fields = fields_of(COUNT, CADENCES[cadence])
    return [
        frame if fields[2 * n] != fields[2 * n + 1] else replace(frame, interlaced=False, top_field_first=None)
        for n, frame in enumerate(frames)
    ]


def run(frames: list[Frame], rate: str = "film", **options: str) -> tuple[list[bytes], tuple[str, ...]]:
    """The pictures that come out, and what was told."""
    stage = Deinterlace(mode="bob", rate=rate, film="auto", **options)
    made = list(Pipeline([stage], "cpu")(frames))
    assert not any(frame.interlaced for frame in made if len(made) == len(frames) and rate == "film")
    return [frame.planes[0].tobytes() for frame in made], stage.notes


def bytes_of(shown: Sequence[np.ndarray]) -> list[bytes]:
    return [picture.tobytes() for picture in shown]


@pytest.mark.parametrize(("cadence", "top_first"), [("32", True), ("32", False), ("euro", True), ("2332", True)])
def test_frames_among_flagged_ones_are_film_with_them(cadence: str, top_first: bool) -> None:
    """From the first frame on, though none before it is flagged, and by Euro pulldown none of twelve in a row."""
    frames = mixed(film(cadence, top_first), cadence)
    assert {frame.interlaced for frame in frames[:4]} == ({True, False} if cadence != "euro" else {False})
    made, notes = run(frames)
    assert made == bytes_of(pictures()[:COUNT])
    unflagged = sum(not frame.interlaced for frame in frames)
    told = f"film: {unflagged} of {len(frames)} frames are not flagged as interlaced, but look so or lie among such"
    assert f"{told}: all were taken for film's (film=off passes them)" in notes


def test_progressive_video_costs_film_mode_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FilmMeter, "measure", lambda *_: pytest.fail("nothing is interlaced here"))
    shown = pictures()[: 2 * REACH]
    made, notes = run(progressive(shown))
    assert made == bytes_of(shown)
    (note,) = notes
    assert "no frame is flagged as interlaced" in note


def test_soft_telecine_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of frames that are shown for three fields and two, also where an interlaced one is among them."""
    soft = [
        replace(frame, repeat_fields=1 - n % 2, top_field_first=n // 2 % 2 == 0 if n % 2 == 0 else None)
        for n, frame in enumerate(progressive(pictures()[:20]))
    ]
    measured: list[Frame] = []
    monkeypatch.setattr(FilmMeter, "measure", lambda self, frame: measured.append(frame))
    assert run(soft)[0] == bytes_of(pictures()[:20])
    assert not measured


@pytest.mark.parametrize("rate", ["film", "frame"])
def test_progressive_sections_beside_film_pass_bit_for_bit(rate: str) -> None:
    shown = pictures()[COUNT:]
    made, _ = run(in_a_row(progressive(shown), film(count=31), progressive(shown[::-1])), rate)
    assert set(bytes_of(shown)) <= set(made)
    assert made[: len(shown) - 1] == bytes_of(shown)[:-1]
    assert made[1 - len(shown) :] == bytes_of(shown[::-1])[1:]
    if rate == "film":
        assert len(made) == 2 * len(shown) + 31


def test_frames_that_are_interlaced_by_error_stay_whole() -> None:
    """Where the cadence of those around them is that of progressive frames."""
    shown = pictures()[:COUNT]
    frames = [replace(frame, interlaced=n in (20, 41)) for n, frame in enumerate(progressive(shown))]
    assert run(frames)[0] == bytes_of(shown)


def test_progressive_frames_of_no_cadence_pass_beside_video() -> None:
    """Nothing is known of charts that turn at random, nor of the interlaced ones among them."""
    rng = np.random.default_rng(5)
    shown = [rng.integers(0, 256, (96, 240), np.uint8) for _ in range(40)]
    frames = [replace(frame, interlaced=n % 6 == 0) for n, frame in enumerate(progressive(shown))]
    made, notes = run(frames, "frame")
    assert [one == two for one, two in zip(made, bytes_of(shown), strict=True)] == [n % 6 != 0 for n in range(40)]
    assert "film: no cadence was found: 7 of 40 frames were deinterlaced" in notes
    assert any("33 passed as they are (deint=all deinterlaces them)" in note for note in notes)


def flagged(frames: list[Frame], orders: Sequence[bool]) -> list[Frame]:
    return [replace(frame, top_field_first=order) for frame, order in zip(frames, orders, strict=True)]


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.8])
def test_pictures_tell_the_order_that_flags_do_not(share: float, top_first: bool) -> None:
    """Where flags are all wrong, or by lot, as x264 flags telecined frames."""
    frames = film(top_first=top_first)
    rights = np.random.default_rng(7).random(len(frames)) < share
    made, notes = run(flagged(frames, [bool(right) == top_first for right in rights]))
    assert set(made) >= set(bytes_of(pictures()[:COUNT]))
    assert len(made) <= COUNT + 2
    wrong, (own, other) = int((~rights).sum()), ("top", "bottom") if top_first else ("bottom", "top")
    told = f"film: {wrong} of {len(frames)} frames are flagged {other} field first, but move {own} field first"
    assert f"{told}: they were taken so (parity={'bff' if top_first else 'tff'} takes all {other} field first)" in notes


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_pictures_of_video_tell_its_order_too(share: float, top_first: bool) -> None:
    """Fields are made as where that order is asked for."""
    frames = video(telecined(pictures(), range(COUNT), top_first), top_first)
    rights = np.random.default_rng(3).random(len(frames)) < share
    made, notes = run(flagged(frames, [bool(right) == top_first for right in rights]), "field")
    assert made == run(frames, "field", parity="tff" if top_first else "bff")[0]
    assert any(f"{int((~rights).sum())} of {len(frames)} frames are flagged" in note for note in notes)


def test_flags_tell_the_order_of_what_stands() -> None:
    frames = flagged(video([pictures()[0]] * 40), [n % 3 == 0 for n in range(40)])
    assert not any("they were taken so" in note for note in run(frames, "field")[1])


def test_an_order_that_is_asked_for_holds() -> None:
    """And film in the wrong one is none."""
    _, notes = run(film(), parity="bff")
    assert any("no cadence was found" in note for note in notes)
    assert not any("they were taken so" in note for note in notes)


def test_an_order_that_flags_tell_rightly_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other one is looked at, and frames of video are made as without film mode."""
    frames = video(telecined(pictures(), range(COUNT)))
    begun: list[str] = []
    make = FilmPlanner.__init__
    monkeypatch.setattr(FilmPlanner, "__init__", lambda self, film: (begun.append(film), make(self, film))[1])
    made, _ = run(frames, "field")
    plain = Pipeline([Deinterlace(mode="bob", rate="field")], "cpu")(frames)
    assert made == [frame.planes[0].tobytes() for frame in plain]
    assert len(begun) <= 2, "one when the stage is made, one for the stream"


def test_a_new_order_that_holds_is_that_of_another_stream() -> None:
    """As where films are cut together: all pictures of both are found, and flags are believed."""
    made, notes = run(in_a_row(film(count=40), film(top_first=False, count=40)))
    assert made.count(pictures()[20].tobytes()) == 2
    assert set(made) >= set(bytes_of(pictures()[:40]))
    assert not any("they were taken so" in note for note in notes)


def test_frames_that_look_interlaced_are_film_where_nothing_is_flagged() -> None:
    """Their reader has measured an order, when some have gone by."""
    frames = [
        replace(frame, interlaced=False, top_field_first=True if n >= REACH else None) for n, frame in enumerate(film())
    ]
    made, notes = run(frames)
    assert made == bytes_of(pictures()[:COUNT])
    assert any(f"{len(frames)} of {len(frames)} frames are not flagged" in note for note in notes)


def test_frames_of_another_size_are_of_another_stream() -> None:
    shown = [picture[:64] for picture in pictures()[:10]]
    made, _ = run(in_a_row(progressive(shown), film(count=20), progressive(shown)))
    assert made[:10] == made[-10:] == bytes_of(shown)


@pytest.mark.parametrize("partner", [-1, 0, 1])
def test_only_fields_of_other_frames_change_one_that_is_not_flagged(partner: int, monkeypatch) -> None:
    """Nothing in it is deinterlaced, be it that it combs or seems to have a ticker."""
    frames = [replace(frame, interlaced=n == 3) for n, frame in enumerate(progressive(pictures()[:6]))]
    verdicts = [FieldVerdict(n, partner, Rhythm("22", 0), True, video_strips=(0, 3)) for n in range(12)]
    monkeypatch.setattr(FilmPlanner, "add", lambda *_: iter(()))
    monkeypatch.setattr(FilmPlanner, "finish", lambda *_: iter(verdicts))
    made, _ = run(frames, "frame")
    whole = [one == two for one, two in zip(made, bytes_of(pictures()[:6]), strict=True)]
    assert whole == [partner != -1 and n != 3 for n in range(6)]


class Script:
    """A planner whose verdicts on frames are written down: "f" film, "t" turned, "." nothing."""

    delay_fields = 4

    def __init__(self, rows: tuple[str, str]) -> None:
        self.rows, self.number = rows, 0

    def add(self, statistics: None, parity: int, is_first: bool):
        letter, self.number = self.rows[parity][self.number], self.number + 1
        rhythm = Rhythm("32", 0) if letter == "f" else None
        return iter([FieldVerdict(n, 0, rhythm, True, turned=letter == "t") for n in range(2)])

    def finish(self):
        return iter(())


@pytest.mark.parametrize(
    ("told", "other", "chosen", "known"),
    [
        ("......", "ffffff", "000000", "......"),  # nothing asks for the other order
        ("tttttt", "ffffff", "111111", "xxxxxx"),
        ("tttttt", "......", "111111", "xxxxxx"),
        ("tttttt", "tttttt", "000000", "......"),
        ("ttffff", "ffttff", "110000", "xxxxxx"),
        ("tt....", "ff....", "111111", "xxxxxx"),
        ("ttf..f", "fft.f.", "110000", "xxxxxx"),  # a film that breaks is no other order's
    ],
)
def test_which_order_is_taken(told: str, other: str, chosen: str, known: str, monkeypatch) -> None:
    """From what planners of both say; an order that nothing has told is that of the flags."""
    monkeypatch.setattr(field_order, "FilmPlanner", Script)
    planner = field_order.OrderedPlanner((told, other), 0, may_turn=True)
    found = [verdict for n in range(len(told)) for verdict in planner.add(None, n == 0, mixed=False)]
    assert "".join(str(verdict.first_parity) for verdict in found) == chosen
    assert "".join("x" if verdict.told else "." for verdict in found) == known


FLAGS = {
    "T": (True, True, 0),
    "B": (True, False, 0),
    "?": (True, None, 0),
    ".": (False, None, 0),
    "L": (False, True, 0),
    "S": (False, True, 1),
}
"""Interlaced, top field first, repeated fields: L only looks interlaced, S is of soft telecine."""


def sorted_by_flags(text: str) -> list[tuple[str, bool, int, bool]]:
    """What becomes of frames that are flagged as `FLAGS` says."""
    sorter, found = FilmFlags(), []
    shown = np.zeros((2, 2), np.uint8)
    for letter in text:
        interlaced, order, repeat = FLAGS[letter]
        flags = {"interlaced": interlaced, "top_field_first": order, "repeat_fields": repeat}
        given = Frame.from_arrays("gray", [shown], 2, 2, "cpu", **flags)
        found += sorter.feed(PlannedFrame(given, given, int(order is False), interlaced, order is not None))
    found += sorter.finish()
    letters = {flags: letter for letter, flags in FLAGS.items()}
    given = [
        (f.planned.given.interlaced, f.planned.given.top_field_first, f.planned.given.repeat_fields) for f in found
    ]
    return [(letters[flags], f.judged, f.first_parity, f.mixed) for flags, f in zip(given, found, strict=True)]


@pytest.mark.parametrize(
    ("text", "judged", "parities"),
    [
        ("." * 40, " " * 40, "T" * 40),
        ("." * 30 + "B", " " * 6 + "x" * 25, "T" * 6 + "B" * 25),
        ("T" + "." * 60, "x" * 25 + " " * 36, "T" * 61),
        ("T" + "." * 48 + "T", "x" * 50, "T" * 50),
        ("T" * 9 + "B" * 12 + "T" * 12 + "B" * 30, "x" * 63, "T" * 63),
        ("T" * 9 + "B" * 24 + "T" * 3, "x" * 36, "T" * 9 + "B" * 24 + "T" * 3),
        ("TT" + "B" * 5, "x" * 7, "TT" + "B" * 5),
        ("TT" + "B.B" + "." * 30, "x" * 29 + " " * 6, "TT" + "B" * 27 + "T" * 6),
        ("B??B", "x" * 4, "B" * 4),
        ("." * 30 + "L" * 30, " " * 6 + "x" * 54, "T" * 60),
        ("T" + "L" * 30, "x" * 25 + " " * 6, "T" * 31),
        ("T..S..TS.S.S", "xxx xxx     ", "T" * 12),
    ],
)
def test_what_frames_are_taken_for_by_flags_around_them(text: str, judged: str, parities: str) -> None:
    found = sorted_by_flags(text)
    assert "".join(name for name, *_ in found) == text, "none is lost, and none overtakes another"
    assert "".join("x" if one[1] else " " for one in found) == judged
    assert "".join("B" if one[2] else "T" for one in found) == parities


@pytest.mark.parametrize("moment", [1, 30, 100])
def test_film_after_an_interrupt_within_its_planner_is_film_as_ever(moment: int, monkeypatch) -> None:
    kept, calls = field_pairs.shows_film, itertools.count()

    def interrupted(*given: object) -> bool:
        if next(calls) == moment:
            raise KeyboardInterrupt
        return kept(*given)

    frames = film()
    pipeline = Pipeline([Deinterlace(mode="bob", rate="film", film="auto")], "cpu")
    with monkeypatch.context() as patched:
        patched.setattr(field_pairs, "shows_film", interrupted)
        with pytest.raises(KeyboardInterrupt):
            list(pipeline(frames))
    assert [frame.planes[0].tobytes() for frame in pipeline(frames)] == run(frames)[0]
