"""HDR10's static metadata: the display a video was mastered on, and how bright its content gets."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction

Chromaticity = tuple[Fraction, Fraction]
"""x and y of CIE 1931."""

_MASTERING_DISPLAY, _CONTENT_LIGHT = struct.Struct("=22i"), struct.Struct("=2I")


@dataclass(frozen=True)
class MasteringDisplay:
    """SMPTE ST 2086: ``primaries`` are red, green and blue, ``luminance`` the lowest and the highest, in cd/m².

    None where the video does not say.
    """

    primaries: tuple[Chromaticity, Chromaticity, Chromaticity] | None = None
    white: Chromaticity | None = None
    luminance: tuple[Fraction, Fraction] | None = None

    @classmethod
    def from_bytes(cls, data: bytes) -> MasteringDisplay:
        """Of FFmpeg's AVMasteringDisplayMetadata; what it holds that is no number (x/0) is unknown."""
        if len(data) < _MASTERING_DISPLAY.size:
            return cls()
        words = _MASTERING_DISPLAY.unpack(data[: _MASTERING_DISPLAY.size])
        numbers = [Fraction(a, b) if b else None for a, b in zip(words[:20:2], words[1:20:2], strict=True)]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return cls()
        points = tuple(zip(known[:8:2], known[1:8:2], strict=True))
        has_primaries, has_luminance = words[20:]
        return cls(
            (points[0], points[1], points[2]) if has_primaries else None,
            points[3] if has_primaries else None,
            (known[8], known[9]) if has_luminance else None,
        )


@dataclass(frozen=True)
class ContentLight:
    """CTA-861.3: the brightest pixel (MaxCLL) and the brightest mean of a frame (MaxFALL), in cd/m²; 0 if unknown."""

    max_content: int = 0
    max_average: int = 0

    @classmethod
    def from_bytes(cls, data: bytes) -> ContentLight:
        """Of FFmpeg's AVContentLightMetadata."""
        return cls(*_CONTENT_LIGHT.unpack(data[: _CONTENT_LIGHT.size])) if len(data) >= _CONTENT_LIGHT.size else cls()


@dataclass(frozen=True)
class HdrMetadata:
    """What a frame carries of both."""

    mastering: MasteringDisplay | None = None
    light: ContentLight | None = None
