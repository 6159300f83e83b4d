"""The pixel interpolator: weights of a primitive's corners at other places than the payload's (seed 002:8435-9219)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import InterpolationMode, InterpolatorDescriptor, InterpolatorMessage

_LANES, _GROUP, _QUAD = 8, 16, 4
_OFFSET_UNITS = 16
"""Units of 1/256 pixel in an offset's 1/16."""

Weigh = Callable[[Array, Array, bool], Array]
"""Weights of corners 1 and 2, (k, 2, 4), of quads by their numbers at points of their pixels, 1/256 from the upper left
corner: (2,), the host's, or (k, 4, 2). On the screen if the last argument says so, else in perspective. All else is
where the registers are."""


@dataclass(frozen=True)
class Places:
    """Where the pixels of a draw and their samples are: pixel (2,), samples (s, 2), the host's.

    centroids: tells these, the host's (2,), or (quads, 4, 2) where the registers are.
    """

    pixel: NDArray[np.int32]
    samples: NDArray[np.int32]
    centroids: Callable[[], Array]
    weigh: Weigh


@dataclass(frozen=True)
class _Asked:
    """What a message asks: places of a kind, of `count` slots from one on."""

    descriptor: InterpolatorDescriptor
    kind: InterpolatorMessage
    first: int
    count: int


class PixelInterpolator:
    """Takes the messages of one batch of pixel threads."""

    def __init__(self, quads: Array, places: Places) -> None:
        """quads: of every thread, (threads, quads), by their numbers, where the registers are."""
        self._quads, self._places = quads, places

    def send(self, message: Message) -> None:
        """Answer one message; CaptureError for forms that the pages do not have.

        A sample that pixels do not have is where the pixel is (ours).
        """
        threads = message.threads
        rows, mask = threads.kept(message.rows)[0], None if message.is_whole else threads.upload(message.mask)
        self._respond(message, self._asked(message), self._quads[rows], mask)

    def send_unasked(self, message: Unasked) -> bool:
        """The same of all threads of a device, of which nothing is brought."""
        self._respond(message, self._asked(message), self._quads, message.mask)
        return True

    def _asked(self, message: Message | Unasked) -> _Asked:
        descriptor = message.described(InterpolatorDescriptor, strict=False)  # samples are numbers of programs
        if descriptor.header_present:
            raise CaptureError("messages to the pixel interpolator have no header")
        count, slots = _GROUP if descriptor.simd16 else _LANES, _QUAD * self._quads.shape[1]
        first = _GROUP * int(descriptor.slot_group)
        if first and not descriptor.simd16:
            raise CaptureError("messages of 8 slots are for slots 7:0")
        if first + count > slots:
            raise CaptureError(f"slots {first} to {first + count - 1} of {slots} are asked for")
        if message.response_length != count // _QUAD:
            raise CaptureError(f"{count} slots take {count // _QUAD} registers, found {message.response_length}")
        return _Asked(descriptor, InterpolatorMessage(descriptor.message_type), first, count)

    def _respond(self, message: Message | Unasked, asked: _Asked, quads: Array, mask: Array | None) -> None:
        """quads: of the threads of a message. mask: enabled channels; None for all."""
        if message.destination is None:
            return
        some = quads[:, asked.first // _QUAD : (asked.first + asked.count) // _QUAD].reshape(-1)
        linear, rows = asked.descriptor.interpolation == InterpolationMode.LINEAR, len(quads)
        found = self._places.weigh(some, self._points(message, asked, some), linear)
        by_slot = found.reshape(rows, asked.count // _LANES, _LANES // _QUAD, 2, _QUAD).transpose(0, 1, 3, 2, 4)
        values = by_slot.reshape(rows, -1).view(np.uint32)  # b1, b2 of 8 slots, then of the next 8
        if mask is not None or message.exec_size < asked.count:
            lanes = min(asked.count, message.exec_size)
            enabled: Array = message.threads.arrays.zeros((rows, asked.count), np.bool_)
            enabled[:, :lanes] = True if mask is None else mask[:, :lanes]
            wanted = enabled.reshape(rows, -1, 1, _LANES).repeat(2, axis=2).reshape(rows, -1)
            values = np.where(wanted, values, message.held_on_device(asked.count // _QUAD))
        message.respond(values.view(np.uint8))

    def _points(self, message: Message | Unasked, asked: _Asked, quads: Array) -> Array:
        """Where weights are asked for: the host's (2,) for all, or (quads, 4, 2) there."""
        places, descriptor = self._places, asked.descriptor
        if asked.kind is InterpolatorMessage.CENTROID:
            centroids = places.centroids()
            return centroids if centroids.ndim == 1 else centroids[quads]
        if asked.kind is InterpolatorMessage.SAMPLE_POSITION:
            index = int(descriptor.sample_index)
            return places.samples[index] if index < len(places.samples) else places.pixel
        if asked.kind is InterpolatorMessage.PER_MESSAGE_OFFSET:
            offset = np.array([descriptor.x_offset, descriptor.y_offset], np.int32)
            return places.pixel + offset * np.int32(_OFFSET_UNITS)
        registers = asked.count // _LANES
        sent = message.dwords_on_device(0, 2 * registers).reshape(-1, 2, asked.count).astype(np.int32)
        (pixel,) = kept(message.threads.device, (places.pixel,))
        steps = ((sent & 15 ^ 8) - 8) * np.int32(_OFFSET_UNITS)
        return np.stack([(steps[:, n] + pixel[n]).reshape(-1, _QUAD) for n in range(2)], axis=2)
