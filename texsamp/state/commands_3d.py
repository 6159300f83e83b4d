"""3D commands up to the clipper: primitives, vertex fetch, shader stages, constants, stream-out (seed 004)."""

from types import new_class
from typing import Any, ClassVar

from texsamp.state.base import Array, Field, Struct
from texsamp.state.command import Command
from texsamp.state.commands_media import FloatingPointMode
from texsamp.state.fields import Axis
from texsamp.state.formats import SurfaceFormat
from texsamp.state.kinds import Codes, address, enum, flag, float32, minus_one, signed, unsigned


class Topology(Codes):
    """Primitive topology."""

    POINTLIST = 1
    LINELIST = 2
    LINESTRIP = 3
    TRILIST = 4
    TRISTRIP = 5
    TRIFAN = 6
    QUADLIST = 7
    QUADSTRIP = 8
    LINELIST_ADJ = 9
    LINESTRIP_ADJ = 10
    TRILIST_ADJ = 11
    TRISTRIP_ADJ = 12
    TRISTRIP_REVERSE = 13
    POLYGON = 14
    RECTLIST = 15, "three corners: right bottom, left bottom, left top"
    LINELOOP = 16
    POINTLIST_BF = 17
    LINESTRIP_CONT = 18
    LINESTRIP_BF = 19
    LINESTRIP_CONT_BF = 20
    TRIFAN_NOSTIPPLE = 22
    PATCHLIST_1 = 32
    PATCHLIST_2 = 33
    PATCHLIST_3 = 34
    PATCHLIST_4 = 35
    PATCHLIST_5 = 36
    PATCHLIST_6 = 37
    PATCHLIST_7 = 38
    PATCHLIST_8 = 39
    PATCHLIST_9 = 40
    PATCHLIST_10 = 41
    PATCHLIST_11 = 42
    PATCHLIST_12 = 43
    PATCHLIST_13 = 44
    PATCHLIST_14 = 45
    PATCHLIST_15 = 46
    PATCHLIST_16 = 47
    PATCHLIST_17 = 48
    PATCHLIST_18 = 49
    PATCHLIST_19 = 50
    PATCHLIST_20 = 51
    PATCHLIST_21 = 52
    PATCHLIST_22 = 53
    PATCHLIST_23 = 54
    PATCHLIST_24 = 55
    PATCHLIST_25 = 56
    PATCHLIST_26 = 57
    PATCHLIST_27 = 58
    PATCHLIST_28 = 59
    PATCHLIST_29 = 60
    PATCHLIST_30 = 61
    PATCHLIST_31 = 62
    PATCHLIST_32 = 63


class VertexAccess(Codes):
    """Order of the vertices."""

    SEQUENTIAL = 0
    RANDOM = 1, "through the index buffer"


class BufferAccess(Codes):
    """What steps through a vertex buffer."""

    VERTEXDATA = 0
    INSTANCEDATA = 1


class VertexComponent(Codes):
    """What a vertex component is made of."""

    NOSTORE = 0
    STORE_SRC = 1
    STORE_0 = 2
    STORE_1_FP = 3
    STORE_1_INT = 4
    STORE_VID = 5, "vertex number"
    STORE_IID = 6, "instance number"
    STORE_PID = 7, "primitive number"


class IndexFormat(Codes):
    """Size of an index."""

    BYTE = 0
    WORD = 1
    DWORD = 2


class SamplerPrefetch(Codes):
    """Samplers a kernel uses: prefetch hint."""

    NONE = 0
    UP_TO_4 = 1
    UP_TO_8 = 2
    UP_TO_12 = 3
    UP_TO_16 = 4


class ReorderMode(Codes):
    """Vertex of a strip triangle that keeps its place."""

    LEADING = 0
    TRAILING = 1


class ControlData(Codes):
    """Control data of a geometry shader."""

    CUT = 0, "the strip ends here"
    SID = 1, "stream of the vertex"


class GeometryDispatch(Codes):
    """What one geometry shader thread works on."""

    SINGLE = 0
    DUAL_INSTANCE = 1
    DUAL_OBJECT = 2


