"""Captures that lie: damaged files, wild pointers, absurd counts, endless programs. Only CaptureError, soon."""

import numpy as np
import pytest
from support.captures import CAPTURES, real_captures
from support.filter_cases import sweep
from support.mutations import Mutations
from support.programs import COEFFICIENTS_AT, SAMPLERS_AT, SET_UP, Program, data_address, objects

from texsamp.emulator import Capture, CaseMemory, referenced_states, walk
from texsamp.emulator.case import Case
from texsamp.emulator.commands.streamer import CommandStreamer
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.engines import Engines
from texsamp.emulator.files import capture as capture_module
from texsamp.emulator.listing.programs import started_kernels
from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceState, RenderSurfaceState, Sample8x8SamplerState, Sampler8x8State
from texsamp.state.commands_media import MediaCurbeLoad, MediaInterfaceDescriptorLoad

FILES = (
    "vpp/di_mcdi_both_004",
    "vpp/csc_i420_yuy2_000",
    "vpp/csc_rgbx_nv12_000",
    "gl/compute_img_linear_001",
    "gl/tri_nearest_000",
)
WALKED = ("vpp/copy_nv12_000", "vpp/scale_down_176x144_hq_000", "vpp/di_mcdi_both_004", "gl/compute_img_linear_001")
REPLAYED = {
    "vpp/di_mcdi_both_004": 100, "vpp/scale_down_176x144_hq_000": 80, "vpp/csc_rgbx_nv12_000": 20,
    "gl/depth_tri_procflat_000": 20, "gl/tex_linear_blitfb_000": 15, "gl/tri_flow_000": 15,
}  # fmt: skip
STEPS = 1500
WALKS, REPLAYS = 10_000, 200
SMALL = """
    mov (8) r60.0<1>:ud r1.0<8;8,1>:ud
    mov (8) r61.0<1>:ud r2.0<8;8,1>:ud
    send (8) r20.0<1>:ud r60.0<8;8,1>:ud data_cache 0x0411b700:ud   # atomic add, SIMD8
    send (8) r24.0<1>:ud r60.0<8;8,1>:ud data_cache 0x02416001:ud   # untyped read, SIMD8
    mad (8) r30.xyzw:f r20.xyzw:f r24.xyzw:f r25.xyzw:f
    cmp.g.f0.0 (8) null:f r30.0<8;8,1>:f 0.5:f
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud over
    mov (8) r60.0<1>:ud 0:ud
    send (16) null:ud r60.0<8;8,1>:ud data_cache 0x060a0301:ud
    over:
"""


def _memory(capture):
    memory = CaseMemory()
    memory.enter(capture)
    return memory


