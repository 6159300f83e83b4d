"""What messages bring to the host where threads run on a device."""

from collections import defaultdict

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
