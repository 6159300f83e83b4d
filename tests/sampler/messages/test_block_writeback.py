"""Writebacks of sample_unorm and sample_8x8 in all output formats against the manual's tables."""

from itertools import product

import numpy as np
import pytest
from oracle import sampler_messages as manual

from texsamp.errors import StateError
from texsamp.sampler.messages import MessageHeader, SamplerRequest, decode_response, encode_response
from texsamp.sampler.messages.blocks import BLOCK_PIXELS, codes_from_float, codes_from_unorm
from texsamp.sampler.messages.lengths import expected_response_length
from texsamp.state.sampler_messages import BlockMessage, OutputFormat, SamplerMessageHeader, SimdMode, response_length

THREADS = 2
MASKS = [mask for mask in product((False, True), repeat=4) if not all(mask)]


def request_of(message, mask, output_format=OutputFormat.FULL_16, generation=7):
    header = SamplerMessageHeader(masked_channels=mask, output_format=output_format)
    return SamplerRequest.build(
        message, SimdMode.SIMD32_64, header=header, active=np.ones((THREADS, 1), bool), generation=generation
    )


@pytest.mark.parametrize("output_format", OutputFormat, ids=lambda value: value.name)
@pytest.mark.parametrize("message", BLOCK_PIXELS, ids=lambda value: value.name)
def test_every_pixel_lies_where_the_manual_puts_it(message, output_format):
    """All channel masks; the bits of every returned value, and that nothing else is written."""
    width, height = BLOCK_PIXELS[message]
    pixels = width * height
    rng = np.random.default_rng([message, output_format])
    kill = "KILLPIX" in message.name
    narrow = output_format.name.endswith("8")
    for mask in MASKS:
        request = request_of(message, mask, output_format, generation=6)
        values = rng.integers(0, 0xFF01, (THREADS, pixels, 4), np.uint16)
        response = encode_response(request, values)
        registers = manual.block_places(pixels, output_format.name, mask)
        assert response.length == len(registers) + kill == expected_response_length(request)
        for thread in range(THREADS):
            for number, places in enumerate(registers):
                word = int.from_bytes(response.registers[thread, number].tobytes(), "little")
                written = 0
                for channel, pixel, high, low in places:
                    value = int(values[thread, pixel, channel])
                    expected = min((value + 128) // 256, 255) if narrow else value
                    assert word >> low & ((1 << (high - low + 1)) - 1) == expected
                    written |= ((1 << (high - low + 1)) - 1) << low
                dwords = [bool(written >> (32 * dword) & 0xFFFFFFFF) for dword in range(8)]
                assert response.written[thread, number].tolist() == dwords
        back = encode_response(request, decode_response(request, response.registers).values)
        np.testing.assert_array_equal(back.registers, response.registers)


@pytest.mark.parametrize("message", BLOCK_PIXELS, ids=lambda value: value.name)
def test_generation_7_always_returns_16_bits(message):
    width, height = BLOCK_PIXELS[message]
    values = np.random.default_rng(7).integers(0, 0xFF01, (THREADS, width * height, 4), np.uint16)
    first = encode_response(request_of(message, (False,) * 4), values)
    for output_format in OutputFormat:
        request = request_of(message, (False,) * 4, output_format)
        np.testing.assert_array_equal(encode_response(request, values).registers, first.registers)
    np.testing.assert_array_equal(decode_response(request, first.registers).values, values)
    _, _, _, length, step = manual.BLOCKS[message.name]
    for mask in MASKS:
        expected = length - step * sum(mask)
        assert expected_response_length(request_of(message, mask)) == expected
        assert response_length(SimdMode.SIMD32_64, message, sum(mask)) == expected


def test_kill_mask_starts_at_the_upper_left_with_the_highest_bit():
    request = request_of(BlockMessage.SAMPLE_UNORM_KILLPIX_MEDIA, (False, True, True, False))
    killed = np.zeros((THREADS, 32), bool)
    killed[0, 0] = killed[0, 31] = killed[1, 9] = True
    response = encode_response(request, np.zeros((THREADS, 32, 4), np.uint16), killed=killed)
    expected = [0xFFFFFFFF & ~sum(1 << manual.unorm_kill_bit(int(p)) for p in np.flatnonzero(row)) for row in killed]
    assert response.registers[:, 4, 0].tolist() == expected == [0x7FFFFFFE, 0xFFBFFFFF]
    assert response.written[:, 4].tolist() == [[True] + [False] * 7] * THREADS
    np.testing.assert_array_equal(decode_response(request, response.registers).killed, killed)


def test_downsampled_chroma_is_repeated_when_read():
    request = request_of(BlockMessage.SAMPLE_8X8, (False,) * 4, OutputFormat.CHROMA_DOWNSAMPLED_16, generation=6)
    values = np.arange(THREADS * 64 * 4, dtype=np.uint16).reshape(THREADS, 64, 4)
    read = decode_response(request, encode_response(request, values).registers).values
    np.testing.assert_array_equal(read[:, :, [1, 3]], values[:, :, [1, 3]])
    np.testing.assert_array_equal(read[:, :, [0, 2]], values[:, np.arange(64) & ~1][:, :, [0, 2]])


def test_half_a_register_is_written_when_one_chroma_channel_is_masked():
    """8-bit down-sampled sample_unorm: red and blue share W0, which goes when both are masked."""
    values = np.full((THREADS, 32, 4), 0x1200, np.uint16)
    form = OutputFormat.CHROMA_DOWNSAMPLED_8
    only_red = encode_response(request_of(BlockMessage.SAMPLE_UNORM, (0, 1, 1, 1), form, 6), values)
    assert only_red.written[0].tolist() == [[False] * 4 + [True] * 4]
    assert only_red.registers[0].tolist() == [[0] * 4 + [0x12121212] * 4]
    neither = encode_response(request_of(BlockMessage.SAMPLE_UNORM, (1, 0, 1, 1), form, 6), values)
    assert neither.written.shape == (THREADS, 1, 8)
    assert neither.written.all()


def test_threads_must_agree_on_the_output_format():
    dwords = [SamplerMessageHeader(output_format=code).to_dwords() for code in ("FULL_8", "FULL_16")]
    request = SamplerRequest.build(
        BlockMessage.SAMPLE_UNORM,
        SimdMode.SIMD32_64,
        header=MessageHeader(np.array(dwords, np.uint32)),
        generation=6,
    )
    with pytest.raises(StateError, match=r"ask for output formats \[0, 2\]"):
        encode_response(request, np.zeros((2, 32, 4), np.uint16))


def test_codes_of_numbers():
    """FF00h is 1.0: 8-bit values are shifted, 10-bit and real ones rounded half up."""
    np.testing.assert_array_equal(codes_from_unorm(np.arange(256), 8), np.arange(256) << 8)
    ten = codes_from_unorm(np.arange(1024), 10).astype(int)
    assert [ten[0], ten[1], ten[512], ten[1023]] == [0, 64, 32672, 0xFF00]
    assert all(abs(2 * 1023 * code - 2 * 0xFF00 * value) <= 1023 for value, code in enumerate(ten))
    reals = codes_from_float(np.array([0.0, 1.0, 0.5, 2.0, -1.0, np.nan, np.inf, -np.inf, 0.5 / 0xFF00, 0.49 / 0xFF00]))
    assert reals.tolist() == [0, 0xFF00, 0x7F80, 0xFF00, 0, 0, 0xFF00, 0, 1, 0]
    with pytest.raises(StateError, match=r"a UNORM of 8 bits is 0\.\.255, found 256"):
        codes_from_unorm([256], 8)
    with pytest.raises(StateError, match="of uint16 are needed"):
        encode_response(request_of(BlockMessage.SAMPLE_8X8, (0, 0, 0, 0)), np.zeros((THREADS, 64, 4), np.float32))
