"""``python tests/mutations [AREA...]``: plant each fault, and see whether tests find it. By hand, on a clean checkout.

First ``pytest --quick``, beginning with the area's share of it, then, if the fault survives, all of the area's tests.
Who found it goes to results.csv. Every fault is taken back, also after Ctrl-C.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from faults import FAULTS, Fault

from texsamp.device.cpu import chosen_level, library_path
from texsamp.device.sources import kernel_modules

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results.csv")
PYTEST = (sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider")
OPTIONS = ("-std=c++17", "-O1", "-fopenmp-simd", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-w", "-x", "c++")
"""Of a kernel with a fault: what compiles quickly."""
PASSED = 0
MISUSED = (3, 4, 5)
"""Statuses of pytest that say nothing of the fault. Crashes, which are negative, find it."""


def quick_tests() -> list[str]:
    """What ``pytest --quick`` takes."""
    listed = subprocess.run(
        [*PYTEST, "--quick", "--collect-only", "-n0"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found = [line for line in listed.stdout.splitlines() if "::" in line]
    assert found, listed.stdout
    return found


def files_of(fault: Fault) -> list[str]:
    """The area's test files and folders."""
    found = [
        path for start in fault.tests for path in sorted(ROOT.glob(f"tests/{start}*")) if path.suffix in ("", ".py")
    ]
    assert found, fault
    return [path.relative_to(ROOT).as_posix() for path in found if path.name != "__pycache__"]


def fails(tests: list[str]) -> bool:
    """Whether one of these tests does."""
    if not tests:
        return False
    with TemporaryDirectory() as folder:
        listed = Path(folder, "tests")
        listed.write_text("\n".join(tests))
        ran = subprocess.run([*PYTEST, "-n0", f"@{listed}"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode not in MISUSED, ran.stdout[-2000:] + ran.stderr[-2000:]
    return ran.returncode != PASSED


@contextmanager
def planted(fault: Fault) -> Iterator[None]:
    """The fault in the working tree, and in the library of the level in use."""
    path = ROOT / fault.file
    text = path.read_text(encoding="utf-8")
    assert text.count(fault.right) == 1, f"{fault.file} has {fault.right!r} {text.count(fault.right)} times"
    library = library_path(chosen_level())
    assert library is not None
    before = library.read_bytes()
    path.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    try:
        if path.suffix == ".h":
            build(path.name, library)
        yield
    finally:
        path.write_text(text, encoding="utf-8")
        if library.read_bytes() != before:
            library.unlink()
            library.write_bytes(before)


def build(header: str, library: Path) -> None:
    """Put a library in place whose modules with this header are compiled anew; others are those of the last build."""
    level = library.stem.rpartition("_")[2]
    machine = () if level == "generic" else (f"-march=x86-64-{level}",)
    built = {
        path.name.partition(".")[0]: path
        for path in ROOT.glob(f"build/py3-*/CMakeFiles/_kernels_{level}_O*.dir/**/*.o")
    }
    changed = {module for module in kernel_modules() if f'"{header}"' in includes(module)}
    for path in ROOT.glob("build/py3-*/sampling.cpp"):  # modules that are compiled as one
        together = set(re.findall(r'"(\w+)\.cu"', path.read_text(encoding="utf-8")))
        if changed & together:
            del built["sampling"]
            changed |= together
    with TemporaryDirectory() as name:
        folder = Path(name)
        for module in changed:
            built[module] = folder / f"{module}.o"
            compiler(*OPTIONS, *machine, "-c", ROOT / "kernels" / f"{module}.cu", "-o", built[module])
        # The digest is that of the sources with the fault, as a program of its own sees them.
        digest = "from texsamp.device.sources import kernel_digest; print(kernel_digest(), end='')"
        told = subprocess.run([sys.executable, "-c", digest], capture_output=True, text=True, check=True).stdout
        (folder / "built_from.cpp").write_text(
            f'extern "C" __attribute__((visibility("default"))) const char kernel_digest[] = "{told}";\n'
        )
        compiler("-shared", "-fPIC", folder / "built_from.cpp", *built.values(), "-o", folder / "made.so")
        library.unlink()
        library.write_bytes((folder / "made.so").read_bytes())


def includes(module: str) -> set[str]:
    """Headers that a module includes, in quotes, at any depth."""
    found: set[str] = set()
    waiting = [f"{module}.cu"]
    while waiting:
        named = re.findall(r'#include ("[\w.]+")', (ROOT / "kernels" / waiting.pop()).read_text(encoding="utf-8"))
        waiting += [name.strip('"') for name in named if name not in found]
        found.update(named)
    return found


def compiler(*arguments: object) -> None:
    """Run the C++ compiler."""
    subprocess.run(["c++", *map(str, arguments)], check=True)


def main(areas: list[str]) -> None:
    """Try faults, all of them or those of areas, and write down who found them."""
    quick = quick_tests()
    rows = {row["area"]: row for row in csv.DictReader(RESULTS.open(newline=""))} if RESULTS.exists() else {}
    for fault in FAULTS:
        if areas and fault.area not in areas:
            continue
        files = files_of(fault)
        with planted(fault):
            share = [test for test in quick if test.startswith(tuple(files))]
            others = [test for test in quick if not test.startswith(tuple(files))]
            found = "--quick" if fails(share) or fails(others) else "its folder" if fails(files) else "nobody"
        print(f"{fault.area}: {found}", flush=True)
        rows[fault.area] = {"area": fault.area, "file": fault.file, "fault": fault.wrong, "found by": found}
        with RESULTS.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, ["area", "file", "fault", "found by"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[each.area] for each in FAULTS if each.area in rows)


if __name__ == "__main__":
    main(sys.argv[1:])
