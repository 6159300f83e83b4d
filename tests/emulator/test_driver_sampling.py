"""What drivers program though the manual forbids it: rounding and mip filters that nothing uses, overlapping rows."""

import re

import numpy as np
import pytest
from support.captures import buffer, capture_bytes
from support.texturing import COEFFICIENTS_AT, THREADS, Lanes, check_message, quads, random_surface, run_message

from texsamp.emulator import Capture, CaseMemory
from texsamp.emulator.context.surfaces import SurfaceTable
from texsamp.sampler.load import load
from texsamp.sampler.messages import SamplerRequest
from texsamp.sampler.sample import gather4, query_lod, sample
from texsamp.sampler.sampler import Sampler
from texsamp.state import SurfaceType
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.sampler_messages import SamplerMessage, SamplerMessageHeader, SimdMode
from texsamp.surface.layout import SurfaceDescription, SurfaceLayout, SurfaceView
from texsamp.surface.surface import Surface


def test_gathers_ignore_the_rounding_of_coordinates():
    """Drivers leave the bits set for linear filters; the manual wants them clear (003:3460)."""
    rng = np.random.default_rng(27)
    surface, lanes = random_surface(rng), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.GATHER4, SimdMode.SIMD8, u=u, v=v)
    found = [
        run_message(request, surface, Sampler(mip_filter="none", rounding=rounding).state)
        for rounding in (True, False, (True, False))
    ]
    check_message(
        request, surface, Sampler(mip_filter="none", rounding=True), gather4(surface, Sampler(rounding=False), u, v)
    )
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("mip_filter", ["none", "nearest", "linear"])
def test_gathers_ignore_the_mip_filter(mip_filter):
    """LOD is forced to 0 (003:4743); drivers leave the filter that sampling has, the manual wants NONE (003:4763)."""
    rng = np.random.default_rng(29)
    surface, lanes = random_surface(rng, (13, 21, 4), mips="box"), Lanes(rng, SimdMode.SIMD16)
    u, v = lanes.draw(), lanes.draw()
    request = SamplerRequest.build(SamplerMessage.GATHER4, SimdMode.SIMD16, u=u, v=v)
    first = Surface.from_array(surface.to_array(), surface.format)
    expected = gather4(first, Sampler(mip_filter="none"), u, v)
    check_message(request, surface, Sampler(mip_filter=mip_filter), expected, mip_count=3)


@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("level", [0, 1, 3])
def test_coordinates_in_texels_of_the_one_level_that_is_seen(filter, level):
    """LOD 0 is the level that Surface Min LOD names; the mip filter NEAREST has nothing to choose."""
    rng = np.random.default_rng(level)
    surface = random_surface(rng, (13, 21, 4), mips="box")
    alone = Surface.from_array(surface.to_array(level=level), surface.format)
    width, height = alone.level_size_px(0)[:2]
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v, lod = lanes.draw(-2, width + 2), lanes.draw(-2, height + 2), lanes.draw(0, 0)
    options = {"min_filter": filter, "mag_filter": filter, "address": "clamp", "max_lod": 0.0}
    expected = sample(alone, Sampler(**options, mip_filter="none", normalized=False), u, v)
    for mip_filter in ("none", "nearest"):
        sampler = Sampler(**options, mip_filter=mip_filter, normalized=False)
        request = SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD8, lod=lod, u=u, v=v)
        check_message(request, surface, sampler, expected, surface_min_lod=level, mip_count=0)


@pytest.mark.usefixtures("each_place")
@pytest.mark.parametrize("address", ["wrap", ("clamp", "cube", "clamp"), ("mirror", "clamp", "clamp")])
def test_cubes_clamp_where_they_are_told_what_they_cannot_do(address):
    """Mesa's driver leaves WRAP in the state of a sampler that a 2D surface had before the cube (003:3518)."""
    rng = np.random.default_rng(21)
    surface = random_surface(rng, (6, 4, 4, 4), type="CUBE")
    filters = {"min_filter": "linear", "mag_filter": "linear"}
    told = Sampler(**filters, address=address, cube="programmed")
    clamped = Sampler(**filters, address="clamp", cube="programmed")
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v, w = np.sign(lanes.draw(-1, 1)), lanes.draw(-1, 1), lanes.draw(-1, 1)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=u, v=v, r=w)
    check_message(request, surface, told, sample(surface, clamped, quads(u), quads(v), quads(w)))


