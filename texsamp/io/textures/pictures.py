"""Pictures in: what Pillow reads at full depth, 16-bit PNG and EXR through FFmpeg, and HDR."""

from __future__ import annotations

import contextlib
import io
import logging
import re
import struct
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from texsamp.errors import FormatError
from texsamp.io.textures import exr, radiance
from texsamp.io.textures.color_profile import is_srgb
from texsamp.io.textures.geometry import Geometry
from texsamp.io.textures.libtiff_silence import silence_libtiff
from texsamp.io.textures.still_codec import Image, decode_still
from texsamp.io.textures.texture_file import TextureFile
from texsamp.state.formats import surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import Bytes

_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_PNG_HEADER = struct.Struct(">8s4x4s2I2B")
"""Magic; chunk name; width, height; bits, color type."""

_PNG_DEPTH_PILLOW_LACKS = 16
_PNG_GRAY = 0
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By color type."""
_MOST_INFLATED = 1032
"""Bytes that deflate can make of one: 258 of two bits."""

_EXIF_ORIENTATION, _LEVEL = 0x112, 1
"""The tag, and the value of pictures that are the right way up."""

logging.getLogger("PIL").addHandler(logging.NullHandler())  # its errors are raised as well; stderr is the caller's

PILLOW_FORMATS = ("PNG", "JPEG", "TIFF", "TGA", "BMP", "GIF", "WEBP", "SGI", "QOI", "PCX")
"""Kinds of pictures that are read. Not all that Pillow knows: some run other programs, some lose bits unnoticed."""

_SAMPLES_OF_16_BITS = re.compile("SGI16| L;16$|;16[BLN]$")
"""In Pillow's words for a decoder and its raw mode; ``BGR;16`` is a pixel of 16 bits, of 5, 6 and 5."""

_FORMATS = {
    # By type of a sample and channels. Three channels that cannot be sampled get an alpha.
    ("uint8", 1): "L8_UNORM",
    ("uint8", 2): "L8A8_UNORM",
    ("uint8", 4): "R8G8B8A8_UNORM",
    ("uint16", 1): "L16_UNORM",
    ("uint16", 2): "L16A16_UNORM",
    ("uint16", 4): "R16G16B16A16_UNORM",
    ("float16", 1): "L16_FLOAT",
    ("float16", 4): "R16G16B16A16_FLOAT",
    ("float32", 1): "L32_FLOAT",
    ("float32", 3): "R32G32B32_FLOAT",
    ("float32", 4): "R32G32B32A32_FLOAT",
}
_PILLOW_MODES = {
    # What a mode is converted to, and the type of its samples.
    "1": ("L", "uint8"),
    "L": ("L", "uint8"),
    "LA": ("LA", "uint8"),
    "La": ("LA", "uint8"),
    "P": ("RGBA", "uint8"),
    "PA": ("RGBA", "uint8"),
    "RGB": ("RGBA", "uint8"),
    "RGBA": ("RGBA", "uint8"),
    "RGBX": ("RGBA", "uint8"),
    "RGBa": ("RGBA", "uint8"),
    "CMYK": ("RGBA", "uint8"),
    "YCbCr": ("RGBA", "uint8"),
    "LAB": ("RGBA", "uint8"),
    "HSV": ("RGBA", "uint8"),
    "I;16": ("I;16", "uint16"),
    "I;16B": ("I;16B", "uint16"),
    "F": ("F", "float32"),
}


def read_picture(data: Bytes) -> TextureFile:
    """Read a picture: one level of 2D, values as they are encoded. Animations give their first picture.

    Gray becomes luminance (``L8_UNORM``), colors ``R8G8B8A8_UNORM`` with alpha 1 where there is none, and 16 bits the
    same with 16; EXR and HDR become formats of halves and floats. Raises FormatError for files nobody here reads,
    malformed ones, and depths that would be lost.
    """
    view = memoryview(data).cast("B")
    if bytes(view[:4]) == exr.MAGIC:
        header = exr.read_exr_header(view)
        _check_size("float32", *header.largest_px)
        image, format = exr.read_exr(view, header)
        texture = _texture(image, "EXR", f"{image.dtype.name}, channels {' '.join(header.channels)}", format)
        return replace(texture, notes=(exr.PARTS_NOTE,) * header.has_parts)
    if bytes(view[:16]).startswith(radiance.MAGICS):
        width, height, offset_B = radiance.read_hdr_size(view)
        _check_size("float32", width, height)
        return _texture(radiance.read_hdr(view, width, height, offset_B), "HDR", "numbers of 8 bits, shared exponent")
    if view.nbytes >= _PNG_HEADER.size:
        magic, chunk, width, height, bits, color_type = _PNG_HEADER.unpack_from(view)
        if magic == _PNG_MAGIC and chunk == b"IHDR":
            _check_size("uint16" if bits == _PNG_DEPTH_PILLOW_LACKS else "uint8", width, height)
            _check_png(view.nbytes, width, height, bits * _PNG_CHANNELS.get(color_type, 1))
            if bits == _PNG_DEPTH_PILLOW_LACKS and color_type != _PNG_GRAY:
                image = decode_still("png", bytes(view))
                texture = _texture(image, "PNG", f"16 bits, {image.shape[2]} channels")
                return replace(texture, notes=_profile_note_of(view))
    return _read_with_pillow(view)


