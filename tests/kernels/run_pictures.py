"""Run the pictures on a kernel library built by a test, and compare with the package's: LIBRARY TILES PATTERN STRIDE.

A program of its own, because sanitizers must be in a process from its start. Exit status 1 if a result differs.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pictures import CASES, ExactDevice


def main(library: str, tiles: str, pattern: str, stride: str) -> int:
    built, packaged = ExactDevice(Path(library), tiles), ExactDevice()
    different = []
    cases = [case for case in CASES if re.search(pattern, case.name)][:: int(stride)]
    for case in cases:
        print(case.name, flush=True)
        pairs = zip(case.run(built), case.run(packaged), strict=True)
        if any(a.tobytes() != b.tobytes() for a, b in pairs):
            different.append(case.name)
    print(f"{len(cases)} cases, different: {different}", flush=True)
    return int(bool(different) or not cases)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
