"""Texels by integer coordinates, and what a surface says about itself: nothing here filters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from texsamp.device.base import Array
from texsamp.device.given import GivenArray
from texsamp.device.kept import kept
from texsamp.errors import FormatError, StateError
from texsamp.sampler.arguments import require_surface
from texsamp.sampler.coordinates import as_coordinates
from texsamp.sampler.expanded import expanded, texel_kind
from texsamp.sampler.launch import load_launch
from texsamp.sampler.multisample import require_clear_color, require_mcs, sample_places
from texsamp.sampler.null_surface import NullSurface
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.surface import Surface
from texsamp.surface.texel_formats import Border

_PLACES = {
    SurfaceType.SURFTYPE_1D: ("x", "layer"),
    SurfaceType.SURFTYPE_2D: ("x", "y", "layer"),
    SurfaceType.SURFTYPE_3D: ("x", "y", "z"),
    SurfaceType.SURFTYPE_BUFFER: ("x",),
}
_ORDER = ("x", "y", "z", "level")


def load(
    surface: Surface | NullSurface,
    x: GivenArray,
    y: GivenArray | None = None,
    z: GivenArray | None = None,
    *,
    layer: GivenArray | None = None,
    level: GivenArray = 0,
    sample: GivenArray | None = None,
    mcs: GivenArray | None = None,
    clear_color: Sequence[int] = (0, 0, 0, 0),
    border: Border = "dx10",
    palette: GivenArray | None = None,
) -> Array:
    """Texels at integer coordinates, unfiltered (`ld`).

    x, y, z: integer arrays of one shape (numbers are repeated): x of 1D surfaces and buffers, x and y of 2D, all of 3D.
    layer: array slice; level: mip level.
    sample: of a multisampled surface, which needs it, the sample (`ld2dms`), or without ``mcs`` its slice (`ld2dss`).
    mcs: what `load_mcs` returned in red for these pixels: in which slices their samples are, or that they are clear.
    clear_color: red to alpha of clear pixels, 0 or 1 each, as the surface's state has them.
    border: which of a format's channel maps applies. palette: as for `sample`.

    Returns red, green, blue, alpha on a new last axis: float32, or uint32 or int32. Outside of the surface, and in
    levels and slices that do not exist, all are 0, but alpha of formats without alpha is 1; for a `NullSurface`, all 0.

    Raises StateError for cubes, samples of surfaces without them and the other way around, FormatError for
    formats and arrays that do not fit.
    Sources: seed 003:4718-4735, 4837-4851.
    """
    if isinstance(surface, NullSurface):
        return surface.read(x, y, z)
    require_surface(surface)
    known = _PLACES.get(surface.type)
    if known is None:
        raise StateError(f"only 1D, 2D, 3D and BUFFER surfaces are loaded from (003:4730), found {surface.type.name}")
    given = {"x": x, "y": y, "z": z, "layer": layer}
    for name, value in given.items():
        if value is None and name in known and name != "layer":
            raise FormatError(f"{name} of {surface.type.name} is missing")
        if value is not None and name not in known:
            raise FormatError(f"{surface.type.name} is loaded from by {', '.join(known)}, found {name}")
    given = {name: value for name, value in given.items() if value is not None}
    given["level"] = level
    if (sample is None) != (surface.samples == 1) or (mcs is not None and sample is None):
        found = "none" if sample is None else "one"
        raise StateError(f"surfaces of more than 1 sample are loaded from by sample, found {found} for {surface!r}")
    given |= {name: value for name, value in (("sample", sample), ("mcs", mcs)) if value is not None}
    kind = texel_kind(surface.info, border)
    arrays = as_coordinates(surface.device, list(given.items()), np.int32)
    places = dict(zip(given, arrays, strict=True))
    if "layer" in places:
        places["z"] = places.pop("layer")
    is_clear: Array | None = None
    if sample is not None:
        places["z"], is_clear = sample_places(surface, places.get("z"), places["sample"], places.get("mcs"))
    out = surface.device.empty((*arrays[0].shape, 4), kind.result)
    texels = expanded(surface, border, palette)
    surface.device.launch(load_launch(surface, texels, [places.get(name) for name in _ORDER], out))
    if is_clear is not None:
        out[is_clear] = surface.device.upload(np.array(require_clear_color(clear_color), out.dtype))
    return out


def load_mcs(mcs: Surface | NullSurface, x: GivenArray, y: GivenArray, *, layer: GivenArray | None = None) -> Array:
    """Elements of a multisample control surface, in red, for `load` (`ld_mcs`); uint32.

    mcs: as `texsamp.surface.layout.mcs_description` describes it: R8_UINT for 4 samples, R32_UINT for 8. Coordinates
    and what lies outside are as for `load`.

    Raises StateError for other surfaces. Source: seed 003:745-749, 4726.
    """
    if isinstance(mcs, NullSurface):
        return mcs.read(x, y, dtype=np.uint32)
    require_mcs(mcs)
    return load(mcs, x, y, layer=layer)


def resinfo(surface: Surface | NullSurface, level: GivenArray = 0) -> Array:
    """What the resinfo message says of a surface: sizes and number of levels, uint32 on a new last axis.

    level: an integer or an array of them. Red, green, blue: width, height and depth of that level (1D: width and array
    slices; 2D and cubes: array slices in blue; 0 where there are none; buffers: entries, then 0); alpha: levels. Sizes
    are shifted right by the level. For a level that the surface does not have, red, green and blue are 0; what buffers
    return then is undefined, and here the same as for level 0.

    Raises FormatError for levels that are no integers. Source: seed 003:4702-4717, 002:2541-2553.
    """
    if isinstance(surface, NullSurface):
        return surface.read(level, dtype=np.uint32)
    require_surface(surface)
    (levels,) = as_coordinates(surface.device, [("level", level)], np.int32)
    slices = surface.layers if surface.description.is_array else 0
    width, height, depth = surface.level_size_px(0)
    sizes: dict[SurfaceType, tuple[int, int, int]] = {
        SurfaceType.SURFTYPE_1D: (width, 0, 0),
        SurfaceType.SURFTYPE_3D: (width, height, depth),
        SurfaceType.SURFTYPE_BUFFER: (width, 0, 0),
        SurfaceType.SURFTYPE_STRBUF: (width, 0, 0),
    }
    # Of every level, and last of one that the surface does not have.
    table = np.zeros((surface.levels + 1, 4), np.uint32)
    for place, size in enumerate(sizes.get(surface.type, (width, height, 0))):
        table[:-1, place] = size >> np.arange(surface.levels)
    if surface.type == SurfaceType.SURFTYPE_1D:
        table[:-1, 1] = slices
    elif surface.type in (SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_CUBE):
        table[:-1, 2] = slices
    table[:, 3] = surface.levels
    with surface.device.current():
        if surface.description.is_buffer:
            levels = levels * 0
        rows = np.where((levels >= 0) & (levels < surface.levels), levels, surface.levels)
        made: Array = kept(surface.device, (table,))[0][rows]
    return made
