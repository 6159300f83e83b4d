"""Writebacks of SIMD4x2, SIMD8 and SIMD16 messages against the manual's tables, both ways."""

from itertools import product

import numpy as np
import pytest
from oracle import sampler_messages as manual

from texsamp.errors import StateError
from texsamp.sampler.messages import MessageHeader, SamplerRequest, decode_response, encode_response
from texsamp.sampler.messages.lengths import expected_response_length
from texsamp.state.sampler_messages import BlockMessage, SamplerMessage, SamplerMessageHeader, SimdMode

THREADS = 4
MASKS = [mask for mask in product((False, True), repeat=4) if not all(mask)]
EVERY_MESSAGE = [(simd, name) for simd, table in manual.PARAMETERS.items() for name in table]


def request_of(simd, name, mask=(False,) * 4, active=None):
    header = SamplerMessageHeader(masked_channels=mask) if any(mask) else None
    active = np.ones((THREADS, manual.LANES[simd]), bool) if active is None else active
    generation = max(7, SamplerMessage[name].since)
    return SamplerRequest.build(
        SamplerMessage[name], SimdMode[simd], header=header, active=active, generation=generation
    )


def bits(rng, *shape):
    return rng.integers(1, 1 << 32, shape, np.uint32)


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: "".join("rgba"[i] for i in range(4) if not mask[i]))
@pytest.mark.parametrize("simd", ["SIMD4X2", "SIMD8", "SIMD16"])
def test_every_result_lies_where_the_manual_puts_it(simd, mask):
    """All channel masks and random execution masks: dwords of disabled lanes and masked channels keep their value."""
    rng = np.random.default_rng([*mask, len(simd)])
    lanes = manual.LANES[simd]
    active = rng.random((THREADS, lanes)) < 0.7
    request = request_of(simd, "LD", mask, active)
    values = bits(rng, THREADS, lanes, 4)
    length = {"SIMD4X2": 1, "SIMD8": 4, "SIMD16": 8 - 2 * sum(mask)}[simd]
    before = bits(rng, THREADS, length, 8)
    expected = before.copy()
    for thread, lane, channel in product(range(THREADS), range(lanes), range(4)):
        if active[thread, lane] and not mask[channel]:
            register, dword = manual.result_place(simd, lane, channel, mask)
            expected[thread, register, dword] = values[thread, lane, channel]
    response = encode_response(request, values)
    assert response.length == length == expected_response_length(request)
    np.testing.assert_array_equal(response.merged(before), expected)
    assert not response.registers[~response.written].any()
    read = decode_response(request, response.registers, np.uint32).values
    kept = active[:, :, None] & ~np.array(mask)
    np.testing.assert_array_equal(read, np.where(kept, values, 0))
    np.testing.assert_array_equal(encode_response(request, read).registers, response.registers)


@pytest.mark.parametrize(("simd", "name"), EVERY_MESSAGE)
def test_every_message_returns_its_registers(simd, name):
    request = request_of(simd, name)
    rng = np.random.default_rng(1)
    for kind in (np.float32, np.int32, np.uint32):
        values = bits(rng, THREADS, manual.LANES[simd], 4).view(kind)
        response = encode_response(request, values)
        assert response.length == {"SIMD4X2": 1, "SIMD8": 4, "SIMD16": 8}[simd] + (name == "SAMPLE_KILLPIX")
        assert decode_response(request, response.registers, kind).values.tobytes() == values.tobytes()


def test_threads_may_mask_different_channels():
    """Red and alpha of one thread lie where green and blue of the next do."""
    masks = [(0, 1, 1, 0), (1, 0, 0, 1)]
    header = MessageHeader(
        np.array([SamplerMessageHeader(masked_channels=mask).to_dwords() for mask in masks], np.uint32)
    )
    values = np.arange(2 * 16 * 4, dtype=np.uint32).reshape(2, 16, 4)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD16, header=header)
    response = encode_response(request, values)
    assert response.registers[:, :, 0].tolist() == [[0, 32, 3, 35], [65, 97, 66, 98]]
    uneven = MessageHeader(header.registers | np.array([[0x2000], [0]], np.uint32) * (np.arange(8) == 2))
    uneven.registers[0, 2] = 0xE000
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD16, header=uneven)
    with pytest.raises(StateError, match=r"ask for \[2, 4\] registers"):
        encode_response(request, values)


