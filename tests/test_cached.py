"""Properties that are computed once do not stop a child of a fork."""

import os
import signal
import threading

import pytest

from texsamp.cached import cached_property


class Asked:
    def __init__(self, waits: threading.Event | None = None) -> None:
        self.waits, self.begun, self.times = waits, threading.Event(), 0

    @cached_property
    def value(self) -> int:
        self.begun.set()
        self.times += 1
        if self.waits is not None:
            self.waits.wait(60)
        return 7


def test_a_property_is_computed_once():
    one = Asked()
    assert [one.value, one.value, one.times] == [7, 7, 1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_asks_for_one_that_another_thread_was_computing():
    goes_on = threading.Event()
    slow = Asked(goes_on)
    other = threading.Thread(target=lambda: slow.value)
    other.start()
    slow.begun.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(Asked().value)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    goes_on.set()
    other.join(60)
    assert status == 7
