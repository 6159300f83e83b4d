"""The site: its index leads to every page, and what is made for it is whole. CI builds it with warnings as errors."""

import importlib.util
import re
from pathlib import Path

import texsamp as ts

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def hooks():
    spec = importlib.util.spec_from_file_location("site_hooks", DOCS / "site_hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def linked(page: Path) -> set[str]:
    return set(re.findall(r"\]\(([\w/-]+\.md)", page.read_text(encoding="utf-8")))


def test_the_index_leads_to_every_page():
    assert linked(DOCS / "index.md") == {path.name for path in DOCS.glob("*.md")} - {"index.md"}


def test_the_page_of_the_interface_has_every_public_name_once():
    names = re.findall(r"^::: texsamp\.(\w+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    errors = {name for name in ts.__all__ if getattr(ts, name).__module__ == "texsamp.errors"}
    assert sorted(names) == sorted(set(ts.__all__) - errors | {"errors"})


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
    text = hooks().performance()
    assert "## Scale\n" in text
    assert "swscale bicubic" in text
    assert all(row.count("|") >= 6 for row in text.splitlines() if row.startswith("|"))


def test_links_out_of_the_folder_become_names_of_files():
    links = hooks().on_page_markdown("[a program](../tests/typed/user.py), [x](python.md), ![p](../pictures/tile.png)")
    assert links == "a program (`tests/typed/user.py`), [x](python.md), ![p](../pictures/tile.png)"
