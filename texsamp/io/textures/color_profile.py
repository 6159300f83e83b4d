"""Color profiles (ICC): what they say, as far as anybody here asks, and their places in files of pictures."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path

_WORDS = (b"sRGB", "sRGB".encode("utf-16-be"))
"""How the description of a profile of sRGB names it, in profiles of version 2 and of version 4."""

PROFILE_LOST = "the color profile (ICC) cannot be passed on to the output"

_SPACE = slice(16, 20)
_HOLDERS = ("PNG", "JPEG", "TIFF", "WEBP")

_PNG_HEADER_B = 33
_JPEG_START_B, _JPEG_LENGTH = 2, struct.Struct(">2sH")
_JPEG_NAME, _JPEG_PART_B = b"ICC_PROFILE\0", 65519
_TIFF_TAG, _TIFF_UNDEFINED = 34675, 7


def is_srgb(profile: bytes) -> bool:
    """Whether a profile says that it is that of sRGB, as which pictures without one are shown."""
    return any(word in profile for word in _WORDS)


def profile_model(profile: bytes) -> str:
    """The model of the colors that a profile is about: "rgb", "gray", or another word of its own."""
    return profile[_SPACE].decode("ascii", "replace").strip().lower()


def profile_of(path: str) -> bytes | None:
    """The profile in a picture's file; None if there is none, or none that can be read."""
    if not os.path.isfile(path):  # a pipe is read once
        return None
    from PIL import Image  # slow to import, and few pictures have one

    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")  # about other metadata
        with Image.open(io.BytesIO(Path(path).read_bytes()), formats=_HOLDERS) as picture:
            profile = picture.info.get("icc_profile")
            return profile if isinstance(profile, bytes) else None
    return None


def _in_png(file: bytes, profile: bytes) -> bytes:
    body = b"iCCPICC profile\0\0" + zlib.compress(profile)
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return file[:_PNG_HEADER_B] + chunk + file[_PNG_HEADER_B:]


def _in_jpeg(file: bytes, profile: bytes) -> bytes:
    """Behind the JFIF header, which must come first."""
    at = _JPEG_START_B
    marker, length_B = _JPEG_LENGTH.unpack_from(file, at)
    if marker == b"\xff\xe0":
        at += 2 + length_B
    parts = [profile[i : i + _JPEG_PART_B] for i in range(0, len(profile), _JPEG_PART_B)]
    segments = (
        _JPEG_LENGTH.pack(b"\xff\xe2", 4 + len(_JPEG_NAME) + len(part)) + _JPEG_NAME + bytes((n, len(parts))) + part
        for n, part in enumerate(parts, start=1)
    )
    return file[:at] + b"".join(segments) + file[at:]


def _in_tiff(file: bytes, profile: bytes) -> bytes:
    """A second directory behind the picture, with one entry more, takes the place of the first."""
    order = "<" if file[:2] == b"II" else ">"
    (old,) = struct.unpack_from(f"{order}I", file, 4)
    (count,) = struct.unpack_from(f"{order}H", file, old)
    entries = [file[old + 2 + 12 * n :][:12] for n in range(count)]
    body = file + bytes(len(file) % 2)
    entries.append(struct.pack(f"{order}HHII", _TIFF_TAG, _TIFF_UNDEFINED, len(profile), len(body)))
    body += profile + bytes(len(profile) % 2)
    entries.sort(key=lambda entry: struct.unpack_from(f"{order}H", entry))
    directory = struct.pack(f"{order}H", len(entries)) + b"".join(entries) + bytes(4)
    return body[:4] + struct.pack(f"{order}I", len(body)) + body[8:] + directory


WITH_PROFILE: dict[str, Callable[[bytes, bytes], bytes]] = {"png": _in_png, "mjpeg": _in_jpeg, "tiff": _in_tiff}
"""By codec: a picture's file without a profile, and that with one."""

LARGEST_B = {"mjpeg": 255 * _JPEG_PART_B}
"""By codec: the largest profile that its files hold, where there is a limit that profiles reach."""
