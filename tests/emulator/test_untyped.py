"""Untyped surface messages, held to one access after the other (seed 003:9089-10050)."""

import numpy as np
import pytest
from support.programs import SET_UP, Program, data_address, objects

from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState
from texsamp.state.data_port import AtomicOperation

pytestmark = pytest.mark.usefixtures("each_place")

SIZE = 1024
WRITE = 13
THREADS = 3
M32 = 0xFFFFFFFF


def _raw(entries=SIZE):
    return RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", format="RAW", entries=entries, pitch=1, base_address=data_address(0)
    )


def _structured(entries, pitch):
    return RenderSurfaceState(
        surface_type="SURFTYPE_STRBUF", format="RAW", entries=entries, pitch=pitch, base_address=data_address(0)
    )


def _run(surface, payload, descriptor, response, header=True, predicate=None, size=16):
    """Send the payload (threads, registers, 8), of which the response overwrites registers filled with ones.

    Returns memory before and after, and the response registers.
    """
    payload = np.asarray(payload, np.uint32)
    threads, registers = payload.shape[:2]
    before = np.random.default_rng(1).integers(0, 256, SIZE, np.uint8)
    full = descriptor | registers << 25 | response << 20 | header << 19
    lines = [f"mov (8) r{20 + i}.0<1>:ud 0xeeeeeeee:ud" for i in range(12)]
    lines += [f"mov (8) r{60 + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(registers)]
    target = "r20.0<1>:ud" if response else "null:ud"
    guard = ""
    if predicate is not None:
        lines.append(f"mov (1) f0.0<1>:uw {predicate}:uw")
        guard = "(+f0.0) "
    lines.append(f"{guard}send ({size}) {target} r60.0<8;8,1>:ud data_cache {full:#010x}:ud")
    lines += ["mov (8) r90.0<1>:ud 0:ud", "mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 24:uw"]
    for part in range(0, 12, 4):
        lines += [f"mov (8) r{91 + i}.0<1>:ud r{20 + part + i}.0<8;8,1>:ud" for i in range(4)]
        lines += ["send (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0401:ud"]
        lines += ["add (1) r90.2<1>:ud r90.2<0;1,0>:ud 8:ud"]
    out = RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", base_address=data_address(1), entries=threads * 24, pitch=16
    )
    program = Program(
        [*SET_UP, *objects(payload.reshape(threads, -1))], "\n".join(lines),
        surfaces=[surface, out], data=[before.tobytes(), bytes(threads * 384)],
    )  # fmt: skip
    program.run()
    return before.view("<u4"), program.data(0).view("<u4"), program.data(1).view("<u4").reshape(threads, 12, 8)


def _header(mask=0xFFFF):
    return [0, 0, 0, 0, 0, 0, 0, mask]


def _payload(rng, slots, parameters, header_mask):
    """Header (if a mask is given) and parameters of `slots` dwords each, (threads, registers, 8)."""
    rows = []
    for _ in range(THREADS):
        registers = [] if header_mask is None else [_header(header_mask)]
        for draw in parameters:
            registers += np.asarray(draw(rng, slots), np.uint32).reshape(-1, 8).tolist()
        rows.append(registers)
    return np.array(rows, np.uint32)


