"""Block encoders side by side: what their blocks decode to, and what they cost. `texsamp encode` has the chosen."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import texsamp as ts
from texsamp.state.formats import surface_format
from texsamp.surface.arrays import format_named
from texsamp.surface.encode import ENCODERS, block_encoder
from texsamp.surface.encode_worker import ENCODERS as LIBRARIES

SIDE_PX = 512
ASTC = ("ASTC_4x4_UNORM", "ASTC_6x6_UNORM", "ASTC_8x8_UNORM", "ASTC_6x6_SFLOAT")
_PRESETS = ("FAST", "MEDIUM", "THOROUGH")

Pixels = np.ndarray[Any, np.dtype[Any]]
Run = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Row:
    """PSNR of the stored channels; of halves over their bits as numbers of 16, which are nearly a logarithm.

    cpu_ms: the least of three, for a picture of 512x512, in one process with the library loaded.
    """

    format: str
    encoder: str
    chosen: str
    psnr_db: float
    cpu_ms: float


def picture() -> Pixels:
    """RGBA of 8 bits: clouds in three colors, polygons with smooth edges, grain, and alpha that fades along them."""
    random = np.random.default_rng(11)
    size = 2 * SIDE_PX
    color = np.full((size, size, 4), 120.0)
    for octave in (8, 16, 32, 64, 128):
        coarse = random.normal(0, 1, (4, size // octave + 2, size // octave + 2)).astype(np.float32)
        for channel in range(4):
            clouds = Image.fromarray(coarse[channel]).resize((size, size), Image.Resampling.BICUBIC)
            color[..., channel] += np.asarray(clouds) * octave * 0.25
    image = Image.fromarray(color.clip(0, 255).astype(np.uint8), "RGBA")
    draw = ImageDraw.Draw(image)
    for n in range(50):
        x, y = (int(at) for at in random.integers(0, size, 2))
        reach = 300 if n % 3 == 0 else 40
        corners = [(x + int(dx), y + int(dy)) for dx, dy in random.integers(-reach, reach + 1, (3, 2))]
        draw.polygon(corners, fill=tuple(int(code) for code in random.integers(0, 256, 4)))
    small = np.asarray(image.resize((SIDE_PX, SIDE_PX), Image.Resampling.LANCZOS)).astype(np.float64)
    return (small + random.normal(0, 2, small.shape)).clip(0, 255).round().astype(np.uint8)


def halves(signed: bool) -> Pixels:
    """The same as light of 20 stops; alpha is 1. Signed: each channel around its middle."""
    light = picture().astype(np.float64) / 255
    stops = np.linspace(-10, 10, SIDE_PX)[:, None, None]
    made = (light - 0.5 * signed) * 2**stops
    made[..., 3] = 1
    return made.astype(np.float16)


def _pixels(format: str) -> Pixels:
    info = format_named(format)
    kind = info.channels[0].kind
    if kind == "float":
        return halves(info.name == "BC6H_SF16")
    pixels = picture()
    if format.startswith(("BC1", "DXT1")):
        pixels[..., 3] = 255
    return (pixels[..., : len(info.channels)].astype(np.int16) - 128).astype(np.int8) if kind == "snorm" else pixels


def _worker(library: str, *arguments: Any, pixel_bytes: int = 4) -> Run:
    encode = LIBRARIES[library](*arguments)
    return lambda data: encode(data, SIDE_PX, SIDE_PX, pixel_bytes)


def _quicktex(kind: str, level: int) -> Run:
    quicktex: Any = importlib.import_module("quicktex")
    encoder = getattr(importlib.import_module(f"quicktex.s3tc.{kind.lower()}"), f"{kind}Encoder")
    made = encoder(level) if kind in ("BC1", "BC3") else encoder(*range(2 if kind == "BC5" else 1))
    return lambda data: bytes(made.encode(quicktex.RawTexture.frombytes(data, SIDE_PX, SIDE_PX)).tobytes())


def _astc(profile: str, width: int, height: int, preset: str, pixel_bytes: int) -> Run:
    astc: Any = importlib.import_module("astc_encoder")
    quality = astc.ASTCQualityPreset[preset]
    context = astc.ASTCContext(astc.ASTCConfig(astc.ASTCProfile[profile], width, height, 1, quality))
    kind = astc.ASTCType.U8 if pixel_bytes == 4 else astc.ASTCType.F16
    swizzle = astc.ASTCSwizzle.from_str("RGBA")
    return lambda data: bytes(context.compress(astc.ASTCImage(kind, SIDE_PX, SIDE_PX, data=data), swizzle))


_BC6H = ("compress_blocks_bc6h", "BC6HEncSettings")
_PEERS: dict[str, tuple[tuple[str, Callable[[], Run]], ...]] = {
    "BC1_UNORM": (
        ("etcpak", lambda: _worker("etcpak", "compress_bc1")),
        ("quicktex 5", lambda: _quicktex("BC1", 5)),
        ("quicktex 18", lambda: _quicktex("BC1", 18)),
    ),
    "BC3_UNORM": (
        ("etcpak", lambda: _worker("etcpak", "compress_bc3")),
        ("quicktex 5", lambda: _quicktex("BC3", 5)),
    ),
    "BC4_UNORM": (("etcpak", lambda: _worker("etcpak", "compress_bc4")),),
    "BC5_UNORM": (("etcpak", lambda: _worker("etcpak", "compress_bc5")),),
    "BC6H_UF16": tuple(
        (
            f"ispc_texcomp {p}",
            lambda p=p: _worker("ispc_texcomp", "compress_blocks_bc6h", "BC6HEncSettings", p, pixel_bytes=8),
        )
        for p in ("veryfast", "veryslow")
    ),
    "BC7_UNORM": (
        ("etcpak", lambda: _worker("etcpak", "compress_bc7")),
        *(
            (f"ispc_texcomp {p}", lambda p=p: _worker("ispc_texcomp", "compress_blocks_bc7", "BC7EncSettings", p))
            for p in ("alpha_ultrafast", "alpha_basic", "alpha_slow")
        ),
    ),
}
"""Others by format; a library that is not installed is left out."""


def _chosen(format: str, pixels: Pixels) -> tuple[str, Run]:
    info = format_named(format)
    encoder = block_encoder(info)
    words = " ".join(str(each) for each in encoder.arguments[2:]) if encoder.library == "ispc_texcomp" else ""
    if encoder.whole is not None:
        whole = encoder.whole
        return "texsamp (NumPy)", lambda data: whole(pixels)
    if info.name.startswith("ASTC"):
        words = "MEDIUM"
    run = _worker(encoder.library, *encoder.arguments, pixel_bytes=4 * pixels.itemsize)
    finished = encoder.finished
    if finished is not None:
        return f"{encoder.library} and texsamp (NumPy)", lambda data: finished(run(data), pixels)
    return f"{encoder.library} {words}".strip(), run


def _others(format: str, pixels: Pixels) -> Iterator[tuple[str, Run]]:
    for name, make in _PEERS.get(format, ()):
        try:
            yield name, make()
        except ImportError:
            continue
    if format in ASTC:
        block = format_named(format)
        profile = "HDR" if pixels.dtype == np.float16 else "LDR"
        for preset in _PRESETS:
            if preset != "MEDIUM":
                sizes = (block.block_width, block.block_height)
                yield f"astc_encoder {preset}", _astc(profile, *sizes, preset, 4 * pixels.itemsize)


def _psnr_db(blocks: bytes, format: str, pixels: Pixels) -> float:
    info = format_named(format)
    rows = -(-SIDE_PX // info.block_height)
    size_B = rows * -(-SIDE_PX // info.block_width) * info.bits // 8
    found = np.asarray(ts.decode(blocks[:size_B], info.name, SIDE_PX, SIDE_PX, device="cpu"))
    channels = found.shape[2]
    if pixels.dtype == np.float16:
        bits = [each[..., :channels].view(np.int16).astype(np.int64) for each in (found, np.ascontiguousarray(pixels))]
        numbers = [np.where(each < 0, -(each & 0x7FFF), each) for each in bits]
        peak = 0x7BFF
    else:
        largest = np.iinfo(found.dtype).max
        numbers = [found.astype(np.float64) / largest, pixels[..., :channels] / np.iinfo(pixels.dtype).max]
        peak = 1
    return float(10 * np.log10(peak**2 / ((numbers[0] - numbers[1]) ** 2).mean()))


def _row(format: str, name: str, chosen: bool, run: Run, pixels: Pixels) -> Row:
    padded = np.pad(pixels, ((0, 0), (0, 0), (0, 4 - pixels.shape[2])), constant_values=0)
    data = padded.tobytes()
    times = []
    for _ in range(3):
        begin = time.process_time()
        blocks = run(data)
        times.append((time.process_time() - begin) * 1e3)
    return Row(format, name, "yes" if chosen else "", _psnr_db(blocks, format, pixels), min(times))


def encode() -> list[Row]:
    """Every format that is encoded, without the SRGB ones, whose blocks are the same."""
    rows = []
    plain = [name for name in ENCODERS if surface_format(name).color_space != "srgb" and name != "DXT1_RGB"]
    for format in [*plain, *ASTC]:
        pixels = _pixels(format)
        name, run = _chosen(format, pixels)
        rows.append(_row(format, name, True, run, pixels))
        rows += [_row(format, name, False, run, pixels) for name, run in _others(format, pixels)]
    return rows
