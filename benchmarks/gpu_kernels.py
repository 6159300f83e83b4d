"""The kernels of the GPU model's cases on a GPU: their time there, beside the modeled one."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gpu_cases import model_cases
from benchmarks.gpu_timing import RecordingDevice, kernels_s
from texsamp.device.base import Launch
from texsamp.device.cuda import why_no_cuda

_MODELED = Path(__file__).parent / "results" / "gpu_model.csv"


@dataclass(frozen=True)
class GpuKernelRow:
    """One kernel of one case. us: all its launches of a call, measured; modeled_us: of gpu_model.csv, for an H100."""

    device: str
    case: str
    kernel: str
    launches: int
    us: float
    modeled_us: float
    over_model: float


def _modeled() -> dict[tuple[str, str], float]:
    with _MODELED.open(encoding="utf-8") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {(row["case"], row["kernel"]): float(row["us_h100"]) for row in rows}


def gpu_kernels() -> list[GpuKernelRow]:
    """Kernel by kernel, or an empty list with the reason printed when there is no CUDA device."""
    reason = why_no_cuda()
    if reason is not None:
        print(f"GPU: skipped, {reason}")
        return []
    device, modeled, rows = RecordingDevice(), _modeled(), []
    for case, run in model_cases(device):
        by_kernel: dict[str, list[tuple[Launch, ...]]] = defaultdict(list)
        for launches in device.launched_by(run):
            for kernel in dict.fromkeys(launch.kernel for launch in launches):
                by_kernel[kernel].append(tuple(launch for launch in launches if launch.kernel == kernel))
        for kernel, calls in by_kernel.items():
            us = kernels_s(device, calls) * 1e6
            expected = modeled.get((case, kernel), float("nan"))
            rows.append(GpuKernelRow(device.describe(), case, kernel, len(calls), us, expected, us / expected))
    return rows
