"""The sampling functions: coordinates in, texels out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import DTypeLike

from texsamp.device.base import Array
from texsamp.device.given import GivenArray
from texsamp.errors import FormatError, StateError
from texsamp.sampler.arguments import (
    coordinate_arrays,
    coordinate_axes,
    listed,
    references_of,
    require_hardware,
    require_surface,
    resource_min_lod_code,
    texel_offset,
)
from texsamp.sampler.chroma_key import key_matches, keyed_texels
from texsamp.sampler.coordinates import as_coordinates
from texsamp.sampler.cube_faces import ALL_FACES, with_faces
from texsamp.sampler.detail import Detail, check_detail, depends_on_lod, find_detail
from texsamp.sampler.exact import sample_exact
from texsamp.sampler.expanded import LEVEL_DTYPE, Expanded, TexelKind, bits_of_texels, room_of, texel_kind
from texsamp.sampler.kernel import choose_kernel, general_kernel
from texsamp.sampler.launch import Footprints, mono_launch, queries_launch, sample_launch, sample_parameters
from texsamp.sampler.null_surface import NullSurface
from texsamp.sampler.rules import check_mono, check_sampled
from texsamp.sampler.sample_arguments import Gradients, SampleArguments, SampleOptions
from texsamp.sampler.sampler import Sampler
from texsamp.sampler.touched import touched_by_few
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.memory import dtype_named
from texsamp.surface.surface import Surface

_GATHERED = ("r", "g", "b", "a")
_SPARE_BITS = 26
"""Of an offset of each sample, which has 6 (003:4757)."""


def _result(surface: Surface, kind: TexelKind, dtype: Any) -> np.dtype[Any]:
    wanted = kind.result if dtype is None else dtype_named(dtype)
    known = (kind.result, np.dtype(np.uint8)) if kind.name == "unorm8" else (kind.result,)
    if wanted not in known:
        names = " or ".join(str(each) for each in known)
        raise FormatError(f"samples of {surface.format} are {names}, found dtype {str(wanted)!r}")
    return wanted


def _zeros(surface: Surface, shape: tuple[int, ...], dtype: Any) -> Array:
    """What a disabled sampler returns (000:719)."""
    made = surface.device.empty(shape, dtype)
    made[...] = 0
    return made


def sample(
    surface: Surface | NullSurface,
    sampler: Sampler,
    u: GivenArray,
    v: GivenArray | None = None,
    w: GivenArray | None = None,
    *,
    layer: GivenArray | None = None,
    lod: GivenArray | None = None,
    bias: GivenArray | None = None,
    gradients: Gradients | None = None,
    compare: GivenArray | None = None,
    offset: Sequence[int] = (0, 0, 0),
    resource_min_lod: float = 0.0,
    cube_faces: int = ALL_FACES,
    palette: GivenArray | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Filtered texels at coordinates.

    u, v, w: float32 arrays of one shape (numbers are repeated): u of 1D, u and v of 2D, all of 3D surfaces, from 0 to 1
        across the surface or in texels (`Sampler`); for cubes the three components of a direction of any length. NaN
        counts as 0, what lies beyond 2^22 as 2^22.
    layer: array slice or cube for each sample, rounded to the nearest that exists; None for the first.
    lod: the level of detail. Without it the LOD follows from ``gradients``, ((du/dx, dv/dx, ...), (du/dy, dv/dy, ...)),
        or from the coordinates' last two axes as rows and columns of pixels, one LOD for each 2x2 of them.
    bias: added to the LOD. It, ``lod`` and gradients are numbers or arrays; from -16 to below 16.
    compare: references that texels are compared with before filtering, as `Sampler` says; for depth formats.
    offset: texels, -8 to 7 along each axis, added before the address control.
    resource_min_lod: the most detailed level present (Resource Min LOD), if the surface's state names no later one.
    cube_faces: which faces of a cube are there (Cube Face Enables: bit 5 -X, 4 +X, 3 -Y, 2 +Y, 1 -Z, 0 +Z); the others
        have the border color.
    palette: uint32 entries for palette formats, as in `load_texels`.
    dtype: uint8 for codes of 8 bits instead of floats, rounded to nearest, halves up; from 8-bit UNORM (and palettes,
        and compressed formats that decode to it), but not from SRGB.

    Returns red, green, blue, alpha on a new last axis, on the surface's device: float32, or uint32 or int32. All are 0
    for a `NullSurface`.

    Raises FormatError for formats and arrays, StateError for states, that the manual does not allow together.
    Sources: seed 003:328-760, 3222-3539, 4637-4782; docs/sampler.md says which of it is exact.
    """
    if isinstance(surface, NullSurface):
        return surface.read(u, v, w, dtype=dtype)
    require_surface(surface, sampler)
    given = SampleArguments(
        u, v, w, layer, lod, bias, gradients, compare, offset, resource_min_lod, cube_faces, palette, dtype
    )
    return _sample(surface, sampler, given)


