"""What tone mapping does to tones, colors, tags and metadata, and what it refuses."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle import tonemap as oracle
from oracle.color_primaries import light_matrix
from support.color_frames import applied, color_of, patch

from texsamp.errors import FormatError, StateError
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import ColorTags
from texsamp.video.hdr import ContentLight, HdrMetadata, MasteringDisplay
from texsamp.video.pipeline import Pipeline
from texsamp.video.tonemap import ToneMap
from texsamp.video.tonemap.curves import device_table, pq_code, pq_light, system_gamma

HDR = {"matrix": 9, "primaries": 9, "full_range": False}
KR, KB = 0.2627, 0.0593


def limited(value):
    """The 10-bit luma sample of 0 to 1."""
    return round(64 + 876 * value)


def pq_patch(*light, size=(4, 2)):
    """A 4:4:4 frame of one color, its linear R, G, B in cd/m²."""
    r, g, b = (float(pq_code(np.longdouble(c))) for c in light)
    y = KR * r + (1 - KR - KB) * g + KB * b
    u, v = (b - y) / (2 * (1 - KB)), (r - y) / (2 * (1 - KR))
    return patch("yuv444p10le", limited(y), round(512 + 896 * u), round(512 + 896 * v), size=size, transfer=16, **HDR)


def display_light(frame):
    """Linear R, G, B of the display, 1.0 for white, of a 10-bit frame of one color."""
    y, u, v = color_of(frame)
    y, u, v = (y - 64) / 876, (u - 512) / 896, (v - 512) / 896
    r, b = y + 1.5748 * v, y + 1.8556 * u
    g = (y - 0.2126 * r - 0.0722 * b) / 0.7152
    return np.sign([r, g, b]) * np.abs([r, g, b]) ** 2.4


@pytest.mark.parametrize(("light", "code"), [(1, 0.14995), (100, 0.50808), (203, 0.58068), (1000, 0.75183), (10000, 1)])
def test_pq_is_the_standards(light, code):
    """Reference values of BT.2408 and BT.2100."""
    assert float(pq_code(np.longdouble(light))) == pytest.approx(code, abs=2e-5)
    assert float(pq_light(pq_code(np.longdouble(light)))) == pytest.approx(light)


def test_reference_white_of_hlg_is_203():
    """BT.2408: 75 % of HLG is 203 cd/m² on a display of 1000."""
    out = applied(ToneMap(1000, 203), patch("yuv444p10le", limited(0.75), 512, 512, transfer=18, **HDR))
    same = applied(ToneMap(1000, 203), pq_patch(203, 203, 203))
    assert np.abs(np.subtract(color_of(out), color_of(same))).max() <= 1
    assert system_gamma(1000) == 1.2
    assert system_gamma(300) == pytest.approx(1.2 * 1.111 ** np.log2(0.3))


@pytest.mark.parametrize(("peak", "white"), [(1000, 203), (4000, 100), (10000, 50), (300, 203)])
def test_grays_rise_from_black_to_white(peak, white):
    """Below the knee light is what it was; above it it bends, and ends at white; gray stays gray."""
    knee = float(pq_light(1.5 * pq_code(np.longdouble(white)) - 0.5 * pq_code(np.longdouble(peak))))
    before = -1.0
    for code in range(64, 941, 12):
        frame = patch("yuv444p10le", code, 512, 512, transfer=16, **HDR)
        y, u, v = color_of(applied(ToneMap(peak, white), frame))
        light = float(pq_light(np.longdouble((code - 64) / 876)))
        assert (u, v) == (512, 512)
        assert y >= before
        before = y
        if light < knee:
            assert abs(y - 64 - 876 * (light / white) ** (1 / 2.4)) <= 1
        else:
            assert (y - 64) / 876 <= (light / white) ** (1 / 2.4) + 1e-3
        assert y == 940 or light < peak
    assert before == 940


@pytest.mark.parametrize("transfer", ["pq", "hlg"])
def test_results_are_the_equations(transfer):
    """Against double precision without tables: one 10-bit code at most."""
    rng = np.random.default_rng(5)
    rgb = rng.random((3, 400)) ** 1.5
    y = KR * rgb[0] + (1 - KR - KB) * rgb[1] + KB * rgb[2]
    u, v = (rgb[2] - y) / (2 * (1 - KB)), (rgb[0] - y) / (2 * (1 - KR))
    frame = patch("yuv444p10le", 0, 0, 0, size=(20, 20), transfer={"pq": 16, "hlg": 18}[transfer], **HDR)
    samples = [np.round(p).astype(int) for p in (64 + 876 * y, 512 + 896 * u, 512 + 896 * v)]
    for c, plane in zip("YUV", samples, strict=True):
        frame.component(c)[...] = plane.reshape(20, 20)
    made = applied(ToneMap(1000, 203), frame)
    matrix = np.array([[float(k) for k in row] for row in light_matrix("bt709")])
    differences = []
    for at in range(400):
        y, u, v = (samples[0][at] - 64) / 876, (samples[1][at] - 512) / 896, (samples[2][at] - 512) / 896
        r, b = y + 2 * (1 - KR) * v, y + 2 * (1 - KB) * u
        codes = np.clip([r, (y - KR * r - KB * b) / (1 - KR - KB), b], 0, 1)
        luminance = np.array([KR, 1 - KR - KB, KB])
        if transfer == "pq":
            light = np.array([oracle.pq_to_light(c) for c in codes])
        else:
            scene = np.array([oracle.hlg_to_scene(c) for c in codes])
            light = 1000 * (luminance @ scene) ** 0.2 * scene
        rgb, gray = matrix @ light / 203, luminance @ light / 203
        by = oracle.eetf(203 * rgb.max(), 1000, 203) / max(203 * rgb.max(), 1e-9)
        rgb, gray = rgb * by, gray * by
        kept = min(1, gray / max(gray - rgb.min(), 1e-9))
        coded = np.clip(gray + kept * (rgb - gray), 0, 1) ** (1 / 2.4)
        luma = coded @ [0.2126, 0.7152, 0.0722]
        exact = (64 + 876 * luma, 512 + 896 * (coded[2] - luma) / 1.8556, 512 + 896 * (coded[0] - luma) / 1.5748)
        found = [int(made.component(c).reshape(-1)[at]) for c in "YUV"]
        differences.append(np.abs(np.array(exact) - found))
    assert np.max(differences) < 1


def test_colors_of_bt709_are_kept():
    """A color that both gamuts have, below the knee: its light of BT.709 is the same light."""
    wanted = np.array([0.30, 0.12, 0.2])
    matrix = np.array([[float(k) for k in row] for row in light_matrix("bt709")])
    wide = np.linalg.solve(matrix, wanted) * 203
    assert display_light(applied(ToneMap(1000, 203), pq_patch(*wide))) == pytest.approx(wanted, abs=0.004)


@pytest.mark.parametrize("light", [(60, 0, 0), (0, 60, 0), (0, 0, 60), (50, 60, 0), (900, 20, 300), (5000, 0, 0)])
def test_colors_that_bt709_lacks_come_inside_with_their_luminance(light):
    made = display_light(applied(ToneMap(1000, 203), pq_patch(*light)))
    assert made.min() > -0.01
    assert made.max() < 1.01
    luminance = np.dot(light, [KR, 1 - KR - KB, KB]) / 203
    if max(light) < 90:  # below the knee
        assert made @ [0.2126, 0.7152, 0.0722] == pytest.approx(luminance, rel=0.05)
    assert np.argmax(made) == np.argmax(light)


def test_highlights_keep_their_hue():
    """Ratios of R, G and B stay, inside of both gamuts, however bright."""
    matrix = np.array([[float(k) for k in row] for row in light_matrix("bt709")])
    color = np.linalg.solve(matrix, [1.0, 0.6, 0.5])
    dim, bright = (display_light(applied(ToneMap(1000), pq_patch(*(color * light)))) for light in (60, 800))
    assert bright / bright.max() == pytest.approx(dim / dim.max(), abs=0.02)
    assert bright.max() > 3 * dim.max()


def mastered(low=Fraction(1, 10000), high=Fraction(4000), light=None):
    return HdrMetadata(MasteringDisplay(luminance=(low, high)), light)


@pytest.mark.parametrize(
    ("metadata", "peak"),
    [
        (mastered(light=ContentLight(1500, 400)), 1500),
        (mastered(), 4000),
        (mastered(light=ContentLight(0, 0)), 4000),
        (HdrMetadata(light=ContentLight(50, 10)), 100),
        (HdrMetadata(light=ContentLight(60000, 10)), 10000),
        (HdrMetadata(MasteringDisplay()), 1000),
        (None, 1000),
    ],
)
def test_the_peak_is_the_metadatas(metadata, peak):
    frame = replace(pq_patch(500, 400, 300), hdr=metadata)
    stage = ToneMap()
    made = applied(stage, frame)
    assert color_of(made) == color_of(applied(ToneMap(peak), frame))
    assert made.figures() == {"peak": peak, "measured": None}
    unknown = metadata is None or metadata == HdrMetadata(MasteringDisplay())
    assert [("does not say its peak" in note) for note in stage.notes] == [True] * unknown


def test_tags_are_bt709_and_metadata_is_gone():
    frame = replace(pq_patch(100, 100, 100).with_color(ColorTags(9, 9, 16, True, 3)), hdr=mastered(), pts=7)
    made = applied(ToneMap(), frame)
    assert made.color == ColorTags(1, 1, 1, True, 3)
    assert made.hdr is None
    assert made.pts == 7


@pytest.mark.parametrize(
    ("name", "bits", "wanted"),
    [
        ("yuv420p10le", "8", "yuv420p"),
        ("p010le", "8", "nv12"),
        ("yuv422p10le", "8", "yuv422p"),
        ("nv12", "10", "p010le"),
        ("nv21", "10", "yuv420p10le"),
        ("uyvy422", "10", "yuv422p10le"),
        ("yuv444p10le", "10", "yuv444p10le"),
        ("yuv444p", "keep", "yuv444p"),
    ],
)
def test_bits_of_the_result(name, bits, wanted):
    layout = PIXEL_LAYOUTS[name]
    values = (limited(0.5) >> 10 - layout.bits, 1 << layout.bits - 1, 1 << layout.bits - 1)
    made = applied(ToneMap(1000, bits=bits), patch(name, *values, transfer=16, **HDR))
    assert made.layout.name == wanted
    y, u, v = color_of(made)
    assert (u, v) == (1 << made.layout.bits - 1,) * 2
    assert y / (1 << made.layout.bits) == pytest.approx(0.677, abs=0.008)


def peaks_of(frames, stage):
    return [applied(stage, frame).figures() for frame in frames]


def test_the_measured_peak_follows_slowly_and_jumps_at_cuts():
    """The brightest pixels of a gray picture rise, then fall; then the scene changes."""
    frames = [pq_patch(30, 30, 30, size=(16, 16)) for _ in range(62)]
    for number, frame in enumerate(frames):
        light = 2000 if 20 <= number < 40 else 500
        frame.component("Y")[0, :4] = limited(float(pq_code(np.longdouble(light))))
        if number >= 60:
            frame.component("Y")[...] = limited(float(pq_code(np.longdouble(3000))))
    stage = ToneMap("auto")
    found = peaks_of(frames, stage)
    used, lights = [row["peak"] for row in found], [row["measured"] for row in found]
    assert [
        row["measured"] / light for row, light in zip(found[:21], [500] * 20 + [2000], strict=True)
    ] == pytest.approx([1] * 21, rel=0.07)
    assert used[19] == pytest.approx(found[19]["measured"], rel=0.01)
    assert used[19] < used[20] < used[30] < used[39] < 2200
    assert used[39] > 1700
    assert used[39] > used[40] > used[59] > 600  # falls more slowly than it rose
    assert used[60] == pytest.approx(3000, rel=0.07)
    assert peaks_of(frames[:1], ToneMap("auto")) == found[:1]
    assert list(stage.flush()) == []
    assert stage.notes == (f"tonemap: peaks from {min(lights):.0f} to {max(lights):.0f} cd/m² were measured",)
    assert peaks_of(frames[:1], stage) == found[:1]  # the next stream begins anew


def test_a_few_bright_pixels_do_not_count():
    frame = pq_patch(100, 100, 100, size=(200, 150))
    frame.component("Y")[3, :3] = 940
    assert peaks_of([frame], ToneMap("auto"))[0]["measured"] == pytest.approx(100, rel=0.07)
    frame.component("Y")[3, 3] = 940
    assert peaks_of([frame], ToneMap("auto"))[0]["measured"] == 10000


@pytest.mark.parametrize("light", [0, 5, 150])
def test_dark_pictures_are_not_brightened(light):
    """Auto: a peak below white bends nothing."""
    frame = pq_patch(light, light, light)
    y = color_of(applied(ToneMap("auto"), frame))[0]
    assert abs(y - limited((light / 203) ** (1 / 2.4))) <= 1


@pytest.mark.parametrize(
    ("tags", "error"),
    [
        ({"transfer": 1, "matrix": 1, "primaries": 1}, r"found transfer 1: this video has standard range already"),
        (
            {"transfer": 2},
            "does not say whether it is PQ or HLG: if it is HDR, say so by tonemap=from=pq or tonemap=from=hlg",
        ),
        ({"transfer": 16, "matrix": 14}, r"takes BT.2020 \(matrix 9\), found matrix 14"),
        ({"transfer": 16, "primaries": 12}, r"takes BT.2020 \(primaries 9\), found primaries 12"),
    ],
)
def test_what_is_no_hdr_of_bt2020_is_refused(tags, error):
    with pytest.raises(FormatError, match=error):
        applied(ToneMap(), patch("yuv420p10le", 500, 512, 512, **{**HDR, **tags}))


@pytest.mark.parametrize("name", ["rgba", "gray10le"])
def test_what_is_no_yuv_is_refused(name):
    with pytest.raises(FormatError, match=f"found {name}: put csc=bt2020:format=yuv444p10le before it"):
        applied(ToneMap(), patch(name, 1, 1, 1, transfer=16))


def test_rgb_goes_the_way_that_the_refusal_names():
    code = float(pq_code(np.longdouble(100)))
    frame = patch("rgba64le", *(round(code * 65535),) * 3, 65535, matrix=0, primaries=9, transfer=16, full_range=True)
    (made,) = Pipeline.parse("csc=bt2020:format=yuv444p10le,tonemap=1000", "cpu")([frame])
    wanted = color_of(applied(ToneMap(1000), pq_patch(100, 100, 100)))
    assert np.abs(np.subtract(color_of(made), wanted)).max() <= 1
    assert made.color == ColorTags(1, 1, 1, False)


@pytest.mark.parametrize("source", ["pq", "hlg"])
def test_untagged_video_can_be_named(source):
    values = (600, 500, 540)
    named = applied(ToneMap(1000, source=source), patch("yuv444p10le", *values, full_range=False))
    tagged = patch("yuv444p10le", *values, transfer={"pq": 16, "hlg": 18}[source], full_range=False)
    stage = ToneMap(1000)
    assert color_of(applied(stage, tagged)) == color_of(named)
    assert stage.notes == ("tonemap: the video does not say its matrix and primaries: those of BT.2020 are taken",)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"peak": 99}, "peak must be metadata or auto or an integer from 100 to 10000, found 99"),
        ({"peak": 1000.5}, "found 1000.5"),
        ({"peak": "brightest"}, "found 'brightest'"),
        ({"white": 49}, "white must be an integer from 50 to 1000, found 49"),
        ({"white": True}, "found True"),
        ({"bits": 8}, "bits must be one of keep, 8, 10, found 8"),
        ({"source": "sdr"}, "from must be one of auto, pq, hlg, found 'sdr'"),
    ],
)
def test_other_values_are_refused(arguments, error):
    with pytest.raises(StateError, match=error):
        ToneMap(**arguments)


@pytest.mark.parametrize(
    ("text", "shortest"),
    [
        ("tonemap", "tonemap"),
        ("tonemap=auto:bits=8", "tonemap=auto:bits=8"),
        ("tonemap=peak=4000:white=203:from=hlg", "tonemap=4000:from=hlg"),
        ("tonemap=metadata:white=100", "tonemap=white=100"),
    ],
)
def test_filter_text(text, shortest):
    assert str(Pipeline.parse(text, "cpu")) == shortest


@pytest.mark.parametrize("text", ["tonemap=50", "tonemap=best", "tonemap=white=5", "tonemap=bits=12"])
def test_filter_text_that_is_wrong(text):
    with pytest.raises(StateError, match="must be"):
        Pipeline.parse(text, "cpu")


def test_tables_are_kept():
    frame = pq_patch(1, 2, 3)
    assert device_table(frame.device, "code") is device_table(frame.device, "code")
