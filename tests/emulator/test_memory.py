"""Graphics memory of a case: what is mapped, what the CPU wrote between submissions, what execution wrote."""

import numpy as np
import pytest
from support.captures import buffer, capture_bytes, real_captures
from support.strict_arrays import StrictDevice

from benchmarks.captures import over_buffers_MB
from texsamp.emulator import Capture, CaseMemory, case, pictures
from texsamp.emulator.case import Case
from texsamp.emulator.context import memory as memory_module
from texsamp.errors import CaptureError
from texsamp.state.commands_mi import MiBatchBufferEnd

END = MiBatchBufferEnd().pack()
ADDRESS = 0x10000


def test_case_memory_keeps_what_was_executed_and_takes_what_the_cpu_wrote():
    memory = CaseMemory()
    first = bytes([1, 2, 3, 4])
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, first))))
    memory.image(9)[1] = 77  # written by execution
    memory.image(9)[2] = 88
    second = bytes([1, 2, 5, 4])  # the CPU changed byte 2
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x50000, second))))
    assert memory.read(0x50000, 4) == bytes([1, 77, 5, 4])
    with pytest.raises(CaptureError, match="at 0x20000 are not mapped"):
        memory.read(0x20000, 1)
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x50000, second))))
    assert memory.read(0x50000, 4) == bytes([1, 77, 5, 4])


def test_case_memory_forgets_no_handle_and_finds_buffers():
    memory = CaseMemory()
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, b"abcd"))))
    memory.image(9)[0] = 0
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END))))
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, b"abcd"))))
    assert memory.read(0x20000, 4) == b"\0bcd"
    assert memory.find(0x20003).handle == 9
    with pytest.raises(CaptureError, match="2 bytes at 0x20003 are not mapped"):
        memory.find(0x20003, 2)
    with pytest.raises(CaptureError, match="1 bytes at 0x0 are not mapped"):
        memory.find(0)
    with pytest.raises(CaptureError, match="handle 9 had 4 bytes, now 5"):
        memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, b"abcde"))))


def _opened(contents=b"abcdefgh"):
    memory = CaseMemory()
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, contents))))
    return memory


def test_writes_stay_inside_buffers():
    memory = _opened()
    memory.write(0x20002, b"XY")
    assert memory.read(0x20000, 8) == b"abXYefgh"
    with pytest.raises(CaptureError, match="2 bytes at 0x20007 are not mapped"):
        memory.write(0x20007, b"ZZ")
    with pytest.raises(CaptureError, match="4 bytes at 0x1fffe are not mapped"):
        memory.write(0x1FFFE, b"ZZZZ")
    assert memory.read(0x20000, 8) == b"abXYefgh"
    assert memory.extent(0x20003) == 5
    memory.bytes_from(0x20006)[:] = np.frombuffer(b"!?", np.uint8)
    assert memory.read(0x20000, 8) == b"abXYef!?"


def test_versions_tell_whether_a_buffer_may_have_changed():
    memory = _opened()
    before = memory.version(0x20000)
    assert memory.version(0x20004) == before
    assert memory.version(ADDRESS) != before
    memory.read(0x20000, 8)
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, b"abcdefgh"))))
    assert memory.version(0x20000) == before
    memory.write(0x20000, b"A")
    written = memory.version(0x20000)
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, b"abcdefgH"))))
    assert len({before, written, memory.version(0x20000)}) == 3
    assert memory.read(0x20000, 8) == b"AbcdefgH"


def test_unknown_handles_are_capture_errors():
    with pytest.raises(CaptureError, match="no submission so far has a buffer object with handle 5"):
        _opened().image(5)


def test_a_case_cannot_pile_up_memory(monkeypatch):
    monkeypatch.setattr(memory_module, "LARGEST_CASE_B", 40)
    memory = _opened(bytes(30))
    with pytest.raises(CaptureError, match="the case holds 44 bytes so far, the limit is 40"):
        memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(10, 0x20000, bytes(10)))))


