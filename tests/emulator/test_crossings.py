"""What messages bring to the host where threads run on a device: who they are from and what they ask, no data.

Their pictures are those of threads on the host.
"""

import numpy as np
import pytest
from support import programs
from support.captures import real_captures
from support.crossings import brought_by_messages, computed_outside, moved_within, registers_brought
from support.drawing import raster_state
from support.draws import Draw
from support.eu import END
from support.strict_arrays import StrictArray, StrictDevice
from support.texturing import LANES, THREADS, random_surface, run_message

from texsamp.device.params import constant
from texsamp.emulator.case import Case
from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.device_copies import DeviceCopies
from texsamp.emulator.context.execution import Execution
from texsamp.emulator.dispatch.geometry import GeometryPipeline
from texsamp.emulator.dispatch.pixels import Pixels
from texsamp.emulator.dispatch.runner import Runner
from texsamp.emulator.eu.execute import Program
from texsamp.emulator.eu.isa.assembler import assemble
from texsamp.emulator.eu.registers.constants import Constants
from texsamp.emulator.eu.registers.spare_registers import SpareRegisters
from texsamp.emulator.eu.registers.threads import Threads
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Send
from texsamp.emulator.fixed.setup import clip_and_set_up
from texsamp.emulator.shared.data_port.media_block import MediaBlocks
from texsamp.emulator.shared.router import Router, SharedFunction
from texsamp.emulator.shared.sampler.deinterlace import Deinterlacer
from texsamp.sampler.messages import SamplerRequest
from texsamp.state.sampler_messages import SamplerMessage

NUMBERS_B = 2 * 2 * 4 * constant("EU_RANGES")
"""Of dwords of a message, and of those of the one before, which are asked again."""
SENT_B = 1 / 100
"""Of a pixel: points of samples, and what threads have alike."""
STAYS = {
    "vk/vk_scale_bilinear": {
        ("sampler", 2): 0,  # samples
    },
    "gl/tri_nearest": {
        ("render_cache", 12): 0,  # render target write: no header here
    },
    "gl/tex_mip_linear_lod": {("sampler", 2): 0},  # of several levels
    "gl/tex_mip_linear_bias": {("sampler", 1): 1 / 100},  # of biases two numbers, for the rule that limits them
    "gl/tex_cube_nearest": {("sampler", 0): 1 / 100},  # whether a direction's largest coordinate is not 1, for a rule
    "gl/shadow_nearest": {("sampler", 3): 0},  # compared
}
"""Registers of a thread that most messages of some kinds bring, by captured case; the first of a form is looked at."""


def captured(name):
    """Files of a captured case, as "vpp/dn_025"."""
    return [path for path in real_captures(f"{name}_*.g7cap") if path.stem[:-4] == name.split("/")[1]]


@pytest.mark.parametrize("name", STAYS)
def test_data_stays_where_it_is(name, monkeypatch):
    paths = captured(name)
    device = StrictDevice()
    found = registers_brought(monkeypatch, device)
    pictures = [picture.raw() for picture in Case.open(paths).replay(device=device)]
    monkeypatch.undo()
    assert pictures == [picture.raw() for picture in Case.open(paths).replay()]
    assert set(found) >= set(STAYS[name])
    brought = {kind: np.median(found[kind]) for kind in STAYS[name]}
    assert {kind: most for kind, most in brought.items() if most > STAYS[name][kind]} == {}


