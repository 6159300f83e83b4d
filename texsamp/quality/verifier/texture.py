"""What is verified: the texels of a texture and the rules of a sampler, as plain numbers and words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.errors import FormatError, StateError

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

AXES = {"1D": 1, "2D": 2, "3D": 3, "CUBE": 2}
"""Axes along which texels are blended."""
CHANNELS = 4


class Texture:
    """Texels of every level as one table of numbers.

    type: 1D, 2D, 3D or CUBE. levels: arrays (slices, height, width, 4); slices are array slices, 6 * cube + face, or
    those of a volume. Numbers are as they are sampled: 0 to 1 for UNORM. unorm8: whether they are 8-bit codes / 255,
    or, of type uint8, the codes.

    Raises FormatError for other shapes.
    """

    def __init__(self, type: str, levels: Sequence[NDArray[Any]], *, unorm8: bool = False) -> None:
        if type not in AXES:
            raise FormatError(f"a texture is one of {', '.join(AXES)}, found {type!r}")
        for level in levels:
            if level.ndim != 4 or level.shape[3] != CHANNELS or not level.size:
                raise FormatError(f"levels must have shape (slices, height, width, 4), found {level.shape}")
        if type == "CUBE" and levels[0].shape[0] % 6:
            raise FormatError(f"a cube has 6 faces, found {levels[0].shape[0]}")
        self.type, self.unorm8 = type, unorm8
        self._given = np.concatenate([np.asarray(level).reshape(-1, CHANNELS) for level in levels])
        self.has_codes = unorm8 and self._given.dtype == np.uint8
        self.has_floats = self._given.dtype in (np.float16, np.float32)
        self.least, most = (0.0, 1.0) if self.has_codes else (float(self._given.min()), float(self._given.max()))
        self.largest = max(-self.least, most)
        self.finite = bool(np.isfinite((self.least, most)).all())
        self.sizes: Integers = np.array([level.shape[2::-1] for level in levels], np.int64)
        self._lock, self._kept = Lock(), dict[Hashable, Any]()
        counts = np.prod(self.sizes, axis=1)
        self.first: Integers = np.cumsum(counts) - counts

    @cached_property
    def texels(self) -> Numbers:
        """The numbers, (texels, 4)."""
        return self.numbers(slice(None))

    def numbers(self, some: Integers | slice) -> Numbers:
        """Those of some texels."""
        return self._given[some].astype(np.float64) / (255.0 if self.has_codes else 1.0)

    def level(self, number: int) -> NDArray[Any]:
        """The texels of a level as they were given, (slices, height, width, 4)."""
        width, height, slices = self.sizes[number].tolist()
        first = int(self.first[number])
        return self._given[first : first + width * height * slices].reshape(slices, height, width, CHANNELS)

    def kept(self, what: Hashable, make: Callable[[], Any]) -> Any:
        """What is made of the texels once, for all threads."""
        with self._lock:
            if what not in self._kept:
                self._kept[what] = make()
            return self._kept[what]

    def holds(self, color: Sequence[float]) -> bool:
        """Whether a color is made of such numbers as the texels: of finite ones, or of codes."""
        numbers = np.array(color, np.float64)
        codes = np.rint(numbers * 255)
        is_code = (codes / 255 == numbers) & (codes >= 0) & (codes <= 255)
        return bool((is_code if self.has_codes else np.isfinite(numbers)).all())

    def is_finite(self, rules: Rules) -> bool:
        """Whether no sample can be anything but a number."""
        return self.finite and bool(np.isfinite((*rules.border, *rules.outside)).all())

    def size_of(self, level: Integers, axis: int) -> Integers:
        """Texels along an axis of the level of each sample."""
        return self.sizes[:, axis].take(level)

    @property
    def axes(self) -> int:
        """1, 2 or 3."""
        return AXES[self.type]

    @property
    def layers(self) -> int:
        """Array slices, or cubes; 1 for a volume."""
        slices = int(self.sizes[0, 2])
        return {"3D": 1, "CUBE": slices // 6}.get(self.type, slices)


@dataclass(frozen=True)
class Rules:
    """A sampler's state in words; LODs are numbers of levels.

    mag, min: nearest, linear or anisotropic: up to max_anisotropy, with axes by the algorithm legacy or ewa. mip: none,
    nearest or linear. address: for each axis wrap, mirror, clamp, border, half_border, mirror_once, or cube for
    seamless cubes. round_mag, round_min: for each axis, whether positions are rounded to the nearest step, or down.
    quality: of trilinear filtering: full, med or low. border, outside: texels of four numbers: beyond a border, and of
    a level that is out of bounds.
    compare: always, never, less, equal, lequal, greater, notequal or gequal: the comparison of a texel's channel with a
    reference that makes the texel 0, else 1, in the channels that it replaces; empty: none.

    Raises StateError for other words.
    """

    mag: str = "linear"
    min: str = "linear"
    mip: str = "none"
    address: tuple[str, ...] = ("wrap", "wrap", "wrap")
    normalized: bool = True
    round_mag: tuple[bool, ...] = (True, True, True)
    round_min: tuple[bool, ...] = (True, True, True)
    lod_bias: float = 0.0
    min_lod: float = 0.0
    max_lod: float = 14.0
    base_level: float = 0.0
    resource_min_lod: float = 0.0
    preclamp: bool = False
    quality: str = "full"
    max_anisotropy: int = 16
    algorithm: str = "legacy"
    offset: tuple[int, ...] = (0, 0, 0)
    compare: str = ""
    compare_channel: int = 0
    compare_replaces: tuple[bool, ...] = (True, False, False, False)
    border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    outside: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name, words in _WORDS.items():
            value = getattr(self, name)
            for word in (value,) if isinstance(value, str) else value:
                if word not in words:
                    raise StateError(f"{name} must be one of {', '.join(words)}, found {word!r}")


_WORDS = {
    "mag": ("nearest", "linear", "anisotropic"),
    "min": ("nearest", "linear", "anisotropic"),
    "mip": ("none", "nearest", "linear"),
    "address": ("wrap", "mirror", "clamp", "border", "half_border", "mirror_once", "cube"),
    "quality": ("full", "med", "low"),
    "algorithm": ("legacy", "ewa"),
    "compare": ("", "always", "never", "less", "equal", "lequal", "greater", "notequal", "gequal"),
}
