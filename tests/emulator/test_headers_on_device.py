"""Messages to the sampler whose headers, lanes and masks stay where threads are, as many as there may be."""

import numpy as np
import pytest
from support import programs
from support.crossings import asked_by_messages, brought_by_messages
from support.programs import COEFFICIENTS_AT
from support.strict_arrays import StrictDevice
from support.texturing import random_surface, run_message

from texsamp.sampler.messages import SamplerRequest
from texsamp.sampler.messages.request import MessageHeader
from texsamp.sampler.sampler import Sampler
from texsamp.state.commands_sampler import ChromaKey
from texsamp.state.sampler_messages import BlockMessage, SamplerMessage, SimdMode

KINDS, TIMES = 3, 5
"""Threads that differ, and how often each is there."""
KEY = ((40, 0, 0, 0), (170, 255, 255, 255))
LOAD_KEY = ChromaKey(index=2, low_red=40, high_red=170, high_green=255, high_blue=255, high_alpha=255)
KEYED = Sampler(chroma_key=KEY, mip_filter="none", min_filter="nearest", mag_filter="nearest", address="clamp")
HEADERS = {
    "alike": ([0x0D5, 0x0D5, 0x0D5], [0, 0, 0]),
    "masked": ([0x5000, 0x5000, 0x5000], [0, 0, 0]),
    "masks differ": ([0x1000, 0x2000, 0x1000], [0, 0, 0]),
    "offsets differ": ([0x0F3, 0x8F0, 0x003], [0, 0, 0]),
    "tables differ": ([0, 0, 0], [COEFFICIENTS_AT, 0, COEFFICIENTS_AT]),
}


def _header(codes, tables):
    header = MessageHeader(np.zeros((len(codes), 8), np.uint32))
    header.registers[:, 2], header.registers[:, 3] = codes, tables
    return header


def _lanes(simd, names, seed=1, low=-0.3, high=1.3, threads=KINDS):
    lanes = {SimdMode.SIMD8: 8, SimdMode.SIMD16: 16, SimdMode.SIMD4X2: 2, SimdMode.SIMD32_64: 1}[simd]
    values = np.random.default_rng(seed).uniform(low, high, (len(names), threads, lanes)).astype(np.float32)
    return dict(zip(names, values, strict=True))


def _requests():
    for name, header in HEADERS.items():
        for simd in (SimdMode.SIMD8, SimdMode.SIMD16):
            given = _lanes(simd, "uv")
            yield (
                f"sample {simd.name} {name}",
                SamplerRequest.build(SamplerMessage.SAMPLE, simd, header=_header(*header), **given),
            )
    given = _lanes(SimdMode.SIMD4X2, ("lod", "u", "v"))
    yield (
        "sample_l",
        SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD4X2, header=_header(*HEADERS["masked"]), **given),
    )
    places = {name: (values * 20).astype(int) for name, values in _lanes(SimdMode.SIMD8, ("u", "v", "lod")).items()}
    yield (
        "ld",
        SamplerRequest.build(SamplerMessage.LD, SimdMode.SIMD8, header=_header(*HEADERS["offsets differ"]), **places),
    )
    offsets = {name: (values * 90).astype(int) for name, values in _lanes(SimdMode.SIMD8, ("offu", "offv"), 2).items()}
    yield (
        "gather4_po",
        SamplerRequest.build(SamplerMessage.GATHER4_PO, SimdMode.SIMD8, **_lanes(SimdMode.SIMD8, "uv"), **offsets),
    )
    yield "gather4", SamplerRequest.build(
        SamplerMessage.GATHER4, SimdMode.SIMD16, header=_header([0, 1 << 16, 3 << 16], [0, 0, 0]),
        **_lanes(SimdMode.SIMD16, "uv"),
    )  # fmt: skip
    yield "killpix", SamplerRequest.build(SamplerMessage.SAMPLE_KILLPIX, SimdMode.SIMD8, **_lanes(SimdMode.SIMD8, "uv"))
    block = _lanes(SimdMode.SIMD32_64, "uv", high=0.5) | _lanes(SimdMode.SIMD32_64, ("du", "dv"), low=0, high=0.1)
    for name in ("alike", "masks differ", "tables differ"):
        yield (
            f"sample_unorm {name}",
            SamplerRequest.build(
                BlockMessage.SAMPLE_UNORM_KILLPIX, SimdMode.SIMD32_64, header=_header(*HEADERS[name]), **block
            ),
        )
    yield (
        "cache_flush",
        SamplerRequest.build(BlockMessage.CACHE_FLUSH, SimdMode.SIMD32_64, header=_header(*HEADERS["alike"])),
    )


REQUESTS = dict(_requests())


def _often(request):
    """The same of each thread several times."""
    header = None if request.header is None else MessageHeader(np.tile(request.header.registers, (TIMES, 1)))
    parameters = {name: np.tile(values, (TIMES, 1)) for name, values in request.parameters.items()}
    return SamplerRequest(
        request.message, request.simd, parameters, np.tile(request.active, (TIMES, 1)), header, generation=7
    )


