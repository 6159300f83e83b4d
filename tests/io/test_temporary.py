"""Temporary files: locked while their run lives, removed by the next run beside the same output if it was killed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from texsamp.io.files.output_file import OutputFile
from texsamp.io.files.temporary import TemporaryFile, TemporaryFolder, remove_living

HOLDER = (
    "import sys, time\nfrom pathlib import Path\nfrom texsamp.io.files.temporary import TemporaryFile\n"
    "file = TemporaryFile(Path(sys.argv[1]))\nprint(file.path, flush=True)\ntime.sleep(60)"
)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_files_of_killed_runs_are_removed_and_those_of_others_are_not(tmp_path: Path) -> None:
    for foreign in (".a.1-0.mkv", "a.texsamp-1-0.mkv", ".a.texsamp-x-0.mkv", ".a.texsamp-1-0.mkv.part.old"):
        (tmp_path / foreign).touch()
    before = names(tmp_path)
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path / "a.mkv"], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        held = Path(holder.stdout.readline().decode().strip())
        mine = TemporaryFile(tmp_path / "b.mkv")
        assert names(tmp_path) == before | {held.name, Path(mine.path).name}  # the other run lives
        holder.kill()
    mine.remove()
    assert names(tmp_path) == before | {held.name}
    with OutputFile(str(tmp_path / "c.mkv"), overwrite=False):
        assert held.name not in names(tmp_path)
    assert names(tmp_path) == before | {"c.mkv"}


def test_names_are_beside_the_output_with_its_extension_and_not_too_long(tmp_path: Path) -> None:
    for stem in ("ä" * 120, "a" * 240, "a.b c"):
        file = TemporaryFile(tmp_path / f"{stem}.mkv")
        assert Path(file.path).parent == tmp_path
        assert file.path.endswith(".mkv")
        file.remove()
    assert not names(tmp_path)


def test_all_files_of_this_run_are_removed_at_its_sudden_end(tmp_path: Path) -> None:
    done, other = TemporaryFile(tmp_path / "a.mkv"), TemporaryFile(tmp_path / "a.mkv")
    os.rename(done.path, tmp_path / "a.mkv")
    done.release()
    remove_living()
    other.remove()
    assert names(tmp_path) == {"a.mkv"}


def test_folders_of_killed_runs_go_with_what_is_in_them(tmp_path: Path) -> None:
    text = HOLDER.replace("TemporaryFile", "TemporaryFolder")
    with subprocess.Popen([sys.executable, "-c", text, tmp_path / "a.m3u8"], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        held = Path(holder.stdout.readline().decode().strip())
        (held / "a_00000.ts").write_bytes(b"half")
        TemporaryFile(tmp_path / "b.mkv").remove()
        assert names(tmp_path) == {held.name}
        holder.kill()
    mine = TemporaryFolder(tmp_path / "c.m3u8")
    (Path(mine.path) / "c_00000.ts").touch()
    assert names(tmp_path) == {Path(mine.path).name}
    remove_living()
    assert not names(tmp_path)


def test_no_file_stays_if_a_signal_comes_while_it_is_made_or_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any) -> None:
        Path(arguments[-1]).touch()
        raise SystemExit(143)

    removed = TemporaryFile(tmp_path / "b.mkv")
    with monkeypatch.context() as patch:
        patch.setattr(TemporaryFile, "_make", interrupted)
        with pytest.raises(SystemExit):
            TemporaryFile(tmp_path / "a.mkv")
    with monkeypatch.context() as patch:
        patch.setattr("texsamp.io.files.temporary._delete", interrupted)
        with pytest.raises(SystemExit):
            removed.remove()
    assert len(names(tmp_path)) == 2
    remove_living()
    assert not names(tmp_path)
