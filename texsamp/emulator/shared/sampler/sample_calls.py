"""What messages that sample, gather and load come to, by the functions of `texsamp.sampler` (seed 003:4637-5145).

Blocks of sample_unorm are 8x4 texels at evenly spaced coordinates (003:4783-4801).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.emulator.shared.sampler.cube_quads import quad_gradients
from texsamp.errors import CaptureError
from texsamp.sampler.alike import alike
from texsamp.sampler.cube_faces import ALL_FACES
from texsamp.sampler.load import load, load_mcs, resinfo
from texsamp.sampler.messages import SamplerRequest
from texsamp.sampler.messages.blocks import BLOCK_PIXELS, codes_from_float
from texsamp.sampler.messages.groups import COMPARE, GATHER, GATHER_C, KILL_MASK, LOD, PLAIN_LD, SAMPLE, SAMPLE_UNORM
from texsamp.sampler.multisample import sampleinfo
from texsamp.sampler.sample import gather4, query_lod, sample, sample_killpix
from texsamp.sampler.sampler import Sampler
from texsamp.state import RenderSurfaceState
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler_messages import BlockMessage
from texsamp.surface.surface import Surface

_IMPLICIT_LOD = frozenset({"SAMPLE", "SAMPLE_KILLPIX", "SAMPLE_B", "SAMPLE_C", "SAMPLE_B_C"}) | LOD
"""Messages whose LOD follows from the coordinates of each 2x2 lanes."""
_GIVEN_LOD = {"SAMPLE_L": "lod", "SAMPLE_L_C": "lod"}
_ZERO_LOD = frozenset({"SAMPLE_LZ", "SAMPLE_C_LZ"})
_GRADIENTS = frozenset({"SAMPLE_D", "SAMPLE_D_C"})
_OFFSETS = ("offu", "offv")
_COORDINATES = {
    SurfaceType.SURFTYPE_1D: ("u", None, None, "v"),
    SurfaceType.SURFTYPE_2D: ("u", "v", None, "r"),
    SurfaceType.SURFTYPE_3D: ("u", "v", "r", None),
    SurfaceType.SURFTYPE_CUBE: ("u", "v", "r", "ai"),
    SurfaceType.SURFTYPE_BUFFER: ("u", None, None, None),
}
"""Parameters that are u, v and w of the sampling functions, and the array index (003:4831-4836, 4845-4850)."""
_AXES = "uvr"
_CHANNELS = "rgba"

Lanes = NDArray[Any]
_Chosen = NDArray[np.intp] | tuple[int, ...]
"""Numbers of lanes; or of all lanes the shape that they are seen in."""
_Group = tuple[_Chosen, tuple[int, int, int], int]
"""Lanes, and their texel offset and gather channel."""


def faces_of(state: RenderSurfaceState) -> int:
    """Cube Face Enables; all for other surfaces, where the field is ignored (seed 003:2179)."""
    return int(state.cube_faces) if state.surface_type == SurfaceType.SURFTYPE_CUBE else ALL_FACES


@dataclass(frozen=True)
class Call:
    """One request with everything it needs. parameters: of lanes, where the registers and the surface are."""

    request: SamplerRequest
    parameters: Mapping[str, Array]
    surface: Surface
    sampler: Sampler | None
    state: RenderSurfaceState
    palette: Lanes | None
    control: Surface | None
    groups: tuple[_Group, ...]

    @property
    def name(self) -> str:
        """The message's."""
        return str(self.request.message.name)

    @property
    def resource_min_lod(self) -> float:
        """The most detailed level that is present."""
        return float(self.state.resource_min_lod)

    @property
    def clear_color(self) -> tuple[int, ...]:
        """Red to alpha of clear pixels."""
        return tuple(int(getattr(self.state, f"{name}_clear")) for name in ("red", "green", "blue", "alpha"))

    def parameter(self, name: str, chosen: _Chosen = (-1,)) -> Lanes:
        """A parameter of lanes; by default of all lanes of all threads, one after the other."""
        device = self.surface.device
        if name in self.parameters:
            values = self.parameters[name]
        else:
            nothing = self.request.parameter(name)
            values = device.arrays.zeros(nothing.shape, nothing.dtype)
        return values.reshape(chosen) if isinstance(chosen, tuple) else values.reshape(-1)[device.upload(chosen)]


