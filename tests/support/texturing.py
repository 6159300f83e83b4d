"""Sampler messages sent by a thread that keeps what comes back, for tests of the emulator."""

from dataclasses import dataclass

import numpy as np

from support.programs import COEFFICIENTS_AT, SAMPLERS_AT, SET_UP, Program, buffer_surface, data_address, objects
from texsamp.sampler.messages import decode_response, encode_request
from texsamp.state.sampler_messages import SimdMode
from texsamp.surface.surface import Surface

THREADS = 3
MOST = 9
LANES = {SimdMode.SIMD8: 8, SimdMode.SIMD16: 16, SimdMode.SIMD4X2: 2}


def random_surface(rng, shape=(16, 24, 4), format="R8G8B8A8_UNORM", **fields):
    dtype = np.float32 if "FLOAT" in format else np.uint32 if "UINT" in format else np.uint8
    texels = rng.random(shape).astype(np.float32) if dtype == np.float32 else rng.integers(0, 256, shape).astype(dtype)
    return Surface.from_array(texels, format=format, device="cpu", **fields)


def run_message(request, surface, sampler, predicate=None, border=b"", commands=(), more=(), **fields):
    """Response registers of every thread, (threads, 9, 8), which held ones before."""
    descriptor, payload = encode_request(request)
    threads, registers = payload.shape[:2]
    word = int.from_bytes(descriptor.pack(), "little")
    lines = [f"mov (8) r{60 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(registers)]
    lines += [f"mov (8) r{30 + i}.0<1>:ud 0xeeeeeeee:ud" for i in range(12)]
    guard = ""
    if predicate is not None:
        lines.append(f"mov (1) f0.0<1>:uw {predicate}:uw")
        guard = "(+f0.0) "
    size = 16 if request.simd == SimdMode.SIMD16 else 8
    lines.append(f"{guard}send ({size}) r30.0<1>:ud r60.0<8;8,1>:ud sampler {word:#010x}:ud")
    lines += ["mov (8) r90.0<1>:ud 0:ud", "mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 24:uw"]
    for part in range(0, 12, 4):
        lines += [f"mov (8) r{91 + i}.0<1>:ud r{30 + part + i}.0<8;8,1>:ud" for i in range(4)]
        lines += ["send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0401:ud"]
        lines += ["add (1) r90.2<1>:ud r90.2<0;1,0>:ud 8:ud"]
    state = surface.state.replace(base_address=data_address(0), **fields)
    states = {COEFFICIENTS_AT: border}
    if sampler is not None:
        states[SAMPLERS_AT] = sampler.pack()
    program = Program(
        [*SET_UP, *commands, *objects(payload.reshape(threads, -1))], "\n".join(lines),
        surfaces=[state, buffer_surface(1, threads * 384)],
        data=[np.asarray(surface.data).tobytes(), bytes(threads * 384), *more],
        states=states, sampler_state_pointer=SAMPLERS_AT,
    )  # fmt: skip
    program.run()
    return program.data(1).view("<u4").reshape(threads, 12, 8)


def check_message(request, surface, sampler, expected, predicate=None, border=b"", **options):
    """Every enabled lane holds the expected numbers, every other one what it held."""
    found = run_message(request, surface, None if sampler is None else sampler.state, predicate, border, **options)
    lanes = LANES[request.simd]
    registers = 1 if request.simd == SimdMode.SIMD4X2 else 4 * lanes // 8
    expected = np.asarray(expected).reshape(THREADS, lanes, 4)
    values = decode_response(request, found[:, :registers].copy(), expected.dtype).values
    untouched = np.array(0xEEEEEEEE, np.uint32).view(expected.dtype)
    for lane in range(lanes):
        enabled = predicate is None or predicate >> lane & 1
        want = expected[:, lane] if enabled else np.full((THREADS, 4), untouched)
        assert np.array_equal(values[:, lane].view(np.uint32), want.astype(expected.dtype).view(np.uint32)), lane
    assert (found[:, registers:] == 0xEEEEEEEE).all()


@dataclass
class Lanes:
    """Random coordinates of every lane, and as 2x2 quads."""

    rng: np.random.Generator
    simd: SimdMode

    def draw(self, low=-0.3, high=1.3):
        shape = (THREADS, LANES[self.simd])
        return self.rng.uniform(low, high, shape).astype(np.float32)


def quads(array):
    return array.reshape(-1, 2, 2)
