"""What the manual asks of pictures whose edges the hardware is to mirror (seed 003:1787, 1898-1938)."""

from __future__ import annotations

from texsamp.errors import StateError
from texsamp.surface.pixel_layout import PixelLayout

_LEAST_PX = 32


def check_mirrored(layout: PixelLayout, source_px: tuple[int, int], target_px: tuple[int, int]) -> None:
    """Raise StateError unless the hardware could mirror such a picture when it is scaled so.

    Its width and height must exceed 32 texels, and 7 more than 19 steps between samples, so that no message of 16x4
    pixels sees both edges. Formats of 16 bits in the cache (gray, subsampled chroma) hold two pixels to a dword, and a
    width must fill dwords.
    """
    for what, size, count in zip(("width", "height"), source_px, target_px, strict=True):
        step = size / count
        least = max(19 * step + 7, _LEAST_PX)
        if size <= least:
            raise StateError(
                f"scale edge=mirror with align=hardware needs a {what} above {least:g} texels for a step of {step:g}, "
                f"found {size}: use edge=clamp or align=center"
            )
    if (layout.model == "gray" or layout.log2_chroma_width) and source_px[0] % 2:
        raise StateError(
            f"scale edge=mirror with align=hardware needs an even width in {layout.name}, found {source_px[0]}: "
            "use edge=clamp or align=center"
        )
