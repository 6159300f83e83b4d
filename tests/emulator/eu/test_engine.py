"""The engine that runs straight stretches of programs: what it takes, where it stops, and how to do without it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pictures.eu import programs, stretch_of
from support.eu import END, Collect, Registers, emulate, hold
from support.strict_arrays import StrictArray, StrictDevice

from texsamp.device import get_device
from texsamp.device.params import constant
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu import execute
from texsamp.emulator.eu.alu.plan import Compute
from texsamp.emulator.eu.engine import stretches, whole_program
from texsamp.emulator.eu.engine.lowering import OPERATION
from texsamp.emulator.eu.engine.stretches import Stretch
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.isa.codec import decode
from texsamp.emulator.eu.registers.spare_registers import SpareRegisters
from texsamp.emulator.eu.registers.threads import Threads
from texsamp.errors import CaptureError

DIVERGENT = f"""
    cmp.g.f0.0 (16) null:d r20.0<8;8,1>:d 0:d
    (+f0.0) if (16) jip=other uip=joined
    add (16) r10.0<1>:d r10.0<8;8,1>:d 5:d
    mul (16) r12.0<1>:f r24.0<8;8,1>:uw r26.0<8;8,1>:uw
    else (16) jip=joined
other:
    xor (16) r14.0<1>:ud r14.0<8;8,1>:ud 255:ud
    mov (1) r30.0<1>:d 1:d {{NoMask}}
joined:
    endif (16) jip=next
next:
    and (16) r16.0<1>:ud r20.0<8;8,1>:ud 7:ud
again:
    add.nz.f0.1 (16) r16.0<1>:d r16.0<8;8,1>:d -1:d
    mov (16) r18.0<1>:f r16.0<8;8,1>:d
    (+f0.1) cmp.g.f0.1 (16) null:d r16.0<8;8,1>:d 0:d
    (+f0.1) while (16) jip=again
    {END}
