"""What commands load into the sampling engine itself: chroma keys, palettes and the size of the monochrome filter."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError
from texsamp.state.commands_sampler import ChromaKey, MonofilterSize, PaletteLoad, PaletteLoad1

_PALETTE_ENTRIES = 256
_CHANNELS = ("red", "green", "blue", "alpha")

Key = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass
class SamplerSettings:
    """Part of a context. Entries of palettes that were not loaded are 0, the monochrome filter is 1 x 1 at first."""

    mono_size: tuple[int, int] = (1, 1)
    _keys: dict[int, Key] = field(default_factory=dict)
    _palettes: NDArray[np.uint32] = field(default_factory=lambda: np.zeros((2, _PALETTE_ENTRIES), np.uint32))

    def take_key(self, command: ChromaKey) -> None:
        """Load one entry of the key table."""
        low, high = (tuple(getattr(command, f"{end}_{name}") for name in _CHANNELS) for end in ("low", "high"))
        self._keys[command.index] = low, high

    def take_palette(self, command: PaletteLoad) -> None:
        """Load the first entries of a palette; the others stay."""
        self._palettes[int(isinstance(command, PaletteLoad1)), : len(command.tail)] = command.tail

    def take_mono_size(self, command: MonofilterSize) -> None:
        """Load columns and rows of the monochrome filter."""
        self.mono_size = command.width, command.height

    def key(self, index: int) -> Key:
        """Lowest and highest red, green, blue and alpha; CaptureError if the entry was not loaded."""
        if index not in self._keys:
            raise CaptureError(f"chroma key {index} is used and was not loaded")
        return self._keys[index]

    def palette(self, format_name: str) -> NDArray[np.uint32] | None:
        """Entries of the palette that texels of a format index; None if they index none."""
        return self._palettes[int(format_name[-1])] if format_name[:-1].endswith("PALETTE") else None
