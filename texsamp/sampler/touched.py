"""Texels of compressed surfaces for few samples: the blocks that they read are decoded, and no others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.device.arguments import is_integer
from texsamp.sampler.cube_faces import ALL_FACES
from texsamp.sampler.expanded import Room, picture_of, room_of
from texsamp.sampler.launch import Parameters, touched_launch
from texsamp.sampler.sample_arguments import SampleArguments
from texsamp.sampler.sampler import Sampler
from texsamp.surface.arrays import is_compressed
from texsamp.surface.surface import Surface
from texsamp.surface.texel_formats import Border

RUN = 64
"""TOUCHED_RUN: texels that are marked together (a test holds them together)."""
_MOST_SAMPLES = 4096
_TEXELS_PER_SAMPLE = 64
_MOST_LAUNCHES = 256
"""Of few samples; then the rest is decoded, so that none has to look any more."""


class Touched:
    """Which blocks of a surface were decoded so far. Threads may share it: what two decode at once is the same."""

    def __init__(self, surface: Surface, border: Border, room: Room) -> None:
        self._surface, self._border, self._texels = surface, border, room.texels
        self._seen = np.zeros(-(-len(room.texels.texels) // RUN), np.bool_)
        self.launches = 0

    def fetch(self, sample: Parameters, samples: int) -> None:
        """Decode what a launch of the general kernel will read."""
        device = self._surface.device
        marks = device.empty(self._seen.shape, np.uint8)
        marks[...] = 0
        device.launch(touched_launch(sample, device.address(marks), samples, marks))
        runs = np.flatnonzero(device.download(marks))
        runs = runs[~self._seen[runs]]
        self._decode((runs[:, None] * RUN + np.arange(RUN)).reshape(-1))
        self._seen[runs] = True
        self.launches += 1

    def _decode(self, texels: NDArray[np.int64]) -> None:
        """Decode the blocks of texels, ascending numbers in the order of `Expanded`."""
        info = self._surface.info
        for level, (width, height, slices, first) in enumerate(self._texels.levels.tolist()):
            begin, end = np.searchsorted(texels, (first, first + width * height * slices))
            slice, place = np.divmod(texels[begin:end] - first, width * height)
            y, x = np.divmod(place, width)
            columns, rows = -(-width // info.block_width), -(-height // info.block_height)
            # not np.unique, whose first call imports numpy.ma: twice as long as all the rest
            blocks = np.sort((slice * rows + y // info.block_height) * columns + x // info.block_width)
            blocks = blocks[np.diff(blocks, prepend=-1) > 0]
            lines, column = np.divmod(blocks, columns)
            for each in np.split(np.arange(len(blocks)), 1 + np.flatnonzero(np.diff(lines))) if len(blocks) else ():
                of_slice, row = divmod(int(lines[each[0]]), rows)
                self._decode_line(level, of_slice, row, column[each])

    def _decode_line(self, level: int, slice: int, row: int, column: NDArray[np.int64]) -> None:
        """Decode blocks of one row of them."""
        surface, made = self._surface, self._texels
        info, device = surface.info, surface.device
        width, height, _, first = made.levels[level].tolist()
        elements = surface.elements(level, slice, part=(row, 1)).reshape(-1, info.bits // 8)
        size = len(column) * info.block_width, info.block_height
        chosen = elements[device.upload(column)].reshape(1, -1)
        picture = picture_of(surface, made.kind, chosen, size, self._border, None)
        x = (column[:, None] * info.block_width + np.arange(info.block_width)).reshape(-1)
        y = row * info.block_height + np.arange(info.block_height)
        inside = np.flatnonzero(((y < height)[:, None] & (x < width)).reshape(-1))
        at = (first + (slice * height + y[:, None]) * width + x).reshape(-1)[inside]
        made.texels[device.upload(at)] = picture.reshape(-1, 4)[device.upload(inside)]


def touched_by_few(surface: Surface, sampler: Sampler, given: SampleArguments, samples: int) -> Touched | None:
    """What fetches the blocks for so few samples of a compressed surface; None where all texels are there or needed.

    A chroma key, a palette and a face that is not there change all texels.
    """
    faces = given.cube_faces
    is_plain = sampler.chroma_key is None and given.palette is None and is_integer(faces) and faces == ALL_FACES
    if not is_compressed(surface.info) or not is_plain or samples > _MOST_SAMPLES:
        return None
    room = room_of(surface, sampler.border_mode)
    if room.is_whole or samples * _TEXELS_PER_SAMPLE > len(room.texels.texels):
        return None
    channels, border = room.texels.kind.channels, sampler.border_mode
    touched = surface.derived.made(Touched, channels, lambda: Touched(surface, border, room))
    return touched if touched.launches < _MOST_LAUNCHES else None
