"""Run the pictures on a kernel library built by a test, and compare with the package's: LIBRARY TILES PATTERN LIMIT.

LIMIT: so many pictures of each family (the first word of their names), spread over all of them. Pictures that need
a kernel that the library lacks are left out.

A program of its own, because sanitizers must be in a process from its start. Exit status 1 if a result differs.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pictures import CASES, Case, ExactDevice

from texsamp.errors import DeviceError


def chosen(pattern: str, limit: int) -> list[Case]:
    families: dict[str, list[Case]] = {}
    for case in CASES:
        if re.search(pattern, case.name):
            families.setdefault(case.name.partition("-")[0], []).append(case)
    return [case for family in families.values() for case in family[:: -(-len(family) // limit)]]


def main(library: str, tiles: str, pattern: str, limit: str) -> int:
    built, packaged = ExactDevice(Path(library), tiles), ExactDevice()
    different, left_out = [], []
    cases = chosen(pattern, int(limit))
    for case in cases:
        print(case.name, flush=True)
        try:
            made = case.run(built)
        except DeviceError as error:
            assert "no kernel named" in str(error)
            left_out.append(case.name)
            continue
        if any(a.tobytes() != b.tobytes() for a, b in zip(made, case.run(packaged), strict=True)):
            different.append(case.name)
    print(f"{len(cases)} cases, left out: {len(left_out)}, different: {different}", flush=True)
    return int(bool(different) or len(left_out) == len(cases))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
