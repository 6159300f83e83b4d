"""Components that take turns in a plane become planes of their own, on a CPU, and what is made of them is the same."""

import numpy as np
import pytest
from support.filter_cases import nothing_else_written
from support.frames import random_frame, samples_of

from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color import Procamp
from texsamp.video.component_planes import ComponentPlanes
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame
from texsamp.video.scale import Scale

MIXED = [
    name
    for name, layout in PIXEL_LAYOUTS.items()
    if not layout.packed_element and any(part.step > 1 for part in layout.components.values())
]
PLANES_OF = {
    **dict.fromkeys(("nv12", "nv21"), "yuv420p"),
    **dict.fromkeys(("yuyv422", "yvyu422", "uyvy422", "vyuy422"), "yuv422p"),
    "p010le": "yuv420p10le",
}
SIZES = [(2, 1), (6, 5), (66, 3), (130, 4)]


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("size", SIZES)
def test_components_come_apart_and_are_joined_again(size, name):
    frame = random_frame(np.random.default_rng(size), name, *size)
    samples = ComponentPlanes(frame).part()
    assert list(samples) == list(frame.layout.components)
    for component, part in samples.items():
        assert part.step == 1
        elements = part.array[:, : part.width]
        assert np.array_equal(elements, frame.component(component))  # garbage in unused bits included
        assert np.array_equal(elements >> part.shift & part.max_value, samples_of(frame, component))
    again = random_frame(np.random.default_rng(1), name, *size)
    made = ComponentPlanes(again)
    for component, part in made.samples.items():
        part.array[...] = samples[component].array
    with nothing_else_written(again.planes):
        made.join()
    for plane, expected in zip(again.planes, frame.planes, strict=True):
        assert np.array_equal(plane, expected)


@pytest.mark.parametrize("name", [name for name in MIXED if PIXEL_LAYOUTS[name].has_spare_elements(1)])
def test_the_last_luma_of_an_odd_width_stays_0(name):
    frame = random_frame(np.random.default_rng(2), name, 7, 4)
    made = next(iter(Scale(9, 3).feed(frame)))
    assert made.planes[0].shape == (3, 20)
    assert not made.planes[0][:, made.layout.components["Y"].offset + 2 * 9].any()


@pytest.mark.parametrize("name", PLANES_OF)
@pytest.mark.parametrize(
    "stage", [Scale(40, 18), Scale(21, 9), Scale(42, 36, adaptive="on"), Procamp(hue=20, contrast=1.2)]
)
def test_filters_make_of_turns_what_they_make_of_planes(stage, name):
    frame = random_frame(np.random.default_rng(3), name, 42, 18)
    of_turns = next(iter(stage.feed(frame)))
    of_planes = next(iter(stage.feed(convert(frame, PLANES_OF[name]))))
    for component in frame.layout.components:
        assert np.array_equal(samples_of(of_turns, component), samples_of(of_planes, component))


@pytest.mark.parametrize(
    ("name", "other"), [("rgb24", "bgra"), ("rgba", "rgb24"), ("rgb48le", "rgba64le"), ("nv12", "yuv420p")]
)
def test_conversions_that_only_move_elements_launch_nothing_else(monkeypatch, name, other):
    frame = random_frame(np.random.default_rng(4), name, 34, 6)
    launched = []
    launch = frame.device.launch
    monkeypatch.setattr(
        frame.device, "launch", lambda *launches: (launched.extend(each.kernel for each in launches), launch(*launches))
    )
    made = convert(frame, other)
    missing = made.layout.components.keys() - frame.layout.components.keys()
    assert sum(kernel.startswith("convert") for kernel in launched) == len(missing)
    for component in frame.layout.components.keys() & made.layout.components.keys():
        assert np.array_equal(samples_of(made, component), samples_of(frame, component))


def test_planes_of_a_conversion_that_takes_turns_apart_are_its_own():
    frame = random_frame(np.random.default_rng(5), "nv12", 34, 6)
    made = convert(frame, "yuv420p")
    assert made.planes[0] is frame.planes[0]
    before = frame.planes[1].copy()
    made.planes[1][...] ^= 255
    assert np.array_equal(frame.planes[1], before)


def test_a_frame_of_planes_alone_is_not_copied():
    frame = Frame.empty("yuv420p", 34, 6, "cpu")
    made = ComponentPlanes(frame)
    assert [part.array for part in made.part().values()] == list(frame.planes)
