"""Messages that sample, gather and load texels, by the functions of `texsamp.sampler` (seed 003:4637-5145).

Blocks of sample_unorm are 8x4 texels at evenly spaced coordinates (003:4783-4801).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device, get_device
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.sampler_settings import SamplerSettings
from texsamp.emulator.context.samplers import SamplerTable
from texsamp.emulator.context.surfaces import SurfaceTable, read_state
from texsamp.emulator.eu.messages import Message
from texsamp.emulator.shared.sampler.kept_surfaces import FormKey, KeptSurfaces, What
from texsamp.emulator.shared.sampler.plain_messages import PlainForm, plain_form
from texsamp.emulator.shared.sampler.requests import read_request
from texsamp.errors import CaptureError
from texsamp.sampler.alike import alike
from texsamp.sampler.cube_faces import ALL_FACES
from texsamp.sampler.load import load, load_mcs, resinfo
from texsamp.sampler.messages import (
    Response,
    SamplerRequest,
    check_request,
    encode_response,
    result_pixels,
)
from texsamp.sampler.messages.blocks import BLOCK_PIXELS, codes_from_float
from texsamp.sampler.messages.groups import COMPARE, GATHER, GATHER_C, KILL_MASK, LOD, PLAIN_LD, SAMPLE, SAMPLE_UNORM
from texsamp.sampler.messages.payload import message_of
from texsamp.sampler.multisample import sampleinfo
from texsamp.sampler.prepared import Prepared
from texsamp.sampler.sample import gather4, query_lod, sample, sample_killpix
from texsamp.sampler.sampler import Sampler
from texsamp.state import RenderSurfaceState, SamplerState
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AddressControl, BorderColorMode, BorderColorState, BorderColorStateDx9
from texsamp.state.sampler_messages import BlockMessage, SamplerMessageDescriptor, SimdMode
from texsamp.surface.layout import SurfaceLayout, SurfaceView
from texsamp.surface.layout.multisample import mcs_description
from texsamp.surface.surface import Surface

_IMPLICIT_LOD = frozenset({"SAMPLE", "SAMPLE_KILLPIX", "SAMPLE_B", "SAMPLE_C", "SAMPLE_B_C"}) | LOD
"""Messages whose LOD follows from the coordinates of each 2x2 lanes."""
_GIVEN_LOD = {"SAMPLE_L": "lod", "SAMPLE_L_C": "lod"}
_ZERO_LOD = frozenset({"SAMPLE_LZ", "SAMPLE_C_LZ"})
_SAMPLING = SAMPLE | SAMPLE_UNORM | GATHER | LOD
"""Messages with a sampler."""
_GRADIENTS = frozenset({"SAMPLE_D", "SAMPLE_D_C"})
_OFFSETS = frozenset({"offu", "offv"})
_WITH_BORDER = (AddressControl.CLAMP_BORDER, AddressControl.HALF_BORDER)
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
_BYTES_OF_A_UNIT = 1 << 16
_LANES_OF_A_UNIT = 1 << 12
_TILE_B = 128
"""Width of a Y tile."""

Lanes = NDArray[Any]
_Chosen = NDArray[np.intp] | tuple[int, ...]
"""Numbers of lanes; or of all lanes the shape that they are seen in."""
_Group = tuple[_Chosen, tuple[int, int, int], int]
"""Lanes, and their texel offset and gather channel."""


@dataclass(frozen=True)
class _Plain:
    """What messages ask that have one descriptor, as long as states stay."""

    form: PlainForm
    state: RenderSurfaceState
    sampler: SamplerState | None


@dataclass
class SampleMessages:
    """Executes SIMD4x2, SIMD8 and SIMD16 messages to the sampling engine."""

    surfaces: SurfaceTable
    samplers: SamplerTable
    budget: Budget
    settings: SamplerSettings
    kept: KeptSurfaces
    _plain: dict[int, _Plain] = field(default_factory=dict)

    def send(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """Answer every enabled lane; registers of disabled ones keep what they held."""
        plain = self._plain_of(message, descriptor)
        if plain is not None:
            self._answer(message, plain)
            return
        request = read_request(message, descriptor)
        if message.has_header:
            self.samplers.check_header(message.dwords(0, 1))
        state, sampler_state = self._states(descriptor)
        is_null = state.surface_type == SurfaceType.SURFTYPE_NULL
        check_request(request, state, sampler_state)
        self.budget.spend(1 + request.active.size // _LANES_OF_A_UNIT)
        call = None if is_null else self._call(request, state, sampler_state)
        if call is None:
            response = _nothing(request)
        else:
            values = _results(call)
            self._look_for_plain(message.descriptor, call, sampler_state)
            if _is_answered(message, request, values):
                return
            response = encode_response(request, values, killed=_killed(call))
        if message.destination is None:
            return
        registers = response.registers
        if not response.written.all():
            registers = response.merged(message.held(response.length).reshape(registers.shape))
        message.respond(np.ascontiguousarray(registers, "<u4").reshape(len(registers), -1).view(np.uint8))

    def _plain_of(self, message: Message, descriptor: SamplerMessageDescriptor) -> _Plain | None:
        """What messages with a descriptor ask, if one of its form and states has been taken before."""
        plain = self._plain.get(message.descriptor)
        if plain is None:
            state, sampler = self._states(descriptor)
            form = self.kept.form(_form_key(message.descriptor, state, sampler))
            if form is None:
                return None
            plain = self._plain[message.descriptor] = _Plain(form, state, sampler)
        return plain if plain.form.fits(message) else None

    def _answer(self, message: Message, plain: _Plain) -> None:
        self.budget.spend(2 + len(message.rows) * plain.form.lanes // _LANES_OF_A_UNIT)
        surface, sampler = self._surface(plain.state, message.threads.device), plain.sampler

        def prepare() -> Prepared:
            made = plain.form.prepared(surface, None if sampler is None else self._sampler(sampler, plain.state))
            assert made is not None
            return made

        name = plain.form, None if sampler is None else sampler.image
        plain.form.answer(message, surface.derived.made(Prepared, name, prepare))

    def _look_for_plain(self, descriptor: int, call: _Call, sampler: SamplerState | None) -> None:
        """Remember what such messages ask, if that is as plain as can be."""
        form = plain_form(call.request, call.surface)
        if form is None or call.palette is not None or call.resource_min_lod:
            return
        if (sampler is None or not _has_border(sampler)) and form.prepared(call.surface, call.sampler) is not None:
            self.kept.keep_form(_form_key(descriptor, call.state, sampler), form)

    def _states(self, descriptor: SamplerMessageDescriptor) -> tuple[RenderSurfaceState, SamplerState | None]:
        """Of the surface and the sampler; None for messages that have none, or no surface."""
        state = self.surfaces.render(descriptor.binding_table_index)
        if state.surface_type == SurfaceType.SURFTYPE_NULL or message_of(descriptor).name not in _SAMPLING:
            return state, None
        return state, self.samplers.state(SamplerState, descriptor.sampler_index)

    def flush(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """cache_flush: what is kept are texels of the memory's present version, so there is nothing to drop.

        Binding table and sampler index are ignored (seed 003:4461, 4467); the response is not written.
        """
        check_request(read_request(message, descriptor))

    def _call(self, request: SamplerRequest, state: RenderSurfaceState, sampler_state: SamplerState | None) -> _Call:
        surface = self._surface(state, get_device("cpu"))
        sampler = None if sampler_state is None else self._sampler(sampler_state, state)
        palette = self.settings.palette(surface.format)
        if palette is not None:  # looked up in every texel
            self.budget.spend(1 + surface.surface_view.size_B // _BYTES_OF_A_UNIT)
        control = self._control(state, surface) if request.message.name == "LD_MCS" and state.mcs_enable else None
        groups = tuple(_alike(request)) if request.message.name in _FUNCTIONS else ()
        self.budget.spend(len(groups))
        return _Call(request, surface, sampler, state, palette, control, groups)

    def _surface(self, state: RenderSurfaceState, device: Device) -> Surface:
        def read() -> Surface:
            data = self.surfaces.bytes_on(device, state.base_address)
            return Surface.from_memory(data, state, address=state.base_address, device=device)

        return self._kept((state.image, device), state.base_address, read)

    def _control(self, state: RenderSurfaceState, surface: Surface) -> Surface:
        """The multisample control surface (seed 003:2519-2526)."""

        def read() -> Surface:
            description = mcs_description(surface.description, pitch_B=_TILE_B * state.mcs_pitch)
            view = SurfaceView(
                SurfaceLayout(description), state.mcs_base_address, first_layer=surface.surface_view.first_layer
            )
            data = self.surfaces.bytes_of(state.mcs_base_address)
            if view.size_B > data.size:
                raise CaptureError(f"the control surface takes {view.size_B} bytes, there are {data.size}")
            return Surface(view, data, surface.device)

        return self._kept((state.image, "control"), state.mcs_base_address, read)

    def _kept(self, what: What, address: int, read: Callable[[], Surface]) -> Surface:
        """A surface, read again when its memory has changed."""

        def counted() -> Surface:
            surface = read()
            self.budget.spend(1 + surface.surface_view.size_B // _BYTES_OF_A_UNIT)
            return surface

        return self.kept.get(what, self.surfaces.memory.version(address), counted)

    def _sampler(self, state: SamplerState, surface: RenderSurfaceState) -> Sampler:
        border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
        if _has_border(state) or _faces(surface) != ALL_FACES:
            at, memory = self.samplers.dynamic_base + state.border_color_pointer, self.samplers.memory
            if state.border_color_mode == BorderColorMode.DX9:
                codes = read_state(memory, BorderColorStateDx9, at, strict=False).color_unorm8
                border = tuple(code / 255 for code in codes)
            else:
                border = tuple(read_state(memory, BorderColorState, at).color)
        key = self.settings.key(state.chroma_key_index) if state.chroma_key_enable else None
        return Sampler.from_state(state, border, key, self.settings.mono_size)


def _has_border(state: SamplerState) -> bool:
    return any(mode in _WITH_BORDER for mode in (state.address_u, state.address_v, state.address_r))


def _form_key(descriptor: int, state: RenderSurfaceState, sampler: SamplerState | None) -> FormKey:
    return descriptor, state.image, None if sampler is None else sampler.image


def _faces(state: RenderSurfaceState) -> int:
    """Cube Face Enables; all for other surfaces, where the field is ignored (seed 003:2179)."""
    return int(state.cube_faces) if state.surface_type == SurfaceType.SURFTYPE_CUBE else ALL_FACES


@dataclass(frozen=True)
class _Call:
    """One request with everything it needs."""

    request: SamplerRequest
    surface: Surface
    sampler: Sampler | None
    state: RenderSurfaceState
    palette: Lanes | None
    control: Surface | None
    groups: tuple[_Group, ...]

    @property
    def name(self) -> str:
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
        values = np.ascontiguousarray(self.request.parameter(name))
        return values.reshape(chosen) if isinstance(chosen, tuple) else values.reshape(-1)[chosen]


def _is_answered(message: Message, request: SamplerRequest, values: Lanes) -> bool:
    """Whether values went straight to the registers: those of lanes that all return the same channels and no mask."""
    if request.simd not in (SimdMode.SIMD8, SimdMode.SIMD16) or request.message.name in KILL_MASK:
        return False
    groups = request.channel_groups()
    if len(groups) != 1:
        return False
    return message.answer(values, [channel for channel, masked in enumerate(groups[0][1]) if not masked])


def _nothing(request: SamplerRequest) -> Response:
    """What a null surface returns: 0 in every channel, nothing killed (seed 003:1993)."""
    kind = np.uint16 if request.message.name in SAMPLE_UNORM else np.float32
    zeros = np.zeros((request.threads, result_pixels(request), 4), kind)
    killed = np.zeros(zeros.shape[:2], np.bool_) if request.message.name in KILL_MASK else None
    return encode_response(request, zeros, killed=killed)


def _results(call: _Call) -> Lanes:
    """Red to alpha of every lane, (threads, lanes, 4)."""
    name, request = call.name, call.request
    if name in SAMPLE_UNORM:
        return _sampled_block(call)
    shape = (*request.active.shape, 4)
    if name == "RESINFO":
        levels = np.minimum(call.parameter("lod"), np.uint32(0x7FFFFFFF)).astype(np.int32)
        return np.asarray(resinfo(call.surface, levels)).reshape(shape)
    if name == "SAMPLEINFO":
        info = np.asarray(sampleinfo(call.surface, int(call.state.sample_palette)))
        return np.broadcast_to(info, shape)
    compute = _FUNCTIONS.get(name)
    if compute is None:
        raise CaptureError(f"sampler message {name} is not executed")
    made: Lanes | None = None
    for chosen, offset, channel in call.groups:
        values = compute(call, chosen, offset, channel)
        if isinstance(chosen, tuple):
            return values.reshape(shape)
        if made is None:
            made = np.zeros((request.active.size, 4), values.dtype)
        made[chosen.reshape(-1)] = values.reshape(-1, values.shape[-1])
    assert made is not None
    return made.reshape(shape)


def _alike(request: SamplerRequest) -> Iterator[_Group]:
    """Lanes that have one texel offset and gather channel, in quads where they make an LOD."""
    in_quads = request.message.name in _IMPLICIT_LOD
    if request.header is None and not _OFFSETS & request.parameters.keys():
        yield ((-1, 2, 2) if in_quads else (-1,)), (0, 0, 0), 0
        return
    offsets = request.texel_offsets().reshape(-1, 3)
    channels = np.repeat(request.gather_channel, request.lanes)
    keys = np.concatenate([offsets, channels[:, None].astype(np.int64)], axis=1)
    if len(keys) and (keys == keys[0]).all():
        x, y, z, channel = keys[0].tolist()
        yield ((-1, 2, 2) if in_quads else (-1,)), (x, y, z), channel
        return
    for chosen, (x, y, z, channel) in alike(keys):
        yield (chosen.reshape(-1, 2, 2) if in_quads else chosen), (x, y, z), channel


def _coordinates(call: _Call, chosen: _Chosen) -> tuple[list[Any], dict[str, Lanes]]:
    """u, v and w, None where the surface has none, and the array index if it is an array and one is sent."""
    if call.surface.type not in _COORDINATES:
        raise CaptureError(f"surfaces of type {call.surface.type.name} are not sampled")
    *names, layer = _COORDINATES[call.surface.type]
    axes: list[Any] = [None if name is None else call.parameter(name, chosen) for name in names]
    if layer is None or layer not in call.request.parameters or not call.surface.description.is_array:
        return axes, {}
    return axes, {"layer": call.parameter(layer, chosen)}


def _sample_arguments(call: _Call, chosen: _Chosen, offset: tuple[int, int, int]) -> tuple[list[Any], dict[str, Any]]:
    """Coordinates and the other arguments of `sample`."""
    axes, options = _coordinates(call, chosen)
    if call.surface.layers == 1:  # the nearest that exists
        options = {}
    more: dict[str, Any] = {
        "offset": offset,
        "resource_min_lod": call.resource_min_lod,
        "cube_faces": _faces(call.state),
        **options,
    }
    forced = call.request.force_lod_zero
    if call.name in COMPARE:
        more["compare"] = call.parameter("ref", chosen)
    if forced.any():
        if not forced.all():
            raise CaptureError("threads of one message that differ in forcing LOD 0 are not executed")
        more["lod"] = 0.0
    elif call.name in _ZERO_LOD:
        more["lod"] = 0.0
    elif call.name in _GIVEN_LOD:
        more["lod"] = call.parameter("lod", chosen)
    elif call.name in _GRADIENTS:
        letters = [letter for letter, axis in zip(_AXES, axes, strict=True) if axis is not None]
        more["gradients"] = [[call.parameter(f"d{axis}d{step}", chosen) for axis in letters] for step in "xy"]
    elif "bias" in call.request.parameters:
        more["bias"] = call.parameter("bias", chosen)
    return axes, more


def _sampled(call: _Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    assert call.sampler is not None
    axes, more = _sample_arguments(call, chosen, offset)
    return np.asarray(sample(call.surface, call.sampler, *axes, palette=call.palette, **more))


def _killed(call: _Call) -> Lanes | None:
    """Which lanes or pixels the chroma key kills, of messages that return it, (threads, lanes)."""
    if call.name not in KILL_MASK:
        return None
    assert call.sampler is not None
    if call.name in SAMPLE_UNORM:
        places = _block_places(call)
        found = sample_killpix(call.surface, call.sampler, *places, lod=0.0, palette=call.palette)[1]
        return np.asarray(found).reshape(len(places[0]), -1)
    killed = np.zeros(call.request.active.size, np.bool_)
    for chosen, offset, _ in call.groups:
        axes, more = _sample_arguments(call, chosen, offset)
        found = sample_killpix(call.surface, call.sampler, *axes, palette=call.palette, **more)[1]
        if isinstance(chosen, tuple):
            killed = np.asarray(found)
        else:
            killed[chosen] = found
    return killed.reshape(call.request.active.shape)


def _sampled_block(call: _Call) -> Lanes:
    """16-bit codes of the 32 pixels of every thread's block, (threads, 32, 4), at LOD 0."""
    assert call.sampler is not None
    places = _block_places(call)
    found = np.asarray(sample(call.surface, call.sampler, *places, lod=0.0, palette=call.palette))
    return codes_from_float(found).reshape(len(places[0]), -1, 4)


