"""What a pipeline stage is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from texsamp.video.frame import Frame, Statistics


class Stage(ABC):
    """Frames in, frames out. It may keep state between frames of one stream; it never changes a frame it was fed."""

    notes: tuple[str, ...] = ()
    """What people should know about what it did: guesses, and what is done instead of what was asked for."""

    def note(self, text: str) -> None:
        """Tell people something, once."""
        if text not in self.notes:
            self.notes = (*self.notes, text)

    @abstractmethod
    def feed(self, frame: Frame) -> Iterable[Frame]:
        """Take the next frame of the stream; yield the frames that are now complete, on the same device."""

    def statistics(self) -> Statistics:
        """Figures about the frame just yielded, for one row of a table: always the same names, None where unknown.

        Asked for only when someone wants them, before the stage goes on; what they cost is not spent otherwise.
        """
        return {}

    def flush(self) -> Iterable[Frame]:
        """The stream has ended: yield what is still held, and forget the stream."""
        return ()
