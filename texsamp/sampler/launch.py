"""Parameters and launches of the sampling kernels (`kernels/sample*.h`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from texsamp.device import Device, Launch
from texsamp.device.base import Array
from texsamp.device.params import copied, params_type
from texsamp.sampler.border import border_texel
from texsamp.sampler.expanded import LEVEL_DTYPE, Expanded
from texsamp.sampler.kernel import SampleKernel
from texsamp.sampler.references import as_texels
from texsamp.sampler.rules import AXES, address_modes
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AnisotropicAlgorithm, MapFilter
from texsamp.surface.surface import Surface

TILE = 256
"""SAMPLE_TILE: samples of a tile (a test holds them together)."""
TILES_X = 64
TILE_COLUMNS = {"host": 64, "device": 256}
"""Of a tile of a picture, TILE / TILE_COLUMNS rows high: on the CPU its texels lie near each other, in the nearest
cache; a GPU is better off with long rows."""
DIMENSIONS = (
    SurfaceType.SURFTYPE_1D,
    SurfaceType.SURFTYPE_2D,
    SurfaceType.SURFTYPE_3D,
    SurfaceType.SURFTYPE_CUBE,
)
"""SampleDimension, in order."""
SOURCES = ("gradients", "numbers", "grid")
"""LodSource, in order."""
NO_COMPARE = -1
NO_GATHER = -1

_SAMPLE = params_type("SampleParams")
MAX_LEVELS = _SAMPLE.dtype["level"].shape[0]
_OF_SAMPLES = frozenset(
    "texels coordinate lods references ratios steps out count offset offsets lod resource_min_lod gather codes".split()
)
"""Fields of SampleParams that each launch sets, where it has something to say."""
_LODS = params_type("LodParams")
_FOOTPRINTS = params_type("FootprintParams")
_NO_LODS, _NO_FOOTPRINTS = _LODS.zeros(), _FOOTPRINTS.zeros()
_GRID = params_type("TileGrid")
_ANISO = params_type("AnisoParams")
_PLANE = params_type("PlaneParams")
_SLICE = params_type("SliceParams")
_LOAD = params_type("LoadParams")
_MONO = params_type("MonoParams")


@dataclass(frozen=True, eq=False)
class Parameters:
    """What a kernel is told, and the arrays that it points to."""

    values: np.void
    arrays: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Footprints:
    """Of each sample, for the anisotropic filter: LOD (1/256), ratio (1/256), and the step from probe to probe."""

    lods: Array
    ratios: Array
    steps: tuple[Array, ...]


def lod_code(lod: float) -> int:
    """A LOD in 1/256: from -16 to below 16, to nearest, halves up; NaN is 0. As `lod_of_number` of the kernels."""
    limited = -16.0 if lod < -16 else 16.0 if lod > 16 else float(np.float32(lod))
    return min(math.floor((0.0 if math.isnan(limited) else limited) * 256 + 0.5), 4095)


def _addresses(device: Device, arrays: Sequence[Array | None], count: int) -> list[int]:
    made = [0 if array is None else device.address(array) for array in arrays]
    return made + [0] * (count - len(made))


def _tiles(count: int) -> tuple[int, int]:
    tiles = -(-count // TILE)
    return TILES_X, -(-tiles // TILES_X)


def _levels(expanded: Expanded) -> np.ndarray[Any, np.dtype[np.void]]:
    levels = np.zeros(MAX_LEVELS, LEVEL_DTYPE)
    levels[: len(expanded.levels)] = expanded.levels
    return levels


def _bits(numbers: Sequence[float], expanded: Expanded) -> np.ndarray[Any, np.dtype[np.uint32]]:
    if expanded.kind.name == "float":
        return np.array(numbers, np.float32).view(np.uint32)
    return np.array(numbers, np.uint32)


def sample_parameters(
    surface: Surface,
    sampler: Sampler,
    expanded: Expanded,
    coordinates: Sequence[Array | None],
    lods: Array | Footprints | int,
    out: Array,
    *,
    offset: tuple[int, int, int] = (0, 0, 0),
    resource_min_lod: int = 0,
    references: Array | None = None,
    gather: int = NO_GATHER,
    offsets: Sequence[Array | None] = (),
) -> Parameters:
    """SampleParams; LODs in 1/256. offsets: of each sample that gathers, along x and y, instead of `offset`."""
    device = surface.device
    detail: tuple[Array, ...] = ()
    if isinstance(lods, Footprints):
        detail, lods = (lods.ratios, *lods.steps), lods.lods
    key = (sampler, expanded.kind, len(expanded.levels))
    params = copied(surface.derived.made(_State, key, lambda: _state(surface, sampler, expanded)).params)
    params["texels"] = device.address(expanded.texels)
    params["coordinate"] = _addresses(device, coordinates, 4)
    if isinstance(lods, int):
        params["lod"] = lods
    else:
        params["lods"] = device.address(lods)
    if references is not None:
        references = as_texels(surface, references)
        params["references"], params["compare"] = device.address(references), sampler.state.shadow_function
    if detail:
        params["ratios"], params["steps"] = device.address(detail[0]), _addresses(device, detail[1:], 3)
    params["out"], params["count"] = device.address(out), int(out.size // out.shape[-1])
    params["offset"], params["resource_min_lod"], params["gather"] = offset, resource_min_lod, gather
    if offsets:
        params["offsets"] = _addresses(device, offsets, 2)
    params["codes"] = expanded.kind.name == "unorm8" and out.dtype == np.uint8
    arrays = (expanded.texels, out, lods, references, *detail, *coordinates, *offsets)
    return Parameters(params, tuple(array for array in arrays if array is not None and not isinstance(array, int)))


@dataclass(frozen=True, eq=False)
class _State:
    """SampleParams as far as they follow from a surface, its texels' kind and a sampler."""

    params: np.void


