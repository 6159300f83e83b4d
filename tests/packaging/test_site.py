"""The site: its index leads to every page, and what is made for it is whole. CI builds it with warnings as errors."""

import importlib.util
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mkdocs.config import load_config
from mkdocs.structure.files import Files
from PIL import Image
from support.clips import random_pictures, write_clip

import texsamp as ts

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


CODED = {"first.png"}
"""Pictures that went through an encoder, which differs from one FFmpeg to the next."""


def module_of(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hooks():
    return module_of(DOCS / "site_hooks.py")


TUTORIAL = module_of(DOCS / "tutorial" / "make.py")


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


def commands(page: Path) -> str:
    return "".join(re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))


def linked(page: Path) -> set[str]:
    return set(re.findall(r"\]\(([\w/-]+\.md)", page.read_text(encoding="utf-8")))


def test_the_index_leads_to_every_page():
    pages = {path.name for path in DOCS.glob("*.md")} - {"index.md"} | {"tutorial/index.md"}
    assert linked(DOCS / "index.md") == pages, "docs/index.md must link every page of docs, and no other"


def test_the_navigation_of_the_site_has_every_page_once():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"^ +- (?:[^:\n]+: )?([\w/-]+\.md)$", navigation, re.MULTILINE)
    made = ["manual-map.md", "measured.md"]
    written = [
        path.relative_to(DOCS).as_posix() for folder in (DOCS, DOCS / "tutorial") for path in folder.glob("*.md")
    ]
    assert sorted(named) == sorted(made + written), "mkdocs.yml must name every page once"


def test_cells_of_tables_break_their_lines():
    """The theme keeps a cell on one line, however long: most of such a table was out of sight."""
    (name,) = load_config(str(ROOT / "mkdocs.yml")).extra_css
    rules = re.findall(r"([^{}]+)\{([^}]*)\}", (DOCS / name).read_text(encoding="utf-8"))
    assert any("table td" in where and "white-space: normal" in rule for where, rule in rules)


def test_the_page_of_the_interface_has_every_public_name_once():
    names = re.findall(r"^::: texsamp\.(\w+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    errors = {name for name in ts.__all__ if getattr(ts, name).__module__ == "texsamp.errors"}
    public = sorted(set(ts.__all__) - errors | {"errors"})
    assert sorted(names) == public, "docs/api.md must have a line ::: for every name of texsamp.__all__"


def test_the_map_leads_from_sections_to_files_that_cite_them():
    text = hooks().manual_map()
    assert text.count("\n## Seed ") == 5
    rows = [row for row in text.splitlines() if re.match(r"\| \d", row)]
    assert len(rows) > 100
    files = set(re.findall(r"`([^`]+\.(?:py|h))`", text))
    assert files
    assert all((ROOT / name).is_file() for name in files)
    sharpen = (ROOT / "kernels" / "sharpen.h").read_text(encoding="utf-8")
    assert ("kernels/sharpen.h" in files) == bool(re.search(r"\b00[0-4]:\d", sharpen))


def test_results_become_tables():
    text = hooks().measured()
    assert "## Scale\n" in text
    assert "swscale bicubic" in text
    assert all(row.count("|") >= 6 for row in text.splitlines() if row.startswith("|"))


def test_no_page_that_is_made_takes_the_place_of_one_that_is_written():
    config = load_config(str(ROOT / "mkdocs.yml"))
    config.plugins._current_plugin = "a hook"
    made = {file.src_uri for file in hooks().on_files(Files([]), config)}
    assert made
    assert not {name for name in made if (DOCS / name).exists()}


def test_links_out_of_the_folder_become_names_of_files():
    links = hooks().on_page_markdown("[a program](../tests/typed/user.py), [x](python.md), ![p](../pictures/tile.png)")
    assert links == "a program (`tests/typed/user.py`), [x](python.md), ![p](../pictures/tile.png)"


def test_the_tutorial_has_ten_pages_each_with_the_next():
    pages = TUTORIAL.pages()
    assert len(pages) == 10
    assert {page.name for page in pages} == {path.name for path in (DOCS / "tutorial").glob("*.md")} - {"index.md"}
    for page, following in pairwise(pages):
        assert re.search(rf"^Next: \[.+\]\({following.name}\)$", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", TUTORIAL.pages(), ids=lambda page: page.stem)
def test_a_page_of_the_tutorial_makes_the_picture_and_the_words_that_it_shows(page, tmp_path, capsys):
    made = TUTORIAL.run(page, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print\(.*\)  # (.*)$", text, re.MULTILINE)
    shown = re.findall(r"\]\(\.\./pictures/tutorial/([\w.]+)\)", text)
    assert [path.name for path in made] == shown
    for path in made:
        kept = pixels(TUTORIAL.PICTURES / path.name)
        assert kept.shape == pixels(path).shape
        assert path.name in CODED or (kept == pixels(path)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in TUTORIAL.pages() if "```sh\n" in page.read_text(encoding="utf-8")],
    ids=lambda page: page.stem,
)
def test_commands_of_the_tutorial_run_after_its_code(page, tmp_path):
    if page.stem == "tape":  # a file of the reader's
        write_clip(tmp_path / "tape.avi", random_pictures(4, (64, 48), seed=3), "ffv1")
    TUTORIAL.run(page, tmp_path)
    commands = "".join(re.findall(r"^```sh\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
    script = (
        f'texsamp() {{ "{sys.executable}" -c "from texsamp_script import main; main()" "$@"; }}\nset -e\n{commands}'
    )
    run = subprocess.run(["/bin/sh", "-c", script], cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout
