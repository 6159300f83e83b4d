"""Samples with weights and LODs of float32, and their gradients (docs/exact-sampling.md): ours, not the hardware's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from texsamp.device.base import Array, Launch
from texsamp.device.given import GivenArray
from texsamp.device.params import params_type
from texsamp.errors import FormatError, StateError
from texsamp.sampler.arguments import (
    arrays_like,
    coordinate_arrays,
    coordinate_axes,
    gradient_arrays,
    is_number,
    references_of,
    require_surface,
    resource_min_lod_code,
    texel_offset,
)
from texsamp.sampler.border import border_texel
from texsamp.sampler.cube_faces import with_faces
from texsamp.sampler.detail import depends_on_lod
from texsamp.sampler.expanded import Expanded, expanded, texel_kind
from texsamp.sampler.launch import sample_parameters, tiles_of_samples
from texsamp.sampler.rules import check_sampled
from texsamp.sampler.sample_arguments import SampleArguments, SampleOptions
from texsamp.sampler.sampler import Sampler
from texsamp.surface.surface import Surface

_EXACT = params_type("ExactParams")
_UNITS_BITS = 62
"""Of the sums that texels' gradients are made in: integers, which do not depend on the order of threads."""


@dataclass(frozen=True, eq=False, repr=False)
class SampleGradients:
    """What a number that depends on samples changes by.

    texels: with the texels (red, green, blue, alpha) of each level, float32 arrays (slices, height, width, 4).
    coordinates: with u, v, w, as far as the surface has them. lod: with ``lod`` or ``bias``; 0 where a limit holds it.
    """

    texels: tuple[Array, ...]
    coordinates: tuple[Array, ...]
    lod: Array

    def __repr__(self) -> str:
        levels, samples = len(self.texels), "x".join(map(str, self.lod.shape)) or "1"
        return f"<SampleGradients of {levels} level{'s' * (levels > 1)}, {samples} samples>"


@dataclass(frozen=True, eq=False)
class _Request:
    """Exact samples of a surface, as parameters of both kernels, and what these point to."""

    surface: Surface
    texels: Expanded
    values: dict[str, Any]
    arrays: tuple[Array, ...]
    axes: int
    shape: tuple[int, ...]
    out: Array

    def launch(self, what: str, arrays: Sequence[Array], **values: Any) -> None:
        device, name = self.surface.device, f"sample_{what}_{self.texels.kind.name}"
        params = _EXACT(**self.values | values)
        device.launch(Launch(name, params, *tiles_of_samples(self.shape), (*self.arrays, *arrays)))


def sample_exact(surface: Surface, sampler: Sampler, given: SampleArguments) -> Array:
    """`sample` for a sampler whose filter is exact: float32."""
    request = _request(surface, sampler, given)
    request.launch("exact", ())
    return request.out


def sample_gradients(
    surface: Surface,
    sampler: Sampler,
    u: GivenArray,
    v: GivenArray | None = None,
    w: GivenArray | None = None,
    *,
    weights: GivenArray,
    **arguments: Unpack[SampleOptions],
) -> SampleGradients:
    """What a number changes by with texels, coordinates and LOD, from what it changes by with samples.

    weights: that, an array of the samples' shape (..., 4). The rest is as for `sample`; derivatives that the LOD is
        found from do not count, nor do those of a filter ``nearest``, which are 0.

    Returns float32 on the surface's device. Texels' gradients are sums in integers: their last bits depend neither on
    threads nor on the device; a part below 2^-61 of all weights' possible sum is lost.

    Raises as `sample` does, StateError unless the sampler's filter is exact, FormatError for weights that do not fit or
    are not finite.
    """
    require_surface(surface, sampler)
    if not sampler.exact:
        raise StateError(
            "the hardware's filter has steps of 1/256, so its gradients are 0 or infinite: "
            "gradients need Sampler(filter='exact')"
        )
    check_sampled(surface, sampler, texel_kind(surface.info, sampler.border_mode))
    request = _request(surface, sampler, SampleArguments(u, v, w, **arguments))
    device, shape = surface.device, request.shape
    (given,) = arrays_like(surface, [("weights", weights)], (*shape, 4))
    most = float(abs(given).max()) if given.size else 0.0
    if not math.isfinite(most):
        raise FormatError("weights must be finite numbers, found one that is not")
    exponent = min(_UNITS_BITS - math.ceil(math.log2(most * max(math.prod(shape), 1))), 126) if most else 0
    sums = device.empty(request.texels.texels.shape, np.int64)
    sums[...] = 0
    coordinates = tuple(device.empty(shape, np.float32) for _ in range(request.axes))
    by_lod = device.empty(shape, np.float32)
    request.launch(
        "exact_slopes",
        (given, sums, *coordinates, by_lod),
        weights=device.address(given),
        texel_sums=device.address(sums),
        by_coordinate=_addresses(surface, coordinates),
        by_lod=device.address(by_lod),
        scale=2.0**exponent,
    )
    texels = (sums * 2.0**-exponent).astype(np.float32)
    levels = tuple(
        texels[first : first + width * height * slices].reshape(slices, height, width, 4)
        for width, height, slices, first in request.texels.levels.tolist()
    )
    return SampleGradients(levels, coordinates, by_lod)


