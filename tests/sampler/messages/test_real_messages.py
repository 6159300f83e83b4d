"""Messages of real drivers: every descriptor in the captures, and the payloads of replayed kernels."""

import numpy as np
import pytest
from oracle import sampler_messages as manual
from support.captures import real_captures
from support.replayed import source_planes

from texsamp.emulator import Capture, CaseMemory, walk
from texsamp.emulator.case import Case
from texsamp.emulator.eu.isa.operands import Immediate
from texsamp.emulator.listing.programs import started_kernels
from texsamp.emulator.shared.sampler.deinterlace import Deinterlacer
from texsamp.emulator.shared.sampler.sample_8x8 import Sample8x8
from texsamp.sampler.messages import (
    check_request,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)
from texsamp.sampler.messages.deinterlace import DeinterlaceForm, encode_deinterlace
from texsamp.state.deinterlace import DeinterlaceSamplerState
from texsamp.state.sampler_messages import BlockMessage, SamplerMessageDescriptor
from texsamp.surface.planar import media_planes, read_plane

SAMPLER = 2


def descriptors(capture):
    """Descriptors of the sampler messages of a submission; those in a0 are sums of 0 and the last addend before."""
    memory = CaseMemory()
    memory.enter(capture)
    for kernel in started_kernels(memory, list(walk(memory, capture.batch_address))):
        addend = None
        for located in kernel.instructions:
            instruction = located.instruction
            if instruction.opcode.mnemonic == "add" and instruction.destination.file.name == "ARCHITECTURE":
                addend = instruction.sources[1].bits
            if instruction.opcode.mnemonic in ("send", "sendc") and instruction.condition == SAMPLER:
                last = instruction.sources[1]
                yield last.bits if isinstance(last, Immediate) else addend


def expected_lengths(word):
    """Message length with some number of parameters, and response length, from the manual's tables."""
    header = word.header_present
    if word.simd_mode.name == "SIMD32_64":
        _, _, _, response, _ = manual.BLOCKS[word.block_message_type.name]
        return {1 + header}, response
    _, parameters = manual.PARAMETERS[word.simd_mode.name][word.message_type.name]
    counts = range(len(parameters) + 1)
    lengths = {manual.length(word.simd_mode.name, count, header) for count in counts}
    return lengths, {"SIMD4X2": 1, "SIMD8": 4, "SIMD16": 8}[word.simd_mode.name]


def test_descriptors_of_every_captured_kernel():
    """Lengths are the manual's and ours: decoding checks the message length, encoding gives the descriptor back."""
    seen = set()
    # Submissions of one video case run the same kernels, but for the first one's.
    every = [*real_captures("vpp/*_00[01].g7cap"), *real_captures("gl/*.g7cap"), *real_captures("vk/*.g7cap")]
    for path in every:
        for descriptor in descriptors(Capture.open(path)):
            seen.add(descriptor)
    names = set()
    for descriptor in seen:
        word = SamplerMessageDescriptor.from_dwords([descriptor])
        lengths, response = expected_lengths(word)
        assert word.message_length in lengths, f"{descriptor:#010x}"
        registers = np.zeros((1, word.message_length, 8), np.uint32)
        block = word.simd_mode.name == "SIMD32_64"
        if response is not None and not block:
            assert word.response_length == response, f"{descriptor:#010x}"
        if block and response is not None:
            # Channel masks are in the header: as many as the response lacks registers.
            masked, rest = divmod(response - word.response_length, 4)
            assert not rest
            registers[:, 0, 2] = sum(0x8000 >> i for i in range(masked))
        request = decode_request(word, registers)
        assert encode_request(request)[0] == word
        names.add(request.message.name)
    assert {"SAMPLE", "SAMPLE_B", "SAMPLE_L", "SAMPLE_C", "LD", "RESINFO", "SAMPLE_8X8", "DEINTERLACE"} <= names


