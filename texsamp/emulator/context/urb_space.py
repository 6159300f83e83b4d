"""How much unified return buffer a context has, and the handles that the media pipeline divides it into."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.emulator.context.sizes import URB_B
from texsamp.errors import CaptureError
from texsamp.state.commands_media import MediaVfeState

L3CNTLREG2 = 0xB020
"""L3 control register 2 (volume 1 part 7, pages 38-39)."""
L3CNTLREG2_DEFAULT = 0x00080040
_SHARED_MEMORY, _WAYS_AT, _WAYS = 1, 1, 0x3F
_WAY_B = {"ivb_gt1": 4 << 10, "ivb_gt2": 8 << 10}
_MOST_WITH_SHARED_MEMORY_B = {"ivb_gt1": 64 << 10, "ivb_gt2": 128 << 10}
_BAY_TRAIL_B, _BAY_TRAIL_WITH_SHARED_MEMORY_B = 96 << 10, 32 << 10
"""Bay Trail's own numbers (seed 002:9236): 3072 rows, 1024 beside shared local memory."""
_ROW_B, _HANDLE_ROWS, _DESCRIPTOR_ROWS = 32, 2, 32


def urb_size_B(device: str, l3_control: int) -> int:  # noqa: N802 - the unit
    """Bytes of the URB of `ivb_gt1`, `ivb_gt2` or `byt` (others are taken as `ivb_gt2`) as L3CNTLREG2 divides L3."""
    shared = bool(l3_control & _SHARED_MEMORY)
    if device == "byt":
        return _BAY_TRAIL_WITH_SHARED_MEMORY_B if shared else _BAY_TRAIL_B
    device = device if device in _WAY_B else "ivb_gt2"
    size_B = min((l3_control >> _WAYS_AT & _WAYS) * _WAY_B[device], URB_B)
    return min(size_B, _MOST_WITH_SHARED_MEMORY_B[device]) if shared else size_B


class UrbHandles:
    """Handles of MEDIA_VFE_STATE's entries, taken in circular order (volume 2 part 2, pages 9, 34, 52-53)."""

    def __init__(self, vfe: MediaVfeState | None = None) -> None:
        self._vfe = vfe

    @cached_property
    def _all(self) -> NDArray[np.uint32]:
        """Handles of all entries, which lie behind the descriptors and constants."""
        if self._vfe is None:
            return np.zeros(0, np.uint32)
        places = np.arange(self._vfe.urb_entries) * self._vfe.urb_entry_size
        return ((_DESCRIPTOR_ROWS + self._vfe.curbe_size + places) // _HANDLE_ROWS).astype(np.uint32)

    @cached_property
    def _free(self) -> NDArray[np.uint32]:
        return self._all

    @property
    def free(self) -> int:
        """Handles that no thread holds."""
        return len(self._free)

    def take(self, count: int) -> NDArray[np.uint32]:
        """Handles for threads; CaptureError if there are not so many."""
        if count > len(self._free):
            raise CaptureError(
                f"{count} threads with children need a URB handle each: of {len(self._all)}, {len(self._free)} are free"
            )
        taken, self._free = self._free[:count], self._free[count:]
        return taken

    def give_back(self, handles: NDArray[np.int64]) -> None:
        """Threads dereference handles, those of them that a thread holds."""
        held = np.setdiff1d(self._all, self._free)
        held, first = np.unique(handles[np.isin(handles, held)], return_index=True)
        self._free = np.concatenate([self._free, held[np.argsort(first)].astype(np.uint32)])