@pytest.mark.parametrize(
    "name",
    [
        *("vpp/csc_nv12_bgrx", "vpp/scale_up_704x576_hq", "vpp/dn_di_scale", "vpp/di_mcdi_both", "vpp/dn_025"),
        *("vk/vk_hflip", "vk/vk_scale_bilinear", "gl/tri_flow", "gl/tex_cube_nearest", "gl/tex_mip_linear_bias"),
        "gl/compute_hist",
    ],
)
def test_messages_bring_numbers(name, monkeypatch):
    """Least and greatest of a few dwords, as many of one thread as of many: no descriptors, headers, masks, places."""
    paths = captured(name)
    device = StrictDevice()
    brought = brought_by_messages(monkeypatch, device)
    pictures = [picture.raw() for picture in Case.open(paths).replay(device=device)]
    monkeypatch.undo()
    assert pictures == [picture.raw() for picture in Case.open(paths).replay()]
    assert len(brought) > 1
    assert max(brought) <= NUMBERS_B


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("vk/pl_spline36", SharedFunction.CONSTANT_CACHE),
        ("vk/pl_spline36", SharedFunction.URB),
        ("vk/vk_scale_bilinear", SharedFunction.RENDER_CACHE),
    ],
)
def test_nothing_is_asked_of_block_reads_and_of_typed_and_urb_writes(name, function, monkeypatch):
    """Of a buffer's OWords, and of whole texels, in branches, too: headers, addresses and masks stay where they are."""
    paths = captured(name)
    device, brought, send = StrictDevice(), [], Send._sent_unasked

    def counting(self, threads, here, functions):
        before = device.downloads, StrictArray.looks
        was_sent = send(self, threads, here, functions)
        is_target = function == SharedFunction.RENDER_CACHE and self.instruction.end_of_thread
        if self.instruction.condition == function and not is_target:
            brought.append(not was_sent or (device.downloads, StrictArray.looks) != before)
        return was_sent

    monkeypatch.setattr(Send, "_sent_unasked", counting)
    pictures = [picture.raw() for picture in Case.open(paths).replay(device=device)]
    monkeypatch.undo()
    assert pictures == [picture.raw() for picture in Case.open(paths).replay()]
    assert len(brought) > 10
    assert not any(brought)


def test_masks_of_plain_samples_stay(monkeypatch):
    """Of those that have been taken before; nothing of these is sent, either."""
    paths = captured("vk/vk_scale_bilinear")
    device, sent, send = StrictDevice(), [], Send._sent_unasked

    def counting(self, threads, here, functions):
        before = device.downloads, device.uploaded_B, StrictArray.looks
        was_sent = send(self, threads, here, functions)
        if was_sent and self.instruction.condition == SharedFunction.SAMPLER and here is not None:
            sent.append((device.downloads, device.uploaded_B, StrictArray.looks) == before)
        return was_sent

    monkeypatch.setattr(Send, "_sent_unasked", counting)
    pictures = [picture.raw() for picture in Case.open(paths).replay(device=device)]
    monkeypatch.undo()
    assert pictures == [picture.raw() for picture in Case.open(paths).replay()]
    assert any(sent)


def test_of_the_pixels_of_a_draw_nothing_is_brought(monkeypatch):
    """Beside what its messages bring: no subspans, weights, payloads, colors or surfaces. None of these is sent.

    How many subspans, pixels and threads there are is: two numbers for so many that go on together.
    """
    paths = captured("vk/vk_hflip")
    device, pixels, run = StrictDevice(), [0], Pixels.run

    def counted(self):
        done = run(self)
        pixels[0] += self.count
        return done

    monkeypatch.setattr(Pixels, "run", counted)
    buffer_objects, engine = (DeviceCopies, "of"), (Constants, "of")
    moved = moved_within(monkeypatch, device, (Pixels, "run"), [(Router, "send"), buffer_objects, engine])
    list(Case.open(paths).replay(device=device))
    brought, sent = (moved / pixels[0]).tolist()
    assert brought < 1 / 1000
    assert sent < SENT_B


@pytest.mark.parametrize("name", ["csc_nv12_bgrx", "di_madi_top", "dn_025"])
def test_places_of_blocks_are_made_where_they_are_written(name, monkeypatch):
    """Of headers, which are there. Of blocks that overlap, those of dn_025, too."""
    paths = captured(f"vpp/{name}")
    device = StrictDevice()
    moved = moved_within(monkeypatch, device, (MediaBlocks, "write_unasked"), [(DeviceCopies, "of")])
    pictures = [picture.raw() for picture in Case.open(paths).replay(device=device)]
    assert moved[1] == 0
    monkeypatch.undo()
    assert pictures == [picture.raw() for picture in Case.open(paths).replay()]


