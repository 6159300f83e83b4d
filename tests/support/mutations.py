"""Captures that lie: random changes of what a submission holds, for hostile tests."""

import numpy as np

from texsamp.errors import CaptureError


class Mutations:
    """Changes of dwords of the small buffers: commands, states, kernels; often to addresses or by one bit."""

    def __init__(self, rng, capture, memory):
        small = [buffer for buffer in capture.buffers if buffer.size <= 1 << 16 or "command" in buffer.name]
        images = [(buffer, np.frombuffer(memory.image(buffer.handle), "<u4")) for buffer in small]
        self._used = [(buffer, image, np.flatnonzero(image)) for buffer, image in images if image.any()]
        self._addresses = [buffer.address for buffer in capture.buffers]
        self._rng, self._memory, self._changed = rng, memory, []

    def apply(self, most):
        """Change up to `most` dwords."""
        for _ in range(int(self._rng.integers(1, most))):
            buffer, image, used = self._used[self._below(len(self._used))]
            at, kind = used[self._below(len(used))], self._below(5)
            self._changed.append((buffer, image, at, image[at]))
            if kind == 0:
                image[at] ^= np.uint32(1 << self._below(32))
            elif kind == 1:
                image[at] = self._below(1 << 32)
            elif kind == 2:
                image[at] = self._addresses[self._below(len(self._addresses))] + self._below(4160) - 64
            elif kind == 3:
                image[at] = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)[self._below(5)]
            else:
                image[at] = image[used[self._below(len(used))]]
            self._memory.touch(buffer)

    def undo(self):
        """Take all changes back."""
        while self._changed:
            buffer, image, at, value = self._changed.pop()
            image[at] = value
            self._memory.touch(buffer)

    def _below(self, limit):
        return int(self._rng.integers(limit))


def replay_mutated(capture, memory, replay, rng, count):
    """How often `replay` refuses and does what up to 3 changed dwords say; anything else but a CaptureError is raised.

    Every replay begins with what the capture holds.
    """
    pristine = {buffer.handle: capture.contents(buffer) for buffer in capture.buffers}
    mutations = Mutations(rng, capture, memory)
    outcomes = {"refused": 0, "done": 0}
    for _ in range(count):
        for buffer in capture.buffers:
            memory.image(buffer.handle)[:] = pristine[buffer.handle]
            memory.touch(buffer)
        mutations.apply(4)
        try:
            replay(capture, memory)
            outcomes["done"] += 1
        except CaptureError as error:
            assert str(error)
            outcomes["refused"] += 1
    return outcomes