def sample_killpix(
    surface: Surface | NullSurface,
    sampler: Sampler,
    u: GivenArray,
    v: GivenArray | None = None,
    w: GivenArray | None = None,
    **arguments: Unpack[SampleOptions],
) -> tuple[Array, Array]:
    """What `sample` returns, and which samples the chroma key kills (`sample+killpix`).

    A sample is killed if any texel that contributes to it, with a weight above 0, matches the sampler's key (hole S21);
    none is without a key, or if the key replaces. Bool, of the coordinates' shape.

    Arguments and errors are those of `sample`, without ``compare``. Source: seed 003:668-692, 4650.
    """
    given = SampleArguments(u, v, w, **arguments)
    if given.compare is not None:
        raise StateError("sample_killpix does not compare: it goes without compare")
    if isinstance(surface, NullSurface):
        return surface.read(u, v, w, dtype=given.dtype), surface.read(u, v, w, channels=1)[..., 0] > 0
    require_surface(surface, sampler)
    values = _sample(surface, sampler, given)
    if not sampler.kills or sampler.state.disable:
        return values, _zeros(surface, values.shape[:-1], np.bool_)
    matches = _sample(surface, sampler, replace(given, dtype=None), of_matches=True)
    return values, matches[..., 0] > 0


def _sample(surface: Surface, sampler: Sampler, given: SampleArguments, *, of_matches: bool = False) -> Array:
    """Samples of a surface, or of how far its texels match the chroma key: 1 or 0 in red, border 0."""
    if sampler.is_mono:
        return _sample_mono(surface, sampler, given)
    check_sampled(surface, sampler, texel_kind(surface.info, sampler.border_mode))
    if sampler.exact:
        return sample_exact(surface, sampler, given)
    if of_matches:
        sampler = Sampler.from_state(sampler.state, chroma_key=sampler.chroma_key)
    coordinates = coordinate_arrays(surface, *given.at, given.layer, references_of(surface, sampler, given.compare))
    references = None if given.compare is None else coordinates.pop()
    shape = coordinates[0].shape
    touched = touched_by_few(surface, sampler, given, math.prod(shape))
    if touched is not None:
        texels = room_of(surface, sampler.border_mode).texels
    else:
        texels = (key_matches if of_matches else keyed_texels)(surface, sampler, given.palette)
        texels = with_faces(surface, sampler, texels, given.cube_faces)
    dtype = _result(surface, texels.kind, given.dtype)
    if sampler.state.disable:
        return _zeros(surface, (*shape, 4), dtype)
    out = surface.device.empty((*shape, 4), dtype)
    least, offset = resource_min_lod_code(surface, given.resource_min_lod), texel_offset(given.offset, "sample")
    plain = references is None and not any(offset) and least <= (surface.levels - 1) * 256
    kernel = general_kernel(texels.kind)
    if touched is None:
        kernel = choose_kernel(
            surface,
            sampler,
            texels.kind,
            is_plain=plain,
            is_layered=given.layer is not None,
            is_lod_given=given.lod is not None,
        )
    detail = Detail()
    if depends_on_lod(surface, sampler):
        detail = find_detail(surface, sampler, coordinates, given, may_leave=kernel.finds_detail)
    else:
        check_detail(surface, given, coordinate_axes(surface), shape)
    parameters = sample_parameters(
        surface,
        sampler,
        texels,
        coordinates,
        detail.lods,
        out,
        offset=offset,
        resource_min_lod=least,
        references=references,
    )
    if touched is not None:
        touched.fetch(parameters, math.prod(shape))
    surface.device.launch(sample_launch(surface.device, kernel, parameters, shape, detail.left))
    return out


def _sample_mono(surface: Surface, sampler: Sampler, given: SampleArguments) -> Array:
    """Level 0 through the monochrome filter; LODs mean nothing."""
    check_mono(surface, sampler)
    offset = texel_offset(given.offset, "sample")
    if given.compare is not None or any(offset) or given.palette is not None or given.dtype is not None:
        raise StateError("the filter MONO goes without compare, offset, palette and dtype")
    (u, v) = coordinate_arrays(surface, *given.at, None, [])
    if given.layer is not None or surface.layers > 1:
        raise StateError(f"the filter MONO reads one slice, found {surface!r}")
    if sampler.state.disable:
        return _zeros(surface, (*u.shape, 4), np.float32)
    out = surface.device.empty((*u.shape, 4), np.float32)
    surface.device.launch(mono_launch(surface, sampler, bits_of_texels(surface), [u, v], out))
    return out


