"""The options an encoder is opened with."""

from __future__ import annotations

import re
from collections.abc import Mapping

import av

from texsamp.device.arguments import is_integer
from texsamp.errors import MediaError, StateError
from texsamp.io.output.encode_request import EncodeRequest, PassLog
from texsamp.io.streams.codecs import CODECS, CodecSettings
from texsamp.video.options import did_you_mean

_UNITS = {"": 1, "k": 1000, "m": 1000_000, "g": 1000_000_000}

MAX_BITRATE = 10**10
"""Bits per second."""

_QUALITY_OPTIONS = ("crf", "flags", "global_quality", "b", "rc", "cq")
"""What the defaults in `codecs` set a quality by."""


def parse_bitrate(value: int | str) -> int:
    """Bits per second of a number with or without a unit: 800k, 4M, 2.5M. Raises StateError."""
    found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)([kmg]?)", str(value).strip().lower())
    bits = round(float(found[1]) * _UNITS[found[2]]) if found and not isinstance(value, bool) else 0
    if not 1000 <= bits <= MAX_BITRATE:
        raise StateError(
            f"bitrate must be from 1k to {MAX_BITRATE // 10**9}G bits per second, as in 4M, found {value!r}"
        )
    return bits


def encoder_options(codec: str, request: EncodeRequest) -> dict[str, str]:
    """Options for the encoder.

    Raises StateError for values no encoder takes and for two that exclude each other, MediaError for what this one
    lacks.
    """
    settings = CODECS.get(codec, CodecSettings())
    options = dict(settings.quality)
    if request.lossless:
        options = _lossless(codec, request)
    if request.crf is not None:
        if settings.crf_max is None:
            raise MediaError(f"codec {codec} has no crf, found crf {request.crf:g}")
        if not 0 <= request.crf <= settings.crf_max:
            raise MediaError(f"crf of {codec} must be 0 to {settings.crf_max}, found {request.crf:g}")
        options["crf"] = f"{request.crf:g}"
    if request.bitrate is not None:
        bits = _bitrate(codec, request)
        options = {name: value for name, value in options.items() if name not in _QUALITY_OPTIONS} | {"b": str(bits)}
    if request.gop is not None and not (is_integer(request.gop) and 1 <= request.gop <= 10**6):
        raise StateError(f"gop must be an integer from 1 to {10**6} frames, found {request.gop!r}")
    if request.pass_log is not None:
        _merge(options, pass_options(codec, request.pass_log))
    named = {"preset": request.preset, "tune": request.tune, "g": request.gop, **(request.options or {})}
    asked = {name: str(value) for name, value in named.items() if value is not None}
    _check_names(codec, asked, request.options or {})
    _merge(options, asked)
    return options


def _lossless(codec: str, request: EncodeRequest) -> dict[str, str]:
    settings = CODECS.get(codec, CodecSettings())
    if settings.lossless is None:
        names = ", ".join(sorted(name for name, row in CODECS.items() if row.lossless is not None))
        raise MediaError(f"codec {codec} has no lossless mode; these have: {names}")
    if request.crf is not None:
        raise StateError(f"crf {request.crf:g} and lossless exclude each other")
    return dict(settings.lossless)


def _bitrate(codec: str, request: EncodeRequest) -> int:
    assert request.bitrate is not None
    bits = parse_bitrate(request.bitrate)
    if request.crf is not None or request.lossless:
        other = "lossless" if request.lossless else f"crf {request.crf:g}"
        raise StateError(f"bitrate {request.bitrate} and {other} exclude each other")
    settings = CODECS.get(codec, CodecSettings())
    if settings.fixed_rate or settings.lossless in ({}, settings.quality):
        raise MediaError(f"codec {codec} follows no bitrate, found bitrate {request.bitrate}")
    return bits


def pass_options(codec: str, log: PassLog) -> dict[str, str]:
    """What an encoder is told in one of two passes. Raises MediaError if it has none here."""
    settings = CODECS.get(codec, CodecSettings())
    if settings.passes is None:
        names = ", ".join(name for name, row in CODECS.items() if row.passes is not None)
        raise MediaError(f"codec {codec} cannot be told of two passes; these can: {names}")
    escaped = re.sub(r"([\\':=])", r"\\\1", log.path)  # in a list of parameters
    paths = {name: escaped if name.endswith("-params") else log.path for name in settings.passes}
    return {name: text.format(number=log.number, path=paths[name]) for name, text in settings.passes.items()}


def _check_names(codec: str, asked: Mapping[str, str], typed: Mapping[str, str]) -> None:
    if not asked:
        return
    supported = av.CodecContext.create(codec, "w").supported_options
    known = {option.name for option in (*supported.generic, *supported.private)}
    for name in asked:
        if name not in known:
            hint = did_you_mean(name, known) if name in typed else ""  # the others' names are ours, and spelled right
            raise MediaError(f"codec {codec} has no option {name}{hint}")


def _merge(options: dict[str, str], more: Mapping[str, str]) -> None:
    """Add options; lists of parameters become longer, so that ours and the user's hold both, the user's last."""
    for name, value in more.items():
        longer = name.endswith("-params") and options.get(name)
        options[name] = f"{options[name]}:{value}" if longer else value