@pytest.mark.parametrize("predicate", [None, 0xB36D])
@pytest.mark.parametrize("fields", [{}, {"surface_type": "SURFTYPE_NULL"}], ids=["", "null"])
@pytest.mark.parametrize("name", REQUESTS)
def test_numbers_alone_come_to_the_host(name, fields, predicate, monkeypatch):
    """As many of one thread as of many; what comes back is what threads on the host have."""
    surface = random_surface(np.random.default_rng(3), format="B8G8R8A8_UNORM")
    state = KEYED.state.replace(chroma_key_index=2)
    other = state.replace(address_u="WRAP", chroma_key_enable=False)
    if "unorm" in name:
        other = state.replace(chroma_key_enable=False)
    brought, sent = [], [REQUESTS[name], _often(REQUESTS[name])]
    for request in sent:
        options = dict(predicate=predicate, border=other.pack(), commands=[LOAD_KEY], **fields)
        expected = run_message(request, surface, state, **options)
        device = StrictDevice()
        with monkeypatch.context() as patched:
            patched.setattr(programs, "where_threads_run", device)
            of_messages = brought_by_messages(patched, device)
            assert np.array_equal(run_message(request, surface, state, **options), expected)
        brought.append(of_messages[0])
    assert brought[1] == brought[0]


MANY = {
    "sample": (SamplerMessage.SAMPLE, SimdMode.SIMD16, "uv"),
    "sample of cubes": (SamplerMessage.SAMPLE, SimdMode.SIMD8, "uvr"),
    "gather4": (SamplerMessage.GATHER4, SimdMode.SIMD8, "uv"),
    "ld": (SamplerMessage.LD, SimdMode.SIMD8, ("u", "v", "lod")),
    "sample_unorm": (BlockMessage.SAMPLE_UNORM_KILLPIX, SimdMode.SIMD32_64, ("u", "v", "du", "dv")),
}
KINDS_OF = {"sample of cubes": (17, 23, 30), "sample_unorm": (5, 8, 12)}
"""Threads that differ, where there are fewer ways to."""
OFFSETS, PAIRS = 1 << 12, np.array([3, 5, 6, 9, 10, 12])
"""How many there are, and masks of two channels."""


def _headers_of_many(name, kinds):
    """Different dwords 2 and 3: offsets and masks where messages have them, else masks and tables of samplers."""
    rng = np.random.default_rng(9)
    if name in ("sample of cubes", "sample_unorm"):
        masks = PAIRS if name == "sample_unorm" else np.arange(15)
        chosen = rng.permutation(2 * len(masks))[:kinds]
        return masks[chosen // 2] << 12, chosen % 2 * COEFFICIENTS_AT
    codes = rng.permutation(OFFSETS)[:kinds]
    if name == "gather4":
        return codes | rng.integers(0, 4, kinds) << 16, rng.integers(0, 2, kinds) * COEFFICIENTS_AT
    return codes | (5 if name == "sample" else rng.integers(0, 15, kinds)) << 12, np.zeros(kinds, int)


def _of_many(name, kinds):
    """Threads of which every two have one header."""
    message, simd, names = MANY[name]
    header = _header(*(np.repeat(each, 2) for each in _headers_of_many(name, kinds)))
    given = _lanes(simd, names, threads=2 * kinds, low=-1)
    if name == "sample of cubes":
        largest = np.max([np.abs(values) for values in given.values()], axis=0)
        given = {axis: values / largest for axis, values in given.items()}
    elif name == "ld":
        given = {axis: (values * 20).astype(int) for axis, values in given.items()}
    elif name == "sample_unorm":
        given |= {step: np.abs(given[step]) / 20 for step in ("du", "dv")}
    return SamplerRequest.build(message, simd, header=header, **given)


def run_many(name, kinds):
    """What threads with so many headers are answered."""
    rng, is_cube = np.random.default_rng(3), name == "sample of cubes"
    of_cube = {"shape": (6, 16, 16, 4), "type": "CUBE"} if is_cube else {}
    surface = random_surface(rng, format="B8G8R8A8_UNORM", **of_cube)
    state = Sampler().state if is_cube else KEYED.state.replace(chroma_key_index=2)
    other = state.replace(chroma_key_enable=False, mag_filter="LINEAR" if is_cube else "NEAREST")
    return run_message(_of_many(name, kinds), surface, state, border=other.pack(), commands=[LOAD_KEY])


@pytest.mark.parametrize("name", MANY)
def test_of_many_headers_no_more_is_asked_than_of_some(name, monkeypatch):
    asked = []
    for kinds in KINDS_OF.get(name, (20, 70, 130)):
        expected, device = run_many(name, kinds), StrictDevice()
        with monkeypatch.context() as patched:
            patched.setattr(programs, "where_threads_run", device)
            of_messages = asked_by_messages(patched, device)
            assert np.array_equal(run_many(name, kinds), expected)
        asked.append(of_messages[0])
    assert asked[0] == asked[1] == asked[2]
