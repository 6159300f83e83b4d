"""The motion compensated filter of `denoise=fast` and `hq` on one row of frames (ours; docs/denoise.md H1 to H10)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.errors import StateError
from texsamp.video.denoise.measure import Noise
from texsamp.video.samples import Samples, plane_record, require_alike, source_record

_PLANE = params_type("DenoiseHqPlaneParams")
_MATCH = params_type("DenoiseHqMatchParams")
_STACK = params_type("DenoiseHqStackParams")

PICTURES, NOW = 8, 4
"""Pictures of a stack, and the place of the one that is filtered."""
LOOKAHEAD = PICTURES - NOW - 1
"""Frames that must be known behind the one that is filtered."""
PAD = 64
"""Samples around a padded plane."""
PAD_TILE = {"host": (512, 8), "device": (128, 8)}
CELLS = {"host": 16, "device": 4}
STACK_TILE = {"host": (56, 56), "device": (24, 28)}
COARSE_RADIUS, FINE_RADIUS = 8, 2
_SHRINK = 3.1
"""What stands out of the noise, in its deviations."""
_LEAST = 0.15
"""Of white noise's deviation, what noise has of it at any frequency."""
_LARGEST_THRESHOLD = {8: 32767, 10: 65535}
"""By bits of a sample, whose sums hold it: no coefficient is larger."""
_SAME, _SAME_FLOOR = 1.4, 1.0
"""Mean difference of blocks that are the same: in deviations of the noise, and besides that in steps."""
_SAME_IN_GUIDES = 0.6
"""As `_SAME`, where most of the noise is gone."""
_GUIDED_NOISE = 1.06
"""Of the noise's variance, what is taken for noise where guides tell."""
_COARSE_BIAS, _FINE_BIAS = 0.5, 6.0
"""What a vector costs that is not expected, in deviations of the noise."""


@dataclass(frozen=True, eq=False)
class Padded:
    """A plane with its edge repeated around it: ``width`` x ``height`` samples inside ``pad`` each way."""

    array: Array
    width: int
    height: int
    bits: int
    pad: int = PAD

    @property
    def type_name(self) -> str:
        """The sample type in kernel names."""
        return "u8" if self.array.dtype.itemsize == 1 else "u16"

    @property
    def pitch_B(self) -> int:  # noqa: N802 - the unit
        """Bytes from one row to the next."""
        return int(self.array.strides[0])

    def origin(self, device: Device) -> int:
        """Address of the picture's first sample."""
        return device.address(self.array) + self.pad * (self.pitch_B + int(self.array.dtype.itemsize))


@dataclass(frozen=True, eq=False)
class Picture:
    """A frame, or a field of one, as the filter reads it: padded planes by component, and luma at a quarter."""

    planes: Mapping[str, Padded]
    quarter: Padded


def prepare(device: Device, planes: Mapping[str, Samples]) -> Picture:
    """H1 and H2; ``planes`` has luma, "Y"."""
    made = {name: _padded(device, samples) for name, samples in planes.items()}
    device.launch(*(launch for launch, _ in made.values()))
    launch, quarter = _quarter(device, made["Y"][1])
    device.launch(launch)
    return Picture({name: plane for name, (_, plane) in made.items()}, quarter)


def _padded(device: Device, samples: Samples) -> tuple[Launch, Padded]:
    shape = samples.height + 2 * PAD, samples.width + 2 * PAD
    array = device.empty(shape, samples.array.dtype)
    params = _plane_params(device, source_record(device, samples), array, samples.width, samples.height)
    launch = Launch(f"denoise_hq_pad_{samples.type_name}", params, *_tiles(device, shape), (samples.array, array))
    return launch, Padded(array, samples.width, samples.height, samples.bits)


