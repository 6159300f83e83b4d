"""Hashes of pictures: what FFmpeg's framehash says of them, lists beside a video, and finding the first difference."""

import json

import av
import pytest
from support.media import av_picture, write_video
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp import hash_frames, process
from texsamp.device import set_threads
from texsamp.errors import MediaError
from texsamp.hashes import HashDifference, first_hash_difference
from texsamp.io.frame_hashes import HashList, read_hashes

FILTERS = "deinterlace=mode=madi:deint=all:rate=field,scale=40x26"


def clip(folder, pix_fmt="yuv420p", count=6):
    return write_video(folder / "in.mkv", [av_picture(pix_fmt, 35, 23, n) for n in range(count)], codec="ffv1")


def framehash(source, target):
    """FFmpeg's own list of a video's pictures."""
    with av.open(source) as reader, av.open(target, "w", format="framehash", options={"hash": "sha256"}) as writer:
        stream = writer.add_stream("rawvideo", rate=25)
        shown = reader.streams.video[0]
        stream.width, stream.height, stream.pix_fmt = shown.width, shown.height, shown.pix_fmt
        for picture in reader.decode(video=0):
            writer.mux(stream.encode(picture))
    return target


@pytest.mark.parametrize("pix_fmt", ["yuv420p", "nv12", "gray", "bgra"])
def test_hashes_are_those_of_ffmpeg(tmp_path, pix_fmt):
    codec = "rawvideo" if pix_fmt == "nv12" else "ffv1"
    pictures = [av_picture(pix_fmt, 35, 23, n) for n in range(3)]
    video = write_video(tmp_path / "in.nut", pictures, codec=codec)
    listed = read_hashes(framehash(video, tmp_path / "theirs.txt"))
    assert [found.digest for found in hash_frames(video, device="cpu")] == listed
    assert len(set(listed)) == 3


def test_a_list_beside_a_video_is_what_hash_finds(tmp_path):
    video = clip(tmp_path)
    process(video, tmp_path / "out.mkv", FILTERS, device="cpu", manifest=tmp_path / "list.txt")
    text = HashList()
    found = list(hash_frames(video, FILTERS, device="cpu"))
    assert (tmp_path / "list.txt").read_text() == "".join(map(text.add, found))
    assert len(found) == 12 and len({picture.digest for picture in found}) == 12
    times = [line.split(",")[2].strip() for line in (tmp_path / "list.txt").read_text().splitlines()[-12:]]
    assert [int(time) for time in times] == [picture.pts for picture in found]


def test_threads_change_no_hash(tmp_path):
    video = clip(tmp_path)
    found = []
    try:
        for threads in (1, 3):
            set_threads(threads)
            found.append([picture.digest for picture in hash_frames(video, FILTERS, device="cpu")])
    finally:
        set_threads(None)
    assert found[0] == found[1]


def test_the_first_difference_is_named(tmp_path):
    found = list(hash_frames(clip(tmp_path), device="cpu"))
    digests = [picture.digest for picture in found]
    assert first_hash_difference(digests, found) == (6, None)
    assert first_hash_difference(digests[:4], found) == (5, HashDifference(4, None, digests[4]))
    assert first_hash_difference(digests, found[:4]) == (4, HashDifference(4, digests[4], None))
    assert first_hash_difference([*digests[:2], "0" * 64], found) == (3, HashDifference(2, "0" * 64, digests[2]))


def test_the_command_checks_a_list(tmp_path):
    video, listed = str(clip(tmp_path)), str(tmp_path / "list.txt")
    made = CliRunner().invoke(app, ["hash", video, "--vf", FILTERS, "--device", "cpu"])
    (tmp_path / "list.txt").write_text(made.stdout)
    same = CliRunner().invoke(app, ["hash", video, "--vf", FILTERS, "--device", "cpu", "--check", listed])
    assert (same.exit_code, same.stdout) == (0, "identical: 12 frames\n")
    other = CliRunner().invoke(app, ["hash", video, "--vf", FILTERS, "--frames", "5", "--check", listed, "--json"])
    assert other.exit_code == 1
    answer = json.loads(other.stdout)
    assert (answer["identical"], answer["found"]) == (False, None) or answer["frame"] < 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no list of SHA256"),
        ("#format: frame checksums\n#hash: MD5\n", "no list of SHA256"),
        ("#format: frame checksums\n#hash: SHA256\n0, 1, 2\n", "line 3"),
        ("#format: frame checksums\n#hash: SHA256\n0, 0, 0, 1, 9, " + "g" * 64, "line 3"),
    ],
)
def test_what_is_no_list_is_refused(tmp_path, text, words):
    path = tmp_path / "list.txt"
    path.write_text(text)
    with pytest.raises(MediaError, match=words):
        read_hashes(path)


def test_a_list_is_complete_or_not_there(tmp_path):
    video = clip(tmp_path)
    with pytest.raises(MediaError, match="the hashes would be written over the statistics"):
        process(video, tmp_path / "out.mkv", stats=tmp_path / "x", manifest=tmp_path / "x", device="cpu")
    with pytest.raises(MediaError, match="written over the video"):
        process(video, tmp_path / "out.mkv", manifest=video, device="cpu")
    assert [path.name for path in tmp_path.iterdir()] == ["in.mkv"]
