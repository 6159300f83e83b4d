"""The color pipe's kernels equal the oracle to the last bit, for any state and every layout."""

from fractions import Fraction

import numpy as np
import pytest
from oracle import color as oracle
from oracle.color_gamut import vertex
from oracle.color_state import Dwords
from support.color_states import pipe_planes, random_state, state
from support.filter_cases import sweep
from support.frames import assert_unused_bits_are_zero, random_frame, samples_of

from texsamp.errors import StateError
from texsamp.state import ColorProcessingState, preset
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color import ColorPipe
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.pipe import run_pipe
from texsamp.video.color.vertices import vertex_table
from texsamp.video.frame import Frame

YUV = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model == "yuv"]


def expected(frame, colors, shared, first_chroma=False):
    """Samples of every component, and the scores."""
    layout = frame.layout
    pixels, scores = oracle.picture(Dwords(colors.to_dwords()), pipe_planes(frame), shared)
    height, width = frame.height_px, frame.width_px
    result = {}
    for c, name in enumerate("YUV"):
        w, h = layout.subsampling(name)
        columns, rows = layout.component_size(name, width, height)
        plane = np.zeros((rows, columns), np.int64)
        for r in range(rows):
            for k in range(columns):
                lines = [min((r << h) + i, height - 1) for i in range(1 << h)]
                across = [min((k << w) + i, width - 1) for i in range(1 << w)]
                value = pixels[lines[0]][across[0]][c]
                if not first_chroma:
                    means = [Fraction(int(sum(pixels[y][x][c] for x in across) * 16) // len(across), 16) for y in lines]
                    value = Fraction(int(sum(means) * 16) // len(means), 16)
                plane[r, k] = oracle.repack(value, layout.components[name].bits)
        result[name] = plane
    return result, np.array(scores)


def check(frame, colors, pairing=None, first_chroma=False):
    """The kernel's frame and scores are the oracle's."""
    shared = {"shared": True, "separate": False, "detected": None}[
        pairing or ("shared" if frame.layout.log2_chroma_width else "separate")
    ]
    before = [plane.copy() for plane in frame.planes]
    score = np.full((frame.height_px, frame.width_px), 99, np.uint8)
    outside = np.full((frame.height_px, frame.width_px), 99, np.uint8)
    blocks = ColorBlocks.from_state(colors)
    result = run_pipe(frame, blocks, pairing=pairing, first_chroma=first_chroma, score=score, outside=outside)
    wanted, scores = expected(frame, colors, shared, first_chroma)
    assert np.array_equal(score, scores)
    if colors.gamut_enable:
        assert set(np.unique(outside)) <= {0, 1}
    for name, plane in wanted.items():
        wrong = np.argwhere(samples_of(result, name) != plane)
        assert not len(wrong), f"{name}: {len(wrong)} differ, first at {wrong[0]}"
    assert_unused_bits_are_zero(result)
    assert all(np.array_equal(a, b) for a, b in zip(before, frame.planes, strict=True))
    return result


BLOCKS = [("gamut",), ("mapping",), ("skin", "gamut", "tcc"), ("detect",), ("skin",), ("scores",), ("tcc",),
          ("skin", "tcc"), ("ace",), ("procamp",), ("csc",), ("skin", "tcc", "ace", "procamp", "csc")]  # fmt: skip


@pytest.mark.parametrize("blocks", BLOCKS, ids="-".join)
def test_any_state(blocks):
    rng = np.random.default_rng(sum(map(len, blocks)))
    for _ in range(sweep(10)):
        name = str(rng.choice(["yuv444p", "yuv444p10le", "yuv422p10le", "yuv420p"]))
        frame = random_frame(rng, name, *(int(v) for v in rng.integers(1, 9, 2)))
        check(frame, random_state(rng, *blocks))


@pytest.mark.parametrize("name", ["hsw", "ihd"])
def test_skin_of_the_presets_around_the_skin(name):
    """Where the presets have their slopes: near (110, 154) and every luma."""
    rng = np.random.default_rng(len(name))
    for blocks in (("skin",), ("scores",)):
        for _ in range(sweep(3)):
            frame = random_frame(rng, "yuv444p", 16, 8)
            frame.planes[1][...] = rng.integers(80, 140, (8, 16))
            frame.planes[2][...] = rng.integers(120, 190, (8, 16))
            known = preset(ColorProcessingState, name)
            check(frame, state(known.to_dwords(), *blocks))
            check(frame, state(known.replace(skin_types_enable=True, vy_std_enable=True).to_dwords(), *blocks))


@pytest.mark.parametrize("block", ["gamut", "mapping"])
def test_every_hue_and_luma_of_the_gamut(block):
    """Chroma and luma over the whole range, every factor mode, with and without xvYCC scaling."""
    rng = np.random.default_rng(len(block))
    for case in range(sweep(6)):
        name = ["yuv444p", "yuv444p10le", "yuv422p"][case % 3]
        frame = random_frame(rng, name, 16, 12)
        known = preset(ColorProcessingState, "ihd").replace(
            vertex_color_space=case % 2,
            xvycc_enable=case % 3 != 1,
            compression_line_shift=case % 5,
            scaling_factor_mode=case % 3,
        )
        check(frame, state(known.to_dwords(), block))


@pytest.mark.parametrize("matrix", ["bt601", "bt709"])
def test_vertices_are_the_oracles(matrix):
    table = vertex_table(matrix)
    space = ["bt709", "bt601"].index(matrix)
    assert [tuple(row) for row in table.tolist()] == [vertex(space, index) for index in range(512)]
    assert table[:, 0].min() > 1000
    assert 0 < table[:, 1].min() < table[:, 1].max() < 4096


def test_the_documented_state_takes_the_cube_of_bt709():
    """Dword 66 is 8A800000h by default, and display color space 0 is BT.709 (Valleyview volume 2 part 4, page 60)."""
    by_default = ColorProcessingState()
    assert by_default.to_dwords()[66] == 0x8A800000
    dwords = list(by_default.replace(gamut_enable=True).to_dwords())
    spaces = []
    for code in (0, 1):
        dwords[66] = 0x8A800000 | code
        spaces.append(ColorBlocks.from_state(ColorProcessingState.from_dwords(dwords)).vertex_space)
    assert spaces == ["bt709", "bt601"]
    dwords[66] |= 2
    with pytest.raises(StateError, match="display color space must be bt709 or bt601, found code 3"):
        ColorBlocks.from_state(ColorProcessingState.from_dwords(dwords, strict=False))


PUBLISHED = {
    "bt601": {0: (1936, 666), 64: (1838, 1087), 128: (2047, 1532), 147: (2186, 1691), 148: (2179, 1688),
              256: (1936, 1382), 400: (1813, 2483), 448: (1884, 3085), 508: (1952, 3459), 511: (1940, 3437)},
    "bt709": {0: (2005, 375), 2: (2000, 386), 64: (1982, 698), 128: (2307, 1069), 141: (2436, 1164), 142: (2433, 1165),
              256: (2005, 939), 292: (2098, 872), 293: (2098, 876), 400: (1683, 2414)},
}  # fmt: skip
"""Chroma and luma of some hues in the vertex tables of Intel's public media driver (C18)."""


@pytest.mark.parametrize("matrix", PUBLISHED)
def test_vertices_are_the_published_tables_within_one(matrix):
    table = vertex_table(matrix)
    for hue, tip in PUBLISHED[matrix].items():
        assert np.abs(table[hue] - tip).max() <= 1, f"hue {hue}: {table[hue]}, published {tip}"


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 3), (5, 4), (9, 5)], ids=str)
@pytest.mark.parametrize("name", YUV)
def test_every_layout_and_odd_sizes(name, size):
    rng = np.random.default_rng(size)
    check(random_frame(rng, name, *size), random_state(rng, "skin", "tcc", "procamp"))


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_pairs_combine_score_and_darkness_by_their_modes(mode):
    rng = np.random.default_rng(mode)
    known = preset(ColorProcessingState, "hsw").replace(std_factor_mode=mode, mv_dark_factor_mode=2 - mode)
    frame = random_frame(rng, "yuv422p", 16, 4)
    frame.planes[1][...], frame.planes[2][...] = rng.integers(100, 120, (4, 8)), rng.integers(145, 165, (4, 8))
    frame.planes[0][:, ::2] = rng.integers(30, 60, (4, 8))
    check(frame, state(known.to_dwords(), "skin"))
    check(frame, state(known.to_dwords(), "skin"), pairing="separate")


