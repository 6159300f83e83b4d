"""The `texsamp` command as a real process."""

import subprocess
import sys
from pathlib import Path

from support import forked

COMMAND = [sys.executable, "-c", "from texsamp_script import main; main()"]


def texsamp(*arguments: str | Path, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run it in a folder that is not the source tree, and wait."""
    return forked.server().run([str(argument) for argument in arguments], cwd, stdin)


def one_line(stderr: bytes) -> str:
    """The only line of an error output, which is no traceback."""
    (line,) = stderr.decode().splitlines()
    assert line.startswith("texsamp: ")
    return line
