"""Draws from Python: arrays of vertices, textures and kernels as a submission that draws one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from texsamp.cached import cached_property
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.registers.threads import REGISTER_B
from texsamp.emulator.files.writer import BufferContents, Submission
from texsamp.emulator.submission_parts import (
    FIRST_SURFACE,
    FREE_AT,
    MOST_SAMPLERS,
    MOST_SURFACES,
    SAMPLERS_AT,
    TABLE_AT,
    addresses_of,
    aligned,
    bytes_of,
    put,
    put_tables,
    state_of,
)
from texsamp.errors import StateError
from texsamp.sampler.sampler import Sampler
from texsamp.state import RenderSurfaceState, Struct, SurfaceType
from texsamp.state.command import Command
from texsamp.state.commands_3d import (
    IndexBuffer,
    IndexFormat,
    Primitive,
    VertexAccess,
    VertexBuffers,
    VertexBufferState,
    VertexComponent,
    VertexElements,
    VertexElementState,
    VertexShader,
)
from texsamp.state.commands_common import PipelineSelect, StateBaseAddress
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.commands_raster import (
    Clip,
    DepthBuffer,
    DrawingRectangle,
    Multisample,
    PixelShader,
    SampleMask,
    SetupBackend,
    StripsFans,
    Windower,
)
from texsamp.state.pixel_state import (
    BlendState,
    BlendStatePointers,
    CcViewport,
    CcViewportPointers,
    ColorCalcState,
    ColorCalcStatePointers,
    DepthStencilState,
    DepthStencilStatePointers,
    SfClipViewport,
    SfClipViewportPointers,
)
from texsamp.state.render_surface import VerticalAlign
from texsamp.surface.layout.description import SurfaceDescription, Usage
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.surface import Surface

MOST_ATTRIBUTES = 16
_FORMATS = {1: "R32_FLOAT", 2: "R32G32_FLOAT", 3: "R32G32B32_FLOAT", 4: "R32G32B32A32_FLOAT"}
_WIDTHS = (8, 16, 32)
_VIEWPORT_AT, _CC_VIEWPORT_AT, _BLEND_AT, _COLOR_CALC_AT, _DEPTH_AT, _CONSTANTS_AT = (
    FREE_AT + at for at in (0x00, 0x40, 0x80, 0xC0, 0x100, 0x140)
)
_VERTEX_KERNEL_AT = 1 << 16
_DEPTH_TEXEL_B, _ROWS_OF_A_UNIT = 4, 4
_GUARDBAND = 16384
_COMPONENTS = [f"component_{number}" for number in range(4)]


@dataclass(frozen=True)
class Draw:
    """What `Gpu.draw` is given; see there.

    target: what is drawn to. attributes: arrays of a row for each vertex, the first one positions.
    """

    pixel_kernel: str
    target: Surface
    attributes: Sequence[ArrayLike]
    vertex_kernel: str | None = None
    topology: str = "TRILIST"
    indices: ArrayLike | None = None
    instances: int = 1
    simd: int = 16
    surfaces: Sequence[NDArray[Any] | Surface] = ()
    samplers: Sequence[Sampler] = ()
    constants: ArrayLike = ()
    flat: Sequence[int] = ()
    blend: BlendState = field(default_factory=BlendState)
    depth: DepthStencilState | None = None
    state: Sequence[Command] = ()

    def submission(self) -> Submission:
        """The commands and buffer objects, to be saved as a capture file; StateError for what does not fit."""
        arrays = [_attribute(number, attribute) for number, attribute in enumerate(self.attributes)]
        self._check(arrays)
        pixel = assemble(self.pixel_kernel)
        vertex = b"" if self.vertex_kernel is None else assemble(self.vertex_kernel)
        code = pixel.ljust(_VERTEX_KERNEL_AT, b"\0") + vertex
        if len(pixel) > _VERTEX_KERNEL_AT:
            raise StateError(f"the pixel kernel has {len(pixel)} bytes, at most {_VERTEX_KERNEL_AT} fit")
        pushed = _constants(self.constants)
        indices = None if self.indices is None else _indices(self.indices)
        given: list[NDArray[Any] | Surface] = [self.drawn_to, *self.surfaces, *arrays]
        given += [] if indices is None else [indices]
        given += [] if self.depth is None else [np.ones(self._depth_layout.size_B // _DEPTH_TEXEL_B, np.float32)]
        parts = [bytes_of(surface) for surface in given]
        batch, kernel_at, states_at, *places = addresses_of([len(part) for part in parts])
        states = bytearray(_CONSTANTS_AT + pushed.size)
        seen = list(zip(given, parts, places, strict=True))[: 1 + len(self.surfaces)]
        seen_as = [_as_target(state_of(surface, len(part), place)) for surface, part, place in seen]
        put_tables(states, [_of_one_level(seen_as[0]), *seen_as[1:]], self.samplers)
        for at, state in self._states().items():
            put(states, at, state.pack())
        put(states, _CONSTANTS_AT, pushed.tobytes())
        behind = places[1 + len(self.surfaces) :]
        commands = [
            PipelineSelect(),
            StateBaseAddress(
                surface_state_base=states_at, surface_state_modify=True, dynamic_state_base=states_at,
                dynamic_state_modify=True, instruction_base=kernel_at, instruction_modify=True,
                general_state_modify=True, indirect_object_modify=True,
            ),
            *self._vertex_commands(arrays, indices, behind),
            *self._setup_commands(len(arrays) - 1),
            *self._pixel_commands(len(arrays) - 1, pushed.size // REGISTER_B, behind[-1]),
            *self.state,
            Primitive(
                topology=self.topology, instance_count=self.instances,
                vertex_count=len(arrays[0]) if indices is None else len(indices),
                vertex_access=VertexAccess.SEQUENTIAL if indices is None else VertexAccess.RANDOM,
            ),
            MiBatchBufferEnd(),
        ]  # fmt: skip
        buffers = [
            BufferContents(1, batch, b"".join(command.pack() for command in commands), "commands"),
            BufferContents(2, kernel_at, code, "kernels"),
            BufferContents(3, states_at, bytes(states), "states"),
        ]
        for number, (part, place) in enumerate(zip(parts, places, strict=True)):
            buffers.append(BufferContents(FIRST_SURFACE + number, place, part, f"surface {number}", written=True))
        return Submission("draw", buffers)

    def _check(self, arrays: Sequence[NDArray[np.float32]]) -> None:
        if self.simd not in _WIDTHS:
            raise StateError(f"simd must be one of {', '.join(map(str, _WIDTHS))}, found {self.simd!r}")
        if not 1 <= len(arrays) <= 1 + MOST_ATTRIBUTES:
            raise StateError(f"positions and at most {MOST_ATTRIBUTES} attributes, found {len(arrays)} arrays")
        if len({len(array) for array in arrays}) > 1:
            raise StateError(f"attributes have {', '.join(str(len(array)) for array in arrays)} vertices")
        if len(self.surfaces) >= MOST_SURFACES or len(self.samplers) > MOST_SAMPLERS:
            raise StateError(
                f"at most {MOST_SURFACES - 1} surfaces and {MOST_SAMPLERS} samplers, found {len(self.surfaces)} and "
                f"{len(self.samplers)}"
            )
        if not set(self.flat) <= set(range(len(arrays) - 1)):
            raise StateError(f"flat names attributes from 0 to {len(arrays) - 2}, found {sorted(self.flat)}")

    @property
    def _size_px(self) -> tuple[int, int]:
        width, height, _ = self.target.level_size_px(0)
        return width, height

    @cached_property
    def drawn_to(self) -> Surface:
        """The target as it can be drawn to: with all its levels and slices aligned to 4 rows."""
        return aligned(self.target, _ROWS_OF_A_UNIT)

    @cached_property
    def _depth_layout(self) -> SurfaceLayout:
        """A depth buffer of the target's size, with the samples that 3DSTATE_MULTISAMPLE says."""
        width, height = self._size_px
        settings = [command for command in self.state if isinstance(command, Multisample)]
        samples = 1 << int(settings[-1].samples) if settings else 1
        kind = SurfaceType.SURFTYPE_2D
        return SurfaceLayout(
            SurfaceDescription(
                kind, "R32_FLOAT", width, height, samples=samples, tiling="Y", usage=Usage.DEPTH, is_array=True
            )
        )

    def _states(self) -> dict[int, Struct]:
        """States behind the tables. Clip space has y up and z from 0 to w; the first row of a target is the top."""
        width, height = self._size_px
        wide, high = 2 * _GUARDBAND / width, 2 * _GUARDBAND / height
        return {
            _VIEWPORT_AT: SfClipViewport(
                m00=width / 2, m11=-height / 2, m22=1, m30=width / 2, m31=height / 2,
                guardband_x_min=-wide, guardband_x_max=wide, guardband_y_min=-high, guardband_y_max=high,
            ),
            _CC_VIEWPORT_AT: CcViewport(max_depth=1),
            _BLEND_AT: self.blend,
            _COLOR_CALC_AT: ColorCalcState(),
            _DEPTH_AT: self.depth or DepthStencilState(),
        }  # fmt: skip

    def _vertex_commands(
        self, arrays: Sequence[NDArray[np.float32]], indices: NDArray[np.uint32] | None, places: Sequence[int]
    ) -> list[Command]:
        buffers = [
            VertexBufferState(
                index=number, pitch=array.shape[1] * 4, address_modify=True, start_address=place,
                end_address=place + array.nbytes - 1,
            )
            for number, (array, place) in enumerate(zip(arrays, places, strict=False))
        ]  # fmt: skip
        source: dict[str, Any] = dict.fromkeys(_COMPONENTS, VertexComponent.STORE_SRC)
        elements = [
            VertexElementState(buffer_index=number, valid=True, format=_FORMATS[array.shape[1]], **source)
            for number, array in enumerate(arrays)
        ]
        shader = VertexShader()
        if self.vertex_kernel is None:  # elements are the vertices, which begin with an empty header
            header: dict[str, Any] = dict.fromkeys(_COMPONENTS, VertexComponent.STORE_0)
            elements.insert(0, VertexElementState(valid=True, format="R32_FLOAT", **header))
        else:
            shader = VertexShader(
                enable=True, kernel_start=_VERTEX_KERNEL_AT, grf_start=1, urb_read_length=-(-len(arrays) // 2),
                max_threads=1,
            )  # fmt: skip
        commands = [VertexBuffers(tail=buffers), VertexElements(tail=elements), shader]
        if indices is not None:
            at = places[len(arrays)]
            commands.append(
                IndexBuffer(index_format=IndexFormat.DWORD, start_address=at, end_address=at + indices.nbytes - 1)
            )
        return commands

    def _setup_commands(self, attributes: int) -> list[Command]:
        width, height = self._size_px
        return [
            Clip(enable=True, api_mode="D3D", viewport_xy_test=True, viewport_z_test=True, guardband_test=True,
                 min_point_width=0.125, max_point_width=255.875),
            SfClipViewportPointers(pointer=_VIEWPORT_AT),
            StripsFans(
                viewport_transform=True, cull_mode="NONE", line_width=1, point_width_source="STATE", point_width=1
            ),
            SetupBackend(
                attributes=attributes, urb_read_offset=1, urb_read_length=max(-(-attributes // 2), 1),
                constant_attributes=sum(1 << number for number in self.flat),
            ),
            DrawingRectangle(right=width - 1, bottom=height - 1),
            Multisample(x_offset=[0.5] + [0] * 7, y_offset=[0.5] + [0] * 7),
            SampleMask(mask=1),
        ]  # fmt: skip

    def _pixel_commands(self, attributes: int, constants: int, depth_at: int) -> list[Command]:
        width, height = self._size_px
        places = 2 if self.simd == 32 else 1
        perspective = 2 * self.simd // 8
        commands = [
            CcViewportPointers(pointer=_CC_VIEWPORT_AT),
            BlendStatePointers(pointer=_BLEND_AT, valid=True),
            ColorCalcStatePointers(pointer=_COLOR_CALC_AT, valid=True),
            DepthStencilStatePointers(pointer=_DEPTH_AT, valid=True),
            _of_stage("3DSTATE_BINDING_TABLE_POINTERS_PS", pointer=TABLE_AT),
            _of_stage("3DSTATE_SAMPLER_STATE_POINTERS_PS", pointer=SAMPLERS_AT),
            _of_stage("3DSTATE_CONSTANT_PS", read_lengths=(constants, 0, 0, 0), buffers=(_CONSTANTS_AT, 0, 0, 0)),
            Windower(thread_dispatch=True, barycentric_modes=1),
            PixelShader(
                grf_start_0=1 + places + perspective, push_constants=constants > 0, attributes=attributes > 0,
                max_threads=1, dispatch_8=self.simd == 8, dispatch_16=self.simd == 16, dispatch_32=self.simd == 32,
            ),
        ]  # fmt: skip
        if self.depth is not None:
            commands.append(
                DepthBuffer(
                    surface_type="SURFTYPE_2D",
                    depth_write=True,
                    format="D32_FLOAT",
                    pitch=self._depth_layout.pitch_B,
                    base_address=depth_at,
                    width=width,
                    height=height,
                )
            )
        return commands


def _as_target(state: RenderSurfaceState) -> RenderSurfaceState:
    """A surface as draws write to it: tiled ones are aligned to 4 rows, where a single image is laid out alike."""
    if state.tiled and state.mip_count == 0 and state.depth == 1:
        return state.replace(vertical_alignment=VerticalAlign.VALIGN_4)
    return state


def _of_one_level(state: RenderSurfaceState) -> RenderSurfaceState:
    """A surface as render targets are described: MIP count is the level, and all slices can be reached."""
    slices = state.depth if state.surface_array or state.surface_type == SurfaceType.SURFTYPE_3D else 1
    return state.replace(mip_count=state.surface_min_lod, surface_min_lod=0, view_extent=slices)


def _of_stage(name: str, **fields: Any) -> Command:
    kind: Any = Command.by_name[name]
    command: Command = kind(**fields)
    return command


def _attribute(number: int, values: ArrayLike) -> NDArray[np.float32]:
    """One attribute, (vertices, 1 to 4)."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or array.ndim != 2 or not len(array) or array.shape[1] not in _FORMATS:
        raise StateError(
            f"attribute {number} must be numbers of shape (vertices, 1 to 4), found {array.dtype} {array.shape}"
        )
    return np.ascontiguousarray(array, np.float32)


def _indices(values: ArrayLike) -> NDArray[np.uint32]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.ndim != 1 or not len(array):
        raise StateError(f"indices must be numbers of shape (n,), found {array.dtype} {array.shape}")
    return np.ascontiguousarray(array, np.uint32)


def _constants(constants: ArrayLike) -> NDArray[np.uint8]:
    """Bytes of whole registers."""
    values = np.asarray(constants)
    if not values.size:
        return np.zeros(0, np.uint8)
    values = values.astype({"f": np.float32, "i": np.int32, "u": np.uint32}.get(values.dtype.kind, object))
    if values.dtype == object or values.ndim != 1:
        raise StateError(f"constants must be numbers of shape (n,), found {values.dtype} {values.shape}")
    data = np.ascontiguousarray(values).view(np.uint8)
    return np.pad(data, (0, -len(data) % REGISTER_B))
