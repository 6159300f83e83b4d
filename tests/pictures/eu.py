"""Straight programs of execution units on threads of which some have left channels: every operation of the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support.instructions import PLAIN, SOURCES, instruction_lines, instruction_types

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.emulator.eu.alu.operations import OPERATIONS
from texsamp.emulator.eu.alu.plan import Compute
from texsamp.emulator.eu.engine.launches import IllegalAddressError
from texsamp.emulator.eu.engine.stretches import Stretch
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.isa.codec import decode
from texsamp.emulator.eu.registers.threads import ADDRESSES_AT, FLAGS_AT, GENERAL_B, Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import ranges_on_device
from texsamp.emulator.eu.sends.lanes import BlockPlaces, answer, place_blocks, take
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.media_blocks_on_device import SentBlocks, SurfaceLines, read_on_device
from texsamp.emulator.shared.data_port.media_edges import ReadPixel
from texsamp.emulator.shared.data_port.messages_on_device import exchange_urb, read_blocks
from texsamp.emulator.shared.data_port.texels_on_device import Images, TexelSlots
from texsamp.emulator.shared.sampler.block_statistics import block_statistics
from texsamp.emulator.shared.sampler.blocks_on_device import BlockPlacesOnDevice, BlockPositions
from texsamp.emulator.shared.sampler.scaled_blocks import BlockSampler
from texsamp.state import Sampler8x8State
from texsamp.surface.tiling import Addressing, tiling
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.hardware_state import avs_from_state

_THREADS, _MORE_THREADS = 35, 67
"""Of most, and of those with more than a tile."""
_FLOATS = """
    mad (16) r10.0<1>:f r20.0<4;4,1>.xyzw:f -r22.0<4;4,1>.wzyx:f r24.0<4;4,1>.xxyy:f
    lrp (8) r12.0<1>.xw:f r26.0<4;4,1>.xyzw:f r27.0<4;4,1>.xyzw:f r28.0<4;4,1>.xyzw:f
    line (8) r13.0<1>:f r20.0<0;4,1>:f r21.0<8;8,1>:f
    pln (16) r14.0<1>:f r20.0<0;4,1>:f r22.0<8;8,1>:f
    math.inv (8) r16.0<1>:f r21.0<8;8,1>:f null<8;8,1>:f
    math.sqrt (8) r17.0<1>:f abs r21.0<8;8,1>:f null<8;8,1>:f
    math.rsq (16) r18.0<1>:f abs r30.0<8;8,1>:f null<8;8,1>:f
    mov (8) r39.0<1>:f 0.75:f
    math.fdiv (8) r29.0<1>:f r21.0<8;8,1>:f r39.0<8;8,1>:f
    mov (16) r32.0<1>:f 0x30302010:vf
    (-f0.1) add.sat (8) r34.0<1>:f r20.0<8;8,1>:f 0.25:f {NoMask}
    cmp.ge.f1.0 (16) null:f r24.0<8;8,1>:f 1.0:f {Q2}
"""
_OF_ALL_CHANNELS = ("jumping", "halves")
_OF_FLOATS = ("floats", "accumulated", "addressed", "joined", "halves", "frc", "rndu", "rndd", "rnde", "rndz")
"""Not of bits at random: the bits of NaNs are each processor's own."""
_INTEGERS = """
    mov (32) r10.0<1>:ub r20.0<32;16,2>:ub
    mov (16) r12.0<1>:w 0x76543210:v
    (+f0.0) mov (16) r13.0<1>:ud r20.0<16;16,1>:uw {Q2}
    cmp.l.f0.1 (16) r14.0<1>:d r20.0<8;8,1>:ud r22.0<8;8,1>:ud
"""

