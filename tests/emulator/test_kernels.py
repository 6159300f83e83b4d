"""Finding the kernels that commands start."""

import pytest
from support.captures import buffer, capture_bytes

from texsamp.emulator import Capture, CaseMemory, walk
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.listing.programs import started_kernels
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Primitive, VertexShader
from texsamp.state.commands_common import StateBaseAddress
from texsamp.state.commands_media import InterfaceDescriptor, MediaInterfaceDescriptorLoad, MediaObject
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.commands_raster import PixelShader, Windower

KERNELS = 0x20000
END = "send (8) null:ud r127.0<8;8,1>:ud spawner 0x02000010:ud {EOT}"
BASES = StateBaseAddress(
    instruction_base=KERNELS, instruction_modify=True, dynamic_state_base=KERNELS, dynamic_state_modify=True
)


def _started(*commands, kernels=END):
    contents = bytearray(0x1000)
    for slot in range(4):
        code = assemble("nop (1)\n" * slot + kernels)
        contents[slot * 0x100 : slot * 0x100 + len(code)] = code
    contents[0x800:0x820] = InterfaceDescriptor(kernel_start=0x100).pack()
    data = b"".join(command.pack() for command in (BASES, *commands, MiBatchBufferEnd()))
    capture, memory = (
        Capture.from_bytes(capture_bytes(buffer(1, 0x10000, data), buffer(2, KERNELS, bytes(contents)))),
        CaseMemory(),
    )
    memory.enter(capture)
    found = started_kernels(memory, list(walk(memory, capture.batch_address)))
    return [(kernel.address - KERNELS, kernel.role, len(kernel.instructions)) for kernel in found]


def test_interface_descriptors():
    load = MediaInterfaceDescriptorLoad(data_length=32, data_start=0x800)
    assert _started(load, MediaObject(), MediaObject()) == [(0x100, "interface descriptor 0", 2)]


def test_pixel_kernels_by_the_enabled_sizes():
    starts = {"kernel_start_0": 0, "kernel_start_1": 0x100, "kernel_start_2": 0x200}
    draw = Primitive(vertex_count=3)
    on = Windower(thread_dispatch=True)
    eight, sixteen = (0, "pixel shader, 8 pixels", 1), (0x200, "pixel shader, 16 pixels", 3)
    assert _started(on, PixelShader(dispatch_8=True, dispatch_16=True, **starts), draw) == [eight, sixteen]
    assert _started(on, PixelShader(dispatch_32=True, **starts), draw) == [(0, "pixel shader, 32 pixels", 1)]
    assert _started(PixelShader(dispatch_8=True, **starts), draw) == []
    assert _started(on, PixelShader(dispatch_8=True, **starts), Primitive(vertex_count=0)) == []


def test_vertex_kernels():
    assert _started(VertexShader(enable=True, kernel_start=0x300), Primitive(vertex_count=3)) == [
        (0x300, "vertex shader", 4)
    ]
    assert _started(VertexShader(kernel_start=0x300), Primitive(vertex_count=3)) == []


def test_kernels_without_end_name_their_address():
    load = MediaInterfaceDescriptorLoad(data_length=32, data_start=0x800)
    with pytest.raises(
        CaptureError, match=r"kernel at 0x20100: instruction at offset 0x20 .*illegal|unknown opcode|kernel"
    ):
        _started(load, MediaObject(), kernels="nop (1)")