@pytest.mark.usefixtures("each_place")
@pytest.mark.parametrize(("type", "shape"), [("3D", (4, 5, 6, 4)), ("CUBE", (6, 4, 4, 4))])
@pytest.mark.parametrize("format", ["R8G8B8A8_UINT", "R32G32B32A32_UINT"])
def test_integers_of_volumes_and_cubes_are_the_nearest_texel(type, shape, format):
    """OpenGL has samplers for them, and this hardware runs its programs; the manual forbids them (003:4646)."""
    rng = np.random.default_rng(22)
    surface, lanes = random_surface(rng, shape, format, type=type), Lanes(rng, SimdMode.SIMD8)
    u, v, w = lanes.draw(0, 1), lanes.draw(0, 1), lanes.draw(0, 1)
    texels = np.asarray(surface.to_array()).astype(np.uint32)
    if type == "3D":
        z, y, x = (np.floor(c * size).astype(int) for c, size in zip((w, v, u), shape, strict=False))
    else:
        u = np.ones_like(u)  # the face +X: s is -w, t is -v
        z, y, x = np.zeros(u.shape, int), np.floor((1 - v) * 2).astype(int), np.floor((1 - w) * 2).astype(int)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=u, v=v, r=w)
    check_message(request, surface, Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="nearest",
                                            address="clamp"), texels[z, y, x])  # fmt: skip


@pytest.mark.usefixtures("each_place")
@pytest.mark.parametrize("channel", [0, 3])
def test_integers_are_gathered(channel):
    """As above (003:4743): lower left, lower right, upper right and upper left of a linear filter's four."""
    rng = np.random.default_rng(23)
    surface, lanes = random_surface(rng, (8, 16, 4), "R16G16B16A16_UINT"), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(0.1, 0.9), lanes.draw(0.1, 0.9)
    sampler = Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none", address="clamp")
    x, y = np.floor(u * 16 - 0.5).astype(int), np.floor(v * 8 - 0.5).astype(int)
    texels = np.asarray(surface.to_array())[:, :, channel].astype(np.uint32)
    expected = np.stack([texels[y + 1, x], texels[y + 1, x + 1], texels[y, x + 1], texels[y, x]], -1)
    header = SamplerMessageHeader(gather_channel=channel)
    request = SamplerRequest.build(SamplerMessage.GATHER4, SimdMode.SIMD8, header=header, u=u, v=v)
    check_message(request, surface, sampler, expected)


@pytest.mark.usefixtures("each_place")
@pytest.mark.parametrize(
    ("format", "codes", "expected"),
    [
        ("R32G32B32A32_UINT", (0x7F800001, 0xFFFFFFFF, 0x80000000, 3), (0x7F800001, 0xFFFFFFFF, 0x80000000, 3)),
        ("R32G32_SINT", (-5, 0x7FFFFFFF, 7, 7), (-5, 0x7FFFFFFF, 0, 1)),
        ("R16G16B16A16_SINT", (9000, -9000, 40000, -40000), (9000, -9000, 32767, -32768)),
        ("R8_UINT", (200, 7, 7, 7), (200, 0, 0, 1)),
    ],
)
def test_integers_have_the_border_color_that_is_stored_as_integers(format, codes, expected):
    """OpenGL has it, and Mesa stores the program's integers whatever the format; the manual forbids it (003:4646).

    0x7F800001 is a signaling NaN as a float.
    """
    rng = np.random.default_rng(24)
    channels, kind = len(expected), np.int32 if "SINT" in format else np.uint32
    stored = len(re.findall(r"[RGBA](?=\d)", format))
    bits = 32 if "32" in format else 16 if "16" in format else 8
    texels = rng.integers(0, 100, (8, 16, stored)).astype(f"{'i' if kind is np.int32 else 'u'}{bits // 8}")
    surface, lanes = Surface.from_array(texels, format, device="cpu"), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    sampler = Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="nearest", address="border")
    pointing = Sampler.from_state(sampler.state.replace(border_color_pointer=COEFFICIENTS_AT))
    x, y = np.floor(u * 16).astype(int), np.floor(v * 8).astype(int)
    inside = (x >= 0) & (x < 16) & (y >= 0) & (y < 8)
    want = np.broadcast_to(np.array((0, 0, 0, 1), kind), (*u.shape, channels)).copy()
    want[..., :stored] = texels[np.clip(y, 0, 7), np.clip(x, 0, 15)]
    want[~inside] = np.array(expected, np.int64).astype(kind)
    assert inside.any()
    assert not inside.all()
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD8, lod=0 * u, u=u, v=v)
    data = np.array(codes, np.int64).astype("<u4").tobytes()
    check_message(request, surface, pointing, want, border=data)


