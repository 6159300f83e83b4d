"""Work of streams: done when it is queued, or, while `deferring`, some time later in an order that events allow.

Which of the works that could be next is done next is drawn by lot, so that one that waits for too little finds memory
unwritten, written too early, or gone.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class Work:
    """Something queued; it can be done when all of ``needs`` are."""

    what: str
    run: Callable[[], None]
    needs: list[Work]
    done: bool = False


@dataclass
class _Queues:
    random: random.Random
    tails: dict[Any, Work] = field(default_factory=dict)
    pending: list[Work] = field(default_factory=list)
    order: list[Work] = field(default_factory=list)
    failure: Exception | None = None


@dataclass
class _State:
    queues: _Queues | None = None


_state = _State()
_turn = threading.RLock()
"""Threads share a device, and a collection of garbage queues while its own thread works."""


@contextmanager
def deferring(seed: int) -> Iterator[list[Work]]:
    """Put work off; the list will hold what was done, in that order. At the end everything is done."""
    with _turn:
        assert _state.queues is None
        queues = _state.queues = _Queues(random.Random(seed))
    try:
        yield queues.order
        with _turn:
            while queues.pending:
                _do_one(queues)
            _tell(queues)
    finally:
        _state.queues = None


def is_deferring() -> bool:
    """Whether work is put off."""
    return _state.queues is not None


def queue(stream: Any, what: str, run: Callable[[], None], needs: Work | None = None) -> None:
    """Work for a stream, after all that it has, and after ``needs``."""
    with _turn:
        queues = _state.queues
        if queues is None:
            run()
            return
        before = [tail for other, tail in queues.tails.items() if _in_order(stream, other)]
        work = Work(what, run, [each for each in (*before, needs) if each is not None and not each.done])
        queues.tails[stream] = work
        queues.pending.append(work)
        if what == "free":  # in the middle of anything
            return
        for _ in range(queues.random.choice((0, 0, 0, 1, 4))):
            _do_one(queues)
        _tell(queues)


def _in_order(stream: Any, other: Any) -> bool:
    """Whether a stream waits for what another has: itself, and blocking ones for the legacy default stream."""
    blocking = not (stream.non_blocking or other.non_blocking)
    return stream is other or (blocking and 0 in (stream.ptr, other.ptr))


def last(stream: Any) -> Work | None:
    """What a stream has queued last."""
    with _turn:
        return None if _state.queues is None else _state.queues.tails.get(stream)


def settle(work: Work | None) -> None:
    """Until it is done; others may be done before it."""
    with _turn:
        while work is not None and not work.done and _state.queues is not None:
            _do_one(_state.queues)
        if _state.queues is not None:
            _tell(_state.queues)


def settle_all() -> None:
    """Until nothing is left."""
    with _turn:
        while _state.queues is not None and _state.queues.pending:
            _do_one(_state.queues)
        if _state.queues is not None:
            _tell(_state.queues)


def _do_one(queues: _Queues) -> None:
    ready = [each for each in queues.pending if all(needed.done for needed in each.needs)]
    if not ready:
        return
    chosen = queues.random.choice(ready)
    queues.pending.remove(chosen)
    queues.order.append(chosen)
    try:
        chosen.run()
    except Exception as error:
        queues.failure = queues.failure or error
    chosen.needs.clear()
    chosen.done = True


def _tell(queues: _Queues) -> None:
    """Raise what went wrong first, as a device tells it at some later call."""
    failure, queues.failure = queues.failure, None
    if failure is not None:
        raise failure
