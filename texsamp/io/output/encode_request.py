"""What is asked of an encoder, and the encoder and pixel format that answer it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypedDict

import av
from av.codec.codec import UnknownCodecError

from texsamp.device.arguments import check_kind, is_real, short
from texsamp.errors import MediaError, StateError
from texsamp.io.frames.convert import nearest_layout
from texsamp.io.streams.codecs import CODECS, FALLBACKS, RAW_PIX_FMTS, CodecSettings, ContainerChoice

_LOSSES = 0x3F
"""FFmpeg's FF_LOSS_* bits, without those that say a format is wider than it needs to be."""


class EncodeOptions(TypedDict, total=False):
    """What may be asked of an encoder; what is left out follows from the output's name and the tables in `codecs`.

    ``codec``, ``pix_fmt``, ``preset`` and ``tune`` are FFmpeg's names. ``crf`` is a quality (lower is better),
    ``bitrate`` bits per second (4000000 or "4M") in its place; ``lossless`` keeps every sample. ``gop`` is the longest
    distance of key frames, in frames. ``options`` are further options of the encoder by name. ``copy_only`` drops the
    sound and the subtitles that the container cannot hold, which are converted otherwise. ``format`` says what goes to
    standard output, which has no name that would: "y4m", or a container of `codecs.PIPE_CONTAINERS`.
    """

    codec: str | None
    crf: float | None
    pix_fmt: str | None
    lossless: bool
    preset: str | None
    tune: str | None
    bitrate: int | str | None
    gop: int | None
    options: Mapping[str, str] | None
    copy_only: bool
    format: str | None


@dataclass(frozen=True)
class PassLog:
    """One of the two passes of an encoder, and the file of what the first learns for the second."""

    number: Literal[1, 2]
    path: str


@dataclass(frozen=True)
class EncodeRequest:
    """`EncodeOptions`, and what is asked of the writer beside them; None leaves it to the tables in `codecs`."""

    codec: str | None = None
    crf: float | None = None
    pix_fmt: str | None = None
    lossless: bool = False
    preset: str | None = None
    tune: str | None = None
    bitrate: int | str | None = None
    gop: int | None = None
    options: Mapping[str, str] | None = None
    copy_only: bool = False
    format: str | None = None
    frame_rate: Fraction | None = None
    pass_log: PassLog | None = None

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            if (value := getattr(self, name)) is not None:
                check_kind(name, value, kind)
        if self.crf is not None and not is_real(self.crf):
            raise StateError(f"crf must be a number, found {short(self.crf)}")

    @property
    def names_options(self) -> tuple[str, ...]:
        """What is asked for that only an encoder has."""
        names = ("codec", "crf", "preset", "tune", "bitrate", "gop", "options", "pass_log")
        return tuple(name for name in names if getattr(self, name))


_KINDS: dict[str, type] = {
    **dict.fromkeys(("codec", "pix_fmt", "preset", "tune", "format"), str),
    **dict.fromkeys(("lossless", "copy_only"), bool),
    "options": Mapping,
}
"""Of what types the options are; the rest is checked where their limits are known."""


def has_encoder(name: str) -> bool:
    """Whether this FFmpeg has a video encoder of this name."""
    return _encoder(name) is not None


def _encoder(name: str) -> av.Codec | None:
    try:
        codec = av.Codec(name, "w")
    except UnknownCodecError:
        return None
    return codec if codec.type == "video" else None


def choose_codec(container: ContainerChoice, request: EncodeRequest, notes: list[str]) -> str:
    """The encoder to use. Raises MediaError if the one asked for is unknown or does not fit the container."""
    default = container.lossless_codec if request.lossless else container.codec
    name = request.codec or default
    if request.codec is None and not has_encoder(name):
        name = next((other for other in FALLBACKS.get(name, ()) if has_encoder(other)), name)
        notes.append(f"this FFmpeg has no encoder {default}: {name} is used")
    if not has_encoder(name):
        raise MediaError(f"codec {name!r} is not a video encoder of this FFmpeg")
    trial = av.open(io.BytesIO(), "w", format=container.muxer)
    try:
        trial.add_stream(name, rate=25)
    except ValueError:
        raise MediaError(f"{container.muxer} files cannot hold {name} video") from None
    finally:
        trial.close()
    if name == "rawvideo" and container.muxer not in RAW_PIX_FMTS:
        raise MediaError(f"raw video is written to {', '.join(RAW_PIX_FMTS)} files, found {container.muxer}")
    return name


def _has_alpha(pix_fmt: str) -> bool:
    return any(c.is_alpha for c in av.VideoFormat(pix_fmt).components)


def refuse_lossy(pix_fmt: str, have: str) -> None:
    """Raise StateError if FFmpeg's format ``pix_fmt`` holds less than ``have``: for users who asked for no loss."""
    _, loss = av.codec.find_best_pix_fmt_of_list([pix_fmt], have, has_alpha=_has_alpha(have))
    if loss & _LOSSES:
        raise StateError(f"--lossless and --pix-fmt {pix_fmt} exclude each other: {pix_fmt} holds less than {have}")


def choose_pix_fmt(codec: str, muxer: str, have: str, request: EncodeRequest, source: str | None) -> str:
    """The pixel format to encode frames of FFmpeg format ``have`` in; ``source`` is how the input stored them.

    Raises MediaError if the encoder lacks the format asked for, or has none without loss when lossless was asked for;
    StateError if lossless and a format that loses something were both asked for.
    """
    coder, settings = av.Codec(codec, "w"), CODECS.get(codec, CodecSettings())
    offered = [f.name for f in coder.video_formats or () if f.components and f.name not in settings.refused]
    if codec == "rawvideo":
        offered = list(RAW_PIX_FMTS[muxer])
    if request.pix_fmt is not None:
        wanted = request.pix_fmt if request.pix_fmt in offered or not offered else f"{request.pix_fmt}le"
        if offered and wanted not in offered:
            raise MediaError(f"codec {codec} takes no pixel format {request.pix_fmt!r}, it takes {', '.join(offered)}")
        if request.lossless:
            stored = source is not None and nearest_layout(source).name == have
            refuse_lossy(wanted, source if source is not None and stored else have)
        return wanted
    if settings.full_range:
        offered = [name for name in offered if name.startswith("yuvj")]
    if not offered or have in offered:
        return have
    if source in offered and nearest_layout(source).name == have:
        return source
    best, loss = av.codec.find_best_pix_fmt_of_list(offered, have, has_alpha=_has_alpha(have))
    if best is None:
        raise MediaError(f"codec {codec} takes no pixel format that {have} could be converted to")
    if request.lossless and loss & _LOSSES:
        raise MediaError(f"codec {codec} cannot hold {have} without loss, it takes {', '.join(offered)}")
    return best.name