def _addresses(rng, slots):
    return 4 * rng.integers(0, SIZE // 4 + 4, slots)


def _anything(rng, slots):
    return rng.integers(0, 1 << 32, slots)


def _enabled(slot, mask, predicate):
    return (mask is None or mask >> slot & 1) and (predicate is None or predicate >> slot & 1)


@pytest.mark.parametrize(("slots", "simd"), [(8, 2), (16, 1)])
@pytest.mark.parametrize("channels", [0b0000, 0b1000, 0b0101, 0b1110])
@pytest.mark.parametrize(("mask", "predicate"), [(None, None), (0xA5F3, None), (None, 0x3C5A), (0x0FF0, 0x00FF)])
def test_reads(slots, simd, channels, mask, predicate):
    payload = _payload(np.random.default_rng(slots), slots, [_addresses], mask)
    kept = [c for c in range(4) if not channels >> c & 1]
    response = len(kept) * slots // 8
    before, after, found = _run(
        _raw(SIZE - 8), payload, 5 << 14 | simd << 12 | channels << 8, response, mask is not None, predicate
    )
    assert np.array_equal(before, after)
    for thread in range(THREADS):
        address = payload[thread, mask is not None :].reshape(-1)[:slots]
        for number, channel in enumerate(kept):
            values = found[thread].reshape(-1)[number * slots :][:slots]
            for slot in range(slots):
                at = int(address[slot]) + 4 * channel
                expected = int(before[at // 4]) if at + 4 <= SIZE - 8 else 0
                assert values[slot] == (expected if _enabled(slot, mask, predicate) else 0xEEEEEEEE)
        assert (found[thread].reshape(-1)[len(kept) * slots :] == 0xEEEEEEEE).all()


@pytest.mark.parametrize(("slots", "simd"), [(8, 2), (16, 1)])
@pytest.mark.parametrize("channels", [0b0000, 0b1000, 0b1110])
@pytest.mark.parametrize(("mask", "predicate"), [(None, None), (0xA5F3, 0x3C5A)])
def test_writes_go_one_after_the_other(slots, simd, channels, mask, predicate):
    count = 4 - channels.bit_count()
    payload = _payload(np.random.default_rng(count), slots, [_addresses, *[_anything] * count], mask)
    before, after, _ = _run(
        _raw(SIZE - 8), payload, 13 << 14 | simd << 12 | channels << 8, 0, mask is not None, predicate
    )
    expected = before.copy()
    for thread in range(THREADS):
        data = payload[thread, mask is not None :].reshape(1 + count, slots)
        for slot in range(slots):
            for channel in range(count):
                at = int(data[0, slot]) + 4 * channel
                if _enabled(slot, mask, predicate) and at + 4 <= SIZE - 8:
                    expected[at // 4] = data[1 + channel, slot]
    assert np.array_equal(after, expected)


def test_structures_have_bounds_of_their_own():
    rng = np.random.default_rng(4)
    entries, pitch = 20, 24
    index, offset = rng.integers(0, entries + 3, (THREADS, 8)), 4 * rng.integers(0, 7, (THREADS, 8))
    payload = np.stack([index, offset], axis=1)
    before, _, found = _run(_structured(entries, pitch), payload, 5 << 14 | 2 << 12, 4, header=False)
    for thread in range(THREADS):
        for slot in range(8):
            for channel in range(4):
                at = int(offset[thread, slot]) + 4 * channel
                inside = index[thread, slot] < entries and at + 4 <= pitch
                value = int(before[(int(index[thread, slot]) * pitch + at) // 4]) if inside else 0
                assert found[thread, channel, slot] == value


def test_two_slots_of_four_channels():
    payload = np.zeros((1, 1, 8), np.uint32)
    payload[0, 0, [0, 4]] = 16, 40
    before, _, found = _run(_raw(), payload, 5 << 14 | 0b0100 << 8, 1, header=False, predicate=0x0F, size=8)
    assert found[0, 0].tolist() == [*before[4:6].tolist(), 0xEEEEEEEE, int(before[7]), *[0xEEEEEEEE] * 4]


def _atomic(operation, old, a, b):
    def signed(value):
        return value - (value >> 31 << 32)

    return {
        "AND": old & a, "OR": old | a, "XOR": old ^ a, "MOV": a, "INC": old + 1, "DEC": old - 1, "ADD": old + a,
        "SUB": old - a, "REVSUB": a - old, "IMAX": max(signed(old), signed(a)), "IMIN": min(signed(old), signed(a)),
        "UMAX": max(old, a), "UMIN": min(old, a), "CMPWR": b if old == a else old, "PREDEC": old - 1,
    }[operation] & M32  # fmt: skip


@pytest.mark.parametrize(("operation", "sources"), [("ADD", 1), ("INC", 0), ("PREDEC", 0), ("CMPWR", 2)])
@pytest.mark.parametrize("slots", [8, 16])
def test_atomic_operations_without_an_answer_leave_the_same(operation, sources, slots):
    """As programs send them that drop what was there before."""
    rng = np.random.default_rng(slots)
    payload = _payload(rng, slots, [lambda rng, slots: 4 * rng.integers(0, 5, slots), *[_anything] * sources], 0xBEEF)
    descriptor = 6 << 14 | (slots == 8) << 12 | AtomicOperation[operation] << 8
    before, after, _ = _run(_raw(16), payload, descriptor | 1 << 13, slots // 8)
    assert np.array_equal(_run(_raw(16), payload, descriptor, 0)[1], after)
    assert operation == "CMPWR" or not np.array_equal(before, after)


@pytest.mark.parametrize("operation", [member for member in AtomicOperation if member.name != "CMPWR8B"])
@pytest.mark.parametrize("slots", [8, 16])
def test_atomic_operations_happen_in_order(operation, slots):
    rng = np.random.default_rng([operation, slots])
    sources = {"INC": 0, "DEC": 0, "PREDEC": 0, "CMPWR": 2}.get(operation.name, 1)

    def few(rng, slots):
        return 4 * rng.integers(0, 5, slots)

    def near(rng, slots):
        return rng.choice([0, 1, 2, 0x80000000, M32], slots)

    mask = 0xBEEF
    draw = near if operation.name == "CMPWR" else _anything
    payload = _payload(rng, slots, [few, *[draw] * sources], mask)
    descriptor = 6 << 14 | 1 << 13 | (slots == 8) << 12 | operation << 8
    before, after, found = _run(_raw(16), payload, descriptor, slots // 8)
    expected = before.copy()
    for thread in range(THREADS):
        data = payload[thread, 1:].reshape(1 + sources, slots)
        for slot in range(slots):
            at = int(data[0, slot])
            returned = 0xEEEEEEEE
            if mask >> slot & 1:
                returned = 0
                if at + 4 <= 16:
                    old = int(expected[at // 4])
                    a, b = (int(data[1 + n, slot]) if n < sources else 0 for n in range(2))
                    new = _atomic(operation.name, old, a, b)
                    expected[at // 4] = new
                    returned = new if operation.name == "PREDEC" else old
            assert found[thread].reshape(-1)[slot] == returned
    assert np.array_equal(after, expected)
    assert not np.array_equal(after, before) or operation.name == "CMPWR"


def test_two_dwords_are_compared_and_written_at_once():
    """AOP_CMPWR8B: the first thread's exchange is what the second one's compares with."""
    low, high = (int(value) for value in np.random.default_rng(1).integers(0, 256, SIZE, np.uint8).view("<u4")[2:4])
    payload = np.zeros((2, 5, 8), np.uint32)
    payload[:, 0] = 8
    payload[:, 0, 1:] = 4096
    payload[0, 1:, 0] = low, high, 7, 9
    payload[1, 1:, 0] = 7, 9, 1, 2
    before, after, found = _run(_raw(), payload, 6 << 14 | 1 << 13 | 1 << 12, 2, header=False)
    assert after[2:4].tolist() == [1, 2]
    assert np.array_equal(np.delete(after, [2, 3]), np.delete(before, [2, 3]))
    assert found[:, :2, 0].tolist() == [[low, high], [7, 9]]


def test_stateless_addresses_begin_at_the_headers_base():
    payload = np.zeros((1, 2, 8), np.uint32)
    payload[0, 0, [5, 7]] = 0, 0xFF
    payload[0, 1] = 4 * np.arange(8)
    before, _, found = _run(_raw(), payload, 5 << 14 | 2 << 12 | 0b1110 << 8 | 255, 1)
    assert found[0, 0].tolist() == before[:8].tolist()


@pytest.mark.parametrize(
    ("surface", "descriptor", "registers", "message"),
    [
        (_raw(), 5 << 14 | 2 << 12 | 0b1111 << 8, 1, "at least one channel"),
        (_raw(), 5 << 14 | 3 << 12, 1, "SIMD mode|not legal|code"),
        (_raw(), 5 << 14 | 2 << 12, 3, "does not fit its form"),
        (_raw(), 13 << 14 | 2 << 12 | 0b0001 << 8, 4, "no channel behind one that is left out"),
        (_raw(), 13 << 14, 5, "SIMD mode"),
        (_raw(), 6 << 14 | 2 << 12 | 7 << 8, 1, "does not fit its form"),
        (_raw(), 5 << 14 | 2 << 12 | 253, 1, "names no surface state"),
        (_structured(4, 8), 5 << 14 | 2 << 12, 1, None),
    ],
)  # fmt: skip
def test_refusals(surface, descriptor, registers, message):
    payload = np.zeros((1, registers, 8), np.uint32)
    if message is None:
        _run(surface, payload, descriptor, 4, header=False)
        return
    with pytest.raises(CaptureError, match=message):
        _run(surface, payload, descriptor, 0 if descriptor >> 14 == WRITE else 4, header=False)


def test_addresses_are_whole_dwords():
    with pytest.raises(CaptureError, match="addresses of whole dwords"):
        _run(_raw(), np.full((1, 1, 8), 6, np.uint32), 5 << 14 | 2 << 12, 4, header=False)


@pytest.mark.parametrize(
    "fields",
    [
        {"surface_type": "SURFTYPE_NULL", "format": "R8_UNORM", "base_address": data_address(0) + 1},
        {"surface_type": "SURFTYPE_BUFFER", "format": "R32_UINT", "entries": 64, "pitch": 4},
        {"format": "R32_UINT", "width": 4, "height": 4, "pitch": 64},
    ],
    ids=["null", "typed buffer", "typed picture"],
)
def test_a_null_surface_reads_zeros_and_drops_what_is_written(fields):
    """Its other fields are ignored: the format, and an address in memory that has other bytes.

    One with another format than RAW is an image that is bound with a format the program was not told of.
    """
    null = RenderSurfaceState(**{"base_address": data_address(0)} | fields)
    rng = np.random.default_rng(8)
    reads = _payload(rng, 8, [_addresses], None)
    _, _, found = _run(null, reads, 5 << 14 | 2 << 12, 4, header=False, size=8)
    assert (found[:, :4] == 0).all()
    assert (found[:, 4:] == 0xEEEEEEEE).all()
    writes = _payload(rng, 8, [_addresses, _anything], None)
    before, after, _ = _run(null, writes, 13 << 14 | 2 << 12 | 0b1110 << 8, 0, header=False, size=8)
    assert np.array_equal(before, after)
    add = 6 << 14 | 1 << 13 | 1 << 12 | int(AtomicOperation.ADD) << 8
    before, after, found = _run(null, writes, add, 1, header=False, size=8)
    assert np.array_equal(before, after)
    assert (found[:, 0] == 0).all()
