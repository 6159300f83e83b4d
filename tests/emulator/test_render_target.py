"""Writes to render targets, slot by slot as the manual's message tables have them."""

from itertools import product

import numpy as np
import pytest

from texsamp.emulator.eu.registers.threads import Threads
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.render_target import RenderTargetWrites
from texsamp.errors import CaptureError
from texsamp.state.data_port import RenderCacheDescriptor, RenderTargetMessage

THREADS = 5
AT = 10
"""First register of a message."""
KINDS = list(RenderTargetMessage)[:5]
S0A, OMASK, DEPTH = 1 << 11, 1 << 12, 1 << 13


def message(registers, kind, *, header, index=3, slot_group=0, last=True, end=False):
    """What threads send whose registers from AT on are these, (threads, registers, 8)."""
    threads = Threads(len(registers))
    data = np.ascontiguousarray(registers, "<u4").reshape(len(registers), -1).view(np.uint8)
    threads.general(AT, registers.shape[1])[...] = data
    descriptor = RenderCacheDescriptor(
        message_type="RENDER_TARGET_WRITE", rt_message=kind, rt_slot_group=slot_group, last_render_target=last,
        binding_table_index=index,
    ).to_dwords()[0]  # fmt: skip
    descriptor |= registers.shape[1] << 25 | header << 19
    rows = np.arange(len(registers))
    return Message(threads, rows, np.ones((len(rows), 16), np.bool_), 5, descriptor, AT, None, end)


def layout(kind, flags):
    """Names of the registers behind the header (volume 4 part 1, pages 246-254)."""
    halves = ["low", "high"] if kind.name.startswith("SIMD16") else ["low"]
    names = [("alpha", h) for h in halves] if flags & S0A else []
    names += [("omask",)] if flags & OMASK else []
    if kind.name == "SIMD16_REPDATA":
        return [*names, ("all",)]
    colors = ["color", "second"] if "DUALSRC" in kind.name else ["color"]
    names += [(color, channel, h) for color in colors for channel in range(4) for h in halves]
    return names + ([("depth", h) for h in halves] if flags & DEPTH else [])


