"""Speed of ASTC decoding: texsamp on every CPU level against Arm's decoder, from bytes in memory."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import texsamp as ts
from benchmarks.timing import Contender, Row, measure
from texsamp.device import CpuDevice
from texsamp.device.cpu import library_path
from texsamp.device.levels import supported_levels

SIDE_PX = 960
EVERY_FOOTPRINT = (
    *((4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6)),
    *((8, 8), (10, 5), (10, 6), (10, 8), (10, 10), (12, 10), (12, 12)),
)
SQUARES = ((4, 4), (6, 6), (8, 8), (12, 12))
KINDS = {
    # kind: Arm's profile and element type, our format, dtype, footprints
    "unorm8": ("LDR", "U8", "ASTC_{}x{}_UNORM", "uint8", EVERY_FOOTPRINT),
    "float16": ("LDR", "F16", "ASTC_{}x{}_UNORM", "float16", SQUARES),
    "HDR": ("HDR", "F16", "ASTC_{}x{}_SFLOAT", "float16", SQUARES),
}


@cache
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


@cache
def _encoded(arm: Any, profile: str, footprint: tuple[int, int]) -> tuple[Any, bytes]:
    """The context that encoded the picture, and its blocks."""
    pixels = _picture().astype(np.uint8) if profile == "LDR" else (_picture() / 64).astype(np.float16)
    source = arm.ASTCImage(arm.ASTCType.U8 if profile == "LDR" else arm.ASTCType.F16, SIDE_PX, SIDE_PX)
    source.data = pixels.tobytes()
    context = arm.ASTCContext(arm.ASTCConfig(arm.ASTCProfile[profile], *footprint, 1, 10.0))
    return context, context.compress(source, arm.ASTCSwizzle())


def decode_astc(threads: int) -> list[Row]:
    """An encoded picture of 960x960 texels. Baseline: astc-encoder-py, with one thread; nothing without it."""
    try:
        arm: Any = importlib.import_module("astc_encoder")
    except ImportError:
        return []
    rows = []
    for kind, (profile, element, name, dtype, footprints) in KINDS.items():
        for footprint in footprints:
            context, blocks = _encoded(arm, profile, footprint)
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
            rows += measure(title, contenders, contenders[0].name, threads, rounds=7, frames=2)
    ts.set_threads(None)
    return rows
