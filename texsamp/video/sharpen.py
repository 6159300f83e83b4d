"""`Sharpen`: the image enhancement filter (IEF) on luma (seed 003:1641-1700, 3541-3668)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

from texsamp.device.arguments import check_kind
from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.errors import FormatError, StateError
from texsamp.video.color.skintone import skin_scores
from texsamp.video.fitting import with_luma
from texsamp.video.frame import Frame
from texsamp.video.options import Choice, Either, Integer, Kinds, check
from texsamp.video.presets.ief import DEFAULT_LEVEL, HIGHEST_LEVEL, IefParameters, Slider, even_level, ief_level
from texsamp.video.presets.ief_gen6 import Gen6Mode, Gen6Parameters, gen6_settings
from texsamp.video.samples import Samples, plane_record
from texsamp.video.sharpen_gen6 import gen6_kernel
from texsamp.video.sharpness import SharpnessHistory, restoring_level, sharpness
from texsamp.video.stage import Stage

Mode = Literal["gen7"] | Gen6Mode
MODES: tuple[Mode, ...] = ("gen7", *get_args(Gen6Mode))
KINDS: Kinds = {
    "level": Either("auto", Integer(0, HIGHEST_LEVEL)),
    "slider": Choice(get_args(Slider)),
    "skintone": Choice(("off", "on")),
    "mode": Choice(MODES),
}
"""What options may be."""

_PARAMS = params_type("SharpenParams")
_TILE_WIDTH = {"host": 256, "device": 64}
_TILE_HEIGHT = 8
_LOWEST_SMOOTH_THRESHOLD = 4
"""Smooth mode averages differences below the noise estimate, or below this if that is more (8-bit units; ours)."""


def sharpen_launch(
    device: Device,
    source: Samples,
    target: Samples,
    settings: IefParameters | Gen6Parameters,
    score: Array | None = None,
) -> Launch:
    """The launch that sharpens one luma plane of 8 or 10 bits into another of the same size.

    ``score`` is a uint8 plane of skin-tone scores 0..31: 31 leaves a pixel as it is; Sandy Bridge's filters take none.
    Raises StateError.
    """
    if (source.type_name, source.bits) not in (("u8", 8), ("u16", 10)):
        raise StateError(
            f"sharpen needs luma of 8 bits in bytes, or of 10 bits in 16 (the manual's IEF has 10), "
            f"found {source.bits} bits in {source.array.dtype.itemsize * 8}"
        )
    shape = (source.height, source.width)
    if (target.height, target.width, target.bits, target.type_name) != (*shape, source.bits, source.type_name):
        raise StateError(
            f"sharpen keeps size and depth, found {source.width}x{source.height} of {source.bits} bits "
            f"to {target.width}x{target.height} of {target.bits}"
        )
    if score is not None and (score.shape != shape or score.dtype != "u1" or (shape[1] > 1 and score.strides[1] != 1)):
        raise StateError(
            f"the skin-tone score must be {shape} uint8 with contiguous rows, found {score.shape} {score.dtype} "
            f"with strides {score.strides}"
        )
    if isinstance(settings, IefParameters):
        kernel, params = _ief_kernel(device, source, target, settings, score)
    elif score is not None:
        raise StateError("the enhancement filters of Sandy Bridge take no skin-tone score")
    else:
        kernel, params = gen6_kernel(device, source, target, settings)
    tiles = -(-source.width // _TILE_WIDTH[device.tile_limits]), -(-source.height // _TILE_HEIGHT)
    arrays = (source.array, target.array) if score is None else (source.array, target.array, score)
    return Launch(kernel, params, *tiles, arrays)


def _ief_kernel(
    device: Device, source: Samples, target: Samples, settings: IefParameters, score: Array | None
) -> tuple[str, Any]:
    sign = 1 if settings.smooth or settings.combine == "sum" else -1
    r3x, r3c = sign * settings.r3x, sign * settings.r3c
    weights = *(4 * w for w in (r3x, r3c, settings.r5x, settings.r5c)), 8 * settings.r5cx
    params = _PARAMS(
        plane=plane_record(device, source, target),
        score=0 if score is None else device.address(score),
        score_pitch_B=0 if score is None else score.strides[0],
        width=source.width,
        height=source.height,
        r3x=r3x,
        r3c=r3c,
        r5x=settings.r5x,
        r5cx=settings.r5cx,
        r5c=settings.r5c,
        gain=settings.gain,
        strong_threshold=settings.strong_threshold,
        weak_threshold=settings.weak_threshold,
        strong_weight=settings.strong_weight,
        regular_weight=settings.regular_weight,
        non_edge_weight=settings.non_edge_weight,
        smooth_threshold=max(_LOWEST_SMOOTH_THRESHOLD, settings.noise_estimate) << (source.bits - 8),
        smooth=int(settings.smooth),
        narrow=int(255 * max(sum(max(s * w, 0) for w in weights) for s in (1, -1)) < 1 << 15),
    )
    inner = 255 * (2 * settings.r5cx + max(2 * r3x + r3c, 0))
    wide = source.bits == 8 and inner >= 1 << 15
    return f"sharpen_{source.type_name}{'_wide' * wide}", params


class Sharpen(Stage):
    """Sharpen (or smooth) luma; chroma is untouched, its planes are the input frame's own: writing to one changes both.

    ``level`` is 0 (bit-identical) to 64, or "auto": as much as the picture's sharpest edges are blurred, nothing where
    they are not; or pass the filter's own ``settings``, then the attribute ``level`` is None. By the ``slider`` "even"
    strength follows the level, by "driver" it does as in Intel's media driver; at 44 they are one, and what the
    hardware is set to. ``mode`` "gen7" is Ivy Bridge's filter, the others are Sandy Bridge's, whose gain is the level.
    ``skintone`` "on" detects skin and sharpens it the less the surer that is (gen7 only).
    Raises StateError for a level outside 0..64, for other modes and sliders and for "auto" or a slider in modes that
    have none, FormatError for a picture without luma (or chroma, to detect skin by).
    """

    overlaps = True

    wants = staticmethod(with_luma)

    def __init__(
        self,
        level: Literal["auto"] | int = DEFAULT_LEVEL,
        settings: IefParameters | Gen6Parameters | None = None,
        skintone: Literal["off", "on"] = "off",
        mode: Mode = "gen7",
        slider: Slider = "even",
    ) -> None:
        check("sharpen", KINDS, level=level, skintone=skintone, mode=mode, slider=slider)
        if settings is not None:
            check_kind("sharpen settings", settings, IefParameters | Gen6Parameters)
        if mode != "gen7" and (level == "auto" or slider != "even"):
            raise StateError(f"sharpen level=auto and slider=driver need mode gen7, found {mode}")
        self.level = level if settings is None else None
        self.mode = mode
        self.slider: Slider = slider
        self._sharpness = SharpnessHistory()
        if settings is None:
            settings = self._settings(0 if level == "auto" else level)
        if skintone == "on" and not isinstance(settings, IefParameters):
            raise StateError(f"sharpen skintone=on needs mode gen7, found {mode}: Sandy Bridge's filters know no skin")
        self.settings = settings
        self.skintone = skintone

    def _settings(self, level: int) -> IefParameters | Gen6Parameters:
        if self.mode != "gen7":
            return gen6_settings(self.mode, level)
        return even_level(level) if self.slider == "even" else ief_level(level)

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame with its luma filtered; other planes are shared with the input."""
        if self.level == "auto" and "Y" in frame.layout.components:
            part = frame.layout.components["Y"]
            plane = frame.device.download(frame.planes[part.plane])
            found = sharpness(plane[:, part.offset :: part.step][:, : frame.width_px] >> part.shift, part.bits)
            self.settings = self._settings(restoring_level(self._sharpness.smoothed(found)))
        yield self.apply(frame, skin_scores(frame) if self.skintone == "on" else None)

    def flush(self) -> Iterable[Frame]:
        """The stream has ended."""
        self._sharpness = SharpnessHistory()
        return ()

    def apply(self, frame: Frame, score: Array | None = None) -> Frame:
        """The frame with its luma filtered, tuned by a skin-tone ``score`` plane (uint8, 0..31) if there is one."""
        if frame.layout.model == "rgb":
            raise FormatError(
                f"sharpen works on luma and {frame.layout.name} has none: "
                "convert to a YUV format first, as by csc=format=yuv444p"
            )
        luma = frame.layout.components["Y"].plane
        alone = all(part.plane != luma for name, part in frame.layout.components.items() if name != "Y")
        planes = list(frame.planes)
        old = planes[luma]
        planes[luma] = frame.device.empty_all([old.shape], old.dtype)[0] if alone else frame.device.copy(old)
        out = frame.like(frame.width_px, frame.height_px, planes)
        frame.device.launch(
            sharpen_launch(frame.device, Samples.of(frame, "Y"), Samples.of(out, "Y"), self.settings, score)
        )
        return out
