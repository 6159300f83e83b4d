"""What messages bring to the host where threads run on a device, and what is computed there out of its order."""

import traceback
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

from support.strict_arrays import StrictArray, StrictDevice
from texsamp.emulator.eu.text import SHARED_FUNCTIONS
from texsamp.emulator.shared.router import Router

REGISTER_B = 32


def registers_brought(monkeypatch, device):
    """Of messages from now on, by kind, how many registers of a thread each brings; filled as they are sent."""
    found, send = defaultdict(list), Router.send

    def counting(self, message):
        before = device.downloaded_B
        send(self, message)
        function = SHARED_FUNCTIONS[message.shared_function]
        kind = function, message.descriptor >> (12 if function == "sampler" else 14) & 15
        found[kind].append((device.downloaded_B - before) / (REGISTER_B * len(message.rows)))

    monkeypatch.setattr(Router, "send", counting)
    return found


def computed_outside(monkeypatch):
    """Lines that from now on compute arrays of `StrictDevice` while `current` is not entered; filled as they do."""
    entered, found = [0], set()

    @contextmanager
    def current(_):
        entered[0] += 1
        yield
        entered[0] -= 1

    def watched(name, act):
        def watching(self, *arguments, **options):
            viewed = name == "__getitem__" and not isinstance(arguments[0], StrictArray | tuple)
            if not entered[0] and not viewed:
                line = next(at for at in reversed(traceback.extract_stack()) if "texsamp" in Path(at.filename).parts)
                found.add((Path(line.filename).name, line.line))
            return act(self, *arguments, **options)

        monkeypatch.setattr(StrictArray, name, watching)

    monkeypatch.setattr(StrictDevice, "current", current)
    for name in ("__array_ufunc__", "__array_function__", "__getitem__", "__setitem__"):
        watched(name, getattr(StrictArray, name))
    return found
