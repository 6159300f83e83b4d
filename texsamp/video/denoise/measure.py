"""The noise of a plane as the automatic strength measures it (ours; docs/denoise.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video.denoise.launches import check_samples
from texsamp.video.measurement import Hosts, Measurement, read_together
from texsamp.video.samples import Samples

_MEASURE = params_type("DenoiseMeasureParams")
MEASURE_WIDTH = {"host": 256, "device": 64}
"""Samples across a tile (a test holds it against the header)."""
_PIXELS = 256
"""Samples of a block."""
_CALM_SHARE, _CALM_BIAS = 0.05, 0.867
"""Which block, from the calmest, is taken for pure noise, and how far below the mean it is for white noise."""
_LOW_SHARE, _SHARE = 0.03, 0.1
"""Blocks that tell how even the calm ones are."""
_SUM_OF_WHITE = _PIXELS * 6 * math.sqrt(2 / math.pi)
"""Sum over a block for white noise of deviation 1."""
_DEAD, _CUT_OFF = 64, 0.9 * _PIXELS
"""A sum up to this one, or so many samples cut off: nothing is to be seen of noise in such a block."""
_MOST_CUT_OFF = 0.8
_FEW = 8
"""Rows or columns of blocks, of which all count."""
_CORRELATED = 1.35, 0.4
"""Where noise between samples 2 apart exceeds that between neighbors by this ratio, it is correlated: start, length."""
_RATIOS, _BLURS_PX = (1.0, 2.14, 3.61, 5.16), (0.0, 0.6, 0.75, 0.9)
"""That ratio of white noise after a Gaussian of so many samples radius."""
_EVEN = 0.7, 0.12
"""How even the calm blocks must be for that, else they are texture: start, length."""


@dataclass(frozen=True)
class Noise:
    """Standard deviation in 8-bit steps, and the radius of the Gaussian that white noise may have gone through."""

    sigma: float
    blur_px: float = 0.0


def _kept(share: float) -> float:
    """Deviation that noise of deviation 1 keeps where so many samples are cut off."""
    normal = NormalDist()
    mean = -normal.inv_cdf(share)
    first = mean * normal.cdf(mean) + normal.pdf(mean)
    second = (mean * mean + 1) * normal.cdf(mean) + mean * normal.pdf(mean)
    return math.sqrt(second - first * first)


_SUMS_OF_WHITE = _SUM_OF_WHITE * np.array(
    [1.0, *(_kept(n / _PIXELS) for n in range(1, int(_MOST_CUT_OFF * _PIXELS) + 1))]
)
"""By the number of samples of a block that are cut off."""


def noise_sums(device: Device, source: Samples, progressive: bool) -> tuple[Launch, Array] | None:
    """The launch that measures the noise of blocks of 16x16 samples, and its result; None if no block fits.

    uint32, rows x columns x 4: sums of the absolute second differences of samples 1, 2 and 3 apart, and the number of
    samples that are 0 or the largest one (docs/denoise.md, automatic strength).
    """
    check_samples(source)
    step = 1 if progressive else 2
    rows, columns = (source.height - 6 * step) // 16, (source.width - 6) // 16
    if rows < 1 or columns < 1:
        return None
    blocks = device.empty((rows, columns, 4), "<u4")
    params = _MEASURE(
        data=source.address(device),
        blocks=device.address(blocks),
        pitch_B=source.pitch_B,
        step=source.step,
        shift=source.shift,
        max=source.max_value,
        blocks_pitch_B=blocks.strides[0],
        columns=columns,
        width=source.width,
        line_step=step,
    )
    across = MEASURE_WIDTH[device.tile_limits] // 16
    name = f"denoise_measure_{source.type_name}"
    return Launch(name, params, -(-columns // across), rows, (source.array, blocks)), blocks


def _inside_bars(sums: np.ndarray, cut_off: np.ndarray) -> tuple[slice, slice]:
    """The blocks without those at the borders where nothing is to be seen, and without the next ones, half in a bar."""
    rows, columns = sums.shape
    if sums.min() > _DEAD and cut_off.max() < _CUT_OFF:
        return slice(rows >= _FEW, rows - (rows >= _FEW)), slice(columns >= _FEW, columns - (columns >= _FEW))
    dead = (sums <= _DEAD) | (cut_off >= _CUT_OFF)
    slices = []
    for axis in (1, 0):
        lines = np.flatnonzero(~dead.all(axis=axis))
        if not lines.size:
            return slice(0), slice(0)
        first, last = int(lines[0]), int(lines[-1]) + 1
        thin = last - first >= _FEW  # a bar may also be thinner than a block
        slices.append(slice(first + (thin or first > 0), last - (thin or last < dead.shape[1 - axis])))
    return slices[0], slices[1]


def _ramp(value: float, start: float, length: float) -> float:
    return min(max((value - start) / length, 0.0), 1.0)


def _in_order(sums: np.ndarray, cut_off: np.ndarray, places: tuple[int, ...]) -> list[list[float]]:
    """For every scale the deviations of blocks at some places of their order, the last of which is among the lowest.

    Few blocks are looked at: those up to a limit that every sixteenth one suggests. The sums above it have deviations
    above the limit's, however many samples are cut off.
    """
    some = np.sort(sums[:, ::16], axis=1)
    most = some.shape[1] - 1
    limits = some[:, min(3 * (most + 1) * (places[-1] + 1) // (2 * cut_off.size) + 2, most)].tolist()
    found = []
    for values, limit in zip(sums, limits, strict=True):
        (low,) = (values <= limit).nonzero()
        deviations = values[low] / _SUMS_OF_WHITE[cut_off[low]]
        if low.size > places[-1]:
            deviations.partition(places)
        if low.size <= places[-1] or deviations[places[-1]] > limit / _SUMS_OF_WHITE[0]:
            deviations = np.sort(values / _SUMS_OF_WHITE[cut_off])
        found.append([float(deviations[place]) for place in places])
    return found


def noise_of_blocks(blocks: np.ndarray, bits: int) -> Noise:
    """The noise that the sums of `noise_sums` tell of; 0 without any."""
    planar = blocks.transpose(2, 0, 1).copy()
    if bits > 8:
        planar[:3] >>= bits - 8
    rows, columns = _inside_bars(planar[0], planar[3])
    inside = planar[:, rows, columns].reshape(4, -1)
    if inside[3].max(initial=0) >= len(_SUMS_OF_WHITE):
        inside = inside[:, inside[3] < len(_SUMS_OF_WHITE)]
    sums, cut_off = inside[:3], inside[3]
    if not cut_off.size:
        return Noise(0.0)
    places = tuple(int(share * (cut_off.size - 1)) for share in (_LOW_SHARE, _CALM_SHARE, _SHARE))
    low, calm, some = zip(*_in_order(sums, cut_off, places), strict=True)
    near, two, three = (sigma / _CALM_BIAS for sigma in calm)
    if not near or not two:
        return Noise(near)
    ratio, even = two / near, low[1] / some[1]
    whole = max(near, min(two * (1 + max(0.0, 0.2 * (ratio - 2))), three))
    share = _ramp(ratio, *_CORRELATED) * _ramp(even, *_EVEN)
    return Noise(near + (whole - near) * share, share and share * float(np.interp(ratio, _RATIOS, _BLURS_PX)))


def noise_of_planes(device: Device, planes: dict[str, Samples], progressive: bool) -> Measurement[dict[str, Noise]]:
    """The noise of every plane."""
    made = {name: noise_sums(device, samples, progressive) for name, samples in planes.items()}
    found = {name: each for name, each in made.items() if each is not None}

    def noise(hosts: Hosts) -> dict[str, Noise]:
        values = (noise_of_blocks(host, planes[name].bits) for name, host in zip(found, hosts, strict=True))
        return {**dict.fromkeys(planes, Noise(0.0)), **dict(zip(found, values, strict=True))}

    launches, blocks = (tuple(each) for each in zip(*found.values(), strict=True)) if found else ((), ())
    return Measurement(launches, blocks, noise)


def measured_noise(device: Device, planes: dict[str, Samples], progressive: bool) -> dict[str, Noise]:
    """`noise_of_planes`, measured now."""
    noise: dict[str, Noise]
    (noise,) = read_together(device, [noise_of_planes(device, planes, progressive)])
    return noise
