"""Reading capture files, the memory of a case, and the walk through chained command buffers."""

import struct
import tracemalloc
import zlib

import pytest
from support.captures import buffer, capture_bytes, deflated

from texsamp.emulator import Capture, CaseMemory, walk
from texsamp.emulator.files import capture as capture_module
from texsamp.emulator.files import inflating
from texsamp.emulator.files.capture import MOST_COMMANDS
from texsamp.errors import CaptureError
from texsamp.state.commands_common import PipelineSelect
from texsamp.state.commands_mi import MiBatchBufferEnd, MiBatchBufferStart, MiNoop
from texsamp.state.commands_sampler import ChromaKey

END = MiBatchBufferEnd().pack()
BATCH = PipelineSelect(selection="MEDIA").pack() + ChromaKey(index=2).pack() + END
ADDRESS = 0x10000


def _memory(*commands: bytes) -> CaseMemory:
    buffers = [buffer(number + 1, ADDRESS * (number + 1), data) for number, data in enumerate(commands)]
    memory = CaseMemory()
    memory.enter(Capture.from_bytes(capture_bytes(*buffers)))
    return memory


def test_header_and_buffers():
    relocations = [(8, 2)]
    capture = Capture.from_bytes(
        capture_bytes(buffer(1, ADDRESS, BATCH, relocations), buffer(2, 0x20000, b"pixels"), sequence=3, start=4)
    )
    assert (capture.case, capture.sequence, capture.device) == ("made_for_a_test", 3, "ivb_gt2")
    assert capture.batch_address == ADDRESS + 4
    assert capture.contents(capture.buffers[1]) == b"pixels"
    assert capture.buffers[0].relocations[0].target_handle == 2
    assert capture.buffers[1].holds(0x20005)
    assert not capture.buffers[1].holds(0x20005, 2)


def test_walk_decodes_up_to_the_end():
    commands = [located.command for located in walk(_memory(BATCH + MiNoop().pack()), ADDRESS)]
    assert commands == [PipelineSelect(selection="MEDIA"), ChromaKey(index=2), MiBatchBufferEnd()]


def test_walk_follows_chained_buffers_and_does_not_return():
    chain = MiBatchBufferStart(start_address=0x20004).pack()
    located = list(walk(_memory(MiNoop().pack() + chain + BATCH, bytes(4) + END), ADDRESS))
    assert [entry.address for entry in located] == [ADDRESS, ADDRESS + 4, 0x20004]


def test_walk_refuses_circles():
    chain = MiBatchBufferStart(start_address=ADDRESS).pack()
    with pytest.raises(CaptureError, match="run in a circle: 0x10000 starts twice"):
        list(walk(_memory(chain), ADDRESS))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\0\0\0\x20", r"command at 0x10000: unknown command header 0x20000000"),
        (bytes(4), r"4 bytes at 0x10004 are not mapped"),
        (ChromaKey().pack()[:8], r"16 bytes at 0x10000 are not mapped"),
        (struct.pack("<I", 0x69040100) + END, r"command at 0x10000: .*PIPELINE_SELECT\.reserved"),
    ],
)
def test_walk_names_the_address_of_what_is_wrong(data, message):
    with pytest.raises(CaptureError, match=message):
        list(walk(_memory(data), ADDRESS))


def test_lenient_walk_goes_on_at_reserved_bits():
    located = list(walk(_memory(struct.pack("<I", 0x69040100) + END), ADDRESS, strict=False))
    assert located[0].command.to_dwords() == (0x69040100,)


