"""Where threads of tests run."""

import pytest
from support.strict_arrays import StrictDevice

from texsamp.emulator.dispatch import runner


@pytest.fixture(params=["host", "device"])
def each_place(request, monkeypatch):
    """Threads of tests run on the host, and once more on a device whose arrays never reach it unasked."""
    device = None if request.param == "host" else StrictDevice()
    if device is not None:
        monkeypatch.setattr(runner, "get_device", lambda _: device)
    return device