@pytest.mark.parametrize("case", ["csc_nv12_rgbx", "csc_rgbx_nv12"])
def test_replayed_payloads_break_no_rule_and_come_back(case, monkeypatch):
    """sample_8x8 as a driver's kernel sends it: payload and response are the same after decoding and encoding."""
    carried = []

    def send(self, message, descriptor):
        payload = message.dwords(0, message.length).reshape(len(message.rows), -1, 8)
        original(self, message, descriptor)
        general = message.threads.general(message.destination, message.response_length)[message.rows]
        response = np.ascontiguousarray(general).view(np.uint32).reshape(len(message.rows), -1, 8)
        surface = self.surfaces.media(descriptor.binding_table_index)
        carried.append((descriptor, payload.copy(), message.mask.copy(), response.copy(), surface))

    original = Sample8x8.send
    monkeypatch.setattr(Sample8x8, "send", send)
    list(Case.open(real_captures(f"vpp/{case}_000.g7cap")).replay())
    assert len(carried) >= 4
    for descriptor, payload, mask, response, surface in carried:
        request = decode_request(descriptor, payload, mask)
        check_request(request, surface)
        assert request.message is BlockMessage.SAMPLE_8X8
        assert len(request.parameters["u"]) == len(payload)
        assert (request.parameters["vertical_block"] < 4).all()
        word, registers = encode_request(request)
        assert word == descriptor
        np.testing.assert_array_equal(registers[:, 0], payload[:, 0])
        np.testing.assert_array_equal(registers[:, 1, 1:], payload[:, 1, 1:])
        values = decode_response(request, response).values
        assert values.any()
        np.testing.assert_array_equal(encode_response(request, values).registers, response)


class PassThrough:
    """Stands in for the deinterlacer: every deinterlace message returns the current frame's own pixels."""

    def __init__(self, table):
        self.table = table  # surfaces and samplers of the dispatch

    def send(self, message):
        payload = message.dwords(0, message.length).reshape(len(message.rows), -1, 8)
        request = decode_request(message.descriptor, payload, message.mask)
        surfaces = self.table.surfaces
        surface = surfaces.media(request.binding_table_index)
        state = self.table.samplers.state(DeinterlaceSamplerState, request.sampler_index)
        check_request(request, surface, state)
        form = DeinterlaceForm.of(state, surface)
        assert form.response_length == message.response_length
        luma, chroma = (
            read_plane(surfaces.bytes_of(surface.base_address), plane) for plane in media_planes(surface)[:2]
        )
        x, y = request.parameters["u"][:, 0].astype(int), request.parameters["v"][:, 0].astype(int)
        height = 4 if form.di else 8
        rows = np.minimum(y[:, None] + np.arange(height), len(luma) - 1)
        columns = np.minimum(x[:, None] + np.arange(16), luma.shape[1] - 1)
        pixels = luma[rows[:, :, None], columns[:, None, :]]
        pairs = columns[:, ::2] & ~1
        cb, cr = (chroma[rows[:, :, None] // 2, (pairs + i)[:, None, :]] for i in (0, 1))
        frame = {"luma": pixels, "chroma": np.stack([cr, cb], axis=-1)}
        arrays = {name: frame[name.split("_")[-1]] for name, _ in form.arrays if name.endswith(("luma", "chroma"))}
        if form.di:
            arrays["stmm"] = np.zeros((len(x), 4, 8), np.uint8)
        response = encode_deinterlace(form, arrays, {"x": x, "y": y})
        message.respond(response.registers.reshape(len(x), -1).view(np.uint8))


@pytest.mark.parametrize(("case", "length"), [("dn_050", 5), ("di_bob_top", 10)])
def test_kernels_write_what_the_deinterlace_writeback_holds(case, length, monkeypatch):
    """The driver's kernels store luma, chroma and the block's place from our writeback: the picture comes back."""
    lengths = set()

    def send(self, message, descriptor):
        lengths.add(message.response_length)
        PassThrough(self).send(message)

    monkeypatch.setattr(Deinterlacer, "send", send)
    (path,) = real_captures(f"vpp/{case}_000.g7cap")
    files = [path, *real_captures(f"vpp/{case}_001.g7cap")]
    (picture,) = list(Case.open(files).replay())
    source = source_planes(Capture.open(path))
    assert lengths == {length}
    for plane, expected in zip(picture.planes, source, strict=True):
        np.testing.assert_array_equal(plane, expected)
