"""`Denoise`: the temporal and spatial noise filter in front of the deinterlacer (seed 003:799-978)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal, cast

from texsamp.device.arguments import check_kind
from texsamp.device.base import Array
from texsamp.errors import FormatError, StateError
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.presets import preset as state_preset
from texsamp.state.presets import preset_names
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.denoise.automatic import SteadyNoise, automatic_parameters, noticed
from texsamp.video.denoise.launches import Before, denoise_plane, history_shape
from texsamp.video.denoise.levels import HIGHEST_LEVEL, level_parameters
from texsamp.video.denoise.lookahead import Lookahead, written_frame
from texsamp.video.denoise.measure import Noise, measured_noise, noise_of_planes
from texsamp.video.denoise.parameters import DenoiseParameters
from texsamp.video.fitting import with_luma
from texsamp.video.frame import Frame, Statistics
from texsamp.video.measurement import read_together
from texsamp.video.options import Choice, Either, Integer, Kinds, Real, Renamed, check
from texsamp.video.samples import Samples
from texsamp.video.scene_cuts import SceneCuts, mean_change
from texsamp.video.stage import Stage

PRESETS = ("off", *preset_names(DeinterlaceSamplerState))
"""What `preset` may be; off: `strength` decides."""
HIGHEST_SIGMA = 64
COMPENSATED = ("fast", "hq")
"""Strengths that are the motion compensated filter."""
KINDS: Kinds = {
    "strength": Renamed(Either("auto", Either("fast", Either("hq", Integer(0, HIGHEST_LEVEL)))), old="best", new="hq"),
    "sigma": Either("auto", Real(0, HIGHEST_SIGMA, closed=True)),
    "preset": Choice(PRESETS),
    "chroma": Choice(("on", "off")),
    "scenecut": Choice(("auto", "off")),
}
"""What options may be."""


class Denoise(Stage):
    """Denoise luma and chroma; the frame before takes part where nothing moves.

    ``strength`` is "auto", which follows the noise of every plane; "fast", the motion compensated filter, which gives a
    frame when the third one behind it is known, and takes ``sigma``, the standard deviation of the noise in 8-bit
    steps, or "auto"; "hq", which filters so twice, guided by the first time, and gives a frame when the sixth one
    behind it is known; or a level of media-driver's slider: 0 (bit-identical) to 64, temporal from 48 on. Or name a
    ``preset`` of DEINTERLACE_SAMPLER_STATE, or pass the filter's own ``settings`` (then the attribute ``strength`` is
    None). ``chroma`` "off" leaves chroma as it is.

    Interlaced frames are filtered in their fields. What is kept of a stream is forgotten at its end, when size or pixel
    format change, when time does not advance, and at a scene cut unless ``scenecut`` is "off". ``noise`` is the
    standard deviation of every plane of the last frame, in 8-bit steps, as "auto" has measured it; the strength follows
    the median of the last five frames of a scene. Raises StateError
    for arguments out of range, FormatError for pictures without luma or of other than 8 or 10 bits.
    """

    overlaps = True

    wants = staticmethod(with_luma)

    def __init__(
        self,
        strength: Literal["auto", "fast", "hq"] | int = "auto",
        preset: str = "off",
        chroma: Literal["on", "off"] = "on",
        settings: DenoiseParameters | None = None,
        scenecut: Literal["auto", "off"] = "auto",
        sigma: Literal["auto"] | float = "auto",
    ) -> None:
        check("denoise", KINDS, strength=strength, preset=preset, chroma=chroma, scenecut=scenecut, sigma=sigma)
        if preset != "off" and strength != "auto":
            raise StateError(f"denoise takes a level or a preset, found {strength!r} and {preset!r}")
        if sigma != "auto" and strength not in COMPENSATED:
            raise StateError(f"denoise sigma is for strength fast and hq alone, found {sigma!r} with {strength!r}")
        if settings is not None:
            check_kind("denoise settings", settings, DenoiseParameters)
        self.strength = strength if settings is None else None
        self.preset = preset
        self.chroma = chroma
        self.scenecut = scenecut
        self.noise: dict[str, float] = {}
        self.sigma = sigma
        self._automatic = settings is None and preset == "off" and strength in ("auto", *COMPENSATED)
        self._told: list[float] = []
        self._settings = settings
        if settings is None and preset != "off":
            self._settings = DenoiseParameters.from_state(state_preset(DeinterlaceSamplerState, preset))
        elif settings is None and strength not in ("auto", *COMPENSATED):
            parameters = level_parameters(cast(int, strength))
            self._settings = parameters if strength else None
        self._forget()

    def _forget(self) -> None:
        self._last: Frame | None = None
        self._history: dict[str, Array] = {}
        self._cuts = SceneCuts()
        self._steady = SteadyNoise()
        self._ahead = Lookahead(twice=self.strength == "hq")

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame denoised; planes that are not filtered are shared with the input."""
        _check_layout(frame.layout)
        if not self._told:
            self.notes = ()
        if self._last is None or not _continues(self._last, frame):
            yield from self._ahead.flush()
            self._forget()
        parts = ("Y", "U", "V") if self.chroma == "on" else ("Y",)
        planes = {name: Samples.of(frame, name) for name in parts if name in frame.layout.components}
        cut, measured = self._measured(frame, planes)
        if cut:
            yield from self._ahead.flush()
            self._last, self._history, self._steady = None, {}, SteadyNoise()
        steady: dict[str, Noise] = {}
        if self._automatic:
            self.noise = {name: noise.sigma for name, noise in measured.items()}
            self._told.append(self.noise["Y"])
            steady = self._steady.follow(measured)
        figures = partial(_figures, frame, planes, self.noise if self._automatic else None)
        if self.strength in COMPENSATED:
            self._last = frame
            yield from self._ahead.feed(frame, planes, self._known(steady), figures)
        else:
            out = self._filtered(frame, planes, self._chosen(planes, steady))
            self._last = out
            yield out.told(figures=figures)

    def flush(self) -> Iterable[Frame]:
        """The stream has ended: yields what still waits, and tells what its noise was."""
        yield from self._ahead.flush()
        self._forget()
        told, self._told = self._told, []
        if told:
            mean = sum(told) / len(told)
            self.note(f"denoise: noise of luma {mean:.1f} of 255 on average ({min(told):.1f} to {max(told):.1f})")

    def _measured(self, frame: Frame, planes: dict[str, Samples]) -> tuple[bool, dict[str, Noise]]:
        """Whether a scene ends before the frame, and its noise if the strength follows that.

        The first is asked only where what is known of the frames before would take part.
        """
        device, last = frame.device, self._last
        asks = self.scenecut == "auto" and (self._automatic or bool(self._history))
        cut = [mean_change(last, frame)] if asks and last is not None else []
        noise = [noise_of_planes(device, planes, not frame.interlaced)] if self._automatic else []
        values = read_together(device, [*cut, *noise])
        return bool(cut) and self._cuts.is_cut(values[0]), values[-1] if noise else {}

    def _known(self, steady: dict[str, Noise]) -> dict[str, Noise]:
        """What the motion compensated filter takes the noise for: ``sigma`` replaces the measured deviations."""
        if self.sigma == "auto":
            return {name: replace(noise, sigma=noticed(noise.sigma)) for name, noise in steady.items()}
        return {name: replace(noise, sigma=self.sigma) for name, noise in steady.items()}

    def _chosen(self, planes: dict[str, Samples], steady: dict[str, Noise]) -> dict[str, DenoiseParameters]:
        """The constants of every component that is filtered."""
        if self._automatic:
            found = {name: automatic_parameters(noise.sigma) for name, noise in steady.items()}
        else:
            timed = self._settings is not None and self._settings.th > 0  # the chroma filter is temporal only
            found = {name: self._settings for name in planes if name == "Y" or timed}
        return {name: parameters for name, parameters in found.items() if parameters is not None}

    def _filtered(self, frame: Frame, planes: dict[str, Samples], chosen: dict[str, DenoiseParameters]) -> Frame:
        device, last = frame.device, self._last
        out = written_frame(frame, set(chosen))
        launches, histories = [], {}
        for name, parameters in chosen.items():
            stored, source = self._history.get(name), planes[name]
            before = None if last is None or stored is None else Before(Samples.of(last, name), stored)
            histories[name] = device.empty(history_shape(source), "u1")
            launches.append(
                denoise_plane(
                    device,
                    source,
                    Samples.of(out, name),
                    before,
                    histories[name],
                    parameters,
                    not frame.interlaced,
                    "luma" if name == "Y" or self._automatic else "chroma",
                )
            )
        if launches:
            device.launch(*launches)
        self._history = histories
        return out.told(denoise_history=histories.get("Y"))


def _figures(frame: Frame, planes: dict[str, Samples], noise: Mapping[str, float] | None) -> Statistics:
    """The noise of every plane of a frame that was fed, measured now unless the strength follows it."""
    if noise is None:
        noise = {name: n.sigma for name, n in measured_noise(frame.device, planes, not frame.interlaced).items()}
    return {f"noise_{name.lower()}": noise.get(name) for name in ("Y", "U", "V")}


def _continues(last: Frame, frame: Frame) -> bool:
    """Whether the frame may be the next one of the stream of the last one."""
    if (last.layout, last.width_px, last.height_px) != (frame.layout, frame.width_px, frame.height_px):
        return False
    if last.device is not frame.device:
        return False
    return last.pts is None or frame.pts is None or frame.pts > last.pts


def _check_layout(layout: PixelLayout) -> None:
    if layout.model == "rgb":
        raise FormatError(
            f"denoise works on luma and {layout.name} has none: convert to a YUV format first, as by csc=format=yuv444p"
        )
    if layout.bits not in (8, 10):
        raise FormatError(f"denoise takes pictures of 8 or 10 bits, found {layout.name}: convert it first")
