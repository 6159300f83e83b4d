"""What the host knows of threads that begin as others did: it asks nothing twice, and nothing else is different."""

from collections import OrderedDict

import numpy as np
import pytest
from support.captures import real_captures
from support.strict_arrays import StrictDevice

from texsamp.emulator.case import Case
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.eu.engine import trails
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.registers.threads import Threads

END = "send (1) null:d r127.0<0;1,0>:ub spawner 0x02000010:d {EOT}"
ONE_OF_EIGHT = 0x02100000
"""A descriptor: one register is sent, one comes back."""


@pytest.fixture(autouse=True)
def _nothing_is_known(monkeypatch):
    monkeypatch.setattr(trails, "_trails", OrderedDict())


class Answers:
    """Notes what messages are looked at by, and answers with numbers, in every second run the same to all threads."""

    def __init__(self, seed):
        self.rng, self.seen, self.own = np.random.default_rng(seed), [], seed % 2

    def send(self, message):
        if message.end_of_thread:
            return
        some, others = message.dwords(0, 1, tuple(range(6)))[:, :6], message.dwords(0, 1)[:, 6:]
        self.seen.append((message.mask.copy(), some.copy(), others.copy()))
        own = len(message.rows) if self.own else 1
        answer = self.rng.integers(0, 256, (own, 32), np.uint8)
        message.respond(np.ascontiguousarray(np.broadcast_to(answer, (len(message.rows), 32))))


def _run(program, payload, seed, device):
    """What messages were looked at by, and crossings to the host."""
    threads, answers, before = Threads(len(payload), device=device), Answers(seed), device.downloads
    threads.begin((0, payload))
    threads.walk = program.walk(payload)
    program.run(threads, answers, Budget(100_000))
    return answers.seen, device.downloads - before


def _on_host(text, payload, seed):
    """What messages are looked at by, of a program that shares nothing with the others."""
    threads, answers = Threads(len(payload)), Answers(seed)
    threads.begin((0, payload))
    Program(assemble(text), base=64).run(threads, answers, Budget(100_000))
    return answers.seen


def _payload(seed, threads=11, registers=12):
    """Half of the registers are the same in all threads."""
    payload = np.random.default_rng(seed).integers(0, 256, (threads, 32 * registers), np.uint8)
    payload[:, : 16 * registers] = payload[0, : 16 * registers]
    return payload


def _same(found, expected):
    assert len(found) == len(expected) > 0
    for ones, others in zip(found, expected, strict=True):
        assert all(np.array_equal(one, other) for one, other in zip(ones, others, strict=True))


JUMPING = f"""
    mov (8) r20.0<1>:ud r8.0<8;8,1>:ud
    and.nz.f0.0 (1) null:uw r2.0<0;1,0>:uw 0x00010001:uw
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 0x00000002:d
    add (8) r20.0<1>:ud r20.0<8;8,1>:ud 0x00000007:ud
    add (8) r20.0<1>:ud r20.0<8;8,1>:ud 0x00000005:ud
    send (8) r30.0<1>:ud r20.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
    add (8) r20.0<1>:ud r20.0<8;8,1>:ud r9.0<8;8,1>:ud
    send (8) r31.0<1>:ud r20.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
    {END}
"""


def test_threads_that_begin_alike_are_asked_once():
    text, device = JUMPING, StrictDevice()
    program = Program(assemble(text))
    payload, other = _payload(1), _payload(2)
    asked = []
    for number in range(4):
        seen, crossings = _run(program, payload, number, device)
        _same(seen, _on_host(text, payload, number))
        asked.append(crossings)
    assert asked[0] > asked[1] > 0 == asked[2] == asked[3]
    seen, crossings = _run(program, other, 9, device)
    _same(seen, _on_host(text, other, 9))
    assert crossings > 0


def test_what_comes_of_answers_is_asked_each_time():
    text = JUMPING.replace("r9.0<8;8,1>:ud", "r30.0<8;8,1>:ud")
    program, device, payload = Program(assemble(text)), StrictDevice(), _payload(1)
    asked = []
    for number in range(5):
        seen, crossings = _run(program, payload, number, device)
        _same(seen, _on_host(text, payload, number))
        asked.append(crossings)
    assert asked[3] == asked[4] == 1