def _broken(change):
    data = bytearray(capture_bytes(buffer(1, ADDRESS, END)))
    change(data)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no G7CAP file of version 1"),
        (b"RIFFxxxxWAVE....", "begins with 52 49 46 46"),
        (_broken(lambda data: data.__setitem__(7, 2)), "no G7CAP file"),
        (_broken(lambda data: struct.pack_into("<I", data, 8, 1 << 30)), "a header of 1073741824 bytes"),
        (_broken(lambda data: struct.pack_into("<I", data, 12, 1 << 30)), "1073741824 inflated where .* 4194304"),
        (_broken(lambda data: struct.pack_into("<I", data, 12, 5)), "the header does not inflate to exactly 5 bytes"),
        (_broken(lambda data: data.__setitem__(16, 0)), "the header: "),
        (struct.pack("<8sII", b"G7CAP\0\0\x01", 10, 2) + zlib.compress(b"[]"), "the header is no JSON object"),
        (struct.pack("<8sII", b"G7CAP\0\0\x01", 10, 2) + zlib.compress(b"[["), "the header is no JSON"),
        (capture_bytes(buffer(1, ADDRESS, END), batch=1), "batch buffer object 1 of 1"),
        (capture_bytes(buffer(1, ADDRESS, END), seq="x"), "garbles 'seq': 'x' is not an integer"),
        (capture_bytes(buffer(1, ADDRESS, END), bos=[{}]), "the header lacks 'index'"),
        (capture_bytes(buffer(1, ADDRESS, END), bo0_size=0), "buffer object 0 of 0 bytes"),
        (capture_bytes(buffer(1, ADDRESS, END), bo0_gpu_offset=0xFFFFFFFF), "at 0xffffffff"),
        (capture_bytes(buffer(1, ADDRESS, END), bo0_data_len=1 << 20), "lie outside the file"),
        (capture_bytes(buffer(1, ADDRESS, END), bo0_data_off=-1), "lie outside the file"),
        (capture_bytes(buffer(1, ADDRESS, END), buffer(2, ADDRESS + 3, END)), "0 and 1 overlap at 0x10003"),
        (capture_bytes(buffer(1, ADDRESS, END), buffer(1, 0x20000, END)), "two buffer objects have one handle"),
    ],
)
def test_malformed_files_are_refused(data, message):
    with pytest.raises(CaptureError, match=message):
        Capture.from_bytes(data)


def _with_header(text):
    packed = zlib.compress(text)
    return struct.pack("<8sII", b"G7CAP\0\0\x01", len(packed), len(text)) + packed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"seq": 0', '"seq": Infinity'), "the header is no JSON: Infinity is no number"),
        (('"seq": 0', '"seq": 1e400'), "the header is no JSON: 1e400 is no number"),
        (('"seq": 0', '"seq": 1.5'), "garbles 'seq': 1.5 is not an integer"),
        (('"seq": 0', '"seq": ' + "9" * 30), "garbles 'seq': 9+ is not an integer of 64 bits"),
        (('"seq": 0', '"seq": true'), "garbles 'seq': True is not an integer"),
        (('"write": false', '"write": 2'), "garbles 'write': 2 is not true or false"),
        (('"meta": {}', '"meta": []'), r"garbles 'meta': \[\] is not an object"),
        (('"relocs": []', '"relocs": 3'), "garbles 'relocs': 3 is not an array"),
        (('"relocs": []', '"relocs": [[1, 2]]'), r"garbles 'relocs': \[1, 2\] is not an array of 5 integers"),
        (('"meta": {}', '"meta": ' + "[" * 40 + "]" * 40), "nests deeper than 32 levels"),
        (('"meta": {}', '"meta": ' + "[" * 100_000 + "]" * 100_000), "nests deeper than 32 levels"),
        (("made_for_a_test", "\\ud800"), r"garbles 'tag': '\\ud800' is not Unicode text"),
        (("buffer 0", "\\udfff"), r"garbles 'name': '\\udfff' is not Unicode text"),
    ],
)
def test_garbled_headers_are_refused(change, message):
    data = capture_bytes(buffer(1, ADDRESS, END))
    length, _ = struct.unpack_from("<II", data, 8)
    text = zlib.decompress(data[16 : 16 + length]).decode()
    assert text.count(change[0]) == 1
    with pytest.raises(CaptureError, match=message):
        Capture.from_bytes(_with_header(text.replace(*change).encode()) + data[16 + length :])


def test_header_must_be_utf_8():
    with pytest.raises(CaptureError, match="the header is no JSON: 'utf-8' codec"):
        Capture.from_bytes(_with_header(b'{"tag": "\xff"}'))


@pytest.mark.parametrize("change", [{"bo0_data_len": 1 << 20}, {"bo0_data_off": -1}, {"bo0_size": 0}])
def test_reports_of_malformed_buffers_name_the_file_once(change):
    with pytest.raises(CaptureError) as caught:
        Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), **change), "cut.g7cap")
    assert str(caught.value).startswith("cut.g7cap: ")
    assert str(caught.value).count("cut.g7cap") == 1
    assert "garbles" not in str(caught.value)


def test_huge_buffers_are_refused_before_they_are_inflated():
    halves = [buffer(number + 1, 0x10000000 * number, END) for number in range(2)]
    data = capture_bytes(*halves, bo0_size=128 << 20, bo1_size=(128 << 20) + 1)
    with pytest.raises(CaptureError, match="the buffer objects hold 268435457 bytes, the limit is 268435456"):
        Capture.from_bytes(data)
    Capture.from_bytes(capture_bytes(*halves, bo0_size=128 << 20, bo1_size=128 << 20))


