"""Blocks of sample_8x8 at places that stay in registers on a device (kernels/eu_positions.h).

Each thread's block is scaled by itself. The host knows how far positions are from each other at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from texsamp.device import Launch
from texsamp.device.base import Array, Device
from texsamp.device.params import constant, params_type
from texsamp.emulator.context.samplers import POINTER, POINTER_BITS
from texsamp.emulator.eu.registers.threads import PITCH_B
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.dword_ranges import Looks, Ranges
from texsamp.emulator.shared.sampler.block_positions import FARTHEST
from texsamp.emulator.shared.sampler.scaled_blocks import (
    BLOCK_PX,
    BLOCK_ROWS,
    GUIDE,
    LAST_BLOCK,
    BlockSampler,
    enhanced,
)
from texsamp.errors import CaptureError, StateError
from texsamp.video.samples import Samples
from texsamp.video.scale.avs import AvsBlocks

_POSITIONS = params_type("EuPositionsParams")
_THREADS_OF_A_TILE = constant("EU_POSITION_THREADS")
_DWORDS = 8
"""Of a register."""
_MASKS, _MASK_BITS = 2, 0xF000
"""Dword of the header with the masks of channels, and their bits."""
_ALL_BITS, _WITHOUT_SIGN = 0xFFFFFFFF, 0x7FFFFFFF
_BITS_8 = 8
_PLAIN = np.float32(1 << 20)
"""Coordinates below, with steps that are alike within a block, lead to positions that do not go back."""


def _coordinate(name: str) -> int:
    return _DWORDS + constant(f"EU_{name}_AT")


HEADER: Looks = ((_MASKS, _MASK_BITS), (POINTER, POINTER_BITS))
"""What threads that are answered together agree in."""
LOOKS: Looks = (
    *HEADER,
    (_coordinate("BLOCK"), _ALL_BITS),
    (_coordinate("U"), _WITHOUT_SIGN),
    (_coordinate("V"), _WITHOUT_SIGN),
    (_coordinate("DU"), _ALL_BITS),
    (_coordinate("DV"), _ALL_BITS),
    (_coordinate("DU"), _WITHOUT_SIGN),
    (_coordinate("DV"), _WITHOUT_SIGN),
    (_coordinate("DDU"), _WITHOUT_SIGN),
)
"""What the host asks of a message: dwords of the payload, and bits."""


@dataclass(frozen=True)
class BlockPlacesOnDevice:
    """What the host knows of the places of all threads.

    du, dv: the largest derivatives, 0 if all are less; ddu: the largest second one, whatever its sign. is_plain:
    whether it is known that positions are numbers and do not go back.
    """

    du: np.float32
    dv: np.float32
    ddu: np.float32
    is_plain: bool

    @classmethod
    def of(cls, found: Ranges) -> BlockPlacesOnDevice | None:
        """By ranges of `LOOKS`; None for those that are refused."""
        _, _, block, *coordinates = found
        if block[0] < 0 or block[1] > LAST_BLOCK:
            return None
        greatest = np.array([each[1] for each in coordinates], np.int32)
        floats = greatest.view(np.float32)
        if not np.isfinite(floats[[0, 1, 4, 5, 6]]).all():  # those without a sign
            return None
        du, dv = (floats[number] if greatest[number] > 0 else np.float32(0) for number in (2, 3))
        is_plain = bool(floats[6] == 0 and (floats[[0, 1, 4, 5]] < _PLAIN).all())
        return cls(du, dv, floats[6], is_plain)


@dataclass(frozen=True)
class BlockPositions:
    """Positions of the pixels of all threads' blocks, with a margin, int32 (threads, columns) and (threads, rows).

    size: columns and rows of the source. steps: from one position to the next at most, in samples.
    """

    x: Array
    y: Array
    size: tuple[int, int]
    margin: int
    steps: tuple[float, float]

    @classmethod
    def of(
        cls, message: Unasked, places: BlockPlacesOnDevice, size: tuple[int, int], margin: int
    ) -> BlockPositions | None:
        """None for those that are refused."""
        threads, device, mask = message.threads, message.threads.device, message.mask
        columns, rows = BLOCK_PX + 2 * margin, BLOCK_ROWS + 2 * margin
        x, y = (device.empty((threads.count, each), np.dtype(np.int32)) for each in (columns, rows))
        refused = device.arrays.zeros(1, np.int32)
        params = _POSITIONS(
            registers=device.address(threads.registers),
            mask=0 if mask is None else device.address(mask),
            x=device.address(x),
            y=device.address(y),
            refused=device.address(refused),
            width=size[0],
            height=size[1],
            farthest=FARTHEST,
            columns=columns,
            rows=rows,
            margin=margin,
            block_rows=BLOCK_ROWS,
            channels=message.exec_size,
            at=message.at(1),
            threads=threads.count,
            pitch=PITCH_B,
        )
        held = (threads.registers, x, y, refused, *(() if mask is None else (mask,)))
        device.launch(Launch("eu_positions", params, 1, -(-threads.count // _THREADS_OF_A_TILE), held))
        if not places.is_plain and int(device.download(refused)[0]):
            return None
        with np.errstate(over="ignore"):
            across, down = np.float64(places.du) * size[0], np.float64(places.dv) * size[1]
            across += np.float64(places.ddu) * size[0] * columns
        return cls(x, y, size, margin, (float(across), float(down)))

    def scaled(
        self, device: Device, sources: Mapping[str, Array], wanted: Sequence[str], sampler: BlockSampler
    ) -> dict[str, Array]:
        """Blocks of the wanted channels in 8.8, enhanced if it is luma, (threads, rows, pixels) each.

        sources: all channels of one size. CaptureError if the adaptive filter is set to what these do not allow.
        """
        adapts = GUIDE in sources and not (sampler.adaptive.bypass_x and sampler.adaptive.bypass_y)
        chosen = {name: plane for name, plane in sources.items() if adapts or name in wanted}
        (count, columns), rows = self.x.shape, self.y.shape[1]
        plan = AvsBlocks(device, self.size, (self.x, self.y), self.steps, sampler.tables, sampler.adaptive)
        made = {name: device.empty((count * rows, columns), np.dtype(np.uint16)) for name in chosen}
        channels = [
            (Samples.plane(source, _BITS_8), Samples.plane(made[name], _BITS_8)) for name, source in chosen.items()
        ]
        try:
            device.launch(*plan.launches(channels, guide=list(chosen).index(GUIDE) if GUIDE in chosen else None))
        except StateError as error:
            raise CaptureError(f"sample_8x8: {error}") from None
        blocks = {name: made[name].reshape(count, rows, columns) for name in wanted}
        if not self.margin:
            return blocks
        within = slice(self.margin, -self.margin)
        return {
            name: (enhanced(device, each, sampler) if name == GUIDE else each)[:, within, within].copy()
            for name, each in blocks.items()
        }