"""


@pytest.mark.parametrize("text", programs().values(), ids=programs())
def test_every_instruction_of_the_pictures_is_taken(text):
    assert len(stretch_of(text)) == len([line for line in text.splitlines() if line.strip()])


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("mov (16) r10.0<1>:f r20.0<8;8,1>:f", "SIXTEEN"),
        ("(+f0.0) sel (8) r10.0<1>:ud r20.0<8;8,1>:ud r21.0<8;8,1>:ud", "EIGHT"),
        ("add.sat (1) r10.0<1>:uw r20.0<0;1,0>:w 5:w", "ONE"),
        ("mov (8) r10.0<1>:d r[a0.0, 0]<8;8,1>:d", "EIGHT"),
        ("mov (8) r10.0<1>:d r[a0.0, 0]<VxH;1,0>:d", "GENERAL"),
        ("mov (4) r10.0<1>:d r20.0<4;4,1>:d", "GENERAL"),
        ("mov (16) r10.0<1>:f -r20.0<8;8,1>:d", "SIXTEEN"),
        ("mov.sat (16) r10.0<1>:f -r20.0<8;8,1>:d", "GENERAL"),
        ("mov (16) r10.0<1>:f -r[a0.0, 0]<8;8,1>:d", "GENERAL"),
        ("and.z.f0.0 (16) r10.0<1>:ud r20.0<8;8,1>:ud r22.0<8;8,1>:ud", "SIXTEEN"),
        ("add (16) r10.0<1>:f r20.0<8;8,1>:d r22.0<8;8,1>:d", "GENERAL"),
        ("nop", "NOTHING"),
    ],
)
def test_most_instructions_run_in_one_step(text, path):
    stretch = Stretch(0)
    assert stretch.take(None if text == "nop" else Compute(decode(assemble(text), 0)), 0, 16)
    assert np.frombuffer(stretch.rows, OPERATION)["path"] == [constant(f"EU_{path}")]


def test_channels_that_went_apart_meet_again_as_without_the_engine(monkeypatch):
    registers = Registers.random(np.random.default_rng(7), 37)
    on_engine = hold(DIVERGENT, registers)
    monkeypatch.setenv("TEXSAMP_EU", "reference")
    monkeypatch.setattr(Stretch, "launch", None)
    assert on_engine.difference(emulate(DIVERGENT, registers)) == "none"


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("add (8) r10.0<1>:f r20.0<8;8,1>:f r21.0<0;1,0>:f", "FIRST_HALF"),
        ("add (8) r10.0<1>:f r20.0<8;8,1>:f 1.0:f {Q2}", "SECOND_HALF"),
        ("cmp.z.f0.0 (8) null:d r20.0<8;8,1>:d 1:d {Q3}", "FIRST_HALF"),
        ("mov (8) r10.0<1>:ud f0.0<0;1,0>:ud", "WHOLE"),
        ("mov (8) r10.0<1>:uw r20.0<8;8,1>:ud", "WHOLE"),
        ("mov (8) r10.0<1>:d r20.0<8;8,1>:w", "WHOLE"),
        ("mov (8) r10.0<2>:d r20.0<8;8,1>:d", "WHOLE"),
        ("mov (8) r10.0<1>:d r[a0.0, 0]<8;8,1>:d", "WHOLE"),
        ("mov (8) r[a0.0, 0]<1>:d r20.0<8;8,1>:d", "WHOLE"),
        ("mov (8) r10.0<1>:f 0x30302010:vf", "WHOLE"),
        ("(+f0.0.any2h) mov (8) r10.0<1>:d r20.0<8;8,1>:d", "WHOLE"),
        ("mov (16) r10.0<1>:d r20.0<8;8,1>:d", "WHOLE"),
    ],
)
def test_eights_that_may_be_half_of_sixteen(text, half):
    stretch = Stretch(0)
    assert stretch.take(Compute(decode(assemble(text), 0)), 0, 16)
    assert np.frombuffer(stretch.rows, OPERATION)["half"] == [constant(f"EU_{half}")]


def halves(rng, floats):
    """Two operations of eight channels that mostly are one of sixteen, of few registers; and a selection at times."""
    name = str(rng.choice(["add", "mov", "cmp", "sel", "mad" if floats else "and"]))
    kind = "f" if floats else str(rng.choice(["d", "ud"]))
    flags = name == "cmp" or (name in ("add", "and") and rng.random() < 0.3)
    condition = f".{rng.choice(['z', 'nz', 'g', 'ge', 'l', 'le'])}.f0.0" if flags else ""
    predicate = "(+f0.1) " if name == "sel" or (not flags and rng.random() < 0.2) else ""
    saturate = ".sat" if kind == "f" and name in ("add", "mad", "mov") and rng.random() < 0.3 else ""
    to, apart = int(rng.integers(10, 16)), int(rng.choice([1, 1, 3]))
    is_null = name == "cmp" and (floats or rng.random() < 0.5)
    sources = [
        (int(rng.integers(10, 16)), rng.random() < 0.3, "" if name == "and" else str(rng.choice(["", "", "-"])))
        for _ in range({"mad": 3, "mov": 1}.get(name, 2))
    ]
    numbers = rng.choice(["1", "1", "2"], 2) if name not in ("mad", "mov") and rng.random() < 0.3 else None
    lines = []
    for half, options in enumerate(("", "{Q2}")):
        there = f"null:{kind}" if is_null else f"r{to + half * (apart + 1) // 2}.0<1>:{kind}"
        texts = []
        for first, shared, sign in sources:
            form = ("<0;1,0>", "<8;8,1>") if name != "mad" else ("<4;4,1>.xxxx", "<4;4,1>.xyzw")
            texts.append(f"{sign}r{first if shared else first + half * apart}.0{form[not shared]}:{kind}")
        if numbers is not None:
            texts[1] = f"{numbers[half]}{'.0' if kind == 'f' else ''}:{kind}"
        lines.append(f"{predicate}{name}{saturate}{condition} (8) {there} {' '.join(texts)} {options}")
    if flags and rng.random() < 0.6:  # moves bits, of floats as well
        sign, at = rng.choice(["+", "-"]), rng.integers(10, 17, 2)
        lines.append(f"({sign}f0.0) sel (16) r{at[0]}.0<1>:ud r{at[1]}.0<8;8,1>:ud r20.0<8;8,1>:ud")
    return lines


@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_two_eights_that_run_as_sixteen_are_as_one_after_the_other(seed, floats, monkeypatch):
    """The second reads or writes what the first one reads or writes, or is unlike it; for all and for some channels."""
    rng = np.random.default_rng(seed)
    registers = Registers.random(rng, 67)
    few = np.array([0.0, 1.0, -0.5, 0.25, 1e-40, -1.0], np.float32).view("<u4") if floats else np.arange(4)
    registers.general.view("<u4")[:, 80:176] = rng.choice(few, (67, 96))
    lines = [line for _ in range(40) for line in halves(rng, floats)]
    jumped = ["cmp.g.f1.0 (16) null:d r26.0<8;8,1>:d 0:d", "(+f1.0) if (16) jip=joined uip=joined"]
    texts = [[*lines, END], [*jumped, *lines, "joined:", "endif (16) jip=next", "next:", END]]
    on_engine = [emulate("\n".join(text), registers) for text in texts]
    monkeypatch.setenv("TEXSAMP_EU", "reference")
    for text, found in zip(texts, on_engine, strict=True):
        assert found.difference(emulate("\n".join(text), registers)) == "none"


@pytest.mark.parametrize("kind", ["d", "ud"])
@pytest.mark.parametrize("modifier", ["", "-", "abs ", "-abs "])
def test_dwords_become_floats_rounded_once(kind, modifier):
    """Those whose halves, rounded apart, would be off; the least of all; and 0, which has no sign."""
    registers = Registers.random(np.random.default_rng(14), 67)
    words = registers.general.view("<u4").reshape(67, 128, 8)
    words[:, 20] = [0, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFF, 0x01000001, 0xFF000001, 0xFFFFFF80, 0x80000081]
    texts = [f"mov ({n}) r10.0<1>:f {modifier}r20.0<8;8,1>:{kind}" for n in (8, 16)]
    texts += [f"mov (1) r12.0<1>:f {modifier}r20.{n}<0;1,0>:{kind}" for n in range(8)]
    texts.append(f"(+f0.0) mov (8) r14.0<1>:f {modifier}r20.0<16;8,2>:{kind}")
    for text in texts:
        hold(f"{text}\n{END}", registers)


def test_floats_become_dwords_toward_zero_within_their_limits():
    registers = Registers.random(np.random.default_rng(15), 67)
    values = registers.general.view("<f4").reshape(67, 128, 8)
    values[:, 20] = [np.nan, np.inf, -np.inf, 2147483648.0, -2147483648.0, 2147483520.0, -2147483904.0, -0.9]
    for n in (8, 16):
        for kind in ("d", "ud", "w"):
            lines = [
                f"mov ({n}) r10.0<1>:{kind} r20.0<8;8,1>:f",
                f"add ({n}) r12.0<1>:{kind} -r20.0<8;8,1>:f 0.5:f",
            ]
            hold("\n".join([*lines, END]), registers)


@pytest.mark.parametrize("condition", ["z", "nz", "g", "ge", "l", "le"])
def test_conditions_look_at_what_is_stored(condition):
    """Saturated, where it is asked for."""
    registers = Registers.random(np.random.default_rng(16), 67)
    words = registers.general.view("<u4").reshape(67, 128, 8)
    words[:, 20] = [0, 1, 0x80000000, 0xFFFFFFFF, 0x80000001, 0x7FFFFFFF, 0x00800000, 0x7F800001]
    words[:, 22] = [0, 0xFFFFFFFF, 0x80000000, 1, 0x80000000, 0x7FFFFFFF, 0x00800000, 0x3F800000]
    for n in (1, 8, 16):
        region = "<0;1,0>" if n == 1 else "<8;8,1>"
        forms = [
            (name, kind, there)
            for kind in ("ud", "d")
            for there in ("null:ud", "null:d", f"r10.0<1>:{kind}")
            for name in ("and", "add", "add.sat", "xor")
        ]
        forms += [(name, "f", there) for name in ("add", "add.sat") for there in ("null:f", "r14.0<1>:f")]
        lines = []
        for number, (name, kind, there) in enumerate(forms):
            lines.append(f"{name}.{condition}.f0.0 ({n}) {there} r20.0{region}:{kind} r22.0{region}:{kind}")
            lines.append(f"mov (1) r{40 + number}.0<1>:ud f0.0<0;1,0>:ud")
        hold("\n".join([*lines, END]), registers)


def test_programs_with_the_same_instructions_share_what_is_prepared(monkeypatch):
    """Whatever lies behind them, and however much of it."""
    code = assemble(f"add (8) r10.0<1>:d r20.0<8;8,1>:d 93:d\n{END}")
    programs = [Program(code + behind) for behind in (b"", bytes(1 << 16), b"7" * (1 << 17))]
    for program in programs:
        threads = Threads(3)
        program.run(threads, Collect(), Budget(1000))
        assert (threads.general(10, 1).view("<i4") == 93).all()
    assert len({id(program.whole) for program in programs}) == 1
    assert programs[0].is_still(np.frombuffer(code + b"8", np.uint8))
    assert not programs[2].is_still(np.frombuffer(code[:-1] + b"8", np.uint8))


CHOICES = """
    cmp.{condition}.f0.0 (16) {outcomes} r20.0<8;8,1>:{kind} r22.0<8;8,1>:{kind}
    ({sign}f{flag}) sel (16) r{to}.0<1>:{kind} r{first}.0<8;8,1>:{kind} r24.0<0;1,0>:{kind}
