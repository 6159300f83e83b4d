"""How long `ts.verify` takes for a picture of 1080p, each in a process of its own, as a user's first call."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import texsamp as ts

_WIDTH, _HEIGHT, _SIDE, _CUBE, _VOLUME = 1920, 1080, 1024, 256, 64
_TURN_RAD, _ACROSS_TEXELS = 0.5, 1.5


@dataclass(frozen=True)
class Case:
    """What is sampled. stretch: how many times longer than wide a pixel is, in texels of level 0; cubes have none."""

    texture: str
    format: str
    filter: str
    stretch: float
    address: str = "wrap"


@dataclass(frozen=True)
class Row:
    """Least of three processes; CPU time is that of all threads."""

    texture: str
    format: str
    filter: str
    stretch: float
    address: str
    wall_s: float
    cpu_s: float
    rejected: int


_BYTES, _FLOATS = "R8G8B8A8_UNORM", "R32G32B32A32_FLOAT"
CASES = [
    *(Case("2D", format, filter, 1.78) for format in (_BYTES, _FLOATS) for filter in ("nearest", "linear")),
    *(Case("2D", format, "anisotropic", stretch) for format in (_BYTES, _FLOATS) for stretch in (1.78, 6.0, 16.0)),
    *(Case("2D", format, "anisotropic", 16.0, "border") for format in (_BYTES, _FLOATS)),
    *(Case("3D", format, "linear", 1.78) for format in (_BYTES, _FLOATS)),
    *(Case("CUBE", format, filter, 0, "cube") for format in (_BYTES, _FLOATS) for filter in ("linear", "anisotropic")),
]


def _surface(case: Case) -> ts.Surface:
    random = np.random.default_rng(0)
    shape = {
        "2D": (_SIDE, _SIDE, 4),
        "3D": (_VOLUME, _VOLUME, _VOLUME, 4),
        "CUBE": (6, _CUBE, _CUBE, 4),
    }[case.texture]
    texels = random.random(shape, np.float32) if case.format == _FLOATS else random.integers(0, 256, shape, np.uint8)
    return ts.Surface.from_array(texels, format=case.format, type=case.texture, mips="box", device="cpu")  # type: ignore[arg-type]


def _places(case: Case) -> list[Any]:
    y, x = np.mgrid[:_HEIGHT, :_WIDTH].astype(np.float64)
    if case.texture == "CUBE":
        around, up = x / _WIDTH * 2 * np.pi, (y / _HEIGHT - 0.5) * np.pi
        places = [np.cos(around) * np.cos(up), np.sin(up), np.sin(around) * np.cos(up)]
    else:
        along, across = case.stretch * _ACROSS_TEXELS / _SIDE, _ACROSS_TEXELS / _SIDE
        u = x * along * np.cos(_TURN_RAD) - y * across * np.sin(_TURN_RAD)
        v = x * along * np.sin(_TURN_RAD) + y * across * np.cos(_TURN_RAD)
        places = [u, v, 0.3 * u + 0.7 * v][: 3 if case.texture == "3D" else 2]
    return [place.astype(np.float32) for place in places]


def _measured(case: Case) -> Row:
    surface, places = _surface(case), _places(case)
    sampler = ts.Sampler(
        min_filter=case.filter,  # type: ignore[arg-type]
        mag_filter=case.filter,  # type: ignore[arg-type]
        mip_filter="nearest" if case.filter == "nearest" else "linear",
        address=case.address,
        max_anisotropy=16,
    )
    result = ts.sample(surface, sampler, *places)
    wall, cpu = time.perf_counter(), time.process_time()
    rejected = ts.verify(surface, sampler, *places, result=result).rejected
    return Row(**asdict(case), wall_s=time.perf_counter() - wall, cpu_s=time.process_time() - cpu, rejected=rejected)


def verify() -> list[Row]:
    """Every case."""
    rows = []
    for number in range(len(CASES)):
        command = [sys.executable, "-m", "benchmarks.verify", str(number)]
        runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3)]
        rows.append(min((Row(**run) for run in runs), key=lambda row: row.wall_s))
    return rows


if __name__ == "__main__":
    print(json.dumps(asdict(_measured(CASES[int(sys.argv[1])]))))
