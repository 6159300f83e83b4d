"""Messages that sample, gather and load, held to `texsamp.sampler` at the same coordinates."""

import numpy as np
import pytest
from support.programs import COEFFICIENTS_AT, data_address
from support.texturing import LANES, THREADS, Lanes, check_message, quads, random_surface, run_message

from texsamp.errors import CaptureError
from texsamp.sampler.load import load, load_mcs, resinfo
from texsamp.sampler.messages import SamplerRequest, decode_response
from texsamp.sampler.messages.groups import SAMPLE_UNORM
from texsamp.sampler.multisample import sampleinfo
from texsamp.sampler.sample import gather4, query_lod, sample, sample_killpix
from texsamp.sampler.sampler import Sampler
from texsamp.state.commands_sampler import ChromaKey, MonofilterSize, PaletteLoad0, PaletteLoad1
from texsamp.state.sampler import BorderColorState, BorderColorStateDx9
from texsamp.state.sampler_messages import BlockMessage, SamplerMessage, SamplerMessageHeader, SimdMode
from texsamp.surface.layout.multisample import mcs_description
from texsamp.surface.surface import Surface

pytestmark = pytest.mark.usefixtures("each_place")

TRILINEAR = {"min_filter": "linear", "mag_filter": "linear", "mip_filter": "linear"}


@pytest.mark.parametrize("simd", [SimdMode.SIMD8, SimdMode.SIMD16])
@pytest.mark.parametrize("predicate", [None, 0xB36D])
def test_sample_takes_the_lod_of_four_lanes(simd, predicate):
    rng = np.random.default_rng(simd)
    surface = random_surface(rng, mips="box")
    sampler = Sampler(**TRILINEAR, address=("wrap", "mirror", "clamp"))
    lanes = Lanes(rng, simd)
    u, v, bias = lanes.draw(), lanes.draw(), lanes.draw(-2, 2)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, simd, u=u, v=v)
    check_message(request, surface, sampler, sample(surface, sampler, quads(u), quads(v)), predicate)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_B, simd, bias=bias, u=u, v=v)
    expected = sample(surface, sampler, quads(u), quads(v), bias=quads(bias))
    check_message(request, surface, sampler, expected, predicate)


@pytest.mark.parametrize("simd", [SimdMode.SIMD8, SimdMode.SIMD16, SimdMode.SIMD4X2])
def test_sample_at_given_lods_and_gradients(simd):
    rng = np.random.default_rng(simd)
    surface = random_surface(rng, mips="box")
    sampler = Sampler(**TRILINEAR)
    lanes = Lanes(rng, simd)
    u, v, lod = lanes.draw(), lanes.draw(), lanes.draw(-1, 6)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L, simd, lod=lod, u=u, v=v)
    check_message(request, surface, sampler, sample(surface, sampler, u, v, lod=lod))
    if simd == SimdMode.SIMD16:
        return
    steps = {name: lanes.draw(-0.2, 0.2) for name in ("dudx", "dudy", "dvdx", "dvdy")}
    request = SamplerRequest.build(SamplerMessage.SAMPLE_D, simd, u=u, v=v, **steps)
    gradients = [[steps["dudx"], steps["dvdx"]], [steps["dudy"], steps["dvdy"]]]
    check_message(request, surface, sampler, sample(surface, sampler, u, v, gradients=gradients))


def test_offsets_and_masks_of_the_header():
    rng = np.random.default_rng(4)
    surface = random_surface(rng, mips="box")
    sampler = Sampler(**TRILINEAR)
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    header = SamplerMessageHeader(u_offset=-3, v_offset=5)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, header=header, u=u, v=v)
    check_message(request, surface, sampler, sample(surface, sampler, quads(u), quads(v), offset=(-3, 5)))
    forced = SamplerMessageHeader(gather_channel=1)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, header=forced, u=u, v=v)
    check_message(request, surface, sampler, sample(surface, sampler, u, v, lod=0.0))