class Partitioning(Codes):
    """How the tessellator divides edges."""

    INTEGER = 0
    ODD_FRACTIONAL = 1
    EVEN_FRACTIONAL = 2


class TessellatorOutput(Codes):
    """Primitives of the tessellator."""

    POINT = 0
    LINE = 1
    TRI_CW = 2
    TRI_CCW = 3


class TessellatorDomain(Codes):
    """Domain of the tessellator."""

    QUAD = 0
    TRI = 1
    ISOLINE = 2


class TessellatorMode(Codes):
    """Who tessellates."""

    HW_TESS = 0
    SW_TESS = 1


class Primitive(Command, name="3DPRIMITIVE", header=0x7B000000, dwords=7, source="001:903"):
    """Draw."""

    indirect_parameter = Field(0, 10, 10, flag, "counts come from the 3DPRIM registers")
    predicate_enable = Field(0, 8, 8, flag, "dropped if the predicate is clear")
    end_offset = Field(1, 9, 9, flag, "vertex count from the end offset register")
    vertex_access = Field(1, 8, 8, enum(VertexAccess), "order of the vertices")
    topology = Field(1, 5, 0, enum(Topology), "primitive", "TRILIST")
    vertex_count = Field(2, 31, 0, unsigned, "vertices per instance")
    start_vertex = Field(3, 31, 0, unsigned, "first vertex or index")
    instance_count = Field(4, 31, 0, unsigned, "instances")
    start_instance = Field(5, 31, 0, unsigned, "first instance")
    base_vertex = Field(6, 31, 0, signed, "added to every index")


class VertexBufferState(Struct, name="VERTEX_BUFFER_STATE", dwords=4, source="004:3036-3098"):
    """One vertex buffer."""

    index = Field(0, 31, 26, unsigned, "number of the buffer", legal=(0, 32))
    access = Field(0, 20, 20, enum(BufferAccess), "what steps through it")
    memory_object_control = Field(0, 19, 16, unsigned, "cache control")
    address_modify = Field(0, 14, 14, flag, "take over the addresses")
    null_buffer = Field(0, 13, 13, flag, "reads give 0")
    fetch_invalidate = Field(0, 12, 12, flag, "invalidate the vertex fetch cache")
    pitch = Field(0, 11, 0, unsigned, "bytes from vertex to vertex", legal=(0, 2048))
    start_address = Field(1, 31, 0, address, "first byte")
    end_address = Field(2, 31, 0, address, "last byte; reads behind it give 0")
    step_rate = Field(3, 31, 0, unsigned, "instances per step; 0: constant")


class VertexElementState(Struct, name="VERTEX_ELEMENT_STATE", dwords=2, source="004:3100-3175"):
    """One vertex attribute."""

    buffer_index = Field(0, 31, 26, unsigned, "vertex buffer", legal=(0, 32))
    valid = Field(0, 25, 25, flag, "there is an element")
    format = Field(0, 24, 16, enum(SurfaceFormat), "format in the buffer")
    edge_flag = Field(0, 15, 15, flag, "the element is the edge flag")
    offset = Field(0, 11, 0, unsigned, "bytes from the vertex", legal=(0, 2047))
    component_0 = Field(1, 30, 28, enum(VertexComponent), "component 0")
    component_1 = Field(1, 26, 24, enum(VertexComponent), "component 1")
    component_2 = Field(1, 22, 20, enum(VertexComponent), "component 2")
    component_3 = Field(1, 18, 16, enum(VertexComponent), "component 3")


class VertexBuffers(
    Command, name="3DSTATE_VERTEX_BUFFERS", header=0x78080000, source="004:3036-3098", tail=VertexBufferState,
    tail_count=(1, 33),
):  # fmt: skip
    """Set vertex buffers."""


class VertexElements(
    Command, name="3DSTATE_VERTEX_ELEMENTS", header=0x78090000, source="004:3100-3175", tail=VertexElementState,
    tail_count=(1, 34),
):  # fmt: skip
    """Set all vertex attributes."""


