"""One field to be made a frame, with what is known about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from texsamp.device.base import Array, Launch
from texsamp.errors import FormatError, StateError
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.deinterlace.components import as_gray
from texsamp.video.deinterlace.edges import BlockMotions, Sought
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples


class MotionVectors(Protocol):
    """What a motion search has found for every line; see `texsamp.video.deinterlace.compensation`."""

    def compensated(self, luma: Launch, current: Samples, counts: Array | None = None) -> Launch:
        """The launch that does what a launch for luma does, with compensation, and counts the pixels."""


class CompensatedLines(BlockMotions, Protocol):
    """The motion about a field; see `texsamp.video.deinterlace.field_vectors`."""

    def compensated(self, field: Field, out: Frame) -> Launch:
        """The launch that puts what the fields beside it show into the lines the field lacks."""

    def smoothed(self, field: Field, out: Frame, noise: Array | None) -> tuple[Launch, Launch]:
        """The launches, one after the other, that make those anew which the field's own lines tell better."""

    def moving_share(self) -> float:
        """Share of the field, 0 to 1, that is found to move."""


class PictureMatches(Protocol):
    """What of a field is of one picture with one beside it; see `texsamp.video.deinterlace.matches`."""

    @property
    def noise(self) -> Array:
        """One uint32: what the calmest blocks change and bend by."""

    def woven(self, field: Field, out: Frame, names: Iterable[str]) -> Iterator[Launch]:
        """The launches that put that into the lines the field lacks, of components by their names."""


def check_layout(layout: PixelLayout, full_chroma: bool = False) -> None:
    """Raises FormatError for what the deinterlacer does not take (seed 003:784-798, 1144); ours take 4:4:4 as well."""
    taken = ((1, 1), (1, 0), (0, 0)) if full_chroma else ((1, 1), (1, 0))
    subsampling = layout.log2_chroma_width, layout.log2_chroma_height
    legal = layout.model == "gray" or (layout.model == "yuv" and subsampling in taken)
    if not legal or layout.bits not in (8, 10):
        kinds = "4:2:0, 4:2:2, 4:4:4" if full_chroma else "4:2:0, 4:2:2"
        raise FormatError(
            f"deinterlace takes {kinds} and gray pictures of 8 or 10 bits, found {layout.name}: "
            "convert it first, as by csc=format=yuv422p"
        )


@dataclass(frozen=True, eq=False)
class Measured:
    """What is known of a component about a field; see `Field` for what each part does."""

    motion: StatisticsSurface | None = None
    motions: CompensatedLines | None = None
    matches: PictureMatches | None = None


@dataclass(frozen=True, eq=False)
class Field:
    """One field of ``current`` to be made a frame, with the frame next to it in time as ``reference``.

    ``parity`` is 0 for the top field. ``motion`` holds the STMM of the lines it lacks. Without a reference and
    motion the result is spatial only; with ``vectors`` it is motion compensated; ``long_filters`` are texsamp's
    own, if ``limited`` within what the fields beside it show, where calm blocks and own lines then tell no better
    (80), and with them U and V are made as luma is, by what ``chroma`` has of each; with ``edges`` those at shallow
    angles are drawn; with ``motions`` what moves is taken from the fields beside it, and edges are drawn once more;
    with ``matches`` what is of one picture, or still, is woven. With them the reference may come without motion:
    then it has no other part.
    """

    current: Frame
    parity: int
    reference: Frame | None = None
    motion: StatisticsSurface | None = None
    vectors: MotionVectors | None = None
    long_filters: bool = False
    edges: Sought | None = None
    motions: CompensatedLines | None = None
    matches: PictureMatches | None = None
    chroma: Mapping[str, Measured] = field(default_factory=dict)
    limited: bool = False

    def component(self, name: str) -> Field:
        """U or V as a field of its own, about which nothing is known."""
        reference = None if self.reference is None else as_gray(self.reference, name)
        return Field(as_gray(self.current, name), self.parity, reference)

    def of(self, name: str) -> Field:
        """U or V as a field of its own, made as this one is by what is known about it."""
        known = self.chroma.get(name)
        own = replace(self.component(name), long_filters=self.long_filters, edges=self.edges)
        if known is None:
            return replace(own, reference=None)
        limited = known.motions is None or known.matches is None
        return replace(own, motion=known.motion, motions=known.motions, matches=known.matches, limited=limited)

    def with_motion(self) -> Field:
        """The field as filters take it: without motion it has no reference."""
        return self if self.motion is not None else replace(self, reference=None)

    def needed_reference(self, by: str) -> Frame:
        """The reference, which ``by`` cannot do without: StateError if there is none."""
        if self.reference is None:
            raise StateError(f"a field with {by} needs its reference, found None")
        return self.reference

    def check(self) -> None:
        """Refuse what kernels would look for in vain: they know an absent frame, but nothing else that is absent."""
        if self.parity not in (0, 1):
            raise StateError(f"the parity of a field is 0 (top) or 1 (bottom), found {self.parity!r}")
        if self.reference is None:
            without = [name for name in ("vectors", "motions", "matches") if getattr(self, name) is not None]
            if without:
                self.needed_reference(" and ".join(without))
            return
        only_woven = self.matches is not None and self.vectors is None and self.motions is None
        if self.motion is None and not only_woven:
            raise StateError("a field with a reference needs the motion between both (measure_motion), found None")
        current = self.current
        for what, found in (("reference", self.reference), ("motion", self.motion)):
            if found is not None and (found.width_px, found.height_px) != (current.width_px, current.height_px):
                raise StateError(
                    f"the {what} of a field has its size, {current.width_px}x{current.height_px}, found "
                    f"{found.width_px}x{found.height_px}"
                )
        if self.reference.layout is not current.layout:
            raise FormatError(
                f"the reference of a field has its layout, {current.layout.name}, found {self.reference.layout.name}"
            )