class _Zeros:
    """Memory of nothing but MI_NOOP, that has no end."""

    def read(self, address, size):
        return bytes(size)


def test_walk_ends_at_the_most_commands():
    commands = walk(_Zeros(), 0)
    with pytest.raises(CaptureError, match=f"command at 0x80000 is number 131073, the limit is {MOST_COMMANDS}"):
        while True:
            last = next(commands)
    assert last.address == 4 * (MOST_COMMANDS - 1)


def test_walk_ends_at_the_largest_commands(monkeypatch):
    monkeypatch.setattr(capture_module, "LARGEST_COMMANDS_B", 8)
    with pytest.raises(CaptureError, match="commands up to 0x10004 hold 20 bytes, the limit is 8"):
        list(walk(_memory(BATCH), ADDRESS))


def test_walk_honors_the_length_of_the_first_batch():
    assert len(list(walk(_memory(BATCH), ADDRESS, length=len(BATCH)))) == 3
    with pytest.raises(CaptureError, match="command at 0x10014: 4 bytes, but the batch ends at 0x10014"):
        list(walk(_memory(BATCH), ADDRESS, length=len(BATCH) - 4))
    chain = MiBatchBufferStart(start_address=0x20000).pack()
    assert len(list(walk(_memory(chain, BATCH), ADDRESS, length=len(chain)))) == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bo0_crc32": 5}, "has CRC .* the header says 0x00000005"),
        ({"bo0_size": 3}, "buffer object 0 does not inflate to exactly 3 bytes"),
        ({"bo0_data_len": 5}, "buffer object 0 does not inflate to exactly 4 bytes"),
    ],
)
def test_damaged_contents_are_refused(changes, message):
    capture = Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), **changes))
    with pytest.raises(CaptureError, match=message):
        capture.contents(capture.buffers[0])


@pytest.mark.parametrize("value", [0, 7])
def test_contents_of_one_byte_are_known_again(monkeypatch, value):
    contents = bytes([value]) * 5000
    capture = Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, contents)))
    assert capture.contents(capture.buffers[0]) == contents
    for change, message in (({"bo0_crc32": 5}, "has CRC"), ({"bo0_size": 4999}, "to exactly 4999 bytes")):
        damaged = Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, contents), **change))
        with pytest.raises(CaptureError, match=message):
            damaged.contents(damaged.buffers[0])
    monkeypatch.setattr(inflating, "zlib", None)
    assert capture.contents(capture.buffers[0]) == contents


@pytest.mark.parametrize("part", ["contents", "header"])
def test_bombs_are_inflated_no_further_than_they_say(part):
    """64 MiB of zeros in 64 KiB: memory stays at what the header promises, and one byte to find the lie."""
    bomb = zlib.compress(bytes(64 << 20), 1)
    if part == "header":
        data = struct.pack("<8sII", b"G7CAP\0\0\x01", len(bomb), 1000) + bomb
    else:
        honest = len(deflated(END))
        data = capture_bytes(buffer(1, ADDRESS, END), bo0_data_off=honest, bo0_data_len=len(bomb)) + bomb
    tracemalloc.start()
    try:
        with pytest.raises(CaptureError, match="does not inflate to exactly"):
            capture = Capture.from_bytes(data)
            capture.contents(capture.buffers[0])
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_missing_file_is_a_capture_error(tmp_path):
    with pytest.raises(CaptureError, match="No such file"):
        Capture.open(tmp_path / "nothing.g7cap")
    (tmp_path / "one.g7cap").write_bytes(capture_bytes(buffer(1, ADDRESS, END)))
    assert Capture.open(tmp_path / "one.g7cap").name == "one.g7cap"


def test_files_without_end_are_read_up_to_the_limit(tmp_path, monkeypatch):
    data = capture_bytes(buffer(1, ADDRESS, END))
    (tmp_path / "one.g7cap").write_bytes(data)
    monkeypatch.setattr(capture_module, "LARGEST_FILE_B", len(data))
    Capture.open(tmp_path / "one.g7cap")
    monkeypatch.setattr(capture_module, "LARGEST_FILE_B", len(data) - 1)
    with pytest.raises(CaptureError, match=f"more bytes than a capture file may have, {len(data) - 1}"):
        Capture.open(tmp_path / "one.g7cap")