def test_what_a_file_holds_as_the_one_before_is_not_inflated_again():
    first, second = (
        Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, held)))
        for held in (b"abcdefgh", b"abcdefgH")
    )
    assert [each.handle for each, _, _ in second.updates(first)] == [9]
    assert [each.handle for each, _, _ in second.updates(None)] == [1, 9]


@pytest.mark.parametrize("name", ["vpp/dn_di_scale", "vk/vk_scale_bilinear"])
def test_replaying_takes_little_memory_beyond_the_buffer_objects(name):
    paths = real_captures(f"{name}_*.g7cap")
    if not paths:
        pytest.skip("captures are not here")
    assert over_buffers_MB(paths) <= 64


def test_buffer_objects_of_one_byte_again_and_again_are_compared_as_any_other():
    memory = CaseMemory()
    ones = bytes([7]) * 64
    for contents, written, expected in (
        (bytes(64), b"", bytes(64)),
        (bytes(60) + b"abcd", b"x" * 8, b"x" * 8 + bytes(52) + b"abcd"),
        (ones, b"y", ones),
        (ones[1:] + b"z", b"w" * 64, b"w" * 63 + b"z"),
        (bytes(64), b"", bytes(64)),
    ):
        if written:
            memory.write(0x20000, written)
        memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, contents))))
        assert memory.read(0x20000, 64) == expected


@pytest.mark.parametrize("address", [0x20000, 0x20013])
def test_host_and_device_see_what_the_other_has_written(address):
    """Held to one array of bytes, whatever comes after what; each side moves a buffer object when it must alone."""
    rng, expected = np.random.default_rng(3), np.arange(64, dtype=np.uint8)
    memory, device = CaseMemory(), StrictDevice()
    contents = [buffer(1, ADDRESS, END), buffer(9, address, expected.tobytes())]
    memory.enter(Capture.from_bytes(capture_bytes(*contents)))
    moves = 0
    for _ in range(400):
        side = str(rng.choice(["host", "device"]))
        before = device.uploads + device.downloads
        here = memory.bytes_from(address) if side == "host" else memory.bytes_on(device, address)
        assert np.array_equal(here if side == "host" else here.inner, expected)
        moves += device.uploads + device.downloads - before
        if rng.random() < 0.5:
            at, value, version = int(rng.integers(64)), int(rng.integers(256)), memory.version(address)
            here[at : at + 1] = value
            expected[at] = value
            memory.touch(memory.find(address), device if side == "device" else None)
            assert memory.version(address) > version
    assert memory.read(address, 64) == bytes(memory.image(9)) == expected.tobytes()
    assert 0 < moves < 250


def test_what_a_device_wrote_goes_with_the_buffer_object():
    """Into the next submission, at another address, where only the bytes that the CPU wrote are others."""
    memory, device = _opened(), StrictDevice()
    memory.bytes_on(device, 0x20001)[1:3] = 7
    memory.touch(memory.find(0x20000), device)
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x50003, b"Xbcdefgh"))))
    assert memory.bytes_on(device, 0x50003).inner.tobytes() == b"Xb\7\7efgh"
    memory.write(0x50005, b"Y")
    assert memory.bytes_on(device, 0x50004).inner.tobytes() == b"bY\7efgh"


