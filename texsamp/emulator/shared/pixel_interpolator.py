"""The pixel interpolator: weights of a primitive's corners at other places than the payload's (seed 002:8435-9219)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.shared.data_port.buffers import respond_enabled
from texsamp.errors import CaptureError
from texsamp.state.thread_messages import InterpolationMode, InterpolatorDescriptor, InterpolatorMessage

_LANES, _GROUP, _QUAD = 8, 16, 4
_OFFSET_UNITS = 16
"""Units of 1/256 pixel in an offset's 1/16."""

Weigh = Callable[[NDArray[np.int64], NDArray[np.int32], bool], Array]
"""Weights of corners 1 and 2, (k, 2, 4), of quads by their numbers at points (k, 4, 2) of their pixels, 1/256 from the
upper left corner; on the screen if the last argument says so, else in perspective. They are where the registers are."""


@dataclass(frozen=True)
class Places:
    """Where the pixels of a draw and their samples are: pixel (2,), samples (s, 2); centroids (quads, 4, 2) or (2,)."""

    pixel: NDArray[np.int32]
    samples: NDArray[np.int32]
    centroids: NDArray[np.int32]
    weigh: Weigh


class PixelInterpolator:
    """Takes the messages of one batch of pixel threads."""

    def __init__(self, quads: NDArray[np.int64] | Callable[[], NDArray[np.int64]], places: Places) -> None:
        """quads: of every thread, (threads, quads), by their numbers, below 0 is none; or what tells them."""
        self._given, self._places = quads, places

    @cached_property
    def _quads(self) -> NDArray[np.int64]:
        quads = self._given() if callable(self._given) else self._given
        return np.where(quads < 0, quads[:, :1], quads)

    def send(self, message: Message) -> None:
        """Answer one message; CaptureError for forms that the pages do not have.

        A sample that pixels do not have is where the pixel is (ours).
        """
        descriptor = message.described(InterpolatorDescriptor, strict=False)  # samples are numbers of programs
        if descriptor.header_present:
            raise CaptureError("messages to the pixel interpolator have no header")
        kind = InterpolatorMessage(descriptor.message_type)
        count = _GROUP if descriptor.simd16 else _LANES
        first = _GROUP * int(descriptor.slot_group)
        if first and not descriptor.simd16:
            raise CaptureError("messages of 8 slots are for slots 7:0")
        if first + count > _QUAD * self._quads.shape[1]:
            slots = _QUAD * self._quads.shape[1]
            raise CaptureError(f"slots {first} to {first + count - 1} of {slots} are asked for")
        if message.response_length != count // _QUAD:
            raise CaptureError(f"{count} slots take {count // _QUAD} registers, found {message.response_length}")
        quads = self._quads[message.rows, first // _QUAD : (first + count) // _QUAD]
        points = self._points(message, descriptor, kind, quads)
        linear = descriptor.interpolation == InterpolationMode.LINEAR
        found = self._places.weigh(quads.reshape(-1), points.reshape(-1, _QUAD, 2), linear)
        by_slot = found.reshape(*quads.shape, 2, _QUAD).transpose(0, 2, 1, 3).reshape(len(quads), 2, -1, _LANES)
        values = by_slot.transpose(0, 2, 1, 3).reshape(len(quads), -1)  # b1, b2 of 8 slots, then of the next 8
        enabled = np.zeros((len(quads), count), np.bool_)
        lanes = min(count, message.mask.shape[1])
        enabled[:, :lanes] = message.mask[:, :lanes]
        wanted = np.repeat(enabled.reshape(len(quads), -1, 1, _LANES), 2, axis=2).reshape(len(quads), -1)
        respond_enabled(message, values.view(np.uint32), wanted)

    def _points(
        self, message: Message, descriptor: InterpolatorDescriptor, kind: InterpolatorMessage, quads: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Where weights are asked for, (rows, quads, 4, 2)."""
        shape = (*quads.shape, _QUAD, 2)
        places = self._places
        if kind is InterpolatorMessage.CENTROID:
            found = places.centroids if places.centroids.ndim == 1 else places.centroids[quads]
        elif kind is InterpolatorMessage.SAMPLE_POSITION:
            index = int(descriptor.sample_index)
            found = places.samples[index] if index < len(places.samples) else places.pixel
        elif kind is InterpolatorMessage.PER_MESSAGE_OFFSET:
            offset = np.array([descriptor.x_offset, descriptor.y_offset], np.int32)
            found = places.pixel + offset * _OFFSET_UNITS
        else:
            registers = shape[1] * _QUAD // _LANES
            offsets = message.dwords(0, 2 * registers).reshape(len(quads), 2, *shape[1:3]).astype(np.int32)
            signed = (offsets & 15 ^ 8) - 8
            found = places.pixel + np.moveaxis(signed, 1, -1) * _OFFSET_UNITS
        return np.broadcast_to(found, shape).astype(np.int32)
