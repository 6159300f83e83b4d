"""What messages bring to the host where threads run on a device, and what is computed there out of its order."""

import traceback
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from support.strict_arrays import StrictArray, StrictDevice
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.dispatch.geometry import GeometryPipeline
from texsamp.emulator.dispatch.runner import Runner
from texsamp.emulator.eu.isa.text import SHARED_FUNCTIONS
from texsamp.emulator.eu.sends.messages import Send
from texsamp.emulator.shared.router import Router

REGISTER_B = 32


def registers_brought(monkeypatch, device):
    """Of messages from now on, by kind, how many registers of a thread each brings; filled as they are sent.

    With those that came before, along with what the engine asked.
    """
    found, send, send_unasked = defaultdict(list), Router.send, Router.send_unasked

    def kind_of(message):
        function = SHARED_FUNCTIONS[message.shared_function]
        return function, message.descriptor >> (12 if function == "sampler" else 14) & 15

    def counting(self, message):
        before = device.downloaded_B
        ahead = (
            sum(registers.nbytes for registers in message.ahead.values()) * len(message.rows) / message.threads.count
        )
        send(self, message)
        found[kind_of(message)].append((device.downloaded_B - before + ahead) / (REGISTER_B * len(message.rows)))

    def counting_unasked(self, message):
        before = device.downloaded_B
        was_sent = send_unasked(self, message)
        if was_sent:
            found[kind_of(message)].append((device.downloaded_B - before) / (REGISTER_B * message.count))
        return was_sent

    monkeypatch.setattr(Router, "send", counting)
    monkeypatch.setattr(Router, "send_unasked", counting_unasked)
    return found


def brought_by_messages(monkeypatch, device):
    """Bytes that each message from now on brings, with those that came before; filled as they are sent."""
    return _of_messages(monkeypatch, device, "downloaded_B", lambda ahead: sum(each.nbytes for each in ahead.values()))


def asked_by_messages(monkeypatch, device):
    """How often each message from now on asks, but for what came before."""
    return _of_messages(monkeypatch, device, "downloads", lambda ahead: 0)


def _of_messages(monkeypatch, device, counter, came_before):
    found, run = [], Send.run

    def counting(self, threads, here, functions):
        if threads.device is not device:  # a shadow on the host
            run(self, threads, here, functions)
            return
        before, ahead = getattr(device, counter), threads.ahead or {}
        run(self, threads, here, functions)
        found.append(getattr(device, counter) - before + came_before(ahead))

    monkeypatch.setattr(Send, "run", counting)
    return found


def moved_within(monkeypatch, device, inside, without):
    """Bytes that methods, (class, name), bring to the host and send, but for others that they call, from now on."""
    moved, mark, counting = np.zeros(2, np.int64), np.zeros(2, np.int64), [False]

    def turn():
        now = np.array([device.downloaded_B, device.uploaded_B])
        if counting[-1]:
            moved[...] += now - mark
        mark[...] = now

    def watch(kind, name, is_counted):
        act = getattr(kind, name)

        def acting(*arguments, **options):
            turn()
            counting.append(is_counted)
            done = act(*arguments, **options)
            turn()
            counting.pop()
            return done

        monkeypatch.setattr(kind, name, acting)

    watch(*inside, True)
    for kind, name in without:
        watch(kind, name, False)
    return moved


def brought_by_stages(monkeypatch, draw):
    """Bytes that the vertex side of a draw brings to the host where its threads run on a device."""
    device = StrictDevice()
    with monkeypatch.context() as patched:
        moved = moved_within(patched, device, (GeometryPipeline, "run"), [])
        execution = Execution(draw.context, Budget(100_000), "a draw")
        GeometryPipeline(Runner(draw.memory, device)).run(execution, draw.command)
    return int(moved[0])


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
