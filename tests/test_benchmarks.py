"""The benchmarks and the makers of pages find what they import, and the picture is that of the committed results."""

import ast
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import av
import numpy as np
import pytest

from benchmarks.__main__ import RESULTS
from benchmarks.judged_files import LENGTH, judged_files
from benchmarks.plot import PEERS, plot, ratios
from benchmarks.tables import update_csv, write_csv

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = sorted(
    path.relative_to(ROOT)
    for folder in ("benchmarks", "docs", "tests/mutations")
    for path in (ROOT / folder).rglob("*.py")
)
OWN = {"benchmarks", "texsamp", "pictures", "support", "oracle"}
"""Packages whose names are looked for; peers are imported where they are measured, if they are there."""


def names_imported(path: Path) -> list[tuple[str, str]]:
    """Modules of our own and the names taken from them, inside functions too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
    return [(module, name) for module, name in found if module.partition(".")[0] in OWN]


def has(module: str, name: str) -> bool:
    """Whether a module is there and has the name, or a module of that name inside."""
    if hasattr(import_module(module), name or "__name__"):
        return True
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_what_a_program_imports_is_there(program):
    missing = [(module, name) for module, name in names_imported(ROOT / program) if not has(module, name)]
    assert not missing


def test_a_name_that_is_not_there_is_found(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("def late():\n    from texsamp.video import no_such_name, scale\n    import numpy as np\n")
    assert [name for module, name in names_imported(program) if not has(module, name)] == ["no_such_name"]


def test_every_file_has_bars_and_they_are_times_over_the_peers(tmp_path):
    (tmp_path / "scale.csv").write_text(
        "# where\nbenchmark,name,threads,cpu_median_ms\na,zscale lanczos (ffmpeg binary),1,4\n"
        "a,texsamp lanczos3 v4,1,1\na,texsamp lanczos3 v3,1,2\na,texsamp lanczos3 v3,2,9\n"
    )
    assert list(ratios(tmp_path, ("scale",))) == [("a: lanczos3 / zscale lanczos (ffmpeg binary)", 0.5)]
    for name in PEERS:
        assert list(ratios(RESULTS, (name,))), name
    plot(RESULTS, tmp_path / "bars.png")
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")


def test_rows_measured_again_take_the_place_of_the_old(tmp_path):
    @dataclass(frozen=True)
    class Row:
        case: str
        kernel: str
        cost: int

    path = tmp_path / "model.csv"
    write_csv(path, [Row("a", "k", 1), Row("b", "k", 2), Row("b", "l", 3)], "one day")
    update_csv(path, [Row("b", "k", 4), Row("c", "k", 5)], "another: b")
    assert path.read_text().split() == "# one day; another: b case,kernel,cost a,k,1 b,k,4 b,l,3 c,k,5".split()


def written(path: Path, pictures: int = LENGTH) -> Path:
    """A file of noise that goes left by two pixels a picture."""
    noise = np.random.default_rng(5).integers(0, 256, (48, 96), dtype="u1")
    with av.open(str(path), "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "gray"
        for number in range(pictures):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(noise[:, 2 * number :][:, :64]), format="gray")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def test_files_of_ones_own_are_judged(tmp_path):
    rows = judged_files([written(tmp_path / "left.mkv")], parts=2)
    assert [(row.split, row.clips) for row in rows[:2]] == [("files", "left.mkv"), ("files", "mean of all")]
    assert rows[0].hq_ahead > 1
    assert rows[0].hq == pytest.approx(rows[1].hq)


def test_files_that_cannot_be_judged_are_refused(tmp_path):
    with pytest.raises(ValueError, match="14 pictures at least are judged, found 5"):
        judged_files([written(tmp_path / "short.mkv", pictures=5)])
