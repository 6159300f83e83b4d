"""The data format descriptor of KTX2 files: what the bits of a texel are, in the words of the Khronos Data Format."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from texsamp.errors import FormatError
from texsamp.state.formats import Channel, SurfaceFormatInfo

MODEL_RGBSDA = 1
MODEL_ETC1S = 163
MODEL_UASTC = 166

_TOTAL_SIZE = struct.Struct("<I")
_BLOCK = struct.Struct("<I2H4B4B8B")
"""Vendor and type; version, size; model, primaries, transfer, flags; block dimensions - 1; bytes of the planes."""

_SAMPLE = struct.Struct("<HBB4BII")
"""Bit offset; bits - 1; channel and qualifiers; position; lower and upper value."""

_VERSION = 2
_UNSPECIFIED = 0
_PRIMARIES_BT709 = 1
_TRANSFER_LINEAR = 1
_TRANSFER_SRGB = 2
_FLAG_PREMULTIPLIED = 1
_LINEAR, _EXPONENT, _SIGNED, _FLOAT = 0x10, 0x20, 0x40, 0x80
_ALPHA = 15
_CHANNELS = {"R": 0, "G": 1, "B": 2, "A": _ALPHA}
_PLUS_ONE, _MINUS_ONE = struct.unpack("<2I", struct.pack("<2f", 1, -1))
_FULL_U32 = 0xFFFFFFFF
_SHARED_EXPONENT_UPPER = 8448
_SHARED_EXPONENT_BIAS = 15

_MODELS: dict[str, tuple[int, tuple[tuple[int, int, int], ...]]] = {
    # Color model; bit offset, bits and channel of each sample.
    "DXT1_RGB": (128, ((0, 64, 0),)),
    "BC1": (128, ((0, 64, 1),)),  # 1: the color's index also says transparent
    "BC2": (129, ((0, 64, _ALPHA), (64, 64, 0))),
    "BC3": (130, ((0, 64, _ALPHA), (64, 64, 0))),
    "BC4": (131, ((0, 64, 0),)),
    "BC5": (132, ((0, 64, 0), (64, 64, 1))),
    "BC6H": (133, ((0, 128, 0),)),
    "BC7": (134, ((0, 128, 0),)),
    "EAC_R11": (161, ((0, 64, 0),)),
    "EAC_RG11": (161, ((0, 64, 0), (64, 64, 1))),
    "EAC_SIGNED_R11": (161, ((0, 64, 0),)),
    "EAC_SIGNED_RG11": (161, ((0, 64, 0), (64, 64, 1))),
    "ETC2_RGB8": (161, ((0, 64, 2),)),
    "ETC2_SRGB8": (161, ((0, 64, 2),)),
    "ETC2_RGB8_PTA": (161, ((0, 64, 2), (0, 64, _ALPHA))),
    "ETC2_SRGB8_PTA": (161, ((0, 64, 2), (0, 64, _ALPHA))),
    "ETC2_EAC_RGBA8": (161, ((0, 64, _ALPHA), (64, 64, 2))),
    "ETC2_EAC_SRGB8_A8": (161, ((0, 64, _ALPHA), (64, 64, 2))),
    "ASTC": (162, ((0, 128, 0),)),
}


@dataclass(frozen=True)
class DataFormat:
    """What texsamp reads of a descriptor."""

    model: int
    premultiplied: bool


def read_data_format(data: memoryview) -> DataFormat:
    """Model and alpha flag of a descriptor. Raises FormatError if its sizes are lies."""
    needed_B = _TOTAL_SIZE.size + _BLOCK.size
    if data.nbytes < needed_B:
        raise FormatError(f"a data format descriptor must have at least {needed_B} bytes, found {data.nbytes}")
    (total_B,) = _TOTAL_SIZE.unpack_from(data)
    if total_B != data.nbytes:
        raise FormatError(f"a data format descriptor must say its {data.nbytes} bytes, found {total_B}")
    _, _, block_B, model, _, _, flags, *_ = _BLOCK.unpack_from(data, _TOTAL_SIZE.size)
    if not _BLOCK.size <= block_B <= total_B - _TOTAL_SIZE.size:
        raise FormatError(
            f"a descriptor block must have {_BLOCK.size} to {total_B - _TOTAL_SIZE.size} bytes, found {block_B}"
        )
    return DataFormat(model, bool(flags & _FLAG_PREMULTIPLIED))


def data_format_descriptor(info: SurfaceFormatInfo) -> bytes:
    """The descriptor of a surface format: RGBA channels of numbers, a shared exponent, or blocks."""
    model, samples = _block_samples(info) if info.block_height > 1 else (MODEL_RGBSDA, _plain_samples(info))
    primaries = _PRIMARIES_BT709
    transfer = _TRANSFER_SRGB if info.color_space == "srgb" else _TRANSFER_LINEAR
    if {channel.kind for channel in info.channels} <= {"uint", "sint"}:  # KTX2: integers are no colors
        primaries = transfer = _UNSPECIFIED
    block_B = _BLOCK.size + len(samples) * _SAMPLE.size
    footprint = (info.block_width - 1, info.block_height - 1, 0, 0)
    planes = (info.bits // 8, 0, 0, 0, 0, 0, 0, 0)
    block = _BLOCK.pack(0, _VERSION, block_B, model, primaries, transfer, 0, *footprint, *planes)
    return _TOTAL_SIZE.pack(_TOTAL_SIZE.size + block_B) + block + b"".join(samples)


def _sample(offset: int, bits: int, channel: int, lower: int, upper: int) -> bytes:
    return _SAMPLE.pack(offset, bits - 1, channel, 0, 0, 0, 0, lower & _FULL_U32, upper & _FULL_U32)


def _block_samples(info: SurfaceFormatInfo) -> tuple[int, list[bytes]]:
    """By the longest name that the format begins with."""
    name = max((name for name in _MODELS if info.name.startswith(name)), key=len)
    model, places = _MODELS[name]
    samples = []
    for offset, bits, channel in places:
        qualifiers = _LINEAR if channel == _ALPHA and info.color_space == "srgb" else 0
        lower, upper = 0, _FULL_U32
        if info.channels[0].kind == "snorm":
            qualifiers, lower, upper = _SIGNED, 0x80000000, 0x7FFFFFFF
        elif info.name == "BC6H_UF16":
            qualifiers, upper = _FLOAT, _PLUS_ONE
        elif info.channels[0].kind == "float":
            qualifiers, lower, upper = _FLOAT | _SIGNED, _MINUS_ONE, _PLUS_ONE
        samples.append(_sample(offset, bits, channel | qualifiers, lower, upper))
    return model, samples


def _plain_samples(info: SurfaceFormatInfo) -> list[bytes]:
    exponent = next((channel for channel in info.channels if channel.kind == "exponent"), None)
    samples = []
    for channel in info.channels:
        if channel.kind in ("pad", "exponent"):
            continue
        samples.append(_plain_sample(channel, info))
        if exponent is not None:
            place = _place(exponent)
            code = _CHANNELS[channel.name] | _EXPONENT
            samples.append(_sample(*place, code, _SHARED_EXPONENT_BIAS, (1 << place[1]) - 1))
    return samples


def _plain_sample(channel: Channel, info: SurfaceFormatInfo) -> bytes:
    offset, bits = _place(channel)
    unsigned_float = info.name == "R11G11B10_FLOAT"
    qualifiers, lower, upper = {
        "unorm": (0, 0, (1 << bits) - 1),
        "snorm": (_SIGNED, 1 - (1 << (bits - 1)), (1 << (bits - 1)) - 1),
        "uint": (0, 0, 1),
        "sint": (_SIGNED, -1, 1),
        "float": (_FLOAT, 0, _PLUS_ONE) if unsigned_float else (_FLOAT | _SIGNED, _MINUS_ONE, _PLUS_ONE),
        "sharedexp": (0, 0, _SHARED_EXPONENT_UPPER),
    }[channel.kind]
    if channel.name == "A" and info.color_space == "srgb":
        qualifiers |= _LINEAR
    return _sample(offset, bits, _CHANNELS[channel.name] | qualifiers, lower, upper)


def _place(channel: Channel) -> tuple[int, int]:
    assert channel.offset is not None
    assert channel.bits is not None
    return channel.offset, channel.bits
