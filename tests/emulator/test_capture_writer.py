"""Writing capture files."""

import re
from pathlib import Path

import pytest
from support.captures import real_captures

from texsamp.emulator import Capture, Relocation
from texsamp.emulator.case import Case
from texsamp.emulator.files.writer import BufferContents, Submission
from texsamp.errors import CaptureError
from texsamp.state.commands_mi import MiBatchBufferEnd

END = MiBatchBufferEnd().pack()
DOCUMENT = Path(__file__).parents[2] / "docs" / "capture-format.md"


def test_what_is_written_is_read():
    relocation = Relocation(0, 9, 4, 2, 0)
    buffers = [
        BufferContents(5, 0x10000, b"\0" * 8 + END, "batch", relocations=(relocation,)),
        BufferContents(9, 0x40000, bytes(range(256)) * 16, "picture", "Y", 128, True),
    ]
    submission = Submission(
        "made", buffers, sequence=3, batch_offset=8, batch_length=4, ring="blt", context=2, meta={"frame": 1}
    )
    capture = Capture.from_bytes(submission.to_bytes())
    assert (capture.case, capture.sequence, capture.ring, capture.context) == ("made", 3, "blt", 2)
    assert (capture.batch_address, capture.batch_length, capture.meta) == (0x10008, 4, {"frame": 1})
    assert [capture.contents(buffer) for buffer in capture.buffers] == [buffer.contents for buffer in buffers]
    picture = capture.buffers[1]
    assert (picture.handle, picture.name, picture.tiling, picture.stride, picture.written) == (
        9,
        "picture",
        "Y",
        128,
        True,
    )
    assert capture.buffers[0].relocations == (relocation,)


def test_captured_submissions_can_be_written_again():
    (path,) = real_captures("vpp/dn_region_bg_001.g7cap")
    capture = Capture.open(path)
    buffers = [
        BufferContents(b.handle, b.address, capture.contents(b), b.name, b.tiling, b.stride, b.written, b.relocations)
        for b in capture.buffers
    ]
    again = Capture.from_bytes(
        Submission(
            capture.case, buffers, capture.sequence, capture.batch_index, capture.batch_offset, capture.batch_length,
            capture.ring, capture.context, capture.device, capture.pci_id, capture.swizzle, capture.meta,
        ).to_bytes()
    )  # fmt: skip
    assert again.meta == capture.meta
    assert [again.contents(b) for b in again.buffers] == [capture.contents(b) for b in capture.buffers]
    (first,), (second,) = (list(Case.of([c]).replay()) for c in (capture, again))
    assert first.raw() == second.raw()


@pytest.mark.parametrize(
    ("buffers", "change", "message"),
    [
        ([BufferContents(1, 0, END), BufferContents(2, 2, END)], {}, "buffer objects 0 and 1 overlap at 0x2"),
        ([BufferContents(1, 0, END), BufferContents(1, 64, END)], {}, "two buffer objects have one handle"),
        ([BufferContents(1, 0, END)], {"batch_index": 1}, "batch buffer object 1 of 1"),
        ([BufferContents(1, 0, END)], {"meta": {"x": object()}}, "bad: meta is no JSON"),
        ([BufferContents(1, 0, END)], {"meta": {"x": float("nan")}}, "bad: meta is no JSON"),
        ([BufferContents(1, 0, b"")], {}, "buffer object 0 of 0 bytes"),
    ],
)
def test_what_would_be_refused_is_not_written(buffers, change, message, tmp_path):
    path = tmp_path / "bad.g7cap"
    with pytest.raises(CaptureError, match=message):
        Submission("bad", buffers, **change).save(path)
    assert not path.exists()


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(CaptureError, match="cannot be written"):
        Submission("made", [BufferContents(1, 0, END)]).save(tmp_path / "none" / "x.g7cap")


def test_the_documented_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(DOCUMENT), "exec"), {})
    list(Case.open(["store_000.g7cap"]).replay())
