"""One call of the hardware's denoiser and deinterlacer: two frames in, two fields out (seed 003:1528-1582)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from texsamp.device.base import Array
from texsamp.state.deinterlace import DeinterlaceSamplerState, FieldPairing
from texsamp.video.deinterlace.compensation import search_motion
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.launches import deinterlace_fields, measure_motion, with_doubled_chroma, woven
from texsamp.video.deinterlace.parameters import CompensationParameters, DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.denoise.launches import Before, block_noise, denoise_plane, history_shape
from texsamp.video.denoise.parameters import DenoiseParameters, NoiseThresholds
from texsamp.video.film.variances import FilmParameters, block_variances_on_device
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples

BLOCK_WIDTH_PX = 16
BLOCK_ROWS: Literal[4] = 4
"""Lines of a block when deinterlacing; of two of them when only denoising."""
SUMS = ("stad", "moving_pixels", "tasd", "shcm", "svcm")
"""Sums of a 4x4 block, in the order of `Call.sums`."""


@dataclass(frozen=True, eq=False)
class Call:
    """What comes out, for whole frames.

    second: the second field of the reference frame as a frame, None in a first frame; first: the first field of the
    current one; both None without deinterlacing, and 4:2:2 where the frames are 4:2:0. denoised: the current frame,
    with luma denoised if that is on. statistics: STMM (255 without deinterlacing) and denoise history (0 without
    denoising). sums: uint16 per 4x4 block (rows, columns, 5) as `SUMS`, None without denoising. noise: block noise
    estimates of 16x4 blocks, uint8. film: the eleven film variances of 16x4 blocks between the frames that are
    deinterlaced (`block_variances`), uint32, None without that. All are where the frames are.
    """

    second: Frame | None
    first: Frame | None
    denoised: Frame
    statistics: StatisticsSurface
    sums: Array | None
    noise: Array
    film: Array | None

    def on_host(self) -> Call:
        """The same on the host."""
        frames = [None if frame is None else frame.start_download() for frame in (self.second, self.first)]
        denoised, device = self.denoised.start_download(), self.denoised.device
        memory, noise = device.download(self.statistics.memory), device.download(self.noise)
        sums, film = (None if each is None else device.download(each) for each in (self.sums, self.film))
        second, first = (None if frame is None else frame() for frame in frames)
        statistics = replace(self.statistics, memory=memory)
        return Call(second, first, denoised(), statistics, sums, noise, film)


def run_call(
    state: DeinterlaceSamplerState, current: Frame, reference: Frame | None, stored: StatisticsSurface | None
) -> Call:
    """Carry out one call with both enables, film mode's pairings and the first frame's rule of the state.

    ``reference`` is the frame before ``current``, denoised if denoising is on, and ``stored`` what the call before
    left; both are None in a first frame. Raises FormatError for layouts not taken and StateError for illegal states.
    """
    written = StatisticsSurface.after_first_frame(current.device, current.width_px, current.height_px)
    denoised, sums = current, None
    progressive = state.progressive_dn and not state.di_enable
    if state.dn_enable:
        denoised, sums = _denoised(state, current, reference, stored, written, progressive)
    launch, noise = block_noise(
        current.device, Samples.of(current, "Y"), NoiseThresholds.from_state(state), progressive, BLOCK_ROWS
    )
    current.device.launch(launch)
    if not state.di_enable:
        return Call(None, None, denoised, written, sums, noise, None)
    second, first = _fields(state, denoised, current, reference, stored, written)
    film = block_variances_on_device(denoised, reference, FilmParameters.from_state(state))
    return Call(second, first, denoised, written, sums, noise, film)


def _denoised(
    state: DeinterlaceSamplerState,
    current: Frame,
    reference: Frame | None,
    stored: StatisticsSurface | None,
    written: StatisticsSurface,
    progressive: bool,
) -> tuple[Frame, Array]:
    device, luma = current.device, current.layout.components["Y"].plane
    planes = list(current.planes)
    planes[luma] = device.copy(planes[luma])
    out = current.like(current.width_px, current.height_px, planes)
    source = Samples.of(current, "Y")
    before = None
    if reference is not None and stored is not None:
        before = Before(Samples.of(reference, "Y"), stored.denoise_history)
    sums = device.empty((*history_shape(source), len(SUMS)), "<u2")
    launch = denoise_plane(
        device,
        source,
        Samples.of(out, "Y"),
        before,
        written.denoise_history,
        DenoiseParameters.from_state(state),
        progressive,
        statistics=sums,
    )
    device.launch(launch)
    return out, sums


def _fields(
    state: DeinterlaceSamplerState,
    current: Frame,
    given: Frame,
    reference: Frame | None,
    stored: StatisticsSurface | None,
    written: StatisticsSurface,
) -> tuple[Frame | None, Frame]:
    """The reference's second field and the current frame's first one, as frames: of 4:2:0 they are 4:2:2.

    ``given`` is the current frame as it came, before denoising.
    """
    parameters = DeinterlaceParameters.from_state(state)
    parity = int(not state.top_first)
    if reference is None or stored is None:
        (alone,) = deinterlace_fields([Field(_as_422(current, None, None, parameters), parity)], parameters)
        return None, alone
    by_line = (current, reference) if parity else (reference, current)
    noisy = (given, 1 - parity) if state.dn_enable else None
    current.device.launch(measure_motion(by_line, (0, 1), parameters, stored, written, noisy))
    vectors = None
    if state.mcdi_enable:
        search, vectors = search_motion(by_line, CompensationParameters.from_state(state))
        current.device.launch(search)
    current, reference = (
        _as_422(current, reference, written, parameters),
        _as_422(reference, current, written, parameters),
    )
    fields = [
        Field(reference, 1 - parity, current, written, vectors),
        Field(current, parity, reference, written, vectors),
    ]
    pairings = state.fmd_second_field, state.fmd_first_field
    left = [field for field, pairing in zip(fields, pairings, strict=True) if pairing == FieldPairing.DEINTERLACE]
    made = iter(deinterlace_fields(left, parameters))
    # The other field of the frame itself comes before its second field, and after its first one.
    own = FieldPairing.PREVIOUS_FIELD, FieldPairing.NEXT_FIELD
    second, first = (
        next(made) if pairing == FieldPairing.DEINTERLACE else field.current if pairing == same else woven(field)
        for field, pairing, same in zip(fields, pairings, own, strict=True)
    )
    return second, first


def _as_422(
    frame: Frame, other: Frame | None, motion: StatisticsSurface | None, parameters: DeinterlaceParameters
) -> Frame:
    """What the deinterlacer works on: chroma of 4:2:0 is doubled first."""
    halved = frame.layout.log2_chroma_height
    return with_doubled_chroma(frame, other, motion, parameters) if halved else frame