_ADDRESSED = """
    mov (8) r10.0<1>:ud r[a0.0, 4]<8;8,1>:ud
    add (8) r[a0.2, -64]<1>:f r20.0<8;8,1>:f r[a0.3, 64]<0;1,0>:f
    mov (8) r12.0<1>:uw r[a0.0, 2]<VxH;1,0>:uw
    mov (8) r14.0<1>:f r[a0.0, 32]<VxH;4,1>:f
    add (16) r[a0.4, 32]<1>:d r30.0<8;8,1>:d r32.0<8;8,1>:d
    mov (4) r[a0.1, 1]<4>:ub r20.0<4;4,1>:ub
    add (4) a0.4<1>:uw a0.0<4;4,1>:uw 0x1020:uw
"""
_ACCUMULATED = """
    mov (16) acc0.0<1>:f 128.0:f
    mac (16) acc0.0<1>:f r20.0<8;8,1>:f r7.1<0;1,0>:f
    mac.sat (16) r10.0<1>:f r22.0<8;8,1>:f r7.2<0;1,0>:f
    mac (8) r12.0<1>:f r24.0<8;8,1>:f r7.3<0;1,0>:f {Q2}
    add (8) acc0.0<1>:w r26.0<16;8,2>:w r27.0<16;8,2>:w
    shl (8) r13.0<1>:w acc0.0<8;8,1>:w 5:uw
    shr (4) r14.0<1>:ud acc0.0<4;4,1>:w 3:uw
    mul (8) acc0.0<1>:d r28.0<8;8,1>:d r29.0<8;8,1>:d
    mac (8) acc0.0<1>:d r29.0<16;8,2>:w r28.0<16;8,2>:w
    add.sat.g.f0.1 (8) r15.0<1>:d acc0.0<8;8,1>:d 7:d
    mov.sat (8) acc0.0<1>:w r30.0<8;8,1>:d
    mov (8) r16.0<1>:d acc0.0<8;8,1>:w
    mov (1) r17.0<1>:uw f0.0<0;1,0>:uw
    mov (1) f1.1<1>:uw r20.2<0;1,0>:uw
"""
_JUMPING = """
    cmp.z.f0.0 (16) null:d r20.0<8;8,1>:d r20.0<8;8,1>:d
    (-f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 16:d {NoMask}
    add (8) r10.0<1>:d r20.0<8;8,1>:d 1:d
    jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 0:d {NoMask}
    (+f0.0.all16h) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 16:d {NoMask}
    add (8) r11.0<1>:d r20.0<8;8,1>:d 1:d
"""
_JOINED = """
    cmp.l.f0.0 (16) r10.0<1>:d r20.0<8;8,1>:d r22.0<0;1,0>:d
    (+f0.0) sel (16) r12.0<1>:ud r10.0<8;8,1>:ud r24.0<8;8,1>:ud
    cmp.nz.f0.1 (8) null:d r26.0<8;8,1>:w 5:d
    (-f0.1) sel (8) r26.0<1>:f r26.0<8;8,1>:f r27.1<0;1,0>:f
    cmp.le.f1.0 (16) r14.0<1>:f r28.0<8;8,1>:f r30.0<8;8,1>:f {Q2}
    (+f1.0) sel (16) r14.0<1>:f r15.0<8;8,1>:f r14.0<8;8,1>:f {Q2}
    cmp.g.f0.0 (8) r16.0<1>:d r20.0<8;8,1>:d r21.0<8;8,1>:d
    (+f0.0) sel (8) r16.0<1>:d -r16.0<8;8,1>:d r21.0<8;8,1>:d
    cmp.ge.f0.0 (1) r17.0<1>:d r20.0<0;1,0>:d r21.0<0;1,0>:d
    (+f0.0) sel (1) r17.1<1>:d r17.0<0;1,0>:d 9:d
"""