@pytest.mark.usefixtures("each_place")
def test_disabled_faces_of_integer_cubes_are_the_border_of_integers():
    rng = np.random.default_rng(25)
    texels = rng.integers(0, 100, (6, 4, 4, 1)).astype(np.int32)
    surface, lanes = Surface.from_array(texels, "R32_SINT", type="CUBE", device="cpu"), Lanes(rng, SimdMode.SIMD8)
    u, v, w = np.sign(lanes.draw(-1, 1)), lanes.draw(-0.9, 0.9), lanes.draw(-0.9, 0.9)
    sampler = Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
    pointing = Sampler.from_state(sampler.state.replace(border_color_pointer=COEFFICIENTS_AT))
    x, y = np.floor((1 - np.sign(u) * w) * 2).astype(int), np.floor((1 - v) * 2).astype(int)
    want = np.zeros((*u.shape, 4), np.int32)
    want[..., 3] = 1
    want[..., 0] = np.where(u > 0, texels[0, y, x, 0], -123456789)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD8, lod=0 * u, u=u, v=v, r=w)
    data = np.array((-123456789, 1, 2, 3), np.int32).tobytes()
    check_message(request, surface, pointing, want, border=data, cube_faces=0b011111)


@pytest.mark.usefixtures("each_place")
@pytest.mark.parametrize(
    ("bias", "limited"), [(20, 15.99609375), (-1000, -16), (np.inf, 15.99609375), (-np.inf, -16), (np.nan, 0)]
)
def test_biases_are_limited(bias, limited):
    """Programs of OpenGL add what they like to an LOD; the manual wants -16 to 16 (003:4661)."""
    rng = np.random.default_rng(26)
    surface, lanes = random_surface(rng, (16, 32, 4), mips="box"), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    sampler = Sampler(min_filter="linear", mag_filter="linear", mip_filter="linear")
    given = np.full_like(u, bias)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_B, SimdMode.SIMD8, bias=given, u=u, v=v)
    expected = sample(surface, sampler, quads(u), quads(v), bias=np.full_like(quads(u), limited))
    check_message(request, surface, sampler, expected)


@pytest.mark.usefixtures("each_place")
@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R32G32_FLOAT", "R8_UNORM"])
def test_texels_of_every_format_are_compared(format):
    """OpenGL's driver has a texture of RGBA where a program bound none; the manual wants depth formats (003:4677).

    The first channel is compared, and what comes of it is in all channels that the format has.
    """
    rng = np.random.default_rng(30)
    stored = len(re.findall(r"[RGBA](?=\d)", format))
    codes = rng.integers(0, 256, (8, 16, stored))
    texels = codes.astype(np.uint8) if "UNORM" in format else (codes / 255).astype(np.float32)
    surface, lanes = Surface.from_array(texels, format, device="cpu"), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(0, 1), lanes.draw(0, 1)
    ref = (rng.integers(0, 256, u.shape) / 255).astype(np.float32)
    x, y = np.floor(u * 16).astype(int), np.floor(v * 8).astype(int)
    red = codes[y, x, 0].astype(np.float32) / np.float32(255) if "UNORM" in format else texels[y, x, 0]
    expected = np.broadcast_to(np.array((0, 0, 0, 1), np.float32), (*u.shape, 4)).copy()
    expected[..., :stored] = np.where(red < ref, 0, 1)[..., None]
    nearest = {"min_filter": "nearest", "mag_filter": "nearest", "mip_filter": "none", "address": "clamp"}
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L_C, SimdMode.SIMD8, ref=ref, lod=0 * u, u=u, v=v)
    check_message(request, surface, Sampler(shadow="less", **nearest), expected)
    assert len(np.unique(expected[..., 0])) == 2
    x, y = np.floor(u * 16 - 0.5).astype(int), np.floor(v * 8 - 0.5).astype(int)
    around = [(y + 1, x), (y + 1, x + 1), (y, x + 1), (y, x)]
    four = np.stack([codes[np.clip(j, 0, 7), np.clip(i, 0, 15), 0] for j, i in around], -1)
    expected = np.where((four / 255).astype(np.float32) < ref[..., None], 0, 1).astype(np.float32)
    request = SamplerRequest.build(SamplerMessage.GATHER4_C, SimdMode.SIMD8, ref=ref, u=u, v=v)
    check_message(request, surface, Sampler(shadow="less", **nearest), expected)


