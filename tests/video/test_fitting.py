"""A pipeline converts frames for filters that do not take their layout, and gives them back in it."""

import numpy as np
import pytest
from support.frames import random_frame
from support.strict_arrays import StrictDevice

import texsamp as ts
from texsamp.errors import FormatError
from texsamp.video import pipeline as module
from texsamp.video.color.convert import ConvertColor
from texsamp.video.color.procamp import Procamp

WIDE = "yuv444p10le"
FILTERS = (
    "denoise",
    "sharpen=30",
    "procamp=saturation=1.3",
    "contrast=5",
    "tcc=red=1.3",
    "skintone=6",
    "gamut",
    "deinterlace=deint=all",
)


def picture(layout, width=70, height=48, seed=0):
    return random_frame(np.random.default_rng(seed), layout, width, height)


def through(text, *frames):
    pipeline = ts.Pipeline.parse(text, "cpu")
    return list(pipeline(frames)), [note for stage in pipeline.stages for note in stage.notes]


@pytest.mark.parametrize("text", FILTERS)
@pytest.mark.parametrize("layout", ["rgb24", "rgb48le"])
def test_rgb_goes_through_filters_of_luma_and_comes_back(text, layout):
    frames = [picture(layout, seed=n) for n in range(3)]
    made, notes = through(text, *frames)
    expected, _ = through(f"csc=format={WIDE},{text},csc=format={layout}", *frames)
    name = text.partition("=")[0]
    assert f"{name} does not take {layout}: converted to {WIDE} and back" in notes
    assert [frame.layout.name for frame in made] == [layout] * len(expected)
    for one, other in zip(made, expected, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one.to_arrays(), other.to_arrays(), strict=True))


def test_rgb_that_a_filter_leaves_alone_is_what_it_was():
    frame = picture("rgb24", 256, 256)
    (made,) = ts.Pipeline([Procamp()], "cpu")([frame])
    assert abs(made.to_arrays()[0].astype(int) - frame.to_arrays()[0]).max() <= 1


def test_filters_in_a_row_share_what_was_converted(monkeypatch):
    converted, convert = [], module.convert

    def counted(frame, layout):
        converted.extend([layout.name] * (frame.layout != layout))
        return convert(frame, layout)

    monkeypatch.setattr(module, "convert", counted)
    through("procamp=saturation=1.3,sharpen=30,scale=32x32,sharpen=30", picture("rgb24"))
    assert converted == [WIDE, "rgb24", WIDE, "rgb24"]


def test_what_is_asked_for_stays():
    (made,), _ = through(f"sharpen=30,csc=format={WIDE}", picture("rgb24"))
    assert made.layout.name == WIDE


def test_modes_of_the_hardware_get_half_of_the_chroma():
    frames = [picture("yuv444p", seed=n) for n in range(3)]
    made, notes = through("deinterlace=madi:deint=all", *frames)
    assert "deinterlace does not take yuv444p: converted to yuv422p and back" in notes
    assert {frame.layout.name for frame in made} == {"yuv444p"}
    woven, notes = through("deinterlace=weave:deint=all", *frames)
    assert not any("converted" in note for note in notes)
    assert {frame.layout.name for frame in woven} == {"yuv444p"}


@pytest.mark.parametrize("text", [*FILTERS[:-1], "denoise=fast", "sharpen=30,procamp=hue=20", "sharpen=30,scale=32x32"])
@pytest.mark.parametrize("layout", ["rgba", "bgra", "rgba64le"])
def test_alpha_is_kept_aside(text, layout):
    """Every frame has its own alpha, and the colors of the same picture without alpha."""
    opaque = {"rgba": "rgb24", "bgra": "rgb24", "rgba64le": "rgb48le"}[layout]
    frames = [picture(layout, seed=n).told(pts=n, duration=1) for n in range(5)]
    made, notes = through(text, *frames)
    colors, _ = through(text, *(ts.convert(frame, opaque) for frame in frames))
    assert f"{text.partition('=')[0]} does not take {layout}: converted to {WIDE} and back" in notes
    size = text.partition(",")[2] if "scale" in text else "scale=70x48"
    alphas, _ = through(size, *frames)
    assert [frame.layout.name for frame in made] == [layout] * len(frames)
    for one, color, alpha in zip(made, colors, alphas, strict=True):
        assert np.array_equal(one.component("A"), alpha.component("A"))
        assert all(np.array_equal(one.component(name), color.component(name)) for name in "RGB")
    assert made[0].component("A").std() > 0


@pytest.mark.parametrize(
    "text", ["denoise=hq", "sharpen=30,scale=32x32", "contrast=auto,skintone=6", 'lut3d="{cube}",sharpen=30']
)
@pytest.mark.parametrize("layout", ["rgba", "rgba64le"])
def test_alpha_is_kept_aside_on_a_device(tmp_path, text, layout):
    corners = [f"{1 - n % 2} {n // 2 % 2} {n // 4 * 0.7}" for n in range(8)]
    (tmp_path / "a.cube").write_text("\n".join(["LUT_3D_SIZE 2", *corners, ""]))
    text = text.format(cube=tmp_path / "a.cube")
    frames = [picture(layout, seed=n).told(pts=n, duration=1) for n in range(3)]
    made = [list(ts.Pipeline.parse(text, device)(frames)) for device in ("cpu", StrictDevice())]
    for one, other in zip(*made, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one.to_arrays(), other.to_arrays(), strict=True))


@pytest.mark.parametrize("layout", ["x2rgb10le", "x2bgr10le"])
@pytest.mark.parametrize("device", ["cpu", StrictDevice()], ids=["cpu", "strict"])
def test_alpha_of_2_bits_is_kept_aside(device, layout):
    elements = np.random.default_rng(6).integers(0, 1 << 32, (48, 70), np.uint32)
    frame = ts.Frame.from_arrays(layout, [elements], 70, 48, "cpu")
    (made,) = ts.Pipeline.parse("procamp=contrast=1.3", device)([frame])
    result = made.to_arrays()[0]
    assert np.array_equal(result >> 30, elements >> 30)
    assert not np.array_equal(result, elements)


def test_alpha_of_two_fields_is_refused():
    with pytest.raises(FormatError, match="rgba"):
        through("deinterlace=deint=all", picture("rgba"))


def test_a_filter_by_itself_is_strict():
    with pytest.raises(FormatError, match="works on luma and chroma, rgb24 is RGB"):
        list(Procamp(saturation=1.3).feed(picture("rgb24")))
    assert ConvertColor(format=WIDE).wants(picture("rgb24").layout).name == "rgb24"