_HALVES = """
    cmp.l.f0.0 (8) r10.0<1>:d r20.0<8;8,1>:d 7:d
    cmp.l.f0.0 (8) r11.0<1>:d r21.0<8;8,1>:d 7:d {Q2}
    (+f0.0) sel (16) r12.0<1>:ud r10.0<8;8,1>:ud r24.0<8;8,1>:ud
    mad (8) r14.0<1>:f r22.0<4;4,1>.xyzw:f r24.0<4;4,1>.xyzw:f r26.0<4;4,1>.xyzw:f
    mad (8) r18.0<1>:f r23.0<4;4,1>.xyzw:f r27.0<4;4,1>.xyzw:f r28.0<4;4,1>.xyzw:f {Q2}
    mul (8) r16.0<1>:f r20.0<8;8,1>:f -r28.1<0;1,0>:f
    mul (8) r17.0<1>:f r23.0<8;8,1>:f -r28.1<0;1,0>:f {Q2}
    add (8) r30.0<1>:d r31.0<8;8,1>:d 5:d
    add (8) r31.0<1>:d r30.0<8;8,1>:d 5:d {Q2}
    (-f0.1) add.sat (8) r32.0<1>:f r20.0<8;8,1>:f 0.25:f
    (-f0.1) add.sat (8) r33.0<1>:f r21.0<8;8,1>:f 0.25:f {Q2}
    cmp.ge.f1.0 (16) null:f r24.0<8;8,1>:f 1.0:f
    (+f1.0) sel (16) r34.0<1>:f r20.0<8;8,1>:f r28.0<0;1,0>:f
    mov (16) r36.0<1>:f -r20.0<8;8,1>:d
    mov (8) r38.0<1>:f r22.0<8;8,1>:ud
    mov (1) r39.0<1>:f abs r23.1<0;1,0>:d
    mov (16) r40.0<1>:d r14.0<8;8,1>:f
    mov.sat (8) r42.0<1>:f r16.0<8;8,1>:f
    and.nz.f0.0 (16) null:ud r20.0<8;8,1>:ud r24.0<8;8,1>:ud
    add.ge.f1.0 (8) r43.0<1>:f r20.0<8;8,1>:f r24.0<8;8,1>:f
    add.le.f0.1 (1) r44.0<1>:d r20.0<0;1,0>:d r24.0<0;1,0>:d
"""

_WHOLE = """
again:
    add (1) r10.0<1>:d r10.0<0;1,0>:d 1:d
    mov (8) r12.0<1>:ud r[a0.0, 4]<8;8,1>:ud
    cmp.l.f0.0 (1) null:d r10.0<0;1,0>:d r11.0<0;1,0>:d
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud again {NoMask}
    jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 16:d {NoMask}
    add (8) r10.0<1>:d r10.0<8;8,1>:d 100:d
    (-f0.0.any16h) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 16:d {NoMask}
    add (8) r10.0<1>:d r10.0<8;8,1>:d 1000:d
    nop (1)
    (-f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 16:d {NoMask}
    add (8) r10.0<1>:d r10.0<8;8,1>:d 10000:d
    cmp.l.f1.0 (16) null:d r11.0<0;1,0>:d 4:d
    (+f1.0) if (16) jip=other uip=joined
    add (16) r18.0<1>:d r18.0<8;8,1>:d 1:d
    else (16) jip=joined
other:
    add (16) r18.0<1>:d r18.0<8;8,1>:d 2:d
joined:
    endif (16) jip=2
around:
    add (1) r17.0<1>:d r17.0<0;1,0>:d 1:d
    cmp.ge.f1.0 (16) null:d r17.0<0;1,0>:d r11.0<0;1,0>:d
    (+f1.0) break (16) jip=bottom uip=bottom
    add (16) r18.0<1>:d r18.0<8;8,1>:d 10:d
bottom:
    while (16) jip=around
    cmp.z.f0.1 (1) null:d r14.0<0;1,0>:d 0:d
    (-f0.1) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 16:d {NoMask}
    cmp.z.f1.0 (8) null:d r15.0<8;8,1>:d 0:d
    (-f1.0) if (8) jip=apart uip=apart
    add (8) r18.0<1>:d r18.0<8;8,1>:d 100:d
apart:
    endif (8) jip=2
    mul (16) r16.0<1>:f r20.0<8;8,1>:f r22.0<8;8,1>:f
    bfrev (8) r13.0<1>:ud r10.0<8;8,1>:ud
"""


