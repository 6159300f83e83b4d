"""Static HDR metadata as the encoders' options that hold it."""

from __future__ import annotations

from fractions import Fraction

from texsamp.io.streams.codecs import CODECS, CodecSettings, HdrOptions
from texsamp.video.hdr import Chromaticity, HdrMetadata, MasteringDisplay

_CHROMATICITY_STEPS, _LUMINANCE_STEPS = 50000, 10000
"""Units of the SEI messages of H.264 and HEVC (ITU-T H.265, D.3.28)."""


def hdr_options(codec: str, metadata: HdrMetadata | None) -> tuple[dict[str, str], list[str]]:
    """The encoder's options that hold the metadata, and a line for people about each kind that it cannot hold.

    A mastering display that says only a part of itself counts as none where the encoder takes nothing but the whole.
    """
    if metadata is None:
        return {}, []
    row = CODECS.get(codec, CodecSettings()).hdr
    words, lost = [], []
    if metadata.mastering is not None:
        text = None if row is None else _display_text(metadata.mastering, row)
        if row is None or text is None:
            taken = "none" if row is None else "no part of it"
            lost.append(f"the HDR mastering display metadata is lost: {codec} takes {taken}")
        else:
            words.append(f"{row.display}={text}")
    if metadata.light is not None:
        if row is None:
            lost.append(f"the HDR content light level is lost: {codec} takes none")
        else:
            words.append(f"{row.light}={metadata.light.max_content},{metadata.light.max_average}")
    return {row.option: ":".join(words)} if row is not None and words else {}, lost


def _display_text(display: MasteringDisplay, row: HdrOptions) -> str | None:
    """The display as the encoder's parameter, None if the display says only a part."""
    if display.primaries is None or display.white is None or display.luminance is None:
        return None

    def number(value: Fraction, steps: int) -> str:
        return f"{float(value):.6f}" if row.in_units else str(round(value * steps))

    def point(name: str, place: Chromaticity) -> str:
        return f"{name}({number(place[0], _CHROMATICITY_STEPS)},{number(place[1], _CHROMATICITY_STEPS)})"

    red, green, blue = display.primaries
    points = (("G", green), ("B", blue), ("R", red), ("WP", display.white))
    luminances = (number(value, _LUMINANCE_STEPS) for value in reversed(display.luminance))
    return "".join(point(*named) for named in points) + f"L({','.join(luminances)})"
