"""Levels of detail of samples: given, or found from gradients or from a grid of coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from texsamp.device.base import Array
from texsamp.errors import StateError
from texsamp.sampler.arguments import arrays_like, coordinate_axes, gradient_arrays, is_number
from texsamp.sampler.launch import (
    Footprints,
    Parameters,
    footprint_parameters,
    footprints_launch,
    lod_code,
    lod_parameters,
    lods_launch,
)
from texsamp.sampler.sample_arguments import SampleArguments
from texsamp.sampler.sampler import Sampler
from texsamp.state.sampler import MipFilter
from texsamp.surface.surface import Surface

_FUSED_WIDTH = 64
"""Columns of a grid from which on its rows are strips of their own; narrower ones are sampled across rows."""


@dataclass(frozen=True, eq=False)
class Detail:
    """LODs with every bias, in 1/256: one for all samples or one for each, or footprints where they are anisotropic.

    left: what the kernel that samples finds them from by itself, instead.
    """

    lods: Array | Footprints | int = 0
    left: Parameters | None = None


def depends_on_lod(surface: Surface, sampler: Sampler) -> bool:
    """Whether the LOD can change a result: by the level, or by the choice of the filter."""
    state = sampler.state
    same = state.mag_filter == state.min_filter and sampler.rounds("mag") == sampler.rounds("min")
    levels = surface.levels > 1 and state.mip_filter != MipFilter.NONE
    return not same or levels or sampler.is_anisotropic


def check_detail(surface: Surface, given: SampleArguments, axes: int, shape: tuple[int, ...]) -> None:
    """Raise as `find_detail` does, where no LOD can change a result."""
    _check_lod(given)
    for name, value in (("lod", given.lod), ("bias", given.bias)):
        if value is not None and not is_number(value, name):
            arrays_like(surface, [(name, value)], shape)
    if given.gradients is not None:
        gradient_arrays(surface, given.gradients, axes, shape)


def _check_lod(given: SampleArguments) -> None:
    if given.lod is not None and (given.bias is not None or given.gradients is not None):
        raise StateError("lod is the level of detail itself: it goes without bias and gradients")


def find_detail(
    surface: Surface, sampler: Sampler, coordinates: list[Array], given: SampleArguments, *, may_leave: bool = False
) -> Detail:
    """LODs of samples at coordinates.

    may_leave: whether a grid's may be left to the kernel that samples. Raises StateError, FormatError.
    """
    device, lod, shape = surface.device, given.lod, coordinates[0].shape
    bias = round(sampler.state.lod_bias * 256)
    _check_lod(given)
    if lod is not None and is_number(lod, "lod"):
        return Detail(lod_code(lod) + bias)
    if lod is not None:
        out = device.empty(shape, np.int32)
        (numbers,) = arrays_like(surface, [("lod", lod)], shape)
        device.launch(lods_launch(lod_parameters(surface, "numbers", shape, out, numbers=numbers, bias=bias), shape))
        return Detail(out)
    biases: Array | None = None
    if given.bias is not None and is_number(given.bias, "bias"):
        bias += lod_code(given.bias)
    elif given.bias is not None:
        (biases,) = arrays_like(surface, [("bias", given.bias)], shape)
    axes = coordinate_axes(surface)
    is_grid = given.gradients is None
    if is_grid:
        found: dict[str, Any] = {"coordinates": coordinates[:axes]}
    else:
        found = {"gradients": gradient_arrays(surface, given.gradients, axes, shape)}
    found |= {"biases": biases, "bias": bias}
    is_left = may_leave and is_grid and biases is None and bool(shape) and shape[-1] >= _FUSED_WIDTH
    if sampler.is_anisotropic:
        if is_left:
            return Detail(left=footprint_parameters(surface, sampler, shape, None, **found))
        made = Footprints(
            device.empty(shape, np.int32),
            device.empty(shape, np.int32),
            tuple(device.empty(shape, np.float32) for _ in range(axes)),
        )
        parameters = footprint_parameters(surface, sampler, shape, made, **found)
        device.launch(footprints_launch(parameters, shape, is_grid=is_grid))
        return Detail(made)
    source = "grid" if is_grid else "gradients"
    if is_left:
        return Detail(left=lod_parameters(surface, source, shape, None, **found))
    out = device.empty(shape, np.int32)
    device.launch(lods_launch(lod_parameters(surface, source, shape, out, **found), shape, is_grid=is_grid))
    return Detail(out)
