"""What the sampling functions are given, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from texsamp.device.arguments import is_integer, is_real
from texsamp.device.base import Array
from texsamp.device.given import given_array
from texsamp.errors import FormatError, StateError
from texsamp.sampler.coordinates import as_coordinates
from texsamp.sampler.rules import AXES
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.surface import Surface

MAX_OFFSETS = {"sample": (-8, 7), "gather4": (-32, 31)}
"""Texel offsets of the message header, and of gather4_po (003:4514, 003:4757)."""


def require_surface(surface: object, *samplers: object) -> None:
    """Raise StateError for what is no surface, or no sampler."""
    if not isinstance(surface, Surface):
        raise StateError(f"surface must be a Surface, found {type(surface).__name__}; Surface.from_array makes one")
    for each in samplers:
        if not isinstance(each, Sampler):
            found = type(each).__name__
            raise StateError(f"sampler must be a Sampler, found {found}, as in Sampler(min_filter='linear')")


def require_hardware(sampler: Sampler, what: str) -> None:
    """Raise StateError for a sampler whose filter is exact."""
    if sampler.exact:
        raise StateError(f"{what} is of the hardware's filter, found a sampler whose filter is exact")


def coordinate_arrays(
    surface: Surface, u: Any, v: Any, w: Any, layer: Any, more: Sequence[tuple[str, Any]]
) -> list[Array]:
    """Coordinates in the kernels' order, and other float32 arrays of their shape. Raises FormatError, StateError."""
    axes = coordinate_axes(surface)
    given = dict(zip("uvw", parted(surface, u, v, w), strict=True))
    for place, (name, value) in enumerate(given.items()):
        if (value is not None) != (place < axes):
            fault = "missing" if place < axes else "given"
            raise FormatError(f"{surface.type.name} is sampled at {', '.join('uvw'[:axes])}, found {name} {fault}")
    if layer is not None and not surface.description.is_array:
        raise StateError(f"only arrays have layers to choose from, found layer for {surface!r}")
    values = [(name, given[name]) for name in "uvw"[:axes]]
    values += [("layer", layer)] if layer is not None else []
    return as_coordinates(surface.device, [*values, *more], np.float32)


def parted(surface: Surface, u: Any, v: Any, w: Any) -> tuple[Any, Any, Any]:
    """Coordinates by axis; all of them may lie on the last axis of the first array."""
    axes = coordinate_axes(surface)
    if axes == 1 or v is not None or w is not None or u is None:
        return u, v, w
    together = given_array("u", u)
    if not together.shape or together.shape[-1] != axes:
        return u, v, w
    parts = (*(together[..., axis] for axis in range(axes)), None)
    return parts[0], parts[1], parts[2]


def coordinate_axes(surface: Surface) -> int:
    """How many coordinates a sample has."""
    return 3 if surface.type == SurfaceType.SURFTYPE_CUBE else AXES[surface.type]


def arrays_like(surface: Surface, values: Sequence[tuple[str, Any]], shape: tuple[int, ...]) -> list[Array]:
    """Float32 arrays, broadcast to the coordinates' shape. Raises FormatError if one is larger than that."""
    empty = surface.device.empty(shape, np.float32)
    made = as_coordinates(surface.device, [("u", empty), *values], np.float32)[1:]
    if made and made[0].size == empty.size:
        return [array.reshape(shape) for array in made]  # one sample may have no axes
    if made:
        names = ", ".join(name for name, _ in values)
        raise FormatError(f"{names} must fit coordinates of shape {shape}, found {made[0].shape}")
    return made


def gradient_arrays(
    surface: Surface, gradients: Any, axes: int, shape: tuple[int, ...]
) -> tuple[list[Array], list[Array]]:
    """Derivatives by x and by y, float32 arrays of the coordinates' shape. Raises FormatError."""
    try:
        pairs = tuple(tuple(group) for group in gradients)
    except TypeError:
        pairs = ()
    if [len(group) for group in pairs] != [axes, axes]:
        found = [len(group) for group in pairs]
        raise FormatError(f"gradients are two groups (by x and y) of {axes} arrays, found groups of {found}")
    values = [(f"gradients[{n}][{a}]", array) for n, group in enumerate(pairs) for a, array in enumerate(group)]
    arrays = arrays_like(surface, values, shape)
    return arrays[:axes], arrays[axes:]


def is_number(value: Any, name: str) -> TypeGuard[float]:
    """Whether it is one number for all samples, not an array. Raises FormatError for what is neither."""
    if hasattr(value, "__dlpack__") or np.ndim(value):  # NumPy is asked about no array of a device
        return False
    if not is_real(value):
        raise FormatError(f"{name} must be real numbers, found {value!r}")
    return True


def texel_offset(offset: Sequence[int], message: str) -> tuple[int, int, int]:
    """Texel offsets along all axes for a message of MAX_OFFSETS. Raises StateError."""
    low, high = MAX_OFFSETS[message]
    given = listed(offset)
    made = (*given, 0, 0, 0)[:3]
    if len(given) > 3 or not all(is_integer(each) and low <= each <= high for each in made):
        raise StateError(f"offset must be up to three integers from {low} to {high}, found {offset!r}")
    return int(made[0]), int(made[1]), int(made[2])


def listed(offset: Any) -> tuple[Any, ...]:
    """Offsets along the axes; what is no sequence is none."""
    try:
        return tuple(offset)
    except TypeError:
        return (None,)


def references_of(surface: Surface, sampler: Sampler, compare: Any) -> list[tuple[str, Any]]:
    """What texels are compared with, if they are.

    Raises FormatError for formats without comparison, StateError where a sampler that compares is given nothing, or
    one that does not is given references.
    """
    if compare is None and sampler.compares:
        raise StateError("this sampler was made to compare: sampling needs references, compare=")
    if compare is None:
        return []
    if not surface.info.can("shadow") and not sampler.lenient:
        raise FormatError(f"{surface.format} cannot be compared with a reference (003:4678)")
    if not sampler.may_compare:
        raise StateError("this sampler was not made to compare: references need one as Sampler(compare='less') is")
    return [("compare", compare)]


def resource_min_lod_code(surface: Surface, lod: float) -> int:
    """Resource Min LOD, given or the surface's, beyond Surface Min LOD, in 1/256 (003:478). Raises StateError."""
    if not is_real(lod) or not 0 <= lod <= 14:
        raise StateError(f"resource_min_lod must be from 0 to 14, found {lod!r}")
    view = surface.surface_view
    return round(max(lod, view.resource_min_lod) * 256) - 256 * view.first_level
