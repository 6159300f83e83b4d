"""Which sampler a message takes: its descriptor's number in the table that its header names."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.programs import COEFFICIENTS_AT, SAMPLERS_AT
from support.texturing import THREADS, Lanes, check_message, quads, random_surface, run_message

from texsamp.errors import CaptureError
from texsamp.sampler.load import load
from texsamp.sampler.messages import SamplerRequest
from texsamp.sampler.messages.request import MessageHeader
from texsamp.sampler.sample import sample
from texsamp.sampler.sampler import Sampler
from texsamp.state.sampler_messages import SamplerMessage, SamplerMessageHeader, SimdMode

pytestmark = pytest.mark.usefixtures("each_place")


def test_the_descriptor_chooses_the_sampler():
    """Seed 003:4443-4468: with SIMD mode, type and header in one dword; samplers lie 16 bytes apart."""
    rng = np.random.default_rng(20)
    surface = random_surface(rng)
    samplers = [Sampler(address=mode, min_filter="linear", mag_filter="linear") for mode in ("wrap", "clamp", "mirror")]
    array = SimpleNamespace(state=SimpleNamespace(pack=lambda: b"".join(each.state.pack() for each in samplers)))
    u, v = Lanes(rng, SimdMode.SIMD8).draw(), Lanes(rng, SimdMode.SIMD8).draw()
    results = [sample(surface, sampler, u, v, lod=0.0) for sampler in samplers]
    assert len({result.tobytes() for result in results}) == 3
    for index, expected in enumerate(results):
        request = SamplerRequest.build(
            SamplerMessage.SAMPLE_L, SimdMode.SIMD8, lod=0 * u, u=u, v=v, sampler_index=index
        )
        check_message(request, surface, array, expected)


def test_headers_name_tables_of_samplers():
    """Seed 003:4482: but of messages that load or ask, which ignore it."""
    rng = np.random.default_rng(21)
    surface, lanes = random_surface(rng), Lanes(rng, SimdMode.SIMD8)
    own, other = (Sampler(address=mode, min_filter="linear", mag_filter="linear") for mode in ("wrap", "mirror"))
    u, v, behind = lanes.draw(), lanes.draw(), {"border": other.state.pack()}
    for pointer, sampler in ((0, own), (SAMPLERS_AT, own), (COEFFICIENTS_AT, other)):
        header = SamplerMessageHeader(sampler_state_pointer=pointer)
        request = SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD8, header=header, lod=0 * u, u=u, v=v)
        check_message(request, surface, own, sample(surface, sampler, u, v, lod=0.0), **behind)
    nowhere = SamplerMessageHeader(sampler_state_pointer=0xFFFFFFE0)
    x, y = rng.integers(0, 16, (2, THREADS, 8))
    request = SamplerRequest.build(SamplerMessage.LD, SimdMode.SIMD8, header=nowhere, u=x, v=y, lod=0 * x)
    check_message(request, surface, None, load(surface, x, y))
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD8, header=nowhere, lod=0 * u, u=u, v=v)
    with pytest.raises(CaptureError, match="not mapped"):
        run_message(request, surface, own.state)


@pytest.mark.parametrize("predicate", [None, 0x6D])
def test_threads_of_one_message_name_tables_and_force_lods_of_their_own(predicate):
    rng = np.random.default_rng(22)
    surface, lanes = random_surface(rng, mips="box"), Lanes(rng, SimdMode.SIMD8)
    filters = {"min_filter": "linear", "mag_filter": "linear", "mip_filter": "linear"}
    own, other = (Sampler(address=mode, **filters) for mode in ("wrap", "mirror"))
    u, v = lanes.draw(), lanes.draw()
    headers = MessageHeader(np.zeros((THREADS, 8), np.uint32))
    headers.registers[:, 2] = 0, 1 << 16, 0  # bit 16 forces LOD 0
    headers.registers[:, 3] = COEFFICIENTS_AT, 0, 0
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, header=headers, u=u, v=v)
    of_threads = [quads(u[[thread]]) for thread in range(THREADS)], [quads(v[[thread]]) for thread in range(THREADS)]
    expected = [
        sample(surface, sampler, x, y, **more)
        for x, y, sampler, more in zip(*of_threads, (other, own, own), ({}, {"lod": 0.0}, {}), strict=True)
    ]
    assert not np.array_equal(expected[1], sample(surface, own, of_threads[0][1], of_threads[1][1]))
    check_message(request, surface, own, np.concatenate(expected), predicate, border=other.state.pack())
