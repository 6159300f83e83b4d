"""The automatic strength: the constants that follow the noise of a plane (ours; docs/denoise.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from statistics import median

from texsamp.video.denoise.measure import Noise
from texsamp.video.denoise.parameters import DenoiseParameters

_RAMP_START, _RAMP_LENGTH = 0.5, 0.75
_GOOD_NEIGHBOR, _DIFFERENCE, _STAD = 3.6, 2.0, 20.0
"""Thresholds in standard deviations of the noise."""
_LARGEST_DIFFERENCE = 18
"""Above it the low threshold would leave noise of small differences to the temporal filter alone."""
_REMEMBERED = 5


class SteadyNoise:
    """The noise of every plane over the last frames of a scene: the median, which one odd frame does not move."""

    def __init__(self) -> None:
        self._seen: dict[str, deque[Noise]] = {}

    def follow(self, noise: Mapping[str, Noise]) -> dict[str, Noise]:
        """The noise to go by, with the measure of the next frame."""
        for name, found in noise.items():
            self._seen.setdefault(name, deque(maxlen=_REMEMBERED)).append(found)
        seen = {name: self._seen[name] for name in noise}
        return {name: Noise(median(n.sigma for n in ns), median(n.blur_px for n in ns)) for name, ns in seen.items()}


def noticed(sigma: float) -> float:
    """The deviation to filter at: nothing of what a clean picture may have, all of clear noise."""
    place = min(max((sigma - _RAMP_START) / _RAMP_LENGTH, 0.0), 1.0)
    return sigma * place * place * (3 - 2 * place)


def automatic_parameters(sigma: float) -> DenoiseParameters | None:
    """The constants for a standard deviation of the noise in 8-bit steps; None where nothing is to be done."""
    ramp = noticed(sigma)
    good_neighbor = min(int(_GOOD_NEIGHBOR * ramp + 0.5), 63)
    if not good_neighbor:
        return None
    threshold = min(max(int(_DIFFERENCE * ramp + 0.5), 1), _LARGEST_DIFFERENCE)
    width = 1 << min(threshold.bit_length() - 1, 4)
    return DenoiseParameters(
        stad_th=min(int(_STAD * ramp + 0.5), 255),
        mp_th=16,
        tasd_th=63,
        scm_th=0,
        history_max=240,
        delta=15,
        th=threshold,
        low=threshold - width,
        gn_th=good_neighbor,
        even=True,
    )
