"""Messages that sample, gather and load texels: the surfaces and states they name, and how they are answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.sampler_settings import SamplerSettings
from texsamp.emulator.context.samplers import SamplerTable
from texsamp.emulator.context.surfaces import SurfaceTable, read_state
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.equal_parts import NO_HEADER, AgreeingPart, agreeing, agreeing_on_device
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.buffers import respond_enabled
from texsamp.emulator.shared.sampler.answers_on_device import AnswerOnDevice
from texsamp.emulator.shared.sampler.executed_sampler import executed_sampler, has_integers
from texsamp.emulator.shared.sampler.kept_surfaces import FormKey, KeptSurfaces, What
from texsamp.emulator.shared.sampler.plain_messages import PlainForm, plain_form
from texsamp.emulator.shared.sampler.requests import HEADER, TABLE, lanes_on_device, read_lanes, read_request
from texsamp.emulator.shared.sampler.sample_calls import Call, Lanes, faces_of, groups_of, killed_lanes, results
from texsamp.errors import CaptureError
from texsamp.sampler.cube_faces import ALL_FACES
from texsamp.sampler.messages import SamplerRequest, check_request, encode_response, result_pixels
from texsamp.sampler.messages.groups import GATHER, KILL_MASK, LOD, SAMPLE, SAMPLE_UNORM
from texsamp.sampler.messages.payload import message_of
from texsamp.sampler.messages.request import MessageHeader
from texsamp.sampler.prepared import Prepared
from texsamp.sampler.sampler import Sampler
from texsamp.state import RenderSurfaceState, SamplerState
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler import AddressControl, BorderColorMode, BorderColorState, BorderColorStateDx9
from texsamp.state.sampler_messages import SamplerMessageDescriptor, SimdMode
from texsamp.surface.layout import SurfaceLayout, SurfaceView
from texsamp.surface.layout.multisample import mcs_description
from texsamp.surface.surface import Surface

_SAMPLING = SAMPLE | SAMPLE_UNORM | GATHER | LOD
"""Messages with a sampler."""
_WITH_BORDER = (AddressControl.CLAMP_BORDER, AddressControl.HALF_BORDER)
_BYTES_OF_A_UNIT = 1 << 16
_LANES_OF_A_UNIT = 1 << 12
_TILE_B = 128
"""Width of a Y tile."""


class _CapturedSampler(Sampler):
    """A driver's: Mesa breaks rules of the manual, mostly where programs break those of OpenGL."""

    lenient = True


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
        has_tables = message.has_header and message_of(descriptor).name in _SAMPLING
        for part in agreeing(message, TABLE) if has_tables else [message]:
            self._send(part, descriptor)

    def _send(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """The same of threads with one table of samplers."""
        request, parameters = read_lanes(message, descriptor)
        values, killed = self._found(message, descriptor, request, parameters)
        if message.destination is None or _is_answered(message, request, values):
            return
        download = message.threads.download
        response = encode_response(request, download(values), killed=None if killed is None else download(killed))
        registers = response.registers
        if not response.written.all():
            registers = response.merged(message.held(response.length).reshape(registers.shape))
        message.respond(np.ascontiguousarray(registers, "<u4").reshape(len(registers), -1).view(np.uint8))

    def send_unasked(self, message: Unasked, descriptor: SamplerMessageDescriptor) -> bool:
        """The same with headers, lanes and masks left where threads are."""
        if not message.has_registers:
            return False
        plain = self._plain_of(message, descriptor)
        if plain is not None:
            self._answer(message, plain)
            return True
        parts = _parts_on_device(message, descriptor)
        answers = [
            AnswerOnDevice(part.message, request, *self._found(part.message, descriptor, request, parameters))
            for part, (request, parameters) in zip(parts, lanes_on_device(parts, descriptor), strict=True)
        ]
        for part, answer in zip(parts, answers, strict=True):  # none is written before all are known to be legal
            answer.write()
            part.give_back()
        return True

    def _found(
        self,
        message: Message | Unasked,
        descriptor: SamplerMessageDescriptor,
        request: SamplerRequest,
        parameters: Mapping[str, Array],
    ) -> tuple[Array, Array | None]:
        """What lanes, or pixels of blocks, are answered, and which are killed, if that is asked; where threads are."""
        state, sampler_state = self._states(descriptor, request.header)
        check_request(request, state, sampler_state, as_drivers=True)
        self.budget.spend(1 + request.active.size // _LANES_OF_A_UNIT)
        device = message.threads.device
        if state.surface_type == SurfaceType.SURFTYPE_NULL:
            return _nothing(request, device)
        call = self._call(request, parameters, device, state, sampler_state)
        values = results(call)
        self._look_for_plain(message.descriptor, call, sampler_state)
        return values, killed_lanes(call)

    def _plain_of(self, message: Message | Unasked, descriptor: SamplerMessageDescriptor) -> _Plain | None:
        """What messages with a descriptor ask, if one of its form and states has been taken before."""
        plain = self._plain.get(message.descriptor)
        if plain is None:
            state, sampler = self._states(descriptor)
            form = self.kept.form(_form_key(message.descriptor, state, sampler))
            if form is None:
                return None
            plain = self._plain[message.descriptor] = _Plain(form, state, sampler)
        return plain if plain.form.fits(message) else None

    def _answer(self, message: Message | Unasked, plain: _Plain) -> None:
        self.budget.spend(2 + message.count * plain.form.lanes // _LANES_OF_A_UNIT)
        surface, sampler = self._surface(plain.state, message.threads.device), plain.sampler

        def prepare() -> Prepared:
            made = plain.form.prepared(surface, None if sampler is None else self._sampler(sampler, plain.state))
            assert made is not None
            return made

        name = plain.form, None if sampler is None else sampler.image
        plain.form.answer(message, surface.derived.made(Prepared, name, prepare))

    def _look_for_plain(self, descriptor: int, call: Call, sampler: SamplerState | None) -> None:
        """Remember what such messages ask, if that is as plain as can be."""
        form = plain_form(call.request, call.surface)
        if form is None or call.palette is not None or call.resource_min_lod:
            return
        if (sampler is None or not _has_border(sampler)) and form.prepared(call.surface, call.sampler) is not None:
            self.kept.keep_form(_form_key(descriptor, call.state, sampler), form)

    def _states(
        self, descriptor: SamplerMessageDescriptor, header: MessageHeader | None = None
    ) -> tuple[RenderSurfaceState, SamplerState | None]:
        """Of the surface and the sampler; None for messages that have none, or no surface: they ignore headers' tables.

        (seed 003:4482)
        """
        state = self.surfaces.render(descriptor.binding_table_index)
        if state.surface_type == SurfaceType.SURFTYPE_NULL or message_of(descriptor).name not in _SAMPLING:
            return state, None
        table = self.samplers if header is None else self.samplers.named(header.registers)
        return state, executed_sampler(state, table.state(SamplerState, descriptor.sampler_index))

    def flush(self, message: Message, descriptor: SamplerMessageDescriptor) -> None:
        """cache_flush: what is kept are texels of the memory's present version, so there is nothing to drop.

        Binding table and sampler index are ignored (seed 003:4461, 4467); the response is not written.
        """
        check_request(read_request(message, descriptor))

    def flush_unasked(self, message: Unasked, descriptor: SamplerMessageDescriptor) -> bool:
        """The same with headers left where threads are."""
        if not message.has_registers:
            return False
        for request, _ in lanes_on_device(_parts_on_device(message, descriptor), descriptor):
            check_request(request)
        return True

    def _call(
        self,
        request: SamplerRequest,
        parameters: Mapping[str, Array],
        device: Device,
        state: RenderSurfaceState,
        sampler_state: SamplerState | None,
    ) -> Call:
        surface = self._surface(state, device, described=request.message.name == "RESINFO")
        sampler = None if sampler_state is None else self._sampler(sampler_state, state)
        palette = self.settings.palette(surface.format)
        if palette is not None:  # looked up in every texel
            self.budget.spend(1 + surface.surface_view.size_B // _BYTES_OF_A_UNIT)
        has_control = request.message.name == "LD_MCS" and state.mcs_enable and surface.samples > 1
        control = self._control(state, surface) if has_control else None
        groups = tuple(groups_of(request))
        self.budget.spend(len(groups))
        return Call(request, parameters, surface, sampler, state, palette, control, groups)

    def _surface(self, state: RenderSurfaceState, device: Device, *, described: bool = False) -> Surface:
        """described: whether the state alone counts. Elements of a buffer end with its memory: drivers count beyond."""

        def read() -> Surface:
            data = self.surfaces.bytes_on(device, state.base_address)
            if described:
                return Surface(SurfaceView.from_state(state, wide_samples=True), data, device)
            within, address = _within(state, data.size), state.base_address
            return Surface.from_memory(data, within, address=address, device=device, wide_samples=True)

        return self._kept((state.image, device, described), state.base_address, read)

    def _control(self, state: RenderSurfaceState, surface: Surface) -> Surface:
        """The multisample control surface (seed 003:2519-2526)."""

        def read() -> Surface:
            description = mcs_description(surface.description, pitch_B=_TILE_B * state.mcs_pitch)
            view = SurfaceView(
                SurfaceLayout(description), state.mcs_base_address, first_layer=surface.surface_view.first_layer
            )
            data = self.surfaces.bytes_on(surface.device, state.mcs_base_address)
            if view.size_B > data.size:
                raise CaptureError(f"the control surface takes {view.size_B} bytes, there are {data.size}")
            return Surface(view, data, surface.device)

        return self._kept((state.image, surface.device, "control"), state.mcs_base_address, read)

    def _kept(self, what: What, address: int, read: Callable[[], Surface]) -> Surface:
        """A surface, read again when its memory has changed."""

        def counted() -> Surface:
            surface = read()
            self.budget.spend(1 + surface.surface_view.size_B // _BYTES_OF_A_UNIT)
            return surface

        return self.kept.get(what, self.surfaces.memory.version(address), counted)

    def _sampler(self, state: SamplerState, surface: RenderSurfaceState) -> Sampler:
        border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
        if _has_border(state) or faces_of(surface) != ALL_FACES:
            at, memory = self.samplers.dynamic_base + state.border_color_pointer, self.samplers.memory
            if state.border_color_mode == BorderColorMode.DX9:
                codes = read_state(memory, BorderColorStateDx9, at, strict=False).color_unorm8
                border = tuple(code / 255 for code in codes)
            elif has_integers(surface):
                border = tuple(float(code) for code in np.frombuffer(memory.read(at, 16), "<u4"))
            else:
                border = tuple(read_state(memory, BorderColorState, at).color)
        key = self.settings.key(state.chroma_key_index) if state.chroma_key_enable else None
        return _CapturedSampler.from_state(state, border, key, self.settings.mono_size)


def _within(state: RenderSurfaceState, size_B: int) -> RenderSurfaceState:  # noqa: N803 - the unit
    """A buffer's state with no more elements than there is memory for; other states as they are."""
    if state.surface_type != SurfaceType.SURFTYPE_BUFFER or state.entries * state.pitch <= size_B:
        return state
    return state.replace(entries=max(1, size_B // state.pitch))


def _has_border(state: SamplerState) -> bool:
    return any(mode in _WITH_BORDER for mode in (state.address_u, state.address_v, state.address_r))


def _form_key(descriptor: int, state: RenderSurfaceState, sampler: SamplerState | None) -> FormKey:
    return descriptor, state.image, None if sampler is None else sampler.image


def _is_answered(message: Message, request: SamplerRequest, values: Lanes) -> bool:
    """Whether values went straight to the registers: no blocks, no kill masks, of SIMD8 and SIMD16 one channel mask."""
    if request.simd == SimdMode.SIMD32_64 or request.message.name in KILL_MASK:
        return False
    if request.simd == SimdMode.SIMD4X2:
        written = request.active[:, :, None] & ~request.masked_channels[:, None]
        respond_enabled(message, values.reshape(len(values), -1).view(np.uint32), written.reshape(len(values), -1))
        return True
    groups = request.channel_groups()
    if len(groups) != 1:
        return False
    return message.answer(values, [channel for channel, masked in enumerate(groups[0][1]) if not masked])


def _nothing(request: SamplerRequest, device: Device) -> tuple[Array, Array | None]:
    """What a null surface returns: 0 in every channel, nothing killed (seed 003:1993)."""
    kind = np.uint16 if request.message.name in SAMPLE_UNORM else np.float32
    shape = request.threads, result_pixels(request)
    killed = device.arrays.zeros(shape, np.bool_) if request.message.name in KILL_MASK else None
    return device.arrays.zeros((*shape, 4), kind), killed


def _parts_on_device(message: Unasked, descriptor: SamplerMessageDescriptor) -> list[AgreeingPart]:
    """Threads whose headers agree, where they are."""
    if not message.has_header:
        return [AgreeingPart(NO_HEADER, message)]
    return agreeing_on_device(message, HEADER if message_of(descriptor).name in _SAMPLING else HEADER[:1])