NESTED_LOOPS = """
outer:
    mov (16) r16.0<1>:d r12.0<8;8,1>:d
inner:
    add.l.f0.0 (16) r16.0<1>:d r16.0<8;8,1>:d -2:d
    (+f0.0) break (16) jip=inner_end uip=inner_end
    and.nz.f0.1 (8) null:d r16.0<8;8,1>:d 3:d
    (+f0.1) if (8) jip=skipped uip=skipped
    add (16) r10.0<1>:d r10.0<8;8,1>:d 1:d
    cmp.g.f1.0 (16) null:d r10.0<8;8,1>:d 12:d
    (+f1.0) halt (16) jip=skipped uip=ended
    add (16) r14.0<1>:d r10.0<0;1,0>:d 3:d {NoMask}
skipped:
    endif (8) jip=inner_end
    add (16) r18.0<1>:d r18.0<8;8,1>:d 7:d
inner_end:
    while (16) jip=inner
    add.ge.f0.0 (16) r12.0<1>:d r12.0<8;8,1>:d -1:d
    (+f0.0) while (16) jip=outer
ended:
    halt (16) jip=2 uip=2
"""
_PARTED = (
    NESTED_LOOPS
    + """
    cmp.z.f1.1 (8) null.y:d r18.0<4>.yyyy:d 21:d {align16}
    (-f1.1.y) if (8) jip=never uip=never {align16}
    mov (8) r20.0<1>.xz:d r10.0<4>.xyzw:d {align16}
never:
    endif (8) jip=2 {align16}
    bfrev (8) r13.0<1>:ud r10.0<8;8,1>:ud
"""
)


def programs() -> dict[str, str]:
    """Text by name: opcodes with every type and region, flags of groups, accumulators, addresses, expected jumps."""
    texts = {"floats": _FLOATS, "integers": _INTEGERS, "addressed": _ADDRESSED, "accumulated": _ACCUMULATED}
    texts |= {"jumping": _JUMPING, "joined": _JOINED, "halves": _HALVES}
    groups = (
        "anyv",
        "allv",
        "any2h",
        "all2h",
        "any4h",
        "all4h",
        "any8h",
        "all8h",
        "any16h",
        "all16h",
        "any32h",
        "all32h",
    )
    texts["groups"] = "\n".join(
        f"({'+-'[n % 2]}f{n % 2}.0.{group}) add (16) r{10 + 2 * n}.0<1>:d r{10 + 2 * n}.0<8;8,1>:d {n}:d"
        for n, group in enumerate(groups)
    )
    regions = [form for name, form in SOURCES.items() if "address" not in name]
    for name in (name for name in PLAIN if OPERATIONS[name].engine):
        lines = []
        for is_float in (False, True):
            kinds, results = instruction_types(name, is_float)
            for turn, region in enumerate(regions if kinds else ()):
                lines += instruction_lines(name, region, kinds, results, turn)
        texts[name] = "\n".join(line for line in lines if "[" not in line)
    return texts


def stretch_of(text: str) -> Stretch:
    """The first instructions of a program that the engine takes; those it does not take are left out."""
    code, stretch, offset = assemble(text), Stretch(0), 0
    while offset < len(code):
        instruction = decode(code, offset)
        behind = offset + instruction.size_B
        if instruction.opcode.mnemonic == "jmpi":
            stretch.expect(instruction, offset, behind, behind)
        else:
            stretch.take(Compute(instruction), offset, behind)
        offset += instruction.size_B
    return stretch


