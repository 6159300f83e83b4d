"""The `texsamp` script, outside the package because importing that takes a moment, in which Ctrl-C may come."""

from __future__ import annotations

import os
import signal

_INTERRUPTED = 130  # as texsamp.cli.main has it


def main() -> None:
    """Run the command; Ctrl-C while it is still being imported ends it without a word."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # not where the shell has it ignored, as for jobs in the background
        signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(_INTERRUPTED))
    from texsamp.cli.main import main as run

    signal.signal(signal.SIGINT, before)
    run()
