"""AVI counts packets and does not say when pictures are shown: the n-th is shown at the n-th packet's time."""

from fractions import Fraction

import numpy as np
import pytest
from support.media import gray_ramp, write_video

import texsamp as ts
from texsamp.io.input.picture_times import picture_times

COUNT = 60
REORDERING = {
    "mpeg4": {"bf": "2"},
    "mpeg2video": {"bf": "2"},
    "libx264": {"bf": "3", "x264-params": "b-adapt=0:b-pyramid=normal:open-gop=1"},
    "h264 as it comes": {"bf": "0"},
}


@pytest.fixture(params=REORDERING, scope="module")
def clip(request, tmp_path_factory):
    """The brightness tells which picture it is."""
    codec = request.param if request.param != "h264 as it comes" else "libx264"
    pictures = [gray_ramp(64, 48, n) for n in range(COUNT)]
    options = {**REORDERING[request.param], "g": "12", "qmin": "2", "qmax": "4"}
    return write_video(tmp_path_factory.mktemp("counted") / "clip.avi", pictures, codec=codec, options=options)


def read(clip, **cut):
    with ts.VideoReader(clip, **cut) as reader:
        return {frame.pts * frame.time_base: np.asarray(frame.plane(0)).copy() for frame in reader}


def test_pictures_of_avi_are_at_the_times_of_packets(clip):
    """FFmpeg's guesses are a picture or more late beside the sound; those of H.264 are in disorder."""
    expected = [Fraction(n, 25) for n in range(COUNT)]
    found = read(clip)
    assert list(found) == expected
    assert picture_times(str(clip)) == expected
    assert [round(picture.mean()) for picture in found.values()] == pytest.approx(
        [16 + 4 * n % 220 for n in range(COUNT)], abs=2
    )


@pytest.mark.parametrize("start_s", [Fraction(n, 25) for n in (10, 25, 38, 55)])
def test_a_cut_of_avi_begins_with_the_same_pictures(clip, monkeypatch, start_s):
    """Pictures before the first key frame are missing there, so that counting begins at the second."""
    monkeypatch.setattr("texsamp.io.input.av_source.SEEK_MARGIN_S", 1)
    whole, part = read(clip), read(clip, start_s=start_s)
    assert list(part) == [time for time in whole if time >= start_s]
    assert all(np.array_equal(whole[time], picture) for time, picture in part.items())


def test_a_packet_without_a_picture_moves_nothing_behind_the_next_key_frame(clip):
    data = bytearray(clip.read_bytes())
    place = 0
    for _ in range(6):
        place = data.index(b"00dc", place + 4)
    size = int.from_bytes(data[place + 4 : place + 8], "little")
    data[place + 8 : place + 8 + size] = bytes(size)
    damaged = clip.with_name("damaged.avi")
    damaged.write_bytes(data)
    whole, found = read(clip), read(damaged)
    late = [time for time in whole if time >= Fraction(24, 25)]
    assert [time for time in found if time >= late[0]] == late
    assert all(np.array_equal(whole[time], found[time]) for time in late[4:])
