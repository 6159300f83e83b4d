"""Where threads of tests run."""

import pytest
from support import programs
from support.strict_arrays import StrictDevice


@pytest.fixture(params=["host", "device"])
def each_place(request, monkeypatch):
    """Threads of `Program` run on the host, and once more on a device whose arrays never reach it unasked."""
    device = None if request.param == "host" else StrictDevice()
    monkeypatch.setattr(programs, "where_threads_run", device)
    return device
