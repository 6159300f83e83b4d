"""The house stays in order: who may import whom, no circles, no long files, no stray headers."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 500

ROOMS = {
    "texsamp.emulator": ("commands", "dispatch", "listing", "shared", "fixed", "eu", "context", "files"),
    "texsamp.emulator.eu": ("engine", "sends", "control", "alu", "registers", "isa"),
    "texsamp.io": ("output", "streams", "input", "textures", "frames", "files"),
}
"""Folders of packages; each imports only itself and those behind it, and what stands beside them imports any."""

MAY_IMPORT = {
    # Down only; siblings do not import each other. Each part may also import itself and everything below.
    "cli": {
        "atlas",
        "bench",
        "progress",
        "plan",
        "process",
        "batch",
        "compare",
        "demo",
        "draw",
        "hashes",
        "replay",
        "verify",
        "view",
    },
    "plan": {"process"},  # the same job, not done
    "bench": {"io"},
    "demo": {"process"},  # whole jobs, as process is
    "draw": {"io"},
    "atlas": {"verify"},
    "verify": {"sampler", "quality"},
    "compare": {"process", "quality", "report"},
    "report": {"shown"},
    "view": {"io"},
    "progress": {"io"},
    "hashes": {"process"},
    "segments": {"io"},
    "batch": {"process"},
    "replay": {"process", "quality", "report"},
    "process": {"emulator", "segments", "report"},
    "emulator": {"video", "sampler"},
    "io": {"video", "sampler"},
    "torch": {"sampler"},
    "imageio_plugin": {"io"},
    "video": {"surface", "fidelity"},
    "sampler": {"surface"},
    "surface": {"state", "device"},
    "device": set(),
    "state": {"shown"},
    "quality": {"shown"},
    "shown": set(),
    "fidelity": set(),
    "errors": set(),
    "cached": set(),
}
FOREIGN = {
    # What else a part may import; the standard library is free to all.
    "atlas": {"numpy", "moderngl"},
    "errors": set(),
    "cached": set(),
    "fidelity": set(),
    "state": {"numpy"},  # tables as arrays
    "quality": {"numpy"},
    "shown": {"numpy", "PIL"},
    "device": {"numpy", "cupy", "cuda"},
    "surface": {"numpy", "etcpak", "astc_encoder", "ispc_texcomp"},  # the encoders in a program of its own
    "sampler": {"numpy"},
    "torch": {"torch"},
    "imageio_plugin": {"numpy", "imageio"},
    "video": {"numpy"},
    "emulator": {"numpy"},
    # backports, compression: zstd, by Python version; matplotlib, OpenEXR, opengl_basisu: extras
    "io": {"numpy", "av", "imageio", "PIL", "OpenEXR", "opengl_basisu", "backports", "compression", "matplotlib"},
    "process": {"numpy"},
    "compare": {"numpy"},
    "report": {"numpy", "PIL", "jinja2"},
    "view": {"numpy"},
    "progress": {"rich"},
    "bench": set(),
    "hashes": set(),
    "segments": set(),
    "batch": {"distributed"},
    "replay": {"numpy"},
    "plan": set(),
    "demo": {"numpy"},
    "draw": {"numpy"},
    "verify": {"numpy"},
    "cli": {"numpy", "typer", "click", "rich", "texsamp_script"},
}


def allowed(part: str) -> set[str]:
    """Everything below a part, and the part itself; errors and cached properties lie under all."""
    below = {part, "errors", "cached"}
    waiting = [part]
    while waiting:
        for lower in MAY_IMPORT[waiting.pop()] - below:
            below.add(lower)
            waiting.append(lower)
    return below


def modules() -> dict[str, Path]:
    """Dotted name to file, as installed: the folder cli is texsamp.cli."""
    files = sorted((ROOT / "texsamp").rglob("*.py")) + sorted((ROOT / "cli").rglob("*.py"))
    names = {}
    for path in files:
        parts = path.relative_to(ROOT).with_suffix("").parts
        parts = ("texsamp", *parts) if parts[0] == "cli" else parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


MODULES = modules()


def part_of(module: str) -> str:
    """The part of the house: the first name below texsamp; the root package itself is on top of all."""
    return [*module.split("."), ""][1]


def imports(path: Path, module: str, *, at_import_time: bool = False) -> Iterator[tuple[str, int]]:
    """Names of imported modules and line numbers; ``from package import module`` names the module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if not at_import_time else _run_at_import(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module if path.stem == "__init__" else module.rpartition(".")[0]
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield (inner if inner in MODULES else source), node.lineno


def _run_at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes outside functions and ``if TYPE_CHECKING``."""
    for node in ast.iter_child_nodes(tree):
        lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if not lazy and not typing_only:
            yield node
            yield from _run_at_import(node)


def test_every_part_has_its_place():
    parts = {part_of(module) for module in MODULES} - {""}
    assert parts <= set(MAY_IMPORT), "say in MAY_IMPORT and FOREIGN what a new part may import"
    assert set(FOREIGN) == set(MAY_IMPORT)


@pytest.mark.parametrize("module", [name for name in MODULES if part_of(name)])
def test_imports_point_down(module):
    part = part_of(module)
    for name, line in imports(MODULES[module], module):
        if name.split(".")[0] != "texsamp":
            continue
        if name == "texsamp":
            assert part == "cli", f"{module}:{line} imports the whole package"
            continue
        assert part_of(name) in allowed(part), f"{module}:{line}: {part} must not import {part_of(name)} ({name})"


@pytest.mark.parametrize("module", [name for name in MODULES if part_of(name)])
def test_only_the_libraries_of_its_part(module):
    part = part_of(module)
    for name, line in imports(MODULES[module], module):
        first = name.split(".")[0]
        if first != "texsamp" and first not in sys.stdlib_module_names:
            assert first in FOREIGN[part], f"{module}:{line}: {part} must not import {first}"


def room_of(module: str, package: str) -> str:
    """The folder of a package that a module is in; empty for what stands beside the folders."""
    room, _, name = module.removeprefix(f"{package}.").partition(".")
    return room if name or MODULES[module].stem == "__init__" else ""


def inside(package: str) -> list[str]:
    return [name for name in MODULES if name.startswith(f"{package}.") and room_of(name, package)]


@pytest.mark.parametrize("package", ROOMS)
def test_folders_of_a_package_import_down(package):
    rooms = ROOMS[package]
    assert {room_of(module, package) for module in inside(package)} == set(rooms)
    for module in inside(package):
        room = room_of(module, package)
        for name, line in imports(MODULES[module], module):
            if name.startswith(f"{package}."):
                below = rooms[rooms.index(room) :]
                assert room_of(name, package) in below, f"{module}:{line}: {room} must not import {name}"


def test_device_knows_nothing_of_pictures():
    assert allowed("device") == {"device", "errors", "cached"}
    assert allowed("quality") == {"quality", "errors", "cached", "shown"}
    assert "sampler" not in allowed("video")
    assert "video" not in allowed("sampler")


def test_no_circles():
    """Among what is imported when a module is; importing ``a.b`` also runs ``a``, which is not counted for its own."""
    graph = {
        module: {name for name, _ in imports(path, module, at_import_time=True) if name in MODULES and name != module}
        for module, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"circle: {' -> '.join(error.args[1])}")


def test_no_circles_of_folders():
    """Nor among the folders inside a part: one that looks at another is not looked at by it."""
    graph: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        folder = _folder(module)
        others = {_folder(name) for name, _ in imports(path, module) if name in MODULES}
        graph.setdefault(folder, set()).update(o for o in others - {folder} if o.count(".") == folder.count(".") == 2)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"circle: {' -> '.join(error.args[1])}")


def _folder(module: str) -> str:
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def _sources() -> list[Path]:
    folders = ("texsamp", "cli", "kernels", "tests", "benchmarks")
    suffixes = {".py", ".h", ".cu"}
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)


@pytest.mark.parametrize("path", _sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_files_have_one_reason_to_exist(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_LINES, f"{path.name} has {lines} lines, more than {MAX_LINES}: it does more than one thing"


def test_every_header_is_included_somewhere():
    sources = [path for path in (ROOT / "kernels").iterdir() if path.suffix in {".h", ".cu"}]
    included = {name for path in sources for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)}
    assert {path.name for path in sources if path.suffix == ".h"} == included


def test_every_macro_of_the_kernels_is_used():
    texts = [path.read_text() for path in (ROOT / "kernels").iterdir() if path.suffix in {".h", ".cu"}]
    for macro in {name for text in texts for name in re.findall(r"#define (\w+)", text)}:
        assert any(re.search(rf"(?<!#define )\b{macro}\b", text) for text in texts), macro


def test_only_the_portable_headers_know_the_device():
    for path in (ROOT / "kernels").iterdir():
        if path.name not in (
            "portable.h",
            "portable_differences.h",
            "portable_eights.h",
            "portable_elements.h",
            "portable_gather.h",
            "portable_lines.h",
            "portable_rolled.h",
            "portable_sums.h",
            "portable_vectors.h",
            "portable_words.h",
        ):
            assert "__CUDA" not in path.read_text(), path.name


OPTIONAL = {
    "psutil", "distributed", "jinja2", "OpenEXR", "imagecodecs", "matplotlib", "astc_encoder", "etcpak",
    "texture2ddecoder", "cuda", "torch", "jax", "mypy", "pyright",
}  # fmt: skip
"""What a machine with a GPU may lack; a test file that cannot be imported there would end the whole run."""


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.stem)
def test_tests_can_be_collected_without_optional_packages(path):
    names = {name.split(".")[0] for name, _ in imports(path, path.stem, at_import_time=True)}
    assert not names & OPTIONAL, "use pytest.importorskip"
