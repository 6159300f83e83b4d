"""The Python of the pages runs as it stands, given what the text around it speaks of."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.clips import random_pictures, write_clip

import texsamp as ts
from texsamp.batch import Job
from texsamp.batch.plan_file import read_plan
from texsamp.io.textures import write_picture
from texsamp.state.formats import surface_format
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.layout import SurfaceDescription, SurfaceLayout

DOCS = Path(__file__).parents[1] / "docs"
RNG = np.random.default_rng(36)


BLOCK = re.compile(r"```(?P<kind>\w*)\n(?P<fenced>.*?)```|(?P<indented>(?:^    [^\n]*\n)+)", re.DOTALL | re.MULTILINE)


def snippets(page: str) -> str:
    """All Python of a page in order: fenced as such, or indented and no command."""
    found = []
    for block in BLOCK.finditer((DOCS / f"{page}.md").read_text(encoding="utf-8")):
        if block["kind"] == "python":
            found.append(block["fenced"])
        elif block["indented"] and re.search(r"\bts\.|texsamp\.", block["indented"]):
            lines = [line[4:] for line in block["indented"].splitlines() if not line.startswith("    texsamp ")]
            found.append("\n".join(lines))
    return "\n".join(found)


def mipped() -> ts.Surface:
    return ts.Surface.from_array(RNG.integers(0, 256, (16, 16, 4), np.uint8), mips="box", device="cpu")


def exact() -> dict[str, Any]:
    u, v = RNG.random((2, 5, 6), dtype=np.float32)
    return {"ts": ts, "surface": mipped(), "u": u, "v": v, "by_picture": np.ones((5, 6, 4), np.float32)}


def layout() -> dict[str, Any]:
    asked = SurfaceDescription(SurfaceType.SURFTYPE_2D, "R8G8B8A8_UNORM", 61, 37, levels=6, tiling="Y")
    return {"memory": np.zeros(SurfaceLayout(asked).size_B, np.uint8), "state": mipped().state}


def texels() -> dict[str, Any]:
    places = {"x": np.zeros(3, int), "y": np.zeros(3, int)}
    data, colors = np.zeros(64 * 32 * 4, np.uint8), np.zeros((32, 64, 3), np.float32)
    return {"data": data, "entries": np.zeros(256, np.uint32), "texels": colors, **places}


def sky() -> dict[str, Any]:
    write_picture("sky.hdr", RNG.random((32, 64, 3), dtype=np.float32), surface_format("R32G32B32_FLOAT"))
    return {"ts": ts}


def look() -> dict[str, Any]:
    corners = [f"{r} {g} {b}" for b in (0, 1) for g in (0, 1) for r in (0, 1)]
    Path("look.cube").write_text("\n".join(["LUT_3D_SIZE 2", *corners]))
    return {"ts": ts, "picture": RNG.integers(0, 256, (4, 4, 3), np.uint8)}


def film() -> dict[str, Any]:
    write_clip(Path("in.mkv"), random_pictures(60, (64, 48), seed=1), "ffv1")
    return {}


def brick() -> dict[str, Any]:
    mipped().save("brick.dds")
    return {}


PAGES: dict[str, Callable[[], dict[str, Any]]] = {
    "analytics": lambda: {"luma": np.zeros((8, 8), np.uint8), "coefficients": np.ones((3, 3)) / 9},
    "decoding": lambda: {"texsamp": ts, "data": np.zeros(256 * 256, np.uint8)},
    "exact-sampling": exact,
    "layout": layout,
    "lut": look,
    "panoramas": sky,
    "python": film,
    "surfaces": dict,
    "texels": texels,
    "textures": brick,
}
"""What makes the names and the files that a page's examples begin with."""


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = PAGES[page]()
    if page == "textures":
        pytest.importorskip("imageio")
    code = snippets(page)
    assert code
    exec(compile(code, f"docs/{page}.md", "exec"), names)


def test_the_plan_of_the_page_of_batches_can_be_carried_out(tmp_path: Path) -> None:
    """An option in it was one of another encoder."""
    (plan,) = re.findall(r"```toml\n(.*?)```", (DOCS / "batch.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    for name in ("a.ts", "b.ts"):
        write_clip(tmp_path / name, random_pictures(12, (64, 48), seed=1), "libx264", rate=1)
    jobs = read_plan(tmp_path / "plan.toml", tmp_path / "out", Job("", ""))
    (tmp_path / "out").mkdir()
    for job in jobs:
        ts.plan(job.source, job.target, job.vf, "cpu", start_s=job.start_s, **job.encoding)
    assert len(jobs) == 2


OUTPUTS = re.compile(r"^(?:    )?(texsamp (?:process|decode|encode|panorama|sample) .*)$", re.MULTILINE)


@pytest.mark.parametrize("page", sorted(path.stem for path in DOCS.glob("*.md")))
def test_commands_of_a_page_do_not_write_one_file_twice(page: str) -> None:
    """Whoever copies them one after the other would be told that it exists."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8").replace("\\\n", " ")
    written = []
    for line in OUTPUTS.findall(text):
        words = shlex.split(line, comments=True)[2:4]
        if not any(word.startswith("-") for word in words):
            written += words[1:]
    assert sorted(written) == sorted(set(written))