def gather4(
    surface: Surface | NullSurface,
    sampler: Sampler,
    u: GivenArray,
    v: GivenArray | None = None,
    w: GivenArray | None = None,
    *,
    channel: str = "r",
    layer: GivenArray | None = None,
    compare: GivenArray | None = None,
    offset: Sequence[int | GivenArray] = (0, 0),
    cube_faces: int = ALL_FACES,
    palette: GivenArray | None = None,
) -> Array:
    """The four texels of level 0 that a linear filter would blend, one channel of each, unfiltered.

    channel: r, g, b or a. offset: texels, -32 to 31; for 2D surfaces also arrays, one offset for each sample
        (gather4_po). The rest is as for `sample`; coordinates are never rounded.

    Returns lower left, lower right, upper right, upper left on the last axis (red, green, blue, alpha: 003:4746-4750).

    Raises as `sample` does, and StateError for surfaces other than 2D and cubes; FormatError for integer formats.
    """
    if isinstance(surface, NullSurface):
        return surface.read(u, v, w)
    require_surface(surface, sampler)
    require_hardware(sampler, "gather4")
    kind = texel_kind(surface.info, sampler.border_mode)
    check_sampled(surface, sampler, kind)
    if surface.type not in (SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_CUBE):
        raise StateError(f"gather4 reads 2D and CUBE surfaces, found {surface.type.name}")
    if kind.name == "integer" and not sampler.lenient:
        raise FormatError(f"gather4 does not read integers, found {surface.format}")
    if channel not in _GATHERED:
        raise StateError(f"channel must be one of r, g, b, a, found {channel!r}")
    texels = with_faces(surface, sampler, keyed_texels(surface, sampler, palette), cube_faces)
    coordinates = coordinate_arrays(surface, u, v, w, layer, references_of(surface, sampler, compare))
    if sampler.state.disable:
        return _zeros(surface, (*coordinates[0].shape, 4), kind.result)
    points, references = (coordinates, None) if compare is None else (coordinates[:-1], coordinates[-1])
    if any(getattr(each, "shape", ()) for each in listed(offset)):
        shared, offsets = (0, 0, 0), _offsets_of_each(surface, sampler, points[0], offset)
    else:
        shared, offsets = texel_offset(cast(Sequence[int], offset), "gather4"), []
    out = surface.device.empty((*points[0].shape, 4), kind.result)
    parameters = sample_parameters(
        surface,
        sampler,
        texels,
        points,
        0,
        out,
        offset=shared,
        offsets=offsets,
        references=references,
        gather=_GATHERED.index(channel),
    )
    surface.device.launch(sample_launch(surface.device, general_kernel(kind), parameters, points[0].shape))
    return out


def _offsets_of_each(surface: Surface, sampler: Sampler, u: Array, offset: Sequence[Any]) -> list[Array]:
    """Offsets of each sample along x and y; a driver's have as many bits as the hardware looks at."""
    if surface.type == SurfaceType.SURFTYPE_CUBE:
        raise StateError("offsets of each sample are for 2D surfaces (003:4759), found SURFTYPE_CUBE")
    device = surface.device
    named = [(f"offset[{axis}]", each) for axis, each in enumerate(offset)]
    places = as_coordinates(device, [("u", device.empty(u.shape, np.int32)), *named], np.int32)[1:]
    if places[0].shape != u.shape:
        raise FormatError(f"offsets of each sample must fit coordinates of shape {u.shape}, found {places[0].shape}")
    if sampler.lenient:
        return [each << _SPARE_BITS >> _SPARE_BITS for each in places]
    if u.size:
        ends = device.start_download([end for each in places for end in (each.min(), each.max())]).result()
        for farthest in (ends[::2], ends[1::2]):
            texel_offset(tuple(map(int, farthest)), "gather4")
    return places


def query_lod(
    surface: Surface | NullSurface,
    sampler: Sampler,
    u: GivenArray,
    v: GivenArray | None = None,
    w: GivenArray | None = None,
    *,
    bias: GivenArray | None = None,
    gradients: Gradients | None = None,
    resource_min_lod: float = 0.0,
) -> Array:
    """The LODs that `sample` would use: clamped, and not clamped, on the last axis (003:4739-4745); float32.

    Arguments and errors are those of `sample`; integer formats have no LOD.
    """
    if isinstance(surface, NullSurface):
        return surface.read(u, v, w, channels=2)
    require_surface(surface, sampler)
    require_hardware(sampler, "query_lod")
    kind = texel_kind(surface.info, sampler.border_mode)
    check_sampled(surface, sampler, kind)
    if kind.name == "integer" and not sampler.lenient:
        raise FormatError(f"integers have no LOD to query (003:4744), found {surface.format}")
    given = SampleArguments(u, v, w, bias=bias, gradients=gradients)
    coordinates = coordinate_arrays(surface, *given.at, None, [])
    shape = coordinates[0].shape
    if sampler.state.disable:
        return _zeros(surface, (*shape, 2), np.float32)
    found = find_detail(surface, sampler, coordinates, given).lods
    lods = found.lods if isinstance(found, Footprints) else found
    assert not isinstance(lods, int)
    out = surface.device.empty((*shape, 2), np.float32)
    nothing = Expanded(kind, lods, np.zeros(0, LEVEL_DTYPE))
    least = resource_min_lod_code(surface, resource_min_lod)
    parameters = sample_parameters(surface, sampler, nothing, [], lods, out, resource_min_lod=least)
    surface.device.launch(queries_launch(parameters, math.prod(shape)))
    return out