@pytest.mark.usefixtures("each_place")
@pytest.mark.parametrize("type", ["3D", "2D"])
def test_filters_that_a_surface_cannot_have_are_the_nearest_it_can(type):
    """Programs set them, and Mesa hands them on: anisotropy of volumes and rectangles, linear filters of integers."""
    rng = np.random.default_rng(31)
    lanes = Lanes(rng, SimdMode.SIMD8)
    u, v, w = lanes.draw(), lanes.draw(), lanes.draw()
    sharp = {"max_anisotropy": 8, "mip_filter": "linear"}
    if type == "3D":
        surface = random_surface(rng, (4, 5, 6, 4), type="3D")
        request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=u, v=v, r=w)
        expected = sample(surface, Sampler(mip_filter="linear"), quads(u), quads(v), quads(w))
        check_message(request, surface, Sampler(**sharp), expected)
        return
    surface = random_surface(rng)
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=20 * u, v=20 * v)
    plain = Sampler(mip_filter="none", normalized=False, address="clamp")
    told = Sampler(**sharp, normalized=False, lod_bias=1.5, min_lod=1)  # and address controls WRAP
    check_message(request, surface, told, sample(surface, plain, quads(20 * u), quads(20 * v)))
    integers = Surface.from_array(rng.integers(0, 99, (8, 16, 1)).astype(np.uint32), "R32_UINT", device="cpu")
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, u=u, v=v)
    nearest = Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="nearest", rounding=True)
    check_message(request, integers, Sampler(), sample(integers, nearest, quads(u), quads(v)))


@pytest.mark.usefixtures("each_place")
def test_surfaces_of_one_sample_are_loaded_from_by_sample():
    """OpenGL's driver has one where a program bound no texture with samples, and for textures of one sample."""
    rng = np.random.default_rng(33)
    surface, lanes = random_surface(rng), Lanes(rng, SimdMode.SIMD8)
    u, v, sample = lanes.draw(-1, 25).astype(int), lanes.draw(-1, 17).astype(int), lanes.draw(0, 4).astype(int)
    request = SamplerRequest.build(SamplerMessage.LD_MCS, SimdMode.SIMD8, u=u, v=v, lod=0 * u)
    check_message(request, surface, None, np.zeros((*u.shape, 4), np.uint32))
    request = SamplerRequest.build(SamplerMessage.LD2DMS, SimdMode.SIMD8, si=sample, mcs=0 * u, u=u, v=v)
    check_message(request, surface, None, load(surface, u, v))


