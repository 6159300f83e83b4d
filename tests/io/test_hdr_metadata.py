"""HDR10's static metadata comes with the frames of a file."""

import struct
from fractions import Fraction

import av
import numpy as np
import pytest

from texsamp.io import VideoReader
from texsamp.video.hdr import ContentLight, HdrMetadata, MasteringDisplay

P3_DISPLAY = MasteringDisplay(
    ((Fraction(17, 25), Fraction(8, 25)), (Fraction(53, 200), Fraction(69, 100)), (Fraction(3, 20), Fraction(3, 50))),
    (Fraction(3127, 10000), Fraction(329, 1000)),
    (Fraction(1, 10000), Fraction(1000)),
)
X265 = (
    "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=900,300:"
    "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
)


def write_hevc(path, parameters, frames=2):
    with av.open(path, "w") as container:
        # Without B pictures and other threads no packet waits for its time; with them mux refused one once.
        options = {"preset": "ultrafast", "x265-params": f"{parameters}:bframes=0:frame-threads=1"}
        stream = container.add_stream("libx265", rate=25, options=options)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p10le"
        for number in range(frames):
            picture = av.VideoFrame(64, 64, "yuv420p10le")
            for plane in picture.planes:
                plane.update(np.full(plane.buffer_size // 2, 500, "<u2").tobytes())
            picture.pts = number
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [(X265, HdrMetadata(P3_DISPLAY, ContentLight(900, 300))), ("log-level=none", None)],
    ids=["hdr10", "none"],
)
def test_every_frame_of_a_file_carries_it(tmp_path, parameters, expected):
    write_hevc(tmp_path / "hdr.mkv", parameters)
    with VideoReader(tmp_path / "hdr.mkv") as reader:
        assert [frame.hdr for frame in reader] == [expected, expected]


def mastering_bytes(pairs, has_primaries=1, has_luminance=1):
    return struct.pack("=22i", *(word for pair in pairs for word in pair), has_primaries, has_luminance)


def test_what_a_file_does_not_say_is_none():
    pairs = [(n, 50000) for n in range(1, 11)]
    whole = MasteringDisplay.from_bytes(mastering_bytes(pairs))
    assert whole.white == (Fraction(7, 50000), Fraction(8, 50000))
    assert whole.luminance == (Fraction(9, 50000), Fraction(10, 50000))
    assert MasteringDisplay.from_bytes(mastering_bytes(pairs, has_primaries=0)) == MasteringDisplay(
        luminance=whole.luminance
    )
    assert MasteringDisplay.from_bytes(mastering_bytes(pairs, has_luminance=0)) == MasteringDisplay(
        whole.primaries, whole.white
    )


@pytest.mark.parametrize("data", [b"", bytes(87), mastering_bytes([(1, 0)] * 10)])
def test_broken_mastering_metadata_says_nothing(data):
    assert MasteringDisplay.from_bytes(data) == MasteringDisplay()


def test_broken_light_metadata_says_nothing():
    assert ContentLight.from_bytes(bytes(7)) == ContentLight()
