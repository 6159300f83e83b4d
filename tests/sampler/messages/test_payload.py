"""Payloads of sampler messages against the manual's tables, both ways."""

import numpy as np
import pytest
from oracle import sampler_messages as manual

from texsamp.errors import StateError, UndefinedBehavior
from texsamp.sampler.messages import MessageHeader, SamplerRequest, decode_request, encode_request
from texsamp.sampler.messages.parameters import parameter_names
from texsamp.state.sampler_messages import (
    BlockMessage,
    SamplerMessage,
    SamplerMessageDescriptor,
    SamplerMessageHeader,
    SimdMode,
)

THREADS = 3
CASES = [
    (simd, name, sent, header)
    for simd, table in manual.PARAMETERS.items()
    for name, (_, parameters) in table.items()
    for sent in range(len(parameters) + 1)
    for header in (False, True)
    if 1 <= manual.length(simd, sent, header) <= 11
]


def generation(name):
    return max(7, SamplerMessage[name].since)


def descriptor(simd, name, length, header, response=0, **fields):
    return SamplerMessageDescriptor(
        generation=generation(name),
        message_length=length,
        response_length=response,
        header_present=header,
        simd_mode=simd,
        message_type=name,
        **fields,
    )


def bits(rng, *shape):
    return rng.integers(0, 1 << 32, shape, np.uint32)


@pytest.mark.parametrize(("simd", "name", "sent", "header"), CASES)
def test_every_parameter_lies_where_the_manual_puts_it(simd, name, sent, header):
    """Every message in every SIMD mode with every number of parameters; bit patterns survive, NaNs included."""
    code, parameters = manual.PARAMETERS[simd][name]
    # Generation 9 reorders or extends some messages; those that exist since 7 are tested as 7 has them.
    assert parameter_names(SamplerMessage[name], SimdMode[simd], generation(name)) == tuple(parameters)
    length = manual.length(simd, sent, header)
    rng = np.random.default_rng([sent, code, header])
    values = {parameter: bits(rng, THREADS, manual.LANES[simd]) for parameter in parameters[:sent]}
    registers = np.zeros((THREADS, length, 8), np.uint32)
    if header:
        registers[:, 0] = bits(rng, THREADS, 8)
    for number, parameter in enumerate(parameters[:sent]):
        for lane in range(manual.LANES[simd]):
            register, dword = manual.parameter_place(simd, number, lane)
            registers[:, header + register, dword] = values[parameter][:, lane]
    word = descriptor(simd, name, length, header, response=3, binding_table_index=7, sampler_index=5)
    assert word.code("message_type") == code
    request = decode_request(word, registers, strict=False, generation=generation(name))
    filled = parameters[: length * 4 - 4 * header] if simd == "SIMD4X2" else parameters[:sent]
    assert list(request.parameters) == filled
    for parameter in parameters:
        expected = values.get(parameter, np.zeros((THREADS, manual.LANES[simd]), np.uint32))
        np.testing.assert_array_equal(request.parameter(parameter).view(np.uint32), expected)
    again, back = encode_request(request)
    assert again == word
    np.testing.assert_array_equal(back, registers)


def test_every_message_and_simd_mode_is_covered():
    for message in SamplerMessage:
        for simd in (SimdMode.SIMD4X2, SimdMode.SIMD8, SimdMode.SIMD16):
            if message.name in manual.PARAMETERS[simd.name]:
                assert manual.PARAMETERS[simd.name][message.name][0] == message
            else:
                with pytest.raises(UndefinedBehavior, match=rf"{message.name} exists in .*found {simd.name}"):
                    parameter_names(message, simd, 9)


