"""Which container a name means, which codec goes into it, and the settings of each codec. Data, no decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from texsamp.io.files.png_level import PNG_LEVEL


@dataclass(frozen=True)
class ContainerChoice:
    """A container by file extension: FFmpeg's muxer, our default codecs, and whether it counts frames, not time.

    ``files`` says what is written: one file, one for each frame, or a playlist and its segments. ``options`` are the
    muxer's, ``key_frames_s`` the longest distance of key frames that it is good with. ``gapless`` ones show a picture
    as long as any other, whatever its time stamp.
    """

    muxer: str
    codec: str
    lossless_codec: str
    constant_rate: bool = False
    gapless: bool = False
    files: Literal["one", "numbered", "playlist"] = "one"
    options: Mapping[str, str] = field(default_factory=dict)
    key_frames_s: int | None = None


CONTAINERS: dict[str, ContainerChoice] = {
    ".mkv": ContainerChoice("matroska", "libx264", "ffv1"),
    ".mp4": ContainerChoice("mp4", "libx264", "libx264"),
    ".m4v": ContainerChoice("mp4", "libx264", "libx264"),
    ".mov": ContainerChoice("mov", "libx264", "libx264"),
    ".webm": ContainerChoice("webm", "libvpx-vp9", "libvpx-vp9"),
    ".avi": ContainerChoice("avi", "mpeg4", "ffv1", constant_rate=True),
    ".ts": ContainerChoice("mpegts", "libx264", "libx264"),
    ".m2ts": ContainerChoice("mpegts", "libx264", "libx264"),
    ".mts": ContainerChoice("mpegts", "libx264", "libx264"),
    ".mpg": ContainerChoice("mpeg", "mpeg2video", "mpeg2video"),
    ".mpeg": ContainerChoice("mpeg", "mpeg2video", "mpeg2video"),
    ".vob": ContainerChoice("vob", "mpeg2video", "mpeg2video"),
    ".flv": ContainerChoice("flv", "libx264", "libx264"),
    ".nut": ContainerChoice("nut", "ffv1", "ffv1"),
    ".gif": ContainerChoice("gif", "gif", "gif"),
    ".mxf": ContainerChoice("mxf", "mpeg2video", "ffv1", constant_rate=True, gapless=True),
    ".m3u8": ContainerChoice(
        "hls",
        "libx264",
        "libx264",
        files="playlist",
        options={"hls_playlist_type": "vod", "hls_time": "6"},
        key_frames_s=2,
    ),
    ".png": ContainerChoice("image2", "png", "png", files="numbered"),
    ".tif": ContainerChoice("image2", "tiff", "tiff", files="numbered"),
    ".tiff": ContainerChoice("image2", "tiff", "tiff", files="numbered"),
    ".jpg": ContainerChoice("image2", "mjpeg", "mjpeg", files="numbered"),
    ".jpeg": ContainerChoice("image2", "mjpeg", "mjpeg", files="numbered"),
}
"""Containers by extension. `.y4m` is not here: it needs no codec."""

_FRAGMENTS = {"movflags": "+frag_keyframe+empty_moov+default_base_moof"}
"""An mp4's index comes last, and its place is at the beginning; in pieces it needs none."""

PIPE_CONTAINERS: dict[str, ContainerChoice] = {
    "mkv": CONTAINERS[".mkv"],
    "matroska": CONTAINERS[".mkv"],
    "webm": CONTAINERS[".webm"],
    "mp4": replace(CONTAINERS[".mp4"], options=_FRAGMENTS),
    "ts": CONTAINERS[".ts"],
    "mpegts": CONTAINERS[".ts"],
    "flv": CONTAINERS[".flv"],
    "nut": CONTAINERS[".nut"],
}
"""Containers that are written from their beginning to their end, by the word of ``format``."""

_QP_SCALE = 118
"""FFmpeg's lambda units for one step of a quantizer."""


def _quantizer(step: int) -> dict[str, str]:
    return {"flags": "+qscale", "global_quality": str(step * _QP_SCALE)}


@dataclass(frozen=True)
class HdrOptions:
    """Where an encoder takes HDR10 metadata: its option for parameters and their names there.

    Numbers are in chromaticity and cd/m2 with ``in_units``, else in the whole steps of H.265.
    """

    option: str
    display: str
    light: str
    in_units: bool = False


