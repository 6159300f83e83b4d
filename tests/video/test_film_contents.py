"""Film mode on contents that mislead it: much detail, edits in quick succession, video that looks like film."""

import gc

import av
import av.filter
import numpy as np
import pytest
from support.telecine import fields_of, noisy, real_pictures, telecined, video

from benchmarks.judged_film import _moved, judged_clip
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.film.cadence import CADENCES
from texsamp.video.film.meter import FilmMeter
from texsamp.video.film.planner import FieldVerdict, FilmPlanner
from texsamp.video.film.variances import FilmParameters
from texsamp.video.frame import Frame


def verdicts(frames: list[np.ndarray], top_first: bool = True) -> list[FieldVerdict]:
    planner, meter, found = FilmPlanner("auto"), FilmMeter(FilmParameters(175, 16, 100, 2)), []
    for number, frame in enumerate(video(frames, top_first)):
        found += planner.add(meter.measure(frame), int(not top_first), number == 0)
    return found + list(planner.finish())


def wrongly_woven(found: list[FieldVerdict], fields: list[int]) -> list[tuple[int, int]]:
    """Pairs of different pictures that were put together."""
    pairs = [(fields[v.number], fields[v.number + v.partner]) for v in found if v.partner]
    return [(a, b) for a, b in pairs if a != b]


# ---- film ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("cadence", ["32", "2332", "32322"])
def test_detail_that_combs_more_than_what_moves(cadence, top_first):
    """A sharp small picture with little motion: repeated fields tell how much of the combs is detail."""
    source = real_pictures("carphone_pristine.mp4", 60, (0, 0, 176, 144))
    fields = fields_of(60, CADENCES[cadence])
    found = verdicts(telecined(source, fields, top_first), top_first)
    assert not wrongly_woven(found, fields)
    assert len({fields[v.number] for v in found if v.partner}) >= 59


def test_edits_in_quick_succession_comb_nothing():
    """Pieces of 8 to 40 fields: the comb of one edit does not hide that the fields around the next one differ."""
    source = real_pictures("bikes.mp4", 120, (160, 64, 320, 144))
    whole, rng = fields_of(120, (3, 2)), np.random.default_rng(5)
    fields = []
    for _ in range(30):
        start = int(rng.integers(0, len(whole) - 40))
        fields += whole[start : start + int(rng.integers(8, 40))]
    found = verdicts(telecined(source, fields))
    wrong = wrongly_woven(found, fields)
    assert all(np.square(source[a].astype(np.int64) - source[b]).mean() < 150 for a, b in wrong), wrong
    assert sum(v.partner != 0 for v in found) > len(fields) // 3


def test_sharp_patterns_that_move_with_the_film_are_woven():
    """FFmpeg's test picture: what its moving dots comb by themselves is no video within the film."""
    graph = av.filter.Graph()
    graph.link_nodes(graph.add("testsrc2", "s=320x240:r=24"), graph.add("format", "gray"), graph.add("buffersink"))
    graph.configure()
    source = [graph.pull().to_ndarray() for _ in range(60)]
    fields = fields_of(60, (3, 2))
    found = verdicts(telecined(source, fields))
    assert not wrongly_woven(found, fields)
    assert sum(v.partner == 0 for v in found) <= len(found) // 20


