"""Segments shorter than people's, worked on in this process or others."""

from concurrent.futures import Future
from contextlib import contextmanager

import pytest

from texsamp.errors import TexsampError
from texsamp.segments import cut, joined


class _Here:
    """Does at once what it is given."""

    @staticmethod
    def submit(work, *values):
        done = Future()
        try:
            done.set_result(work(*values))
        except TexsampError as error:
            done.set_exception(error)
        return done


@contextmanager
def here(count):
    """A pool that is this process."""
    yield _Here


def shorten(monkeypatch: pytest.MonkeyPatch, shortest: int, warm_up: int) -> None:
    """Cut videos of twice so many pictures, and feed so many before."""
    monkeypatch.setattr(cut, "SHORTEST", shortest)
    for module in (cut, joined):
        monkeypatch.setattr(module, "WARM_UP", warm_up)