@pytest.mark.parametrize("file", WALKED)
def test_mutations_of_real_commands_are_walked_or_refused(file):
    """10,000 in all."""
    (path,) = real_captures(f"{file}.g7cap")
    capture = Capture.open(path)
    memory = _memory(capture)
    mutations = Mutations(np.random.default_rng(7), capture, memory)
    refused = 0
    for _ in range(sweep(WALKS // len(WALKED))):
        mutations.apply(4)
        try:
            for _ in walk(memory, capture.batch_address, length=capture.batch_length, runs=True, strict=False):
                pass
        except CaptureError:
            refused += 1
        mutations.undo()
    assert sweep(10) < refused < sweep(WALKS // len(WALKED) // 2)


@pytest.mark.sweep
@pytest.mark.parametrize("file", FILES)
def test_mutated_submissions_are_walked_or_refused(file):
    (path,) = real_captures(f"{file}.g7cap")
    capture = Capture.open(path)
    memory = _memory(capture)
    mutations = Mutations(np.random.default_rng(1), capture, memory)
    refused = 0
    for _ in range(sweep(60)):
        mutations.undo()
        mutations.apply(6)
        try:
            commands = list(walk(memory, capture.batch_address, length=capture.batch_length, runs=True, strict=False))
            referenced_states(capture, memory, commands)
            started_kernels(memory, commands)
        except CaptureError:
            refused += 1
    assert 0 < refused < sweep(60)


@pytest.mark.sweep
@pytest.mark.parametrize(("file", "count"), REPLAYED.items())
def test_mutated_submissions_are_replayed_or_refused(file, count):
    """250 in all."""
    (path,) = real_captures(f"{file}.g7cap")
    capture = Capture.open(path)
    pristine = {buffer.handle: capture.contents(buffer) for buffer in capture.buffers}
    memory = _memory(capture)
    mutations = Mutations(np.random.default_rng(2), capture, memory)
    outcomes = {"refused": 0, "done": 0}
    for _ in range(sweep(count)):
        for handle, contents in pristine.items():
            memory.image(handle)[:] = contents
        for buffer in capture.buffers:
            memory.touch(buffer)
        mutations.apply(4)
        try:
            for _ in CommandStreamer(Engines(memory), LogicalContext()).run(capture, Budget(STEPS)):
                pass
            outcomes["done"] += 1
        except CaptureError as error:
            assert str(error)
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0, outcomes


def _small():
    """A submission of few commands, and what its buffers hold."""
    raw = [
        RenderSurfaceState(
            surface_type="SURFTYPE_BUFFER", format="RAW", entries=4096, pitch=1, base_address=data_address(number)
        )
        for number in range(2)
    ]
    inline = np.tile(np.arange(16, dtype=np.uint32) * 4, (4, 1))
    program = Program([*SET_UP, *objects(inline)], SMALL, surfaces=raw, data=[bytes(4096), bytes(4096)])
    return program, {buffer.handle: program.capture.contents(buffer) for buffer in program.capture.buffers}


def _restore(program, pristine):
    for buffer in program.capture.buffers:
        program.memory.image(buffer.handle)[:] = pristine[buffer.handle]
        program.memory.touch(buffer)


def test_mutations_of_a_small_submission_are_walked_or_refused():
    program, _ = _small()
    memory, capture = program.memory, program.capture
    mutations = Mutations(np.random.default_rng(5), capture, memory)
    walks = sweep(WALKS // 10 if CAPTURES.exists() else WALKS)
    refused = 0
    for _ in range(walks):
        mutations.undo()
        mutations.apply(4)
        try:
            for _ in walk(memory, capture.batch_address, runs=True, strict=False):
                pass
        except CaptureError:
            refused += 1
    assert 0 < refused < walks


def test_mutations_of_a_small_submission_are_replayed_or_refused():
    program, pristine = _small()
    list(program.run(steps=STEPS))
    mutations = Mutations(np.random.default_rng(6), program.capture, program.memory)
    outcomes = {"refused": 0, "done": 0}
    for _ in range(sweep(REPLAYS)):
        _restore(program, pristine)
        mutations.apply(4)
        program.context = LogicalContext()
        try:
            program.run(steps=STEPS)
            outcomes["done"] += 1
        except CaptureError as error:
            assert str(error)
            outcomes["refused"] += 1
    assert min(outcomes.values()) > REPLAYS // 20, outcomes


def test_mutated_files_are_read_or_refused():
    (path,) = real_captures("vpp/scale_down_176x144_hq_000.g7cap")
    data, rng = path.read_bytes(), np.random.default_rng(3)
    refused = 0
    for _ in range(150):
        changed = bytearray(data[: int(rng.integers(len(data)))] if rng.random() < 0.2 else data)
        for _ in range(int(rng.integers(1, 8))):
            changed[int(rng.integers(min(len(changed), 4096)))] = int(rng.integers(256))
        try:
            capture = Capture.from_bytes(bytes(changed), "changed")
            memory = _memory(capture)
            list(walk(memory, capture.batch_address, runs=True))
        except CaptureError:
            refused += 1
    assert refused > 100


def test_huge_loads_are_refused():
    for load in (MediaCurbeLoad(data_length=0x1FFE0), MediaInterfaceDescriptorLoad(data_length=0x1FFE0)):
        with pytest.raises(CaptureError, match="131040 bytes at 0x200000 are not mapped"):
            Program([*SET_UP, load, *objects([[1]])], "nop (1)").run()


def test_endless_threads_cost_one_budget(monkeypatch):
    """Many dispatches share the budget of their submission."""
    loop = "mov (1) r1.0<1>:ud 40:ud\ntop:\nadd.nz.f0.0 (1) r1.0<1>:d r1.0<0;1,0>:d -1:d\n"
    loop += "(+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top"
    threads = [command for i in range(30) for command in objects([[1] * (1 + i % 2)])]
    with pytest.raises(CaptureError, match="limit on executed work"):
        Program([*SET_UP, *threads], loop).run(steps=200)
    monkeypatch.setattr(capture_module, "MOST_COMMANDS", 20)
    with pytest.raises(CaptureError, match="is number 21, the limit is 20"):
        Program([*SET_UP, *objects([[1]] * 40)], "nop (1)").run()


def assert_price(inline, kernel, surface, data, states, *, enough, too_little):
    """Threads with this data of their own run with so many steps, and not with fewer."""

    def program():
        commands = [*SET_UP, *objects(inline)]
        return Program(
            commands, kernel, surfaces=[surface], data=[data], states=states, sampler_state_pointer=SAMPLERS_AT
        )

    program().run(steps=enough)
    with pytest.raises(CaptureError, match="limit on executed work"):
        program().run(steps=too_little)


def test_scattered_scaling_has_a_price():
    """Blocks that share nothing are scaled one by one; a kernel cannot ask for ever more of them."""
    rng = np.random.default_rng(4)
    inline = rng.random((600, 24), np.float32).view(np.uint32)
    inline[:, :9], inline[:, 9] = 0, rng.integers(0, 512, 600)
    inline[:, 2] = 13 << 12
    kernel = """
        mov (8) r10.0<1>:ud r1.0<8;8,1>:ud
        mov (8) r11.0<1>:ud r2.0<8;8,1>:ud
        send (1) r20.0<1>:uw r10.0<0;1,0>:ub sampler 0x044eb000:ud
        send (1) r20.0<1>:uw r10.0<0;1,0>:ub sampler 0x044eb000:ud"""
    sampler = Sample8x8SamplerState(ief_bypass=True, sampler_8x8_state_pointer=COEFFICIENTS_AT)
    states = {SAMPLERS_AT: sampler.pack(), COEFFICIENTS_AT: Sampler8x8State(bypass_x=True, bypass_y=True).pack()}
    surface = MediaSurfaceState(base_address=data_address(0), format="Y8_UNORM", width=64, height=64, pitch=64)
    assert_price(inline, kernel, surface, bytes(4096), states, enough=2000, too_little=1000)


def test_messages_have_a_price():
    """Threads that differ in descriptors, or in the sizes of blocks, or in texel offsets, are served one by one."""
    header = np.zeros((400, 8), np.uint32)
    numbers = np.arange(len(header))
    sizes = header.copy()
    sizes[:, 2] = numbers // 32 % 8 << 16 | numbers % 32
    offsets = header.copy()
    offsets[:, 2] = numbers % 256 << 4
    block = RenderSurfaceState(width=16, height=64, pitch=64, base_address=data_address(0), format="R8_UINT")
    for kernel, inline in (
        ("""or (1) r10.0<1>:ud r0.6<0;1,0>:ud 0x021c0000:ud  # a scratch block of every thread's own
            mov (8) r11.0<1>:ud 0:ud
            send (8) r20.0<1>:ud r11.0<8;8,1>:ud data_cache r10.0<0;1,0>:ud""", header),
        ("send (8) r20.0<1>:ud r1.0<8;8,1>:ud sampler_cache 0x02890000:ud", sizes),
        ("""mov (8) r2.0<1>:ud 0:ud
            mov (8) r3.0<1>:ud 0:ud
            mov (8) r4.0<1>:ud 0:ud
            send (8) r20.0<1>:ud r1.0<8;8,1>:ud sampler 0x084a7000:ud  # ld""", offsets),
    ):  # fmt: skip
        assert_price(inline, kernel, block, bytes(1 << 16), {SAMPLERS_AT: bytes(16)}, enough=1000, too_little=100)


def test_branches_have_a_price():
    """Moving channels is several array operations where the engine does not: 100 times around a loop are 500 units."""
    loop = """
        mov (8) r10.0<1>:d 0:d
    top:
        add (8) r10.0<1>:d r10.0<8;8,1>:d 1:d
        cmp.l.f0.0 (8) null:d r10.0<8;8,1>:d 100:d
        brd (8) jip=behind {Switch}
    behind:
        (+f0.0) while (8) jip=top"""
    surface = RenderSurfaceState(width=16, height=64, pitch=64, base_address=data_address(0), format="R8_UINT")
    assert_price([[0] * 8], loop, surface, bytes(1 << 12), {SAMPLERS_AT: bytes(16)}, enough=600, too_little=400)


def test_runs_stop_where_memory_ends():
    """MEDIA_OBJECTs up to the very end of a buffer object, without MI_BATCH_BUFFER_END."""
    program = Program([*SET_UP, *objects([[1]] * 3)], "nop (1)")
    batch = program.capture.buffers[0]
    image = program.memory.image(batch.handle)
    del image[-4:]
    image += image[-4:]
    with pytest.raises(CaptureError):
        program.run()


def test_pictures_of_nothing():
    (path,) = real_captures("vpp/copy_nv12_000.g7cap")
    capture = Capture.open(path)
    assert len(list(Case.of([capture]).replay(stop_at=0))) == 1
