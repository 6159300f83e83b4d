"""Files that several tests read; made once."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from support.media import gray_ramp

SRT = """1
00:00:00,200 --> 00:00:00,900
first line

2
00:00:01,000 --> 00:00:02,600
second line

3
00:00:03,000 --> 00:00:03,500
third line
"""

COVER = b"not really a font" * 100
AUDIO_RATE = 48000


def _audio_frames(seconds: int, pitch: int) -> list[av.AudioFrame]:
    frames = []
    for start in range(0, AUDIO_RATE * seconds, 1024):
        t = np.arange(start, start + 1024)
        tone = (8000 * np.sin(2 * np.pi * pitch * t / AUDIO_RATE)).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(np.repeat(tone[None, :], 2, 0).T.reshape(1, -1), "s16", "stereo")
        frame.sample_rate, frame.pts, frame.time_base = AUDIO_RATE, start, Fraction(1, AUDIO_RATE)
        frames.append(frame)
    return frames


def _mux_all(container: Any, streams: list[tuple[Any, list[Any]]]) -> None:
    for stream, frames in streams:
        for frame in [*frames, None]:
            container.mux(stream.encode(frame))


@pytest.fixture(scope="session")
def rich_mkv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds at 25 fps: video, German and English audio, English subtitles, an attachment, chapters, tags."""
    folder = tmp_path_factory.mktemp("rich")
    (folder / "text.srt").write_text(SRT)
    path = folder / "rich.mkv"
    with av.open(path, "w") as container, av.open(folder / "text.srt") as text:
        german = container.add_stream("flac", rate=AUDIO_RATE)
        video = container.add_stream("libx264", rate=25, options={"preset": "ultrafast", "g": "10"})
        english = container.add_stream("aac", rate=AUDIO_RATE)
        subtitles = container.add_stream_from_template(text.streams[0], opaque=True)
        container.add_attachment("font.ttf", "application/x-truetype-font", COVER)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        video.codec_context.sample_aspect_ratio = Fraction(16, 11)
        context = video.codec_context
        context.colorspace, context.color_primaries, context.color_trc, context.color_range = 6, 6, 6, 1
        for stream, language in ((german, "ger"), (english, "eng"), (subtitles, "eng")):
            stream.metadata["language"] = language
        english.metadata["title"] = "Commentary"
        german.disposition, english.disposition = 1, 8  # default; comment
        container.metadata.update({"title": "A title", "DATE_RELEASED": "1999"})
        container.set_chapters(
            [
                {"id": 1, "start": 0, "end": 1500, "time_base": Fraction(1, 1000), "metadata": {"title": "One"}},
                {"id": 2, "start": 1500, "end": 4000, "time_base": Fraction(1, 1000), "metadata": {"title": "Two"}},
            ]
        )
        pictures = [gray_ramp(64, 48, n) for n in range(100)]
        for number, picture in enumerate(pictures):
            picture.pts, picture.time_base = number, Fraction(1, 25)
        container.start_encoding()
        for packet in text.demux():
            if packet.size:
                packet.stream = subtitles
                container.mux(packet)
        _mux_all(container, [(video, pictures), (german, _audio_frames(4, 440)), (english, _audio_frames(4, 660))])
    return path
