"""`ToneMap`: PQ or HLG of BT.2020 to BT.709 of standard range."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import cast

from texsamp.device.arguments import is_integer
from texsamp.errors import FormatError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video.frame import Frame, Statistics
from texsamp.video.options import Choice, Either, Integer, Kinds, check
from texsamp.video.stage import Stage
from texsamp.video.tonemap.curves import BRIGHTEST
from texsamp.video.tonemap.launches import Mapping, Transfer, count_light, map_tones
from texsamp.video.tonemap.peak import PeakFollower

LOWEST_PEAK = 100
KINDS: Kinds = {
    "peak": Either("metadata", Either("auto", Integer(LOWEST_PEAK, BRIGHTEST))),
    "white": Integer(50, 1000),
    "bits": Choice(("keep", "8", "10")),
    "from": Choice(("auto", "pq", "hlg")),
}
"""What options may be."""

_NOMINAL = 1000
"""cd/m²: HLG's reference display, and the peak of PQ that does not say its own."""
_TRANSFERS: dict[int, Transfer] = {16: "pq", 18: "hlg"}
_BT2020, _BT709, _UNSPECIFIED = 9, 1, 2
_OF_BITS = {
    "8": {(1, 1): "yuv420p", (1, 0): "yuv422p", (0, 0): "yuv444p"},
    "10": {(1, 1): "yuv420p10le", (1, 0): "yuv422p10le", (0, 0): "yuv444p10le"},
}
_SEMI_PLANAR = {("p010le", "8"): "nv12", ("nv12", "10"): "p010le"}


class ToneMap(Stage):
    """Map the tones of PQ and HLG video of BT.2020 to standard range, and its colors to BT.709.

    ``peak`` is the brightest light of the video in cd/m², 100 to 10000; "metadata" takes it from the frame
    (MaxCLL, else the mastering display), "auto" measures it. ``white`` is the light that white of standard range stands
    for, 50 to 1000 cd/m². ``bits`` is "8", "10" or "keep". ``source`` is "pq" or "hlg", or "auto", which goes by the
    tag. Results are tagged BT.709 and carry no HDR metadata; their range is the frame's.

    Raises StateError for other values; FormatError for a frame that is not YUV, of another transfer or not BT.2020.
    """

    def __init__(
        self, peak: str | int = "metadata", white: int = 203, bits: str = "keep", source: str = "auto"
    ) -> None:
        check("tonemap", KINDS, peak=peak, white=white, bits=bits, **{"from": source})
        self.peak, self.white, self.bits, self.source = peak, white, bits, source
        self._follower, self._peaks = PeakFollower(), list[float]()

    TALLIES = ("notes", "_peaks")

    def _transfer(self, frame: Frame) -> Transfer:
        """What the frame is. Raises FormatError for what is no BT.2020 of high range."""
        tags = frame.color
        if self.source == "auto" and tags.transfer == _UNSPECIFIED:
            raise FormatError(
                "the video does not say whether it is PQ or HLG: if it is HDR, say so by tonemap=from=pq or "
                "tonemap=from=hlg"
            )
        if self.source == "auto" and tags.transfer not in _TRANSFERS:
            raise FormatError(
                f"tonemap takes PQ (transfer 16) or HLG (18), found transfer {tags.transfer}: this video has standard "
                "range already, leave tonemap out"
            )
        for name, tag in (("matrix", tags.matrix), ("primaries", tags.primaries)):
            if tag not in (_BT2020, _UNSPECIFIED):
                raise FormatError(f"tonemap takes BT.2020 ({name} {_BT2020}), found {name} {tag}")
        if self.source != "auto":
            return cast(Transfer, self.source)
        if _UNSPECIFIED in (tags.matrix, tags.primaries):
            self.note("tonemap: the video does not say its matrix and primaries: those of BT.2020 are taken")
        return _TRANSFERS[tags.transfer]

    def _layout(self, frame: Frame) -> PixelLayout:
        have = frame.layout
        if self.bits == "keep" or have.bits == int(self.bits):
            return have
        planar = _OF_BITS[self.bits][have.log2_chroma_width, have.log2_chroma_height]
        return PIXEL_LAYOUTS[_SEMI_PLANAR.get((have.name, self.bits), planar)]

    def _said_peak(self, frame: Frame, transfer: Transfer) -> float:
        """The peak that was given, or that the frame's metadata has."""
        if self.peak != "metadata":
            return float(self.peak)
        if transfer == "hlg":
            return _NOMINAL
        light = frame.hdr.light if frame.hdr is not None else None
        display = frame.hdr.mastering if frame.hdr is not None else None
        if light is not None and light.max_content:
            found = float(light.max_content)
        elif display is not None and display.luminance is not None and display.luminance[1]:
            found = float(display.luminance[1])
        else:
            self.note(f"tonemap: the video does not say its peak: {_NOMINAL} cd/m² is taken (peak=auto measures it)")
            found = _NOMINAL
        return min(max(found, LOWEST_PEAK), BRIGHTEST)

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame in standard range."""
        if frame.layout.model != "yuv":
            remedy = "put csc=bt2020:format=yuv444p10le before it"
            raise FormatError(f"tonemap works on luma and chroma, found {frame.layout.name}: {remedy}")
        transfer = self._transfer(frame)
        mapping = Mapping(transfer, self.white, int(self.peak) if is_integer(self.peak) else _NOMINAL)
        measured = None
        if self.peak == "auto":
            measured, peak = self._follower.next(count_light(frame, mapping), self.white)
            self._peaks = [min([measured, *self._peaks]), max([measured, *self._peaks])]
        else:
            peak = self._said_peak(frame, transfer)
        made = map_tones(frame, replace(mapping, peak=peak), self._layout(frame))
        tags = replace(frame.color, matrix=_BT709, primaries=_BT709, transfer=_BT709)
        yield replace(made, color=tags, hdr=None, figures=partial(_figures, peak, measured))

    def flush(self) -> Iterable[Frame]:
        """The stream has ended."""
        if self._peaks:
            self.note("tonemap: peaks from {:.0f} to {:.0f} cd/m² were measured".format(*self._peaks))
        self._follower, self._peaks = PeakFollower(), []
        return ()


def _figures(peak: float, measured: float | None) -> Statistics:
    """The peak that a frame was mapped with, and the one measured in it, in cd/m²."""
    return {"peak": peak, "measured": measured}
