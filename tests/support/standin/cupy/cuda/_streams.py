"""Devices, streams and events: which one is current, and what waits for what."""

from __future__ import annotations

from typing import Any

from cupy import _work, standin
from cupy.cuda._errors import CUDARuntimeError


class Device:
    """A device; while it is entered, arrays are made and kernels run there."""

    def __init__(self, device: int | None = None) -> None:
        self.id = standin.current_device().ordinal if device is None else int(device)
        self._before: list[int] = []

    def __enter__(self) -> Device:
        if not 0 <= self.id < len(standin.devices):
            raise CUDARuntimeError(101)
        self._before.append(standin.current_device().ordinal)
        standin.current.device = self.id
        return self

    def __exit__(self, *_: object) -> None:
        standin.current.device = self._before.pop()

    def use(self) -> None:
        """Current from now on."""
        standin.current.device = self.id

    def synchronize(self) -> None:
        """Wait for all of its streams."""
        standin.note("synchronize", self)
        _work.settle_all()

    @property
    def compute_capability(self) -> str:
        """Such as "75"."""
        return "".join(map(str, standin.COMPUTE))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __int__(self) -> int:
        return self.id


class Stream:
    """A queue of work."""

    null: Stream

    def __init__(
        self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: int | None = None
    ) -> None:
        self.non_blocking = non_blocking
        self.device_id = standin.current_device().ordinal
        self.ptr = 0 if null else id(self)

    def __enter__(self) -> Stream:
        if not hasattr(standin.current, "streams"):
            standin.current.streams = []
        standin.current.streams.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        standin.current.streams.pop()

    @property
    def done(self) -> bool:
        """Whether nothing is left to be done."""
        work = _work.last(self)
        return work is None or work.done

    def synchronize(self) -> None:
        """Wait for all of it."""
        standin.note("synchronize", self)
        _work.settle(_work.last(self))

    def record(self, event: Event | None = None) -> Event:
        """Queue an event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """What is queued from now on waits for the event."""
        standin.note("wait", self, event)
        if event.work is not None:
            _work.queue(self, "wait", lambda: None, event.work)


Stream.null = Stream(null=True)


def get_current_stream(device_id: int | None = None) -> Stream:
    """Of this thread."""
    streams = getattr(standin.current, "streams", [])
    return streams[-1] if streams else Stream.null


class Event:
    """A place in a stream's queue."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.stream: Any = None
        self.work: Any = None

    @property
    def done(self) -> bool:
        """Whether everything before it is done."""
        return self.work is None or self.work.done

    def record(self, stream: Stream | None = None) -> None:
        """Here."""
        self.stream = get_current_stream() if stream is None else stream
        standin.note("record", self.stream, self)
        self.work = _work.last(self.stream)

    def synchronize(self) -> None:
        """Wait for it."""
        standin.note("synchronize", self)
        _work.settle(self.work)