@pytest.mark.parametrize(
    ("type", "shape", "names", "layer"),
    [
        ("1D", (32, 4), "u", None),
        ("1D", (3, 32, 4), "u", "v"),
        ("2D", (3, 16, 16, 4), "uv", "r"),
        ("3D", (8, 8, 8, 4), "uvr", None),
        ("CUBE", (6, 8, 8, 4), "uvr", None),
    ],
)
def test_every_type_of_surface(type, shape, names, layer):
    rng = np.random.default_rng(len(shape))
    surface = random_surface(rng, shape, type=type)
    sampler = Sampler(min_filter="linear", mag_filter="linear", address="clamp")
    lanes = Lanes(rng, SimdMode.SIMD8)
    values = {name: lanes.draw() for name in names}
    if type == "CUBE":
        largest = np.maximum.reduce([abs(value) for value in values.values()])
        values = {name: value / largest for name, value in values.items()}
    more = {}
    if layer:
        more["layer"] = quads(lanes.draw(-0.6, 3.6))
    request = SamplerRequest.build(
        SamplerMessage.SAMPLE, SimdMode.SIMD8, **values, **({layer: more["layer"].reshape(THREADS, 8)} if layer else {})
    )
    expected = sample(surface, sampler, *(quads(value) for value in values.values()), **more)
    check_message(request, surface, sampler, expected)


def test_coordinates_that_are_not_sent_are_0():
    rng = np.random.default_rng(5)
    surface, sampler = random_surface(rng, (6, 8, 8, 4), type="CUBE"), Sampler(address="clamp", mip_filter="none")
    v = Lanes(rng, SimdMode.SIMD8).draw(-1, 1)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=np.ones_like(v), v=v)
    check_message(request, surface, sampler, sample(surface, sampler, np.ones_like(v), v, 0 * v, lod=0.0))


def test_comparisons():
    rng = np.random.default_rng(6)
    surface = random_surface(rng, (16, 16, 1), "R32_FLOAT")
    sampler = Sampler(min_filter="linear", mag_filter="linear", shadow="less")
    lanes = Lanes(rng, SimdMode.SIMD16)
    u, v, ref = lanes.draw(), lanes.draw(), lanes.draw(0, 1)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_C, SimdMode.SIMD16, ref=ref, u=u, v=v)
    check_message(request, surface, sampler, sample(surface, sampler, quads(u), quads(v), compare=quads(ref)))
    bias = lanes.draw(-1, 1)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_B_C, SimdMode.SIMD16, ref=ref, bias=bias, u=u, v=v)
    expected = sample(surface, sampler, quads(u), quads(v), compare=quads(ref), bias=quads(bias))
    check_message(request, surface, sampler, expected)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L_C, SimdMode.SIMD16, ref=ref, lod=0 * ref, u=u, v=v)
    check_message(request, surface, sampler, sample(surface, sampler, u, v, compare=ref, lod=0.0))


@pytest.mark.parametrize("channel", [0, 2])
def test_gathers(channel):
    rng = np.random.default_rng(7)
    surface, sampler = random_surface(rng), Sampler(mip_filter="none", rounding=False)
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    header = SamplerMessageHeader(gather_channel=channel)
    request = SamplerRequest.build(SamplerMessage.GATHER4, SimdMode.SIMD8, header=header, u=u, v=v)
    check_message(request, surface, sampler, gather4(surface, sampler, u, v, channel="rgba"[channel]))


def test_gathers_compare():
    rng = np.random.default_rng(14)
    surface = random_surface(rng, (16, 16, 1), "R32_FLOAT")
    sampler = Sampler(mip_filter="none", rounding=False, shadow="gequal")
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v, ref = lanes.draw(), lanes.draw(), lanes.draw(0, 1)
    request = SamplerRequest.build(SamplerMessage.GATHER4_C, SimdMode.SIMD8, ref=ref, u=u, v=v)
    check_message(request, surface, sampler, gather4(surface, sampler, u, v, compare=ref))