def test_some_bytes_are_written_and_read_on_the_host_while_a_device_has_newer_ones():
    """Held to one array of bytes: only what the host wrote or looks at travels, whatever comes after what."""
    rng, expected = np.random.default_rng(5), _random(30_000)
    memory, device = CaseMemory(), StrictDevice()
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20003, expected.tobytes()))))
    for _ in range(600):
        at, size = int(rng.integers(29_900)), int(rng.integers(1, 100))
        what, values = rng.choice(["write", "read", "device", "all"], p=[0.4, 0.4, 0.19, 0.01]), _random(size)
        if what == "write":
            memory.write(0x20003 + at, values.tobytes())
            expected[at : at + size] = values
        elif what == "read":
            assert memory.read(0x20003 + at, size) == expected[at : at + size].tobytes()
        elif what == "device":
            there = memory.bytes_on(device, 0x20003)
            assert np.array_equal(there.inner, expected)
            there[at : at + size] = device.upload(values)
            expected[at : at + size] = values
            memory.touch(memory.find(0x20003), device)
        else:
            assert bytes(memory.image(9)) == expected.tobytes()
    there = memory.bytes_on(device, 0x20003)
    there[:4] = 9
    memory.touch(memory.find(0x20003), device)
    device.downloaded_B = device.uploaded_B = 0
    memory.write(0x20005, b"xy")
    assert memory.read(0x20004, 3) == b"\x09xy"
    assert memory.bytes_on(device, 0x20003)[:5].inner.tobytes() == b"\x09\x09xy" + expected[4:5].tobytes()
    assert (device.downloaded_B, device.uploaded_B) == (3, 2)


def test_many_places_written_by_the_host_make_the_copy_useless():
    memory, device = _opened(bytes(range(200))), StrictDevice()
    memory.bytes_on(device, 0x20000)[199:] = 77
    memory.touch(memory.find(0x20000), device)
    for at in range(100):
        memory.write(0x20000 + at, b"z")
    assert device.downloads == 1
    before = device.uploads
    assert memory.bytes_on(device, 0x20000).inner.tobytes() == b"z" * 100 + bytes(range(100, 199)) + b"\x4d"
    assert device.uploads - before == 1


def _random(count):
    return np.random.default_rng(count).integers(0, 256, count, np.uint8)


def test_zeros_around_what_a_buffer_object_holds_are_made_where_they_are():
    for begin, data, sent_B in ((0, b"", 0), (9000, b"ab", 4096), (4095, b"abc", 2 * 4096), (19_999, b"z", 3616)):
        contents = bytes(begin) + data + bytes(20_000 - begin - len(data))
        memory, device = _opened(contents), StrictDevice()
        assert memory.bytes_on(device, 0x20000).inner.tobytes() == contents
        assert device.uploaded_B == sent_B


def test_what_the_cpu_left_as_it_was_is_brought_nowhere():
    memory, device = _opened(), StrictDevice()
    memory.bytes_on(device, 0x20000)[2:3] = 7
    memory.touch(memory.find(0x20000), device)
    before = device.uploads, device.downloads
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, b"abcdefgh"))))
    assert memory.bytes_on(device, 0x20000).inner.tobytes() == b"ab\7defgh"
    assert (device.uploads, device.downloads) == before
    memory.enter(Capture.from_bytes(capture_bytes(buffer(1, ADDRESS, END), buffer(9, 0x20000, b"abcdXfYh"))))
    uploaded_B = device.uploaded_B
    assert memory.bytes_on(device, 0x20000).inner.tobytes() == b"ab\7dXfYh"
    assert device.uploaded_B - uploaded_B == 3  # from the first byte that was changed to the last


@pytest.mark.parametrize("name", ["vpp/csc_nv12_i420", "gl/tri_nearest"])
def test_of_pictures_their_own_bytes_are_brought(name, monkeypatch):
    """Not those of the buffer objects that they are in."""
    paths = real_captures(f"{name}_*.g7cap")
    if not paths:
        pytest.skip("captures are not here")
    device, brought = StrictDevice(), [0]
    for module, function in ((pictures.Target, "read"), (case, "surface_picture")):
        monkeypatch.setattr(module, function, _counted(getattr(module, function), device, brought))
    made = list(Case.open(paths).replay(device=device))
    assert brought[0] == sum(len(picture.raw()) for picture in made) > 0


def _counted(function, device, brought):
    def counted(*args):
        before = device.downloaded_B
        made = function(*args)
        brought[0] += device.downloaded_B - before
        return made

    return counted