"""


@pytest.mark.parametrize("condition", ["z", "nz", "g", "ge", "l", "le"])
def test_a_comparison_and_its_selection_are_as_one_after_the_other(condition):
    """Selections of what the comparison leaves, over what it reads, by other flags, for some of the channels."""
    texts = [
        CHOICES.format(
            condition=condition, outcomes=f"r10.0<1>:{kind}", kind=kind, sign=sign, flag=flag, to=to, first=at
        )
        for kind, sign, flag, to, first in (
            ("d", "+", "0.0", 12, 10),
            ("d", "-", "0.0", 20, 21),
            ("f", "+", "0.0", 11, 10),
            ("d", "+", "0.1", 14, 20),
        )
        for at in (first, first + 1)
    ]
    before = "cmp.g.f0.1 (16) null:d r26.0<8;8,1>:d 0:d\n(+f0.1) if (16) jip=joined uip=joined\n"
    behind = "joined:\nendif (16) jip=next\nnext:\n"
    registers = Registers.random(np.random.default_rng(12), 35)
    registers.general.view("<i4")[:, 160:192] %= 3
    for text in texts:
        hold(f"{text}{END}", registers)
        hold(f"{before}{text}{behind}{text.replace('r10', 'r15')}{END}", registers)


@pytest.mark.parametrize("step", [1, 2, 4])
def test_narrow_elements_between_others_are_stored_alone(step):
    lines = [
        f"mov (16) r10.0<{step}>:ub r20.0<32;16,2>:ub",
        f"mov (8) r12.0<{min(step, 2)}>:uw r21.0<16;8,2>:uw",
        f"add.sat (8) r14.0<{step}>:b r22.0<32;8,4>:b r23.0<16;8,2>:w",
    ]
    hold("\n".join([*lines, END]), Registers.random(np.random.default_rng(13), 35))


AT_ADDRESSES = [
    (kind, size, region, step, sign)
    for kind, size, regions in (
        ("uw", 16, ("16;16,1",)),
        ("uw", 8, ("8;8,1", "16;8,2")),
        ("ub", 16, ("16;16,1", "32;16,2")),
        ("ub", 8, ("16;8,2", "32;8,4")),
        ("w", 8, ("16;8,2",)),
        ("b", 8, ("16;8,2",)),
    )
    for region in regions
    for step in (1, 2, 4)
    if size * step * (1 + (kind in ("w", "uw"))) <= 32
    for sign in ("", "-")
]


@pytest.mark.parametrize(("kind", "size", "region", "step", "sign"), AT_ADDRESSES)
def test_narrow_elements_at_addresses_are_moved_and_added(kind, size, region, step, sign):
    """From registers that are written as well, to others, at the same addresses and as the last of all."""
    registers = Registers.random(np.random.default_rng(size + step), 35)
    words = registers.address.view("<u2")
    words[...] = 32 * np.random.default_rng(step).integers(20, 100, (35, 8)) + 2
    words[:5, 1], words[5:9, :2] = words[:5, 0], 4096 - 68
    source, sent = f"{sign}r[a0.0, 2]<{region}>:{kind}", "uw" if kind in ("ub", "uw") else "w"
    lines = [
        f"add.sat ({size}) r[a0.1, 4]<{step}>:{kind} {source} {number}:{sent}"
        for number in (3, 40000 if sent == "uw" else -9)
    ]
    lines += [
        f"mov ({size}) r[a0.1, 2]<{step}>:{kind} {source}",
        f"mov ({size}) r10.0<{step}>:{kind} {source}",
        f"(+f0.0) mov ({size}) r[a0.2, 0]<{step}>:{kind} {source}",
        f"add ({size}) r[a0.2, 4]<{step}>:{kind} {source} 7:{sent}",
        f"add.sat ({size}) r12.0<{step}>:{kind} {source} r20.0<0;1,0>:{kind}",
    ]
    hold("\n".join([*lines, END]), registers)
    jumped = "cmp.g.f0.1 (16) null:d r26.0<8;8,1>:d 0:d\n(+f0.1) if (16) jip=joined uip=joined\n"
    hold("\n".join([jumped, *lines, "joined:", "endif (16) jip=next", "next:", END]), registers)


@pytest.mark.parametrize("kind", ["uw", "ub"])
@pytest.mark.parametrize("address", [4090, 65534])
def test_narrow_elements_beyond_the_registers_are_refused(kind, address):
    registers = Registers.zeros(35)
    registers.address.view("<u2")[33, 0] = address
    region = "16;16,1" if kind == "uw" else "32;16,2"
    with pytest.raises(CaptureError, match="an operand ends at byte"):
        emulate(f"mov (16) r10.0<1>:{kind} r[a0.0, 0]<{region}>:{kind}\n{END}", registers)


def test_what_is_not_taken_runs_between_stretches():
    text = f"""
    add (8) r10.0<1>:d r20.0<8;8,1>:d 1:d
    mov (1) a0.0<1>:uw 320:uw
    mov (8) r11.0<1>:d r[a0.0, 0]<8;8,1>:d
    bfrev (8) r13.0<1>:ud r10.0<8;8,1>:ud
    add (8) r12.0<1>:d r11.0<8;8,1>:d r10.0<8;8,1>:d
    {END}
    """
    hold(text, Registers.random(np.random.default_rng(8), 3))


def test_bytes_beyond_an_operand_are_not_written():
    registers = Registers.random(np.random.default_rng(9), 2)
    hold(f"mov (8) r127.0<1>:d r126.0<8;8,1>:ud\nmov (4) r126.0<2>:uw r127.4<4;4,1>:ud\n{END}", registers)


JUMPING = f"""
    mov (1) r10.0<1>:d 0:d