@pytest.mark.usefixtures("each_place")
def test_formats_of_128_bits_have_8_samples():
    """The manual forbids it (003:2028-2032); OpenGL's driver has such textures. Slices of samples as of any format."""
    rng = np.random.default_rng(34)
    described = SurfaceDescription(
        SurfaceType.SURFTYPE_2D, "R32G32B32A32_UINT", 24, 16, tiling="Y", samples=8, wide_samples=True
    )
    layout = SurfaceLayout(described)
    data = rng.integers(0, 256, layout.size_B, np.uint8)
    surface = Surface(SurfaceView(layout, 0), data, "cpu")
    u, v, sample = (
        rng.integers(0, 24, (THREADS, 8)),
        rng.integers(0, 16, (THREADS, 8)),
        rng.integers(0, 8, (THREADS, 8)),
    )
    mcs = rng.integers(0, 1 << 24, (THREADS, 8))
    slices = mcs >> 3 * sample & 7
    rows = v + 16 * slices  # LOD0 spacing: slice after slice
    x_B = 16 * u
    at = (rows // 32 * (layout.pitch_B // 128) + x_B // 128) * 4096 + x_B % 128 // 16 * 512 + rows % 32 * 16
    expected = data[at[..., None] + np.arange(16)].view("<u4")
    request = SamplerRequest.build(SamplerMessage.LD2DMS, SimdMode.SIMD8, si=sample, mcs=mcs, u=u, v=v)
    check_message(request, surface, None, expected)


def test_other_fields_of_a_null_surface_may_hold_anything():
    """OpenGL's driver puts FFFFh, "no format", into its states: the type is NULL then, and reserved bits are set."""
    state = np.array([0xFFFD0000, 0x2430000, 0x3FFF007F, 0x7FE018CF, 0, 0x10000, 0, 0], "<u4")
    states = np.array([0x40], "<u4").tobytes() + bytes(0x3C) + state.tobytes()
    memory = CaseMemory()
    end = buffer(1, 0x1000, MiBatchBufferEnd().pack())
    memory.enter(Capture.from_bytes(capture_bytes(end, buffer(2, 0x10000, states))))
    assert SurfaceTable(memory, 0x10000, 0).render(0).surface_type == SurfaceType.SURFTYPE_NULL


def test_integers_have_an_lod():
    rng = np.random.default_rng(32)
    surface, lanes = random_surface(rng, (16, 32, 4), "R8G8B8A8_UINT"), Lanes(rng, SimdMode.SIMD8)
    u, v = lanes.draw(), lanes.draw()
    nearest = Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="nearest")
    alike = Surface.from_array(np.zeros((16, 32, 4), np.uint8), "R8G8B8A8_UNORM", device="cpu")
    found = query_lod(alike, nearest, quads(u), quads(v))
    request = SamplerRequest.build(SamplerMessage.LOD, SimdMode.SIMD8, u=u, v=v)
    check_message(request, surface, nearest, np.concatenate([found, 0 * found], axis=-1))


def test_rows_of_linear_surfaces_may_overlap():
    """Blits read small tables through a pitch below the width: texel (x, y) lies at y times the pitch and x texels."""
    rng = np.random.default_rng(28)
    surface, lanes = random_surface(rng, (5, 4, 4), "R32G32B32A32_UINT"), Lanes(rng, SimdMode.SIMD8)
    u, v, lod = (lanes.draw(0, most).astype(np.int32) for most in (4, 4, 0.5))
    texels = np.asarray(surface.data).view("<u4")
    expected = texels[(v * 8 + u * 4)[..., None] + np.arange(4)]
    request = SamplerRequest.build(SamplerMessage.LD, SimdMode.SIMD8, u=u, v=v, lod=lod)
    check_message(request, surface, None, expected, pitch=32)


def test_sizes_are_told_of_surfaces_that_are_not_read():
    surface = random_surface(np.random.default_rng(13))
    request = SamplerRequest.build(SamplerMessage.RESINFO, SimdMode.SIMD8, lod=np.zeros((THREADS, 8), np.int32))
    expected = np.broadcast_to(np.array([24, 4000, 0, 1], np.uint32), (THREADS, 8, 4))
    check_message(request, surface, Sampler(), expected, height=4000)


def test_elements_of_a_buffer_end_with_its_memory():
    """Drivers count elements from the buffer's start to its size, wherever its view begins."""
    rng = np.random.default_rng(14)
    texels = rng.integers(0, 1 << 30, (64, 1)).astype(np.uint32)
    surface = Surface.from_array(texels, format="R32_UINT", type="BUFFER", device="cpu")
    at = np.tile([0, 5, 63, 64, 99, 1000, 64, 1], (THREADS, 1)).astype(np.int32)
    request = SamplerRequest.build(SamplerMessage.LD, SimdMode.SIMD8, u=at)
    expected = np.zeros((THREADS, 8, 4), np.uint32)
    inside = at < 64
    expected[inside, 0], expected[..., 3] = texels[at[inside], 0], 1
    check_message(request, surface, None, expected, entries=100)