def _quarter(device: Device, plane: Padded) -> tuple[Launch, Padded]:
    shape = (plane.height + 2 * PAD) // 4, (plane.width + 2 * PAD) // 4
    array = device.empty(shape, plane.array.dtype)
    source = source_record(device, Samples.plane(plane.array, plane.bits))
    params = _plane_params(device, source, array, plane.width, plane.height)
    launch = Launch(f"denoise_hq_quarter_{plane.type_name}", params, *_tiles(device, shape), (plane.array, array))
    return launch, Padded(array, -(-plane.width // 4), -(-plane.height // 4), plane.bits, PAD // 4)


def _plane_params(device: Device, source: tuple[int, ...], target: Array, width: int, height: int) -> np.void:
    return _PLANE(
        source=source,
        target=device.address(target),
        target_pitch_B=target.strides[0],
        width=width,
        height=height,
    )


def _tiles(device: Device, shape: tuple[int, int]) -> tuple[int, int]:
    width, height = PAD_TILE[device.tile_limits]
    return -(-shape[1] // width), -(-shape[0] // height)


def match(
    device: Device, current: Padded, reference: Padded, predictors: Array | None, radius: int, bias: int
) -> tuple[Launch, Array]:
    """H3: the launch that finds vectors, and the vectors, int16 of rows x columns x 2 (x, y).

    Without ``predictors`` the planes are quarters, in cells of 4x4; with them, those of the quarters, cells have 8x8.
    """
    cell = 4 if predictors is None else 8
    rows, columns = -(-current.height // cell), -(-current.width // cell)
    vectors = device.empty((rows, columns, 2), "<i2")
    params = _MATCH(
        current=current.origin(device),
        reference=reference.origin(device),
        predictors=0 if predictors is None else device.address(predictors),
        vectors=device.address(vectors),
        pitch_B=current.pitch_B,
        columns=columns,
        rows=rows,
        predictor_columns=0 if predictors is None else predictors.shape[1],
        predictor_rows=0 if predictors is None else predictors.shape[0],
        radius=radius,
        bias=bias,
    )
    kernel = f"denoise_hq_match_{'coarse' if predictors is None else 'fine'}_{current.type_name}"
    known = () if predictors is None else (predictors,)
    arrays = (current.array, reference.array, vectors, *known)
    return Launch(kernel, params, -(-columns // CELLS[device.tile_limits]), rows, arrays), vectors


def thresholds(sigma: float, bits: int) -> list[int]:
    """H7: 4 times what stands out, by the variance of a coefficient in time, in the transform's units."""
    unit = _SHRINK * sigma * (1 << bits - 8) * 16
    return [min(round(unit * math.sqrt(variance)), _LARGEST_THRESHOLD[bits]) for variance in range(65)]


def frequencies(blur_px: float) -> list[int]:
    """H7: deviation of noise that a Gaussian of this radius has blurred, by frequency, down and across, in 1/8192."""
    one = [math.exp(-((blur_px * math.pi * n / 8) ** 2) / 2) for n in range(8)]
    mean = math.sqrt(sum(value * value for value in one) / 8)
    gain = [1.0 if n % 4 == 0 else math.sqrt(0.5) for n in range(8)]
    return [
        round(8192 * max(one[v] * one[u] / mean**2, _LEAST) * gain[v] * gain[u]) for v in range(8) for u in range(8)
    ]


def noise_unit(sigma: float, bits: int) -> np.float32:
    """H10: the noise's variance in units of what `frequencies` says of it."""
    return np.float32(_GUIDED_NOISE * (sigma * (1 << bits - 8) * 4 / 8192) ** 2)


def same_limit(sigma: float, bits: int, guided: bool = False) -> int:
    """H4: sum of differences up to which a block is the same, of the pictures themselves or of guides."""
    return round(64 * ((_SAME_IN_GUIDES if guided else _SAME) * sigma + _SAME_FLOOR) * (1 << bits - 8))


def stack(
    device: Device,
    pictures: Sequence[Padded | None],
    vectors: Sequence[Array | None],
    target: Samples,
    subsampling: tuple[int, int],
    noise: Noise,
    guides: Sequence[Padded | None] | None = None,
) -> Launch:
    """H4 to H10: the launch that filters one plane of ``pictures[NOW]``; ``subsampling`` is log2 across and down."""
    now, field = pictures[NOW], next((v for v in vectors if v is not None), None)
    assert now is not None
    rows, columns = (0, 0) if field is None else field.shape[:2]
    params = _STACK(
        pictures=[0 if picture is None else picture.origin(device) for picture in pictures],
        guides=[0 if guide is None else guide.origin(device) for guide in guides or [None] * PICTURES],
        vectors=[0 if vector is None else device.address(vector) for vector in vectors],
        plane=plane_record(device, target, target),
        pitch_B=now.pitch_B,
        vector_columns=columns,
        vector_rows=rows,
        across=subsampling[0],
        down=subsampling[1],
        width=target.width,
        height=target.height,
        limit=same_limit(noise.sigma, now.bits, guides is not None),
        thresholds=thresholds(noise.sigma, now.bits),
        frequencies=frequencies(noise.blur_px),
        noise=noise_unit(noise.sigma, now.bits),
    )
    width, height = STACK_TILE[device.tile_limits]
    tiles = -(-target.width // width), -(-target.height // height)
    arrays = [plane.array for plane in (*pictures, *(guides or ())) if plane is not None]
    arrays += [vector for vector in vectors if vector is not None]
    kernel = f"denoise_hq_{'stack' if guides is None else 'guided'}_{now.type_name}"
    return Launch(kernel, params, *tiles, (target.array, *arrays))


def denoise_picture(
    device: Device,
    pictures: Sequence[Picture | None],
    targets: Mapping[str, Samples],
    noise: Mapping[str, Noise],
    guides: Sequence[Picture | None] | None = None,
) -> None:
    """The picture at `NOW` of eight (None where a stream or a scene has no more) into ``targets``, by component.

    ``guides`` are the same pictures after a first time; motion is then found in them, and they tell what is noise.
    Raises StateError without that one, for others unlike it, and for a component without noise.
    """
    now = _checked(pictures, targets, noise)
    vectors = _vectors(device, guides or pictures, max(noise["Y"].sigma if "Y" in noise else 0.0, 1.0))
    luma, launches = now.planes["Y"], []
    for name, target in targets.items():
        plane = now.planes[name]
        planes = [None if p is None else p.planes[name] for p in pictures]
        seen = None if guides is None else [None if p is None else p.planes[name] for p in guides]
        subsampling = _log2(luma.width, plane.width), _log2(luma.height, plane.height)
        launches.append(stack(device, planes, vectors, target, subsampling, noise[name], seen))
    device.launch(*launches)


def _vectors(device: Device, pictures: Sequence[Picture | None], sigma: float) -> list[Array | None]:
    """H3: the vectors from the picture at `NOW` to each of the others."""
    now = pictures[NOW]
    assert now is not None
    luma = now.planes["Y"]
    others = [None if place == NOW else picture for place, picture in enumerate(pictures)]
    scale = (1 << luma.bits - 8) * sigma
    coarse = [
        None if p is None else match(device, now.quarter, p.quarter, None, COARSE_RADIUS, round(_COARSE_BIAS * scale))
        for p in others
    ]
    device.launch(*_launches(coarse))
    fine = [
        None
        if p is None or found is None
        else match(device, luma, p.planes["Y"], found[1], FINE_RADIUS, round(_FINE_BIAS * scale))
        for p, found in zip(others, coarse, strict=True)
    ]
    device.launch(*_launches(fine))
    return [None if found is None else found[1] for found in fine]


def _checked(pictures: Sequence[Picture | None], targets: Mapping[str, Samples], noise: Mapping[str, Noise]) -> Picture:
    now = pictures[NOW]
    if now is None:
        raise StateError(f"the picture that is denoised is number {NOW} of {len(pictures)}, found None")
    for name, target in targets.items():
        if name not in noise or name not in now.planes:
            raise StateError(f"component {name} is denoised by its noise and its planes, found no such")
        planes = (picture.planes[name] for picture in pictures if picture is not None)
        inside = (Samples(plane.array, plane.width, plane.height, plane.bits) for plane in planes)
        require_alike("pictures that are denoised together", target, *inside)
    return now


def _launches(found: Sequence[tuple[Launch, Array] | None]) -> Iterator[Launch]:
    return (launch for entry in found if entry is not None for launch in entry[:1])


def _log2(large: int, small: int) -> int:
    """Of how many samples of luma one sample of a component is."""
    return 0 if small == large else 1 if -(-large // 2) == small else 2
