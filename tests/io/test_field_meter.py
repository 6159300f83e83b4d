"""Field order by the looks of pictures: told where flags are missing or wrong, and what parity=auto then takes."""

from pathlib import Path

import av
import numpy as np
import pytest
from support.media import write_video

from texsamp import process
from texsamp.compare import compare
from texsamp.io import VideoReader
from texsamp.io.frames.field_meter import FieldMeter

SIZE = (176, 144)


def pictures(kind: str, count: int = 14) -> list[av.VideoFrame]:
    """A texture that moves 3 pixels from field to field ("tff", "bff"), from frame to frame ("progressive") or not."""
    width, height = SIZE
    walk = np.random.default_rng(1).normal(size=(height, width + 120)).cumsum(1).cumsum(0)
    texture = ((walk - walk.min()) / np.ptp(walk) * 200 + 20).astype(np.uint8)
    made = []
    for number in range(count):
        times = {"tff": (2 * number, 2 * number + 1), "bff": (2 * number + 1, 2 * number), "still": (0, 0)}
        fields = times.get(kind, (2 * number, 2 * number))
        picture = av.VideoFrame(width, height, "yuv420p")
        for plane in picture.planes[1:]:
            np.frombuffer(plane, np.uint8)[:] = 128
        luma = np.frombuffer(picture.planes[0], np.uint8).reshape(height, -1)
        for parity, time in enumerate(fields):
            luma[parity::2, :width] = texture[parity::2, 3 * time : 3 * time + width]
        made.append(picture)
    return made


def write(path: Path, kind: str, flag: str | None) -> Path:
    options = {"crf": "5", **({"flags": "+ildct"} if flag else {})}
    return write_video(path, pictures(kind), options=options, stamp=flag)


LOOKS = "pictures look interlaced, {} field first"


@pytest.mark.parametrize(
    ("kind", "flag", "note", "top_first"),
    [
        ("tff", None, LOOKS.format("top"), True),
        ("bff", None, LOOKS.format("bottom"), False),
        ("bff", "tff", LOOKS.format("bottom"), True),
        ("tff", "tff", None, True),
        ("bff", "bff", None, False),
        ("progressive", None, None, None),
        ("still", None, None, None),
        ("still", "bff", None, False),
    ],
)
def test_order_is_measured_and_told_where_flags_say_other(
    tmp_path: Path, kind: str, flag: str | None, note: str | None, top_first: bool | None
) -> None:
    with VideoReader(write(tmp_path / "a.mkv", kind, flag)) as reader:
        frames = list(reader)
    assert {frame.top_field_first for frame in frames} == {top_first}  # from the first frame on
    assert {frame.interlaced for frame in frames} == {flag is not None}
    assert [text[: len(note or "")] for text in reader.notes if "look interlaced" in text] == ([note] if note else [])


@pytest.mark.parametrize(("flag", "told"), [("tff", False), ("bff", True), ("progressive", True)])
def test_flags_of_interlaced_pictures_are_asked_alone(flag: str, told: bool) -> None:
    """Most pictures are progressive and flagged so, as before a section of video or between frames of film."""
    meter = FieldMeter(SIZE[1], "yuv420p")
    for kind, name in (("progressive", "progressive"), ("tff", flag)):
        for picture in pictures(kind, 18 if kind == "progressive" else 14):
            meter.add(picture, name)
    assert meter.order == "tff"
    assert (meter.note is not None, meter.remedy is not None) == (told, told)


def test_frames_that_need_no_order_come_at_once(tmp_path: Path) -> None:
    with VideoReader(write(tmp_path / "a.mkv", "tff", None), wait_for_order=False) as reader:
        orders = [frame.top_field_first for frame in reader]
    assert (orders[0], orders[-1]) == (None, True)


@pytest.mark.parametrize("kind", ["tff", "bff"])
def test_deinterlacing_takes_the_measured_order(tmp_path: Path, kind: str) -> None:
    source = write(tmp_path / "a.mkv", kind, None)
    for parity in ("auto", kind):
        vf = f"deinterlace=mode=bob:rate=field:deint=all:parity={parity}"
        result = process(source, tmp_path / f"{parity}.mkv", vf, lossless=True, device="cpu")
        assert not any("field order of" in note or "was asked for" in note for note in result.notes)
    with VideoReader(tmp_path / "auto.mkv") as a, VideoReader(tmp_path / f"{kind}.mkv") as b:
        for left, right in zip(a, b, strict=True):
            np.testing.assert_array_equal(left.planes[0], right.planes[0])