@pytest.mark.parametrize("name", ["SAMPLE", "SAMPLE_C", "SAMPLE_B", "LOD", "GATHER4_PO"])
def test_double_precision_coordinates(name):
    """SIMD8D: u and v take two registers each, one per subspan."""
    _, parameters = manual.PARAMETERS["SIMD8"][name]
    slots = manual.double_slots(parameters)
    rng = np.random.default_rng(8)
    registers = bits(rng, THREADS, len(slots), 8)
    word = descriptor("SIMD8", name, len(slots), False)
    request = decode_request(word, registers, strict=False, double_coordinates=True)
    for parameter in parameters:
        for lane in range(8):
            register, dword = manual.double_place(parameters, parameter, lane)
            found = request.parameters[parameter][:, lane].copy()
            if parameter in ("u", "v"):
                assert found.dtype == np.float64
                both = registers[:, register, dword] | registers[:, register, dword + 1].astype(np.uint64) << 32
                np.testing.assert_array_equal(found.view(np.uint64), both)
            else:
                np.testing.assert_array_equal(found.view(np.uint32), registers[:, register, dword])
    np.testing.assert_array_equal(encode_request(request)[1], registers)


def test_double_precision_has_limits():
    registers = np.zeros((1, 3, 8), np.uint32)
    with pytest.raises(StateError, match="end within parameter v, which takes 2"):
        decode_request(descriptor("SIMD8", "SAMPLE", 3, False), registers, strict=False, double_coordinates=True)
    with pytest.raises(UndefinedBehavior, match="LD has integer parameters"):
        decode_request(descriptor("SIMD8", "LD", 3, False), registers, strict=False, double_coordinates=True)
    with pytest.raises(UndefinedBehavior, match="exist in SIMD8, found SIMD4X2"):
        decode_request(descriptor("SIMD4X2", "SAMPLE_L", 2, False), registers[:, :2], double_coordinates=True)


def test_numbers_have_the_types_of_the_manual():
    """Floats, but signed integers for ld and gather offsets and unsigned ones for mcs and resinfo."""
    forms = {
        ("SAMPLE_D", "dvdx"): np.float32,
        ("SAMPLE_L", "lod"): np.float32,
        ("LD", "lod"): np.int32,
        ("LD2DMS", "mcs"): np.uint32,
        ("LD2DMS", "si"): np.int32,
        ("RESINFO", "lod"): np.uint32,
        ("GATHER4_PO", "offu"): np.int32,
        ("GATHER4_PO", "u"): np.float32,
    }
    for (name, parameter), kind in forms.items():
        request = SamplerRequest.build(SamplerMessage[name], SimdMode.SIMD8)
        assert request.parameter(parameter).dtype == kind, (name, parameter)


@pytest.mark.parametrize("name", manual.BLOCKS)
@pytest.mark.parametrize("header", [False, True], ids=["bare", "header"])
def test_block_parameters_lie_where_the_manual_puts_them(name, header):
    code, layout, names, length, _ = manual.BLOCKS[name]
    rng = np.random.default_rng(code)
    values = {parameter: bits(rng, THREADS) for parameter in names}
    registers = np.zeros((THREADS, 1 + header, 8), np.uint32)
    for parameter, value in values.items():
        registers[:, -1, layout[parameter]] = value
    noisy = registers.copy()
    noisy[:, -1, [i for i in range(8) if i not in {layout[parameter] for parameter in names}]] = bits(rng, THREADS, 1)
    word = SamplerMessageDescriptor(
        message_length=1 + header,
        response_length=length or 10,
        header_present=header,
        simd_mode="SIMD32_64",
        block_message_type=name,
    )
    assert word.code("block_message_type") == code
    request = decode_request(word, noisy, strict=False)
    assert set(request.parameters) == set(names)
    for parameter, value in values.items():
        np.testing.assert_array_equal(request.parameters[parameter][:, 0].copy().view(np.uint32), value)
    again, back = encode_request(request)
    assert again == word
    np.testing.assert_array_equal(back, registers)


def test_deinterlace_addresses_are_integers():
    request = SamplerRequest.build(BlockMessage.DEINTERLACE, SimdMode.SIMD32_64, u=[[16]], v=[[8]])
    word, registers = encode_request(request, response_length=10)
    assert registers[0, 0].tolist() == [0, 0, 16, 0, 0, 0, 8, 0]
    assert decode_request(word, registers).parameters["u"].dtype == np.uint32


