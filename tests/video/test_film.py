"""Film mode: pictures of a film found in interlaced video and put back together, and video left alone."""

import itertools
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from support.filter_cases import sweep
from support.frames import samples_of
from support.telecine import RATE, fields_of, noisy, real_pictures, telecined, video, with_breaks

from texsamp.errors import StateError
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.film.cadence import CADENCES, rhythms
from texsamp.video.film.planner import FieldVerdict, FilmPlanner
from texsamp.video.film.variances import FilmParameters, measure_film
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline

CLIPS = {"bikes.mp4": (160, 64, 320, 144), "bigbuckbunny.mp4": (400, 200, 320, 144)}


@cache
def pictures(name: str = "bikes.mp4", count: int = 120) -> list[np.ndarray]:
    return real_pictures(name, count, CLIPS[name])


def run(frames, rate="film", film="auto", **options):
    """Results, and the stage for its notes."""
    stage = Deinterlace(rate=rate, film=film, **options)
    return list(Pipeline([stage], "cpu")(frames)), stage


def nearest(picture: np.ndarray, among: list[np.ndarray]) -> int:
    errors = [np.square(picture.astype(np.float32) - other).sum() for other in among]
    return int(np.argmin(errors))


def recovered(made, source) -> set[int]:
    """Pictures of the source found exactly."""
    places = {}
    for n, picture in enumerate(source):
        places.setdefault(picture.tobytes(), []).append(n)
    return {n for frame in made for n in places.get(frame.planes[0].tobytes(), [])}


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("cadence", CADENCES)
def test_every_picture_is_recovered_exactly(cadence, top_first):
    """Every one, and none twice, evenly in time."""
    source = pictures()[:60]
    fields = fields_of(len(source), CADENCES[cadence])
    made, stage = run(video(telecined(source, fields, top_first), top_first))
    found = recovered(made, source)
    assert found == set(range(len(source)))
    runs = CADENCES[cadence]
    assert len(made) <= len(source) + max(runs) // 2 + 1  # until the first change, it is not known to be film
    steps = {b.pts - a.pts for a, b in itertools.pairwise(made[max(runs) : -1])}
    even = Fraction(20 * sum(runs), 2 * len(runs))
    assert steps == {even} or (even.denominator > 1 and steps == {int(even), int(even) + 1})
    assert {frame.time_base for frame in made} == {1 / RATE / 20}
    assert not any(frame.interlaced for frame in made)
    assert any("cadence breaks" in note and "locked for" in note for note in stage.notes)


