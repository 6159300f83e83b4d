"""What film mode found and did, in words: and what to ask for where that is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from texsamp.video.film.cadence import spoken

_ORDERS = ("top", "tff"), ("bottom", "bff")
"""Of the parity that comes first: its name, and the value of ``parity``."""


def summary(counts: Mapping[str, int]) -> str:
    """Cadences, their breaks, and what was deinterlaced all the same."""
    frames = counts["frames"]
    if not frames:
        return ""
    found = sorted(((n, name[5:]) for name, n in counts.items() if name.startswith("film ")), reverse=True)
    if not found:
        deinterlaced = frames - counts["passed"]
        done = "every frame was" if deinterlaced == frames else f"{deinterlaced} of {frames} frames were"
        return f"film: no cadence was found: {done} deinterlaced"
    parts = [f"film {spoken(name)} locked for {100 * n // (2 * frames)} % of the fields" for n, name in found]
    breaks = counts["breaks"]
    parts.append(f"{breaks} cadence break{'s' * (breaks != 1)}")
    if counts["escaped"]:
        escaped = counts["escaped"]
        parts.append(f"{escaped} field{'s' * (escaped != 1)} of film deinterlaced all the same")
    return "; ".join(parts)


def unflagged_note(counts: Mapping[str, int]) -> str:
    """Of frames that were judged though they are not flagged as interlaced."""
    unflagged, passed = counts["unflagged"], counts["passed"]
    if not unflagged:
        return ""
    found = (
        f"film: {unflagged} of {counts['frames']} frames are not flagged as interlaced, but look so or lie among such"
    )
    if not passed:
        return f"{found}: all were taken for film's (film=off passes them)"
    taken = unflagged - passed
    return f"{found}: {taken} were taken for film's, {passed} passed as they are (deint=all deinterlaces them)"


def order_note(counts: Mapping[str, int]) -> str:
    """Of frames whose fields were taken in another order than they are flagged in."""
    parts = []
    for parity, (name, value) in enumerate(_ORDERS):
        if turned := counts[f"turned {parity}"]:
            other = _ORDERS[1 - parity][0]
            parts.append(
                f"film: {turned} of {counts['frames']} frames are flagged {name} field first, but move {other} field "
                f"first: they were taken so (parity={value} takes all {name} field first)"
            )
    return "; ".join(parts)
