"""`python -m benchmarks [NAME ...] [--csv DIRECTORY] [--report FILE]`; the names are the keys of BENCHMARKS.

`python -m benchmarks captures DIRECTORY` replays the captures of a directory.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import texsamp as ts
from benchmarks import denoise, denoise_set, scale_pictures, speed, tonemap
from benchmarks.adaptive import adaptive
from benchmarks.batch import scaling
from benchmarks.blur import blur
from benchmarks.captures import captures
from benchmarks.color import color
from benchmarks.convolve import convolution
from benchmarks.decode import decode
from benchmarks.encode import encode
from benchmarks.end_to_end import end_to_end
from benchmarks.exact import exact
from benchmarks.gpu import gpu
from benchmarks.gpu_kernels import gpu_kernels
from benchmarks.gpu_model import gpu_model
from benchmarks.judged import judged
from benchmarks.judged_color import judged_color
from benchmarks.judged_film import judged_film
from benchmarks.judged_film_odd import odd_film
from benchmarks.plot import plot
from benchmarks.quality import quality
from benchmarks.sample import sample
from benchmarks.segments import segments
from benchmarks.tables import as_measured, show, update_csv, write_csv
from benchmarks.texels import texels
from benchmarks.threads import threads
from benchmarks.tiling import tiling
from benchmarks.torch_grid import torch_grid
from benchmarks.verify import verify
from texsamp.device.cpu import chosen_level
from texsamp.io.files.output_file import OutputFile
from texsamp.report import MeasuredReport

RESULTS = Path(__file__).parent / "results"
PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "benchmarks" / "performance.png"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


BENCHMARKS: dict[str, Callable[[], list[Any]]] = {
    "scale": lambda: speed.scale(1) + speed.scale(2),
    "scale_pictures": scale_pictures.pictures,
    "sharpen": lambda: speed.sharpen(1) + speed.sharpen(2),
    "deinterlace": lambda: speed.deinterlace(1) + speed.deinterlace(2),
    "chain": lambda: speed.chain(1),
    "denoise": lambda: denoise.speed(1) + denoise.speed(2),
    "denoise_quality": denoise.quality,
    "noise": denoise_set.measure,
    "denoise_set": denoise_set.judged,
    "color": lambda: color(1),
    "tonemap": lambda: tonemap.speed(1),
    "tonemap_pictures": tonemap.pictures,
    "convolve": lambda: convolution(1) + convolution(2),
    "decode": lambda: decode(1) + decode(2),
    "encode": encode,
    "texels": lambda: texels(1) + texels(2),
    "sample": lambda: sample(1) + sample(2),
    "exact": exact,
    "torch": torch_grid,
    "verify": verify,
    "tiling": lambda: tiling(1) + tiling(2),
    "captures": captures,
    "quality": quality,
    "judged": judged,
    "judged_color": judged_color,
    "judged_film": lambda: judged_film() + odd_film(),
    "adaptive": adaptive,
    "blur": lambda: list(blur()),
    "files": end_to_end,
    "batch": scaling,
    "segments": segments,
    "threads": threads,
    "gpu": gpu,
    "gpu_kernels": gpu_kernels,
}


def main(arguments: list[str] | None = None) -> None:
    """Run the named benchmarks, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which to run of {', '.join(BENCHMARKS)}; all if none is named")
    parser.add_argument("--csv", type=Path, help="write one CSV file per benchmark into this directory")
    parser.add_argument(
        "--report", type=Path, help="write an HTML file with tables, and the committed ones beside them"
    )
    parser.add_argument("--model", action="store_true", help="gpu: what kernels would cost, from their executed PTX")
    parser.add_argument("--case", default="", help="with --model: cases that begin so; a CSV file keeps its other rows")
    parser.add_argument(
        "--plot", action="store_true", help="draw the committed results into docs/pictures, measure nothing"
    )
    chosen = parser.parse_args(arguments)
    if chosen.plot:
        return plot(RESULTS, PICTURE)
    runs = dict(BENCHMARKS)
    names = chosen.names or list(BENCHMARKS)
    if names[0] == "captures" and len(names) == 2 and names[1] not in BENCHMARKS:
        runs["captures"] = partial(captures, Path(names.pop()))
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    machine = f"{_processor()}, {os.cpu_count()} cores, x86-64-{chosen_level()}"
    where = f"{datetime.datetime.now(tz=datetime.UTC).date()}, {machine}, texsamp {ts.__version__}"
    if chosen.model:
        runs["gpu_model"] = partial(gpu_model, chosen.case)
        where += ", modeled: the PTX was executed by the CPU, no GPU was measured"
        names = ["gpu_model" if name == "gpu" else name for name in names]
    print(where)
    report = None if chosen.report is None else MeasuredReport()
    for name in names:
        rows = runs[name]()
        if not rows:
            continue
        show(name, rows)
        if report is not None:
            report.add(as_measured(name, rows, where, RESULTS / f"{name}.csv"))
        if chosen.csv is not None:
            chosen.csv.mkdir(parents=True, exist_ok=True)
            path = chosen.csv / f"{name}.csv"
            if chosen.case and path.is_file():
                update_csv(path, rows, f"{datetime.datetime.now(tz=datetime.UTC).date()}: {chosen.case}")
            else:
                write_csv(path, rows, where)
    if report is not None:
        with OutputFile(str(chosen.report), overwrite=True) as temporary:
            Path(temporary).write_text(report.html("Benchmarks of texsamp"), encoding="utf-8")


if __name__ == "__main__":
    main()
