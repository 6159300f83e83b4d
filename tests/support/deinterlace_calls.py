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
    before = None if reference is None else reference["Y"]
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
        noisy = current["Y"] if state.dn_enable else None
        if reference is None:
            made = {q: _luma(state, denoised, None, q, None, None) for q in (0, 1)}
            first = _field(state, _as_422(denoised, None, made, state), None, made[parity])
        else:
            if state.mcdi_enable:
                # the current frame's first field lacks lines 1 - parity, the reference's second one lines parity
                lacks = {1 - parity: (denoised, reference), parity: (reference, denoised)}
                found = [search(lacks[n][0]["Y"], lacks[n][1]["Y"], np.arange(n, height, 2)) for n in (0, 1)]
                motion = interleaved(*found, height)
            made = {
                1 - parity: _luma(state, reference, denoised, 1 - parity, stmm_s, motion),
                parity: _luma(state, denoised, reference, parity, stmm_s, motion, noisy),
            }
            for each in made.values():
                stmm[each.missing] = each.stmm2
            current, reference = _as_422(denoised, reference, made, state), _as_422(reference, denoised, made, state)
            second = _field(state, reference, current, made[1 - parity])
            first = _field(state, current, reference, made[parity])
            if state.fmd_second_field != FieldPairing.DEINTERLACE:
                own = state.fmd_second_field == FieldPairing.PREVIOUS_FIELD
                second = reference if own else _weave(reference, current, 1 - parity)
            if state.fmd_first_field != FieldPairing.DEINTERLACE:
                own = state.fmd_first_field == FieldPairing.NEXT_FIELD
                first = current if own else _weave(current, reference, parity)
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


def _luma(state, c, r, parity, stmm_s, motion, noisy=None):
    """Luma, angles and motion measure of one field."""
    di, lines = _di_state(state), missing_lines(parity, len(c["Y"]))
    if r is None:
        return deinterlace_luma(c["Y"], None, parity, di)
    if motion is None:
        return deinterlace_luma(c["Y"], r["Y"], parity, di, stmm_s[lines], noisy=noisy)
    mc = McState(**asdict(CompensationParameters.from_state(state)))
    return deinterlace_luma_mc(c["Y"], r["Y"], parity, di, mc, stmm_s[lines], motion, noisy=noisy)


def _di_state(state):
    return DiState(**asdict(DeinterlaceParameters.from_state(state)))


def _as_422(c, r, made, state):
    """The first step: chroma of 4:2:0 doubled in either field, whose lines then take turns (1154-1174)."""
    out, height = dict(c), len(c["Y"])
    for name in c.keys() & {"U", "V"} if len(c.get("U", c["Y"])) < height else ():
        out[name] = np.zeros((height, c[name].shape[1]), int)
        for parity in (0, 1):
            whole = doubled_chroma(
                c[name], None if r is None else r[name], parity, made[parity], height, _di_state(state)
            )
            out[name][parity::2] = whole[: len(out[name][parity::2])]
    return out


def _field(state, c, r, made):
    """The second step: one field as a picture, of frames with chroma in every line (1183-1222)."""
    out = {"Y": made.luma}
    for name in c.keys() & {"U", "V"}:
        out[name] = deinterlaced_chroma(c[name], None if r is None else r[name], made, _di_state(state))
    return out


def _weave(c, r, parity):
    out = {}
    for name, plane in c.items():
        out[name] = plane.copy()
        out[name][1 - parity :: 2] = r[name][1 - parity :: 2]
    return out