def test_no_pixel_is_killed_without_a_chroma_key():
    rng = np.random.default_rng(15)
    surface, sampler, lanes = random_surface(rng), Sampler(), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.SAMPLE_KILLPIX, SimdMode.SIMD8, u=u, v=v)
    found = run_message(request, surface, sampler.state)
    results = decode_response(request, found[:, :5].copy())
    expected = np.asarray(sample(surface, sampler, quads(u), quads(v))).reshape(THREADS, 8, 4)
    assert np.array_equal(results.values, expected)
    assert not results.killed.any()


KEY = ((40, 0, 0, 0), (170, 255, 255, 255))
LOAD_KEY = ChromaKey(index=2, low_red=40, high_red=170, high_green=255, high_blue=255, high_alpha=255)


@pytest.mark.parametrize("mode", ["kill", "replace"])
def test_chroma_keys_kill_and_replace(mode):
    rng = np.random.default_rng(18)
    surface, lanes = random_surface(rng, format="B8G8R8A8_UNORM"), Lanes(rng, SimdMode.SIMD8)
    sampler = Sampler(chroma_key=KEY, chroma_key_mode=mode, mip_filter="none")
    state = sampler.state.replace(chroma_key_index=2)
    other = ChromaKey(index=1, high_red=255, high_green=255, high_blue=255, high_alpha=255)
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.SAMPLE_KILLPIX, SimdMode.SIMD8, u=u, v=v)
    found = run_message(request, surface, state, commands=[LOAD_KEY, other])
    results = decode_response(request, found[:, :5].copy())
    values, killed = sample_killpix(surface, sampler, quads(u), quads(v))
    assert np.array_equal(results.values, np.asarray(values).reshape(THREADS, 8, 4))
    assert np.array_equal(results.killed, np.asarray(killed).reshape(THREADS, 8))
    assert results.killed.any() == (mode == "kill") and not results.killed.all()


def test_blocks_return_what_is_killed():
    rng = np.random.default_rng(19)
    surface = random_surface(rng, format="B8G8R8A8_UNORM")
    sampler = Sampler(chroma_key=KEY, mip_filter="none", min_filter="nearest", mag_filter="nearest", address="clamp")
    u, v = (rng.uniform(0, 0.5, (THREADS, 1)).astype(np.float32) for _ in range(2))
    du, dv = (np.full((THREADS, 1), 1 / size, np.float32) for size in (24, 16))
    message = BlockMessage.SAMPLE_UNORM_KILLPIX
    header = SamplerMessageHeader()
    request = SamplerRequest.build(message, SimdMode.SIMD32_64, header=header, u=u, v=v, du=du, dv=dv)
    found = run_message(request, surface, sampler.state.replace(chroma_key_index=2), commands=[LOAD_KEY])
    killed = decode_response(request, found[:, :9].copy()).killed
    for thread in range(THREADS):
        x, y = np.tile(np.arange(8, dtype=np.float32), 4), np.repeat(np.arange(4, dtype=np.float32), 8)
        places = u[thread] + du[thread] * x, v[thread] + dv[thread] * y
        assert np.array_equal(killed[thread], np.asarray(sample_killpix(surface, sampler, *places, lod=0.0)[1]))
    assert killed.any() and not killed.all()


def test_keys_must_be_loaded():
    sampler = Sampler(chroma_key=KEY)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=np.zeros((1, 8), np.float32))
    with pytest.raises(CaptureError, match="chroma key 0 is used and was not loaded"):
        surface = random_surface(np.random.default_rng(20), format="B8G8R8A8_UNORM")
        run_message(request, surface, sampler.state, commands=[LOAD_KEY])