def _check_size(dtype: str, width: int, height: int) -> None:
    """Raise FormatError if a picture is too large, before it is decoded."""
    Geometry(SurfaceType.SURFTYPE_2D, surface_format(_FORMATS[dtype, 4]), width, height)


def _check_png(file_B: int, width: int, height: int, pixel_bits: int) -> None:  # noqa: N803 - the unit
    """Raise FormatError if a file is too small for its picture, before memory is taken for that."""
    needed_B = width * height * pixel_bits // 8 // _MOST_INFLATED
    if file_B < needed_B:
        raise FormatError(f"a PNG picture of {width}x{height} must have at least {needed_B} bytes, found {file_B}")


def _read_with_pillow(view: memoryview) -> TextureFile:
    from PIL import Image as pillow  # noqa: N813 - slow to import, and only pictures need it
    from PIL import UnidentifiedImageError

    silence_libtiff()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # large pictures are refused by their size, and metadata does not matter
            with pillow.open(io.BytesIO(view), formats=PILLOW_FORMATS) as picture:
                name, mode = picture.format or "?", picture.mode
                if mode not in _PILLOW_MODES:
                    raise FormatError(f"{name} pictures of mode {mode} are not supported")
                target, dtype = _PILLOW_MODES[mode]
                _check_size(dtype, picture.width, picture.height)
                _check_depth(picture, name)
                image = np.asarray(picture if mode == target else picture.convert(target))
                notes = (*_orientation_note(picture), *_profile_note(picture))
    except FormatError:
        raise
    except UnidentifiedImageError:
        known = ", ".join([*PILLOW_FORMATS, "EXR", "HDR"])
        raise FormatError(f"neither a DDS, KTX, KTX2 or ASTC file nor a picture ({known})") from None
    except Exception as error:  # Pillow's readers raise what they come across: struct.error, IndexError, SyntaxError...
        raise FormatError(f"the picture cannot be decoded: {error or type(error).__name__}") from error
    return replace(_texture(image.reshape(*image.shape[:2], -1), name, f"Pillow's mode {mode}"), notes=notes)


def _orientation_note(picture: Any) -> tuple[str, ...]:
    """That a camera was not held level, which nothing here applies."""
    orientation = _LEVEL
    with contextlib.suppress(Exception):  # EXIF that is damaged is none
        orientation = picture.getexif().get(_EXIF_ORIENTATION, _LEVEL)
    if orientation == _LEVEL:
        return ()
    return (f"the EXIF orientation is {orientation}: rows and columns are kept as they are in the file",)


def _profile_note(picture: Any) -> tuple[str, ...]:
    """That a picture's numbers mean other colors than those of sRGB, which nothing here applies."""
    profile = picture.info.get("icc_profile")
    if not profile or is_srgb(profile):
        return ()
    return ("its color profile (ICC) is neither applied nor kept: colors stay the numbers that they are in the file",)


def _profile_note_of(view: memoryview) -> tuple[str, ...]:
    """The same of a picture that Pillow does not decode, but knows."""
    from PIL import Image as pillow  # noqa: N813 - slow to import, and only pictures need it

    with contextlib.suppress(Exception), pillow.open(io.BytesIO(view), formats=PILLOW_FORMATS) as picture:
        return _profile_note(picture)
    return ()


def _check_depth(picture: Any, name: str) -> None:
    """Raise FormatError if Pillow would drop bits: its decoder or raw mode then has samples of 16, its mode of 8."""
    for decoder, _, _, arguments in picture.tile:
        raw = arguments[0] if isinstance(arguments, tuple) and arguments else arguments
        if picture.mode not in ("I;16", "I;16B", "F") and _SAMPLES_OF_16_BITS.search(f"{decoder} {raw}"):
            raise FormatError(
                f"{name} pictures of 16 bits and mode {picture.mode} cannot be read at full depth; use PNG"
            )


def _texture(image: Image, container: str, stored_format: str, format: str | None = None) -> TextureFile:
    height, width, channels = image.shape
    if format is None and (image.dtype.name, channels) not in _FORMATS:
        one = np.iinfo(image.dtype).max if image.dtype.kind == "u" else 1
        opaque = np.full((height, width, 1), one, image.dtype)
        image = np.concatenate([image, opaque], axis=2)
    info = surface_format(format or _FORMATS[image.dtype.name, image.shape[2]])
    texels = image.astype(image.dtype.newbyteorder("<")).tobytes()
    geometry = Geometry(SurfaceType.SURFTYPE_2D, info, width, height)
    return TextureFile(geometry.with_images([[texels]]), container, stored_format)