@dataclass(frozen=True)
class CodecSettings:
    """What an encoder is told.

    ``quality`` is the default; `crf` takes its place up to ``crf_max``, None where there is none; ``lossless`` is None
    where the codec always loses, and empty where it never does. ``interlaced`` are the encoder's flags for interlaced
    frames, None where it cannot store them as such; ``bottom_first`` is added where flags of frames do not tell it all
    of their order. ``constant_rate`` codecs count frames, not time; ``full_range`` ones hold nothing else, ``is_jfif``
    ones no matrix but JPEG's. ``refused`` are pixel formats that the encoder lists and then does not take, or that few
    can read. ``tiny`` is told instead when a side of the picture is below `TINY_PX`. ``hdr`` is None where static HDR
    metadata is lost. ``fixed_rate`` codecs follow no bit rate. ``passes`` are the options for one of two passes, None
    where PyAV gives no way to tell the encoder.
    """

    quality: dict[str, str] = field(default_factory=dict)
    crf_max: int | None = None
    lossless: dict[str, str] | None = None
    interlaced: tuple[str, ...] | None = None
    bottom_first: Mapping[str, str] = field(default_factory=dict)
    constant_rate: bool = False
    full_range: bool = False
    is_jfif: bool = False
    refused: tuple[str, ...] = ()
    tiny: dict[str, str] = field(default_factory=dict)
    hdr: HdrOptions | None = None
    fixed_rate: bool = False
    passes: Mapping[str, str] | None = None


TINY_PX = 16
"""Side below which FFV1's version 3 may find no way to divide a picture into slices."""


_X264 = {"preset": "medium", "crf": "18"}
_X264_HDR = HdrOptions("x264-params", "mastering-display", "cll")
_X264_PASSES = {"flags": "+pass{number}", "passlogfile": "{path}"}
_NVENC = {"preset": "p5", "rc": "vbr", "cq": "21", "b": "0"}
_NVENC_LOSSLESS = {"preset": "p5", "tune": "lossless"}
_FFV1 = {"level": "3", "g": "1"}
_ALWAYS_LOSSLESS = CodecSettings(lossless={}, interlaced=())
_PNG_OPTIONS = {"compression_level": str(PNG_LEVEL)}
_PNG = CodecSettings(_PNG_OPTIONS, lossless=_PNG_OPTIONS, interlaced=())

CODECS: dict[str, CodecSettings] = {
    "libx264": CodecSettings(
        _X264,
        51,
        {"preset": "medium", "qp": "0"},
        ("ildct",),
        bottom_first={"x264-params": "bff=1"},  # else only the SEI says so, not the fields
        hdr=_X264_HDR,
        passes=_X264_PASSES,
    ),
    "libx264rgb": CodecSettings(_X264, 51, {"preset": "medium", "qp": "0"}, hdr=_X264_HDR, passes=_X264_PASSES),
    "libx265": CodecSettings(
        {"preset": "medium", "crf": "20", "x265-params": "log-level=error"},
        51,
        {"preset": "medium", "x265-params": "log-level=error:lossless=1"},
        hdr=HdrOptions("x265-params", "master-display", "max-cll"),
        passes={"x265-params": "pass={number}:stats={path}"},
    ),
    "libvpx-vp9": CodecSettings(
        {"crf": "24", "b": "0", "deadline": "good", "cpu-used": "3", "row-mt": "1"},
        63,
        {"lossless": "1", "deadline": "good", "cpu-used": "3", "row-mt": "1"},
        refused=("gbrap", "yuva422p", "yuva444p"),
    ),
    "libvpx": CodecSettings({"crf": "8", "b": "20M", "deadline": "good", "cpu-used": "2"}, 63),
    "libsvtav1": CodecSettings(
        {"crf": "24", "preset": "8"},
        63,
        hdr=HdrOptions("svtav1-params", "mastering-display", "content-light", in_units=True),
    ),
    "libaom-av1": CodecSettings({"crf": "24", "b": "0", "cpu-used": "6", "row-mt": "1"}, 63),
    "h264_nvenc": CodecSettings(_NVENC, lossless=_NVENC_LOSSLESS),
    "hevc_nvenc": CodecSettings(_NVENC, lossless=_NVENC_LOSSLESS),
    "av1_nvenc": CodecSettings(_NVENC),
    "ffv1": CodecSettings(_FFV1, lossless=_FFV1, interlaced=(), tiny={"level": "1"}),
    "rawvideo": _ALWAYS_LOSSLESS,
    "huffyuv": _ALWAYS_LOSSLESS,
    "ffvhuff": _ALWAYS_LOSSLESS,
    "utvideo": _ALWAYS_LOSSLESS,
    "magicyuv": _ALWAYS_LOSSLESS,
    "png": _PNG,
    "tiff": CodecSettings(
        {"compression_algo": "deflate"},
        lossless={"compression_algo": "deflate"},
        interlaced=(),
        refused=("yuv420p", "yuv422p", "yuv440p", "yuv444p", "yuv410p", "yuv411p", "pal8", "monob", "monow"),
    ),
    "apng": _PNG,
    "qtrle": _ALWAYS_LOSSLESS,
    "v210": _ALWAYS_LOSSLESS,
    "mpeg1video": CodecSettings(_quantizer(2), constant_rate=True),
    "mpeg2video": CodecSettings(_quantizer(2), interlaced=("ildct", "ilme"), constant_rate=True),
    "mpeg4": CodecSettings(_quantizer(2), interlaced=("ildct", "ilme"), constant_rate=True),
    "mjpeg": CodecSettings(_quantizer(2), full_range=True, is_jfif=True),
    "prores_ks": CodecSettings(interlaced=("ildct",), fixed_rate=True),
    "dnxhd": CodecSettings({"profile": "dnxhr_hq"}, fixed_rate=True),
    "gif": CodecSettings(fixed_rate=True),
}
"""Settings by encoder name; an encoder that is not here runs with FFmpeg's defaults."""

