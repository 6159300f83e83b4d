"""The package built, installed and imported the way users do, and what is said when that cannot work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from texsamp.device.levels import supported_levels

ROOT = Path(__file__).resolve().parent.parent.parent
NEEDED = (
    "pyproject.toml",
    "CMakeLists.txt",
    "README.md",
    "LICENSE",
    "texsamp",
    "kernels",
    "cli",
    "texsamp_script",
    "docs/texsamp.1",
)
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def run(*command: object, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)


def copy_source(folder: Path) -> Path:
    """What the package is built from, and nothing else."""
    folder.mkdir()
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def build_wheel(source: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    # One library for any processor instead of three: the path of compilers that do not know the x86-64 levels
    generic = "--config-settings=cmake.define.TEXSAMP_LEVELS=generic"
    command = (*PIP, "wheel", "-v", "--no-deps", "--no-build-isolation", generic, "-w", folder, source)
    return run(*command, env={**os.environ, **environment})


def quick_compiler(folder: Path) -> Path:
    """The compiler without its optimizations: what the package holds and whether it runs do not depend on them."""
    compiler = folder / "compiler"
    compiler.write_text(f'#!/bin/sh\nexec {os.environ.get("CXX", "c++")} "$@" -O0\n')
    compiler.chmod(0o755)
    return compiler


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = build_wheel(copy_source(folder / "source"), folder, CXX=str(quick_compiler(folder)))
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-1000:]
    (made,) = folder.glob("texsamp-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Python of a fresh environment with the wheel in it; the dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("fresh")
    assert run(sys.executable, "-m", "venv", "--without-pip", folder).returncode == 0
    python = folder / "bin" / "python"
    install = run(*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel)
    assert install.returncode == 0, install.stdout + install.stderr
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    dependencies = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    Path(packages, "dependencies.pth").write_text("\n".join(dependencies) + "\n")
    return python


def test_the_wheel_carries_kernels_commands_and_libraries(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for source in (ROOT / "kernels").iterdir():
        assert f"texsamp/kernels/{source.name}" in names
    for folder, inside in (("texsamp", "texsamp"), ("cli", "texsamp/cli")):
        for source in (ROOT / folder).rglob("*"):
            if source.is_file() and "__pycache__" not in source.parts:
                assert f"{inside}/{source.relative_to(ROOT / folder).as_posix()}" in names
    assert "texsamp/_kernels_generic.so" in names
    outside = {name for name in names if not name.startswith(("texsamp/", "texsamp-"))}
    assert outside == {"texsamp_script/__init__.py"}  # what the command starts with
    assert any(name.endswith(".data/data/share/man/man1/texsamp.1") for name in names)


def test_the_installed_package_runs(installed, tmp_path):
    program = (
        "import texsamp, numpy as np\n"
        "from texsamp.device.sources import kernel_modules, kernel_source\n"
        "frame = texsamp.Frame.from_arrays('gray', [np.arange(64, dtype='u1').reshape(8, 8)], 8, 8, 'cpu')\n"
        "from texsamp.video.scale import Scale\n"
        "(out,) = Scale(16, 16).feed(frame)\n"
        "sources = [kernel_source(module) for module in kernel_modules()]\n"
        "print(texsamp.__file__, out.planes[0].shape, all(sources), len(sources))\n"
    )
    ran = run(installed, "-c", program, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(str(installed.parent.parent)), "another texsamp was imported"
    modules = len(list((ROOT / "kernels").glob("*.cu")))
    assert ran.stdout.strip().endswith(f"(16, 16) True {modules}")


def test_the_command_is_installed(installed, tmp_path):
    ran = run(installed.with_name("texsamp"), "info", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "generic kernels" in ran.stdout


def test_the_build_names_kernels_that_there_are():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    once = [name for words in re.findall(r"set\((?:ENOUGH|LONGEST) ([^)]*)\)", text) for name in words.split()]
    assert len(once) > 20
    assert len(set(once)) == len(once)
    lean = [words.split() for words in re.findall(r"set\(\w+_KERNELS ([^)]*)\)", text)]
    assert [len(set(names)) for names in lean] == [len(names) for names in lean] != []
    kernels = {path.stem for path in (ROOT / "kernels").glob("*.cu")}
    assert {*once, *(name for names in lean for name in names)} <= kernels | {"sampling"}


@pytest.mark.skipif(
    supported_levels()[0] in ("v2", "generic"), reason="this machine's level is the one for others, too"
)
def test_kernels_for_other_machines_are_what_compiles_quickly(tmp_path):
    native = supported_levels()[0]
    options = ("CMAKE_BUILD_TYPE=Release", "CMAKE_EXPORT_COMPILE_COMMANDS=ON", "TEXSAMP_LEVELS=native")
    defined = [f"-D{option}" for option in (*options, f"Python_EXECUTABLE={sys.executable}")]
    alone = {name: value for name, value in os.environ.items() if name != "CMAKE_CXX_COMPILER_LAUNCHER"}
    configured = run("cmake", "-S", ROOT, "-B", tmp_path, *defined, env=alone)
    assert configured.returncode == 0, configured.stdout + configured.stderr
    commands = [each["command"] for each in json.loads((tmp_path / "compile_commands.json").read_text())]
    kernels = [command.split() for command in commands if command.endswith((".cu", "/sampling.cpp"))]
    together = re.findall(r'#include "(.*)"', (tmp_path / "sampling.cpp").read_text(encoding="utf-8"))
    compiled = [Path(words[-1]).name for words in kernels if words[-1].endswith(".cu")] + 2 * together
    assert sorted(compiled) == sorted(2 * [path.name for path in (ROOT / "kernels").glob("*.cu")])
    for words in kernels:
        effort = [word for word in words if re.fullmatch(r"-O\d", word)][-1]
        assert (effort == "-O1") == ("-march=x86-64-v2" in words) == (f"-march=x86-64-{native}" not in words), words
    if "-- The CXX compiler identification is GNU" in configured.stdout:
        separate = {Path(words[-1]).stem for words in kernels if "-include" not in words}
        assert separate == {"color"}, "all kernels but that with vectors of its own share headers that are read once"
        assert len({words[words.index("-include") + 1] for words in kernels if "-include" in words}) == 4


def test_source_distributions_take_folders_of_the_root_alone():
    """A bare name would take build/.../kernels, too."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    assert [path for path in settings["sdist"]["include"] if not path.startswith("/")] == []


def test_the_bare_source_tree_says_how_to_install(tmp_path):
    shutil.copytree(ROOT / "texsamp", tmp_path / "texsamp", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    ran = run(sys.executable, "-S", "-c", "import texsamp", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert ran.returncode == 1
    assert "ImportError: texsamp is not installed" in ran.stderr
    assert "pip install ." in ran.stderr


def test_without_a_compiler_the_build_says_what_is_missing(tmp_path):
    built = build_wheel(copy_source(tmp_path / "source"), tmp_path, CXX="/nonexistent/c++")
    assert built.returncode != 0
    assert "texsamp needs a C++17 compiler" in built.stdout + built.stderr


def test_no_version_of_pyav_is_asked_for_that_nothing_was_tried_with():
    """PyAV 19, which pip would choose from Python 3.12 on, takes other arguments than 18 and gives other types."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    (asked,) = [each for each in needed if each.startswith("av>")]
    assert asked.endswith(f",<{int(metadata.version('av').partition('.')[0]) + 1}")
