"""Messages in their plainest and most frequent form, from registers to registers by kernels alone.

They have no header, so all lanes ask alike, and what they read depends on no LOD, key or border color. The first of a
form is taken as any message, and its rules are checked; those after it are not looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.sampler.messages import SamplerRequest
from texsamp.sampler.prepared import Prepared, prepared_samples, prepared_texels
from texsamp.sampler.sampler import Sampler
from texsamp.state.render_surface import SurfaceType
from texsamp.state.sampler_messages import SimdMode
from texsamp.surface.arrays import is_compressed
from texsamp.surface.surface import Surface

_SAMPLES = frozenset({"SAMPLE", "SAMPLE_B", "SAMPLE_L", "SAMPLE_LZ"})
_REGISTERS = {SimdMode.SIMD8: 1, SimdMode.SIMD16: 2}
"""Of a parameter."""
_LANES_OF_A_REGISTER = 8
_ALL_CHANNELS = range(4)
_AXES = {
    SurfaceType.SURFTYPE_1D: "u", SurfaceType.SURFTYPE_2D: "uv", SurfaceType.SURFTYPE_3D: "uvr",
    SurfaceType.SURFTYPE_BUFFER: "u",
}  # fmt: skip
_SLICES = {SurfaceType.SURFTYPE_1D: "v", SurfaceType.SURFTYPE_2D: "r"}
"""Parameters with the array index."""
_SLICE_AT, _LEVEL_AT = 2, 3


@dataclass(frozen=True)
class PlainForm:
    """Registers of the payload that what a kernel reads begins at, in its order; None where it reads nothing.

    loads: whether they are places of texels, not coordinates.
    """

    registers: tuple[int | None, ...]
    lanes: int
    loads: bool

    def prepared(self, surface: Surface, sampler: Sampler | None) -> Prepared | None:
        """What samples a surface; None for states that a form has no room for."""
        if self.loads:
            return prepared_texels(surface)
        assert sampler is not None
        return prepared_samples(surface, sampler)

    def answer(self, message: Message | Unasked, prepared: Prepared) -> None:
        """From the payload to the response."""
        given = iter(message.take([place for place in self.registers if place is not None], self.lanes))
        places = [None if place is None else next(given) for place in self.registers]
        message.answer(prepared.of(places).reshape(-1, self.lanes, len(_ALL_CHANNELS)), _ALL_CHANNELS)

    def fits(self, message: Message | Unasked) -> bool:
        """Whether a message has as many channels, and room for all that comes back."""
        room = len(_ALL_CHANNELS) * self.lanes // _LANES_OF_A_REGISTER
        is_answered = message.destination is not None and message.response_length == room
        return is_answered and message.exec_size == self.lanes


def plain_form(request: SamplerRequest, surface: Surface) -> PlainForm | None:
    """The form of a message; None if it has none."""
    name, axes = request.message.name, _AXES.get(surface.type)
    loads = name == "LD"
    if request.header is not None or request.simd not in _REGISTERS or axes is None or surface.samples > 1:
        return None
    if not (loads or name in _SAMPLES) or is_compressed(surface.info):
        return None
    each = _REGISTERS[request.simd]
    at = {parameter: each * number for number, parameter in enumerate(request.parameters)}
    registers: list[int | None] = [at.get(axis) for axis in axes]
    slice = at.get(_SLICES.get(surface.type, "")) if surface.description.is_array else None
    if loads:
        registers += [None] * (_LEVEL_AT + 1 - len(registers))
        registers[_LEVEL_AT] = None if surface.description.is_buffer else at.get("lod")
        if slice is not None:
            registers[_SLICE_AT] = slice
    elif slice is not None and surface.layers > 1:
        return None
    if registers[0] is None or None in registers[: len(axes)]:
        return None
    return PlainForm(tuple(registers), each * _LANES_OF_A_REGISTER, loads)