@pytest.mark.parametrize("number", [0, 1])
def test_palettes_are_loaded(number):
    rng = np.random.default_rng(21)
    indices = rng.integers(0, 256, (16, 24, 1)).astype(np.uint8)
    surface = Surface.from_array(indices, f"P8_UNORM_PALETTE{number}", device="cpu")
    palettes = rng.integers(0, 1 << 32, (2, 256), dtype=np.uint32)
    commands = [load(tail=p.tolist()) for load, p in zip((PaletteLoad0, PaletteLoad1), palettes, strict=True)]
    commands.append((PaletteLoad0, PaletteLoad1)[number](tail=[7, 8, 9]))
    palettes[number, :3] = 7, 8, 9
    sampler, lanes = Sampler(mip_filter="none", rounding=False), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=u, v=v)
    expected = sample(surface, sampler, quads(u), quads(v), palette=palettes[number])
    check_message(request, surface, sampler, expected, commands=commands)
    x, y = rng.integers(-1, 25, (2, THREADS, 8))
    request = SamplerRequest.build(SamplerMessage.LD, SimdMode.SIMD8, u=x, v=y, lod=0 * x)
    check_message(request, surface, None, load(surface, x, y, palette=palettes[number]), commands=commands)
    request = SamplerRequest.build(SamplerMessage.GATHER4, SimdMode.SIMD8, u=u, v=v)
    expected = gather4(surface, sampler, u, v, palette=palettes[number])
    check_message(request, surface, sampler, expected, commands=commands)


def test_monochrome_filter_has_the_size_that_was_loaded():
    rng = np.random.default_rng(22)
    bits = rng.integers(0, 256, (16, 32, 1)).astype(np.uint8)
    surface = Surface.from_array(bits, "MONO8", device="cpu")
    sampler, lanes = Sampler(mono_size=(3, 5), mip_filter="none", address="border"), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD8, lod=0 * u, u=u, v=v)
    expected = sample(surface, sampler, u, v, lod=0.0)
    assert len(np.unique(expected)) > 2
    check_message(request, surface, sampler, expected, commands=[MonofilterSize(width=3, height=5)])


def test_gathers_with_an_offset_for_every_lane():
    rng = np.random.default_rng(8)
    surface, sampler = random_surface(rng), Sampler(mip_filter="none", rounding=False)
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    offsets = rng.integers(-32, 32, (2, THREADS, 8))
    request = SamplerRequest.build(
        SamplerMessage.GATHER4_PO, SimdMode.SIMD8, u=u, v=v, offu=offsets[0], offv=offsets[1]
    )
    expected = np.empty((THREADS, 8, 4), np.float32)
    for thread in range(THREADS):
        for lane in range(8):
            place = thread, lane
            offset = tuple(int(part[place]) for part in offsets)
            expected[place] = gather4(surface, sampler, u[place], v[place], offset=offset)
    check_message(request, surface, sampler, expected)


def test_gathers_compare_with_an_offset_for_every_lane():
    rng = np.random.default_rng(23)
    surface = random_surface(rng, (16, 16, 1), "R32_FLOAT")
    sampler = Sampler(mip_filter="none", rounding=False, shadow="gequal")
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v, ref = lanes.draw(), lanes.draw(), lanes.draw(0, 1)
    parts = rng.integers(-32, 32, (2, THREADS, 8))
    request = SamplerRequest.build(
        SamplerMessage.GATHER4_PO_C, SimdMode.SIMD8, ref=ref, u=u, v=v, offu=parts[0], offv=parts[1]
    )
    expected = np.empty((THREADS, 8, 4), np.float32)
    for place in np.ndindex(THREADS, 8):
        offset = int(parts[0][place]), int(parts[1][place])
        expected[place] = gather4(surface, sampler, u[place], v[place], offset=offset, compare=ref[place])
    assert 0 < expected.mean() < 1
    check_message(request, surface, sampler, expected)


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R32G32B32A32_UINT", "R32G32B32A32_FLOAT"])
@pytest.mark.parametrize("simd", [SimdMode.SIMD8, SimdMode.SIMD4X2])
def test_loads(format, simd):
    rng = np.random.default_rng(9)
    surface = random_surface(rng, format=format)
    shape = (THREADS, LANES[simd])
    u, v, lod = rng.integers(-2, 26, shape), rng.integers(-2, 18, shape), rng.integers(-1, 2, shape)
    request = SamplerRequest.build(SamplerMessage.LD, simd, u=u, v=v, lod=lod)
    check_message(request, surface, None, load(surface, u, v, level=lod))
    header = SamplerMessageHeader(u_offset=2, v_offset=-1)
    request = SamplerRequest.build(SamplerMessage.LD, simd, header=header, u=u, v=v, lod=lod)
    check_message(request, surface, None, load(surface, u + 2, v - 1, level=lod))