_MPEGTS_STREAMS = frozenset(
    "mpeg1video mpeg2video mpeg4 h264 hevc mp2 mp3 aac aac_latm ac3 eac3 dts truehd opus s302m "
    "dvb_subtitle dvb_teletext klv timed_id3 scte_35".split()
)

_MPEGPS_STREAMS = frozenset("mpeg1video mpeg2video mp1 mp2 mp3 ac3 dts pcm_s16be pcm_dvd dvd_subtitle".split())

HELD_STREAMS: dict[str, frozenset[str]] = {
    "mpeg": _MPEGPS_STREAMS,
    "vob": _MPEGPS_STREAMS,
    "mpegts": _MPEGTS_STREAMS,
    "hls": _MPEGTS_STREAMS,
    "flv": frozenset({"aac", "mp3"}),
    "image2": frozenset(),
}
"""Codecs of streams beside the video that a muxer has a place for; FFmpeg writes others too, so that few can read them.
"""

ATTACHMENT_MUXERS = frozenset({"matroska"})
"""Muxers that keep attached files; others take them and make nothing of them."""

AUDIO_INSTEAD = {
    "webm": "libopus",
    "matroska": "libopus",
    "mp4": "aac",
    "mov": "aac",
    "mpegts": "aac",
    "flv": "aac",
    "avi": "libmp3lame",
    "mpeg": "mp2",
    "vob": "ac3",
    "hls": "aac",
    "mxf": "pcm_s16le",
}
"""What sound becomes that a muxer cannot hold."""

PLACED_BY_SAMPLE = {"avi": "pcm_s16le"}
"""What sound of long packets becomes for a muxer that could only put them, whole, next to their place."""

TEXT_INSTEAD = {"webm": "webvtt", "matroska": "subrip", "mp4": "mov_text", "mov": "mov_text"}
"""What text subtitles become that a muxer cannot hold."""

DATA_MUXERS = frozenset({"mpegts", "mp4", "mov"})
"""Muxers that have a place for data streams; others take them and make nothing of them."""

TIMECODE_MUXERS = frozenset({"mp4", "mov", "matroska"})
"""Muxers that keep a time code given as a tag."""

VIDEO_FIRST = frozenset({"mxf"})
"""Muxers whose first stream must be the video, and who write no header without it."""

PROGRAM_STREAMS = frozenset({"mpeg", "vob"})
"""Muxers whose time stamps belong to what begins in their packs, which are of one size."""

PLAYED_ON = frozenset({"avi", "mxf"})
"""Muxers that give sound no times: it is played on from the beginning."""

LACKS_NO_SOUND = frozenset({"mxf"})
"""Those that drop pictures beside which a stream of sound has none."""

TRIAL_MUXERS = {"hls": "mpegts"}
"""Muxers that open files when they write a header, and the one inside them to ask instead."""

SAMPLE_RATES = {"mxf": 48000}
"""The only sample rate of sound that a muxer takes."""

COVER_MUXERS = frozenset({"matroska", "mp4"})
"""Muxers that keep a cover picture as one."""

_RAW_COMMON = ("yuyv422", "uyvy422", "rgba")
RAW_PIX_FMTS: dict[str, tuple[str, ...]] = {
    "nut": (
        *_RAW_COMMON,
        *("gray", "yuv420p", "yuv422p", "yuv444p", "nv12", "nv21", "yvyu422", "bgra", "rgb24", "bgr24", "gbrp"),
        *("gray10le", "yuv420p10le", "yuv422p10le", "yuv444p10le", "gbrp10le", "gbrp16le", "gbrap16le", "rgba64le"),
    ),
    "matroska": (*_RAW_COMMON, "gray", "yuv420p", "yuv422p", "nv12", "nv21", "yvyu422"),
    "avi": (*_RAW_COMMON, "gray", "yuv420p", "yuv422p", "nv12", "nv21", "yvyu422", "bgra", "bgr24"),
    "mov": (*_RAW_COMMON, "bgra", "rgb24", "bgr24"),
}
"""Raw formats by muxer that are read back as they are: FFmpeg writes others under names that mean something else."""

FALLBACKS = {"libx264": ("libopenh264", "mpeg4"), "libvpx-vp9": ("libsvtav1", "libaom-av1", "libvpx")}
"""What takes the place of a default codec that this build of FFmpeg lacks, first one first."""

HEVC_ENCODERS = frozenset({"libx265", "hevc_nvenc", "hevc_qsv", "hevc_vaapi"})

FLAG_BITS = {"ildct": 0x40000, "ilme": 0x20000000, "frame_duration": 0x100}
"""AVCodecContext flags by name."""
