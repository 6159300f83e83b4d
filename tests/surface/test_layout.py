"""Layout: the manual's equations and examples, uniqueness of addresses, and what is refused."""

import itertools

import numpy as np
import pytest

from texsamp.errors import FormatError, StateError
from texsamp.state.render_surface import ArraySpacing, MultisampleFormat, SurfaceType
from texsamp.surface.layout import MipLayout, SurfaceDescription, SurfaceLayout, Usage

D1, D2, D3 = SurfaceType.SURFTYPE_1D, SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_3D
CUBE, BUFFER, STRBUF = SurfaceType.SURFTYPE_CUBE, SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF
RGBA8 = "R8G8B8A8_UNORM"


def layout(surface_type=D2, format=RGBA8, width_px=64, height_px=1, **more):
    return SurfaceLayout(SurfaceDescription(surface_type, format, width_px, height_px, **more))


def origins(made):
    return [(level.x_px, level.y_rows) for level in made.levels]


def test_levels_lie_below():
    """001:2323-2337, and seed 001's own example sizes."""
    made = layout(width_px=10, height_px=6, levels=4)
    assert [(level.padded_width_px, level.padded_height_rows) for level in made.levels] == [
        (12, 6),
        (8, 4),
        (4, 2),
        (4, 2),
    ]
    assert origins(made) == [(0, 0), (0, 6), (8, 6), (8, 8)]
    assert made.pitch_B == 12 * 4
    assert made.rows_el == 10


def test_levels_lie_to_the_right():
    """001:2311-2321."""
    made = layout(width_px=16, height_px=16, levels=5, generation=5, mip_layout=MipLayout.RIGHT)
    assert origins(made) == [(0, 0), (16, 0), (16, 8), (16, 12), (16, 14)]
    assert (made.width_el, made.rows_el) == (24, 16)


def test_arrays_are_always_below():
    """001:2399."""
    made = layout(width_px=16, height_px=16, levels=5, generation=5, mip_layout=MipLayout.RIGHT, array_length=2)
    assert origins(made)[1] == (0, 16)


def test_tiny_maps_need_a_wider_pitch_than_level_0():
    """Levels 1 and 2 side by side are wider than level 0."""
    assert layout(width_px=1, height_px=4, levels=3).width_el == 8