def _multisampled(rng, samples):
    return Surface.from_array(
        rng.integers(0, 256, (samples, 16, 24, 4)).astype(np.uint8), samples=samples, tiling="Y", device="cpu"
    )


@pytest.mark.parametrize("samples", [4, 8])
def test_loads_by_sample_and_by_slice(samples):
    rng = np.random.default_rng(9)
    surface, shape = _multisampled(rng, samples), (THREADS, 8)
    u, v, sample = rng.integers(-1, 25, shape), rng.integers(-1, 17, shape), rng.integers(0, samples, shape)
    mcs = rng.integers(0, 255 if samples == 4 else 1 << 24, shape)
    request = SamplerRequest.build(SamplerMessage.LD2DMS, SimdMode.SIMD8, si=sample, mcs=mcs, u=u, v=v)
    check_message(request, surface, None, load(surface, u, v, sample=sample, mcs=mcs))
    request = SamplerRequest.build(SamplerMessage.LD2DSS, SimdMode.SIMD8, ssi=sample, u=u, v=v)
    check_message(request, surface, None, load(surface, u, v, sample=sample))


@pytest.mark.parametrize("color", [(0, 0, 0, 0), (1, 0, 1, 0), (0, 1, 1, 1)])
def test_clear_pixels_have_the_clear_color_of_the_state(color):
    """Seed 003:2574-2603: a bit for each channel, 0 or 1."""
    rng = np.random.default_rng(19)
    surface, shape = _multisampled(rng, 4), (THREADS, 8)
    u, v = rng.integers(0, 24, shape), rng.integers(0, 16, shape)
    mcs = np.where(rng.random(shape) < 0.5, 0xFF, 0)
    request = SamplerRequest.build(SamplerMessage.LD2DMS, SimdMode.SIMD8, si=0 * u, mcs=mcs, u=u, v=v)
    expected = np.asarray(load(surface, u, v, sample=0 * u, mcs=0 * mcs))
    expected = np.where((mcs == 0xFF)[..., None], np.float32(color), expected)
    fields = dict(zip(("red_clear", "green_clear", "blue_clear", "alpha_clear"), color, strict=True))
    check_message(request, surface, None, expected, **fields)


