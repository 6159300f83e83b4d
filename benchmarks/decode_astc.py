"""Speed of ASTC decoding: texsamp on every CPU level against Arm's decoder, from bytes in memory."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

import texsamp as ts
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path, supported_levels

SIDE_PX = 960
FOOTPRINTS = ((4, 4), (5, 5), (6, 6), (8, 8), (10, 10), (12, 12))
KINDS = {
    # kind: Arm's profile and element type, our format, dtype
    "unorm8": ("LDR", "U8", "ASTC_{}x{}_UNORM", "uint8"),
    "float16": ("LDR", "F16", "ASTC_{}x{}_UNORM", "float16"),
    "HDR": ("HDR", "F16", "ASTC_{}x{}_SFLOAT", "float16"),
}


def _picture() -> npt.NDArray[np.float64]:
    """Slopes, noise, and rectangles with sharp edges: 0 to 255."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX]
    waves = (np.sin(x / 37) + np.cos(y / 53), np.sin((x + y) / 29), np.cos((x - y) / 71), np.sin(x / 301))
    picture = np.stack(waves, axis=2) * 50 + 128 + rng.normal(0, 12, (SIDE_PX, SIDE_PX, 4))
    for top, left in rng.integers(0, SIDE_PX - 50, (150, 2)):
        picture[top : top + 50, left : left + 50] = rng.integers(0, 256, 4) + rng.normal(0, 4, (50, 50, 4))
    clipped: npt.NDArray[np.float64] = picture.clip(0, 255)
    return clipped


def decode_astc(threads: int) -> list[Row]:
    """An encoded picture of 960x960 texels. Baseline: astc-encoder-py, with one thread; nothing without it."""
    try:
        arm: Any = importlib.import_module("astc_encoder")
    except ImportError:
        return []
    rows = []
    picture = _picture()
    for kind, (profile, element, name, dtype) in KINDS.items():
        pixels = picture.astype(np.uint8) if profile == "LDR" else (picture / 64).astype(np.float16)
        source = arm.ASTCImage(arm.ASTCType.U8 if profile == "LDR" else arm.ASTCType.F16, SIDE_PX, SIDE_PX)
        source.data = pixels.tobytes()
        for footprint in FOOTPRINTS:
            context = arm.ASTCContext(arm.ASTCConfig(arm.ASTCProfile[profile], *footprint, 1, 10.0))
            blocks = context.compress(source, arm.ASTCSwizzle())
            texels = arm.ASTCImage(arm.ASTCType[element], SIDE_PX, SIDE_PX)

            def theirs(context: Any = context, blocks: bytes = blocks, texels: Any = texels) -> object:
                return context.decompress(blocks, texels, arm.ASTCSwizzle())

            contenders = [Contender("astc-encoder-py", theirs)]
            for level in (level for level in supported_levels() if library_path(level)):
                made = CpuDevice(level)

                def ours(
                    device: CpuDevice = made,
                    blocks: bytes = blocks,
                    format: str = name.format(*footprint),
                    dtype: str = dtype,
                ) -> object:
                    return ts.decode(blocks, format, SIDE_PX, SIDE_PX, dtype=dtype, device=device)

                contenders.append(Contender(f"texsamp {level}", ours, lambda: ts.set_threads(threads)))
            title = "ASTC {}x{} {} {}x{}".format(*footprint, kind, SIDE_PX, SIDE_PX)
            rows += measure(title, contenders, contenders[0].name, threads, rounds=7, frames=3)
    ts.set_threads(None)
    return rows