def _state(surface: Surface, sampler: Sampler, expanded: Expanded) -> _State:
    state = sampler.state
    modes = address_modes(surface, sampler)
    compared = [place for place, name in enumerate(expanded.kind.channels) if name not in ("0", "1")]
    return _State(
        _SAMPLE(
            **dict.fromkeys(_OF_SAMPLES, 0),
            level=_levels(expanded),
            border=_bits(border_texel(sampler, expanded.kind, surface.info), expanded),
            outside=_bits(expanded.kind.outside, expanded),
            levels=surface.levels,
            slices=surface.layers,
            dimension=DIMENSIONS.index(surface.type),
            address=[*modes, *[0] * (3 - len(modes))],
            normalized=int(not state.non_normalized),
            linear_mag=int(state.mag_filter != MapFilter.NEAREST),
            linear_min=int(state.min_filter != MapFilter.NEAREST),
            aniso_mag=int(state.mag_filter == MapFilter.ANISOTROPIC),
            aniso_min=int(state.min_filter == MapFilter.ANISOTROPIC),
            round_mag=sampler.rounds("mag"),
            round_min=sampler.rounds("min"),
            mip=state.mip_filter,
            quality=state.trilinear_quality,
            base=round(state.base_mip_level * 256),
            min_lod=round(state.min_lod * 256),
            max_lod=round(state.max_lod * 256),
            preclamp=state.lod_preclamp,
            compare=NO_COMPARE,
            compare_channel=compared[0] if compared else 0,
            compare_replaces=sum(1 << place for place in compared),
        )
    )