def _block_places(call: _Call) -> tuple[Lanes, Lanes]:
    """U and v of the pixels of every thread's block, (threads, rows, columns)."""
    width, height = BLOCK_PIXELS[BlockMessage.SAMPLE_UNORM]
    u, v, du, dv = (call.request.parameter(name).astype(np.float32) for name in ("u", "v", "du", "dv"))
    x, y = (np.arange(count, dtype=np.float32) for count in (width, height))
    across, down = u + du * x, v + dv * y
    shape = (len(u), height, width)
    return np.broadcast_to(across[:, None, :], shape), np.broadcast_to(down[:, :, None], shape)


def _gathered(call: _Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    assert call.sampler is not None
    (u, v, w), options = _coordinates(call, chosen)
    more: dict[str, Any] = {"palette": call.palette, "cube_faces": _faces(call.state), **options}
    if call.name in GATHER_C:
        more["compare"] = call.parameter("ref", chosen)
    found = gather4(call.surface, call.sampler, u, v, w, channel=_CHANNELS[channel], offset=offset[:2], **more)
    return np.asarray(found)


def _loaded(call: _Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    axes, options = _coordinates(call, chosen)
    moved: list[Any] = axes
    if any(offset):
        moved = [
            None if axis is None else axis.astype(np.int64) + step for axis, step in zip(axes, offset, strict=True)
        ]
    level = call.parameter("lod", chosen) if "lod" in call.request.parameters else 0
    found = load(call.surface, *moved, level=level, layer=options.get("layer"), palette=call.palette)
    return np.asarray(found)


def _loaded_control(call: _Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    """Elements of the control surface; zeros if there is none (seed 002:2620-2625)."""
    if call.control is None:
        return np.zeros((*call.parameter("u", chosen).shape, 4), np.uint32)
    (u, v, _), options = _coordinates(call, chosen)
    assert u is not None and v is not None
    x, y = (axis.astype(np.int64) + step for axis, step in zip((u, v), offset, strict=False))
    return np.asarray(load_mcs(call.control, x, y, layer=options.get("layer")))


def _loaded_sample(call: _Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    """By sample and control data (ld2dms), or by slice (ld2dss)."""
    (u, v, _), layer = _coordinates(call, chosen)
    options: dict[str, Any] = dict(layer)
    if call.name == "LD2DSS":
        options["sample"] = call.parameter("ssi", chosen)
    else:
        options["sample"] = call.parameter("si", chosen)
        if not call.surface.description.interleaved:
            options["mcs"] = call.parameter("mcs", chosen).astype(np.int64)
    return np.asarray(load(call.surface, u, v, clear_color=call.clear_color, **options))


def _lods(call: _Call, chosen: _Chosen, offset: tuple[int, int, int], channel: int) -> Lanes:
    """Clamped and not clamped LOD in red and green; blue and alpha, which are undefined, are 0."""
    assert call.sampler is not None
    axes, _ = _coordinates(call, chosen)
    found = np.asarray(query_lod(call.surface, call.sampler, *axes, resource_min_lod=call.resource_min_lod))
    return np.concatenate([found, np.zeros_like(found)], axis=-1)


_Compute = Callable[[_Call, _Chosen, tuple[int, int, int], int], Lanes]


_FUNCTIONS: dict[str, _Compute] = {
    **dict.fromkeys(SAMPLE, _sampled),
    **dict.fromkeys(GATHER, _gathered),
    **dict.fromkeys(PLAIN_LD, _loaded),
    "LD_MCS": _loaded_control,
    "LD2DMS": _loaded_sample,
    "LD2DSS": _loaded_sample,
    **dict.fromkeys(LOD, _lods),
}
