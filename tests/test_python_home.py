"""What Python users take for granted: frames travel and compare, all packages' arrays go in and out, short reprs."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from support.pretended_cuda import pretended_cuda

import texsamp as ts

LAYOUTS = {"yuv420p": [(8, 16), (4, 8), (4, 8)], "rgb24": [(8, 48)], "gray10le": [(8, 16)]}
WAYS = {"pickle": lambda it: pickle.loads(pickle.dumps(it)), "deepcopy": copy.deepcopy}
EVERY_FILTER = (
    "denoise,deinterlace,scale=16x12,sharpen=30,contrast=auto,procamp=saturation=1.2,tcc,skintone=4,gamut,"
    "csc=format=yuv444p"
)


def frame(layout="yuv420p", seed=1, **properties):
    random = np.random.default_rng(seed)
    dtype, top = (np.uint16, 1024) if layout.endswith("10le") else (np.uint8, 256)
    planes = [random.integers(0, top, shape).astype(dtype) for shape in LAYOUTS[layout]]
    device = properties.pop("device", "cpu")
    return ts.Frame.from_arrays(layout, planes, 16, 8, device, **properties)


@pytest.mark.parametrize("travel", WAYS.values(), ids=WAYS)
class TestTravel:
    def test_frames_with_all_they_know(self, travel):
        for layout in LAYOUTS:
            color = ts.ColorTags(matrix=1, full_range=True)
            sent = frame(layout, pts=7, interlaced=True, color=color, statistics={"noise": 1.5})
            again = travel(sent)
            assert again == sent
            assert (again.pts, again.interlaced, again.color, again.statistics) == (7, True, color, {"noise": 1.5})
            again.planes[0][...] = 0
            assert sent.planes[0].any()

    def test_frames_of_a_gpu_back_to_it(self, travel):
        with pretended_cuda():
            sent = frame(device="cuda")
            assert travel(sent) == sent
            assert travel(sent).device is sent.device

    def test_frames_with_a_measurement_nobody_asked_for(self, travel):
        (made,) = [*(stage := ts.Denoise()).feed(frame()), *stage.flush()]
        assert made.figures is not None
        assert travel(made) == made
        assert travel(made).figures is None

    def test_pipelines_and_stages_also_in_the_midst_of_a_stream(self, travel):
        frames = [frame(seed=seed, pts=seed, interlaced=True, top_field_first=True) for seed in range(4)]
        expected = list(ts.Pipeline.parse(EVERY_FILTER, "cpu")(frames))
        assert list(travel(ts.Pipeline.parse(EVERY_FILTER, "cpu"))(frames)) == expected
        stages = ts.Pipeline.parse(EVERY_FILTER, "cpu")
        begun = [made for each in frames[:2] for made in stages.feed(each)]
        rest = travel(stages)
        assert [*begun, *(made for each in frames[2:] for made in rest.feed(each)), *rest.flush()] == expected

    def test_filters_of_ffmpeg_but_not_in_the_midst_of_a_stream(self, travel):
        begun = ts.Lavfi("hflip")
        assert list(begun.feed(frame()))
        with pytest.raises(ts.StateError, match="in the midst of a stream, found <Lavfi hflip>"):
            travel(begun)
        assert not list(begun.flush())
        assert travel(begun).text == "hflip"
        (flipped,) = travel(ts.Pipeline([ts.Lavfi("hflip")], "cpu"))([frame("gray10le")])
        assert np.array_equal(flipped.planes[0], frame("gray10le").planes[0][:, ::-1])


def test_frames_are_equal_by_pixels_and_what_is_known_of_them():
    assert frame(pts=1) == frame(pts=1)
    assert frame(pts=1) != frame(pts=2)
    assert frame(seed=1) != frame(seed=2)
    assert frame("gray10le") != frame("rgb24")
    assert frame() != "a frame"
    with pytest.raises(TypeError, match="unhashable"):
        hash(frame())


def test_a_plane_is_an_array_to_numpy_and_dlpack():
    made = frame()
    plane = made.plane(0)
    assert np.shares_memory(np.asarray(plane), made.planes[0])
    assert np.shares_memory(np.from_dlpack(plane), made.planes[0])
    with pytest.raises(TypeError, match=r"frame\.plane\(0\)"):
        np.asarray(made)
    with pytest.raises(ts.FormatError, match=r"0 to 2, found 3"):
        made.plane(3)


def test_a_plane_on_a_gpu_says_where_it_lies():
    with pretended_cuda():
        plane = frame(device="cuda").plane(0)
        told = plane.__cuda_array_interface__
        assert told["shape"] == (8, 16)
        assert told["typestr"] == "|u1"
        assert plane.__dlpack_device__()[0] == 2  # kDLCUDA


def test_to_rgb_is_the_picture_as_displayed():
    made = frame("rgb24")
    assert np.array_equal(made.to_rgb().reshape(8, 48), made.planes[0])
    made.to_rgb()[...] = 0
    assert made.planes[0].any(), "the picture is a copy"
    color = ts.ColorTags(full_range=True)
    gray = ts.Frame.from_arrays("gray", [np.full((2, 3), 128, np.uint8)], 3, 2, "cpu", color=color)
    assert np.array_equal(gray.to_rgb(), np.full((2, 3, 3), 128, np.uint8))
    with pretended_cuda():
        assert np.array_equal(frame(device="cuda").to_rgb(), frame().to_rgb())


def jax_arrays():
    pytest.importorskip("jax")
    return importlib.import_module("jax.numpy").asarray, importlib.import_module("jax.dlpack").from_dlpack


def test_arrays_of_jax_go_in_and_out():
    """Those of PyTorch do in tests/surface/test_held_arrays.py and tests/sampler/test_torch.py."""
    check_arrays(*jax_arrays(), "cpu")


def test_arrays_of_cupy_go_in_and_out():
    with pretended_cuda():
        cupy = importlib.import_module("cupy")
        check_arrays(cupy.asarray, cupy.from_dlpack, "cuda")


def check_arrays(to_theirs, from_ours, device):
    given = frame()
    theirs = [to_theirs(plane) for plane in given.planes]
    made = ts.Frame.from_arrays("yuv420p", theirs, 16, 8, device)
    assert made == given
    assert list(ts.Scale(32, 16).feed(made)) == list(ts.Scale(32, 16).feed(given))
    texels = np.random.default_rng(2).integers(0, 256, (4, 6, 4), dtype=np.uint8)
    surface = ts.Surface.from_array(to_theirs(texels), device=device)
    assert np.array_equal(surface.device.download(surface.to_array()), texels)
    at = np.linspace(0, 1, 5, dtype=np.float32)
    samples = ts.sample(surface, ts.Sampler(), to_theirs(at), to_theirs(at), lod=0.0)
    expected = ts.sample(ts.Surface.from_array(texels, device="cpu"), ts.Sampler(), at, at, lod=0.0)
    back = from_ours(samples)
    assert tuple(back.shape) == (5, 4)
    assert np.array_equal(surface.device.download(surface.device.upload(back)), expected)
    assert ts.verify(surface, ts.Sampler(), to_theirs(at), to_theirs(at), result=back, lod=0.0).ok


class Own(ts.Stage):
    def feed(self, frame):
        return [frame]


def shown():
    pipeline = ts.Pipeline.parse(EVERY_FILTER, "cpu")
    surface = ts.Surface.from_array(np.zeros((8, 8, 4), np.uint8), mips="box", device="cpu")
    exact = ts.Sampler(filter="exact", lod_bias=-1, address=("wrap", "clamp"))
    at = np.zeros((3, 4), np.float32)
    gradients = ts.sample_gradients(surface, exact, at, at, weights=np.ones((3, 4, 4), np.float32), lod=0.0)
    report = ts.verify(surface, ts.Sampler(), at, at, result=np.zeros((3, 4, 4), np.float32), lod=0.0)
    return {
        "<Frame yuv420p 16x8, 0.280 s, interlaced, cpu>": frame(pts=7, time_base=Fraction(1, 25), interlaced=True),
        "<Surface 2D R8G8B8A8_UNORM 8x8, 4 levels, linear, cpu>": surface,
        "<Sampler min linear mag linear mip linear, address wrap>": ts.Sampler(),
        "<Sampler min linear mag linear mip linear, address wrap clamp clamp, exact, lod_bias -1>": exact,
        "<Scale scale=16x12>": pipeline.stages[2],
        "<Pipeline scale=8x8,sharpen=9, cpu>": ts.Pipeline.parse("scale=8x8,sharpen=9", "cpu"),
        "<Lavfi hflip>": ts.Lavfi("hflip"),
        "<Own>": Own(),
        "<Device cpu>": ts.get_device("cpu"),
        "<QuadGrid 300x200>": ts.quad_grid((300, 200), "rotate=30"),
        "<ConvolveKernel 3x2, scale 0>": ts.ConvolveKernel.from_coefficients(np.zeros((2, 3))),
        "<SampleGradients of 4 levels, 3x4 samples>": gradients,
        "<Report gen7: 0 of 12 samples rejected>": report,
        "<NullSurface, cpu>": ts.NullSurface("cpu"),
    }


def test_reprs_are_short_and_say_what_it_is():
    things = shown()
    assert [repr(value) for value in things.values()] == list(things)


def public_functions():
    for name in ts.__all__:
        thing = getattr(ts, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for member, value in vars(thing).items():
                function = getattr(value, "__func__", getattr(value, "fget", value))
                if inspect.isfunction(function) and (member == "__init__" or not member.startswith("_")):
                    yield f"{name}.{member}", function


def test_no_public_signature_says_any():
    """But as the element type of an array or packet, which numpy and PyAV leave open."""
    for name, function in public_functions():
        for parameter, said in function.__annotations__.items():
            open_type = re.sub(r"(dtype|NDArray|Packet)\[Any\]|ndarray\[Any,", "", str(said))
            assert not re.search(r"\bAny\b", open_type), f"{name}: {parameter}: {said}"