def results(call: Call) -> Lanes:
    """Red to alpha of every lane, (threads, lanes, 4)."""
    name, request = call.name, call.request
    if name in SAMPLE_UNORM:
        return _sampled_block(call)
    shape = (*request.active.shape, 4)
    if name == "RESINFO":
        levels = np.minimum(call.parameter("lod"), np.uint32(0x7FFFFFFF)).astype(np.int32)
        return resinfo(call.surface, levels).reshape(shape)
    if name == "SAMPLEINFO":
        return np.broadcast_to(sampleinfo(call.surface, int(call.state.sample_palette)), shape).copy()
    compute = _FUNCTIONS.get(name)
    if compute is None:
        raise CaptureError(f"sampler message {name} is not executed")
    made: Lanes | None = None
    device = call.surface.device
    for chosen, offset, channel in call.groups:
        values = compute(call, chosen, offset, channel)
        if isinstance(chosen, tuple):
            return values.reshape(shape)
        if made is None:
            made = device.arrays.zeros((request.active.size, 4), values.dtype)
        made[device.upload(chosen.reshape(-1))] = values.reshape(-1, values.shape[-1])
    assert made is not None
    return made.reshape(shape)


def groups_of(request: SamplerRequest) -> Iterator[_Group]:
    """Lanes that have one texel offset and gather channel, in quads where they make an LOD.

    None of block messages, and of those that ask about a surface. Headers say which; there is one, or one a thread.
    """
    if request.message.name not in _FUNCTIONS:
        return
    shape = (-1, 2, 2) if request.message.name in _IMPLICIT_LOD else (-1,)
    if request.header is None:
        yield shape, (0, 0, 0), 0
        return
    offsets = [request.header.field(name) for name in ("u_offset", "v_offset", "r_offset")]
    keys = np.stack([*offsets, request.gather_channel.astype(np.int32)], axis=1)
    if (keys == keys[0]).all():
        x, y, z, channel = keys[0].tolist()
        yield shape, (x, y, z), channel
        return
    for threads, (x, y, z, channel) in alike(keys):
        lanes = threads[:, None] * request.lanes + np.arange(request.lanes)
        yield lanes.reshape(shape), (x, y, z), channel


def _coordinates(call: Call, chosen: _Chosen) -> tuple[list[Any], dict[str, Lanes]]:
    """u, v and w, None where the surface has none, and the array index if it is an array and one is sent."""
    if call.surface.type not in _COORDINATES:
        raise CaptureError(f"surfaces of type {call.surface.type.name} are not sampled")
    *names, layer = _COORDINATES[call.surface.type]
    axes: list[Any] = [None if name is None else call.parameter(name, chosen) for name in names]
    if layer is None or layer not in call.request.parameters or not call.surface.description.is_array:
        return axes, {}
    return axes, {"layer": call.parameter(layer, chosen)}


def _sample_arguments(call: Call, chosen: _Chosen, offset: tuple[int, int, int]) -> tuple[list[Any], dict[str, Any]]:
    """Coordinates and the other arguments of `sample`."""
    axes, options = _coordinates(call, chosen)
    if call.surface.layers == 1:  # the nearest that exists
        options = {}
    more: dict[str, Any] = {
        "offset": offset,
        "resource_min_lod": call.resource_min_lod,
        "cube_faces": faces_of(call.state),
        **options,
    }
    if call.name in COMPARE:
        more["compare"] = call.parameter("ref", chosen)
    if call.request.force_lod_zero[0] or call.name in _ZERO_LOD:  # headers agree
        more["lod"] = 0.0
    elif call.name in _GIVEN_LOD:
        more["lod"] = call.parameter("lod", chosen)
    elif call.name in _GRADIENTS:
        letters = [letter for letter, axis in zip(_AXES, axes, strict=True) if axis is not None]
        more["gradients"] = [[call.parameter(f"d{axis}d{step}", chosen) for axis in letters] for step in "xy"]
    else:
        if "bias" in call.request.parameters:
            more["bias"] = call.parameter("bias", chosen)
        more |= _cube_gradients(call, axes)
    return axes, more


def _cube_gradients(call: Call, axes: list[Any]) -> dict[str, Any]:
    """What a cube's LOD follows from; of other surfaces nothing, whose coordinates tell."""
    if call.surface.type != SurfaceType.SURFTYPE_CUBE:
        return {}
    with np.errstate(all="ignore"):
        return {"gradients": quad_gradients(axes)}


