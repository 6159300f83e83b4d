"""Messages to buffers and texels of threads on a device: the bytes of the host's reader, and none come to the host."""

from functools import reduce

import numpy as np
import pytest
from support import programs
from support.filter_cases import sweep
from support.programs import SET_UP, Program, buffer_surface, data_address, objects
from support.strict_arrays import StrictDevice

from texsamp.emulator.dispatch.runner import together
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState
from texsamp.state.data_port import AtomicOperation

THREADS, REGISTERS, PAYLOAD, RESPONSE = 5, 14, 60, 80
SIZE, OUT_REGISTERS, ROUNDS = 1024, 36, 12
SHARED, STATELESS = 254, 255
ODD = SIZE - 52
"""Bytes of surfaces: no whole number of OWords, or of what SIMD16 messages reach."""


def _raw(rng):
    return {"surface_type": "SURFTYPE_BUFFER", "format": "RAW", "entries": ODD + int(rng.integers(4)), "pitch": 1}


def _structured(rng):
    pitch = 4 * int(rng.integers(1, 9))
    return {"surface_type": "SURFTYPE_STRBUF", "format": "RAW", "entries": SIZE // pitch - 2, "pitch": pitch}


def _elements(rng):
    return {"surface_type": "SURFTYPE_BUFFER", "entries": 9 + int(rng.integers(SIZE // 32)), "pitch": 16}


def _null(_):
    return {"surface_type": "SURFTYPE_NULL"}


def _offsets(rng, count, scale, is_far):
    """Offsets about a surface, near its end among them; where there is an end, some far beyond."""
    near = rng.integers(0, (SIZE - 512 if not is_far else SIZE + 64) // scale, count)
    return np.where(rng.random(count) < (0.1 if is_far else 0), rng.integers(1 << 31, 1 << 32, count), near)


class _Message:
    """One drawn message: function, descriptor without lengths, address registers (arrays of dwords), data, response."""

    def __init__(
        self, descriptor, addresses, data, response, *, header, cache="data_cache", offset_scale=0, differing=None
    ):
        """differing: what descriptors of threads have beside, if they differ."""
        self.differing = differing
        self.descriptor, self.addresses, self.data, self.response = descriptor, addresses, data, response
        self.header, self.cache, self.offset_scale = header, cache, offset_scale
        self.bases = [0]
        self.is_at_address = False


def _block(rng, is_far):
    code, kind = int(rng.choice([0, 1, 2, 3, 4])), int(rng.choice([0, 1, 8]))
    registers = [1, 1, 1, 2, 4][code]
    read = kind != 8
    cache = rng.choice(["data_cache", "constant_cache", "sampler_cache"]) if kind == 1 else "data_cache"
    scale = -1 if kind == 1 else 16  # whole dwords
    return _Message(
        kind << 14 | code << 8, [], 0 if read else registers, registers if read else 0,
        header=True, cache=str(cache), offset_scale=scale,
    )  # fmt: skip


def _dual(rng, is_far):
    owords, read, header = int(rng.choice([1, 4])), bool(rng.integers(2)), bool(rng.integers(2)) or not is_far
    address = np.zeros((THREADS, 8), np.int64)
    address[:, [0, 4]] = _offsets(rng, (THREADS, 2), 16, is_far)
    return _Message(
        (2 if read else 10) << 14 | (2 if owords == 4 else 0) << 8, [address], 0 if read else owords,
        owords if read else 0, header=header, offset_scale=16,
    )  # fmt: skip


def _dwords(rng, is_far):
    registers, read, header = int(rng.choice([1, 2])), bool(rng.integers(2)), bool(rng.integers(2)) or not is_far
    cache = str(rng.choice(["data_cache", "constant_cache"])) if read else "data_cache"
    addresses = [_offsets(rng, (THREADS, 8), 4, is_far) for _ in range(registers)]
    return _Message(
        (3 if read else 11) << 14 | (1 + registers) << 8, addresses, 0 if read else registers,
        registers if read else 0, header=header, cache=cache, offset_scale=4,
    )  # fmt: skip


def _bytes(rng, is_far):
    registers, read, header = int(rng.choice([1, 2])), bool(rng.integers(2)), bool(rng.integers(2)) or not is_far
    addresses = [_offsets(rng, (THREADS, 8), 1, is_far) for _ in range(registers)]
    return _Message(
        (4 if read else 12) << 14 | int(rng.integers(3)) << 10 | (registers - 1) << 8, addresses,
        0 if read else registers, registers if read else 0, header=header, offset_scale=1,
    )  # fmt: skip


def _scratch(rng, is_far):
    code, write = int(rng.choice([0, 1, 3])), int(rng.integers(2))
    registers = code + 1
    fields = 1 << 18 | write << 17 | int(rng.integers(2)) << 16 | code << 12 | int(rng.integers(12))
    return _Message(fields, [], registers * write, registers * (1 - write), header=True)


def _addresses(rng, slots, two, is_far):
    u = [4 * _offsets(rng, (THREADS, 8), 4, False) if not two else rng.integers(0, SIZE // 4, (THREADS, 8))
         for _ in range(slots // 8)]  # fmt: skip
    if not two and is_far:
        u = [np.where(rng.random((THREADS, 8)) < 0.2, 4 * rng.integers(SIZE // 8, 1 << 30, (THREADS, 8)), a) for a in u]
    return [*u, *[4 * rng.integers(0, 9, (THREADS, 8)) for _ in range(slots // 8) if two]]


def _untyped(rng, is_far, two=False):
    slots, read, header = int(rng.choice([8, 16])), bool(rng.integers(2)), bool(rng.integers(2)) or not is_far
    masked = int(rng.integers(15)) if read else int(rng.choice([0, 8, 12, 14]))
    channels = (4 - masked.bit_count()) * slots // 8
    return _Message(
        (5 if read else 13) << 14 | (2 if slots == 8 else 1) << 12 | masked << 8,
        _addresses(rng, slots, two, is_far), 0 if read else channels, channels if read else 0, header=header,
    )  # fmt: skip


def _pair(rng, is_far, two=False):
    address = np.zeros((THREADS, 8), np.int64)
    address[:, [0, 4]] = rng.integers(0, SIZE // 4, (THREADS, 2)) * (1 if two else 4)
    address[:, [1, 5]] = 4 * rng.integers(0, 9, (THREADS, 2))
    if not is_far:
        address[:, [0, 4]] //= 8 // 4
        address[:, [0, 4]] &= ~3
    return _Message(5 << 14 | int(rng.integers(15)) << 8, [address], 0, 1, header=bool(rng.integers(2)) or not is_far)


def _atomic(rng, is_far, two=False):
    slots, operation = int(rng.choice([8, 16])), int(rng.integers(16))
    returns, header = int(rng.integers(2)), bool(rng.integers(2)) or not is_far
    wide = 1 + (operation == AtomicOperation.CMPWR8B)
    sources = {5: 0, 6: 0, 15: 0, 14: 2, 0: 4}.get(operation, 1) * slots // 8
    addresses = _addresses(rng, slots, two, is_far)
    if not two:
        addresses = [each % 64 & ~(4 * wide - 1) if rng.integers(3) else each & ~(4 * wide - 1) for each in addresses]
    elif wide == 2:
        addresses = [each & ~7 for each in addresses]
    return _Message(
        6 << 14 | returns << 13 | (slots == 8) << 12 | operation << 8, addresses, sources,
        returns * wide * slots // 8, header=header,
    )  # fmt: skip


FORMATS = {
    "read": ["R32_FLOAT", "R32_UINT", "R32_SINT", "R8_UINT", "R16_UINT"],
    "write": ["R8G8B8A8_UNORM", "B5G6R5_UNORM", "R16G16_FLOAT", "R32G32B32A32_FLOAT", "R8_UNORM", "R16G16B16A16_SINT"],
    "atomic": ["R32_UINT", "R32_SINT", "R32_FLOAT", "R8G8B8A8_UNORM", "RAW"],
}
TEXELS_B = 1 << 20


def _of_qwords(rng, is_far):
    """CMPWR8B, whose response has the lower dwords of all slots before the upper ones."""
    while not (message := _atomic(rng, is_far)).response or message.descriptor >> 8 & 15:
        pass
    return message


def _texels(kind):
    """Surfaces of all types that typed messages reach, of several levels and layers, in all tilings."""

    def fields(rng):
        format, type = str(rng.choice(FORMATS[kind])), str(rng.choice(["1D", "2D", "2D", "3D", "BUFFER", "NULL"]))
        common = {"surface_type": f"SURFTYPE_{type}", "format": format}
        if type == "NULL":
            return common
        if type == "BUFFER" or format == "RAW":
            return {**common, "surface_type": "SURFTYPE_BUFFER", "entries": int(rng.integers(1, 40)), "pitch": 16}
        tiling = {} if type == "1D" or rng.integers(3) == 0 else {
            "tiled": 1, "tile_walk": str(rng.choice(["XMAJOR", "YMAJOR"])),
        }  # fmt: skip
        is_array = int(type != "3D" and rng.integers(2))
        first = int(rng.integers(2)) * is_array
        return {
            **common, **tiling, "width": int(rng.integers(1, 30)), "pitch": 1024, "surface_array": is_array,
            "height": 1 if type == "1D" else int(rng.integers(1, 20)),
            "depth": int(rng.integers(1, 6)) if type == "3D" or is_array else 1,
            "min_array_element": first, "mip_count": int(rng.integers(3)), "surface_min_lod": int(rng.integers(2)),
        }  # fmt: skip

    return fields


def _typed(kind):
    def make(rng, is_far):
        group, masked, axes = int(rng.integers(2)), int(rng.integers(15)), int(rng.integers(1, 5))
        channels = 4 - masked.bit_count()
        far = rng.random((axes, THREADS, 8)) < 0.05
        most = (
            np.array([32, 22, 4, 3])[:axes, None, None]
            if rng.integers(2)
            else np.array([6, 3, 2, 1])[:axes, None, None]
        )
        addresses = list(np.where(far, rng.integers(1 << 31, 1 << 32, far.shape), rng.integers(0, most, far.shape)))
        if kind == "atomic":
            operation, returns = int(rng.integers(1, 16)), int(rng.integers(2))
            sources = {5: 0, 6: 0, 15: 0, 14: 2}.get(operation, 1)
            fields = 6 << 14 | returns << 13 | group << 12 | operation << 8
            return _Message(fields, addresses, sources, returns, header=True, cache="render_cache")
        fields = (5 if kind == "read" else 13) << 14 | group << 13 | masked << 8
        sent, returned = (0, channels) if kind == "read" else (channels, 0)
        return _Message(fields, addresses, sent, returned, header=True, cache="render_cache")

    return make


def _parted(rng, is_far):
    """Reads of different channels, or atomic operations that are different; their order decides."""
    reads, header = rng.integers(2), bool(rng.integers(2))
    addresses = [4 * rng.integers(0, 4, (THREADS, 8))]
    if reads:
        left_out = 1 << rng.integers(0, 4, THREADS)
        return _Message(5 << 14 | 2 << 12, addresses, 0, 3, header=header, differing=left_out << 8)
    operation = rng.choice([1, 2, 3, 4, 7, 8, 9, 10, 12], THREADS)
    return _Message(6 << 14 | 3 << 12, addresses, 1, 1, header=header, differing=operation << 8)


def _answered_otherwise(make):
    """The same with fewer registers of the response, or more, than the type has; none go to the null register."""

    def made(rng, is_far):
        message = make(rng, is_far)
        if message.response:
            message.response = int(rng.integers(0, message.response + 3))
        return message

    return made


def _across(make):
    """Threads of which some reach another buffer object than the others."""

    def made(rng, is_far):
        message = make(rng, is_far)
        if message.header:
            message.bases = [data_address(number) - data_address(0) for number in (0, 2)]
        return message

    return made


def _beyond(kind):
    """Pictures and buffers whose buffer object ends within them, mostly behind all texels that messages are about."""

    def fields(rng):
        tiling = {"tiled": 1, "tile_walk": str(rng.choice(["XMAJOR", "YMAJOR"]))} if rng.integers(2) else {}
        sizes = {"width": 30, "height": 2000, "pitch": 1024} | tiling
        if rng.integers(4) == 0:
            sizes = {"surface_type": "SURFTYPE_BUFFER", "entries": TEXELS_B, "pitch": 16}
        base = data_address(0) + TEXELS_B - 1024 * int(rng.choice([64, 64, 64, 8]))
        return {"surface_type": "SURFTYPE_2D", "base_address": base, "format": str(rng.choice(FORMATS[kind]))} | sizes

    return fields


def _at_address(rng, is_far):
    message = _parted(rng, is_far)
    message.is_at_address = True
    if rng.integers(2):
        message.differing[:] = message.differing[0]
    return message


def _sent(message, rng, is_far):
    """Registers of the payload, (threads, registers, 8)."""
    registers = []
    if message.header:
        header = rng.integers(0, 1 << 32, (THREADS, 8))
        few = 40 if not is_far else SIZE + 40
        header[:, 2] = 4 * rng.integers(0, few // 4, THREADS) if message.offset_scale < 0 else rng.integers(
            0, few // max(message.offset_scale, 1), THREADS
        )  # fmt: skip
        header[:, 5] = rng.choice(message.bases, THREADS) + rng.integers(0, 1024, THREADS)  # below what a base counts
        registers.append(header)
    data = [rng.choice([0, 1, 2, 3, 0xFFFFFFFF], (THREADS, 8)) if rng.integers(2) else rng.integers(
        0, 1 << 32, (THREADS, 8)) for _ in range(message.data)]  # fmt: skip
    return np.stack([*registers, *message.addresses, *data], axis=1).astype(np.uint32)


def _shared_memory(first, *, store):
    """The first bytes of shared local memory out of registers, or into them."""
    lines = [f"mov (1) r120.{lane}<1>:ud {4 * lane}:ud" for lane in range(8)]
    for number in range(REGISTERS):
        if store:
            lines += [f"mov (8) r121.0<1>:ud r{first + number}.0<8;8,1>:ud"]
        send = "null:ud r120.0<8;8,1>:ud data_cache 0x04036efe:ud"
        read = f"r{first + number}.0<1>:ud r120.0<8;8,1>:ud data_cache 0x02116efe:ud"
        lines += [f"send (8) {send if store else read}", "add (8) r120.0<1>:ud r120.0<8;8,1>:ud 32:ud"]
    return lines


def _program(rng, make, surface, is_far):
    message = make(rng, is_far)
    payload = _sent(message, rng, is_far)
    registers = payload.shape[1]
    size = int(rng.choice([8, 16]))
    index = {None: STATELESS, "shared": SHARED}.get(surface, 0)
    descriptor = message.descriptor | registers << 25 | message.response << 20 | message.header << 19
    if not descriptor >> 18 & 1:
        descriptor |= index
    inline = np.zeros((THREADS, REGISTERS, 8), np.uint32)
    inline[:, :registers] = payload
    inline[:, -1, 0] = rng.choice([0xFFFF, 0, 0x5A3C], THREADS) if rng.integers(2) else 0xFFFF
    target = PAYLOAD if rng.integers(2) else RESPONSE
    lines = [f"mov (8) r{PAYLOAD + i}.0<1>:ud r{1 + i}.0<8;8,1>:ud" for i in range(REGISTERS)]
    lines += [f"mov (8) r{RESPONSE + i}.0<1>:ud {0x77777777 + i:#x}:ud" for i in range(OUT_REGISTERS - REGISTERS)]
    lines.append(f"mov (1) f0.0<1>:uw r{REGISTERS}.0<0;1,0>:uw")
    if surface == "shared":
        lines += _shared_memory(PAYLOAD, store=True)
    to = f"r{target}.0<1>:ud" if message.response else "null:ud"
    guard = "(+f0.0) " if rng.integers(3) else ""
    told = f"{descriptor:#010x}:ud"
    if message.differing is not None:
        inline[:, -1, 1] = message.differing | descriptor
        lines.append(f"mov (1) a0.0<1>:ud r{REGISTERS}.1<0;1,0>:ud")
        told = "a0.0<0;1,0>:ud"
        if message.is_at_address:
            lines.append(f"mov (1) a0.0<1>:uw {32 * REGISTERS + 4}:uw")
            told = "r[a0.0, 0]<0;1,0>:ud"
    lines.append(f"{guard}send ({size}) {to} r{PAYLOAD}.0<8;8,1>:ud {message.cache} {told}")
    if surface == "shared" and not message.response:
        lines += _shared_memory(RESPONSE, store=False)
    lines += ["mov (8) r1.0<1>:ud 0:ud", f"mul (1) r1.2<1>:ud r0.6<0;1,0>:ud {2 * OUT_REGISTERS}:uw"]
    seen = [*range(PAYLOAD, PAYLOAD + REGISTERS), *range(RESPONSE, RESPONSE + OUT_REGISTERS - REGISTERS)]
    for first in range(0, len(seen), 4):
        lines += [f"mov (8) r{2 + i}.0<1>:ud r{number}.0<8;8,1>:ud" for i, number in enumerate(seen[first : first + 4])]
        lines += ["send (16) null:ud r1.0<8;8,1>:ud data_cache 0x0a0a0401:ud", "add (1) r1.2<1>:ud r1.2<0;1,0>:ud 8:ud"]
    out_B = THREADS * OUT_REGISTERS * 32
    fields = surface(rng) if callable(surface) else _raw(rng)
    state = RenderSurfaceState(**{"base_address": data_address(0)} | fields)
    bytes_of = SIZE if message.cache != "render_cache" else TEXELS_B
    memory = (
        rng.integers(0, 256, bytes_of, np.uint8) % 4 if rng.integers(2) else rng.integers(0, 256, bytes_of, np.uint8)
    )
    data = memory.astype(np.uint8).tobytes(), bytes(out_B), memory[::-1].astype(np.uint8).tobytes()
    sent = [each for n, row in enumerate(inline.reshape(THREADS, -1)) for each in objects(row, half_slice=1 + n % 2)]
    return Program(
        [*SET_UP, *sent], "\n".join(lines),
        surfaces=[state, buffer_surface(1, out_B)], data=data,
    )  # fmt: skip


def _run(program, device, monkeypatch):
    """Memory and registers afterwards, or what was refused; messages that came to the host."""
    monkeypatch.setattr(programs, "where_threads_run", device)
    try:
        executed = program.run()
    except CaptureError as error:
        return str(error), None
    tally = reduce(together, [each.dispatch for each in executed if each.dispatch]).tally
    return [program.data(number).tobytes() for number in range(3)], tally.brought


def _twos(make):
    return lambda rng, is_far: make(rng, is_far, two=True)


KINDS = {
    **{f"{make.__name__[1:]} of {name}": (make, surface)
       for make in (_block, _dual, _dwords, _bytes)
       for name, surface in (("elements", _elements), ("nothing", _null), ("all", None))},
    "scratch": (_scratch, None),
    **{f"{make.__name__[1:]} of {name}": (make if surface is not _structured else _twos(make), surface)
       for make in (_untyped, _pair, _atomic)
       for name, surface in (("raw", _raw), ("structures", _structured), ("nothing", _null), ("all", None))},
    **{f"{make.__name__[1:]} of shared memory": (make, "shared") for make in (_bytes, _untyped, _pair, _atomic)},
    **{f"{make.__name__[1:]} across": (_across(make), None)
       for make in (_block, _dual, _dwords, _bytes, _scratch, _untyped, _pair, _atomic)},
    "parted": (_parted, _raw),
    "parted at an address": (_at_address, _raw),
    **{f"typed {kind}": (_typed(kind), _texels(kind)) for kind in FORMATS},
    **{f"typed {kind} beyond": (_typed(kind), _beyond(kind)) for kind in FORMATS},
    **{f"{make.__name__[1:]} answered otherwise": (_answered_otherwise(make), surface)
       for make, surface in ((_block, _elements), (_dual, _elements), (_dwords, _elements), (_bytes, _elements),
                             (_scratch, None), (_untyped, _raw), (_pair, _raw), (_atomic, _raw), (_of_qwords, _raw))},
    "typed read answered otherwise": (_answered_otherwise(_typed("read")), _texels("read")),
    "typed atomic answered otherwise": (_answered_otherwise(_typed("atomic")), _texels("atomic")),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_messages_are_those_of_the_hosts_reader(kind, monkeypatch):
    make, surface = KINDS[kind]
    is_legal = 0
    rounds = sweep(ROUNDS)
    for seed in range(rounds):
        here, there = (
            _run(_program(np.random.default_rng([len(kind), seed]), make, surface, surface is not None), *where)
            for where in ((None, monkeypatch), (StrictDevice(), monkeypatch))
        )
        assert here[0] == there[0], seed
        assert not there[1], seed
        is_legal += there[1] is not None
    assert is_legal >= rounds * 3 // 4


def test_an_illegal_part_is_told_with_its_thread(monkeypatch):
    def make(rng, is_far):
        message = _parted(rng, is_far)
        message.addresses[0][2, 5] += 2  # within a dword
        return message

    refused = 0
    for seed in range(ROUNDS):
        here, there = (
            _run(_program(np.random.default_rng(seed), make, _raw, True), *where)[0]
            for where in ((None, monkeypatch), (StrictDevice(), monkeypatch))
        )
        assert here == there, seed
        refused += "untyped messages need addresses of whole dwords" in here
    assert refused > ROUNDS // 3
