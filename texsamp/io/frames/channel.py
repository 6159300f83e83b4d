"""A bounded queue between two threads that either side can close without leaving the other waiting."""

from __future__ import annotations

from collections import deque
from threading import Condition
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Channel(Generic[Item]):
    """Items from a producer thread to a consumer thread, at most ``depth`` of them waiting.

    The producer ends with ``finish()`` or ``fail(error)``; the consumer sees the remaining items first, then the end or
    the error. Either side may ``close()``: waiting items are dropped and nobody blocks any more.
    """

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._items: deque[Item] = deque()
        self._changed = Condition()
        self._finished = False
        self._closed = False
        self._error: BaseException | None = None

    def put(self, item: Item) -> bool:
        """Wait for room and add an item; False if the channel is closed, so that the producer can stop."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._items) < self._depth or self._closed)
            if self._closed:
                return False
            self._items.append(item)
            self._changed.notify_all()
            return True

    def get(self) -> Item | None:
        """Wait for an item and take it; None at the end. Raises the producer's error."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._finished or self._closed)
            if self._items:
                item = self._items.popleft()
                self._changed.notify_all()
                return item
            if self._error is not None:
                raise self._error
            return None

    def poll(self) -> Item | None:
        """Take an item if one waits."""
        with self._changed:
            if not self._items:
                return None
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def finish(self) -> None:
        """The producer has no more items."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """The producer ends with an error, raised by the consumer's next get() past the last item."""
        with self._changed:
            self._error = error
        self.finish()

    def close(self) -> None:
        """Drop what waits and let both sides go."""
        with self._changed:
            self._closed = True
            self._items.clear()
            self._changed.notify_all()

    @property
    def closed(self) -> bool:
        """Whether either side closed the channel."""
        return self._closed
