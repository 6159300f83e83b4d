"""What makes the files of the table in `inputs`; each maker is given a folder and gives the path to read."""

import os
import random
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any
from zlib import crc32

import av
import numpy as np
from PIL import Image
from support.clips import random_pictures
from support.media import av_picture, gray_ramp, write_video
from support.sync import write_part

Maker = Callable[[Path], Path]

_FRAMES = 30
_MOMENTS_S = [0.2, 0.8]


def with_sound(name: str, video: str, audio: str, sound_s: float = _FRAMES / 25, parts: int = 1) -> Maker:
    """Flashes and beeps; several parts are joined as `cat` does."""

    def make(folder: Path) -> Path:
        part = write_part(folder / name, _MOMENTS_S, _FRAMES, sound_s, video=video, audio=audio)
        (folder / name).write_bytes(part * parts)
        return folder / name

    return make


def pictures(
    name: str, codec: str, pix_fmt: str = "yuv420p", size: tuple[int, int] = (64, 48), **options: Any
) -> Maker:
    """Ten smooth random pictures."""

    def make(folder: Path) -> Path:
        width, height = -(-size[0] // 2) * 2, -(-size[1] // 2) * 2
        frames = [av.VideoFrame.from_ndarray(a, "yuv420p") for a in random_pictures(10, (width, height), seed=3)]
        return write_video(folder / name, [f.reformat(*size, format=pix_fmt) for f in frames], codec, **options)

    return make


def noise(name: str, codec: str, pix_fmt: str) -> Maker:
    """Two pictures of random bytes, for formats that FFmpeg converts nothing to."""
    return lambda folder: write_video(folder / name, [av_picture(pix_fmt, 64, 48, n) for n in range(2)], codec)


def still(name: str, codec: str, pix_fmt: str) -> Maker:
    """One picture as its codec makes it, without a container."""

    def make(folder: Path) -> Path:
        context = av.CodecContext.create(codec, "w")
        assert isinstance(context, av.VideoCodecContext)
        context.width, context.height, context.pix_fmt, context.time_base = 64, 48, pix_fmt, Fraction(1)
        context.sample_aspect_ratio = Fraction(1)
        (array,) = random_pictures(1, (64, 48), seed=3)
        picture = av.VideoFrame.from_ndarray(array, "yuv420p").reformat(format=pix_fmt)
        (folder / name).write_bytes(b"".join(map(bytes, [*context.encode(picture), *context.encode(None)])))
        return folder / name

    return make


def broken(make: Maker, writes: int) -> Maker:
    """The file with bytes at random places overwritten."""

    def damage(folder: Path) -> Path:
        path = make(folder)
        data, places = bytearray(path.read_bytes()), random.Random(4)
        for _ in range(writes):
            data[places.randrange(len(data) // 10, len(data))] = places.randrange(256)
        path.write_bytes(data)
        return path

    return damage


def cut_off(make: Maker, share: float) -> Maker:
    """The first part of the file."""

    def cut(folder: Path) -> Path:
        path = make(folder)
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])
        return path

    return cut


def content(name: str, data: bytes) -> Maker:
    """A file of these bytes."""

    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return make


def empty_png(name: str, width: int, height: int) -> Maker:
    """A PNG of a size, without its pixels."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)), (b"IDAT", b""), (b"IEND", b"")]
    written = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data)) for kind, data in chunks
    )
    return content(name, b"".join((b"\x89PNG\r\n\x1a\n", *written)))


def renamed(make: Maker, name: str) -> Maker:
    """The file under another name."""
    return lambda folder: make(folder).rename(folder / name)


def piped(make: Maker) -> Maker:
    """The file through a named pipe."""

    def pipe(folder: Path) -> Path:
        data, path = make(folder).read_bytes(), folder / "pipe"
        os.mkfifo(path)

        def write() -> None:
            with suppress(BrokenPipeError):
                path.write_bytes(data)

        threading.Thread(target=write, daemon=True).start()
        return path

    return pipe


def turned(degrees: float) -> Maker:
    """A video that players turn."""
    return pictures("a.mp4", "libx264", setup=lambda _, stream: stream.set_display_rotation(degrees))


def sequence(*numbers: int) -> Maker:
    """Numbered pictures."""

    def make(folder: Path) -> Path:
        for number in numbers:
            Image.fromarray(np.full((16, 16, 3), number % 256, np.uint8)).save(folder / f"p_{number:04d}.png")
        return folder / "p_%04d.png"

    return make


def two_sizes(folder: Path) -> Path:
    """A transport stream whose second part is larger."""
    parts = [pictures("a.ts", "mpeg2video", size=size)(folder).read_bytes() for size in ((64, 48), (96, 64))]
    (folder / "a.ts").write_bytes(b"".join(parts))
    return folder / "a.ts"


def two_videos(folder: Path) -> Path:
    """Two video streams; the larger one is the one to read."""
    with av.open(folder / "a.mkv", "w") as container:
        streams = [container.add_stream("ffv1", rate=25) for _ in range(2)]
        for stream, size in zip(streams, (32, 64), strict=True):
            stream.width, stream.height, stream.pix_fmt = size, size, "yuv420p"
        for number in range(3):
            for stream in streams:
                picture = gray_ramp(stream.width, stream.height, number)
                picture.pts, picture.time_base = number, Fraction(1, 25)
                container.mux(stream.encode(picture))
        for stream in streams:
            container.mux(stream.encode(None))
    return folder / "a.mkv"


def y4m(header: bytes, frames: int, frame_B: int, rest: bytes = b"") -> Maker:
    """A YUV4MPEG2 file."""
    return content("a.y4m", b"YUV4MPEG2 " + header + b"\n" + frames * (b"FRAME\n" + bytes(frame_B)) + rest)