@pytest.mark.parametrize(
    ("width", "height", "j"), [(64, 64, 2), (61, 37, 4), (1, 16384, 4), (16384, 1, 4), (7, 900, 2)]
)
def test_level_positions_are_the_printed_equations(width, height, j):
    levels = max(width, height).bit_length()
    made = layout(width_px=width, height_px=height, levels=levels, valign_rows=j)

    def w(level):
        return 4 * -(-max(width >> level, 1) // 4)

    def h(level):
        return j * -(-max(height >> level, 1) // j)

    printed = [(0, 0), (0, h(0)), (w(1), h(0)), (w(1), h(0) + h(2)), (w(1), h(0) + h(2) + h(3))]
    printed += [(w(1), h(0) + sum(h(k) for k in range(2, n))) for n in range(5, levels)]
    assert origins(made) == printed[:levels]


@pytest.mark.parametrize(
    ("more", "rows"),
    [
        ({"generation": 5}, 6 + 4 + 11 * 2),  # seed 001:2407
        ({"generation": 6}, 6 + 4 + 11 * 2),
        ({"generation": 7}, 6 + 4 + 12 * 2),
        ({"generation": 7, "valign_rows": 4}, 8 + 4 + 12 * 4),
        ({"generation": 7, "array_spacing": ArraySpacing.LOD0}, 6),
        ({"generation": 7, "format": "BC1_UNORM"}, (8 + 4 + 12 * 4) // 4),
        ({"generation": 5, "format": "FXT1"}, (8 + 4 + 11 * 4) // 4),
        ({"generation": 7, "usage": Usage.STENCIL, "format": "R8_UINT", "tiling": "W"}, 8 + 8 + 12 * 8),
        ({"generation": 5, "usage": Usage.STENCIL, "format": "R8_UINT", "tiling": "W"}, 8),
        ({"generation": 6, "usage": Usage.STENCIL, "format": "R8_UINT", "tiling": "W"}, 6),
        ({"generation": 7, "usage": Usage.DEPTH, "format": "R16_UNORM", "tiling": "Y"}, 8 + 4 + 12 * 4),
        ({"generation": 6, "samples": 4, "tiling": "Y"}, 12 + 8 + 11 * 4),
    ],
)
def test_distance_of_slices(more, rows):
    made = layout(width_px=10, height_px=6, array_length=3, **more)
    assert made.slice_pitch_el_rows == rows
    assert made.origin_el(0, 2) == (0, 2 * rows)


def test_sandy_bridge_adds_rows_to_some_multisampled_arrays():
    """Erratum: heights 1, 5, 9, …"""
    pitches = [
        layout(width_px=8, height_px=h, array_length=2, samples=4, tiling="Y", generation=6).slice_pitch_el_rows
        for h in (4, 5, 6)
    ]
    assert pitches == [8 + 4 + 44, 12 + 8 + 44 + 4, 12 + 8 + 44]


def test_every_chain_of_levels_fits_between_slices():
    for generation, limit in ((5, 8192), (7, 16384)):
        for size in itertools.chain(range(1, 70), (100, 1023, 4097, limit - 1, limit)):
            for other in (1, limit):
                made = layout(
                    width_px=other,
                    height_px=size,
                    levels=max(other, size).bit_length(),
                    array_length=2,
                    generation=generation,
                    format="R8_UNORM",
                )
                chain = max(level.bottom_rows for level in made.levels)
                assert chain <= made.slice_pitch_el_rows, (generation, size, other)


def test_volumes_stack_level_by_level():
    """001:2506-2530, worked out by hand."""
    made = layout(D3, width_px=8, height_px=8, depth_px=4, levels=4)
    assert [made.origin_el(0, z=z) for z in range(4)] == [(0, 0), (0, 8), (0, 16), (0, 24)]
    assert [made.origin_el(1, z=z) for z in range(2)] == [(0, 32), (4, 32)]
    assert [made.origin_el(2), made.origin_el(3)] == [(0, 36), (0, 38)]
    made = layout(D3, width_px=9, height_px=5, depth_px=5, levels=3)
    assert [made.origin_el(0, z=z)[1] for z in range(5)] == [0, 6, 12, 18, 24]
    assert [made.origin_el(1, z=z) for z in range(2)] == [(0, 30), (4, 30)]
    assert made.origin_el(2) == (0, 32)


def test_a_volume_may_need_a_wider_pitch_than_its_level_0():
    """001:2534."""
    assert layout(D3, width_px=1, height_px=1, depth_px=64, levels=7).width_el > 4


@pytest.mark.parametrize("level", range(4))
def test_volume_slices_are_the_printed_equations(level):
    width, height, depth = 21, 13, 11
    made = layout(D3, width_px=width, height_px=height, depth_px=depth, levels=4)
    w = [4 * -(-max(width >> n, 1) // 4) for n in range(4)]
    h = [2 * -(-max(height >> n, 1) // 2) for n in range(4)]
    d = [max(depth >> n, 1) for n in range(4)]
    above = [0, d[0] * h[0], d[0] * h[0] + -(-d[1] // 2) * h[1]]
    above.append(above[2] + -(-d[2] // 4) * h[2])
    for q in range(d[level]):
        assert made.origin_el(level, z=q) == (q % 2**level * w[level], above[level] + (q >> level) * h[level])


def test_cube_faces_are_slices():
    """001:2465-2489."""
    made = layout(CUBE, width_px=16, height_px=16, levels=3, generation=5)
    assert made.slice_pitch_el_rows == 16 + 8 + 22
    assert made.origin_el(1, layer=5) == (0, 5 * 46 + 16)


def test_cube_faces_before_ironlake_are_a_volume_of_six():
    """001:2459: stacked like a volume, but six on every level."""
    made = layout(CUBE, width_px=16, height_px=16, levels=3, generation=4)
    assert made.origin_el(0, layer=5) == (0, 80)
    assert [made.origin_el(1, layer=face) for face in (0, 1, 2, 5)] == [(0, 96), (8, 96), (0, 104), (8, 112)]
    assert [made.origin_el(2, layer=face) for face in (3, 4)] == [(12, 120), (0, 124)]


def test_linear_addresses_are_the_printed_formula():
    """001:2369-2382: A = B + y p / t + x b t."""
    for name, b, t in (
        (RGBA8, 4, 1),
        ("BC1_UNORM", 0.5, 4),
        ("BC3_UNORM", 1, 4),
        ("YCRCB_NORMAL", 2, 1),
        ("FXT1", 0.5, 4),
    ):
        made = layout(format=name, width_px=64, height_px=64, levels=4)
        for level in range(4):
            x, y = made.levels[level].x_px, made.levels[level].y_rows
            assert made.offset_B(0, 0, level=level) == y * made.pitch_B / t + x * b * t


@pytest.mark.parametrize(
    ("more", "unit"),
    [
        ({}, (4, 2)),
        ({"halign_px": 8, "valign_rows": 4}, (8, 4)),
        ({"format": "BC7_UNORM"}, (4, 4)),
        ({"format": "ETC2_RGB8"}, (4, 4)),
        ({"format": "FXT1"}, (8, 4)),
        ({"format": "YCRCB_SWAPY", "halign_px": 8}, (8, 2)),
        ({"format": "R32G32B32_FLOAT"}, (4, 2)),
        ({"format": "R32G32B32_FLOAT", "generation": 7.5, "valign_rows": 4}, (4, 4)),
        ({"format": "R1_UNORM"}, (8, 2)),
        ({"tiling": "Y", "usage": Usage.RENDER_TARGET}, (4, 4)),
        ({"tiling": "X", "usage": Usage.RENDER_TARGET}, (4, 2)),
        ({"tiling": "Y", "samples": 4}, (4, 4)),
        ({"tiling": "Y", "usage": Usage.DEPTH, "format": "R32_FLOAT"}, (4, 4)),
        ({"tiling": "Y", "usage": Usage.DEPTH, "format": "R16_UNORM"}, (8, 4)),
        ({"tiling": "W", "usage": Usage.STENCIL, "format": "R8_UINT"}, (8, 8)),
        ({"tiling": "Y", "usage": Usage.DEPTH, "format": "R16_UNORM", "generation": 6}, (4, 4)),
        ({"tiling": "W", "usage": Usage.STENCIL, "format": "R8_UINT", "generation": 6}, (4, 2)),
        ({"tiling": "W", "usage": Usage.STENCIL, "format": "R8_UINT", "generation": 5}, (4, 4)),
        ({"generation": 6, "valign_rows": 4}, (4, 4)),
    ],
)
def test_alignment_units(more, unit):
    assert layout(width_px=64, height_px=64, **more).unit == unit


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"format": "YCRCB_NORMAL", "valign_rows": 4}, r"valign_rows of YCRCB_NORMAL .* must be 2, found 4"),
        ({"format": "R32G32B32_FLOAT", "valign_rows": 4}, "must be 2, found 4"),
        ({"samples": 4, "tiling": "Y", "valign_rows": 2}, r"\(multisampled\) on generation 7 must be 4, found 2"),
        ({"tiling": "Y", "usage": Usage.RENDER_TARGET, "valign_rows": 2}, "must be 4, found 2"),
        ({"generation": 5, "halign_px": 8}, "on generation 5 must be 4, found 8"),
        ({"halign_px": 16}, "must be 4 or 8, found 16"),
    ],
)
def test_units_that_a_surface_cannot_have(more, message):
    with pytest.raises(StateError, match=message):
        layout(width_px=64, height_px=64, **more)


@pytest.mark.parametrize(
    ("made", "size"),
    [
        (lambda: layout(width_px=15, height_px=10), 16 * 10 * 4),  # 001:2546: extended to 16 x 10
        (lambda: layout(format="BC1_UNORM", width_px=16, height_px=12), 4 * 8 * 4),  # even rows of blocks
        (lambda: layout(CUBE, width_px=4, height_px=4), (5 * 30 + 4 + 2) * 16),  # two rows more
        (lambda: layout(format="YCRCB_NORMAL", width_px=8, height_px=4), 5 * 16 + 16),
        (lambda: layout(format="R32G32B32_FLOAT", width_px=8, height_px=4), 5 * 96 + 16),
        (lambda: layout(format="R16G16B16_FLOAT", width_px=8, height_px=4), 5 * 48 + 16),
        (lambda: layout(width_px=8, height_px=2, field_access=True), 4 * 32),  # 001:2560
        (lambda: layout(BUFFER, width_px=300), 512 * 4 + 16),  # 001:2548
        (lambda: layout(STRBUF, format="RAW", width_px=10, pitch_B=48), 256 * 48 + 16),
        (lambda: layout(width_px=33, height_px=33, tiling="Y"), 2 * 2 * 4096),
        (lambda: layout(width_px=33, height_px=9, tiling="X"), 1 * 2 * 4096),
    ],
)
def test_sizes_with_padding(made, size):
    assert made().size_B == size


def test_buffers():
    """001:2254-2258: elements pitch_B apart."""
    made = layout(BUFFER, format="R32G32_FLOAT", width_px=100, pitch_B=24)
    assert made.offset_B(99) == 99 * 24
    np.testing.assert_array_equal(made.offset_B(np.arange(4)), [0, 24, 48, 72])
    with pytest.raises(StateError, match="a buffer has no rows"):
        _ = made.addressing


def _random_descriptions(count):
    rng = np.random.default_rng(11)
    formats = [RGBA8, "R8_UNORM", "R32G32B32A32_FLOAT", "BC1_UNORM", "BC7_UNORM", "FXT1", "YCRCB_NORMAL", "R1_UNORM"]
    for number in range(count):
        generation = (4, 5, 6, 7, 7.5)[number % 5]
        surface_type = (D1, D2, D2, D3, CUBE)[rng.integers(5)]
        width, height, depth = (int(n) for n in rng.integers(1, 40, 3))
        height = {D1: 1, CUBE: width}.get(surface_type, height)
        depth = depth % 9 + 1 if surface_type == D3 else 1
        levels = int(rng.integers(1, max(width, height, depth).bit_length() + 1))
        samples = 1
        usage, name, tiles = Usage.TEXTURE, formats[rng.integers(len(formats))], ("linear", "X", "Y")[rng.integers(3)]
        if surface_type == D2 and generation >= 6 and rng.random() < 0.4:
            samples, levels, tiles = (4 if generation == 6 else int(rng.choice([4, 8]))), 1, "Y"
            usage, name = ((Usage.DEPTH, "R32_FLOAT"), (Usage.TEXTURE, RGBA8))[rng.integers(2)]
        elif surface_type == D2 and generation >= 7 and rng.random() < 0.2:
            usage, name, tiles = Usage.STENCIL, "R8_UINT", "W"
        yield SurfaceDescription(
            surface_type,
            name,
            width,
            height,
            depth,
            1 if surface_type == D3 else int(rng.integers(1, 4)),
            levels=levels,
            samples=samples,
            tiling=tiles,
            usage=usage,
            generation=generation,
        )


@pytest.mark.parametrize(
    "description", list(_random_descriptions(120)), ids=lambda d: f"{d.type.name[9:]}-{d.format}-{d.tiling}"
)
def test_no_two_elements_share_a_byte(description):
    """Every element of every level, slice and sample has bytes of its own, inside the surface."""
    made = SurfaceLayout(description)
    seen = np.zeros(made.size_B, np.uint8)
    e = made.element
    for level in range(len(made.levels)):
        width, height = made.level_size_px(level)
        y, x = np.mgrid[0 : height : e.height_px, 0 : width : e.width_px]
        for layer, z, sample in itertools.product(
            range(description.slices),
            range(made.levels[level].depth_px if description.type == D3 else 1),
            range(description.samples),
        ):
            x_el, y_el = made.place_el(x, y, level=level, layer=layer, z=z, sample=sample)
            for byte in range(e.size_B):
                seen[made.addressing.offset_B(x_el * e.size_B + byte, y_el)] += 1
    assert seen.max() == 1
    assert seen.sum() == e.size_B * _elements(made)


def _elements(made):
    d, total = made.description, 0
    for level in range(len(made.levels)):
        width, height = made.level_size_px(level)
        blocks = -(-width // made.element.width_px) * -(-height // made.element.height_px)
        total += blocks * d.slices * d.samples * (made.levels[level].depth_px if d.type == D3 else 1)
    return total


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width_px": 16385}, "SURFTYPE_2D width in texels must be from 1 to 16384, found 16385"),
        ({"width_px": 0}, "must be from 1 to 16384, found 0"),
        ({"height_px": 8193, "generation": 6}, "height in rows must be from 1 to 8192, found 8193"),
        ({"surface_type": D1, "height_px": 2}, "SURFTYPE_1D height in rows must be from 1 to 1, found 2"),
        ({"surface_type": D3, "depth_px": 2049}, "SURFTYPE_3D depth in slices must be from 1 to 2048, found 2049"),
        ({"surface_type": D3, "array_length": 2}, "array slices of a 3D surface must be from 1 to 1, found 2"),
        ({"array_length": 2049}, "array slices must be from 1 to 2048, found 2049"),
        ({"surface_type": CUBE, "height_px": 64, "array_length": 342}, "cubes of an array must be from 1 to 341"),
        ({"surface_type": CUBE, "height_px": 32}, "cube faces are square, found 64 x 32"),
        ({"levels": 8}, "levels must be from 1 to 7, found 8"),
        ({"levels": 16, "width_px": 16384}, "levels must be from 1 to 15, found 16"),
        ({"surface_type": BUFFER, "width_px": (1 << 27) + 1}, "must be from 1 to 134217728, found 134217729"),
        ({"surface_type": BUFFER, "tiling": "Y"}, "buffers are linear, found tiling Y"),
        (
            {"surface_type": STRBUF, "format": "RAW", "pitch_B": 2049},
            "bytes of a buffer element must be from 1 to 2048",
        ),
        ({"tiling": "Z"}, "tiling must be one of linear, X, Y, W, found 'Z'"),
        ({"tiling": "W"}, "stencil buffers, and only they, have tiling W"),
        ({"usage": Usage.DEPTH, "tiling": "X"}, "depth buffers of generation 7 have tiling Y, found X"),
        ({"generation": 8}, "layouts are described for generations 4, 5, 6, 7, 7.5, 9, found 8"),
        ({"mip_layout": MipLayout.RIGHT}, "MIPLAYOUT_RIGHT is for 2D surfaces up to generation 6"),
        ({"samples": 2}, "samples must be one of 1, 4, 8 on generation 7, found 2"),
        ({"samples": 8, "generation": 6}, "samples must be one of 1, 4 on generation 6, found 8"),
        ({"samples": 4}, "multisampled surfaces are tiled, found linear"),
        ({"samples": 4, "tiling": "Y", "levels": 2}, "levels of a multisampled surface must be from 1 to 1, found 2"),
        ({"samples": 4, "tiling": "Y", "format": "BC1_UNORM"}, "BC1_UNORM cannot have 4 samples"),
        ({"samples": 8, "tiling": "Y", "format": "R32G32B32A32_FLOAT"}, "cannot have 8 samples"),
        ({"samples": 4, "tiling": "Y", "array_spacing": ArraySpacing.FULL}, "must have array spacing LOD0, found FULL"),
        (
            {"samples": 8, "tiling": "Y", "width_px": 8193, "multisample_format": MultisampleFormat.DEPTH_STENCIL},
            "width of an 8x MSFMT_DEPTH_STENCIL surface must be from 1 to 8192, found 8193",
        ),
        ({"array_length": 2, "array_spacing": ArraySpacing.LOD0, "levels": 2}, "array with LOD0 spacing"),
        ({"pitch_B": 3}, "pitch of this linear surface must be a multiple of 1 bytes from 4 to 262144, found 3"),
        ({"pitch_B": 300, "tiling": "X"}, "must be a multiple of 512 bytes from 512 to 262144, found 300"),
        ({"pitch_B": 1 << 18, "generation": 6}, "pitch in bytes must be from 1 to 131072, found 262144"),
        ({"width_px": 16384, "height_px": 16384, "format": "R32G32B32A32_FLOAT"}, "may have 2147483648 bytes, found"),
        ({"width_px": 40, "format": "MONO8"}, "width of a MONO8 surface must be a multiple of 32 texels, found 40"),
    ],
)
def test_limits_name_the_limit_and_the_value(arguments, message):
    with pytest.raises(StateError, match=message):
        layout(**arguments)


def test_planar_formats_have_no_layout_here():
    with pytest.raises(FormatError, match="PLANAR_420_8 has no elements of one size"):
        layout(format="PLANAR_420_8")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"x_px": 32, "level": 1}, "x_px must be from 0 to 31, found 32"),
        ({"y_px": -1}, "y_px must be from 0 to 63, found -1"),
        ({"level": 3}, "level must be from 0 to 2, found 3"),
        ({"layer": 2}, "layer must be from 0 to 1, found 2"),
        ({"z": 1}, "z must be from 0 to 0, found 1"),
        ({"sample": 1}, "sample must be from 0 to 0, found 1"),
        ({"x_px": np.array([3, 64])}, "x_px must be from 0 to 63, found 3 to 64"),
    ],
)
def test_coordinates_outside_the_surface(where, message):
    made = layout(height_px=64, levels=3, array_length=2)
    with pytest.raises(StateError, match=message):
        made.offset_B(**({"x_px": 0, "y_px": 0} | where))
