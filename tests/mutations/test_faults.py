"""The faults that `python tests/mutations` plants have their places, and the table of results has a row for each."""

import csv
from pathlib import Path

import pytest
from mutations.faults import FAULTS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.area)
def test_a_fault_has_its_place(fault):
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.right) == 1
    assert fault.right != fault.wrong
    assert all(list(ROOT.glob(f"tests/{start}*")) for start in fault.tests)


def test_results_are_of_these_faults():
    rows = list(csv.DictReader(Path(__file__).with_name("results.csv").open(newline="", encoding="utf-8")))
    assert [(row["area"], row["file"], row["fault"]) for row in rows] == [(f.area, f.file, f.wrong) for f in FAULTS]
    found = [row["found by"] for row in rows]
    assert set(found) <= {"--quick", "its folder", "nobody"}
    assert found.count("nobody") <= 2
    assert found.count("--quick") >= 28
