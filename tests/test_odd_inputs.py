"""Every odd input of the table comes out in sync, or is refused in one line; what is lost is told."""

from pathlib import Path

import pytest
from clips.inputs import INPUTS
from support.sync import offsets_s

from texsamp import process
from texsamp.errors import TexsampError


@pytest.mark.parametrize("name", INPUTS)
def test_odd_inputs_come_out_whole_or_with_words(tmp_path: Path, name: str) -> None:
    odd, out = INPUTS[name], tmp_path / "out" / "out.mkv"
    (tmp_path / "in").mkdir()
    out.parent.mkdir()
    source = odd.make(tmp_path / "in")
    try:
        notes = process(source, out, device="cpu").notes
    except TexsampError as error:
        assert odd.error is not None, error
        assert odd.error in str(error)
        assert "\n" not in str(error).replace(str(source), "")
        assert not list(out.parent.iterdir())
        return
    assert odd.error is None, notes
    assert [path.name for path in out.parent.iterdir()] == ["out.mkv"]
    for words in odd.tells:
        assert any(words in note for note in notes), notes
    untold = [note for note in notes if not any(words in note for words in odd.tells)]
    assert not untold
    if odd.sound:
        offsets = offsets_s(out)
        assert len(offsets) >= 2
        assert max(map(abs, offsets)) < 0.025


@pytest.mark.parametrize("extension", ["avi", "mxf", "mpg", "vob", "ts", "flv", "webm", "mov", "mp4", "nut", "m3u8"])
def test_joints_are_in_sync_in_every_container(tmp_path: Path, extension: str) -> None:
    source, out = INPUTS["joined ts, longer sound"].make(tmp_path), tmp_path / f"out.{extension}"
    process(source, out, device="cpu")
    offsets = offsets_s(out)
    assert len(offsets) == 8
    assert max(map(abs, offsets)) < 0.025


def test_there_are_sixty_inputs() -> None:
    assert len(INPUTS) >= 60
