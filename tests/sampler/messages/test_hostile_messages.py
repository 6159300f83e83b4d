"""Random descriptors, registers and states: a message is understood or refused, never anything else."""

import numpy as np
import pytest

from texsamp.errors import TexsampError, UndefinedBehavior
from texsamp.sampler.messages import decode_request, decode_response, encode_request, encode_response, violations
from texsamp.sampler.messages.lengths import expected_response_length
from texsamp.state.media_surface import MediaSurfaceState
from texsamp.state.render_surface import RenderSurfaceState
from texsamp.state.sample_8x8 import Sample8x8SamplerState
from texsamp.state.sampler import SamplerState
from texsamp.state.sampler_messages import BlockMessage, SamplerMessageDescriptor

ROUNDS = 1500


def requests(seed):
    """Messages that random descriptors and registers happen to make."""
    rng = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        generation = float(rng.choice([6, 7, 8, 9]))
        length = int(rng.integers(0, 12))
        word = int(rng.integers(0, 1 << 20)) | length << 25 | int(rng.integers(0, 17)) << 20
        registers = rng.integers(0, 1 << 32, (int(rng.integers(0, 4)), length, 8), np.uint32)
        descriptor = SamplerMessageDescriptor.from_dwords([word], strict=False, generation=max(7, generation))
        mask = rng.random((len(registers), int(rng.integers(0, 33)))) < 0.5
        try:
            yield (
                rng,
                decode_request(
                    descriptor,
                    registers,
                    mask,
                    strict=False,
                    generation=generation,
                    double_coordinates=bool(rng.random() < 0.1),
                ),
            )
        except TexsampError:
            continue


def state(rng, structure):
    return structure.from_dwords(rng.integers(0, 1 << 32, structure.dwords, np.uint32).tolist(), strict=False)


def test_what_is_understood_comes_back():
    understood = 0
    for rng, request in requests(1):
        descriptor, registers = encode_request(request)
        again = decode_request(
            descriptor,
            registers,
            strict=False,
            generation=request.generation,
            double_coordinates=request.double_coordinates,
        )
        assert again.message is request.message
        assert list(again.parameters) == list(request.parameters)
        for name, value in request.parameters.items():
            assert again.parameters[name].tobytes() == value.tobytes()
        assert encode_request(again)[1].tobytes() == registers.tobytes()
        understood += 1
        if request.message is BlockMessage.DEINTERLACE:
            continue
        try:
            length = expected_response_length(request)
        except TexsampError:
            continue
        response = rng.integers(0, 1 << 32, (request.threads, length, 8), np.uint32)
        results = decode_response(request, response, np.uint32)
        first = encode_response(request, results.values, killed=results.killed)
        second = encode_response(
            request, decode_response(request, first.registers, np.uint32).values, killed=results.killed
        )
        assert first.length == length
        assert second.registers.tobytes() == first.registers.tobytes()
        if request.message.name.startswith("SAMPLE_UNORM") or request.message.name.startswith("SAMPLE_8X8"):
            continue
        kept = first.written.copy()
        kept[:, 4:] &= request.simd.name == "SIMD16"  # the kill mask has bits of its own
        assert (first.registers[kept] == response[kept]).all()
    assert understood > ROUNDS // 10


def test_rules_judge_any_state():
    """Reserved formats, types and filters included; whatever is said is an error of texsamp."""
    judged = 0
    for rng, request in requests(2):
        surface = state(rng, RenderSurfaceState if rng.random() < 0.7 else MediaSurfaceState)
        sampler = state(rng, SamplerState if rng.random() < 0.7 else Sample8x8SamplerState)
        try:
            found = violations(request, surface, sampler)
        except TexsampError:
            continue
        judged += 1
        for violation in found:
            assert str(violation).startswith(f"{request.message.name}: {violation.rule.limit}; found ")
    assert judged > ROUNDS // 20


def test_negative_and_wide_descriptors_are_refused():
    with pytest.raises(UndefinedBehavior):
        decode_request(-1, np.zeros((1, 1, 8), np.uint32))
    with pytest.raises(TexsampError):
        decode_request(1 << 40, np.zeros((1, 1, 8), np.uint32))