def _case(name: str, text: str) -> Case:
    random = np.random.default_rng(sum(name.encode()))
    values = random.choice(
        [0.0, -0.0, 1.0, 0.5, -2.75, 3.4e7, -1e-3, 255.4, 65535.9, -70000.5, 1e-39], (_THREADS, 1024)
    )
    floats = (values * random.integers(1, 5, values.shape)).astype(np.float32).view(np.uint8)
    integers = random.integers(0, 256, floats.shape, np.uint8)
    words = integers.view(np.uint32)
    words[words >> 23 & 255 == 255] ^= 1 << 30  # no NaN
    channels = random.integers(0, 1 << 32, _THREADS, np.uint32) | random.integers(0, 1 << 32, _THREADS, np.uint32)
    channels[3] = 0
    addresses = (32 * random.integers(20, 90, (_THREADS, 8)) + 4 * random.integers(0, 2, (_THREADS, 8))).astype("<u2")

    def run(device: Device) -> Arrays:
        made: Arrays = []
        for general in (floats,) if name in _OF_FLOATS else (floats, integers):
            threads, stretch = Threads(_THREADS, device=device), stretch_of(text)
            registers = np.zeros(threads.registers.shape, np.uint8)
            registers[:, :GENERAL_B] = general
            registers[:, FLAGS_AT : FLAGS_AT + 8] = integers[:, :8]
            registers[:, ADDRESSES_AT:][:, :16] = addresses.view(np.uint8)
            threads.registers = device.upload(registers)
            stretch.launch(threads, None if name in _OF_ALL_CHANNELS else device.upload(channels), len(stretch))
            made.append(device.download(threads.registers))
            made += [device.download(kept) for kept in threads.accumulators.arrays]
        return made

    return Case(f"eu-{name}", run)


def _refused(device: Device) -> Arrays:
    """What is said of addresses that lead nowhere, of some threads and channels."""
    threads, made = Threads(_THREADS, device=device), []
    registers = np.zeros(threads.registers.shape, np.uint8)
    addresses = np.full((_THREADS, 8), 640, "<u2")
    addresses[5, 2], addresses[7, 0] = 4095, 3
    registers[:, ADDRESSES_AT:][:, :16] = addresses.view(np.uint8)
    for text in ("mov (8) r10.0<1>:ud r[a0.0, 0]<8;8,1>:ud", "mov (8) r12.0<1>:uw r[a0.0, 1]<VxH;1,0>:uw"):
        threads.registers = device.upload(registers)
        stretch = stretch_of(text)
        try:
            stretch.launch(threads, None, len(stretch))
        except IllegalAddressError as error:
            made.append(np.frombuffer(str(error).encode(), np.uint8))
    return made


