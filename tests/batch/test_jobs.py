"""Which jobs a batch has: files, folders, names and plans, and what is refused before anything runs."""

import json
import pickle
import resource
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp.batch import BatchResult, Job, batch, scheduler
from texsamp.batch.job import JobOutcome
from texsamp.batch.journal import NAME, Journal
from texsamp.batch.plan_file import jobs_for, read_plan, refuse_shared_targets, videos_of
from texsamp.errors import DeviceError, MediaError, StateError

PLAN = """
vf = "sharpen=30"
crf = 20

[[jobs]]
source = "a.mkv"
target = "one/a.mp4"

[[jobs]]
source = "b.ts"
target = "b.mkv"
vf = "scale=640x360"
frames = 5
options = { x264-params = "ref=1" }
"""


def job(folder: Path, name: str = "a", **values) -> Job:
    source = folder / f"{name}.mkv"
    source.write_bytes(b"video")
    return Job(str(source), str(folder / "out" / f"{name}.mkv"), **values)


def test_folders_give_their_videos_in_order(tmp_path):
    for name in ("b.MKV", "a/z.ts", "a/notes.txt", "a/a.mp4", "c.srt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [str(path.relative_to(tmp_path)) for path in videos_of([tmp_path, tmp_path / "c.srt"])]
    assert found == ["a/a.mp4", "a/z.ts", "b.MKV", "c.srt"]
    with pytest.raises(MediaError, match="no such file"):
        videos_of([tmp_path / "none.mkv"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(MediaError, match="no video and no picture in this folder"):
        videos_of([tmp_path / "empty"])


def test_names_are_filled_in(tmp_path):
    (tmp_path / "clips").mkdir()
    for name in ("x.ts", "y.ts"):
        (tmp_path / "clips" / name).touch()
    jobs = jobs_for([tmp_path / "clips"], tmp_path / "out", "{number:03d}-{folder}-{stem}.mp4", Job("", "", "sharpen"))
    assert [Path(made.target).name for made in jobs] == ["001-clips-x.mp4", "002-clips-y.mp4"]
    assert {made.vf for made in jobs} == {"sharpen"}
    for name in ("{nobody}.mkv", "{stem", "{0}.mkv", "{stem.nothing}"):
        with pytest.raises(StateError, match="filled in, found"):
            jobs_for([tmp_path / "clips"], tmp_path, name, Job("", ""))


def test_a_folder_of_pictures_gives_pictures(tmp_path):
    """Beside a video they are its covers."""
    names = ["a.JPG", "b.png", "c.webp", "d.tif", "e.heic"]
    for name in (*names, "notes.txt"):
        (tmp_path / name).touch()
    jobs = jobs_for([tmp_path], tmp_path / "out", None, Job("", ""))
    assert [Path(made.target).name for made in jobs] == ["a.JPG", "b.png", "c.png", "d.tif", "e.png"]
    assert Path(jobs_for([tmp_path / "b.png"], tmp_path / "out", "{stem}.mkv", Job("", ""))[0].target).name == "b.mkv"
    (tmp_path / "clip.ts").touch()
    jobs = jobs_for([tmp_path], tmp_path / "out", None, Job("", ""))
    assert [Path(made.target).name for made in jobs] == ["clip.mkv"]


def test_a_plan_has_options_over_all_jobs_and_one(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    first, second = read_plan(tmp_path / "plan.toml", tmp_path / "out", Job("", "", device="cpu"))
    assert first == Job(
        str(tmp_path / "a.mkv"), str(tmp_path / "out/one/a.mp4"), "sharpen=30", "cpu", encoding={"crf": 20}
    )
    assert (second.vf, second.frames) == ("scale=640x360", 5)
    assert second.encoding == {"crf": 20, "options": {"x264-params": "ref=1"}}
    assert pickle.loads(pickle.dumps(second)) == second


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"lists its jobs as \[\[jobs\]\]"),
        ("jobs = 3", r"lists its jobs as \[\[jobs\]\]"),
        ("[[jobs]]\nsource = 'a'", "job 1 needs a source and a target"),
        ("[[jobs]]\nsource = 'a'\ntarget = 'b'\nspeed = 3", "'speed' is no option of a job"),
        ("[[jobs]", "no plan in TOML"),
    ],
)
def test_what_is_no_plan_is_refused(tmp_path, text, words):
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(StateError, match=words):
        read_plan(tmp_path / "plan.toml", tmp_path, Job("", ""))


def test_jobs_must_not_get_in_each_others_way(tmp_path):
    a, b = job(tmp_path), job(tmp_path, "b")
    with pytest.raises(StateError, match=r"is to be written for .*a\.mkv and for .*b\.mkv"):
        batch([a, replace(b, target=a.target)], tmp_path / "out")
    with pytest.raises(StateError, match="is to be written and to be read"):
        refuse_shared_targets([a, replace(b, target=a.source)])
    with pytest.raises(StateError, match="is to be written for"):
        refuse_shared_targets([replace(a, hashes=True), replace(b, target=a.target + ".hashes.txt")])
    with pytest.raises(StateError, match=r"a batch takes Jobs, found 'a\.mkv'"):
        batch(["a.mkv"], tmp_path / "out")
    with pytest.raises(StateError, match="sharpnes"):
        batch([replace(a, vf="sharpnes=3")], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_journal_knows_what_is_done_and_still_there(tmp_path):
    made = job(tmp_path)
    with Journal(tmp_path / "out") as journal:
        journal.begin(made.key, made)
        Path(made.target).write_bytes(b"12345")
        journal.end(made.key, JobOutcome(made, None, 7, 0.5, 5, "ab"))
    with (tmp_path / "out" / NAME).open("ab") as file:
        file.write(b'{"event": "done", "jo')  # a run was killed here
    with Journal(tmp_path / "out") as journal:
        assert journal.done(made.key, made) == JobOutcome(made, None, 7, 0.5, 5, "ab", skipped=True)
        assert journal.done("another", made) is None
        with pytest.raises(MediaError, match="another batch is writing there"):
            Journal(tmp_path / "out")
        journal.begin("next", made)
    assert json.loads((tmp_path / "out" / NAME).read_text().splitlines()[-1])["job"] == "next"
    Path(made.target).write_bytes(b"123456")
    with Journal(tmp_path / "out") as journal:
        assert journal.done(made.key, made) is None


def test_a_batch_that_begins_nothing_leaves_no_journal_and_no_folder_of_its_own(tmp_path):
    with pytest.raises(MediaError, match="no scheduler"), Journal(tmp_path / "a" / "b"):
        raise MediaError("no scheduler")
    assert not (tmp_path / "a").exists()
    (tmp_path / "a").mkdir()
    with Journal(tmp_path / "a"):
        (tmp_path / "a" / "of others").touch()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["of others"]


def test_a_changed_input_is_another_job(tmp_path):
    made = job(tmp_path)
    before = made.key
    assert replace(made, vf="sharpen").key != before
    Path(made.source).write_bytes(b"longer video")
    assert made.key != before


def test_files_of_others_are_not_replaced(tmp_path):
    made = job(tmp_path)
    with Journal(tmp_path / "out") as journal:
        Path(made.target).touch()
        with pytest.raises(MediaError, match="exists already"):
            journal.refuse_foreign(made, overwrite=False)
        journal.refuse_foreign(made, overwrite=True)
        journal.begin(made.key, made)
        journal.refuse_foreign(made, overwrite=False)


def test_a_full_disk_is_said_of_the_journal(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    one = job(tmp_path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with (
            pytest.raises(MediaError, match=rf"{NAME}: cannot be written: File too large"),
            Journal(tmp_path) as journal,
        ):
            journal.begin("key", one)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_without_dask_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[batch.__module__], "find_spec", lambda _: None)
    with pytest.raises(DeviceError, match="batches need dask"):
        batch([job(tmp_path)], out_dir=tmp_path / "results")
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"workers": 0}, "workers of a batch must be an integer from 1 to 1024, found 0"),
        ({"workers": 1.5}, "workers of a batch must be an integer from 1 to 1024, found 1.5"),
        ({"threads": 257}, "threads of a batch must be an integer from 1 to 256, found 257"),
        ({"scheduler": "nobody"}, r"scheduler must be an address of dask.*found 'nobody' \(missing port"),
        ({"scheduler": "http://a:1"}, "found 'http://a:1' .unknown address scheme"),
        ({"out_dir": ""}, "out_dir of a batch must name a folder, found ''"),
    ],
)
def test_bad_arguments_of_a_batch_are_refused_before_anything_is_made(tmp_path, given, words):
    out = tmp_path / "out"
    with pytest.raises(StateError, match=words):
        batch([job(tmp_path)], **{"out_dir": out, **given})
    assert not out.exists()