def test_of_places_that_deinterlaced_blocks_are_told_nothing_is_asked_again(monkeypatch):
    """Pictures of a video are written at the places that threads begin with and responses repeat."""
    paths = captured("vpp/dn_di_scale")
    device, asked, write = StrictDevice(), [], MediaBlocks.write_unasked

    def counting(self, message, descriptor):
        before = device.downloads
        was_sent = write(self, message, descriptor)
        asked.append(device.downloads - before)
        return was_sent

    monkeypatch.setattr(MediaBlocks, "write_unasked", counting)
    list(Case.open(paths).replay(device=device))
    assert len(asked) > 50
    assert sum(asked) < len(asked) / 4


@pytest.mark.parametrize("name", ["di_madi_top", "dn_025"])
def test_denoised_and_deinterlaced_frames_stay(name, monkeypatch):
    """And so do sums, estimates, statistics and places of blocks."""
    paths = captured(f"vpp/{name}")
    device = StrictDevice()
    sent = [(DeviceCopies, "of"), (Unasked, "ranges")]
    moved = moved_within(monkeypatch, device, (Deinterlacer, "send_unasked"), sent)
    pictures = [picture.raw() for picture in Case.open(paths).replay(device=device)]
    assert len(pictures) > 2
    brought, sent = (moved / sum(map(len, pictures))).tolist()
    assert brought == 0
    assert sent < 1 / 30


def test_of_vertices_nothing_is_brought():
    """No elements, payloads or entries; of their objects how many there are, and what they reach to."""
    device, draw = StrictDevice(), Draw(np.ones((90, 7, 4), np.uint32), topology="TRILIST")
    execution = Execution(draw.context, Budget(100_000), "a draw")
    made = GeometryPipeline(Runner(draw.memory, device)).run(execution, draw.command).primitives
    assert made.vertices.shape == (90, 7, 4)
    assert device.downloaded_B == 0
    clip_and_set_up(made, raster_state())
    assert device.downloads == 1
    assert device.downloaded_B == 8 * constant("SUM_COLUMNS") + 4 * constant("REACH_COLUMNS")


def test_a_first_message_is_one_crossing_where_another_of_its_kind_came_before():
    text = f"""
        mov (1) a0.0<1>:ud {DESCRIPTOR}:ud
        send (8) r20.0<1>:ud r12.0<8;8,1>:ud data_cache a0.0<0;1,0>:ud
        send (8) r20.0<1>:ud r13.0<8;8,1>:ud data_cache a0.0<0;1,0>:ud
        {END}
    """
    device, found = StrictDevice(), []

    class Looking:
        def send(self, message):
            if not message.end_of_thread:
                before = device.downloads
                found.append((message.dwords(0, 1, (2, 5))[:, 5].tolist(), device.downloads - before))

    threads = Threads(5, device=device)
    words = np.arange(5 * 128 * 8, dtype=np.uint32).reshape(5, 128, 8)
    threads.begin((0, words.view(np.uint8).reshape(5, -1)))
    Program(assemble(text)).run(threads, Looking(), Budget(1000))
    assert found == [(words[:, 12, 5].tolist(), 1), (words[:, 13, 5].tolist(), 0)]


@pytest.mark.parametrize(("only", "sent"), [((2, 5), 0), ((1,), 0), ((0, 3, 6), 0), ((0, 1, 3), 3 * 4)])
def test_which_dwords_are_looked_at_is_not_sent_where_they_follow_each_other(only, sent):
    device, found = StrictDevice(), []

    class Looking:
        def send(self, message):
            if not message.end_of_thread:
                before = device.uploaded_B
                found.append((message.dwords(0, 1, only)[:, only].tolist(), device.uploaded_B - before))

    threads = Threads(5, device=device)
    words = np.arange(5 * 128 * 8, dtype=np.uint32).reshape(5, 128, 8)
    threads.begin((0, words.view(np.uint8).reshape(5, -1)))
    text = f"send (8) r20.0<1>:ud r12.0<8;8,1>:ud data_cache {DESCRIPTOR}:ud\n{END}"
    Program(assemble(text)).run(threads, Looking(), Budget(1000))
    assert found == [(words[:, 12, only].tolist(), sent)]


