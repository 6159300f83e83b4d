"""Film mode on material that was coded after telecine: a codec's noise comes and goes from field to field."""

import io
from fractions import Fraction

import av
import numpy as np
import pytest
from PIL import Image
from support.telecine import fields_of, real_pictures, telecined

from benchmarks.judged_film import COMBED_DB, verdicts
from texsamp.video.film.cadence import CADENCES
from texsamp.video.film.inner_pairs import noise_within
from texsamp.video.film.variances import strip_area
from texsamp.video.film.witnesses import Witnesses

WIDTH, HEIGHT = 480, 288
INTERLACED = 0x40000 | 0x20000000  # FFmpeg's ildct and ilme


def small(count: int, bars: int) -> list[np.ndarray]:
    """Pictures of an animated film whose motion comes to rest, under black bars of so many lines."""
    made = []
    for picture in real_pictures("bigbuckbunny.mp4", count, (0, 0, 1280, 720)):
        lines = np.full((HEIGHT, WIDTH), 16, np.uint8)
        size = WIDTH, HEIGHT - 2 * bars
        lines[bars : HEIGHT - bars] = Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC)
        made.append(lines)
    return made


def coded(frames: list[np.ndarray], codec: str, bits_per_second: int, options: dict[str, str]) -> list[np.ndarray]:
    """Luma of frames after interlaced coding."""
    file = io.BytesIO()
    with av.open(file, "w", "matroska") as container:
        stream = container.add_stream(codec, rate=25, options=options)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = WIDTH, HEIGHT, "yuv420p", bits_per_second
        stream.codec_context.flags |= INTERLACED
        stream.codec_context.time_base = Fraction(1, 25)
        for luma in frames:
            planes = np.vstack([luma, np.full((HEIGHT // 2, WIDTH), 128, np.uint8)])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(planes, "yuv420p")))
        container.mux(stream.encode())
    file.seek(0)
    with av.open(file) as container:
        return [frame.to_ndarray()[:HEIGHT].copy() for frame in container.decode(video=0)]


@pytest.mark.parametrize("bars", [0, 36])
@pytest.mark.parametrize("cadence", ["32", "2332"])
def test_film_that_comes_to_rest_stays_film_in_mpeg_2(cadence, bars):
    """Where little moves, noise of pairs of one picture is what pairs of two misfit by elsewhere."""
    source, fields = small(64, bars), fields_of(64, CADENCES[cadence])
    found = verdicts(
        coded(telecined(source, fields), "mpeg2video", 3_000_000, {"g": "15", "bf": "2", "threads": "1"}), True
    )
    assert not [v for v in found if v.partner and fields[v.number] != fields[v.number + v.partner]]
    assert len({fields[v.number] for v in found if v.partner}) >= 56
    shown = [fields[v.number] for v in found if v.shown]
    assert len(shown) - len(set(shown)) <= 3


def test_video_in_h_264_is_not_taken_for_film():
    """Where little moves a codec gives both fields of a frame the same motion; what moves most combs in every pair."""
    source = small(64, 0)
    options = {"preset": "fast", "x264-params": "interlaced=1:tff=1:threads=1:asm=0"}  # else it differs from run to run
    found = verdicts(coded(telecined(source, list(range(64))), "libx264", 1_500_000, options), True)
    assert not [v for v in found if v.rhythm]


@pytest.mark.parametrize("crf", ["26", "32"])
def test_video_whose_calm_parts_were_coded_as_film_does_not_comb(crf):
    """A codec makes one picture of both fields of a frame where little moves; what moves goes on within them."""
    source = small(64, 0)
    options = {"preset": "fast", "x264-params": f"interlaced=1:tff=1:threads=1:asm=0:crf={crf}"}
    found = verdicts(coded(telecined(source, list(range(64))), "libx264", 1_500_000, options), True)
    assert len([v for v in found if v.partner]) < 32
    combed = 0
    for verdict in (v for v in found if v.partner):
        errors = (source[verdict.number].astype(float) - source[verdict.number + verdict.partner]) ** 2
        errors[verdict.number % 2 :: 2] = 0
        for strip in verdict.video_strips:
            errors[strip_area(strip, WIDTH)] = 0
        combed += 10 * np.log10(255**2 / max(errors.mean(), 1e-9)) < COMBED_DB
    assert combed == 0


@pytest.mark.parametrize(
    ("own", "ends", "steps", "expected"),
    [
        (11.0, 20.0, (0.05, 0.2), True),  # less than 0.6 of what those at its ends misfit by
        (15.0, 20.0, (0.05, 0.2), False),
        (9.0, 4.0, (0.05, 0.2), True),  # less than twice the 5 of other pictures: hardly anything moves here
        (11.0, 4.0, (0.05, 0.2), False),
        (11.0, 20.0, (0.2, 0.05), False),  # fields of a picture change alike, those of video do not
    ],
)
def test_pairs_of_a_picture_that_misfit_more_than_others_may_be_noise(own, ends, steps, expected):
    """In 2:2, whose other pairs misfit by 5 within pictures and by 20 between them."""
    begins = np.arange(40)[np.newaxis] % 2 == 0
    fields = Witnesses()
    for number, begin in enumerate(begins[0]):
        misfit = {20: ends, 21: own, 22: ends}.get(number, 20.0 if begin else 5.0)
        fields.combs.append(misfit)
        fields.leanings.append(misfit)
        fields.steps.append(steps[int(begin)])
        fields.cuts.append(False)
        fields.sures.append(False)
    noise, calm = noise_within(fields, begins, 0, 20)
    assert noise[0, 21] == expected
    assert calm[0, 9] == (steps[0] < steps[1])
