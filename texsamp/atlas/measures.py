"""What the answers of a driver say of its filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from texsamp.atlas.driver import BORDER, Driver, Floats, Places, State
from texsamp.atlas.ours import sampler_of, surface_of
from texsamp.verify import verify

_STEPS = 1 << 14
"""Samples between two texels, or two levels."""
_ANY_BITS = 13
_SEEN = 1e-3
_SIDE_PX = 256
_RATIOS = (2, 4, 8, 16)
_PRECISIONS = ("gen7", "d3d", "loose")


@dataclass(frozen=True)
class Measure:
    """One row of the page: what is measured, and how, giving words."""

    name: str
    of: Callable[[Driver], str]


def measured(driver: Driver) -> dict[str, str]:
    """Every measure of a driver."""
    return {measure.name: measure.of(driver) for measure in MEASURES}


def _flat(height: int, width: int, red: float) -> Floats:
    made = np.zeros((height, width, 4), np.float32)
    made[..., 0] = red
    return made


def _staircase(weights: Floats, exact: Floats) -> str:
    """Bits of a weight, where its steps are, and its largest error, of weights at even places from 0 to 1."""
    steps = len(np.unique(weights)) - 1
    error = f"error up to {np.abs(weights - exact).max():.2g}"
    if steps < 1:
        return f"no steps at all, {error}"
    if steps >= 1 << _ANY_BITS:
        return f"{_ANY_BITS} or more, {error}"
    first = float(exact[np.argmax(weights != weights[0])]) * steps
    where = "to nearest" if abs(first - 0.5) < 0.1 else "down" if abs(first - 1) < 0.1 else f"up from {first:.2f} steps"
    return f"{np.log2(steps):.3g}, {where}, {error}"


def _weight_bits(driver: Driver, width: int = 2) -> str:
    level = _flat(1, width, 0.0)
    level[0, width // 2 :, 0] = 1
    exact = np.arange(_STEPS + 1, dtype=np.float64) / _STEPS
    u = ((width / 2 - 0.5 + exact) / width).astype(np.float32)
    found = driver.sample([level], State(), Places.along(u))[:, 0]
    return _staircase(found, exact.astype(np.float32))


def _far_weight_bits(driver: Driver) -> str:
    return _weight_bits(driver, 4096)


def _mip_bits(driver: Driver) -> str:
    lod = (np.arange(_STEPS + 1) / _STEPS).astype(np.float32)
    half = np.full_like(lod, 0.5)
    found = driver.sample([_flat(2, 2, 0.0), _flat(1, 1, 1.0)], State(mip="linear"), Places.along(half, lod))[:, 0]
    return _staircase(found, lod)


def _numbered() -> list[Floats]:
    """Levels that hold their own number: a sample is its LOD."""
    return [_flat(_SIDE_PX >> k, _SIDE_PX >> k, float(k)) for k in range(_SIDE_PX.bit_length())]


def _lods(driver: Driver, slopes: Floats, state: State) -> Floats:
    half = np.full(slopes.shape[1], 0.5, np.float32)
    return driver.sample(_numbered(), state, Places.along(half, gradients=slopes / np.float32(_SIDE_PX)))[:, 0]


def _lod_error(driver: Driver) -> str:
    exact = np.linspace(0, 7, 7 * 512 + 1)
    zero, length = np.zeros_like(exact), 2**exact
    found = _lods(driver, np.stack([length, zero, zero, length]).astype(np.float32), State(mip="linear"))
    return f"from {(found - exact).min():+.3g} to {(found - exact).max():+.3g}"


def _lod_by_angle(driver: Driver) -> str:
    angle, length = np.linspace(0, np.pi / 2, 181), 2**3.5
    across, down = length * np.cos(angle), length * np.sin(angle)
    found = _lods(driver, np.stack([across, down, -down, across]).astype(np.float32), State(mip="linear")) - 3.5
    rule = "the length of a derivative" if np.abs(found).max() < 0.1 else "not the length"
    return f"from {found.min():+.3g} to {found.max():+.3g}: {rule}"


def _anisotropic_lod(driver: Driver) -> str:
    ratios = np.array(_RATIOS, np.float32)
    slopes = np.stack([ratios * 2, 0 * ratios, 0 * ratios, 0 * ratios + 2])
    found = _lods(driver, slopes, State(mip="linear", anisotropy=16)) - 1
    return ", ".join(f"{ratio}: {lod:+.3g}" for ratio, lod in zip(_RATIOS, found, strict=True))


def _probes(driver: Driver) -> str:
    """The response to a column of texels, whose tent is 2 texels wide, moved under a footprint."""
    level = _flat(_SIDE_PX, _SIDE_PX, 0.0)
    level[:, _SIDE_PX // 2, 0] = 1
    levels = [level, *(_flat(_SIDE_PX >> k, _SIDE_PX >> k, 0.0) for k in range(1, _SIDE_PX.bit_length()))]
    per_texel, said = 64, []
    for ratio in _RATIOS:
        reach = 3 * (ratio + 1)
        offset = np.arange(-reach * per_texel, reach * per_texel + 1) / per_texel
        u = ((_SIDE_PX / 2 + 0.5 + offset) / _SIDE_PX).astype(np.float32)
        slopes = np.zeros((4, len(u)), np.float32)
        slopes[0], slopes[3] = ratio / _SIDE_PX, 1 / _SIDE_PX
        state = State(mip="linear", anisotropy=16)
        found = driver.sample(levels, state, Places.along(u, gradients=slopes))[:, 0]
        seen = np.flatnonzero(abs(found) > _SEEN)
        if seen.size:
            width = (seen[-1] - seen[0]) / per_texel - 2
            said.append(f"{ratio}: {max(width, 0):.2f} texels, {found.max():.3f}")
        else:
            said.append(f"{ratio}: smaller levels alone")
    return "; ".join(said)


def _turn(driver: Driver, boundary: float, state: State) -> str:
    """How far from a boundary between texels, in texels, the color changes."""
    width, fine = 16, 1 << 12
    offset = np.arange(-fine, fine + 1) / fine / 64
    level = np.zeros((1, width, 4), np.float32)
    level[0, :, 0] = np.arange(width)
    u = ((boundary + offset) / width).astype(np.float32)
    found = driver.sample([level], state, Places.along(u))[:, 0]
    changes = np.flatnonzero(np.diff(found))
    return ", ".join(f"{offset[change + 1]:+.5f}" for change in changes) or "no change"


def _texel_turn(driver: Driver) -> str:
    return _turn(driver, 5.0, State(linear=False))


def _border_turn(driver: Driver) -> str:
    state = State(linear=False, address="border")
    return f"{_turn(driver, 0.0, state)} at the left, {_turn(driver, 16.0, state)} at the right"


def _half_border(driver: Driver) -> str:
    """The linear filter at the edge: half texel, half border."""
    u = np.array([0.0, 1.0], np.float32)
    found = driver.sample([_flat(1, 4, 1.0)], State(address="border"), Places.along(u))[:, 0]
    middle = (1 + BORDER[0]) / 2
    return ", ".join(f"{value - middle:+.3g}" for value in found)


def _verdicts(state: State) -> Callable[[Driver], str]:
    def of(driver: Driver) -> str:
        random = np.random.default_rng(7)
        levels = [random.random((32 >> k, 64 >> k, 4), np.float32) for k in range(6)] + [np.ones((1, 1, 4), np.float32)]
        u, v = random.uniform(-2, 3, (2, 4096)).astype(np.float32)
        lod = random.uniform(-1, 7, 4096).astype(np.float32)
        found = driver.sample(levels, state, Places(u, v, lod))
        surface, sampler = surface_of(levels), sampler_of(state)
        reports = [
            verify(surface, sampler, u, v, lod=lod, result=found, precision=precision, explained=0)
            for precision in _PRECISIONS
        ]
        return ", ".join(
            f"{precision} {100 * report.accepted.mean():.4g}%"
            for precision, report in zip(_PRECISIONS, reports, strict=True)
        )

    return of


MEASURES: Sequence[Measure] = (
    Measure("bits of a weight between two texels", _weight_bits),
    Measure("the same between texels 2047 and 2048 of 4096", _far_weight_bits),
    Measure("bits of the weight between two levels", _mip_bits),
    Measure("LOD of gradients of 1 to 128 texels less log2 of them", _lod_error),
    Measure("LOD of turned gradients less log2 of their length", _lod_by_angle),
    Measure("LOD less that of the minor axis, by ratio", _anisotropic_lod),
    Measure("way between the outermost probes, and the largest weight of a texel, by ratio", _probes),
    Measure("where nearest filtering goes on to the next texel, in texels", _texel_turn),
    Measure("where nearest filtering goes on to the border, in texels", _border_turn),
    Measure("linear filtering at the very edge, less half of texel and border", _half_border),
    Measure("nearest, explicit LODs: samples that are allowed", _verdicts(State(linear=False, address="wrap"))),
    Measure("bilinear: samples that are allowed", _verdicts(State(address="wrap"))),
    Measure("trilinear: samples that are allowed", _verdicts(State(mip="linear", address="wrap"))),
)
