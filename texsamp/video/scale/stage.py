"""`Scale`: a frame to another size with the hardware's scaler."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, get_args

from texsamp.device.arguments import is_integer
from texsamp.device.base import Launch
from texsamp.errors import StateError
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.component_planes import ComponentPlanes
from texsamp.video.frame import Frame
from texsamp.video.options import Choice, Kinds, Real, check
from texsamp.video.presets.avs import (
    COEFFICIENT_PRESETS,
    STRETCHED_PRESETS,
    AdaptiveParameters,
    AdaptiveRule,
    AdaptiveSettings,
    adaptive_parameters,
    adaptive_settings,
)
from texsamp.video.scale.avs import AvsPlane, Edge
from texsamp.video.scale.expression import LEGAL, MAX_LETTERS, check_expression, evaluate
from texsamp.video.scale.mirror import check_mirrored
from texsamp.video.scale.positions import (
    CHROMA_SITING_2X,
    MAX_SIZE_PX,
    Axis,
    Positions,
    center_positions,
    hardware_positions,
    nonlinear_positions,
)
from texsamp.video.scale.prefilter import Prefilter, whole_halvings
from texsamp.video.scale.tables import AvsTables
from texsamp.video.stage import Stage

Adaptive = Literal["off", "on", "all"]
Align = Literal["center", "hardware"]

KINDS: Kinds = {
    "preset": Choice(COEFFICIENT_PRESETS),
    "adaptive": Choice(get_args(Adaptive)),
    "rule": Choice(get_args(AdaptiveRule)),
    "settings": Choice(get_args(AdaptiveSettings)),
    "align": Choice(get_args(Align)),
    "edge": Choice(get_args(Edge)),
    "nonlinear": Real(0, 1),
    "prefilter": Choice(("auto", "off")),
}
"""What options may be, but for the sizes."""
DEFAULT_PRESET = "lanczos3"

_GUIDES = {"yuv": "Y", "gray": "Y", "rgb": "G"}


@dataclass(frozen=True)
class _Group:
    """Components of one size, scaled together: their names, the index of the guide, and their scaler."""

    names: tuple[str, ...]
    guide: int | None
    prefilter: Prefilter | None
    avs: AvsPlane


class Scale(Stage):
    """Scale frames to ``width_px`` x ``height_px`` with the 8x8 polyphase scaler (seed 003:1584-1640).

    A size of -1 keeps the aspect of the picture, -2 too but rounds to an even number; a text is arithmetic on the
    picture's own size, as "iw/2" (see `expression`). ``preset`` names the coefficients
    (see `texsamp.video.presets.avs`). ``adaptive`` blends toward the smooth filter where the sharp one would ring: "on"
    for luma (or G), "all" for every channel, which needs channels of one size (4:4:4 or RGB), by the ``rule`` that
    `texsamp.video.presets.avs.AdaptiveRule` describes, with ``settings`` "tuned" (ours) or "ihd". ``align`` "center"
    keeps picture edges and chroma siting in place, "hardware" samples where the drivers made Gen7 sample and uses only
    the 17 stored coefficient rows, and mirrors edges only where it can. ``nonlinear`` in [0, 1) stretches the sides
    more than the middle. ``prefilter`` "auto" low-passes a picture that gets smaller (texsamp's addition: the
    hardware aliases), for presets that stretch their coefficients by halves only.

    Raises StateError naming the value and what is legal.
    """

    overlaps = True

    def __init__(
        self,
        width_px: int | str,
        height_px: int | str,
        preset: str = DEFAULT_PRESET,
        adaptive: Adaptive = "off",
        align: Align = "center",
        edge: Edge = "clamp",
        nonlinear: float = 0.0,
        prefilter: Literal["auto", "off"] = "auto",
        rule: AdaptiveRule = "ours",
        settings: AdaptiveSettings = "tuned",
    ) -> None:
        self.width_px, self.height_px = _checked_size("width", width_px), _checked_size("height", height_px)
        if {self.width_px, self.height_px} <= {-1, -2}:
            raise StateError("scale needs a width or a height: both ask to keep the aspect")
        check("scale", KINDS, preset=preset, adaptive=adaptive, align=align, edge=edge, nonlinear=nonlinear)
        check("scale", KINDS, prefilter=prefilter, rule=rule, settings=settings)
        if nonlinear and align == "hardware":
            raise StateError("scale nonlinear needs align=center: it is symmetric about the middle of the picture")
        self.preset = preset
        self.adaptive: Adaptive = adaptive
        self.align: Align = align
        self.edge: Edge = edge
        self.nonlinear = float(nonlinear)
        self.prefilter = prefilter
        self.rule: AdaptiveRule = rule
        self.settings: AdaptiveSettings = settings
        self._key: object = None
        self._groups: tuple[_Group, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Without its plans, which have addresses in them."""
        return {**vars(self), "_key": None, "_groups": ()}

    def output_size(self, width_px: int, height_px: int, sample_aspect: Fraction | None = None) -> tuple[int, int]:
        """The size a width_px x height_px picture is scaled to. Raises StateError if it cannot be made."""
        width, height = (_size_of(size, width_px, height_px, sample_aspect) for size in (self.width_px, self.height_px))
        if max(width, height) < 0:
            raise StateError("scale needs a width or a height: both ask to keep the aspect")
        if width < 0:
            width = _keep_aspect(height * Fraction(width_px, height_px), width)
        elif height < 0:
            height = _keep_aspect(width * Fraction(height_px, width_px), height)
        if max(width, height) > MAX_SIZE_PX:
            raise StateError(f"keeping the aspect needs {width}x{height}: at most {MAX_SIZE_PX} is possible")
        return width, height

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame at its new size."""
        size = self.output_size(frame.width_px, frame.height_px, frame.sample_aspect)
        key = (size, frame.layout.name, frame.width_px, frame.height_px, frame.color.chroma_location, frame.device.name)
        if key != self._key:
            self._groups = tuple(self._plan(frame, size))
            self._key = key
        out = Frame.empty(frame.layout, *size, frame.device)
        made = ComponentPlanes(out)
        sources, targets = ComponentPlanes(frame).part(), made.samples
        prefilter, groups = self._groups[0].prefilter, self._groups
        if prefilter is not None:  # all planes take the same passes
            kept = [
                group for group in groups if group.avs.keeps_samples and all(targets[n].step == 1 for n in group.names)
            ]
            groups = tuple(group for group in groups if group not in kept)
            done = {name for group in kept for name in group.names}  # by the passes alone
            into = [targets[name] if name in done else None for name in sources]
            sources = dict(zip(sources, prefilter.run(list(sources.values()), into), strict=True))
        launches: list[Launch] = []
        for group in groups:
            inputs = [sources[name] for name in group.names]
            outputs = [targets[name] for name in group.names]
            launches += group.avs.launches(list(zip(inputs, outputs, strict=True)), group.guide)
        frame.device.launch(*launches)
        made.join()
        yield frame.like(*size, out.planes).told(sample_aspect=_new_sample_aspect(frame, size))

    # -- planning ----------------------------------------------------------------------------------------------------

    def _plan(self, frame: Frame, size: tuple[int, int]) -> Iterable[_Group]:
        layout = frame.layout
        if max(frame.width_px, frame.height_px) > MAX_SIZE_PX:
            raise StateError(
                f"scale takes pictures of at most {MAX_SIZE_PX}x{MAX_SIZE_PX}, found {frame.width_px}x{frame.height_px}"
            )
        if self.adaptive == "all" and (layout.log2_chroma_width or layout.log2_chroma_height):
            raise StateError(
                f"scale adaptive=all needs channels of one size (4:4:4 or RGB), found {layout.name}: use adaptive=on"
            )
        if self.align == "hardware" and self.edge == "mirror":
            check_mirrored(layout, (frame.width_px, frame.height_px), size)
        by_size: dict[tuple[int, int], list[str]] = {}
        for name in layout.components:
            by_size.setdefault(layout.subsampling(name), []).append(name)
        state = self._state(layout)
        ratios = Fraction(size[0], frame.width_px), Fraction(size[1], frame.height_px)
        lowpass = self._lowpass(ratios)
        tables = AvsTables.from_preset(
            self.preset,
            *(ratio / low for ratio, low in zip(ratios, lowpass, strict=True)),
            stored_rows=self.align == "hardware",
            narrow_rgb=layout.model == "rgb" and layout.bits <= 10,
        )
        siting = CHROMA_SITING_2X.get(frame.color.chroma_location, CHROMA_SITING_2X[0])
        for subsampling, names in by_size.items():
            guide_name = _GUIDES[layout.model]
            source_size = layout.component_size(names[0], frame.width_px, frame.height_px)
            axes = [
                Axis(src, dst, log2, double_s if log2 else 0)
                for src, dst, log2, double_s in zip(
                    (frame.width_px, frame.height_px), size, subsampling, siting, strict=True
                )
            ]
            prefilter = None
            if min(lowpass) < 1:
                prefilter = Prefilter(frame.device, source_size, lowpass)
                source_size = prefilter.output_size
                axes = [replace(axis, halvings=n) for axis, n in zip(axes, prefilter.halvings, strict=True)]
            positions = (
                self._positions(axes[0], source_size[0], self.nonlinear),
                self._positions(axes[1], source_size[1], 0.0),
            )
            avs = AvsPlane(frame.device, source_size, positions, tables, state, self.edge)
            yield _Group(tuple(names), names.index(guide_name) if guide_name in names else None, prefilter, avs)

    def _lowpass(self, ratios: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        """What the prefilter brings each axis to; a preset that stretches does the rest, above 1/2, by itself."""
        if self.prefilter == "off" or self.align == "hardware":
            return Fraction(1), Fraction(1)
        x, y = (
            whole_halvings(ratio) if self.preset in STRETCHED_PRESETS else min(ratio, Fraction(1)) for ratio in ratios
        )
        return x, y

    def _positions(self, axis: Axis, source_count: int, nonlinear: float) -> Positions:
        if self.align == "hardware":
            return hardware_positions(0.0, 1.0 / axis.count, 0.0, source_count, axis.count)
        return nonlinear_positions(axis, nonlinear) if nonlinear else center_positions(axis)

    def _state(self, layout: PixelLayout) -> AdaptiveParameters:
        if self.adaptive == "off":
            return adaptive_parameters("i965")
        return replace(
            adaptive_settings(self.settings, self.rule),
            adaptive_all_channels=self.adaptive == "all",
            rgb_adaptive=layout.model == "rgb",
        )


def _checked_size(name: str, size: int | str) -> int | str:
    if isinstance(size, str):
        try:
            check_expression(size)
        except ValueError:
            raise StateError(f"scale {name} must be {LEGAL}, found {size[:MAX_LETTERS]!r}") from None
        return size
    if not (is_integer(size) and (1 <= size <= MAX_SIZE_PX or size in (-1, -2))):
        raise StateError(
            f"scale {name} must be an integer from 1 to {MAX_SIZE_PX}, or -1 or -2 to keep the aspect, found {size!r}"
        )
    return int(size)


def _size_of(size: int | str, width_px: int, height_px: int, sample_aspect: Fraction | None) -> int:
    """A size in pixels, or -1 or -2. Raises StateError if an expression says neither."""
    if not isinstance(size, str):
        return size
    aspect, shape = float(sample_aspect or 1), width_px / height_px
    names = {"iw": width_px, "ih": height_px, "sar": aspect, "a": shape, "dar": shape * aspect}
    try:
        found = evaluate(size, names)
    except ValueError as error:
        raise StateError(f"scale: {error}") from None
    if not (1 <= found <= MAX_SIZE_PX or found in (-1, -2)):
        raise StateError(f"scale: {size} is {found} for {width_px}x{height_px}: sizes go from 1 to {MAX_SIZE_PX}")
    return found


def _keep_aspect(exact: Fraction, mode: int) -> int:
    """Nearest whole size, or the nearest even one for -2; at least 1 (2)."""
    unit = -mode
    return max(round(exact / unit), 1) * unit


def _new_sample_aspect(frame: Frame, size: tuple[int, int]) -> Fraction | None:
    """The sample aspect that keeps the display aspect; unknown stays unknown if the shape does."""
    if frame.sample_aspect is None and size[0] * frame.height_px == size[1] * frame.width_px:
        return None
    aspect = frame.sample_aspect or Fraction(1)
    return aspect * Fraction(frame.width_px * size[1], frame.height_px * size[0])