def lod_parameters(
    surface: Surface,
    source: str,
    shape: tuple[int, ...],
    out: Array | None,
    *,
    coordinates: Sequence[Array] = (),
    gradients: tuple[Sequence[Array], Sequence[Array]] = ((), ()),
    numbers: Array | None = None,
    biases: Array | None = None,
    bias: int = 0,
) -> Parameters:
    """LodParams: LODs of samples in 1/256, not clamped yet; without ``out`` for the kernel that samples alone."""
    device = surface.device
    params = _LODS(
        numbers=0 if numbers is None else device.address(numbers),
        lods=0 if out is None else device.address(out),
        source=SOURCES.index(source),
        **_derivatives(surface, shape, coordinates, gradients, biases, bias),
    )
    arrays = (out, numbers, biases, *coordinates, *gradients[0], *gradients[1])
    return Parameters(params, tuple(array for array in arrays if array is not None))


def _derivatives(
    surface: Surface,
    shape: tuple[int, ...],
    coordinates: Sequence[Array],
    gradients: tuple[Sequence[Array], Sequence[Array]],
    biases: Array | None,
    bias: int,
) -> dict[str, Any]:
    """What LodParams and FootprintParams share."""
    device = surface.device
    cube = surface.type == SurfaceType.SURFTYPE_CUBE
    sizes = surface.level_size_px(0)
    return {
        "coordinate": _addresses(device, coordinates, 3),
        "gradient_x": _addresses(device, gradients[0], 3),
        "gradient_y": _addresses(device, gradients[1], 3),
        "biases": 0 if biases is None else device.address(biases),
        "scale": [np.float32(sizes[0]) * np.float32(0.5)] * 3 if cube else [np.float32(size) for size in sizes],
        "axes": 3 if cube else AXES[surface.type],
        "cube": int(cube),
        "width": shape[-1] if shape else 1,
        "height": shape[-2] if len(shape) > 1 else 1,
        "bias": bias,
        "count": math.prod(shape),
    }


def footprint_parameters(
    surface: Surface,
    sampler: Sampler,
    shape: tuple[int, ...],
    out: Footprints | None,
    *,
    coordinates: Sequence[Array] = (),
    gradients: tuple[Sequence[Array], Sequence[Array]] = ((), ()),
    biases: Array | None = None,
    bias: int = 0,
) -> Parameters:
    """FootprintParams: LODs and anisotropy of samples; without ``out`` for the kernel that samples alone."""
    device, limit = surface.device, sampler.max_anisotropy
    made = () if out is None else (out.lods, out.ratios, *out.steps)
    params = _FOOTPRINTS(
        lods=_addresses(device, made[:1], 1)[0],
        ratios=_addresses(device, made[1:2], 1)[0],
        steps=_addresses(device, made[2:], 3),
        ewa=int(sampler.state.anisotropic_algorithm == AnisotropicAlgorithm.EWA),
        limit_lod=round(256 * math.log2(limit)),
        limit_ratio=256 * limit,
        **_derivatives(surface, shape, coordinates, gradients, biases, bias),
    )
    arrays = (*made, biases, *coordinates, *gradients[0], *gradients[1])
    return Parameters(params, tuple(array for array in arrays if array is not None))


def lods_launch(parameters: Parameters, shape: tuple[int, ...], *, is_grid: bool = False) -> Launch:
    """LODs alone."""
    kernel = "sample_grid_lods" if is_grid else "sample_lods"
    return Launch(kernel, parameters.values, *_tiles_of(shape, is_grid), parameters.arrays)


def footprints_launch(parameters: Parameters, shape: tuple[int, ...], *, is_grid: bool = False) -> Launch:
    """Footprints alone."""
    kernel = "sample_grid_footprints" if is_grid else "sample_footprints"
    return Launch(kernel, parameters.values, *_tiles_of(shape, is_grid), parameters.arrays)


def tiles_of_samples(shape: tuple[int, ...]) -> tuple[int, int]:
    """Tiles of the general kernels."""
    return _tiles(math.prod(shape))


