"""BT.2020 brought to BT.709 and BT.601 by gamut compression (docs/color.md, "Wider sources")."""

import numpy as np
import pytest
from oracle import color_primaries as oracle
from support.color_frames import applied, same
from support.color_states import piped
from support.filter_cases import sweep
from support.frames import random_frame, samples_of

from texsamp.errors import FormatError
from texsamp.video.color import CompressGamut
from texsamp.video.color.matrices import ColorSpace
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.primaries import primaries_block
from texsamp.video.frame import ColorTags, Frame

TARGETS = ("bt709", "bt601")
WIDE = ColorTags(matrix=9, primaries=9, transfer=14, full_range=False)


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize(("full_range", "bits"), [(False, 8), (True, 8), (True, 10)])
def test_xvycc_is_the_oracles(to, full_range, bits):
    """Any samples at all, and with them the ends of both tables."""
    rng = np.random.default_rng(bits)
    samples = rng.integers(0, 4096, (3, 8, sweep(25)))
    samples[:, 0] = rng.choice([0, 256, 2048, 3760, 4095], samples[:, 0].shape)
    made = piped(list(samples), ColorBlocks(primaries=primaries_block(ColorSpace("bt2020", full_range, bits), to)))
    convert = oracle.as_xvycc(to, full_range, bits)
    wanted = np.array([convert(*map(int, pixel)) for pixel in samples.reshape(3, -1).T]).T.reshape(samples.shape)
    assert np.array_equal(made, wanted)


def wide_colors(rng, to, full_range, name):
    """A 4:4:4 frame of colors of BT.2020, and their exact conversion: Y, U, V in its samples and R', G', B'."""
    bits = 10 if name.endswith("10le") else 8
    luma, chroma, black = map(float, oracle.spans(full_range, bits))
    rgb = rng.random((3, 512))
    rgb[:, :128] = rgb[:, :128].round()  # corners and edges of the cube
    rgb[0, :128] = rng.random(128)
    kr, kb = oracle.KR_KB["bt2020"]
    y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
    u, v = (rgb[2] - y) / (2 * (1 - kb)), (rgb[0] - y) / (2 * (1 - kr))
    step = 4096 >> bits
    planes = [
        np.clip(np.round(p / step), 0, 2**bits - 1) for p in (y * luma + black, u * chroma + 2048, v * chroma + 2048)
    ]
    exact = [oracle.exact(to, full_range, bits, tuple(map(float, pixel))) for pixel in np.array(planes).T * step]
    arrays = [p.reshape(16, 32).astype("<u2" if bits > 8 else np.uint8) for p in planes]
    frame = Frame.from_arrays(name, arrays, 32, 16, "cpu")
    tags = ColorTags(matrix=9, primaries=9, transfer=14, full_range=full_range)
    return frame.with_color(tags), np.array([e[0] for e in exact]).T / step, np.array([e[1] for e in exact]).T


@pytest.mark.parametrize("full_range", [False, True], ids=["limited", "full"])
@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize(("name", "codes"), [("yuv444p", 1), ("yuv444p10le", 2)])
def test_colors_that_the_narrow_gamut_has_are_the_exact_conversion(name, codes, to, full_range):
    frame, exact, rgb = wide_colors(np.random.default_rng(30), to, full_range, name)
    result = applied(CompressGamut("basic", to), frame)
    inside = (rgb.min(0) > 0.015) & (rgb.max(0) < 0.985)
    assert inside.sum() > 100
    for c, wanted in zip("YUV", exact, strict=True):
        assert np.abs(samples_of(result, c).reshape(-1) - wanted)[inside].max() <= codes


@pytest.mark.parametrize("mode", ["basic", "advanced"])
@pytest.mark.parametrize("to", TARGETS)
def test_colors_outside_come_inside_with_their_hue(to, mode):
    frame, exact, rgb = wide_colors(np.random.default_rng(31), to, False, "yuv444p")
    result = np.array([samples_of(applied(CompressGamut(mode, to), frame), c).reshape(-1) for c in "YUV"], float)
    kr, kb = oracle.KR_KB[to]
    y, u, v = (result[0] - 16) / 219, (result[1] - 128) / 224, (result[2] - 128) / 224
    red, blue = y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u
    made = np.stack([red, (y - kr * red - kb * blue) / (1 - kr - kb), blue])

    def excess(colors):
        return np.maximum(colors.max(0) - 1, -colors.min(0))

    outside = excess(rgb) > 0.05
    assert outside.sum() > 100
    assert excess(made).max() < 0.12  # as far as gamut compression brings any color inside
    assert (excess(made) < 0.02).mean() > 0.9
    large = outside & (np.hypot(result[1] - 128, result[2] - 128) > 20)
    turn = np.angle((result[1] - 128 + 1j * (result[2] - 128)) / (exact[1] - 128 + 1j * (exact[2] - 128)))
    assert np.abs(turn[large]).max() < 0.06


@pytest.mark.parametrize("name", ["yuv444p", "yuv420p", "yuv420p10le", "nv12"])
def test_gray_stays_gray(name):
    frame = random_frame(np.random.default_rng(32), name, 32, 8).with_color(WIDE)
    for c in "UV":
        frame.component(c)[...] = 1 << frame.layout.bits - 1
    result = applied(CompressGamut("basic", "bt709"), frame)
    assert same(frame, result, "UV")
    luma, made = samples_of(frame, "Y").astype(int), samples_of(result, "Y").astype(int)
    assert np.abs(made - luma)[luma < 2**frame.layout.bits * 15 // 16].max() <= 1


def test_tags_and_words_decide():
    frame = random_frame(np.random.default_rng(33), "yuv444p", 16, 8)

    def made(to="bt709", source="auto", **tags):
        stage = CompressGamut(to=to, source=source)
        return applied(stage, frame.with_color(ColorTags(**tags))), stage.notes

    wide, notes = made(matrix=9, primaries=9)
    assert notes == ()
    assert wide.color == ColorTags(matrix=1, primaries=1, transfer=1)
    assert made("bt601", matrix=9)[0].color == ColorTags(matrix=6, primaries=6, transfer=6)
    for tags in ({"matrix": 9}, {"primaries": 9}, {"source": "bt2020", "matrix": 1}):
        assert same(made(**tags)[0], wide, "YUV")
    for tags in ({"matrix": 9, "primaries": 1}, {"matrix": 1, "primaries": 9}, {}, {"to": "auto", "matrix": 9}):
        narrow = made(**tags)[0]
        assert not same(narrow, wide, "YUV")
        assert narrow.color.primaries == tags.get("primaries", 2)
    assert made(matrix=9, transfer=13)[1] == ("gamut: the video has transfer 13: the curve of BT.2020 is used",)
    for transfer, kind in ((16, "PQ"), (18, "HLG")):
        with pytest.raises(FormatError, match=f"standard range .* found {kind}"):
            made(matrix=9, primaries=9, transfer=transfer)
