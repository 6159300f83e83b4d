"""Messages nobody would send: random descriptors, payloads and states. Only CaptureError, soon."""

import numpy as np
import pytest
from support.filter_cases import sweep
from support.programs import COEFFICIENTS_AT, SAMPLERS_AT, SET_UP, Program, data_address, objects

from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceState, RenderSurfaceState

FUNCTIONS = ("null", "sampler", "gateway", "sampler_cache", "render_cache", "constant_cache", "data_cache", "urb")
TYPE_AT = {"sampler": 12, "gateway": 0, "urb": 0}
TYPES_OF = {
    "sampler": (*range(11), 16, 17, 18, 0x60, 0x68, 0x6B, 0x6C),  # with the SIMD mode of block messages
    "sampler_cache": (1, 4),
    "render_cache": (4, 5, 6, 7, 10, 13),
    "constant_cache": (0, 1, 2, 3),
    "urb": range(8),
    "data_cache": (*range(9), 10, 11, 12, 13, 16, 24),  # two of them scratch blocks
}
"""Codes of messages that exist."""
HEADERS = {"sampler": 0.3, "gateway": 0.05, "null": 0.5}
SIZE = 1 << 16
FORMATS = ("R8G8B8A8_UNORM", "R32_UINT", "RAW", "R32_FLOAT", "BC1_UNORM", "R8_UNORM", "R32G32B32A32_SINT", "R16_FLOAT")
TYPES = (
    "SURFTYPE_1D",
    "SURFTYPE_2D",
    "SURFTYPE_3D",
    "SURFTYPE_CUBE",
    "SURFTYPE_BUFFER",
    "SURFTYPE_STRBUF",
    "SURFTYPE_NULL",
)


def _surface(rng, number):
    """A surface that may be legal."""
    kind = str(rng.choice(TYPES, p=(0.1, 0.4, 0.1, 0.1, 0.15, 0.1, 0.05)))
    base = data_address(int(rng.integers(2))) + 4 * int(rng.choice([0, 0, 0, 1, 1024, SIZE]))
    if rng.random() < 0.25:
        format = str(rng.choice(["PLANAR_420_8", "YCRCB_NORMAL", "Y8_UNORM", "R8B8_UNORM", "PLANAR_422_8"]))
        return MediaSurfaceState(
            base_address=base, format=format, width=int(rng.choice([1, 16, 40, 4096])),
            height=int(rng.choice([1, 24, 2000])), pitch=int(rng.choice([16, 64, 128, 512])),
            interleave_chroma=bool(rng.integers(2)), tile_mode=str(rng.choice(["LINEAR", "X", "Y"])),
            y_offset_u=int(rng.choice([0, 24])),
        )  # fmt: skip
    if kind in ("SURFTYPE_BUFFER", "SURFTYPE_STRBUF"):
        return RenderSurfaceState(
            surface_type=kind, format=str(rng.choice(FORMATS)), base_address=base,
            entries=int(rng.choice([1, 100, 4096, 1 << 20])), pitch=int(rng.choice([1, 4, 16, 24])),
        )  # fmt: skip
    tiled = bool(rng.integers(2))
    return RenderSurfaceState(
        surface_type=kind, format=str(rng.choice(FORMATS)), base_address=base, width=int(rng.choice([1, 8, 40, 5000])),
        height=int(rng.choice([1, 8, 24, 3000])), pitch=int(rng.choice([4, 64, 128, 512])), tiled=tiled,
        tile_walk=str(rng.choice(["XMAJOR", "YMAJOR"])), surface_array=bool(rng.integers(2)),
        mip_count=int(rng.choice([0, 0, 3, 14])),
    )  # fmt: skip


def _program(rng):
    function = str(rng.choice(FUNCTIONS, p=(0.02, 0.38, 0.02, 0.08, 0.2, 0.1, 0.14, 0.06)))
    length, response = int(rng.choice([1, 2, 3, 4, 5, 9])), int(rng.choice([0, 1, 2, 4, 8, 10]))
    at = TYPE_AT.get(function, 14)
    kind = int(rng.choice(TYPES_OF.get(function, (0, 1)))) if rng.random() < 0.9 else int(rng.integers(1 << 19 - at))
    options = int(rng.integers(1 << at)) & int(rng.integers(1 << at)) & ~0xFF if at else 0
    simd = int(rng.integers(3)) << 17 if function == "sampler" and kind < 32 else 0
    descriptor = kind << at | simd | options | (int(rng.choice([0, 0, 0, 1, 2, 3, 255, 254])) if at else 0)
    descriptor |= int(rng.random() < HEADERS.get(function, 0.8)) << 19 | response << 20 | length << 25
    payload = rng.choice([0, 1, 4, 16, 0x3F800000, 0x3F000000, 0x7FC00000, 0xFFFFFFFF], (3, 96)).astype(np.uint32)
    wild = rng.random(payload.shape) < 0.2
    payload[wild] = rng.integers(0, 1 << 32, int(wild.sum()), np.uint32)
    if rng.random() < 0.7:
        payload[:, :8] = 0
    surfaces = []
    while len(surfaces) < 3:
        try:
            surfaces.append(_surface(rng, len(surfaces)))
        except ValueError:
            continue
    states = {SAMPLERS_AT: bytes(256), COEFFICIENTS_AT: bytes(576)}
    if rng.random() < 0.3:
        state = rng.integers(0, 256, 32, np.uint8) & rng.integers(0, 256, 32, np.uint8)
        states[SAMPLERS_AT] = state.tobytes() * 8
    target = "r30.0<1>:ud" if response else "null:ud"
    line = f"send ({rng.choice([8, 16])}) {target} r1.0<8;8,1>:ud {function} {descriptor:#010x}:ud"
    memory = rng.integers(0, 256, SIZE, np.uint8).tobytes()
    return Program(
        [*SET_UP, *objects(payload)], line, surfaces=surfaces, data=[memory, memory], states=states,
        sampler_state_pointer=SAMPLERS_AT,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_random_messages_are_carried_out_or_refused(seed):
    rng, outcomes = np.random.default_rng([7, seed]), {"refused": 0, "done": 0}
    for _ in range(sweep(100)):
        try:
            _program(rng).run(steps=2000)
            outcomes["done"] += 1
        except CaptureError as error:
            assert str(error)
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 1, outcomes
