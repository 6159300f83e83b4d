"""The stand-in has no name and takes no keyword that CuPy does not: looked up in the real package, major by major."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.pretended_cuda import pretended_cuda

ROOT = Path(__file__).resolve().parents[2]
REAL = Path(__file__).parents[1] / "support" / "real_cupy.py"
MODULES = (
    "cupy",
    *(f"cupy.cuda{name}" for name in ("", ".compiler", ".driver", ".function", ".memory", ".nvrtc", ".runtime")),
)
OURS = {"standin", "owner", "allocation", "loaded", "source", "name", "options", "backend"}
"""Names of the stand-in's own, and attributes of instances, which a class does not show."""


def parameters(thing: object) -> list[str]:
    """Those with a name of their own; an argument that is passed by place alone may be named otherwise."""
    return [
        name
        for name, each in inspect.signature(thing).parameters.items()
        if each.default is not each.empty and each.kind != each.VAR_KEYWORD
    ]


def used_names(cupy: ModuleType) -> dict[str, list[str]]:
    """Dotted name to keywords of all that the stand-in offers."""
    arrays = importlib.import_module("cupy._arrays")
    names: dict[str, list[str]] = {f"cupy.{name}": list(words) for name, words in arrays.FUNCTIONS.items()}
    names |= {f"cupy.{name}": [] for name in arrays.UFUNCS}
    names |= {f"cupy.ndarray.{name}": [] for name in arrays.METHODS}
    names |= {f"cupy._core.flags.Flags.{name}": [] for name in arrays.FLAGS}
    for place in MODULES:
        module = importlib.import_module(place)
        offered = getattr(module, "__all__", None) or [
            name for name in vars(module) if name.startswith(("get", "create"))
        ]
        for name in set(offered) - OURS:
            thing = getattr(module, name)
            names[f"{place}.{name}"] = parameters(thing) if inspect.isfunction(thing) else []
            if inspect.isclass(thing) and thing.__module__.startswith("cupy"):
                for part, member in vars(thing).items():
                    if not part.startswith("_") and part not in OURS:
                        names[f"{place}.{name}.{part}"] = parameters(member) if inspect.isfunction(member) else []
    return names


@pytest.fixture(scope="module")
def names() -> dict[str, list[str]]:
    with pretended_cuda() as cupy:
        return used_names(cupy)


def ask(folder: Path, names: dict[str, list[str]]) -> dict[str, object]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    ran = subprocess.run(
        [sys.executable, str(REAL)],
        input=json.dumps(names),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_there_are_names(names):
    assert {"cupy.ndarray.get", "cupy.cuda.nvrtc.getCUBIN", "cupy.cuda.Stream.wait_event", "cupy.copyto"} <= set(names)
    assert names["cupy.ndarray.get"] == ["stream", "order", "out", "blocking"]
    assert len(names) > 80


@pytest.mark.parametrize("major", [13, 14])
def test_the_real_package_has_them(names, major):
    folder = ROOT / "build" / f"cupy-{major}"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there (.ci/run installs CuPy {major} into it)")
    answer = ask(folder, names)
    assert answer["version"].startswith(f"{major}.")
    assert answer["missing"] == []
    wrong = ask(folder, {"cupy.nonesuch": [], "cupy.ndarray.get": ["nonesuch"], "cupy.empty": ["nonesuch"]})
    assert len(wrong["missing"]) == 3