@pytest.mark.parametrize("drawn", [2, 3])
def test_drawings_that_last_two_or_three_pictures(drawn):
    source = real_pictures("bikes.mp4", 66, (160, 64, 320, 144))
    drawings = [source[drawn * (n // drawn)] for n in range(66)]
    fields = [drawn * (n // drawn) for n in fields_of(66, (3, 2))]
    found = verdicts(telecined(source, fields))
    assert not wrongly_woven(found, fields)
    assert len({fields[v.number] for v in found if v.partner}) >= len({p.tobytes() for p in drawings}) - 1


def test_film_stays_film_where_nothing_moves_for_a_while():
    moving = real_pictures("bikes.mp4", 64, (160, 64, 320, 144))[31:]  # one scene
    source = moving[:16] + [moving[16]] * 25 + moving[16:]
    fields = fields_of(len(source), (3, 2))
    found = verdicts(telecined(source, fields))
    assert sum(v.rhythm is None for v in found) <= 5
    assert not wrongly_woven(found, [min(f, 16) if f < 42 else f - 25 for f in fields])


@pytest.mark.parametrize("cadence", ["22", "32", "2332"])
def test_film_under_a_light_that_flickers_from_field_to_field(cadence):
    """Only fields of one picture and one light are woven; a light for each picture of a film loses none."""
    source = real_pictures("bikes.mp4", 64, (160, 64, 320, 144))
    fields = fields_of(64, CADENCES[cadence])
    lit = [(source[f] * (0.8 if n % 8 < 4 else 1.0)).astype(np.uint8) for n, f in enumerate(fields)]
    found = verdicts(telecined(lit, range(len(lit))))
    assert not wrongly_woven(found, fields)
    assert not wrongly_woven(found, [n % 8 < 4 for n in range(len(lit))])
    of_pictures = [(p * (1 - n * 7 % 10 / 50)).astype(np.uint8) for n, p in enumerate(source)]
    found = verdicts(telecined(of_pictures, fields))
    assert not wrongly_woven(found, fields)
    assert len({fields[v.number] for v in found if v.partner}) >= 62


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("step", [0.97, 1.0, -0.97])
def test_film_that_moves_by_nearly_a_line_is_under_no_lamp(step, top_first):
    """Its wrong pairs comb next to nothing, so that no light can be asked to explain that."""
    pictures = _moved(np.random.default_rng(3), 0, 0.97 if step < 0 else step)[:60]
    fields = fields_of(60, CADENCES["22"])
    found = verdicts(telecined(pictures[::-1] if step < 0 else pictures, fields, top_first), top_first)
    assert not wrongly_woven(found, fields)
    assert sum(verdict.partner != 0 for verdict in found) == len(fields)


@pytest.mark.parametrize("lines", [1.5, -1])
@pytest.mark.parametrize("cadence", ["22", "32"])
def test_textures_that_move_by_a_line_are_film(lines, cadence):
    """Fields of two pictures a line apart show the same lines: they comb less than those of one picture."""
    fields = fields_of(48, CADENCES[cadence])
    found = verdicts(telecined(scroll(lines, 48), fields))
    assert not wrongly_woven(found, fields)
    assert len({fields[v.number] for v in found if v.partner}) >= 47


@pytest.mark.parametrize("cadence", ["22", "55"])
def test_small_things_that_move_on_a_chart_of_single_lines(cadence):
    """What stands combs or leans many times as much as what moves: only where something changes does that tell."""
    chart = np.where(np.arange(96) % 2, 140, 100).astype(np.uint8)[:, None].repeat(160, 1)
    source = [chart.copy() for _ in range(40)]
    for n, picture in enumerate(source):
        picture[20:34, 5 + 3 * n :][:, :12] = 250
        picture[60 + n // 2 :, 130 - 2 * n :][:9, :10] = 0
    fields = fields_of(40, CADENCES[cadence])
    found = verdicts(telecined(source, fields))
    assert not wrongly_woven(found, fields)
    assert len({fields[v.number] for v in found if v.partner}) >= 39


def test_small_things_that_move_on_a_chart_of_pairs_of_lines():
    """Each field of it has a black line after each white one: what stands leans more than all that moves."""
    y, x = np.mgrid[:96, :160]
    chart = (40 + 170 * ((y // 2 + x // 5) % 2)).astype(np.uint8)
    source = [chart.copy() for _ in range(40)]
    for n, picture in enumerate(source):
        picture[20 + n // 3 : 34 + n // 3, 5 + 3 * n :][:, :12] = 200
        picture[61:70, 130 - 2 * n :][:, :10] = 200
    found = verdicts(telecined(source, fields_of(40, CADENCES["22"])))
    assert not wrongly_woven(found, fields_of(40, CADENCES["22"]))
    assert len({v.number // 2 for v in found if v.partner}) >= 37  # the others comb in their tile, and are deinterlaced


def test_two_fields_that_changed_as_much_are_of_one_picture_where_others_did_not():
    """A camera that shakes before sharp detail: some pictures misfit themselves more than others the one before."""
    source = real_pictures("carphone_pristine.mp4", 120, (0, 0, 176, 144))[40:104]
    fields = fields_of(64, CADENCES["22"])
    found = verdicts(telecined(source, fields))
    assert not wrongly_woven(found, fields)
    assert len({fields[v.number] for v in found if v.partner}) >= 62


def test_drawings_on_threes_lock_by_repeated_fields():
    source = real_pictures("bikes.mp4", 63, (160, 64, 320, 144))
    fields = [3 * (n // 3) for n in fields_of(63, CADENCES["2224"])]
    found = verdicts(telecined(source, fields))
    assert not wrongly_woven(found, fields)
    assert {fields[v.number] for v in found if v.partner} == set(fields)


@pytest.mark.parametrize("cadence", ["66", "87"])
def test_jumps_of_a_camera_that_rests_are_no_cuts(cadence):
    """Some change far more than those before: the fields repeated on both sides tell that the film goes on."""
    whole = np.tile(real_pictures("bigbuckbunny.mp4", 1, (400, 200, 320, 144))[0], (1, 2))
    places = np.cumsum([1] + [1, 1, 30, 1, 2, 45, 1, 1] * 4) % 320
    source = [whole[:, x : x + 160] for x in places]
    fields = fields_of(len(source), CADENCES[cadence])
    found = verdicts(telecined(source, fields))
    assert not wrongly_woven(found, fields)
    assert {fields[v.number] for v in found if v.partner} == set(fields)


def test_a_camera_that_rests_now_and_then_loses_no_picture():
    """Each picture is shown six times: fields that stay as they are tell, and no jump is taken for a cut."""
    whole = np.tile(real_pictures("bigbuckbunny.mp4", 1, (400, 200, 320, 144))[0], (1, 2))
    places = np.cumsum([1] + [9, 8, 1, 1, 7, 1, 12, 11, 1, 2] * 3)
    source = [whole[:, x : x + 160] for x in places]
    fields = fields_of(len(source), CADENCES["66"])
    found = verdicts(telecined(source, fields))
    assert not wrongly_woven(found, fields)
    assert len({fields[v.number] for v in found if v.partner}) >= len(source) - 3


# ---- video -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cadence", ["22", "2332", "2224"])
def test_real_film_that_hardly_changes_is_told_by_its_steps(cadence):
    """Fourteen pictures before a cut change by less than a squared level: 13, 7 and 13 of them were lost."""
    row = judged_clip("test", "real", cadence, 11001)
    assert row.combed == 0
    assert row.recovered >= row.pictures - 1


def test_a_step_of_one_pair_within_pictures_breaks_no_lock():
    """What a single edit or light makes of it counts four times the middle one: 25 pictures were shown twice."""
    assert judged_clip("test", "real", "87", 11001).twice <= 12


def texture(height: int, width: int = 160) -> np.ndarray:
    noise = np.random.default_rng(1).integers(0, 256, (height + 4, width + 4)).astype(np.float64)
    rows = sum(w * noise[k : k + height] for k, w in enumerate((1, 4, 6, 4, 1)))
    return sum(w * rows[:, k : k + width] for k, w in enumerate((1, 4, 6, 4, 1))) / 256


@pytest.mark.parametrize("top_first", [True, False])
@pytest.mark.parametrize("period", [2, 4, 5])
@pytest.mark.parametrize("darkest", [0.75, 0.94])
def test_video_under_a_light_that_flickers_is_no_film(darkest, period, top_first):
    """Four fields of which two are dark look like 2:2, five of which three are like 3:2, but for what moves."""
    for pictures in (scroll(3, 64), real_pictures("bikes.mp4", 64, (160, 64, 320, 144))):
        lit = [(p * (darkest if n % period < period / 2 else 1.0)).astype(np.uint8) for n, p in enumerate(pictures)]
        found = verdicts(telecined(lit, range(64), top_first), top_first)
        assert not any(verdict.partner for verdict in found)


@pytest.mark.parametrize("period", [4, 5])
def test_video_under_a_light_that_flickers_in_part_of_the_picture_is_no_film(period):
    pictures = [p.copy() for p in real_pictures("bikes.mp4", 64, (160, 64, 320, 144))]
    for picture in [p for n, p in enumerate(pictures) if n % period < period / 2]:
        picture[:72] = picture[:72] * 0.75
    assert not any(verdict.partner for verdict in verdicts(telecined(pictures, range(64), True)))


def scroll(step: float, count: int) -> list[np.ndarray]:
    page = texture(96 + 3 * count)
    pictures = []
    for n in range(count) if step > 0 else range(count - 1, -1, -1):
        line, part = divmod(n * abs(step), 1)
        above, below = page[int(line) : int(line) + 96], page[int(line) + 1 : int(line) + 97]
        pictures.append(np.rint((1 - part) * above + part * below).astype(np.uint8))
    return pictures


@pytest.mark.parametrize("step", [0.5, 1, 2, 3, -0.5, -1, -2])
@pytest.mark.parametrize("sigma", [0, 5])
def test_scrolls_are_no_film(step, sigma):
    """Half a line to three per field, up and down: every pair of fields combs alike."""
    frames = telecined(scroll(step, 64), range(64))
    assert not any(v.rhythm for v in verdicts(noisy(frames, sigma) if sigma else frames))


@pytest.mark.parametrize("name", ["carphone_distorted.mp4", "carphone_pristine.mp4"])
@pytest.mark.parametrize(("every", "top_first", "sigma"), [(1, True, 0), (1, False, 0), (2, True, 0), (1, True, 4)])
def test_video_of_much_detail_is_no_film(name, every, top_first, sigma):
    """Pairs of fields comb more and less without an order, and for a while as film does."""
    source = real_pictures(name, 160, (0, 0, 176, 144))
    frames = telecined(source, range(0, len(source) - 1, every), top_first)
    assert not any(v.rhythm for v in verdicts(noisy(frames, sigma, 8) if sigma else frames, top_first))


@pytest.mark.parametrize("step", [1, 2, 3])
def test_credits_that_scroll_are_no_film(step):
    """Pairs of fields comb more and less in turn, with the lines of sharp text."""
    page = np.repeat(np.random.default_rng(step).integers(0, 2, (100 + 3 * 64, 40)) * 220, 4, 1).astype(np.uint8)
    page[np.arange(len(page)) % 16 < 5] = 16
    frames = telecined([page[step * n :][:96] for n in range(64)], range(64))
    assert not any(v.rhythm for v in verdicts(frames))


def test_a_pan_that_stutters_is_no_film():
    whole = np.tile(real_pictures("bigbuckbunny.mp4", 1, (400, 200, 320, 144))[0], (1, 3))
    places = np.cumsum(np.random.default_rng(3).integers(0, 3, 200)) % 320
    pictures = [whole[:, x : x + 320] for x in places]
    assert not any(v.rhythm for v in verdicts(telecined(pictures, range(200))))


@pytest.mark.parametrize("repeated", [2, 5])
def test_video_with_repeated_frames_is_no_film(repeated):
    """Of 25 frames a second made 30 by showing every fifth one twice, or 50 by showing each twice."""
    source = real_pictures("bikes.mp4", 160, (160, 64, 320, 144))
    frames = telecined(source, range(160))
    shown = [f for n, f in enumerate(frames) for f in [f] * (2 if n % repeated == repeated - 1 else 1)]
    assert not any(v.partner for v in verdicts(shown))


@pytest.mark.parametrize("dy", [0, 1])
@pytest.mark.parametrize("cadence", ["32", "2332", "euro"])
def test_film_whose_field_order_is_told_wrongly_is_not_woven_wrongly(cadence, dy):
    """Two fields that are told to follow each other are of pictures farther apart than those around them."""
    large = real_pictures("bikes.mp4", 1, (0, 0, 640, 272))[0]
    source = [large[16 + dy * n :, 3 * n :][:144, :320] for n in range(60)]
    fields = fields_of(60, CADENCES[cadence])[1:-1]
    found = verdicts(telecined(source, fields, top_first=True), top_first=False)
    stored = [fields[n ^ 1] for n in range(len(fields) // 2 * 2)]
    assert not wrongly_woven(found, stored)


# ---- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("rate", ["film", "field", "frame"])
def test_a_long_film_holds_no_more_frames_than_a_short_one(rate):
    rng = np.random.default_rng(4)
    stage, held = Deinterlace("bob", rate, film="auto"), []
    still = rng.integers(0, 256, (16, 16), np.uint8)
    of_others = frames_alive()
    for number, frame in enumerate(endless(still, 150)):
        for made in stage.feed(frame):
            made.figures()
            del made
        del frame
        if number in (60, 100, 149):
            held.append(frames_alive() - of_others)
    assert held[0] == held[1] == held[2] < 30, held


def frames_alive() -> int:
    """Of this process, other tests' among them."""
    gc.collect()
    return sum(isinstance(thing, Frame) for thing in gc.get_objects())


def endless(still: np.ndarray, count: int):
    """Frames made one by one, and kept by nobody here."""
    for number in range(count):
        (frame,) = video([np.roll(still, number, 1)])
        yield Frame.from_arrays(
            "gray", frame.planes, 16, 16, "cpu", pts=number, duration=1, time_base=frame.time_base, interlaced=True
        )