@pytest.mark.parametrize("name", ["yuv444p", "yuv444p10le"])
def test_422_is_detected_by_the_8_high_bits(name):
    rng = np.random.default_rng(3)
    for _ in range(sweep(6)):
        frame = random_frame(rng, name, 11, 7)
        low = PIXEL_LAYOUTS[name].bits - 8
        for plane in frame.planes[1:]:
            like = np.repeat(plane[:, ::2], 2, axis=1)[:, :11] >> low << low
            noise = rng.integers(0, 1 << low, plane.shape, dtype=plane.dtype) if low else 0
            plane[...] = np.where(np.indices(plane.shape)[1] < 6, like | noise, plane)
        check(frame, random_state(rng, "skin", "procamp"), pairing="detected")


@pytest.mark.parametrize("name", ["yuv420p", "nv12", "p010le"])
def test_nv12_of_the_data_port_takes_pixel_0(name):
    rng = np.random.default_rng(5)
    check(random_frame(rng, name, 9, 6), random_state(rng, "tcc", "procamp"), first_chroma=True)


@pytest.mark.parametrize("width", [255, 256, 257, 258, 513])
def test_widths_around_tile_borders(width):
    rng = np.random.default_rng(width)
    known = preset(ColorProcessingState, "hsw")
    frame = random_frame(rng, "yuv420p", width, 3)
    narrow = state(known.to_dwords(), "procamp")
    check(frame, narrow)


