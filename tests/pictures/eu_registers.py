"""Registers of the device that threads read and write."""

from __future__ import annotations

import numpy as np

from pictures.cases import Arrays, Case
from texsamp.device.base import Device
from texsamp.emulator.context.registers import CHANNELS_DISPATCHED, MASKED
from texsamp.emulator.context.registers_on_device import RegistersOnDevice
from texsamp.emulator.eu.registers.threads import Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.shared.gateway_on_device import access_registers

_THREADS, _SEEN = 67, 0x8000
"""The second: dwords that are looked at, among which all of these registers are."""


def _registers(device: Device) -> Arrays:
    """Several threads at most of them, with and without a response, some that do not send."""
    random, made = np.random.default_rng(8), []
    threads = Threads(_THREADS, device=device)
    registers = random.integers(0, 256, threads.registers.shape, np.uint8)
    words = registers[:, : 32 * 32].view("<u4").reshape(_THREADS, 32, 8)
    offsets = np.array([0x2400, 0x2404, *MASKED, CHANNELS_DISPATCHED, CHANNELS_DISPATCHED + 4, 0x2600])
    words[:, :4, 2] = random.choice(offsets, (_THREADS, 4))
    some = device.upload(random.integers(0, 3, (_THREADS, 8)) == 0)
    there = RegistersOnDevice.of(device, {0x2400: 5, int(MASKED[0]): 0xF0F0, CHANNELS_DISPATCHED + 4: 7})
    threads.registers = device.upload(registers)
    for source, mask, destination in ((0, None, 40), (1, some, 1), (2, some, None), (3, None, 50)):
        message = Unasked(threads, 8, 3, 1 << 25 | 1 << 20, source, destination, False, lambda mask=mask: mask)
        access_registers(message, there)
        made += [device.download(threads.registers).copy(), device.download(there.values[:_SEEN]).copy()]
    made += [device.download(each) for each in there.places]
    return made


EU_REGISTERS_CASES = (Case("eu-registers", _registers),)