again:
    add (1) r10.0<1>:d r10.0<0;1,0>:d 1:d
    add (1) r11.0<1>:d r11.0<0;1,0>:d r10.0<0;1,0>:d
    cmp.l.f0.0 (1) null:d r10.0<0;1,0>:d r12.0<0;1,0>:d
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud again {{NoMask}}
    shl (1) r10.0<1>:d r10.0<0;1,0>:d 4:d
    {END}
"""


def test_loops_go_around_as_often_as_each_thread_says():
    registers = Registers.random(np.random.default_rng(10), 80)
    counts = registers.general.view("<i4").reshape(80, 128, 8)[:, 12, 0]
    for rounds in (np.full(80, 5), np.r_[np.full(64, 3), np.full(16, 4)], np.arange(80) % 7):
        counts[...] = rounds
        hold(JUMPING, registers)


@pytest.mark.parametrize("device", [get_device("cpu"), StrictDevice()], ids=["host", "device"])
def test_a_loop_is_few_launches(monkeypatch, device):
    """On the host a stretch goes on past a jump that was seen; on a device the engine jumps by itself."""
    launched = []
    for module in (stretches, whole_program):
        launch = module.launch
        monkeypatch.setattr(module, "launch", lambda *args, launch=launch: (launched.append(args), launch(*args))[1])
    registers = Registers.zeros(3)
    registers.general.view("<i4").reshape(3, 128, 8)[:, 12, 0] = 40
    after = emulate(JUMPING, registers, device=device)
    assert (after.general.view("<i4").reshape(3, 128, 8)[:, 10, 0] == 40 << 4).all()
    assert 0 < len(launched) < 12


def test_an_instruction_met_again_finds_its_constants_in_another_program():
    registers = Registers.random(np.random.default_rng(11), 3)
    again = "add (8) r11.0<1>:d r20.0<8;8,1>:d 7:d\nmov (8) r12.0<1>:w r20.0<16;8,2>:w"
    for text in (again, f"mov (8) r10.0<1>:d 1:d\nmov (8) r13.0<1>:ub r21.0<32;8,4>:ub\n{again}"):
        hold(f"{text}\n{END}", registers)


def test_threads_that_take_registers_of_others_find_zeros():
    spare = SpareRegisters()
    first = Threads(5, spare=spare)
    first.registers[...] = 7
    whole = first.registers
    first.leave_registers()
    second = Threads(3, spare=spare)
    assert np.shares_memory(second.registers, whole)
    assert not second.registers.any()
    third = Threads(3, spare=spare)  # while those are held
    assert not np.shares_memory(third.registers, whole)
    third.leave_registers()
    second.leave_registers()  # the larger one is kept
    assert np.shares_memory(Threads(5, spare=spare).registers, whole)


def test_programs_of_equal_bytes_run_alike_at_once():
    texts = [DIVERGENT, DIVERGENT.replace("5:d", "6:d")]
    registers = Registers.random(np.random.default_rng(8), 37)
    expected = [emulate(text, registers) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: emulate(texts[n % 2], registers), range(16)))
    for number, each in enumerate(found):
        assert each.difference(expected[number % 2]) == "none"
    assert expected[0].difference(expected[1]) != "none"


@pytest.mark.parametrize("name", ["add", "mul", "mov", "sel"])
def test_results_that_go_nowhere_are_not_written(name):
    second = "" if name == "mov" else " r22.0<8;8,1>:f"
    predicate = "(+f0.0) " if name == "sel" else ""
    text = f"{predicate}{name} (16) null:f r20.0<8;8,1>:f{second}\n{END}"
    hold(text, Registers.random(np.random.default_rng(9), 3))


def test_infinity_saturates_to_one():
    registers = Registers.random(np.random.default_rng(10), 3)
    registers.general[:, 640:704].view("<f4")[:] = [np.inf, -np.inf, 0.5, 2.0] * 4
    hold(f"add.sat (16) r10.0<1>:f r20.0<8;8,1>:f 0.25:f\n{END}", registers)


def test_the_rows_of_a_program_travel_once():
    """Of all its stretches, also for the next threads of a case."""
    text = f"""
    add (8) r10.0<1>:d r20.0<8;8,1>:d 1:d
    bfrev (8) r13.0<1>:ud r10.0<8;8,1>:ud
    add (8) r12.0<1>:d r11.0<8;8,1>:d 0x76543210:v
    send (8) r40.0<1>:ud r30.0<8;8,1>:ud data_cache 0x04200000:ud
    mul (8) r14.0<1>:f r11.0<8;8,1>:f r10.0<8;8,1>:f
    {END}
    """
    device, spare = StrictDevice(), SpareRegisters()
    for _ in range(2):
        Program(assemble(text)).run(Threads(5, device=device, spare=spare), Collect(), Budget(1000))
    assert device.uploads == 1


@pytest.mark.parametrize("rounds", [np.full(50, 5), np.r_[np.full(32, 3), np.full(18, 4)], np.arange(50) % 7])
def test_jumps_of_threads_on_a_device_are_those_on_the_host(rounds):
    registers = Registers.random(np.random.default_rng(10), 50)
    registers.general.view("<i4").reshape(50, 128, 8)[:, 12, 0] = rounds
    for text in (JUMPING, JUMPING.replace("cmp.l", "cmp.ge").replace("+f0.0", "-f0.0")):
        there = emulate(text, registers, device=StrictDevice())
        assert there.difference(emulate(text, registers)) == "none"


def test_what_is_behind_the_longest_program_is_run_as_it_is_reached(monkeypatch):
    monkeypatch.setattr(execute, "_LONGEST_WHOLE", 3)
    registers = Registers.random(np.random.default_rng(10), 50)
    registers.general.view("<i4").reshape(50, 128, 8)[:, 12, 0] = 4
    code = assemble(JUMPING.replace("r11", "r21"))  # that no other test has had prepared
    there = emulate(code, registers, device=StrictDevice())
    assert len(Program(code).whole.numbers) == 3
    assert there.difference(emulate(code, registers)) == "none"


def test_a_loop_that_all_threads_go_around_alike_is_asked_for_once():
    registers, device = Registers.zeros(50), StrictDevice()
    registers.general.view("<i4").reshape(50, 128, 8)[:, 12, 0] = 60
    looks = StrictArray.looks
    after = emulate(JUMPING, registers, device=device)
    assert (after.general.view("<i4").reshape(50, 128, 8)[:, 11, 0] == 60 * 61 // 2).all()
    assert device.downloads == 1 + 2  # for the last message, and the registers themselves
    assert StrictArray.looks == looks


def test_an_illegal_address_in_a_loop_is_refused_where_it_is():
    """The first in the order of steps, where another one comes before it in the program."""
    text = f"""
        mov (1) r10.0<1>:d 0:d
    again:
        (+f1.0) mov (8) r12.0<1>:ud r[a0.1, 0]<8;8,1>:ud
        mov (8) r13.0<1>:ud r[a0.0, 0]<8;8,1>:ud
        add (1) r10.0<1>:d r10.0<0;1,0>:d 1:d
        mov (1) f1.0<1>:uw 65535:uw
        cmp.l.f0.0 (1) null:d r10.0<0;1,0>:d 3:d
        (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud again {{NoMask}}
        {END}
    """
    registers = Registers.zeros(40)
    words = registers.address.view("<u2")
    words[:, 1], words[:, 0], words[33, 0] = 4095, 640, 641
    said = []
    for device in (None, StrictDevice()):
        with pytest.raises(CaptureError) as error:
            emulate(text, registers, device=device)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert "EU offset 0x20" in said[0]