@pytest.mark.parametrize("flags", [{}, {"forced_444_for_444": True}, {"forced_422_for_444": True}])
def test_the_stage_takes_444_by_the_states_flags(flags):
    rng = np.random.default_rng(8)
    frame = random_frame(rng, "yuv444p10le", 8, 4)
    for plane in frame.planes[1:]:
        plane[:, 1::2] = plane[:, ::2] ^ 1
    colors = state(preset(ColorProcessingState, "hsw").replace(**flags).to_dwords(), "procamp")
    (result,) = ColorPipe(colors).feed(frame)
    same = bool(flags.get("forced_444_for_444"))
    for name in "UV":
        samples, given = samples_of(result, name), samples_of(frame, name)
        assert np.array_equal(samples, given) == same
        assert np.array_equal(samples[:, ::2], samples[:, 1::2]) != same


@pytest.mark.parametrize("blocks", [("tcc",), ("ace",), ("procamp",), ("tcc", "ace", "procamp"), ()], ids="-".join)
def test_planes_by_themselves_are_the_whole_pipe(blocks):
    """Where luma and chroma do not meet, other kernels run; asking for scores takes the way through all blocks."""
    rng = np.random.default_rng(70 + len(blocks))
    for name in YUV:
        for size in ((1, 1), (9, 5), (150, 9)):
            frame = random_frame(rng, name, *size)
            chosen = ColorBlocks.from_state(random_state(rng, *blocks))
            whole = run_pipe(frame, chosen, score=np.empty(size[::-1], np.uint8))
            alone = run_pipe(frame, chosen)
            for component in "YUV":
                assert np.array_equal(samples_of(alone, component), samples_of(whole, component)), (name, size)
            assert_unused_bits_are_zero(alone)


def test_procamp_of_bytes_is_the_whole_pipe_for_every_luma_and_every_chroma():
    """Its 16-bit sums, up to the largest factors they can hold and beyond."""
    rng = np.random.default_rng(75)
    u = np.tile(np.arange(256, dtype=np.uint8), (256, 1))
    frame = Frame.from_arrays("yuv444p", [u, u, np.ascontiguousarray(u.T)], 256, 256, "cpu")
    turns = [
        (32767, 0),
        (-16384, 16383),
        (16384, -16384),
        (-32768, -32768),
        (0, -32768),
        *rng.integers(-900, 900, (5, 2)),
    ]
    for cosine, sine in turns:
        levels = {
            "contrast": int(rng.choice([0, 2047, rng.integers(0, 2048)])),
            "brightness": int(rng.integers(-2048, 2048)),
        }
        blocks = ColorBlocks(procamp={"enable": 1, "cos_hue": int(cosine), "sin_hue": int(sine), **levels})
        whole = run_pipe(frame, blocks, score=np.empty((256, 256), np.uint8))
        for a, b in zip(run_pipe(frame, blocks).planes, whole.planes, strict=True):
            assert np.array_equal(a, b), (cosine, sine, levels)


def test_no_block_is_on_and_nothing_changes():
    rng = np.random.default_rng(9)
    for name in YUV:
        frame = random_frame(rng, name, 7, 5)
        result = run_pipe(frame, ColorBlocks())
        for component in frame.layout.components:
            assert np.array_equal(samples_of(result, component), samples_of(frame, component))


def test_alpha_passes_by_in_every_depth():
    rng = np.random.default_rng(10)
    rgb = [name for name, layout in PIXEL_LAYOUTS.items() if layout.model == "rgb"]
    for have in rgb:
        frame = random_frame(rng, have, 6, 3)
        for wanted in rgb:
            result = run_pipe(frame, ColorBlocks(), PIXEL_LAYOUTS[wanted])
            if "A" not in result.layout.components:
                continue
            top = (1 << result.layout.components["A"].bits) - 1
            alpha = rgb10_alpha(result) if result.layout.packed_element else samples_of(result, "A")
            if "A" not in frame.layout.components:
                assert (alpha == top).all()
                continue
            given = rgb10_alpha(frame) if frame.layout.packed_element else samples_of(frame, "A")
            from_top = (1 << frame.layout.components["A"].bits) - 1
            assert np.array_equal(alpha, (given * top + from_top // 2) // from_top)


def rgb10_alpha(frame):
    return frame.planes[0].astype(np.int64) >> 30


def test_the_result_keeps_the_frames_properties():
    planes = random_frame(np.random.default_rng(1), "nv12", 8, 4).planes
    result = run_pipe(Frame.from_arrays("nv12", planes, 8, 4, "cpu", pts=7, interlaced=True), ColorBlocks())
    assert (result.pts, result.interlaced) == (7, True)
