"""The C++ compiler, and libraries of the kernels built in other ways than the package's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.kept import folder, kept, key_of

from texsamp.device.sources import kernel_directory

SAME_AS_THE_PACKAGE = ("-fopenmp-simd", "-ffp-contract=off", "-fPIC", "-Wall", "-Wextra", "-x", "c++")


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: $CXX, else g++, else c++. version: what it says that it is."""

    path: str
    version: str

    @property
    def is_gcc(self) -> bool:
        return "Free Software Foundation" in self.version

    def __call__(self, *arguments: object) -> str:
        """Run it; its messages if it succeeds, else the test fails with them."""
        command = [self.path, *map(str, arguments)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{' '.join(command)}\n{ran.stdout}{ran.stderr}"
        return ran.stdout + ran.stderr

    def made(self, source: Path, options: Sequence[str], suffix: str, make: Callable[[Path], object]) -> Path:
        """A file made of a kernel file and all that it includes, with these options, unless it was made before."""
        expanding = [each for each in options if each.startswith(("-std=", "-march=", "-O", "-D", "-fsanitize="))]
        expanded = self("-E", *expanding, "-x", "c++", source).replace(str(source.parent), "")
        path = folder("objects") / f"{key_of(self.version, options, expanded)}{suffix}"
        kept(path, make)
        return path

    def objects(self, sources: Sequence[Path], options: Sequence[str]) -> dict[str, Path]:
        """Object files of kernel files, by the kernel file's stem."""
        every = (*options, *SAME_AS_THE_PACKAGE)

        def compiled(source: Path) -> Path:
            return self.made(source, every, ".o", lambda target: self(*every, "-c", source, "-o", target))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip((source.stem for source in sources), pool.map(compiled, sources), strict=True))

    def library(self, folder: Path, objects: dict[str, Path], options: Sequence[str]) -> Path:
        """A shared library of object files."""
        self(*options, "-shared", *objects.values(), "-o", folder / "kernels.so")
        return folder / "kernels.so"


@pytest.fixture(scope="session")
def compiler() -> Compiler:
    named = os.environ.get("CXX")
    path = shutil.which(named) if named else shutil.which("g++") or shutil.which("c++")
    assert path is not None, f"these tests need a C++ compiler; CXX is {named!r}, g++ and c++ are not found"
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    return Compiler(path, version)


@pytest.fixture(scope="session")
def gcc(compiler: Compiler) -> Compiler:
    if not compiler.is_gcc:
        pytest.skip(f"these options and reports are g++'s; the compiler is {compiler.path}")
    return compiler


@pytest.fixture(scope="session")
def kernel_files() -> list[Path]:
    return sorted(kernel_directory().glob("*.cu"))


NO_ROOM = "ERROR: ThreadSanitizer failed to allocate"
"""Its shadow memory collided with a randomly placed mapping: says nothing about the kernels."""

RunPictures = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def run_pictures(gcc: Compiler) -> RunPictures:
    """Runs run_pictures.py in a process with a sanitizer's run-time library in place before everything else."""

    def run(
        library: Path, runtime: str, tiles: str, environment: dict[str, str], pattern: str = "", limit: int = 1000
    ) -> subprocess.CompletedProcess[str]:
        preload = [gcc(f"-print-file-name={name}").strip() for name in (runtime, "libstdc++.so")]
        script = Path(__file__).with_name("run_pictures.py")
        for _ in range(3):
            ran = subprocess.run(
                [sys.executable, script, str(library), tiles, pattern, str(limit)],
                env={**os.environ, "LD_PRELOAD": " ".join(preload), "TEXSAMP_THREADS": "1", **environment},
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
            if NO_ROOM not in ran.stderr:
                break
        return ran

    return run