class Telling(Answers):
    """Answers of which the host tells some dwords, the same ones in runs that have the same choice."""

    def __init__(self, seed, choice, tells=True):
        super().__init__(seed)
        self.choice, self.tells = choice, tells

    def send(self, message):
        super().send(message)
        if not message.end_of_thread:
            told = np.random.default_rng(self.choice).integers(0, 256, (len(message.rows), 8), np.uint8)
            message.respond(np.concatenate([self.rng.integers(0, 256, (len(told), 16), np.uint8), told], axis=1))
            if self.tells:
                message.tell(16, told)


def test_what_the_host_puts_into_responses_is_no_answer_while_it_is_the_same():
    text = f"""
        send (8) r30.0<1>:ud r8.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
        mov (8) r20.0<1>:ud r30.4<0;1,0>:ud
        mov (1) r20.3<1>:ud r30.5<0;1,0>:ud
        send (8) r31.0<1>:ud r20.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
        send (8) r32.0<1>:ud r30.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
        {END}
    """
    program, device, payload, asked = Program(assemble(text)), StrictDevice(), _payload(1), []
    runs = [(0, True), (0, True), (0, True), (1, True), (0, True), (0, False), (0, True)]
    for number, (choice, tells) in enumerate(runs):
        answers, before = Telling(number, choice, tells), device.downloads
        threads = Threads(len(payload), device=device)
        threads.begin((0, payload))
        threads.walk = program.walk(payload)
        program.run(threads, answers, Budget(1000))
        asked.append(device.downloads - before)
        there, threads = Telling(number, choice), Threads(len(payload))
        threads.begin((0, payload))
        Program(assemble(text), base=64).run(threads, there, Budget(1000))
        _same(answers.seen, there.seen)
    assert asked[2:] == [1, 2, 1, 2, 1]  # the last message is looked at by answers


def test_threads_that_jump_by_answers_are_asked_for_all():
    text = JUMPING.replace("r20.0<8;8,1>:ud r9.0<8;8,1>:ud", "r20.0<8;8,1>:ud r20.0<8;8,1>:ud").replace(
        f"{END}\n",
        f"""and.nz.f0.0 (1) null:uw r31.0<0;1,0>:uw 0x00010001:uw
        (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 0x00000002:d
        send (8) r33.0<1>:ud r9.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
        send (8) r32.0<1>:ud r20.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
        {END}
        """,
    )
    program, device, payload = Program(assemble(text)), StrictDevice(), _payload(1)
    ways = set()
    for number in range(0, 24, 2):  # in each all go one way
        seen, crossings = _run(program, payload, number, device)
        _same(seen, _on_host(text, payload, number))
        ways.add(len(seen))
        assert crossings > 0
    assert ways == {3, 4}


def test_registers_at_addresses_that_differ_from_thread_to_thread_are_asked_for():
    """All threads but the first read an answer."""
    text = f"""
        send (8) r30.0<1>:ud r8.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
        and (1) a0.0<1>:uw r10.0<0;1,0>:uw 0x0020:uw
        add (1) a0.0<1>:uw a0.0<0;1,0>:uw 0x03a0:uw
        mov (8) r20.0<1>:ud r[a0.0, 0]<8;8,1>:ud
        send (8) r31.0<1>:ud r20.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud
        {END}
    """
    program, device, payload = Program(assemble(text)), StrictDevice(), _payload(1)
    payload[:, 320] = 0x20
    payload[0, 320] = 0
    for number in range(4):
        seen, _ = _run(program, payload, number, device)
        _same(seen, _on_host(text, payload, number))