def _tiles_of(shape: tuple[int, ...], is_grid: bool) -> tuple[int, int]:
    """Tiles of samples, or of the rows of grids."""
    if not is_grid:
        return tiles_of_samples(shape)
    width = shape[-1] if shape else 1
    return -(-width // TILE), math.prod(shape) // max(width, 1)


def queries_launch(sample: Parameters, count: int) -> Launch:
    """LODs as the LOD message returns them."""
    return Launch("sample_queries", sample.values, *_tiles(count), sample.arrays)


def touched_launch(sample: Parameters, marks_address: int, count: int, marks: Array) -> Launch:
    """Which runs of texels the general kernel will read, as bytes of 1."""
    values = copied(sample.values)
    values["texels"] = marks_address
    return Launch("sample_touched", values, *_tiles(count), (*sample.arrays, marks))


def sample_launch(
    device: Device, kernel: SampleKernel, sample: Parameters, shape: tuple[int, ...], left: Parameters | None = None
) -> Launch:
    """Samples of a shape; left: a grid's LODs or footprints, if they are not made yet."""
    if kernel.takes == "SampleParams":
        return Launch(kernel.name, sample.values, *tiles_of_samples(shape), sample.arrays)
    if kernel.takes in ("PlaneParams", "SliceParams"):
        columns = TILE_COLUMNS[device.tile_limits]
        is_picture = bool(shape) and shape[-1] >= columns and math.prod(shape[:-1]) >= TILE // columns > 1
        grid, tiles = _grid(shape, columns if is_picture else TILE if left is not None else 0)
        if kernel.takes == "SliceParams":
            return Launch(kernel.name, _SLICE.of_parts(sample.values, grid), *tiles, sample.arrays)
        lod = _NO_LODS if left is None else left.values
        return Launch(kernel.name, _PLANE.of_parts(sample.values, lod, grid), *tiles, sample.arrays)
    grid, tiles = _grid(shape, 0 if left is None else TILE)
    footprint = _NO_FOOTPRINTS if left is None else left.values
    return Launch(kernel.name, _ANISO.of_parts(sample.values, footprint, grid), *tiles, sample.arrays)


def _grid(shape: tuple[int, ...], columns: int) -> tuple[np.void, tuple[int, int]]:
    """How coordinates of a shape are cut into tiles of so many columns, and the tiles; 0: into strips."""
    if not columns:
        return _GRID(width=0, rows=0, columns=0), tiles_of_samples(shape)
    width, rows = shape[-1], math.prod(shape[:-1])
    return _GRID(width=width, rows=rows, columns=columns), (-(-width // columns), -(-rows // (TILE // columns)))


def load_launch(surface: Surface, expanded: Expanded, places: Sequence[Array | None], out: Array) -> Launch:
    """Texels by integer places: x, y, slice, level."""
    device = surface.device
    count = int(out.size // 4)
    params = _LOAD(
        texels=device.address(expanded.texels),
        place=_addresses(device, places, 4),
        out=device.address(out),
        count=count,
        level=_levels(expanded),
        outside=_bits(expanded.kind.outside, expanded),
        levels=surface.levels,
    )
    kernel = "sample_load_unorm8" if expanded.kind.name == "unorm8" else "sample_load_words"
    kept = tuple(array for array in (expanded.texels, out, *places) if array is not None)
    return Launch(kernel, params, *_tiles(count), kept)


def mono_launch(surface: Surface, sampler: Sampler, texels: Array, coordinates: Sequence[Array], out: Array) -> Launch:
    """Samples of texels of one bit, bytes of 0 or 1."""
    device = surface.device
    columns, rows = sampler.mono_size
    width, height, _ = surface.level_size_px(0)
    params = _MONO(
        texels=device.address(texels),
        coordinate=_addresses(device, coordinates, 2),
        out=device.address(out),
        count=int(out.size // 4),
        width=width,
        height=height,
        columns=columns,
        rows=rows,
        normalized=int(not sampler.state.non_normalized),
        round=sampler.rounds("mag"),
    )
    return Launch("sample_mono", params, *_tiles(int(out.size // 4)), (texels, out, *coordinates))