@pytest.mark.parametrize("header", [None, SamplerMessageHeader()], ids=["bare", "header"])
def test_cache_flush_is_one_register_each_way(header):
    request = SamplerRequest.build(BlockMessage.CACHE_FLUSH, SimdMode.SIMD32_64, header=header)
    word, registers = encode_request(request)
    assert (word.message_length, word.response_length, registers.shape) == (1, 1, (1, 1, 8))
    assert decode_request(word, registers).parameters == {}


def test_lengths_of_drivers_are_accepted_and_others_refused():
    registers = np.zeros((1, 4, 8), np.uint32)
    request = decode_request(0x08840000, registers)  # SIMD16 sample with u and v
    assert list(request.parameters) == ["u", "v"]
    with pytest.raises(StateError, match="returns 8 registers, the response length is 6"):
        decode_request(0x08640000, registers)
    with pytest.raises(StateError, match=r"SIMD16\): 3 registers of parameters end within parameter v, which takes 2"):
        decode_request(0x06840000, registers[:, :3])
    with pytest.raises(StateError, match=r"SAMPLE: \(threads, 4, 8\) of uint32 is needed, found \(1, 3, 8\)"):
        decode_request(0x08840000, registers[:, :3])
    with pytest.raises(StateError, match="5 registers of parameters, more than its 4 parameters take"):
        decode_request(descriptor("SIMD8", "LD", 5, False), np.zeros((1, 5, 8), np.uint32), strict=False)
    with pytest.raises(StateError, match="3 registers of parameters, more than its 7 parameters take"):
        decode_request(
            descriptor("SIMD4X2", "LD2DMS_W", 3, False), np.zeros((1, 3, 8), np.uint32), strict=False, generation=9
        )
    with pytest.raises(StateError, match="a message of 0 registers"):
        decode_request(descriptor("SIMD8", "SAMPLEINFO", 0, False), np.zeros((1, 0, 8), np.uint32), strict=False)
    with pytest.raises(StateError, match="SAMPLE_UNORM: 2 registers of parameters, 1 is needed"):
        decode_request(0x04860000, np.zeros((1, 2, 8), np.uint32))
    with pytest.raises(StateError, match=r"legal: 1\.\.11"):
        encode_request(
            SamplerRequest.build(SamplerMessage.SAMPLE_L_C, SimdMode.SIMD16, ai=np.zeros((1, 16))), response_length=8
        )
    with pytest.raises(StateError, match="without header and parameters a message has no registers"):
        encode_request(SamplerRequest.build(SamplerMessage.SAMPLEINFO, SimdMode.SIMD8))


def test_messages_that_do_not_exist_are_refused():
    register = np.zeros((1, 1, 8), np.uint32)
    with pytest.raises(UndefinedBehavior, match="cannot end the thread"):
        decode_request(0x82420000, register)
    with pytest.raises(StateError, match=r"SAMPLE_LZ .*needs generation 9"):
        decode_request(0x02420000 | 0x18 << 12, register)
    with pytest.raises(StateError, match="code 13 is reserved"):
        decode_request(0x02420000 | 13 << 12, register)
    with pytest.raises(UndefinedBehavior, match="message type 0x0d of SIMD8 is reserved"):
        decode_request(SamplerMessageDescriptor.from_dwords([0x0242D000], strict=False), register)
    with pytest.raises(UndefinedBehavior, match="SAMPLE exists in SIMD8, SIMD16, found SIMD4X2"):
        decode_request(0x02100000, register)
    with pytest.raises(UndefinedBehavior, match="SAMPLE_LZ needs generation 9 or later, found generation 7"):
        SamplerRequest.build(SamplerMessage.SAMPLE_LZ, SimdMode.SIMD8)
    with pytest.raises(UndefinedBehavior, match="DEINTERLACE is a SIMD32/64 message, found SIMD8"):
        SamplerRequest.build(BlockMessage.DEINTERLACE, SimdMode.SIMD8)


