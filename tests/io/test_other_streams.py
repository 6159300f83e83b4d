"""The file opened once more for its sound: the same packets, without decoding a picture where times need none."""

from itertools import pairwise

import av
from support.sync import write_part

from texsamp.io import VideoReader
from texsamp.io.streams.other_streams import other_streams


def test_sound_of_mp4_is_read_without_decoding_pictures(tmp_path):
    path = tmp_path / "a.mp4"
    write_part(path, [0.4], 25, 1.0, video="libx264", audio="aac")
    with VideoReader(path) as reader:
        source = other_streams(reader, is_cut=False)
        found = []
        while (packet := source.next(lambda stream: stream.type == "audio", wait=True)) is not None:
            found.append((packet.pts, packet.dts, packet.duration, bytes(packet)))
        assert reader.layout.name == "yuv420p"
        assert source.templates[reader.info.video_index].codec_context.pix_fmt is None
        source.close()
    with av.open(path) as plain:
        told = [(p.pts, p.dts, p.duration, bytes(p)) for p in plain.demux(audio=0) if p.size]
    assert found == told
    assert all(after[0] > before[0] for before, after in pairwise(found))
