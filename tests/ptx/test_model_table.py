"""The committed table of modeled costs: every kernel has a row, and keeps to the bars, or docs/gpu.md says why not."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest

from texsamp.device.sources import kernels_by_name

ROOT = Path(__file__).resolve().parents[2]
AT_MOST = {"over_minimum": 1.3, "sectors": 1.2, "bank_passes": 1.2}
AT_LEAST = {f"occupancy_{name}": 0.5 for name in ("sm_75", "sm_80", "sm_90")}


def missed(row: dict[str, str]) -> set[str]:
    """Bars that a row of the table misses; of occupancy it is enough to know that one is."""
    high = {name for name, most in AT_MOST.items() if float(row[name]) > most}
    return high | {"occupancy" for name, least in AT_LEAST.items() if float(row[name]) < least}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (ROOT / "benchmarks" / "results" / "gpu_model.csv").open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def test_every_kernel_has_a_row_or_a_reason(rows):
    reasons = dict(re.findall(r"^\| (\w+) \| ([^|]{5,}) \|$", (ROOT / "docs" / "gpu.md").read_text(), re.M))
    modeled = {row["kernel"] for row in rows}
    kernels = set(kernels_by_name())
    missing, gone = sorted(kernels - modeled - set(reasons)), sorted((modeled | set(reasons)) - kernels)
    assert not missing, (
        f"no row for {missing}: add a case to benchmarks/gpu_cases.py and run "
        "python -m benchmarks gpu --model --csv benchmarks/results, or give a reason in docs/gpu.md"
    )
    assert not gone, f"there is no kernel {gone}, but benchmarks/results/gpu_model.csv or docs/gpu.md has one"
    assert not modeled & set(reasons)


def test_kernels_miss_only_what_is_listed(rows):
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if not row["kernel"].startswith("sample_"):  # samplers gather
            found[row["kernel"]] |= missed(row)
    text = (ROOT / "docs" / "gpu.md").read_text().partition("\n## Modeled\n")[2]
    table = re.findall(r"^\| (\w[\w, ]*) \| ([\w, ]+) \| .+ \|$", text, re.M)
    listed = {kernel: set(bars.split(", ")) for kernels, bars in table[1:] for kernel in kernels.split(", ")}
    assert listed == {kernel: bars for kernel, bars in found.items() if bars}