def test_generation_9_has_its_own_forms():
    assert parameter_names(SamplerMessage.LD, SimdMode.SIMD8, 7)[:3] == ("u", "lod", "v")
    assert parameter_names(SamplerMessage.LD, SimdMode.SIMD8, 9)[:3] == ("u", "v", "lod")
    assert parameter_names(SamplerMessage.SAMPLE, SimdMode.SIMD16, 9)[-1] == "mlod"
    assert parameter_names(SamplerMessage.SAMPLEINFO, SimdMode.SIMD8, 9) == ("x",)


def test_execution_mask_enables_lanes():
    mask = np.zeros((2, 8), bool)
    mask[0, 5] = mask[1, 0] = True
    registers = np.zeros((2, 1, 8), np.uint32)
    samples = decode_request(descriptor("SIMD4X2", "LD", 1, False, 1), registers, mask).active
    assert samples.tolist() == [[False, True], [True, False]]
    pixels = decode_request(descriptor("SIMD8", "LOD", 1, False, 4), registers, mask).active
    np.testing.assert_array_equal(pixels, mask)
    wide = decode_request(descriptor("SIMD16", "LOD", 2, False, 8), np.zeros((2, 2, 8), np.uint32), mask).active
    np.testing.assert_array_equal(wide[:, :8], mask)
    assert not wide[:, 8:].any()
    block = np.zeros((2, 1, 8), np.uint32)
    assert decode_request(0x02860000, block, np.zeros((2, 1), bool)).active.all()
    with pytest.raises(StateError, match=r"execution mask: .* with 2 threads is needed, found \(3, 8\)"):
        decode_request(descriptor("SIMD8", "LOD", 1, False, 4), registers, np.ones((3, 8), bool))


def test_header_fields_of_every_thread():
    rng = np.random.default_rng(3)
    registers = bits(rng, 50, 8)
    header = MessageHeader(registers)
    for thread in range(50):
        state = SamplerMessageHeader.from_dwords(registers[thread].tolist(), strict=False)
        for name, value in state.values().items():
            assert np.array_equal(header.field(name)[thread], value), name
    with pytest.raises(StateError, match=r"\(threads, 8\) of uint32 is needed, found \(8,\)"):
        MessageHeader(registers[0])


def test_what_the_header_says_depends_on_the_message():
    """Bit 16 is the gather channel's low bit or forces LOD 0; offu and offv replace the header's offsets."""
    state = SamplerMessageHeader(gather_channel="ALPHA", u_offset=-8, v_offset=7, r_offset=-1)
    sample = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, header=state)
    assert sample.force_lod_zero.all()
    assert not sample.gather_channel.any()
    assert sample.texel_offsets()[0, 0].tolist() == [-8, 7, -1]
    gather = SamplerRequest.build(
        SamplerMessage.GATHER4_PO, SimdMode.SIMD8, header=state, offu=[range(28, 36)], offv=[[-33] * 8]
    )
    assert not gather.force_lod_zero.any()
    assert gather.gather_channel.tolist() == [3]
    assert gather.texel_offsets()[0, :, 0].tolist() == [28, 29, 30, 31, -32, -31, -30, -29]
    assert gather.texel_offsets()[0, 0].tolist() == [28, 31, -1]
    block = SamplerRequest.build(BlockMessage.SAMPLE_UNORM, SimdMode.SIMD32_64, header=state)
    assert not block.texel_offsets().any()


def test_built_requests_check_their_parameters():
    with pytest.raises(StateError, match="SAMPLE has no parameter lod; SIMD8 has u, v, r, ai"):
        SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, lod=[[0] * 8])
    with pytest.raises(StateError, match=r"SAMPLE u: an array \(1, 7\) where \(threads, lanes\) is \(1, 8\)"):
        SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=[[0] * 7])
    with pytest.raises(StateError, match="has no parameter bias"):
        SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8).parameter("bias")
    filled = SamplerRequest.build(SamplerMessage.SAMPLE_B, SimdMode.SIMD8, u=np.ones((4, 8)))
    assert filled.threads == 4
    assert list(filled.parameters) == ["bias", "u"]
