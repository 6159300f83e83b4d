"""Processes of this machine that segments are given to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Any, Protocol

from texsamp.errors import MediaError


class Coming(Protocol):
    """What will have been made."""

    def result(self, timeout: float | None = None) -> Any:
        """It, or its exception; TimeoutError if it takes longer than so many seconds."""


class Pool(Protocol):
    """Who does work, elsewhere."""

    def submit(self, work: Callable[..., Any], /, *values: Any) -> Coming:
        """Have ``work(*values)`` done; all of it travels."""


Pools = Callable[[int], AbstractContextManager[Pool]]
"""Gives a pool for so many at once, for as long as its context lasts."""


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that do not outlive what they are for, nor this one. MediaError if one of them dies."""
    others = set(active_children())
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_end_with_parent)
    try:
        yield pool
    except BrokenExecutor:
        raise MediaError("a process that worked on a segment died") from None
    finally:
        for process in set(active_children()) - others:
            process.terminate()
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however that ended."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, name="texsamp-parent", daemon=True).start()
