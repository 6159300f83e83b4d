"""Surfaces as threads name them: binding table entries followed to surface states and to the bytes in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.memory import CaseMemory
from texsamp.errors import CaptureError, StateError
from texsamp.state import BindingTableState, MediaSurfaceState, RenderSurfaceState, Struct, SurfaceType
from texsamp.state.formats import surface_format
from texsamp.state.render_surface import TileWalk
from texsamp.surface.layout.description import Usage
from texsamp.surface.tiling import Addressing, tiling

LAST_BINDING_TABLE_INDEX = 251
STATELESS, SHARED = 255, 254
"""Binding table indices of general state, and of the half-slice's own memory: that to the data cache, to all others a
surface as any (seed 003:5979)."""
_State = TypeVar("_State", bound=Struct)


def read_state(memory: CaseMemory, structure: type[_State], address: int, strict: bool = True) -> _State:
    """A state in memory; CaptureError, with the address, if it is not mapped or (strict) illegal."""
    try:
        state = _unpacked(structure.name, memory.read(address, structure.dwords * 4), strict)
    except (CaptureError, StateError) as error:
        raise CaptureError(f"{structure.name} at {address:#x}: {error}") from None
    assert isinstance(state, structure)
    return state


@lru_cache(maxsize=256)
def _unpacked(structure: str, data: bytes, strict: bool) -> Struct:
    """A state of bytes; submissions of a case mostly repeat those of the first."""
    return Struct.by_name[structure].unpack(data, strict=strict)


def addressing_of(state: RenderSurfaceState) -> Addressing:
    """Where the bytes of a surface's rows lie."""
    kind = "linear" if not state.tiled else ("Y" if state.tile_walk == TileWalk.YMAJOR else "X")
    return Addressing(tiling(kind), state.pitch)


@dataclass(frozen=True)
class WrittenSurface:
    """A surface that messages or draws wrote to. width_B: bytes of a row they can reach; of a buffer, of all of it.

    level, layer, sample: which part of the surface it is; None where it has only one. name: "depth" or "stencil".
    tiling: where the state cannot say it.
    """

    state: RenderSurfaceState
    width_B: int  # noqa: N815 - the unit
    level: int | None = None
    layer: int | None = None
    sample: int | None = None
    name: str = ""
    usage: Usage = Usage.TEXTURE
    tiling: str | None = None

    @property
    def is_part(self) -> bool:
        """Whether it is not simply all of a surface of colors."""
        return bool(self.name) or (self.level, self.layer, self.sample) != (None, None, None)

    @property
    def key(self) -> tuple[int, int | None, int | None, int | None]:
        """What tells written surfaces apart."""
        return self.state.base_address, self.level, self.layer, self.sample


@dataclass
class SurfaceTable:
    """The binding table of a dispatch. Surface states are read when a message first names them."""

    memory: CaseMemory
    surface_base: int
    pointer: int

    def __post_init__(self) -> None:
        self._states: dict[tuple[type[Struct], int], Struct] = {}
        self._written: dict[int, WrittenSurface] = {}
        self._perhaps: dict[tuple[int, int], tuple[Device, Array]] = {}
        """What a device knows of surfaces, by index and bytes of a texel: one int32, 0 if nothing was written."""

    @property
    def written(self) -> dict[int, WrittenSurface]:
        """Surfaces written to, by their base address."""
        self._look_at_perhaps()
        return self._written

    def _look_at_perhaps(self) -> None:
        noted, self._perhaps = self._perhaps, {}
        if not noted:
            return
        device = next(iter(noted.values()))[0]
        found = device.start_download([there for _, there in noted.values()]).result()
        for (index, texel_B), was_written in zip(noted, found, strict=True):
            if was_written[0]:
                self._note(index, texel_B)

    def media(self, index: int) -> MediaSurfaceState:
        """Surface of `deinterlace` and `sample_8x8` messages."""
        return self._state(MediaSurfaceState, index)

    def render(self, index: int) -> RenderSurfaceState:
        """Surface of every other message."""
        return self._state(RenderSurfaceState, index)

    def _state(self, structure: type[_State], index: int) -> _State:
        known = self._states.get((structure, index))
        if isinstance(known, structure):
            return known
        if index > LAST_BINDING_TABLE_INDEX and index != SHARED:
            raise CaptureError(f"binding table index {index} names no surface state")
        entry = self.surface_base + self.pointer + 4 * index
        pointer = read_state(self.memory, BindingTableState, entry, strict=False).surface_state_pointer
        try:
            state = self._read(structure, self.surface_base + pointer)
        except CaptureError as error:
            raise CaptureError(f"surface {index}: {error}") from None
        self._states[structure, index] = state
        return state

    def _read(self, structure: type[_State], address: int) -> _State:
        """A state; of a null surface all other fields are ignored (003:1992)."""
        try:
            return read_state(self.memory, structure, address)
        except CaptureError:
            state = read_state(self.memory, structure, address, strict=False)
            if not isinstance(state, RenderSurfaceState) or state.surface_type != SurfaceType.SURFTYPE_NULL:
                raise
            return state

    def note_written(self, index: int, texel_B: int = 1) -> None:  # noqa: N803 - the unit
        """Remember that a surface was written to. texel_B: what its width counts, with the message that wrote."""
        self._look_at_perhaps()  # in their order
        self._note(index, texel_B)

    def note_written_if(self, device: Device, index: int, texel_B: int) -> Array:  # noqa: N803 - the unit
        """The same if the number that is returned, one int32 on a device, is not 0 when somebody asks."""
        key = index, texel_B
        if key not in self._perhaps:
            self._perhaps[key] = device, device.arrays.zeros(1, np.int32)
        return self._perhaps[key][1]

    def _note(self, index: int, texel_B: int) -> None:  # noqa: N803 - the unit
        if index > LAST_BINDING_TABLE_INDEX:
            return
        state = self.render(index)
        if state.surface_type in (SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF):
            pitch = 1 if surface_format(state.code("format")).name == "RAW" else state.pitch
            self._written[state.base_address] = WrittenSurface(state, state.entries * pitch)
        elif state.surface_type != SurfaceType.SURFTYPE_NULL:
            self._written[state.base_address] = WrittenSurface(state, state.width * texel_B)

    def describe(self, index: int) -> str:
        """A surface by its binding table index, with its state."""
        return f"surface {index}, {self.render(index)!r}"

    def bytes_of(self, base_address: int) -> NDArray[np.uint8]:
        """Memory from a surface's base address to the end of its buffer object."""
        return self.memory.bytes_from(base_address)

    def bytes_on(self, device: Device, base_address: int) -> Array:
        """The same where a device's arrays are."""
        return self.memory.bytes_on(device, base_address)