def test_kill_mask_of_sample_killpix():
    """Bits of killed pixels are 0, all others 1; only the first dword is written."""
    active = np.ones((THREADS, 8), bool)
    active[2, 1] = False
    request = request_of("SIMD8", "SAMPLE_KILLPIX", active=active)
    killed = np.zeros((THREADS, 8), bool)
    killed[0, 0] = killed[1, 7] = killed[2, 1] = killed[2, 2] = True
    response = encode_response(request, np.zeros((THREADS, 8, 4), np.float32), killed=killed)
    assert [hex(word) for word in response.registers[:, 4, 0]] == [
        "0xfffffffe",
        "0xffffff7f",
        "0xfffffffb",
        "0xffffffff",
    ]
    assert response.written[:, 4].tolist() == [[True] + [False] * 7] * THREADS
    np.testing.assert_array_equal(decode_response(request, response.registers).killed, killed & active)


@pytest.mark.parametrize("simd", ["SIMD4X2", "SIMD8", "SIMD16"])
def test_pixel_fault_mask_follows_the_channels(simd):
    lanes = manual.LANES[simd]
    request = SamplerRequest.build(SamplerMessage.LD, SimdMode[simd], generation=8, active=np.ones((2, lanes), bool))
    faulted = np.zeros((2, lanes), bool)
    faulted[1, -1] = True
    response = encode_response(request, np.zeros((2, lanes, 4), np.float32), faulted=faulted)
    assert response.length == {"SIMD4X2": 2, "SIMD8": 5, "SIMD16": 9}[simd]
    assert response.registers[:, -1, 0].tolist() == [0xFFFFFFFF, 0xFFFFFFFF & ~(1 << (lanes - 1))]
    read = decode_response(request, response.registers, fault_mask=True)
    np.testing.assert_array_equal(read.faulted, faulted)
    assert read.killed is None
    with pytest.raises(StateError, match="of generation 8 and later, found generation 7"):
        encode_response(request_of(simd, "LD"), np.zeros((THREADS, lanes, 4), np.float32), faulted=faulted)


def test_wrong_results_are_refused():
    request = request_of("SIMD8", "SAMPLE")
    zeros = np.zeros((THREADS, 8, 4), np.float32)
    with pytest.raises(
        StateError, match=r"values \(4, 8, 4\) of float32 or int32 or uint32 are needed, found \(4, 16, 4\)"
    ):
        encode_response(request, np.zeros((THREADS, 16, 4), np.float32))
    with pytest.raises(StateError, match=r"of float32 or int32 or uint32 are needed, found .* of float64"):
        encode_response(request, zeros.astype(np.float64))
    with pytest.raises(StateError, match="returns no mask of killed pixels"):
        encode_response(request, zeros, killed=np.zeros((THREADS, 8), bool))
    with pytest.raises(StateError, match=r"killed \(4, 8\) is needed, found \(4, 4\)"):
        encode_response(request_of("SIMD8", "SAMPLE_KILLPIX"), zeros, killed=np.zeros((THREADS, 4), bool))
    with pytest.raises(StateError, match=r"registers \(4, 4, 8\) of uint32 are needed, found \(4, 5, 8\)"):
        decode_response(request, np.zeros((THREADS, 5, 8), np.uint32))
    with pytest.raises(StateError, match="DEINTERLACE: its writeback"):
        encode_response(SamplerRequest.build(BlockMessage.DEINTERLACE, SimdMode.SIMD32_64), zeros)


def test_cache_flush_returns_a_register_it_does_not_write():
    request = SamplerRequest.build(BlockMessage.CACHE_FLUSH, SimdMode.SIMD32_64)
    response = encode_response(request, np.zeros((1, 0, 4), np.uint16))
    assert response.registers.shape == (1, 1, 8)
    assert not response.written.any()
    assert decode_response(request, response.registers).values.shape == (1, 0, 4)