@pytest.mark.parametrize(
    ("says", "words"), [(b"HTTP/1.1 400 Bad Request", "is no dask scheduler"), (b"", "silent for")]
)
def test_what_is_no_scheduler_is_told_without_a_wait(tmp_path, monkeypatch, says, words):
    """Another server at the address made dask's client hang, or end in a traceback after a minute."""
    monkeypatch.setattr(scheduler, "_SILENT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as thread:
        talk = thread.submit(lambda: server.accept()[0])
        talk.add_done_callback(lambda accepted: accepted.result().sendall(says))
        with pytest.raises(MediaError, match=words):
            batch([job(tmp_path)], tmp_path / "out", scheduler=f"tcp://127.0.0.1:{server.getsockname()[1]}")
        talk.result().close()


def test_the_command_hands_on_a_quality_of_nothing(tmp_path, monkeypatch):
    """0 is the best there is, not a word that was left out."""
    (tmp_path / "a.ts").touch()
    taken = []
    monkeypatch.setattr("texsamp.cli.batch.run_batch", lambda jobs, *_: taken.extend(jobs) or BatchResult(()))
    words = ["batch", str(tmp_path / "a.ts"), "--out-dir", str(tmp_path / "out")]
    assert CliRunner().invoke(app, [*words, "--crf", "0"]).exit_code == 0
    assert CliRunner().invoke(app, words).exit_code == 0
    assert [made.encoding for made in taken] == [{"crf": 0}, {}]
