"""AUB files: what is written, submissions, and files that are no good."""

from itertools import pairwise

import numpy as np
import pytest
from support import aub
from support.captures import real_captures
from support.replayed import paths

from texsamp.emulator import Capture, CaseMemory, open_captures
from texsamp.emulator.case import Case
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.dispatch.programs import LARGEST_KERNEL_B
from texsamp.emulator.files.aub import aub_captures, is_aub
from texsamp.errors import CaptureError
from texsamp.state.commands_mi import MiBatchBufferEnd, MiStoreDataImm

END = MiBatchBufferEnd().pack()
BATCH, DATA = 0x10000, 0x20000


def _batch(*stores):
    return b"".join(MiStoreDataImm(address=DATA + at, data=value).pack() for at, value in stores) + END


def _file(*submissions, start=None):
    """Submissions are a batch and data, or None to leave the data alone."""
    parts = [aub.header() + aub.page_table() if start is None else start]
    for batch, data in submissions:
        parts += [aub.write(BATCH, batch), b"" if data is None else aub.write(DATA, data), aub.submission(BATCH)]
    return b"".join(parts)


def _executed(captures):
    """Memory after all submissions, and the names of their commands."""
    memory, names = CaseMemory(), []
    for capture in captures:
        memory.enter(capture)
        streamer = CommandStreamer(Engines(memory), LogicalContext())
        names += [done.located.command.name for done in streamer.run(capture)]
    return memory, names


def test_a_submission_is_read():
    batch = _batch((0, 1))
    (capture,) = aub_captures(_file((batch, bytes(64))), "made.aub")
    assert (capture.name, capture.case, capture.sequence) == ("made.aub:0", "made.aub", 0)
    assert (capture.device, capture.pci_id, capture.ring, capture.swizzle) == ("ivb_gt2", "0x0166", "render", "none")
    assert capture.batch_address == BATCH
    assert [(b.address, b.size) for b in capture.buffers] == [(BATCH, len(batch)), (DATA, 64)]
    memory, names = _executed([capture])
    assert names == ["MI_STORE_DATA_IMM", "MI_BATCH_BUFFER_END"]
    assert memory.read(DATA, 8) == bytes([1, 0, 0, 0, 0, 0, 0, 0])


def test_memory_is_as_each_submission_found_it():
    rng = np.random.default_rng(1)
    first, second = (rng.integers(0, 256, 100_000, np.uint8).tobytes() for _ in range(2))
    data = _file((_batch(), first), (_batch((8, 7)), None), (_batch(), second[:50_000]))
    captures = aub_captures(data, "made.aub")
    expected = [first, first, second[:50_000] + first[50_000:]]
    for number in (0, 1, 2, 2, 0, 1):
        assert captures[number].contents(captures[number].buffers[1]) == expected[number]


def test_results_stay_until_the_file_writes_something_else():
    """The replay rule of captures: bytes a later write leaves as they were captured keep what was executed."""
    zeros = bytes(64)
    data = _file((_batch((0, 1), (4, 2)), zeros), (_batch((8, 3)), zeros[:4] + b"\x09" + zeros[5:]))
    memory, _ = _executed(aub_captures(data, "made.aub"))
    assert np.frombuffer(memory.read(DATA, 16), "<u4").tolist() == [1, 9, 3, 0]
    assert not list(Case.of(aub_captures(data, "made.aub")).replay())


def test_a_real_submission_does_the_same_from_an_aub_file():
    (path,) = paths("copy_nv12", 1)
    capture = Capture.open(path)
    parts = [aub.header(), aub.page_table()]
    parts += [aub.write(buffer.address, capture.contents(buffer)) for buffer in capture.buffers]
    (found,) = aub_captures(b"".join([*parts, aub.submission(capture.batch_address)]), "copy.aub")
    (picture,) = Case.of([capture]).replay()
    luma, chroma = Case.of([found]).replay()
    assert [surface.name.rpartition("_")[0] for surface in (luma, chroma)] == ["copy_0", "copy_0"]
    assert np.array_equal(luma.planes[0][:288, :352], picture.planes[0])
    assert np.array_equal(chroma.planes[0][:144, :352], picture.planes[1])
    (memory, names), (expected, expected_names) = _executed([found]), _executed([capture])
    assert names == expected_names
    changed = 0
    for buffer in capture.buffers:
        after = memory.read(buffer.address, buffer.size)
        assert after == expected.read(buffer.address, buffer.size)
        changed += after != capture.contents(buffer)
    assert changed


def test_the_work_of_a_submission_is_what_the_file_writes_before_it(monkeypatch):
    """A large range of which submissions rewrite little: bytes taken over and read are counted."""
    (path,) = paths("copy_nv12", 1)
    source = Capture.open(path)
    low = min(buffer.address for buffer in source.buffers)
    parts = [aub.header(), aub.page_table(), aub.write(low, bytes(32 << 20))]
    parts += [aub.write(buffer.address, source.contents(buffer)) for buffer in source.buffers]
    batch = source.contents(source.buffers[source.batch_index])
    again = aub.write(source.batch_address, batch[source.batch_offset :])
    case = Case.of(aub_captures(b"".join([*parts, *[aub.submission(source.batch_address), again] * 5]), "made.aub"))
    assert [len(capture.buffers) for capture in case.captures] == [1] * 5
    updated = [[len(data) for *_, data in right.updates(left)] for left, right in pairwise(case.captures)]
    assert updated == [[len(batch) - source.batch_offset]] * 4
    read, one = _bytes_read(monkeypatch, case), _bytes_read(monkeypatch, Case.of(case.captures[:1]))
    assert read - one == 4 * (one - LARGEST_KERNEL_B)  # the kernel, of unknown length, is read once
    assert one - LARGEST_KERNEL_B < 4 * len(batch)