def test_linear_surfaces_of_an_odd_height_end_with_their_last_row():
    """Drivers copy from buffers as from one row of texels: its alignment lies beyond the buffer."""
    texels = np.random.default_rng(15).integers(0, 1 << 30, (1, 160, 4)).astype(np.uint32)
    padded = Surface.from_array(texels, format="R32G32B32A32_UINT", device="cpu")
    surface = Surface.from_memory(padded.data[:2560], padded.state, device="cpu")
    u = np.tile([0, 5, 63, 64, 99, 158, 159, 1], (THREADS, 1)).astype(np.int32)
    v = lod = np.zeros_like(u)
    request = SamplerRequest.build(SamplerMessage.LD, SimdMode.SIMD8, u=u, v=v, lod=lod)
    check_message(request, surface, None, texels[0, u])


def test_directions_without_length_sample_a_cube():
    """Programs leave them zero, or divided by zero, in pixels that they do not use."""
    texels = np.broadcast_to(np.array([0.25, 0.5, 0.75, 1], np.float32), (6, 4, 4, 4))
    surface = Surface.from_array(np.ascontiguousarray(texels), format="R32G32B32A32_FLOAT", type="CUBE", device="cpu")
    u = np.tile([0, np.nan, 1, -0.0, np.nan, -1, 0.5, np.nan], (THREADS, 1)).astype(np.float32)
    v = np.tile([0, np.nan, 0, -0.0, 0, 1, 1, np.nan], (THREADS, 1)).astype(np.float32)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L, SimdMode.SIMD8, lod=0 * v, u=u, v=v, r=0 * v)
    check_message(request, surface, Sampler(), np.broadcast_to(texels[0, 0, 0], (THREADS, 8, 4)))


def test_references_are_compared_as_texels_of_the_format():
    """OpenGL's driver hands depths beyond 0 to 1 on; 0.5 is 7FFFFFh in the textures that it fills."""
    codes = np.array([[0, 0x7FFFFF, 0xFFFFFF, 0x123456]], np.uint32)
    texels = (codes[..., None] / 0xFFFFFF).astype(np.float32)
    surface = Surface.from_array(texels, format="R24_UNORM_X8_TYPELESS", device="cpu")
    column = np.tile([0, 0, 1, 1, 2, 2, 3, 3], (THREADS, 1))
    ref = np.tile([-0.25, 0.1, 0.5, 0.5001, 1.75, 0.9, 0x123456 / 0xFFFFFF, 0], (THREADS, 1)).astype(np.float32)
    u = ((column + 0.5) / 4).astype(np.float32)
    v = np.full_like(u, 0.5)
    request = SamplerRequest.build(SamplerMessage.SAMPLE_L_C, SimdMode.SIMD8, ref=ref, lod=0 * ref, u=u, v=v)
    expected = np.zeros((THREADS, 8, 4), np.float32)
    expected[..., 0], expected[..., 3] = np.tile([0, 1, 0, 1, 0, 1, 0, 1], (THREADS, 1)), 1  # 0 where it holds
    check_message(request, surface, Sampler(shadow="equal"), expected)


@pytest.mark.parametrize("simd", [SimdMode.SIMD4X2, SimdMode.SIMD8, SimdMode.SIMD16])
def test_buffers_have_no_levels(simd):
    """Vertex shaders of OpenGL's driver read their constants with whatever the register holds beside the place."""
    rng = np.random.default_rng(16)
    texels = rng.integers(0, 1 << 30, (64, 1)).astype(np.uint32)
    surface = Surface.from_array(texels, format="R32_UINT", type="BUFFER", device="cpu")
    lanes = {SimdMode.SIMD4X2: 2, SimdMode.SIMD8: 8, SimdMode.SIMD16: 16}[simd]
    at = rng.integers(0, 64, (THREADS, lanes)).astype(np.int32)
    lod = rng.integers(1, 1 << 31, (THREADS, lanes)).astype(np.int32)
    request = SamplerRequest.build(SamplerMessage.LD, simd, u=at, lod=lod)
    expected = np.zeros((THREADS, lanes, 4), np.uint32)
    expected[..., 0], expected[..., 3] = texels[at, 0], 1
    check_message(request, surface, None, expected)
