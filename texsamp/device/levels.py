"""Instruction set levels of this processor; run by itself it prints them, which is what CMakeLists.txt asks for."""

import platform
from pathlib import Path

X86_LEVELS: dict[str, frozenset[str]] = {
    "v4": frozenset("avx512f avx512bw avx512cd avx512dq avx512vl".split()),
    "v3": frozenset("avx avx2 bmi1 bmi2 f16c fma abm movbe xsave".split()),
    "v2": frozenset("cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3".split()),
}
"""Processor flags (as Linux names them) that each x86-64 level adds, highest level first."""


def _processor_flags() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    line = next((row for row in text.splitlines() if row.startswith("flags")), "")
    return frozenset(line.partition(":")[2].split())


def supported_levels() -> tuple[str, ...]:
    """Instruction set levels this processor runs, best first; without /proc/cpuinfo v2 is assumed.

    "generic" is last: it is what a compiler that does not know the levels has built.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ("generic",)
    flags = _processor_flags()
    if not flags:
        return ("v2", "generic")
    runs = {level: flags >= wanted for level, wanted in X86_LEVELS.items()}
    return (*(level for level in runs if all(runs[below] for below in runs if below <= level)), "generic")


if __name__ == "__main__":
    print(";".join(supported_levels()))
