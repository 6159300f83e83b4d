"""One table of labels: `--explain`, README.md and docs agree because all three are made from it."""

import re
from pathlib import Path

import pytest

from texsamp.fidelity.pages import with_labels
from texsamp.fidelity.part import LABELS
from texsamp.fidelity.tables import FILTERS as LABELED
from texsamp.fidelity.tables import TABLES
from texsamp.video.filters import FILTERS
from texsamp.video.pipeline import Pipeline

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGE = r"\b(SNB|IVB|VLV|HSW|ILK|BXT) [\d.]+[cd]? p\. \d"
ROWS = [pytest.param(name, part, id=f"{name}: {part.part}") for name, parts in TABLES.items() for part in parts]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_are_what_the_table_makes(page):
    text = page.read_text(encoding="utf-8")
    assert text == with_labels(text), f"run: python -m texsamp.fidelity.pages {page.relative_to(ROOT)}"


def test_every_row_is_on_a_page_and_every_filter_in_its_overviews():
    made = with_labels((ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8"))
    for name, parts in TABLES.items():
        for part in parts:
            assert f"\n| {part.part} | {part.label} | " in made, (
                f"{name}: {part.part} is on no page: mark its place in docs/fidelity.md"
            )
    for page in ("README.md", "docs/fidelity.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(LABELED), page
    assert set(LABELED) == {which.name for which in FILTERS}


@pytest.mark.parametrize("which", FILTERS, ids=lambda which: which.name)
def test_explain_prints_the_rows_of_the_table(which):
    assert which.fidelity is LABELED[which.name]
    lines = Pipeline.parse(which.examples[0], device="cpu").describe().splitlines()
    for part in which.fidelity:
        if not part.option:
            assert f"  {part.label:<13}  {part.part} ({part.basis})" in lines


@pytest.mark.parametrize(("name", "part"), ROWS)
def test_every_label_has_its_ground(name, part):
    assert part.label in LABELS
    assert part.basis, "a label rests on something"
    if part.label == "exact":
        assert re.search(rf"seed 00[0-4]:\d|{PAGE}", part.basis), part.basis
    if part.label == "reconstructed":
        assert re.search(rf"seed 00[0-4]:\d|{PAGE}|driver|Direct3D|Khronos|isl", part.basis), part.basis
        assert len(part.why) > 40, "a reconstruction tells the gap and the choice"
    assert len({row.part for row in TABLES[name]}) == len(TABLES[name]), f"{name} names a part twice"


def test_a_page_that_was_edited_by_hand_is_found():
    text = "<!-- labels: layout -->\n| padding | ours | | |\n<!-- end of labels -->\n"
    assert with_labels(text) != text
    with pytest.raises(KeyError, match="no table"):
        with_labels("<!-- labels: no table -->\n<!-- end of labels -->\n")