NOISY = list(itertools.product(CLIPS, CADENCES, (True, False)))


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "cadence", "top_first"), NOISY[:: -(-len(NOISY) // sweep(4))])
def test_noise(name, cadence, top_first):
    """At a deviation of 15, of 120 pictures 118 are recovered, by the nearest one."""
    source = pictures(name)
    frames = noisy(telecined(source, fields_of(len(source), CADENCES[cadence]), top_first), 15)
    made, _ = run(video(frames, top_first))
    found = {nearest(frame.planes[0], source) for frame in made}
    assert len(found) >= len(source) - 2, sorted(set(range(len(source))) - found)


@pytest.mark.parametrize("name", CLIPS)
@pytest.mark.parametrize("sigma", [0, 15])
@pytest.mark.parametrize("top_first", [True, False])
def test_interlaced_video_is_never_taken_for_film(name, sigma, top_first):
    frames = telecined(pictures(name), range(120), top_first)
    frames = video(noisy(frames, sigma) if sigma else frames, top_first)
    made, stage = run(frames, "frame")
    plain, _ = run(frames, "frame", "off")
    assert all(np.array_equal(a.planes[0], b.planes[0]) for a, b in zip(made, plain, strict=True))
    assert "film: no cadence was found: every frame was deinterlaced" in stage.notes


@pytest.mark.parametrize(("cadence", "lost"), [("32", 1), ("32", 2), ("22", 1), ("2332", 3), ("55", 2)])
def test_nothing_is_combed_where_the_cadence_breaks(cadence, lost):
    """Every 40 frames fields are lost. What is not a picture of the film is one field's work, and they are few."""
    source = pictures()
    fields = with_breaks(fields_of(len(source), CADENCES[cadence]), 40, lost)
    frames = telecined(source, fields)
    made, stage = run(video(frames), "field")
    plain, _ = run(video(frames), "field", "off")
    wrong = []
    for n, (frame, alone, picture) in enumerate(zip(made, plain, fields, strict=False)):
        here = frame.planes[0]
        if not np.array_equal(here, source[picture]) and not np.array_equal(here, alone.planes[0]):
            wrong.append(n)
    assert not wrong
    cycle = sum(CADENCES[cadence])
    breaks = range(80, len(made), 80)
    lost_pictures = [n for n, f in enumerate(made) if n > 4 and not np.array_equal(f.planes[0], source[fields[n]])]
    assert all(any(abs(n - b) <= 2 * cycle for b in breaks) or n > len(made) - 4 for n in lost_pictures)
    assert len(breaks) > 0
    (told,) = (int(word) for word in re.findall(r"(\d+) cadence break", stage.notes[0]))
    assert len(breaks) <= told <= 2 * len(breaks), stage.notes


def test_repeated_pictures_are_kept_at_other_rates():
    source = pictures()[:40]
    fields = fields_of(40, (3, 2))
    frames = video(telecined(source, fields))
    made, _ = run(frames, "field")
    assert len(made) == 2 * len(frames)
    assert [f.pts for f in made] == list(range(len(made)))
    assert all(np.array_equal(f.planes[0], source[n]) for f, n in list(zip(made, fields, strict=False))[4:-1])
    whole, _ = run(frames, "frame")
    assert all(np.array_equal(a.planes[0], b.planes[0]) for a, b in zip(whole, made[::2], strict=True))


def test_chroma_is_woven_too():
    source = pictures()[:40]
    color = [np.ascontiguousarray(255 - p[::2, ::2]) for p in source]
    fields = fields_of(40, (3, 2))
    luma, chroma = telecined(source, fields), telecined(color, fields)
    frames = [replace(f, layout=f.layout, planes=f.planes) for f in video(luma)]

    frames = [
        Frame.from_arrays("yuv420p", [f.planes[0], c, c], f.width_px, f.height_px, "cpu", pts=f.pts, interlaced=True)
        for f, c in zip(video(luma), chroma, strict=True)
    ]
    made, _ = run(frames)
    found = {n for f in made for n, c in enumerate(color) if np.array_equal(samples_of(f, "U"), c)}
    assert len(found) >= 38


@pytest.mark.parametrize("layout", ["gray", "yuv420p", "nv12", "yuyv422"])
def test_film_stays_film_beside_a_part_that_is_video(layout):
    """A ticker that moves in every field under a film: its strips are deinterlaced, others are the film's."""
    source = pictures()[:40]
    fields = fields_of(40, (3, 2))
    frames = telecined(source, fields)
    rng = np.random.default_rng(3)
    ticker = np.repeat(rng.integers(0, 2, 900) * 220, 8).astype(np.uint8)
    for n, frame in enumerate(frames):
        for parity in (0, 1):
            start = 6 * (2 * n + parity)
            frame[112 + parity :: 2] = ticker[start : start + frame.shape[1]]
    shown = [of_layout(f, layout) for f in video(frames)]
    made, _ = run(shown, "field")
    plain, _ = run(shown, "field", "off")
    kept = [np.array_equal(samples_of(f, "Y")[:96], source[n][:96]) for f, n in zip(made, fields, strict=True)]
    assert np.mean(kept[8:-1]) == 1
    for component in shown[0].layout.components:
        pairs = [(samples_of(a, component), samples_of(b, component)) for a, b in zip(made, plain, strict=True)]
        assert all(np.array_equal(a[len(a) * 8 // 9 :], b[len(b) * 8 // 9 :]) for a, b in pairs)


@pytest.mark.parametrize("mode", ["madi", "hq"])
@pytest.mark.parametrize("cadence", [(3, 2), (2, 2), (2, 2, 2, 4)])
def test_a_ticker_that_fills_part_of_a_tile_is_video(cadence, mode):
    """Text of 19 lines whose tile is film above: combed in no field, and film from the strip above it on.

    hq finds other vectors in single blocks of the strip, as what lies above it is another picture.
    """
    source = pictures()[:40]
    fields = fields_of(40, cadence)
    frames = telecined(source, fields)
    ticker = 60 + 90 * (np.random.default_rng(3).integers(0, 8, (19, 300)) == 0).repeat(4, 1)
    for n, frame in enumerate(frames):
        for parity in (0, 1):
            start = 6 * (2 * n + parity)
            lines = np.arange(114, 133)[(114 + parity) % 2 :: 2]
            frame[lines] = ticker[lines - 114, start : start + frame.shape[1]]
    made, _ = run(video(frames), "field", mode=mode)
    plain, _ = run(video(frames), "field", "off", mode=mode)
    kept = [np.array_equal(samples_of(f, "Y")[:104], source[n][:104]) for f, n in zip(made, fields, strict=True)]
    assert np.mean(kept[8:-1]) > 0.7
    others = [
        np.count_nonzero(samples_of(a, "Y")[114:133] != samples_of(b, "Y")[114:133])
        for a, b in zip(made, plain, strict=True)
    ]
    assert max(others) <= {"madi": 0, "hq": 16}[mode]


def of_layout(frame: Frame, layout: str) -> Frame:
    """A gray frame with the same samples as chroma, in another layout."""
    luma = frame.planes[0]
    chroma = np.ascontiguousarray(luma[:: 1 if layout == "yuyv422" else 2, ::2])
    pairs = np.repeat(chroma, 2, 1)
    planes = [luma] if layout == "gray" else [luma, chroma, chroma] if layout == "yuv420p" else [luma, pairs]
    if layout == "yuyv422":
        planes = [np.stack(planes, 2).reshape(len(luma), -1)]
    return Frame.from_arrays(
        *(layout, planes, frame.width_px, frame.height_px, "cpu"),
        **{name: getattr(frame, name) for name in ("pts", "duration", "time_base", "interlaced", "top_field_first")},
    )


def test_soft_telecine_is_shown_evenly():
    """Pictures flagged to show a field three times every second time: 24 a second, evenly, none changed."""
    frames, time = [], 0
    for n, frame in enumerate(video(pictures()[:8])):
        repeat = (n + 1) % 2
        frames.append(
            replace(
                frame, interlaced=False, repeat_fields=repeat, pts=time, duration=2 + repeat, time_base=Fraction(1, 60)
            )
        )
        time += 2 + repeat
    made, _ = run(frames)
    assert [f.pts for f in made] == [50 * n for n in range(8)]
    assert {f.duration for f in made[:-1]} == {50}
    assert all(np.array_equal(a.planes[0], b.planes[0]) for a, b in zip(made, frames, strict=True))


def test_a_film_of_one_cadence_is_found_if_asked_for():
    source = pictures()[:40]
    frames = video(telecined(source, fields_of(40, (3, 2))))
    assert len(recovered(run(frames, film="32")[0], source)) >= 38
    assert "no cadence" in run(frames, film="22")[1].notes[0]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_frames(count):
    frames = video(telecined(pictures()[:10], fields_of(10, (3, 2))))[:count]
    for rate in ("frame", "field", "film"):
        made, _ = run(frames, rate)
        assert len(made) >= count
        assert [f.pts for f in made] == sorted({f.pts for f in made})


def test_film_rate_needs_film():
    with pytest.raises(StateError, match="rate=film needs film=auto or a cadence, found film=off"):
        Deinterlace(rate="film")
    with pytest.raises(StateError, match="film must be one of off, auto, 32"):
        Deinterlace(film="23")


# ---- figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", ["frame", "field", "film"])
def test_statistics_of_every_frame(rate):
    source = pictures()[:30]
    frames = video(telecined(source, fields_of(30, (3, 2)), False), False)
    stage = Deinterlace(rate=rate, film="auto")
    made = list(Pipeline([stage], "cpu")(frames, statistics=True))
    rows = [{name.removeprefix("deinterlace_"): v for name, v in f.statistics.items()} for f in made]
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert {row["order"] for row in rows} == {"bff"}
    numbers = [row["field"] for row in rows]
    assert set(numbers) == ({1} if rate == "frame" else {1, 2})
    assert rate != "field" or numbers == [1, 2] * len(frames)
    for frame, row in zip(made, rows, strict=True):
        exact = any(np.array_equal(frame.planes[0], picture) for picture in source)
        assert (row["method"] == "film") <= exact
        assert row["woven_share"] == (row["method"] == "film")
        assert row["cadence"] in ("none", "3:2")
    assert sum(row["method"] == "film" for row in rows) > 0.9 * len(rows)
    by_hand = [measure_film(b, a, FilmParameters(175, 16, 100, 2)) for a, b in itertools.pairwise(frames)]
    expected = [found.variances for found in by_hand]
    found = [tuple(row[f"v{k}"] for k in range(11)) for row in rows]
    assert set(found[3:]) <= set(expected)
    if rate == "frame":
        assert found[1:] == expected


def test_statistics_of_motion():
    rng = np.random.default_rng(2)
    still = rng.integers(0, 256, (32, 64), np.uint8)
    frames = [still.copy() for _ in range(6)]
    for n, frame in enumerate(frames):
        frame[:, :32] = 50 + 100 * (n % 2)
    stage = Deinterlace(rate="field", scenecut="off")
    rows = [f.statistics for f in Pipeline([stage], "cpu")(video(frames), statistics=True)]
    assert rows[0]["deinterlace_stmm_mean"] is None
    assert rows[0]["deinterlace_spatial_share"] == 1
    last = rows[-3]
    assert last["deinterlace_spatial_share"] == pytest.approx(0.5, abs=0.1)
    assert last["deinterlace_temporal_share"] == pytest.approx(0.5, abs=0.1)
    assert last["deinterlace_motion_share"] == pytest.approx(0.5, abs=0.1)
    assert last["deinterlace_cadence"] is None
    assert rows[2]["deinterlace_v0"] == rows[3]["deinterlace_v0"] > 0
    assert last["deinterlace_compensated_share"] == 0
    passed = next(
        iter(Pipeline([Deinterlace()], "cpu")([replace(video(frames)[0], interlaced=False)], statistics=True))
    )
    assert passed.statistics["deinterlace_method"] == "passed"
    assert passed.statistics["deinterlace_compensated_share"] is None


@pytest.mark.parametrize("mode", ["madi", "mcdi"])
def test_statistics_of_compensation(mode):
    """A texture that moves by four pixels from frame to frame over the upper half."""
    texture = np.random.default_rng(3).integers(0, 256, (32, 128), np.uint8)
    frames = [np.where(np.arange(32)[:, None] < 16, np.roll(texture, 4 * n, 1), texture) for n in range(6)]
    stage = Deinterlace(mode, rate="field", scenecut="off")
    rows = [f.statistics for f in Pipeline([stage], "cpu")(video(frames), statistics=True)]
    shares = [row["deinterlace_compensated_share"] for row in rows]
    assert shares[0] == 0
    assert (0.2 < min(shares[3:-1]) <= max(shares) <= 0.5) == (mode != "madi"), shares
    assert mode != "madi" or not any(shares)


# ---- progressive cadence reconstruction ------------------------------------------------------------------------------


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("partner", [-1, 0, 1])
def test_every_way_to_copy_a_field(partner, top_first, monkeypatch):
    """Both fields with the one before and after them (codes 1 and 2), and code 0: deinterlace (3897-3914)."""
    rng = np.random.default_rng(4)
    first = int(not top_first)
    frames = video([rng.integers(0, 256, (17, 23), np.uint8) for _ in range(4)], top_first)
    rhythm = rhythms("22")[0]
    verdicts = [FieldVerdict(n, partner, rhythm, True) for n in range(8)]
    monkeypatch.setattr(FilmPlanner, "add", lambda *_: iter(()))
    monkeypatch.setattr(FilmPlanner, "finish", lambda *_: iter(verdicts))
    made, _ = run(frames, "field", mode="madi")
    plain, _ = run(frames, "field", "off", mode="madi")
    fields = [(frame.planes[0], parity) for frame in frames for parity in (first, 1 - first)]
    for n, (result, (own, parity)) in enumerate(zip(made, fields, strict=True)):
        other = n + partner
        if partner and 0 <= other < len(fields):
            expected = own.copy()
            expected[1 - parity :: 2] = fields[other][0][1 - parity :: 2]
            assert np.array_equal(result.planes[0], expected), n
        elif not partner:
            assert np.array_equal(result.planes[0], plain[n].planes[0])


# ---- time ------------------------------------------------------------------------------------------------------------


def test_gaps_in_time_move_no_picture_from_its_fields():
    """Variable frame rate: no frame comes for seven twice. A picture stays within a field's time of its first field."""
    source = pictures()[:60]
    fields = fields_of(60, (3, 2))
    frames = video(telecined(source, fields))
    starts = [n + 7 * (n >= 20) + 7 * (n >= 45) for n in range(len(frames))]
    made, _ = run([replace(frame, pts=start) for frame, start in zip(frames, starts, strict=True)])
    shown = [frame.pts * frame.time_base * RATE for frame in made]
    assert shown == sorted(set(shown))
    assert recovered(made, source) == set(range(60))
    first_field = {source[picture].tobytes(): fields.index(picture) for picture in range(60)}
    starts.append(starts[-1] + 1)
    for frame, time in list(zip(made, shown, strict=True))[1:]:
        number, second = divmod(first_field[frame.planes[0].tobytes()], 2)
        length = starts[number + 1] - starts[number]
        assert abs(time - starts[number] - Fraction(second * length, 2)) <= Fraction(length, 2)