def _random_program(rng):
    """Instructions of any kind over few registers, and messages whose headers are some of them."""

    def register(low=4, high=20):
        return f"r{rng.integers(low, high)}"

    def source(kind, second=True):
        if rng.random() < 0.15:
            return f"r{rng.integers(0, 20)}.{rng.integers(0, 4)}<0;1,0>:{kind}"
        if second and rng.random() < 0.1 and kind == "ud":
            return f"{rng.integers(0, 1 << 31)}:ud"
        return f"{register(0)}.0<8;8,1>:{kind}"

    lines = []
    for _ in range(rng.integers(10, 60)):
        kind = str(rng.choice(["ud", "d", "f", "uw"]))
        guard = str(rng.choice(["", "", "", "(+f0.0) ", "(-f0.1) ", "(+f1.0) ", "(+f0.0.any4h) "]))
        what, end = rng.random(), kind
        if what < 0.4:
            name = str(rng.choice(["add", "mul", "sel", "and", "xor"] if end != "f" else ["add", "mul", "sel", "mac"]))
            if name == "mul" and end in ("ud", "d"):
                name = "add"
            prefix = guard if name != "sel" else guard or "(+f0.0) "
            lines.append(f"{prefix}{name} (8) {register()}.0<1>:{end} {source(end, False)} {source(end)}")
        elif what < 0.5:
            flag = str(rng.choice(["f0.0", "f0.1", "f1.0"]))
            lines.append(f"cmp.{rng.choice(['z', 'l', 'g'])}.{flag} (8) null:d {source('d')} {source('d')}")
        elif what < 0.57:
            lines.append(f"mov (8) acc0.0<1>:f {source('f')}")
        elif what < 0.63:
            lines.append(f"{guard}mov (8) {register()}.0<1>:f acc0.0<8;8,1>:f")
        elif what < 0.68:
            at = f"a0.{rng.integers(0, 3)}<1>:uw"
            lines.append(f"and (1) {at} {register(0)}.{rng.integers(0, 16)}<0;1,0>:uw 0x01e0:uw")
        elif what < 0.74:
            at = f"r[a0.{rng.integers(0, 3)}, {32 * rng.integers(0, 2)}]"
            pair = (f"{at}<1>:ud", source("ud")) if rng.random() < 0.5 else (f"{register()}.0<1>:ud", f"{at}<8;8,1>:ud")
            lines.append(f"{guard}mov (8) {pair[0]} {pair[1]}")
        elif what < 0.78:
            lines.append(f"{guard}math.inv (8) {register()}.0<1>:f {source('f')} null:f")
        elif what < 0.8:
            lines.append(f"mov (1) f0.{rng.integers(0, 2)}<1>:uw {register(0)}.2<0;1,0>:uw")
        elif what < 0.85:
            lines.append(f"{rng.choice(['(+f0.0) ', ''])}jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud 0x00000002:d")
            lines.append(f"add (8) {register()}.0<1>:ud {source('ud', False)} {source('ud')}")
        else:
            head = str(rng.choice(["", "", "(+f0.1) "]))
            lines.append(f"{head}send (8) {register()}.0<1>:ud {register()}.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud")
    lines.append(f"send (8) {register()}.0<1>:ud {register()}.0<8;8,1>:ud data_cache {ONE_OF_EIGHT}:ud")
    return "\n".join([*(f"mov (1) a0.{n}<1>:uw {32 * (5 + n)}:uw" for n in range(3)), *lines, END])


@pytest.mark.parametrize("seed", range(200))
def test_random_programs_find_what_they_would_have_asked_for(seed):
    """Each time with other answers to the messages; runs that look at other things first are among them."""
    rng = np.random.default_rng(seed)
    text, device, payload = _random_program(rng), StrictDevice(), _payload(seed)
    program = Program(assemble(text))
    for number in (0, 2, 4, 1, 6):
        seen, _ = _run(program, payload, number, device)
        _same(seen, _on_host(text, payload, number))


def test_pictures_of_a_video_are_asked_for_once():
    paths = real_captures("vpp/csc_nv12_i420_*.g7cap")
    device, asked = StrictDevice(), [0]
    for _ in Case.open(paths).replay(device=device):
        asked.append(device.downloads)
    first, second, *others = np.diff(asked).tolist()
    assert second <= first
    assert others and max(others) <= first // 4