def wanted(registers, names, kind, slot):
    """What a slot of the message has: color, second, alpha, sample mask, depth."""
    row = {name: register for name, register in zip(names, registers, strict=True)}
    half, lane = ("low", "high")[slot // 8], slot % 8
    color = row["all",][:4] if ("all",) in row else [row["color", c, half][lane] for c in range(4)]
    second = [row["second", c, half][lane] for c in range(4)] if ("second", 0, half) in row else None
    word = slot + 8 * (kind.name == "SIMD8_DUALSRC_HI")
    omask = int(row["omask",][word // 2]) >> 16 * (word % 2) & 0xFFFF if ("omask",) in row else 0xFFFF
    alpha, depth = (row[name, half][lane] if (name, half) in row else None for name in ("alpha", "depth"))
    return list(color), second, alpha, omask, depth


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [16, 32])
def test_slots_get_what_the_tables_say(width, kind, header):
    rng = np.random.default_rng(width + kind)
    for parts, group in product(range(8), range(width // 16)):
        flags = parts << 11
        if (flags & S0A and not header) or (kind.name == "SIMD16_REPDATA" and flags & (S0A | DEPTH)):
            continue
        names = layout(kind, flags)
        data = rng.integers(0, 1 << 32, (THREADS, 2 * header + len(names), 8), np.uint32)
        lit = rng.random((THREADS, width)) < 0.7
        masks = rng.integers(0, 1 << 16, THREADS)
        if header:
            data[:, 0, 0] = flags | np.arange(THREADS) << 16
            data[:, 0, 2] = data[:, 0, 2] & ~np.uint32(7) | 5
            data[:, 1, 7] = masks
        writes = RenderTargetWrites(
            THREADS, width, lambda lit=lit: lit, lambda: np.full(THREADS, 9, np.int32), flags,
            dual_source="DUALSRC" in kind.name,
        )  # fmt: skip
        writes.send(message(data, kind, header=header, slot_group=group))
        target = 3, 5 if header else 0
        colors, written = writes.colors[target], writes.written[target]
        written = lit if written is None else written
        count = 16 if kind.name.startswith("SIMD16") else 8
        within = 8 * (kind.name == "SIMD8_DUALSRC_HI")
        for thread, slot in product(range(THREADS), range(width)):
            at = slot - 16 * group - within
            if not 0 <= at < count:
                assert not writes.alive[thread, slot]
                continue
            color, second, alpha, omask, depth = wanted(data[thread, 2 * header :], names, kind, at)
            alive = lit[thread, slot] and (not header or masks[thread] >> at + within & 1)
            assert writes.alive[thread, slot] == written[thread, slot] == alive
            assert colors[thread, slot].tolist() == color
            assert (writes.slices[thread, slot] == thread) if header else (writes.slices is None)
            assert omask == (0xFFFF if writes.samples is None else writes.samples[thread, slot])
            assert second is None or writes.second[thread, slot].tolist() == second
            assert (writes.depth is None) == (depth is None)
            assert depth is None or writes.depth[thread, slot].view(np.uint32) == depth
            assert (writes.source0_alpha is None) == (alpha is None)
            assert alpha is None or writes.source0_alpha[thread, slot].view(np.uint32) == alpha


def collector(width=16, flags=0, dual_source=False):
    lit = np.ones((THREADS, width), np.bool_)
    return RenderTargetWrites(
        THREADS, width, lambda: lit, lambda: np.zeros(THREADS, np.int32), flags, dual_source=dual_source
    )


def zeros(registers):
    return np.zeros((THREADS, registers, 8), np.uint32)


def test_targets_are_told_apart_and_only_the_last_decides_depth():
    writes = collector()
    writes.send(message(zeros(8), RenderTargetMessage.SIMD16, header=False, index=1, last=False))
    assert not writes.are_as_started
    writes.send(message(zeros(8) + 1, RenderTargetMessage.SIMD16, header=False, index=2))
    assert writes.are_as_started
    assert [colors.max() for colors in writes.colors.values()] == [0, 1]
    assert list(writes.colors) == [(1, 0), (2, 0)]


def test_a_kernel_of_two_colors_writes_none_with_a_message_of_one():
    writes = collector(dual_source=True)
    writes.send(message(zeros(8), RenderTargetMessage.SIMD16, header=False))
    assert not writes.colors
    assert writes.alive.all()
    writes = collector()
    writes.send(message(zeros(8), RenderTargetMessage.SIMD8_DUALSRC_LO, header=False))
    assert writes.second is None
    assert writes.alive[:, :8].all()


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"kind": RenderTargetMessage.SIMD8_IMAGE_WRITE}, "SIMD8_IMAGE_WRITE is a message of Sandy Bridge alone"),
        ({"index": 252}, "binding table index 252 is no render target"),
        ({"slot_group": 1}, "writes slots 16 to 31 of 16"),
        ({"registers": 9}, "with these parts has 8 registers, found 9"),
        ({"registers": 7}, "the message has 7 registers"),
        ({"last": False, "end": True}, "one to the last render target"),
    ],
)
def test_forms_that_do_not_exist_are_refused(form, why):
    kind, registers = form.pop("kind", RenderTargetMessage.SIMD16), form.pop("registers", 8)
    with pytest.raises(CaptureError, match=why):
        collector().send(message(zeros(registers), kind, header=False, **form))


def test_threads_that_do_not_agree_are_refused():
    data = zeros(10)
    data[1, 0, 0] = OMASK
    with pytest.raises(CaptureError, match="do not agree on whether it holds a sample mask"):
        collector().send(message(data, RenderTargetMessage.SIMD16, header=True))
    data[:, 0, 0], data[1, 0, 2] = 0, 1
    with pytest.raises(CaptureError, match="different render targets in one message"):
        collector().send(message(data, RenderTargetMessage.SIMD16, header=True))
    writes = collector()
    writes.send(message(zeros(8), RenderTargetMessage.SIMD16, header=False))
    with pytest.raises(CaptureError, match="writes one of its pixels twice to render target 3"):
        writes.send(message(zeros(8), RenderTargetMessage.SIMD16, header=False))