def test_places_of_elements_that_follow_each_other_do_not_travel(monkeypatch):
    device, draw = StrictDevice(), Draw(np.ones((90, 7, 4), np.uint32), topology="TRILIST")
    moved = moved_within(monkeypatch, device, (GeometryPipeline, "run"), [(DeviceCopies, "of")])
    GeometryPipeline(Runner(draw.memory, device)).run(Execution(draw.context, Budget(100_000), "a draw"), draw.command)
    assert moved.tolist() == [0, 0]


def test_a_copy_of_a_buffer_object_travels_once_for_draws_that_have_the_same():
    device, draw = StrictDevice(), Draw(np.ones((90, 7, 4), np.uint32), topology="TRILIST")
    sent = []
    for _ in range(2):
        before = device.uploaded_B
        execution = Execution(draw.context, Budget(100_000), "a draw")
        GeometryPipeline(Runner(draw.memory, device)).run(execution, draw.command)
        sent.append(device.uploaded_B - before)
    assert sent[1] == 0 < sent[0]


@pytest.mark.parametrize("name", ["vk/vk_hflip", "gl/compute_hist", "vpp/dn_di_scale"])
def test_arrays_are_computed_in_the_order_of_launches(name, monkeypatch):
    """CuPy would not wait for kernels elsewhere."""
    paths = real_captures(f"{name}_*.g7cap")
    found = computed_outside(monkeypatch)
    list(Case.open(paths).replay(device=StrictDevice()))
    assert found == set()


@pytest.mark.parametrize("simd", LANES)
def test_places_and_texels_of_lanes_stay(simd, monkeypatch):
    device = StrictDevice()
    monkeypatch.setattr(programs, "where_threads_run", device)
    brought = registers_brought(monkeypatch, device)
    u, v, lod = np.zeros((3, THREADS, LANES[simd]), np.int64)
    request = SamplerRequest.build(SamplerMessage.LD, simd, u=u, v=v, lod=lod)
    run_message(request, random_surface(np.random.default_rng(1)), None)
    assert brought["sampler", SamplerMessage.LD] == [0]


CHOOSING = f"""
    mov (1) a0.0<1>:ud r10.0<0;1,0>:ud
    cmp.z.f0.0 (1) null:d r11.0<0;1,0>:d 0:d
    (+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud other {{NoMask}}
    add (8) r12.0<1>:d r12.0<8;8,1>:d 1:d
    send (8) r20.0<1>:ud r12.0<8;8,1>:ud data_cache a0.0<0;1,0>:ud
    jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud done {{NoMask}}
other:
    add (8) r13.0<1>:d r12.0<8;8,1>:d 2:d
    send (8) r20.0<1>:ud r13.0<8;8,1>:ud data_cache a0.0<0;1,0>:ud
done:
    {END}
"""
DESCRIPTOR = 0x02100000


def _choose(device, program, others, choice, sent):
    """What is looked at of a message, by threads that choose between two; how many crossings that took."""
    threads, found = Threads(40, device=device, spare=others), []

    class Looking:
        def send(self, message):
            if message.length == 1 and not message.end_of_thread:
                assert (message.descriptor, len(message.rows)) == (DESCRIPTOR, 40)
                found.append(message.dwords(0, 1, (2, 5))[:, [2, 5]])

    words = np.zeros((40, 128, 8), np.uint32)
    words[:, 10, 0], words[:, 11, 0], words[:, 12] = DESCRIPTOR, choice, sent
    threads.begin((0, words.view(np.uint8).reshape(40, -1)))
    before, looks = device.downloads, StrictArray.looks
    program.run(threads, Looking(), Budget(1000))
    assert (found[0] == sent[:, [2, 5]] + (1 if choice else 2)).all()
    return device.downloads - before + StrictArray.looks - looks


def test_a_message_and_the_jumps_before_it_are_one_crossing():
    """From the second time on; where threads go another way than the ones before them, what came along is dropped."""
    device, program, others = StrictDevice(), Program(assemble(CHOOSING)), SpareRegisters()
    random = np.random.default_rng(1)
    crossings = []
    for choice in (1, 1, 1, 0, 0, 0, 1, 1):
        sent = random.integers(0, 1 << 20, (40, 8), np.uint32)
        crossings.append(_choose(device, program, others, choice, sent))
    assert [crossings[at] for at in (2, 5, 7)] == [2, 1, 2]  # the first way has a jump to the end, too
