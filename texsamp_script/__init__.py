"""The `texsamp` script, outside the package because importing that takes a moment, in which Ctrl-C may come."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_INTERRUPTED = 130  # as texsamp.cli.main has it


@contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Imports, in which Ctrl-C ends the process without a word: modules half imported have no way to say it.

    What they make stays, so garbage is not looked for among it, which would take a tenth of their time.
    """
    taken = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else the shell has it ignored
    if taken:
        signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(_INTERRUPTED))
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        if taken:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> None:
    """Run the command."""
    with quiet_interrupts():
        from texsamp.cli.main import main as run
    run()