def _addresses(surface: Surface, arrays: Sequence[Array]) -> list[int]:
    made = [surface.device.address(array) for array in arrays]
    return made + [0] * (3 - len(made))


def _request(surface: Surface, sampler: Sampler, given: SampleArguments) -> _Request:
    kind = texel_kind(surface.info, sampler.border_mode)
    if kind.name == "integer" or given.dtype is not None:
        raise FormatError(f"exact samples are float32, found {surface.format} and dtype {given.dtype!r}")
    texels = with_faces(surface, sampler, expanded(surface, sampler.border_mode, given.palette), given.cube_faces)
    coordinates = coordinate_arrays(surface, *given.at, given.layer, references_of(surface, sampler, given.compare))
    references = None if given.compare is None else coordinates.pop()
    shape, state = coordinates[0].shape, sampler.state
    out = surface.device.empty((*shape, 4), np.float32)
    offset = texel_offset(given.offset, "sample")
    sample = sample_parameters(surface, sampler, texels, coordinates, 0, out, offset=offset, references=references)
    if kind.name == "unorm8":
        codes = {"border": border_texel(sampler, kind, surface.info), "outside": kind.outside}
        for name, texel in codes.items():
            sample.values[name] = (np.array(texel, np.float32) / np.float32(255)).view(np.uint32)
    axes = coordinate_axes(surface)
    lod, lods = _number_or_array(surface, "lod", given.lod, shape)
    bias, biases = _number_or_array(surface, "bias", given.bias, shape)
    if given.lod is not None and (given.bias is not None or given.gradients is not None):
        raise StateError("lod is the level of detail itself: it goes without bias and gradients")
    across: Sequence[Array] = ()
    down: Sequence[Array] = ()
    if given.gradients is not None:
        across, down = gradient_arrays(surface, given.gradients, axes, shape)
    elif given.lod is None and depends_on_lod(surface, sampler):
        pairs = [_quad_derivatives(surface, each) for each in coordinates[:axes]]
        across, down = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    values = {
        "sample": sample.values,
        "lods": 0 if lods is None else surface.device.address(lods),
        "biases": 0 if biases is None else surface.device.address(biases),
        "across": _addresses(surface, across),
        "down": _addresses(surface, down),
        "lod": lod,
        "bias": bias + state.lod_bias,
        "base": state.base_mip_level,
        "min_lod": state.min_lod,
        "max_lod": state.max_lod,
        "resource_min_lod": resource_min_lod_code(surface, given.resource_min_lod) / 256,
        "most_probes": sampler.max_anisotropy if sampler.is_anisotropic else 1,
        "derived": int(bool(across)),
        **dict.fromkeys(("weights", "texel_sums", "by_lod", "scale"), 0),
        "by_coordinate": [0, 0, 0],
    }
    kept = [each for each in (lods, biases, *across, *down) if each is not None]
    return _Request(surface, texels, values, (*sample.arrays, *kept), axes, shape, out)


def _number_or_array(surface: Surface, name: str, value: Any, shape: tuple[int, ...]) -> tuple[float, Array | None]:
    if value is None:
        return 0.0, None
    if is_number(value, name):
        limited = float(np.clip(np.float32(value), -16, 16))
        return (0.0 if math.isnan(limited) else limited), None
    (array,) = arrays_like(surface, [(name, value)], shape)
    return 0.0, array


def _quad_derivatives(surface: Surface, values: Array) -> tuple[Array, Array]:
    """Differences across and down of each 2x2 of the last two axes; a last one without a partner has the one before."""
    device, shape = surface.device, values.shape
    rows = values.reshape((1, 1, *shape)[-max(2, len(shape)) :])
    (top, down), (left, right) = (_pairs(side) for side in rows.shape[-2:])
    corner = rows[..., device.upload(top[:, None]), device.upload(left)]
    with np.errstate(invalid="ignore", over="ignore"):
        across = rows[..., device.upload(top[:, None]), device.upload(right)] - corner
        below = rows[..., device.upload(down[:, None]), device.upload(left)] - corner
    return device.copy(across.reshape(shape)), device.copy(below.reshape(shape))


def _pairs(side: int) -> tuple[Any, Any]:
    first = np.maximum(np.minimum(np.arange(side) & ~1, side - 2), 0)
    return first, first + (side > 1)