def _whole(device: Device) -> Arrays:
    """Jumps and branches that tiles take alike, as often as they say, and some that threads or channels take apart."""
    made: Arrays = []
    for rounds, apart, most in ((np.arange(_MORE_THREADS) // 64 + 2, 0, 99), (3, 1, 99), (3, 2, 99), (3, 0, 7)):
        threads = Threads(_MORE_THREADS, device=device)
        registers = np.zeros(threads.registers.shape, np.uint8)
        registers[:, 640 : 640 + 256] = np.arange(256)
        registers[:, ADDRESSES_AT:][:, :2] = np.frombuffer(np.uint16(640).tobytes(), np.uint8)
        words = registers[:, :GENERAL_B].view("<i4")
        words[:, 8 * 11], words[:, 8 * 14] = rounds, apart * np.arange(_MORE_THREADS) % 2
        words[:, 8 * 15 : 8 * 16] = np.arange(8) * (apart == 2)
        threads.registers = device.upload(registers)
        steps = Program(assemble(_WHOLE)).whole.run(threads, most, lambda _: {})
        ips = threads.arrays.full((_MORE_THREADS, 1), threads.ip, np.int64) if threads.ips is None else threads.ips
        made += [device.download(threads.registers), device.download(ips), np.array([steps, threads.ip], np.int64)]
    return made


def _parted(device: Device) -> Arrays:
    """Loops that each channel leaves when it wants to, and steps of each thread."""
    threads, random = Threads(_MORE_THREADS, device=device), np.random.default_rng(8)
    registers = np.zeros(threads.registers.shape, np.uint8)
    words = registers[:, :GENERAL_B].view("<i4")
    words[:, 8 * 12 : 8 * 14] = random.integers(0, 6, (_MORE_THREADS, 16))
    threads.registers = device.upload(registers)
    program, steps = Program(assemble(_PARTED)), 1
    while steps:
        steps = program.whole.run(threads, 40, lambda _: {})
    counts = threads.arrays.zeros(_MORE_THREADS, np.int64) + threads.executed.each
    return [device.download(threads.registers), device.download(counts), np.array([threads.ip], np.int64)]


def _messages(device: Device) -> Arrays:
    """Payloads taken from all threads and from some, answers to all lanes and to those enabled, and blocks."""
    random, made = np.random.default_rng(1), []
    threads = Threads(_THREADS, device=device)
    threads.registers = device.upload(random.integers(0, 256, threads.registers.shape, np.uint8))
    for lanes, rows in ((8, None), (16, np.flatnonzero(random.integers(0, 2, _THREADS)).astype(np.int32))):
        made += [threads.download(taken).copy() for taken in take(threads, rows, (64, GENERAL_B - 4 * lanes), lanes)]
        count = _THREADS if rows is None else len(rows)
        values = random.integers(0, 1 << 32, (count, lanes, 4), np.uint32)
        enabled = random.integers(0, 2, (count, lanes)).astype(bool)
        answer(threads, rows, 320, values, (0, 1, 2, 3), None)
        answer(threads, rows, GENERAL_B - 8 * lanes, values, (3, 1), enabled)
        samples = random.integers(0, 1 << 16, (12, 70), np.uint16)
        column, row = (random.integers(0, most, count, np.int32) for most in (4, 3))
        across = None if rows is None else random.integers(0, 70, (4, 16), np.int32)
        place_blocks(threads, rows, 1024, samples, BlockPlaces(column, row, across, None))
        made.append(threads.download(threads.registers).copy())
    return made


def _statistics(device: Device) -> Arrays:
    """Of blocks within a picture of 52x22 and beyond its edges, of more than one tile, in both modes."""
    random, made = np.random.default_rng(2), []
    x = device.upload((16 * random.integers(0, 5, _MORE_THREADS)).astype(np.int32))
    y = device.upload((4 * random.integers(0, 8, _MORE_THREADS)).astype(np.int32))
    sums = device.upload(random.integers(0, 4081, (6, 13, 5)).astype("<u2"))
    noise = device.upload(random.integers(0, 256, (6, 4), np.uint8))
    stored = StatisticsSurface(device.upload(random.integers(0, 256, (22, 64), np.uint8)), 52, 22)
    film = random.integers(0, 1 << 17, (6, 4, 11)).astype("<u4")
    film[..., 5:] %= 33
    for differences in (None, device.upload(film)):
        for measured in (None, sums):
            made.append(device.download(block_statistics(device, x, y, measured, noise, stored, differences)))
    return made


def _blocks_to_surfaces(device: Device) -> Arrays:
    """Blocks of registers and blocks made of them, of some threads and all, to surfaces of all tilings."""
    random, made = np.random.default_rng(3), []
    threads = Threads(_MORE_THREADS, device=device)
    registers = random.integers(0, 256, threads.registers.shape, np.uint8)
    headers = registers[:, : 2 * 32].view("<i4").reshape(_MORE_THREADS, 2, 8)
    numbers = np.arange(_MORE_THREADS)
    headers[:, 0, :2] = np.stack([16 * (numbers % 9) - 16, 4 * (numbers // 9) - 4], axis=1)
    headers[:, 1, :2] = 4 * random.integers(-3, 20, (_MORE_THREADS, 2))
    headers[:5, 1, :2] = [[-(2**31), 0], [2**31 - 1, 4], [2**30, 2**31 - 1], [0, -(2**31)], [100, 20]]
    threads.registers = device.upload(registers)
    some = np.flatnonzero(random.integers(0, 2, _MORE_THREADS))
    plane = device.upload(random.integers(0, 1 << 32, (len(some), 2, 4), np.uint32))
    for kind, step in (("linear", 1), ("X", 2), ("Y", 1)):
        surface = SurfaceLines(Addressing(tiling(kind), 512), 102, 22, step, step - 1)  # the last dword is half
        for at, overlap in ((0, False), (1, True)):
            message = Message(threads, numbers, np.ones((_MORE_THREADS, 8), np.bool_), 5, 6 << 25, at, None, False)
            blocks = SentBlocks.of(message, slice(None), 4, 16, 3), SentBlocks.made(message, some, plane, (1, 0), 1)
            for sent in blocks if kind == "Y" or overlap else blocks[:1]:
                memory = device.upload(np.zeros(64 * 512 // 4, np.uint32))
                overlaps = overlap or sent is not blocks[0]
                differing = sent.write(memory, surface, overlap=overlaps)
                made += [device.download(memory).copy(), *([device.download(differing)] if overlaps else [])]
    return made


def _left_where_they_are(device: Device) -> Arrays:
    """OWord blocks within a buffer and beyond; texels in and out of a surface, of which several meet; some masked."""
    random, made = np.random.default_rng(4), []
    threads = Threads(_MORE_THREADS, device=device)
    registers = random.integers(0, 256, threads.registers.shape, np.uint8)
    words = registers[:, : 8 * 32].view("<u4").reshape(_MORE_THREADS, 8, 8)
    words[:, 0, 2] = random.integers(0, 12, _MORE_THREADS)
    words[:, 1:5] = random.integers(0, [[9], [7], [2], [2]], (_MORE_THREADS, 4, 8))
    words[:, 5, :2] = random.integers(0, 200, (_MORE_THREADS, 2))
    words[:, 5, 3:5] = random.integers(0, 50, (_MORE_THREADS, 2))
    memory = random.integers(0, 256, 1024, np.uint8)
    some = device.upload(random.integers(0, 3, (_MORE_THREADS, 16)) == 0)
    for mask in (None, some):
        for element_B, is_whole in ((4, True), (2, True), (16, False)):
            threads.registers = device.upload(registers.copy())
            read = Unasked(threads, 16, 9, 4 << 20, 0, 100, False, lambda mask=mask: mask)
            read_blocks(read, device.upload(memory), 150, 32, 16)
            made.append(device.download(threads.registers).copy())
            there, stored = device.upload(memory.copy()), device.upload(np.zeros(1, np.int32))
            elements = device.upload(random.integers(0, 256, (8 * _MORE_THREADS, element_B), np.uint8))
            dwords = (each.astype(np.int32) for each in (np.arange(7) * element_B, np.arange(5) * 128))
            whole = np.array([[[0, 0, 7, 5], [3, 2, 2, 2]]], np.int32)
            images = Images(
                element_B % 3, whole[:, : 1 + is_whole], *dwords, 6 * element_B + 512 + element_B, is_whole, 9
            )
            written = Unasked(threads, 16, 5, 9 << 25, 0, None, False, lambda mask=mask: mask)
            slots = TexelSlots(written, images, element_B, axes=element_B % 5, group=8)
            slots.store(elements, there, stored, is_whole=is_whole)
            made += [device.download(slots.places()).copy(), device.download(slots.elements(there, slots.places()))]
            made += [device.download(there).copy(), device.download(stored).copy()]
        threads.registers = device.upload(registers.copy())
        for exec_size, opcode in (
            (8, {"interleaved": True, "unit": 8}),
            (16, {"unit": 8}),
            (8, {"unit": 4, "count": 1}),
        ):
            lanes = None if mask is None else mask[:, :exec_size]
            sent = Unasked(threads, exec_size, 6, 5 << 25, 5, None, False, lambda lanes=lanes: lanes)
            dwords = device.upload(np.zeros(3000, np.uint32))
            options = {"count": 4, "offset": 1, "farthest": 40, "per_slot": True, "interleaved": False, **opcode}
            exchange_urb(sent, dwords, writes=True, **options)
            made.append(device.download(dwords).copy())
            read = replace(sent, descriptor=1 << 25 | options["count"] << 20, destination=7)
            exchange_urb(read, device.upload(np.arange(3000, dtype=np.uint32)), writes=False, **options)
            made.append(device.download(threads.registers).copy())
    return made


def _of_senders(device: Device) -> Arrays:
    """Ranges of dwords, places of scaled blocks, media blocks: of all threads and of those that send."""
    random, made = np.random.default_rng(6), []
    threads = Threads(_MORE_THREADS, device=device)
    registers = random.integers(0, 256, threads.registers.shape, np.uint8)
    coordinates = registers[:, 32:64].view("<f4")
    coordinates[:, 2:7] = random.uniform([-1, -1, -0.1, -0.1, -0.01], [2, 2, 0.3, 0.3, 0.01], (_MORE_THREADS, 5))
    coordinates[:, 1] = random.integers(0, 5, _MORE_THREADS).astype("<u4").view("<f4")
    words = registers[:, 64:96].view("<i4")
    words[:, :2] = np.stack([32 * random.integers(-1, 4, _MORE_THREADS), 4 * random.integers(-1, 7, _MORE_THREADS)], 1)
    threads.registers = device.upload(registers)
    known = BlockPlacesOnDevice(np.float32(0.3), np.float32(0.3), np.float32(0), is_plain=True)
    plane = device.upload(random.integers(0, 256, (30, 50)).astype(np.uint16))
    sampler = BlockSampler(*avs_from_state(Sampler8x8State()), None, None)
    some = device.upload(random.integers(0, 9, (_MORE_THREADS, 8)) == 0)
    for mask, margin in ((None, 2), (some, 0)):
        looks = [(4 * number, 0xFFFFFFFF >> number) for number in range(18)]
        made.append(device.download(ranges_on_device(threads, mask, looks)))
        message = Unasked(threads, 8, 2, 2 << 25 | 1 << 19, 0, None, False, lambda mask=mask: mask)
        positions = BlockPositions.of(message, known, (50, 30), margin)
        made += [device.download(each) for each in (positions.x, positions.y)]
        if mask is not None:
            x, y = (np.sort(made[at], axis=1) for at in (-2, -1))
            sorted_positions = replace(positions, x=device.upload(x), y=device.upload(y), steps=(15.0, 9.0))
            scaled = sorted_positions.scaled(device, {"G": plane, "R": plane}, ["G", "R"], sampler)
            made += [device.download(each) for each in scaled.values()]
        surface = SurfaceLines(Addressing(tiling("Y"), 512), 102, 22, 1, 0)
        memory = device.upload(np.zeros(32 * 512 // 4, np.uint32))
        sent = Unasked(threads, 8, 5, 5 << 25, 2, None, False, lambda mask=mask: mask)
        differing = SentBlocks.of(sent, slice(None), 4, 32, 8, is_masked=True).write(memory, surface, overlap=True)
        made += [device.download(memory).copy(), device.download(differing)]
        for size_B, beyond in ((1, "EU_NEAREST_LINE"), (4, "EU_NEAREST_OF_FIELD"), (4, "EU_NEAREST_OF_FRAME")):
            luma = (0, 2) if beyond == "EU_NEAREST_OF_FRAME" else ()
            lines = SurfaceLines(Addressing(tiling("linear"), 512), 100, 11, 2, 1) if luma else surface
            there = device.upload(random.integers(0, 256, 32 * 512, np.uint8))
            threads.registers = device.upload(registers.copy())
            read = Unasked(threads, 8, 4, 1 << 25 | 6 << 20, 2, 20, False, lambda mask=mask: mask)
            read_on_device(read, there, lines, (24, 5), (32, 4), ReadPixel(size_B, *luma), beyond, is_alone=True)
            made.append(device.download(threads.registers).copy())
    return made


EU_CASES = (
    *(_case(name, text) for name, text in programs().items()),
    Case("eu-whole", _whole),
    Case("eu-parted", _parted),
    Case("eu-refused", _refused),
    Case("eu-messages", _messages),
    Case("eu-statistics", _statistics),
    Case("eu-of-senders", _of_senders),
    Case("eu-left-where-they-are", _left_where_they_are),
    Case("eu-blocks-to-surfaces", _blocks_to_surfaces),
)
