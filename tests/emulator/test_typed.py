"""Typed surface messages, held to texels of `Surface` and one access after the other (seed 003:9089-9361)."""

import re

import numpy as np
import pytest
from support.programs import SET_UP, Program, buffer_surface, data_address, objects

from texsamp.errors import CaptureError
from texsamp.surface.surface import Surface
from texsamp.surface.texels import load_texels, store_texels

pytestmark = pytest.mark.usefixtures("each_place")

WRITE = 13
THREADS = 2
SIZE = {"1D": (24,), "2D": (10, 24), "3D": (5, 10, 24)}


def _surface(rng, format, type="2D", slices=None, **fields):
    channels = len(re.findall(r"[RGBA](?=\d)", format))
    shape = (*(() if slices is None else (slices,)), *SIZE[type], channels)
    kind = np.uint32 if format.endswith("UINT") else np.int32 if format.endswith("SINT") else np.float32
    texels = rng.random(shape) if kind == np.float32 else rng.integers(0, 1 << 31, shape)
    return Surface.from_array(texels.astype(kind), format=format, type=type, device="cpu", **fields)


def _run(surface, payload, descriptor, response, options="", **fields):
    """Send the payload (threads, registers, 8); returns the surface afterwards and the response registers."""
    payload = np.asarray(payload, np.uint32)
    threads, registers = payload.shape[:2]
    full = descriptor | registers << 25 | response << 20 | 1 << 19
    lines = [f"mov (8) r{20 + i}.0<1>:ud 0xeeeeeeee:ud" for i in range(4)]
    lines += [f"mov (8) r{60 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(registers)]
    target = "r20.0<1>:ud" if response else "null:ud"
    lines.append(f"send (8) {target} r60.0<8;8,1>:ud render_cache {full:#010x}:ud{options}")
    lines += ["mov (8) r90.0<1>:ud 0:ud", "mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 8:uw"]
    lines += [f"mov (8) r{91 + i}.0<1>:ud r{20 + i}.0<8;8,1>:ud" for i in range(4)]
    lines += ["send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0401:ud"]
    data = np.asarray(surface.data)
    program = Program(
        [*SET_UP, *objects(payload.reshape(threads, -1))], "\n".join(lines),
        surfaces=[surface.state.replace(base_address=data_address(0), **fields), buffer_surface(1, threads * 128)],
        data=[data.tobytes(), bytes(threads * 128)],
    )  # fmt: skip
    program.run()
    after = Surface.from_memory(program.data(0)[: len(data)].copy(), surface.state, device="cpu")
    return after, program.data(1).view("<u4").reshape(threads, 4, 8)


def _payload(rng, sizes, data=(), mask=0xFF):
    """Header, addresses that may lie outside, and data registers."""
    rows = []
    for _ in range(THREADS):
        registers = [[0, 0, 0, 0, 0, 0, 0, mask]]
        registers += [rng.integers(0, size + 2, 8).tolist() for size in sizes]
        registers += [np.asarray(draw(rng)).astype(np.float32).view(np.uint32).tolist() for draw in data]
        rows.append(registers)
    return np.array(rows, np.uint32)


@pytest.mark.parametrize("format", ["R32_FLOAT", "R32_UINT", "R32_SINT", "R8_UINT", "R16_UINT"])
@pytest.mark.parametrize("tiling", ["linear", "X", "Y"])
@pytest.mark.parametrize("mask", [0xFF, 0x5A])
def test_reads(format, tiling, mask):
    rng = np.random.default_rng(len(tiling))
    surface = _surface(rng, format, tiling=tiling)
    payload = _payload(rng, (24, 10), mask=mask)
    _, found = _run(surface, payload, 5 << 14, 4)
    texels = np.asarray(surface.to_array())[:, :, 0]
    texels = texels.view(np.uint32) if texels.itemsize == 4 else texels.astype(np.uint32)
    one = int(np.float32(1).view(np.uint32)) if format.endswith("FLOAT") else 1
    for thread in range(THREADS):
        for slot in range(8):
            u, v = payload[thread, 1:, slot].tolist()
            expected = [int(texels[v, u]) if u < 24 and v < 10 else 0, 0, 0, one]
            if not mask >> slot & 1:
                expected = [0xEEEEEEEE] * 4
            assert found[thread, :, slot].tolist() == expected


def test_channels_are_left_out():
    rng = np.random.default_rng(2)
    surface = _surface(rng, "R32_UINT")
    payload = _payload(rng, (20, 8))
    _, found = _run(surface, payload, 5 << 14 | 0b0110 << 8, 2)
    _, every = _run(surface, payload, 5 << 14, 4)
    assert np.array_equal(found[:, :2], every[:, [0, 3]])
    assert (found[:, 2:] == 0xEEEEEEEE).all()


FORMATS = [
    "R8G8B8A8_UNORM",
    "B5G6R5_UNORM",
    "R16G16_FLOAT",
    "R10G10B10A2_UNORM",
    "R32G32B32A32_FLOAT",
    "B4G4R4A4_UNORM",
    "B8G8R8A8_UNORM",
]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("masked", [0b0000, 0b1010])
def test_writes_convert_and_go_one_after_the_other(format, masked):
    rng = np.random.default_rng(masked)
    surface = _surface(rng, format)
    kept = [c for c in range(4) if not masked >> c & 1]
    payload = _payload(rng, (6, 3), [lambda rng: rng.uniform(-0.5, 1.5, 8)] * len(kept), mask=0x7E)
    after, _ = _run(surface, payload, 13 << 14 | masked << 8, 0)
    names = [name for name in "RGBA" if name in {channel.name for channel in surface.info.channels}]
    elements = np.asarray(store_texels(np.asarray(surface.to_array()), format, device="cpu"))
    size_B = surface.info.bits // 8
    elements = elements.reshape(10, 24, size_B).copy()
    for thread in range(THREADS):
        for slot in range(1, 7):
            u, v = payload[thread, 1:3, slot].tolist()
            values = load_texels(elements[v, u], format, 1, 1, dtype=np.float32, device="cpu").copy()
            for number, channel in enumerate(kept):
                if "RGBA"[channel] in names:
                    values[0, 0, names.index("RGBA"[channel])] = payload[thread, 3 + number, slot].view(np.float32)
            elements[v, u] = store_texels(values, format, device="cpu")[0]
    found = np.asarray(store_texels(np.asarray(after.to_array()), format, device="cpu")).reshape(10, 24, size_B)
    assert np.array_equal(found, elements)
    assert not np.array_equal(np.asarray(after.data), np.asarray(surface.data))


@pytest.mark.parametrize("outside", [False, True])
def test_a_surface_that_nothing_is_written_to_is_none_that_was_written(outside):
    """Also where a device alone knows that all texels lie outside."""
    surface = _surface(np.random.default_rng(5), "R32_UINT")
    payload = np.zeros((THREADS, 4, 8), np.uint32)
    payload[:, 0, 7], payload[:, 1] = 0xFF, 24 if outside else 23
    descriptor = 13 << 14 | 0b1110 << 8 | 4 << 25 | 1 << 19
    lines = [f"mov (8) r{60 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(4)]
    program = Program(
        [*SET_UP, *objects(payload.reshape(THREADS, -1))],
        "\n".join([*lines, f"send (8) null:ud r60.0<8;8,1>:ud render_cache {descriptor:#010x}:ud"]),
        surfaces=[surface.state.replace(base_address=data_address(0))], data=[np.asarray(surface.data).tobytes()],
    )  # fmt: skip
    executed = program.run()
    written = [each for one in executed if one.dispatch is not None for each in one.dispatch.written]
    assert bool(written) == (not outside)


@pytest.mark.parametrize(
    ("type", "slices", "sizes"),
    [("1D", None, (24,)), ("1D", 3, (24, 3)), ("2D", 3, (24, 10, 3)), ("3D", None, (24, 10, 5))],
)
def test_every_type_of_surface(type, slices, sizes):
    rng = np.random.default_rng(len(sizes))
    surface = _surface(rng, "R32_UINT", type, slices)
    payload = _payload(rng, sizes)
    _, found = _run(surface, payload, 5 << 14 | 0b1110 << 8, 1)
    shape = (*(() if slices is None else (slices,)), *SIZE[type])
    texels = np.asarray(surface.to_array()) if slices is None else None
    for thread in range(THREADS):
        for slot in range(8):
            place = payload[thread, 1:, slot].tolist()
            inside = all(value < size for value, size in zip(place, sizes, strict=True))
            expected = 0
            if inside and slices is None:
                expected = int(texels.reshape(shape)[tuple(reversed(place))])
            elif inside:
                layer = np.asarray(surface.to_array(layer=place[-1])).reshape(SIZE[type])
                expected = int(layer[tuple(reversed(place[:-1]))])
            assert found[thread, 0, slot] == expected


def test_levels():
    rng = np.random.default_rng(5)
    surface = Surface.from_array(rng.random((16, 16, 1)).astype(np.float32), "R32_FLOAT", mips="box", device="cpu")
    payload = _payload(rng, (16, 16, 1, 5))
    payload[:, 3] = 0
    _, found = _run(surface, payload, 5 << 14 | 0b1110 << 8, 1)
    for thread in range(THREADS):
        for slot in range(8):
            u, v, _, level = payload[thread, 1:, slot].tolist()
            inside = level < surface.levels and max(u, v) < 16 >> level
            expected = np.asarray(surface.to_array(level=level))[v, u, 0] if inside else np.float32(0)
            assert found[thread, 0, slot].view(np.float32) == expected


def test_atomic_additions_happen_in_order():
    rng = np.random.default_rng(6)
    surface = _surface(rng, "R32_UINT", tiling="Y")
    payload = _payload(rng, (2, 2))
    amounts = rng.integers(0, 1 << 32, (THREADS, 1, 8), np.uint32)
    after, found = _run(surface, np.concatenate([payload, amounts], axis=1), 6 << 14 | 1 << 13 | 7 << 8, 1)
    expected = np.asarray(surface.to_array())[:, :, 0].copy()
    for thread in range(THREADS):
        for slot in range(8):
            u, v = payload[thread, 1:, slot].tolist()
            assert found[thread, 0, slot] == expected[v, u]
            expected[v, u] = (int(expected[v, u]) + int(amounts[thread, 0, slot])) & 0xFFFFFFFF
    assert np.array_equal(np.asarray(after.to_array())[:, :, 0], expected)


@pytest.mark.parametrize(
    ("descriptor", "high", "response", "data"),
    [(5 << 14, 1 << 13, 4, 0), (13 << 14, 1 << 13, 0, 4), (6 << 14 | 1 << 13 | 7 << 8, 1 << 12, 1, 1)],
    ids=["read", "write", "atomic"],
)
def test_the_second_half_of_16_channels_has_the_high_slots(descriptor, high, response, data):
    """Drivers part such messages in two; the mask in both headers is that of all slots."""
    rng = np.random.default_rng(data)
    surface = _surface(rng, "R32_UINT", tiling="Y")
    payload = _payload(rng, (20, 8), [lambda rng: rng.random(8)] * data, mask=0x5A)
    after, found = _run(surface, payload, descriptor, response)
    payload[:, 0, 7] = 0x5AC3
    for half, is_same in ((descriptor | high, True), (descriptor, False)):
        again, returned = _run(surface, payload, half, response, " {Q2}")
        same = np.array_equal(again.to_array(), after.to_array()) and np.array_equal(returned, found)
        assert same == is_same


@pytest.mark.parametrize(
    ("format", "descriptor", "registers", "message"),
    [
        ("R8G8B8A8_UNORM", 5 << 14, 3, "typed reads of R8G8B8A8_UNORM are not legal"),
        ("R32G32B32_FLOAT", 13 << 14, 7, "typed writes of R32G32B32_FLOAT are not legal"),
        ("R32_FLOAT", 5 << 14, 1, "does not fit its form"),
        ("R32_FLOAT", 5 << 14, 6, "does not fit its form"),
    ],
)
def test_refusals(format, descriptor, registers, message):
    surface = _surface(np.random.default_rng(7), format)
    with pytest.raises(CaptureError, match=message):
        _run(surface, np.zeros((1, registers, 8), np.uint32), descriptor, int(descriptor >> 14 != WRITE))


def test_atomic_operations_find_nothing_in_formats_of_fewer_bits():
    """An image that is bound with another format than the program's."""
    rng = np.random.default_rng(10)
    surface = _surface(rng, "R16_UINT", tiling="Y")
    payload = np.concatenate([_payload(rng, (2, 2)), np.ones((THREADS, 1, 8), np.uint32)], axis=1)
    after, found = _run(surface, payload, 6 << 14 | 1 << 13 | 7 << 8, 1)
    assert after == surface
    assert (found[:, 0] == 0).all()


def test_floats_are_exchanged():
    rng = np.random.default_rng(8)
    surface = _surface(rng, "R32_FLOAT", tiling="Y")
    payload = _payload(rng, (2, 2))
    sent = rng.random((THREADS, 1, 8)).astype(np.float32)
    after, found = _run(surface, np.concatenate([payload, sent.view(np.uint32)], axis=1), 6 << 14 | 1 << 13 | 4 << 8, 1)
    expected = np.asarray(surface.to_array())[:, :, 0].copy()
    for thread in range(THREADS):
        for slot in range(8):
            u, v = payload[thread, 1:, slot].tolist()
            assert found[thread, 0, slot : slot + 1].view(np.float32)[0] == expected[v, u]
            expected[v, u] = sent[thread, 0, slot]
    assert np.array_equal(np.asarray(after.to_array())[:, :, 0], expected)


@pytest.mark.parametrize(
    "null",
    [
        {"surface_type": "SURFTYPE_NULL", "format": "BC1_UNORM"},
        {"surface_type": "SURFTYPE_BUFFER", "format": "RAW", "entries": 64, "pitch": 1, "tiled": False},
    ],
    ids=["null", "raw"],
)
def test_a_null_surface_reads_zeros_and_drops_what_is_written(null):
    """Its other fields are ignored: a format that cannot be read, and the bytes at its address.

    RAW is an image that is bound with a format the program was not told of.
    """
    rng = np.random.default_rng(9)
    surface = _surface(rng, "R32_FLOAT")
    _, found = _run(surface, _payload(rng, (8, 8)), 5 << 14, 4, **null)
    assert (found == 0).all()
    after, _ = _run(surface, _payload(rng, (8, 8), [lambda rng: rng.random(8)]), 13 << 14 | 0b1110 << 8, 0, **null)
    assert after == surface
