"""How a run ends on signals: tidily where Python can react to them, and within two seconds where it cannot."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)  # SIGHUP: the terminal was closed
_GRACE_S = 1.5
_LEFT_BY = {"texsamp.batch.local": "end_living", "texsamp.io.files.temporary": "remove_living"}
"""Modules of what outlives a process that ends without Python's way out, and what removes it."""
_leaving = threading.Lock()
_said = threading.Lock()


def say_interrupted() -> None:
    """Say it once, whoever comes first: the main thread, or the one that no longer waits for it."""
    if _said.acquire(blocking=False):
        with suppress(OSError, ValueError):
            print("texsamp: interrupted", file=sys.stderr, flush=True)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def end_on_signals() -> None:
    """Turn signals into exceptions, so that temporary files are removed; a thread sees to it that this takes no longer.

    Python's own handler waits for the main thread, which may be inside an encoder or the kernel.
    """
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup has it ignored
            signal.signal(number, _leave)
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(told,), name="texsamp-signals", daemon=True).start()


def _clean_up() -> bool:
    """Remove what is left; whether something stays that Python would wait for. What was never imported left nothing."""
    there = [(sys.modules[name], clean) for name, clean in _LEFT_BY.items() if name in sys.modules]
    return any([getattr(module, clean)() for module, clean in there])


def _watch(told: int) -> NoReturn:
    while (number := os.read(told, 1)[0]) not in (signal.SIGINT, *ENDING_SIGNALS):
        pass
    time.sleep(_GRACE_S)
    with _leaving:
        if number == signal.SIGINT:
            say_interrupted()
        _clean_up()
        os._exit(128 + number)


def leave_threads_behind(status: int) -> None:
    """End the process now if a thread still waits for a pipe or works in FFmpeg, where Python would wait for it.

    Temporary files and workers go before, also those whose removal a signal interrupted. More signals change nothing.
    """
    for number in (signal.SIGINT, *ENDING_SIGNALS):
        signal.signal(number, signal.SIG_IGN)
    with _leaving:
        stays = _clean_up()
        if stays or any(t.name in ("texsamp-decode", "texsamp-encode") for t in threading.enumerate()):
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(status)