@pytest.mark.parametrize("samples", [4, 8])
@pytest.mark.parametrize("enabled", [True, False])
def test_loads_of_the_control_surface(samples, enabled):
    rng = np.random.default_rng(17)
    surface, shape = _multisampled(rng, samples), (THREADS, 8)
    format = mcs_description(surface.description).format
    elements = rng.integers(0, 256, (16, 24, 1)).astype(np.uint8 if samples == 4 else np.uint32)
    control = Surface.from_array(elements, format, tiling="Y", device="cpu")
    u, v = rng.integers(-1, 25, shape), rng.integers(-1, 17, shape)
    header = SamplerMessageHeader(u_offset=1, v_offset=-2)
    request = SamplerRequest.build(SamplerMessage.LD_MCS, SimdMode.SIMD8, header=header, u=u, v=v, lod=0 * u)
    expected = np.asarray(load_mcs(control, u + 1, v - 2))
    assert len(np.unique(expected)) > 8
    fields = {"mcs_enable": True, "mcs_base_address": data_address(2), "mcs_pitch": control.layout.pitch_B // 128}
    options = {"more": [np.asarray(control.data).tobytes()], **fields} if enabled else {}
    check_message(request, surface, None, expected if enabled else 0 * expected, **options)


def test_sampleinfo_counts_samples():
    surface = _multisampled(np.random.default_rng(9), 8)
    request = SamplerRequest.build(SamplerMessage.SAMPLEINFO, SimdMode.SIMD8, header=SamplerMessageHeader())
    found = run_message(request, surface, None, sample_palette=5)
    values = decode_response(request, found[:, :4].copy(), np.dtype(np.uint32)).values
    assert np.array_equal(values[0], np.tile(sampleinfo(surface, 5), (8, 1)))
    assert values[0, 0].tolist() == [8, 0, 0, 6]


def _null_messages():
    x, wide = np.full((THREADS, 8), 0.4), np.full((THREADS, 1), 0.01)
    both = {"u": x, "v": x}
    yield SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, **both)
    yield SamplerRequest.build(SamplerMessage.SAMPLE_KILLPIX, SimdMode.SIMD8, **both)
    yield SamplerRequest.build(SamplerMessage.SAMPLE_B_C, SimdMode.SIMD8, ref=x, bias=x, **both)
    yield SamplerRequest.build(SamplerMessage.GATHER4, SimdMode.SIMD8, **both)
    yield SamplerRequest.build(SamplerMessage.LOD, SimdMode.SIMD8, **both)
    places = {"u": x.astype(int), "v": x.astype(int)}
    yield SamplerRequest.build(SamplerMessage.LD, SimdMode.SIMD8, **places)
    yield SamplerRequest.build(SamplerMessage.LD_MCS, SimdMode.SIMD8, **places)
    yield SamplerRequest.build(SamplerMessage.LD2DMS, SimdMode.SIMD8, si=x.astype(int), mcs=x.astype(int), **places)
    yield SamplerRequest.build(SamplerMessage.RESINFO, SimdMode.SIMD8, lod=x.astype(int))
    yield SamplerRequest.build(SamplerMessage.SAMPLEINFO, SimdMode.SIMD8, header=SamplerMessageHeader())
    steps = {"u": wide, "v": wide, "du": wide, "dv": wide}
    yield SamplerRequest.build(
        BlockMessage.SAMPLE_UNORM_KILLPIX, SimdMode.SIMD32_64, header=SamplerMessageHeader(), **steps
    )


@pytest.mark.parametrize("request_", list(_null_messages()), ids=lambda request: request.message.name)
@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R32_SINT"])
def test_every_message_reads_zeros_from_a_null_surface(request_, format):
    """Other fields are ignored: the surface that they describe is larger than its memory."""
    surface = random_surface(np.random.default_rng(19))
    found = run_message(
        request_, surface, Sampler(address="border").state, surface_type="SURFTYPE_NULL", format=format, height=4000
    )
    kills = request_.message.name in ("SAMPLE_KILLPIX", "SAMPLE_UNORM_KILLPIX")
    length = 8 if request_.simd == SimdMode.SIMD32_64 else 4
    results = decode_response(request_, found[:, : length + kills].copy(), np.uint32)
    assert not results.values.any()
    assert not found[:, :length].any()
    assert not kills or not results.killed.any()
    assert (found[:, length + kills :] == 0xEEEEEEEE).all()


@pytest.mark.parametrize("header", [None, SamplerMessageHeader()])
def test_a_cache_flush_changes_nothing(header):
    request = SamplerRequest.build(BlockMessage.CACHE_FLUSH, SimdMode.SIMD32_64, header=header, binding_table_index=200)
    found = run_message(request, random_surface(np.random.default_rng(18)), None)
    assert (found == 0xEEEEEEEE).all()


def test_what_a_surface_says_about_itself():
    rng = np.random.default_rng(10)
    surface, lanes = random_surface(rng, mips="box"), Lanes(rng, SimdMode.SIMD8)
    levels = rng.integers(0, 7, (THREADS, 8))
    levels[0, 0] = 0xFFFFFFFF
    request = SamplerRequest.build(SamplerMessage.RESINFO, SimdMode.SIMD8, lod=levels)
    check_message(request, surface, None, resinfo(surface, np.minimum(levels, 40)))
    sampler = Sampler(**TRILINEAR)
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.LOD, SimdMode.SIMD8, u=u, v=v)
    found = query_lod(surface, sampler, quads(u), quads(v))
    check_message(request, surface, sampler, np.concatenate([found, 0 * found], axis=-1))


