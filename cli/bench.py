"""`texsamp bench`: the benchmarks of the source tree."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import typer

from texsamp.errors import TexsampError


def bench(ctx: typer.Context) -> None:
    """Run the source tree's benchmarks.

    The same as `python -m benchmarks`, with the same arguments, in the top folder of the source tree.
    """
    if not Path("benchmarks", "__main__.py").is_file():
        raise TexsampError(
            "the benchmarks are not part of the installed package: run this in the top folder of texsamp's source tree"
        )
    sys.path.append(str(Path.cwd()))  # last, so that the source tree does not hide an installed texsamp
    sys.argv[1:] = ctx.args
    runpy.run_module("benchmarks", run_name="__main__", alter_sys=True)
