"""Videos in segments: every picture is that of one run, whatever filters remember, and seams that disagree are seen."""

from dataclasses import replace

import numpy as np
import pytest
from support.media import av_picture, write_video
from support.segments import here, shorten
from texsamp.cli.main import app
from typer.testing import CliRunner

import texsamp as ts
from texsamp.segments import agreed, run
from texsamp.segments.cut import SHORTEST, Segment, plan_segments
from texsamp.segments.hashed import hash_segments
from texsamp.video.memory import fingerprint, recalled, remembered

COUNT, SIZE, WARM = 56, (32, 16), 24


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A ramp that moves under noise, with B-frames, and key frames where no segment begins."""
    made = []
    for number in range(COUNT):
        picture, random = av_picture("yuv420p", *SIZE, 1), np.random.default_rng(number)
        ramp = np.add.outer(np.arange(SIZE[1]), np.arange(SIZE[0]) + 2 * number) * 3 % 180
        luma = np.frombuffer(picture.planes[0], np.uint8).reshape(SIZE[1], -1)
        luma[:, : SIZE[0]] = ramp + random.integers(0, 12, ramp.shape)
        made.append(picture)
    path = tmp_path_factory.mktemp("segments") / "in.mkv"
    return write_video(path, made, options={"crf": "12", "g": "17", "preset": "ultrafast", "bf": "2"})


@pytest.fixture
def in_this_process(monkeypatch):
    monkeypatch.setattr(agreed, "processes", here)
    shorten(monkeypatch, COUNT // 2, WARM)


def in_segments(source, vf, count=2, **changes):
    """The hashes, and what was noted. Segments are shorter than people's."""
    whole, told = Segment(str(source), vf, "cpu"), []
    parts = plan_segments(whole, count)
    assert len(parts) == count
    if changes:
        parts = [replace(part, **changes) if part.first_s is not None else part for part in parts]
    return list(hash_segments(whole, parts, told.append)), told[0]


FORGETFUL = ["", "scale=24x20", "sharpen=44", "procamp=contrast=1.1", "csc=matrix=bt709", "skintone", "denoise=20"]
DEINTERLACED = [f"deinterlace=mode={mode}:deint=all:rate=field" for mode in ("bob", "madi", "mcdi", "hq", "best")]
CHAIN = "deinterlace=mode=hq:deint=all,denoise=20,scale=24x20,sharpen=20"
REMEMBERING = ["denoise", "denoise=fast,scale=24x20", "denoise=hq", "contrast", "deinterlace=film=auto:deint=all"]


@pytest.mark.parametrize("vf", [*FORGETFUL, *DEINTERLACED, CHAIN, "sharpen=auto", *REMEMBERING])
def test_pictures_are_those_of_one_run(clip, in_this_process, vf):
    found, note = in_segments(clip, vf)
    assert found == list(ts.hash_frames(clip, vf, "cpu"))
    assert note.segments == 2
    if vf != "sharpen=auto":
        assert note.again == ((2,) if vf in REMEMBERING else ())


def test_a_note_names_the_segments_that_were_filtered_again():
    """ "2 of them" was taken for two."""
    assert str(agreed.SegmentNote(4, (2, 3))) == (
        "filtered in 4 segments; once more, since filters remember what came before: 2, 3"
    )


def test_filters_that_keep_to_their_process_make_one_segment(clip, in_this_process):
    found, note = in_segments(clip, "hflip")
    assert found == list(ts.hash_frames(clip, "hflip", "cpu"))
    assert "filtered as a whole: FFmpeg's filters do not travel" in str(note)


def test_a_seam_with_other_pictures_is_seen(clip, in_this_process):
    """As of a file that decodes otherwise from its middle on."""
    begin_s = plan_segments(Segment(str(clip), "", "cpu"), 2)[1].first_s
    found, note = in_segments(clip, "scale=24x20", warm_s=begin_s)
    assert found == list(ts.hash_frames(clip, "scale=24x20", "cpu"))
    assert str(note) == "filtered as a whole: read from its middle it has other pictures"


def test_an_order_of_fields_that_is_found_out_late_is_seen(clip, in_this_process, monkeypatch):
    """Reading again from the middle looks at other pictures."""

    class Reader(run.VideoReader):
        def __next__(self):
            frame = super().__next__()
            return replace(frame, top_field_first=None if frame.pts * frame.time_base * 25 < 40 else True)

    monkeypatch.setattr(run, "VideoReader", Reader)
    found, note = in_segments(clip, "scale=24x20")
    assert found == list(ts.hash_frames(clip, "scale=24x20", "cpu"))
    assert "which of its fields comes first" in str(note)


def test_short_files_and_pipes_make_one_segment(clip, tmp_path):
    assert len(plan_segments(Segment(str(clip), "", "cpu"), 4)) == 1
    assert COUNT < 2 * SHORTEST
    assert plan_segments(Segment("-", "", "cpu"), 4) == [Segment("-", "", "cpu")]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"segments": 0}, "the number of segments must be an integer from 1 to 1024, found 0"),
        ({"segments": 2, "duration_s": 1.0}, "segments are those of a whole file"),
        ({"segments": 2, "vf": ts.Pipeline([], "cpu")}, "give the filters as text"),
        ({"segments": 2, "vf": "nosuch"}, "nosuch"),
    ],
)
def test_what_cannot_be_cut_is_refused(clip, given, message):
    with pytest.raises(ts.StateError, match=message):
        list(ts.hash_frames(clip, **given))


def test_fingerprints_tell_values_and_not_places():
    def stages(frames, vf="deinterlace=mode=hq:deint=all,scale=20x12"):
        pipeline, random = ts.Pipeline.parse(vf, "cpu"), np.random.default_rng(0)
        for number in range(frames):
            planes = [random.integers(0, 256, (16, 16), np.uint8)]
            list(pipeline.feed(replace(ts.Frame.from_arrays("gray", planes, 16, 16, "cpu"), pts=number)))
        return pipeline.stages

    assert fingerprint(stages(3)) == fingerprint(stages(3)) == fingerprint(recalled(remembered(stages(3))))
    assert fingerprint(stages(3)) != fingerprint(stages(4))
    told = stages(3)
    told[0].note("something")
    assert fingerprint(told) == fingerprint(stages(3))


def test_processes_of_the_shell(clip, monkeypatch):
    """Real ones."""
    shorten(monkeypatch, COUNT // 2, WARM)
    one, two = (CliRunner().invoke(app, ["hash", str(clip), "--vf", "scale=8x8", "--segments", n]) for n in "12")
    assert one.stdout == two.stdout
    assert len(two.stdout.splitlines()) > COUNT
    assert (one.stderr, two.stderr) == ("", "note: filtered in 2 segments\n")
