"""docs/sources.md leads from every cited line of the seeds to a volume, a section and a page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
FOLDERS = {"texsamp": "*.py", "cli": "*.py", "kernels": "*.h", "docs": "*.md", "tests": "*.py"}
CITATION = re.compile(r"\b(00[0-4]):(\d+(?:-\d+)?(?:(?:,| and) \d+(?:-\d+)?)*)")
PAGE = r"\d+(?:-\d+)?"
LENGTHS = {"000": 1457, "001": 2562, "002": 10556, "003": 10641, "004": 9312}
"""Lines of the seeds."""


def _rows():
    """(first line, last line, other cells) of every row of each seed's table."""
    tables = {}
    for section in re.split(r"^## Seed ", TEXT, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| (\d+)-(\d+) \| (.*) \|$", section.split("\n## ")[0], re.MULTILINE)
        tables[section[:3]] = [(int(first), int(last), rest.split(" | ")) for first, last, rest in rows]
    return tables


ROWS = _rows()


def _cited(text):
    """(seed, first line, last line) of every citation of a text."""
    for seed, lines in CITATION.findall(text):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", lines):
            yield seed, int(first), int(last or first)


@pytest.mark.parametrize("seed", LENGTHS)
def test_the_tables_hold_every_line_once(seed):
    ends = [last for _, last, _ in ROWS[seed]]
    assert [first for first, _, _ in ROWS[seed]] == [1, *(last + 1 for last in ends[:-1])]
    assert ends[-1] == LENGTHS[seed]
    assert all(last > first for first, last, _ in ROWS[seed])


@pytest.mark.parametrize("seed", LENGTHS)
def test_every_row_names_a_section_and_where_it_is_printed(seed):
    for first, _, cells in ROWS[seed]:
        *own, printed = cells
        assert own[0], f"{seed}:{first}"
        assert seed not in ("002", "004") or re.fullmatch(PAGE, own[1]), f"{seed}:{first}: {own[1]}"
        if seed == "003":
            assert re.match(r"\d+(\.\d+)* \S|title", own[0]), f"{seed}:{first}: {own[0]}"
        if not printed.startswith("only there") and printed != "as above":
            for place in printed.split(", "):
                assert re.fullmatch(rf"[A-Z]{{3}} \S+ p\. {PAGE}", place), f"{seed}:{first}: {place}"


VOLUMES = {
    short: int(pages or 0) for short, pages in re.findall(r"^\| ([A-Z]{3} \S+) \| .* \| (\d*) \|$", TEXT, re.MULTILINE)
}
"""Pages of each volume, 0 for those that are known as seeds alone."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_cited_pages_are_in_the_volumes(folder):
    """One volume may be named before several pages: "SNB 4.1 p. 29, 109"."""
    for path in sorted((ROOT / folder).rglob(FOLDERS[folder])):
        for volume, pages in re.findall(
            r"\b((?:ILK|SNB|IVB|VLV|HSW|BXT) [\d.a-d]+) p\. (\d+(?:(?:-|, )\d+\b)*)", path.read_text(encoding="utf-8")
        ):
            assert volume in VOLUMES, f"{path.relative_to(ROOT)} cites {volume}"
            assert max(map(int, re.findall(r"\d+", pages))) <= VOLUMES[volume], (
                f"{path.relative_to(ROOT)}: {volume} p. {pages}"
            )


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_citation_is_in_a_table(folder):
    found = 0
    for path in sorted((ROOT / folder).rglob(FOLDERS[folder])):
        for seed, first, last in _cited(path.read_text(encoding="utf-8")):
            found += 1
            assert first <= last <= ROWS[seed][-1][1], f"{path.relative_to(ROOT)} cites {seed}:{first}-{last}"
    assert found > {"cli": -1, "kernels": 20}.get(folder, 100)


def test_a_citation_leads_to_a_page():
    """By the figure of the angle tree: 003:1086 is in 2.8.4.2, whose figures Sandy Bridge's volume prints."""
    (cells,) = [cells for first, last, cells in ROWS["003"] if first <= 1086 <= last]
    assert cells == ["2.8.4.2 Spatial Deinterlacer Angle Detection", "SNB 4.1 p. 41-43"]


def test_lists_and_ranges_are_understood():
    text = "seed 003:12-14, 16 and 20; 001:7, and (004:9-10)"
    assert list(_cited(text)) == [("003", 12, 14), ("003", 16, 16), ("003", 20, 20), ("001", 7, 7), ("004", 9, 10)]