def _sampled(call: Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    assert call.sampler is not None
    axes, more = _sample_arguments(call, chosen, offset)
    return sample(call.surface, call.sampler, *axes, palette=call.palette, **more)


def killed_lanes(call: Call) -> Lanes | None:
    """Which lanes or pixels the chroma key kills, of messages that return it, (threads, lanes), as `results`."""
    if call.name not in KILL_MASK:
        return None
    assert call.sampler is not None
    if call.name in SAMPLE_UNORM:
        places = _block_places(call)
        found = sample_killpix(call.surface, call.sampler, *places, lod=0.0, palette=call.palette)[1]
        return found.reshape(len(places[0]), -1)
    device, active = call.surface.device, call.request.active
    lanes: Lanes = device.arrays.zeros(active.size, np.bool_)
    for chosen, offset, _ in call.groups:
        axes, more = _sample_arguments(call, chosen, offset)
        found = sample_killpix(call.surface, call.sampler, *axes, palette=call.palette, **more)[1]
        if isinstance(chosen, tuple):
            return found.reshape(active.shape)
        lanes[device.upload(chosen.reshape(-1))] = found.reshape(-1)
    return lanes.reshape(active.shape)


def _sampled_block(call: Call) -> Lanes:
    """16-bit codes of the 32 pixels of every thread's block, (threads, 32, 4), at LOD 0."""
    assert call.sampler is not None
    places = _block_places(call)
    found = sample(call.surface, call.sampler, *places, lod=0.0, palette=call.palette)
    codes: Lanes = codes_from_float(found).reshape(len(places[0]), -1, 4)
    return codes


def _block_places(call: Call) -> tuple[Lanes, Lanes]:
    """U and v of the pixels of every thread's block, (threads, rows, columns)."""
    width, height = BLOCK_PIXELS[BlockMessage.SAMPLE_UNORM]
    u, v, du, dv = (call.parameter(name, (-1, 1)) for name in ("u", "v", "du", "dv"))
    x, y = (call.surface.device.arrays.arange(count, dtype=np.float32) for count in (width, height))
    across, down = u + du * x, v + dv * y
    shape = (len(u), height, width)
    return np.broadcast_to(across[:, None, :], shape), np.broadcast_to(down[:, :, None], shape)


def _gathered(call: Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    assert call.sampler is not None
    (u, v, w), options = _coordinates(call, chosen)
    more: dict[str, Any] = {"palette": call.palette, "cube_faces": faces_of(call.state), **options}
    if call.name in GATHER_C:
        more["compare"] = call.parameter("ref", chosen)
    places = _gather_offset(call, chosen, offset)
    return gather4(call.surface, call.sampler, u, v, w, channel=_CHANNELS[channel], offset=places, **more)


def _gather_offset(call: Call, chosen: _Chosen, offset: tuple[int, int, int]) -> tuple[Any, Any]:
    """Along both axes: of each lane, where a message has it (seed 003:4757), else the header's."""
    sent = call.request.parameters
    found = [call.parameter(name, chosen) if name in sent else offset[axis] for axis, name in enumerate(_OFFSETS)]
    return found[0], found[1]


def _loaded(call: Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    axes, options = _coordinates(call, chosen)
    moved: list[Any] = axes
    if any(offset):
        moved = [
            None if axis is None else axis.astype(np.int64) + step for axis, step in zip(axes, offset, strict=True)
        ]
    has_levels = "lod" in call.request.parameters and not call.surface.description.is_buffer
    level = call.parameter("lod", chosen) if has_levels else 0  # drivers write no LOD for a buffer
    return load(call.surface, *moved, level=level, layer=options.get("layer"), palette=call.palette)


def _loaded_control(call: Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    """Elements of the control surface; zeros if there is none (seed 002:2620-2625)."""
    if call.control is None:
        nothing: Lanes = call.surface.device.arrays.zeros((*call.parameter("u", chosen).shape, 4), np.uint32)
        return nothing
    (u, v, _), options = _coordinates(call, chosen)
    assert u is not None and v is not None
    x, y = (axis.astype(np.int64) + step for axis, step in zip((u, v), offset, strict=False))
    return load_mcs(call.control, x, y, layer=options.get("layer"))


def _loaded_sample(call: Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    """By sample and control data (ld2dms), or by slice (ld2dss)."""
    (u, v, _), layer = _coordinates(call, chosen)
    options: dict[str, Any] = dict(layer)
    if call.surface.samples == 1:  # what drivers have where a program bound nothing
        return load(call.surface, u, v, **options)
    if call.name == "LD2DSS":
        options["sample"] = call.parameter("ssi", chosen)
    else:
        options["sample"] = call.parameter("si", chosen)
        if not call.surface.description.interleaved:
            options["mcs"] = call.parameter("mcs", chosen).astype(np.int64)
    return load(call.surface, u, v, clear_color=call.clear_color, **options)


def _lods(call: Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    """Clamped and not clamped LOD in red and green; blue and alpha, which are undefined, are 0."""
    assert call.sampler is not None
    axes, _ = _coordinates(call, chosen)
    more = _cube_gradients(call, axes)
    found = query_lod(call.surface, call.sampler, *axes, resource_min_lod=call.resource_min_lod, **more)
    return np.concatenate([found, np.zeros_like(found)], axis=-1)


_Compute = Callable[[Call, _Chosen, tuple[int, int, int], int], Lanes]


_FUNCTIONS: dict[str, _Compute] = {
    **dict.fromkeys(SAMPLE, _sampled),
    **dict.fromkeys(GATHER, _gathered),
    **dict.fromkeys(PLAIN_LD, _loaded),
    "LD_MCS": _loaded_control,
    "LD2DMS": _loaded_sample,
    "LD2DSS": _loaded_sample,
    **dict.fromkeys(LOD, _lods),
}
