"""The table of odd inputs: what each is, and what people are told about it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from clips.makers import (
    Maker,
    broken,
    content,
    cut_off,
    empty_png,
    noise,
    pictures,
    piped,
    renamed,
    sequence,
    still,
    turned,
    two_sizes,
    two_videos,
    with_sound,
    y4m,
)

ILDCT = {"flags": "+ildct"}
H264, MPEG2, MPEG4, FFV1 = (
    pictures("a.mkv", "libx264", options={"crf": "10"}),
    pictures("a.mpg", "mpeg2video"),
    pictures("a.avi", "mpeg4"),
    pictures("a.mkv", "ffv1"),
)
GIF, DV = pictures("a.gif", "gif", "rgb8"), pictures("a.dv", "dvvideo", size=(720, 576))
EXR, FLOATS = (
    still("a.exr", "exr", "gbrpf32le"),
    ("32 bits become 16", "coded by the sRGB curve", "rgb48le is converted"),
)
TIMES = [0, 40, 73, 113, 200, 210, 333, 500, 1000, 1001]


@dataclass(frozen=True)
class OddInput:
    """How it is made, the notes that must come (all of them, by a part of each), or the error; has it sound in sync?"""

    make: Maker
    tells: tuple[str, ...] = ()
    error: str | None = None
    sound: bool = False


INPUTS: dict[str, OddInput] = {
    # containers and codecs with sound
    "h264 aac mkv": OddInput(with_sound("a.mkv", "libx264", "aac"), sound=True),
    "h264 aac mp4": OddInput(with_sound("a.mp4", "libx264", "aac"), sound=True),
    "h264 alac mov": OddInput(with_sound("a.mov", "libx264", "alac"), sound=True),
    "h264 aac flv": OddInput(with_sound("a.flv", "libx264", "aac"), sound=True),
    "h264 aac ts": OddInput(with_sound("a.ts", "libx264", "aac"), sound=True),
    "mpeg-2 mp2 ts": OddInput(with_sound("a.ts", "mpeg2video", "mp2"), sound=True),
    "mpeg-2 mp2 mpg": OddInput(with_sound("a.mpg", "mpeg2video", "mp2"), sound=True),
    "mpeg-2 ac3 vob": OddInput(with_sound("a.vob", "mpeg2video", "ac3"), sound=True),
    "mpeg-4 mp3 avi": OddInput(with_sound("a.avi", "mpeg4", "libmp3lame"), sound=True),
    "mpeg-1 mp2 mpg": OddInput(with_sound("a.mpg", "mpeg1video", "mp2"), sound=True),
    "vp9 opus webm": OddInput(with_sound("a.webm", "libvpx-vp9", "libopus"), sound=True),
    "vp8 opus webm": OddInput(with_sound("a.webm", "libvpx", "libopus"), sound=True),
    "av1 opus mkv": OddInput(with_sound("a.mkv", "libsvtav1", "libopus"), sound=True),
    "hevc flac mkv": OddInput(with_sound("a.mkv", "libx265", "flac"), sound=True),
    "ffv1 pcm nut": OddInput(with_sound("a.nut", "ffv1", "pcm_s16le"), sound=True),
    "ffv1 pcm mkv": OddInput(with_sound("a.mkv", "ffv1", "pcm_s24le"), sound=True),
    "sound longer than pictures": OddInput(with_sound("a.mkv", "libx264", "aac", 2.0), sound=True),
    "sound shorter than pictures": OddInput(with_sound("a.mp4", "libx264", "aac", 1.05), sound=True),
    # joints
    "joined ts": OddInput(with_sound("a.ts", "mpeg2video", "mp2", parts=4), ("start again",), sound=True),
    "joined ts, longer sound": OddInput(
        with_sound("a.ts", "libx264", "aac", 1.35, parts=4), ("start again", "sound at joints"), sound=True
    ),
    "joined ts, shorter sound": OddInput(
        with_sound("a.ts", "libx264", "aac", 1.1, parts=4), ("start again",), sound=True
    ),
    "joined mpg": OddInput(with_sound("a.mpg", "mpeg2video", "mp2", parts=3), ("start again",), sound=True),
    "joined ts of two sizes": OddInput(two_sizes, error="scale to one size"),
    # pipes
    "mkv through a pipe": OddInput(piped(with_sound("a.mkv", "libx264", "aac")), sound=True),
    "ts through a pipe": OddInput(piped(with_sound("a.ts", "mpeg2video", "mp2")), sound=True),
    "joined ts through a pipe": OddInput(
        piped(with_sound("a.ts", "mpeg2video", "mp2", parts=3)), ("start again",), sound=True
    ),
    "y4m through a pipe": OddInput(piped(y4m(b"W16 H16 F25:1 C420jpeg", 3, 384))),
    "empty pipe": OddInput(piped(content("a", b"")), error="ended before its first byte"),
    # damage
    "damaged h264": OddInput(broken(H264, 60), ("damaged",)),
    "damaged mpeg-2": OddInput(broken(MPEG2, 60), ("damaged",)),
    "damaged mpeg-4": OddInput(broken(MPEG4, 60), ("damaged",)),
    "damaged ffv1": OddInput(broken(FFV1, 20), ("damaged",)),
    "damaged ts": OddInput(broken(pictures("a.ts", "libx264"), 30), ("damaged",)),
    "half an mkv": OddInput(cut_off(H264, 0.5), ("ends early",)),
    "half an avi": OddInput(cut_off(MPEG4, 0.5), ("ends early", "1 picture is damaged")),
    "half an mp4": OddInput(cut_off(pictures("a.mp4", "libx264"), 0.5), error="moov atom not found"),
    "a third of an mxf": OddInput(
        cut_off(pictures("a.mxf", "mpeg2video", size=(320, 240)), 0.3), ("declared are 0.400 s",)
    ),
    "half a gif": OddInput(cut_off(GIF, 0.5), ("no trailer", "1 picture is damaged", "alpha is dropped")),
    "gif without its last byte": OddInput(
        lambda folder: cut_off(GIF, 1 - 1 / GIF(folder).stat().st_size)(folder), ("no trailer", "alpha is dropped")
    ),
    "half a dv": OddInput(cut_off(DV, 0.55), ("its last picture has 72000 of 144000 bytes",)),
    "half an exr": OddInput(cut_off(EXR, 0.5), ("1 picture is damaged", *FLOATS)),
    "half a qoi": OddInput(cut_off(still("a.qoi", "qoi", "rgb24"), 0.5), ("1 picture is damaged", "is converted")),
    "half a jpeg-ls": OddInput(
        cut_off(still("a.jls", "jpegls", "rgb24"), 0.5), ("1 picture is damaged", "is converted")
    ),
    "half a sun raster": OddInput(
        cut_off(still("a.sun", "sunrast", "bgr24"), 0.5), ("1 picture is damaged", "is conver")
    ),
    "half a y4m": OddInput(y4m(b"W16 H16 F25:1", 2, 384, b"FRAME\n" + bytes(100)), error="ends inside y4m frame 2"),
    "empty file": OddInput(content("a.mp4", b""), error="the file is empty"),
    "words": OddInput(content("a.mkv", b"these are words\n" * 100), error="cannot be opened"),
    "y4m without a size": OddInput(y4m(b"F25:1", 1, 1), error="no width"),
    # rotation
    "turned clockwise": OddInput(turned(-90), ("turned by 90 degrees clockwise",)),
    "turned counterclockwise": OddInput(turned(90), ("turned by 90 degrees counterclockwise",)),
    "upside down": OddInput(turned(180), ("turned by 180 degrees",)),
    "askew": OddInput(turned(45), ("not by right angles",)),
    # fields
    "interlaced h264": OddInput(pictures("a.mkv", "libx264", options=ILDCT, stamp="tff"), ("repeat flags",)),
    "interlaced mpeg-2": OddInput(pictures("a.mpg", "mpeg2video", options={"flags": "+ildct+ilme"}, stamp="bff")),
    "interlaced y4m": OddInput(y4m(b"W16 H16 F25:1 Ib C420jpeg", 3, 384)),
    # pixel formats
    "12 bits": OddInput(pictures("a.mkv", "ffv1", "yuv420p12le"), ("12 bits become 10",)),
    "yuv alpha": OddInput(pictures("a.mkv", "ffv1", "yuva420p"), ("alpha is dropped",)),
    "vp9 alpha": OddInput(
        pictures("a.webm", "libvpx-vp9", setup=lambda _, stream: stream.metadata.update(alpha_mode="1")),
        ("alpha is dropped",),
    ),
    "4:1:0": OddInput(pictures("a.mkv", "ffv1", "yuv410p"), ("yuv410p is converted to yuv420p",)),
    "palette": OddInput(noise("a.mov", "png", "pal8"), ("pal8 is converted to rgba", "alpha is dropped")),
    "16-bit gray": OddInput(pictures("a.mkv", "ffv1", "gray16le"), ("16 bits become 10",)),
    "rgb": OddInput(pictures("a.mkv", "ffv1", "bgr0"), ("bgr0 is converted to rgb24", "rgb24 is converted")),
    "full range": OddInput(pictures("a.avi", "mjpeg", "yuvj420p")),
    "exr": OddInput(EXR, FLOATS),
    "gif": OddInput(GIF, ("alpha is dropped",)),
    "dv": OddInput(DV),
    "qoi": OddInput(still("a.qoi", "qoi", "rgb24"), ("rgb24 is converted",)),
    "jpeg-ls": OddInput(still("a.jls", "jpegls", "rgb24"), ("is converted",)),
    "sun raster": OddInput(still("a.sun", "sunrast", "bgr24"), ("is converted",)),
    "10 bits": OddInput(pictures("a.mkv", "libx265", "yuv420p10le")),
    # times and sizes
    "variable rate": OddInput(pictures("a.mkv", "ffv1", times=TIMES, time_base=Fraction(1, 1000))),
    "no times": OddInput(pictures("a.h264", "libx264"), ("without time stamps",)),
    "late start": OddInput(pictures("a.mkv", "ffv1", times=list(range(100, 110)))),
    "one frame a second": OddInput(pictures("a.mp4", "libx264", rate=1)),
    "1000 frames a second": OddInput(pictures("a.mkv", "libx264", rate=1000)),
    "odd size": OddInput(pictures("a.mkv", "ffv1", size=(33, 17)), error="use an even size"),
    "one pixel": OddInput(pictures("a.mkv", "ffv1", "yuv444p", size=(1, 1))),
    "larger than FFmpeg takes": OddInput(empty_png("a.png", 20000, 20000), error="Picture size 20000x20000 is invalid"),
    # streams and names
    "two videos": OddInput(two_videos),
    "pictures from 100 on": OddInput(sequence(100, 101, 102), ("25 a second", "rgb24 is converted")),
    "pictures with a gap": OddInput(sequence(1, 2, 4), ("picture 3 is missing", "25 a second", "rgb24 is converted")),
    "no such pictures": OddInput(lambda folder: folder / "p_%04d.png", error="no such file"),
    "colon and newline in the name": OddInput(renamed(H264, "pipe:a\n%03d.mkv")),
    "long name": OddInput(renamed(H264, "ä" * 120 + ".mkv")),
    "folder": OddInput(lambda folder: folder, error="is a directory"),
    "missing": OddInput(lambda folder: folder / "none.mkv", error="no such file"),
}