def _bytes_read(monkeypatch, case):
    sizes, read = [], CaseMemory.read
    with monkeypatch.context() as patch:
        patch.setattr(
            CaseMemory, "read", lambda memory, address, size: sizes.append(size) or read(memory, address, size)
        )
        assert len(list(case.replay())) == 2 * len(case.captures)
    return sum(sizes)


def test_only_the_last_of_overlapping_writes_counts():
    """A byte that is written to another value and back has not changed, and keeps what was executed."""
    data = _file((_batch((0, 1)), bytes(64)), (END, None))
    changed = aub.write(DATA, b"\5" * 8) + aub.write(DATA + 2, b"\0" * 9)
    memory, _ = _executed(aub_captures(data + changed + aub.submission(BATCH), "made.aub"))
    assert memory.read(DATA, 8) == b"\5\5" + bytes(6)


def test_files_are_told_apart_by_how_they_begin(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(_file((_batch(), bytes(8)), (_batch(), None)))
    assert [capture.name for capture in open_captures(path)] == ["x.bin:0", "x.bin:1"]
    (real,) = real_captures("vpp/copy_nv12_000.g7cap")
    assert [capture.name for capture in open_captures(real)] == ["copy_nv12_000.g7cap"]
    assert is_aub(aub.header()) and not is_aub(b"G7CAP") and not is_aub(b"\0")


def test_rings_have_a_context_of_their_own():
    data = aub.header() + aub.write(BATCH, END) + b"".join(aub.submission(BATCH, ring) for ring in (1, 2, 3, 4))
    captures = aub_captures(data, "x")
    assert [(capture.ring, capture.context) for capture in captures] == [
        ("blt", 1),
        ("render", 2),
        ("bsd", 3),
        ("blt", 4),
    ]


WHOLE = _file((_batch((0, 1)), bytes(64)))
START = aub.header()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no AUB file"),
        (b"\0" * 64, "no AUB file"),
        (aub.header(b"PCI-ID=0x1912"), "PCI identifier 0x1912 is no Ivy Bridge or Bay Trail"),
        (aub.header(b"PCI-ID=358") + b"\1", "1 bytes are left at"),
        (START + aub.dwords(0x12345678), "unknown packet 0x12345678"),
        (START + aub.dwords(0xE0C10003, 1, 0, BATCH, 4), "has 24 bytes, the file ends before"),
        (START + aub.dwords(0xE0C10003, 1, 0, BATCH, 0xFFFFFFFF), "the file ends before"),
        (START + aub.dwords(0xE0C10001, 1, 0), "trace block at .* has 12 bytes"),
        (START + aub.block(1, 0, 2, 0, bytes(4)), "a write to address space 2"),
        (START + aub.block(1, 0, 0, 0xFFFFFFFE, bytes(4)), "4 bytes at 0xfffffffe, Gen7 has 32-bit addresses"),
        (START + aub.block(1, 0, 0, 1 << 32, bytes(4), length=4), "at 0x100000000, Gen7 has 32-bit addresses"),
        (START + aub.block(2, 9, 0, 0, aub.dwords(0x18800000, BATCH)), "commands for ring 9"),
        (START + aub.block(2, 2, 0, 0, aub.dwords(0x05000000)), "does not begin with MI_BATCH_BUFFER_START"),
        (START + aub.block(2, 2, 0, 0, b""), "does not begin with MI_BATCH_BUFFER_START"),
        (START, "nothing is submitted"),
        (START + aub.submission(BATCH), "submission 0 begins at 0x10000, where nothing is"),
        (START + aub.submission(BATCH) * 1025, "more than 1024 submissions"),
        (START + aub.dwords(0xF7030005, 0x2230, 2 << 16, 0xFFFFFFFF, 0, 0), "those of Gen8 and later"),
        (START + aub.dwords(0xF7060004, 0, 0, 0, 8), "a memory write of 8 bytes holds 0"),
        (START + aub.dwords(0xF7060004, 0, 0, 2 << 28, 0), "a write to address space 2"),
        (START + aub.dwords(0xF7060002, 0, 0), "a memory write of 12 bytes"),
    ],
)
def test_files_that_are_no_good(data, message):
    with pytest.raises(CaptureError, match=message):
        aub_captures(data, "bad.aub")


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr("texsamp.emulator.files.aub.LARGEST_MEMORY_B", 80)
    with pytest.raises(CaptureError, match="bytes are written, the limit is 80"):
        aub_captures(WHOLE, "x")
    monkeypatch.undo()
    monkeypatch.setattr("texsamp.emulator.files.aub.MOST_RANGES", 1)
    with pytest.raises(CaptureError, match="2 ranges are written, the limit is 1"):
        aub_captures(WHOLE, "x")


def test_mutated_files_end_in_a_capture_error_or_run():
    rng = np.random.default_rng(3)
    for _ in range(300):
        data = bytearray(WHOLE)
        for _ in range(int(rng.integers(1, 5))):
            data[int(rng.integers(0, len(data)))] = int(rng.integers(0, 256))
        data = data[: int(rng.integers(1, len(data) + 1))] if rng.integers(0, 3) == 0 else data
        try:
            _executed(aub_captures(bytes(data), "x"))
        except CaptureError:
            continue
