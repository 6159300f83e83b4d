"""What is asked of an encoder, and the encoder, options and pixel format that answer it."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from fractions import Fraction

import av
from av.codec.codec import UnknownCodecError

from texsamp.errors import MediaError, StateError
from texsamp.io.codecs import CODECS, FALLBACKS, RAW_PIX_FMTS, CodecSettings, ContainerChoice
from texsamp.io.convert import nearest_layout

_LOSSES = 0x3F
"""FFmpeg's FF_LOSS_* bits, without those that say a format is wider than it needs to be."""


@dataclass(frozen=True)
class EncodeRequest:
    """What the user asked of the encoder; None leaves it to the tables in `codecs`."""

    codec: str | None = None
    crf: float | None = None
    pix_fmt: str | None = None
    lossless: bool = False
    frame_rate: Fraction | None = None
    options: dict[str, str] = field(default_factory=dict)


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
    if request.codec is None and _encoder(name) is None:
        name = next((other for other in FALLBACKS.get(name, ()) if _encoder(other) is not None), name)
        notes.append(f"this FFmpeg has no encoder {default}: {name} is used")
    if _encoder(name) is None:
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


def encoder_options(codec: str, request: EncodeRequest) -> dict[str, str]:
    """Options for the encoder. Raises MediaError if the codec has no such quality setting."""
    settings = CODECS.get(codec, CodecSettings())
    options = dict(settings.quality)
    if request.lossless:
        if settings.lossless is None:
            names = ", ".join(sorted(name for name, row in CODECS.items() if row.lossless is not None))
            raise MediaError(f"codec {codec} has no lossless mode; these have: {names}")
        if request.crf is not None:
            raise MediaError(f"crf {request.crf:g} and lossless exclude each other")
        options = dict(settings.lossless)
    if request.crf is not None:
        if settings.crf_max is None:
            raise MediaError(f"codec {codec} has no crf, found crf {request.crf:g}")
        if not 0 <= request.crf <= settings.crf_max:
            raise MediaError(f"crf of {codec} must be 0 to {settings.crf_max}, found {request.crf:g}")
        options["crf"] = f"{request.crf:g}"
    return options | request.options


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