@pytest.mark.parametrize(
    ("flag", "advice", "taken"),
    [("tff", "deinterlace=parity=bff", "parity=bff"), (None, "deinterlace=deint=all", "deint=all:mode=bob")],
)
def test_the_job_is_told_what_to_do_unless_it_does_so(
    tmp_path: Path, flag: str | None, advice: str, taken: str
) -> None:
    source = write(tmp_path / "a.mkv", "bff", flag)
    for vf, expected in (("", [advice]), ("deinterlace", [advice]), (f"deinterlace={taken}", [])):
        notes = process(source, tmp_path / "b.mkv", vf, device="cpu", overwrite=True).notes
        assert [note.split()[0] for note in notes if "as they look" in note] == expected
    told = {"tff": "film mode takes the order they move in", None: "film mode takes those of film alone"}[flag]
    notes = process(source, tmp_path / "b.mkv", "deinterlace=film=auto", device="cpu", overwrite=True).notes
    assert any(note.startswith(advice) and note.endswith(told) for note in notes)
    assert not any("deinterlace" in note for note in compare(source, source).notes), "compare deinterlaces nothing"


@pytest.mark.parametrize("size", ["320x240", "176x144"])
def test_moving_patterns_are_no_fields(tmp_path: Path, size: str) -> None:
    graph = av.filter.Graph()
    nodes = [graph.add("testsrc2", f"size={size}:rate=25"), graph.add("format", "yuv420p"), graph.add("buffersink")]
    graph.link_nodes(*nodes).configure()
    moving = [graph.pull() for _ in range(40)]
    with VideoReader(write_video(tmp_path / "a.mkv", moving, options={"crf": "5"})) as reader:
        assert {frame.top_field_first for frame in reader} == {None}
        assert not [note for note in reader.notes if "look interlaced" in note]


def test_ten_bits_are_measured_too(tmp_path: Path) -> None:
    deep = [picture.reformat(format="yuv420p10le") for picture in pictures("bff")]
    with VideoReader(write_video(tmp_path / "a.mkv", deep, "ffv1")) as reader:
        assert {frame.top_field_first for frame in reader} == {False}


def test_a_parity_against_the_flags_is_told(tmp_path: Path) -> None:
    source = write(tmp_path / "a.mkv", "bff", "bff")
    result = process(source, tmp_path / "b.mkv", "deinterlace=parity=tff", device="cpu")
    told = "deinterlace: 14 of 14 frames have the bottom field first, but parity=tff was asked for, and taken"
    assert f"{told} (parity=auto takes them as flagged)" in result.notes
    result = process(source, tmp_path / "c.mkv", "deinterlace=parity=bff", device="cpu")
    assert not any("was asked for" in note for note in result.notes)


@pytest.mark.parametrize(("name", "lossless"), [("b.mkv", False), ("b.mkv", True), ("b.mp4", False), ("b.mpg", False)])
def test_scaled_interlaced_video_keeps_its_flags(tmp_path: Path, name: str, lossless: bool) -> None:
    source = write(tmp_path / "a.mkv", "bff", "bff")
    result = process(source, tmp_path / name, "scale=320x240,sharpen", lossless=lossless, device="cpu")
    assert "14 of 14 frames are interlaced: filters take them as progressive" in result.notes
    with VideoReader(tmp_path / name) as reader:
        assert {(frame.interlaced, frame.top_field_first) for frame in reader} == {(True, False)}


def test_what_cannot_be_interlaced_is_not_measured(tmp_path: Path) -> None:
    tall = [picture.reformat(width=64, height=1280) for picture in pictures("tff", 10)]
    with VideoReader(write_video(tmp_path / "a.mkv", tall, options={"crf": "5"})) as reader:
        assert {frame.top_field_first for frame in reader} == {None}
