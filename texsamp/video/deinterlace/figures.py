"""What is told about a frame that the deinterlacer has made: one row of a table."""

from __future__ import annotations

import numpy as np

from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.frame_pairs import ShownField
from texsamp.video.deinterlace.launches import compensated_share
from texsamp.video.deinterlace.parameters import DeinterlaceParameters
from texsamp.video.film.cadence import spoken
from texsamp.video.film.variances import VARIANCES
from texsamp.video.frame import Statistics


def figures(shown: ShownField | None, mode: str, parameters: DeinterlaceParameters) -> Statistics:
    """Figures of a field, or of a frame that passed: always the same names, None where there is nothing to tell."""
    verdict = None if shown is None else shown.verdict
    rhythm = None if verdict is None else verdict.rhythm
    row: dict[str, int | float | str | None] = {
        "order": "progressive" if shown is None else ("bff" if shown.first_parity else "tff"),
        "field": None if shown is None else 1 + shown.number,
        "method": "passed" if shown is None else ("film" if shown.partner else _method(shown.field, mode)),
        "cadence": None if verdict is None else ("none" if rhythm is None else spoken(rhythm.name)),
        **_motion(shown, mode, parameters),
    }
    values = (None,) * VARIANCES if shown is None else shown.variances()
    return row | {f"v{number}": value for number, value in enumerate(values)}


def _method(field: Field, mode: str) -> str:
    """The mode, or what is left of it: nothing is compensated without vectors."""
    return "madi" if mode in ("mcdi", "mcdi-hsw") and field.vectors is None else mode


def _motion(shown: ShownField | None, mode: str, parameters: DeinterlaceParameters) -> dict[str, float | None]:
    """STMM of the lines the field lacks, and the share of its pixels that each method has made."""
    field = None if shown is None else shown.field
    shares = ("woven_share", "temporal_share", "blended_share", "spatial_share", "compensated_share")
    names = ("stmm_mean", "motion_share", *shares)
    row: dict[str, float | None] = dict.fromkeys(names)
    stmm = None
    if field is not None and field.motion is not None:
        device = field.current.device
        stmm = device.download(field.motion.stmm)[1 - field.parity :: 2].astype(np.int64)
    if stmm is not None and stmm.size:
        row["stmm_mean"] = float(stmm.mean())
        row["motion_share"] = float((stmm >= parameters.stmm_max).mean())
    if shown is None or field is None:
        return row
    if shown.partner or mode == "weave":
        return row | dict.fromkeys(shares, 0.0) | {"woven_share": 1.0}
    if stmm is None or not stmm.size or mode == "bob":
        return row | dict.fromkeys(shares, 0.0) | {"spatial_share": 1.0}
    beside = np.pad(stmm, ((0, 0), (1, 1)), mode="edge")
    widest = np.maximum(np.maximum(beside[:, :-2], stmm), beside[:, 2:])
    still, moving = float((widest <= parameters.stmm_min).mean()), float((widest >= parameters.stmm_max).mean())
    return row | {
        "woven_share": 0.0,
        "temporal_share": still,
        "blended_share": max(0.0, 1 - still - moving),
        "spatial_share": moving,
        "compensated_share": compensated_share(field, parameters),
    }
