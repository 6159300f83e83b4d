"""What a pipeline stage is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from texsamp.fidelity.part import Part
from texsamp.video.fitting import as_it_is
from texsamp.video.frame import Frame


class Stage(ABC):
    """Frames in, frames out. It may keep state between frames of one stream; it never changes a frame it was fed."""

    notes: tuple[str, ...] = ()
    """What people should know about what it did: guesses, and what is done instead of what was asked for."""

    overlaps: bool = False
    """Whether it touches pixels by launches, downloads and copies alone: then kernels may run beside its Python."""

    wants = staticmethod(as_it_is)
    """By the layout of frames, the one that a pipeline converts them to before it feeds them, and back behind it."""

    TALLIES: tuple[str, ...] = ("notes",)
    """Attributes that no result depends on, only what people are told (`texsamp.video.memory`)."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """How faithful its parts are, if no row of the table of filters says so."""
        return ()

    def __repr__(self) -> str:
        from texsamp.video.filters import filter_text  # which is made of stages

        text = filter_text(self)
        return f"<{type(self).__name__}{'' if text is None else ' ' + text}>"

    def note(self, text: str) -> None:
        """Tell people something, once."""
        if text not in self.notes:
            self.notes = (*self.notes, text)

    @abstractmethod
    def feed(self, frame: Frame) -> Iterable[Frame]:
        """Take the next frame of the stream; yield the frames that are now complete, on the same device.

        A stage that has figures to tell, for one row of a table, gives each frame a function that measures them
        (`Frame.figures`): always the same names, None where unknown. It is called only when someone wants them.
        """

    def flush(self) -> Iterable[Frame]:
        """The stream has ended: yield what is still held, and forget the stream."""
        return ()
