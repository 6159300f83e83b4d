"""Speed of block decoding: texsamp on every CPU level against other decoders, from bytes in memory."""

from __future__ import annotations

import importlib
import io
import struct
from typing import Any

import numpy as np
from PIL import Image

import texsamp as ts
from benchmarks.decode_astc import decode_astc
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels
from texsamp.state.formats import surface_format

SIDE_PX = 1024

FORMATS: dict[str, tuple[int | None, str | None]] = {
    # name: DXGI code for Pillow's DDS reader, function of texture2ddecoder
    "BC1_UNORM": (71, "decode_bc1"),
    "BC2_UNORM": (74, None),
    "BC3_UNORM": (77, "decode_bc3"),
    "BC4_UNORM": (80, "decode_bc4"),
    "BC5_UNORM": (83, "decode_bc5"),
    "BC6H_UF16": (95, "decode_bc6"),
    "BC7_UNORM": (98, "decode_bc7"),
    "ETC1_RGB8": (None, "decode_etc1"),
    "ETC2_RGB8": (None, "decode_etc2"),
    "ETC2_RGB8_PTA": (None, "decode_etc2a1"),
    "ETC2_EAC_RGBA8": (None, "decode_etc2a8"),
    "EAC_R11": (None, "decode_eacr"),
    "EAC_RG11": (None, "decode_eacrg"),
    "EAC_SIGNED_R11": (None, "decode_eacr_signed"),
    "EAC_SIGNED_RG11": (None, "decode_eacrg_signed"),
    "FXT1": (None, None),
}


def _dds(dxgi: int, blocks: bytes) -> bytes:
    header = struct.pack("<4s7I44x", b"DDS ", 124, 0x1007, SIDE_PX, SIDE_PX, 0, 0, 0)
    pixel_format = struct.pack("<2I4s5I", 32, 4, b"DX10", 0, 0, 0, 0, 0)
    return header + pixel_format + struct.pack("<10I", 0x1000, 0, 0, 0, 0, dxgi, 3, 0, 1, 0) + blocks


def _pillow(dxgi: int | None, blocks: bytes) -> list[Contender]:
    if dxgi is None:
        return []
    file = _dds(dxgi, blocks)
    return [Contender("Pillow", lambda: Image.open(io.BytesIO(file)).load())]


def _texture2ddecoder(function: str | None, blocks: bytes) -> list[Contender]:
    try:
        module: Any = importlib.import_module("texture2ddecoder")
    except ImportError:
        return []
    if function is None:
        return []
    decode = getattr(module, function)
    return [Contender("texture2ddecoder", lambda: decode(blocks, SIDE_PX, SIDE_PX))]


def _ours(name: str, blocks: bytes, threads: int) -> list[Contender]:
    contenders = []
    for level in (level for level in supported_levels() if library_path(level)):
        made = CpuDevice(level)

        def run(device: CpuDevice = made) -> object:
            return ts.decode(blocks, name, SIDE_PX, SIDE_PX, device=device)

        contenders.append(Contender(f"texsamp {level}", run, lambda: ts.set_threads(threads)))
    return contenders


def decode(threads: int) -> list[Row]:
    """Random blocks of a 1024x1024 image, and encoded pictures in ASTC.

    Baseline: Pillow, or else texture2ddecoder (both have one thread), or else (FXT1) the first of texsamp's own.
    """
    rows = []
    for name, (dxgi, function) in FORMATS.items():
        info = surface_format(name)
        size = SIDE_PX // info.block_width * SIDE_PX // info.block_height * info.bits // 8
        blocks = np.random.default_rng(7).integers(0, 256, size, np.uint8).tobytes()
        contenders = _pillow(dxgi, blocks) + _texture2ddecoder(function, blocks) + _ours(name, blocks, threads)
        rows += measure(f"{name} {SIDE_PX}x{SIDE_PX}", contenders, contenders[0].name, threads, rounds=11, frames=4)
    ts.set_threads(None)
    return rows + decode_astc(threads)