@pytest.mark.parametrize("mode", ["dx10", "dx9"])
def test_border_colors_are_read(mode):
    rng = np.random.default_rng(11)
    surface, lanes = random_surface(rng), Lanes(rng, SimdMode.SIMD8)
    color = (0.25, 0.5, 0.75, 1.0) if mode == "dx10" else (51 / 255, 102 / 255, 153 / 255, 1.0)
    sampler = Sampler(address="border", border=color, border_mode=mode)
    pointing = Sampler.from_state(sampler.state.replace(border_color_pointer=COEFFICIENTS_AT), color)
    data = BorderColorState(color=color) if mode == "dx10" else BorderColorStateDx9(color_unorm8=(51, 102, 153, 255))
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=u, v=v)
    expected = sample(surface, sampler, quads(u), quads(v))
    check_message(request, surface, pointing, expected, None, data.pack())


@pytest.mark.parametrize("faces", [0b011010, 0b111111])
def test_disabled_faces_of_cubes_are_the_border(faces):
    rng = np.random.default_rng(12)
    surface, lanes = random_surface(rng, (6, 8, 8, 4), type="CUBE"), Lanes(rng, SimdMode.SIMD8)
    color = (0.2, 0.4, 0.6, 1.0)
    sampler = Sampler(mip_filter="none", rounding=False, border=color)
    pointing = Sampler.from_state(sampler.state.replace(border_color_pointer=COEFFICIENTS_AT), color)
    directions = np.stack([lanes.draw(-1, 1) for _ in range(3)])
    u, v, w = directions / abs(directions).max(axis=0)
    data = BorderColorState(color=color).pack()
    for message, expected in [
        (SamplerMessage.SAMPLE_L, sample(surface, sampler, u, v, w, lod=0, cube_faces=faces)),
        (SamplerMessage.GATHER4, gather4(surface, sampler, u, v, w, cube_faces=faces)),
    ]:
        request = SamplerRequest.build(message, SimdMode.SIMD8, u=u, v=v, r=w)
        check_message(request, surface, pointing, expected, None, data, cube_faces=faces)
        assert len(np.unique(expected[..., 0])) > 5
        assert np.isclose(expected[..., 0], 0.2).any() == (faces != 0b111111)


@pytest.mark.parametrize("message", sorted(SAMPLE_UNORM))
@pytest.mark.parametrize("masked", [0b0000, 0b1101])
def test_blocks_of_evenly_spaced_texels(message, masked):
    rng = np.random.default_rng(16)
    surface = random_surface(rng)
    sampler = Sampler(mip_filter="none", address="clamp")
    u, v = (rng.uniform(-0.1, 0.9, (THREADS, 1)).astype(np.float32) for _ in range(2))
    du, dv = (rng.uniform(0, 2 / size, (THREADS, 1)).astype(np.float32) for size in (24, 16))
    header = SamplerMessageHeader(masked_channels=[bool(masked >> c & 1) for c in range(4)])
    request = SamplerRequest.build(BlockMessage[message], SimdMode.SIMD32_64, header=header, u=u, v=v, du=du, dv=dv)
    length = 2 * (4 - masked.bit_count()) + ("KILLPIX" in message)
    found = run_message(request, surface, sampler.state)
    results = decode_response(request, found[:, :length].copy())
    for thread in range(THREADS):
        x, y = np.tile(np.arange(8, dtype=np.float32), 4), np.repeat(np.arange(4, dtype=np.float32), 8)
        texels = sample(surface, sampler, u[thread] + du[thread] * x, v[thread] + dv[thread] * y, lod=0.0)
        codes = np.floor(np.asarray(texels).astype(np.float64) * 0xFF00 + 0.5).astype(int)
        codes[:, [c for c in range(4) if masked >> c & 1]] = 0
        assert np.array_equal(results.values[thread], codes)
    assert (found[:, length:] == 0xEEEEEEEE).all()


def test_surfaces_end_with_their_memory():
    surface = random_surface(np.random.default_rng(13))
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=np.zeros((1, 8)), v=0.0)
    with pytest.raises(CaptureError, match="the surface takes"):
        run_message(request, surface, Sampler().state, height=4000)
