"""docs/features.md: every row is well formed, its proof exists, and the sums are true."""

import re
from collections import Counter
from pathlib import Path

import pytest
from support.skips import may_skip

ROOT = Path(__file__).parents[1]
COLUMNS = ["feature", "what", "seed lines", "generation", "status", "proof"]
TEXT = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")


def _rows():
    """Cells of every row of the feature tables, with the line number."""
    inside = False
    for number, line in enumerate(TEXT.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells == COLUMNS:
            inside = True
        elif inside and not set(line) <= set("|-"):
            yield number, cells


ROWS = list(_rows())


def test_every_row_is_well_formed():
    for number, cells in ROWS:
        assert len(cells) == len(COLUMNS), f"line {number} has {len(cells)} columns"
        feature, what, _, generation, status, proof = cells
        assert feature, f"line {number}"
        assert what, f"line {number}"
        assert generation, f"line {number}"
        assert status in ("works", "decoded", "absent"), f"line {number}: {status}"
        assert bool(proof) or status == "absent", f"line {number}: {feature} has no proof"


def _proofs():
    """(line number, feature, file, test) of every proof; a row may have several."""
    for number, (feature, _, _, _, status, proofs) in ROWS:
        if status != "absent":
            for proof in proofs.split(", "):
                file, _, name = proof.partition("::")
                yield number, feature, file, name


def test_every_proof_is_a_test():
    for number, feature, file, name in _proofs():
        assert (ROOT / file).is_file(), f"line {number}: {feature} names {file}"
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), (
            f"line {number}: {file} has no {name}"
        )


def test_every_test_that_the_page_of_drivers_states_names_is_there():
    page = (ROOT / "docs" / "emulator-states.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", page)
    assert len(named) > 40
    for file, name in named:
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", text, re.MULTILINE), f"{file} has no {name}"


def test_what_is_absent_has_no_proof():
    for number, (feature, _, _, _, status, proof) in ROWS:
        assert status != "absent" or not proof or proof.startswith("outside: "), f"line {number}: {feature}"


def test_no_proof_may_be_skipped():
    """Not where captures, a GPU or a program are missing: what is said to work is proved wherever the tests run."""
    skipped = [f"line {row[0]}: {row[1]}: {row[3]}" for row in _proofs() if may_skip(ROOT / row[2], row[3])]
    assert not skipped, "\n".join(skipped)


@pytest.mark.parametrize(
    ("file", "name", "skips"),
    [
        ("emulator/test_references.py", "test_every_referenced_state_of_every_capture_is_legal", True),
        ("emulator/test_captured_deinterlace.py", "test_pictures_equal_the_literal_oracles", True),
        ("test_film_files.py", "test_our_telecine_is_ffmpegs", True),
        ("emulator/test_router.py", "test_message_errors", False),
    ],
)
def test_tests_that_may_be_skipped_are_found(file, name, skips):
    """By what they call in another file, by a fixture, and by a mark."""
    assert may_skip(ROOT / "tests" / file, name) is skips


@pytest.mark.parametrize("status", ["works", "decoded", "absent"])
def test_the_sums_are_true(status):
    stated = re.search(rf"^\| {status} \|.*\| (\d+) \|$", TEXT, re.MULTILINE)
    assert stated
    assert int(stated[1]) == Counter(cells[4] for _, cells in ROWS)[status]


def test_every_volume_is_covered():
    sections = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
    rows = {section[:8]: section.count("\n| ") for section in sections}
    assert set(rows) == {"Seed 000", "Seed 001", "Seed 002", "Seed 003", "Seed 004"}
    assert rows["Seed 003"] > 250
    assert rows["Seed 002"] > 149


def test_features_are_named_once_per_table():
    for section in re.split(r"^##+ ", TEXT, flags=re.MULTILINE)[1:]:
        names = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("|")]
        doubled = {name for name, count in Counter(names).items() if count > 1 and not set(name) <= set("-")}
        assert not doubled, f"{section.splitlines()[0]}: {doubled}"
