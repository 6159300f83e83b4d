"""What one deinterlace message comes to for whole pictures, put together from the literal oracles."""

from dataclasses import asdict, dataclass

import numpy as np
from oracle.deinterlace import DiState, deinterlace_luma, deinterlaced_chroma, doubled_chroma, missing_lines
from oracle.denoise import DnState, block_noise, denoise
from oracle.film import FmdState, variances
from oracle.motion_compensation import McState, deinterlace_luma_mc, interleaved, search

from texsamp.state.deinterlace import FieldPairing
from texsamp.video.deinterlace.parameters import CompensationParameters, DeinterlaceParameters

Picture = dict[str, np.ndarray]


@dataclass
class LiteralCall:
    """Pictures by component: second field of the reference, first of the current one (None: not made), denoised."""

    second: Picture | None
    first: Picture | None
    denoised: Picture
    stmm: np.ndarray
    history: np.ndarray
    sums: np.ndarray
    noise: np.ndarray | None
    film: np.ndarray | None


def literal_call(state, current, reference, stmm_s, history, statistics=True):
    """Without a reference, a first frame. stmm_s, history: what the call before left. statistics: noise, film too."""
    height, width = current["Y"].shape
    progressive = state.progressive_dn and not state.di_enable
    dn = _dn_state(state, progressive)
    blocks = -(-height // 4), -(-width // 4)
    new_history, sums, denoised = np.zeros(blocks, int), np.zeros((*blocks, 5), int), current
    if state.dn_enable:
        rows = None if reference is None else reference["Y"].tolist()
        found = denoise(current["Y"].tolist(), rows, history, dn)
        denoised = current | {"Y": found.picture}
        new_history, sums = found.history, found.statistics
    noise = block_noise(current["Y"].tolist(), dn, 4) if statistics else None
    stmm = np.full((height, -(-width // 2)), 255)
    second = first = None
    if state.di_enable:
        parity = 0 if state.top_first else 1
        motion = None
        if reference is None:
            first = _field(state, denoised, None, parity, None, None, stmm)
        else:
            if state.mcdi_enable:
                # the current frame's first field lacks lines 1 - parity, the reference's second one lines parity
                lacks = {1 - parity: (denoised, reference), parity: (reference, denoised)}
                found = [search(lacks[n][0]["Y"], lacks[n][1]["Y"], np.arange(n, height, 2)) for n in (0, 1)]
                motion = interleaved(*found, height)
            second = _field(state, reference, denoised, 1 - parity, stmm_s, motion, stmm)
            first = _field(state, denoised, reference, parity, stmm_s, motion, stmm)
            if state.fmd_second_field != FieldPairing.DEINTERLACE:
                own = state.fmd_second_field == FieldPairing.PREVIOUS_FIELD
                second = reference if own else _weave(reference, denoised, 1 - parity)
            if state.fmd_first_field != FieldPairing.DEINTERLACE:
                own = state.fmd_first_field == FieldPairing.NEXT_FIELD
                first = denoised if own else _weave(denoised, reference, parity)
    before = None if reference is None else reference["Y"]
    film = variances(denoised["Y"], before, _film_state(state)) if statistics else None
    return LiteralCall(second, first, denoised, stmm, new_history, sums, noise, film)


def _film_state(state):
    return FmdState(
        fmd_tdiff=state.fmd_temporal_difference,
        fmd_vdiff1=state.fmd_vertical_difference1,
        fmd_vdiff2=state.fmd_vertical_difference2,
        fmd_thr_tear=state.fmd_tear_threshold,
    )


def _dn_state(state, progressive):
    return DnState(
        stad_th=state.stad_threshold, mp_th=state.moving_pixel_threshold, tasd_th=state.asd_threshold,
        scm_th=state.scm_threshold, history_max=state.max_history, delta=state.history_delta,
        th=state.temporal_difference_threshold, low=state.low_temporal_difference_threshold,
        gn_th=state.good_neighbor_threshold, edge_th=state.bne_edge_threshold, nn_th=state.bne_noise_threshold,
        progressive=progressive,
    )  # fmt: skip


def _field(state, c, r, parity, stmm_s, motion, stmm):
    """One field as a picture; its STMM goes into the lines it lacks."""
    di = DiState(**asdict(DeinterlaceParameters.from_state(state)))
    height = len(c["Y"])
    lines = missing_lines(parity, height)
    other = None if r is None else r["Y"]
    if motion is None:
        made = deinterlace_luma(c["Y"], other, parity, di, None if r is None else stmm_s[lines])
    else:
        mc = McState(**asdict(CompensationParameters.from_state(state)))
        made = deinterlace_luma_mc(c["Y"], other, parity, di, mc, stmm_s[lines], motion)
    if r is not None:
        stmm[lines] = made.stmm2
    out = {"Y": made.luma}
    for name in c.keys() & {"U", "V"}:
        part = None if r is None else r[name]
        if len(c[name]) < height:
            out[name] = doubled_chroma(c[name], part, parity, made, height, di)
        else:
            out[name] = deinterlaced_chroma(c[name], part, made, di)
    return out


def _weave(c, r, parity):
    out = {}
    for name, plane in c.items():
        out[name] = plane.copy()
        out[name][1 - parity :: 2] = r[name][1 - parity :: 2]
    return out