class IndexBuffer(Command, name="3DSTATE_INDEX_BUFFER", header=0x780A0000, dwords=3, source="001:867"):
    """Set the index buffer."""

    memory_object_control = Field(0, 15, 12, unsigned, "cache control")
    cut_index = Field(0, 10, 10, flag, "the largest index restarts the strip")
    index_format = Field(0, 9, 8, enum(IndexFormat), "index size")
    start_address = Field(1, 31, 0, address, "first byte")
    end_address = Field(2, 31, 0, address, "last byte")


class VfStatistics(Command, name="3DSTATE_VF_STATISTICS", header=0x680B0000, source="004:3177-3222"):
    """Vertex fetch statistics."""

    enable = Field(0, 0, 0, flag, "count")


class Shader(Command):
    """What threads of vertex, domain, geometry and pixel shaders have alike."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Rows of one's own go between those of all, and the length stands last as everywhere.
        cls.rows = dict(sorted(cls.rows.items(), key=lambda row: (row[0] == "length", row[1].place)))

    vector_mask = Field(2, 30, 30, flag, "threads start with the vector mask")
    sampler_count = Field(2, 29, 27, enum(SamplerPrefetch), "samplers to prefetch")
    binding_table_entries = Field(2, 25, 18, unsigned, "binding table entries to prefetch")
    floating_point_mode = Field(2, 16, 16, enum(FloatingPointMode), "floating point rules")
    illegal_opcode_exception = Field(2, 13, 13, flag, "exception")
    software_exception = Field(2, 7, 7, flag, "exception")
    scratch_base = Field(3, 31, 10, address, "scratch space, from General State Base")
    per_thread_scratch = Field(3, 3, 0, unsigned, "2 ** n KB", legal=(0, 11))


class GeometricShader(Shader):
    """What vertex, domain and geometry shaders have alike."""

    kernel_start = Field(1, 31, 6, address, "kernel, from Instruction Base")
    max_threads = Field(5, 31, 25, minus_one, "threads at once")
    statistics = Field(5, 10, 10, flag, "count")
    enable = Field(5, 0, 0, flag, "stage on")


class VertexShader(GeometricShader, name="3DSTATE_VS", header=0x78100000, dwords=6, source="004:3316-3602"):
    """Vertex shader."""

    single_vertex_dispatch = Field(2, 31, 31, flag, "one vertex per thread")
    grf_start = Field(4, 24, 20, unsigned, "first register of URB data")
    urb_read_length = Field(4, 16, 11, unsigned, "256-bit units per vertex")
    urb_read_offset = Field(4, 9, 4, unsigned, "256-bit units")
    vertex_cache_disable = Field(5, 1, 1, flag, "do not reuse shaded vertices")


class HullShader(Command, name="3DSTATE_HS", header=0x781B0000, dwords=7, source="002:709 and Mesa's genxml"):
    """Hull shader."""

    sampler_count = Shader.sampler_count.in_dword(1)
    binding_table_entries = Shader.binding_table_entries.in_dword(1)
    floating_point_mode = Shader.floating_point_mode.in_dword(1)
    illegal_opcode_exception = Shader.illegal_opcode_exception.in_dword(1)
    software_exception = Shader.software_exception.in_dword(1)
    max_threads = Field(1, 6, 0, minus_one, "threads at once")
    enable = Field(2, 31, 31, flag, "stage on")
    statistics = Field(2, 29, 29, flag, "count")
    instances = Field(2, 3, 0, minus_one, "threads per patch")
    kernel_start = GeometricShader.kernel_start.in_dword(3)
    scratch_base = Shader.scratch_base.in_dword(4)
    per_thread_scratch = Shader.per_thread_scratch.in_dword(4)
    single_program_flow = Field(5, 27, 27, flag, "one flow of control for all channels")
    vector_mask = Field(5, 26, 26, flag, "threads start with the vector mask")
    include_vertex_handles = Field(5, 24, 24, flag, "payload holds vertex handles")
    grf_start = Field(5, 23, 19, unsigned, "first register of URB data")
    urb_read_length = Field(5, 16, 11, unsigned, "256-bit units per vertex")
    urb_read_offset = Field(5, 9, 4, unsigned, "256-bit units")
    semaphore_handle = Field(6, 11, 0, unsigned, "semaphore")


class Tessellator(Command, name="3DSTATE_TE", header=0x781C0000, dwords=4, source="004:2531-2708"):
    """Tessellator."""

    partitioning = Field(1, 13, 12, enum(Partitioning), "division of edges")
    output_topology = Field(1, 9, 8, enum(TessellatorOutput), "primitives")
    domain = Field(1, 5, 4, enum(TessellatorDomain), "domain")
    mode = Field(1, 2, 1, enum(TessellatorMode), "who tessellates")
    enable = Field(1, 0, 0, flag, "stage on")
    max_factor_odd = Field(2, 31, 0, float32, "largest factor, ODD_FRACTIONAL")
    max_factor_not_odd = Field(3, 31, 0, float32, "largest factor otherwise")


class DomainShader(GeometricShader, name="3DSTATE_DS", header=0x781D0000, dwords=6, source="002:714 and Mesa's genxml"):
    """Domain shader."""

    single_point_dispatch = Field(2, 31, 31, flag, "one domain point per thread")
    grf_start = Field(4, 24, 20, unsigned, "first register of URB data")
    patch_read_length = Field(4, 17, 11, unsigned, "256-bit units of the patch")
    patch_read_offset = Field(4, 9, 4, unsigned, "256-bit units")
    compute_w = Field(5, 2, 2, flag, "payload holds the third domain coordinate")
    cache_disable = Field(5, 1, 1, flag, "do not reuse shaded points")


class GeometryShader(
    GeometricShader, name="3DSTATE_GS", header=0x78110000, dwords=7, source="002:719 and Mesa's genxml"
):
    """Geometry shader."""

    single_program_flow = Field(2, 31, 31, flag, "one flow of control for all channels")
    high_priority = Field(2, 17, 17, flag, "thread priority")
    mask_stack_exception = Field(2, 11, 11, flag, "exception")
    output_vertex_size = Field(4, 28, 23, minus_one, "128-bit units")
    output_topology = Field(4, 22, 17, unsigned, "primitive, as in 3DPRIMITIVE")
    urb_read_length = Field(4, 16, 11, unsigned, "256-bit units per vertex")
    include_vertex_handles = Field(4, 10, 10, flag, "payload holds vertex handles")
    urb_read_offset = Field(4, 9, 4, unsigned, "256-bit units")
    grf_start = Field(4, 3, 0, unsigned, "first register of URB data")
    control_data_format = Field(5, 24, 24, enum(ControlData), "what the control data says of a vertex")
    control_data_size = Field(5, 23, 20, unsigned, "256-bit units")
    instances = Field(5, 19, 15, minus_one, "threads per primitive")
    default_stream = Field(5, 14, 13, unsigned, "stream without control data")
    dispatch_mode = Field(5, 12, 11, enum(GeometryDispatch), "primitives and instances of a thread")
    invocations_increment = Field(5, 9, 5, minus_one, "invocations counted per thread")
    include_primitive_id = Field(5, 4, 4, flag, "payload holds the primitive number")
    hint = Field(5, 3, 3, unsigned, "hint")
    reorder_mode = Field(5, 2, 2, enum(ReorderMode), "order of strip vertices")
    discard_adjacency = Field(5, 1, 1, flag, "payload without adjacent vertices")
    semaphore_handle = Field(6, 11, 0, unsigned, "semaphore")


class StreamOut(Command, name="3DSTATE_STREAMOUT", header=0x781E0000, dwords=3, source="004:2354-2529"):
    """Stream-out."""

    enable = Field(1, 31, 31, flag, "stage on")
    render_disable = Field(1, 30, 30, flag, "nothing is rasterized")
    render_stream = Field(1, 28, 27, unsigned, "stream that is rasterized")
    reorder_mode = Field(1, 26, 26, enum(ReorderMode), "order of strip vertices")
    statistics = Field(1, 25, 25, flag, "count")
    buffers = Array(1, 8, 8, flag, "buffer 0 to 3 on", (Axis(4, 1),))
    read_offset = Array(2, 5, 5, unsigned, "stream 0 to 3: first 256-bit unit of a vertex", (Axis(4, 8),))
    read_length = Array(2, 4, 0, minus_one, "stream 0 to 3: 256-bit units of a vertex", (Axis(4, 8),))


class StreamOutBuffer(Command, name="3DSTATE_SO_BUFFER", header=0x79180000, dwords=4, source="004:2043-2118"):
    """Stream-out buffer."""

    index = Field(1, 30, 29, unsigned, "number of the buffer")
    memory_object_control = Field(1, 28, 25, unsigned, "cache control")
    pitch = Field(1, 11, 0, unsigned, "bytes from vertex to vertex", legal=(0, 2048))
    base_address = Field(2, 31, 2, address, "first byte")
    end_address = Field(3, 31, 2, address, "byte behind the last")


class StreamOutDeclarations(
    Command, name="3DSTATE_SO_DECL_LIST", header=0x79170000, dwords=3, source="004:2120-2254", length_bits=9, tail=2,
    tail_count=(0, 128),
):  # fmt: skip
    """Stream-out declarations; the tail holds four 16-bit declarations per element, stream 0 first."""

    buffer_selects = Array(1, 3, 0, unsigned, "stream 0 to 3: buffers written", (Axis(4, 4),))
    entries = Array(2, 7, 0, unsigned, "stream 0 to 3: declarations", (Axis(4, 8),), legal=(0, 128))


STAGES = ("VS", "HS", "DS", "GS", "PS")


class BindingTablePointers(Command):
    """Binding table of one stage."""

    stage: ClassVar[str]
    pointer = Field(1, 15, 5, address, "binding table, from Surface State Base")


class SamplerStatePointers(Command):
    """Sampler table of one stage."""

    stage: ClassVar[str]
    pointer = Field(1, 31, 5, address, "sampler table, from Dynamic State Base")


class Constants(Command):
    """Push constants of one stage, copied when it draws."""

    stage: ClassVar[str]
    read_lengths = Array(1, 15, 0, unsigned, "registers of buffer 0 to 3", (Axis(4, 16),))
    memory_object_control = Field(3, 4, 0, unsigned, "cache control")
    buffers = Array(
        3, 31, 5, address, "buffer 0 to 3; buffer 0 from Dynamic State Base unless INSTPM bit 6 is set", (Axis(4, 32),)
    )


class PushConstantAlloc(Command):
    """Push constant space of one stage."""

    stage: ClassVar[str]
    offset = Field(1, 19, 16, unsigned, "KB")
    size = Field(1, 4, 0, unsigned, "KB")


class UrbAlloc(Command):
    """URB space of one stage."""

    stage: ClassVar[str]
    start = Field(1, 29, 25, unsigned, "8 KB units")
    entry_size = Field(1, 24, 16, minus_one, "64-byte units")
    entries = Field(1, 15, 0, unsigned, "entries")


def _per_stage(base: type[Command], stages: tuple[str, ...], name: str, header: int, dwords: int, source: str) -> None:
    """Define one command per stage, with sub-opcodes that count up from `header`."""
    for number, stage in enumerate(stages):
        body: dict[str, Any] = {"stage": stage, "__doc__": f"{base.__doc__} {stage}.", "__module__": __name__}
        new_class(
            f"{base.__name__}{stage}",
            (base,),
            {"name": f"{name}_{stage}", "header": header + (number << 16), "dwords": dwords, "source": source},
            lambda namespace, body=body: namespace.update(body),  # type: ignore[misc]
        )


_per_stage(BindingTablePointers, STAGES, "3DSTATE_BINDING_TABLE_POINTERS", 0x78260000, 2, "002:695-733")
_per_stage(SamplerStatePointers, STAGES, "3DSTATE_SAMPLER_STATE_POINTERS", 0x782B0000, 2, "004:1072-1302")
_per_stage(PushConstantAlloc, STAGES, "3DSTATE_PUSH_CONSTANT_ALLOC", 0x79120000, 2, "004:507-902")
_per_stage(UrbAlloc, STAGES[:4], "3DSTATE_URB", 0x78300000, 2, "004:2710-3034")
_per_stage(Constants, ("VS", "GS", "PS"), "3DSTATE_CONSTANT", 0x78150000, 7, "002:698-731")
_per_stage(Constants, ("HS", "DS"), "3DSTATE_CONSTANT", 0x78190000, 7, "002:698-731")
