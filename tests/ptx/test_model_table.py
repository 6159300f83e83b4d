"""The committed table of modeled costs: kernels keep to the bars of docs/gpu.md, but for those listed there."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

from texsamp.device.sources import kernels_by_name

ROOT = Path(__file__).resolve().parents[2]
AT_MOST = {"over_minimum": 1.3, "sectors": 1.2, "bank_passes": 1.2}
AT_LEAST = {f"occupancy_{name}": 0.5 for name in ("sm_75", "sm_80", "sm_90")}


def missed(row: dict[str, str]) -> set[str]:
    """Bars that a row of the table misses; of occupancy it is enough to know that one is."""
    high = {name for name, most in AT_MOST.items() if float(row[name]) > most}
    return high | {"occupancy" for name, least in AT_LEAST.items() if float(row[name]) < least}


def test_kernels_miss_only_what_is_listed():
    with (ROOT / "benchmarks" / "results" / "gpu_model.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert len(rows) >= 30
    assert {row["kernel"] for row in rows} <= set(kernels_by_name())
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if not row["kernel"].startswith("sample_"):  # samplers gather
            found[row["kernel"]] |= missed(row)
    text = (ROOT / "docs" / "gpu.md").read_text()
    listed = {
        kernel: set(bars.split(", ")) for kernel, bars in re.findall(r"^\| (\w+) \| ([\w, ]+) \| .+ \|$", text, re.M)
    }
    listed.pop("kernel")
    assert listed == {kernel: bars for kernel, bars in found.items() if bars}
