"""The `texsamp` command as a real process."""

import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-c", "from texsamp_script import main; main()"]


def texsamp(*arguments: str | Path, cwd: Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run it in a folder that is not the source tree, and wait."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, timeout=120, check=False)


def one_line(stderr: bytes) -> str:
    """The only line of an error output, which is no traceback."""
    (line,) = stderr.decode().splitlines()
    assert line.startswith("texsamp: ")
    return line
