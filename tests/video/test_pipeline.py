"""Pipelines: order, flushing, uploading once, and streams that do not leak into each other."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from texsamp.device.cpu import CpuDevice, cpu_device
from texsamp.errors import DeviceError, FormatError, StateError
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline, stage_text
from texsamp.video.presets.ief import ief_preset
from texsamp.video.scale import Scale
from texsamp.video.sharpen import Sharpen
from texsamp.video.stage import Stage


def frame(value: int, size: tuple[int, int] = (8, 6)) -> Frame:
    width, height = size
    return Frame.from_arrays("gray", [np.full((height, width), value, np.uint8)], width, height, "cpu", pts=value)


def values(frames: Iterable[Frame]) -> list[int]:
    return [int(f.to_arrays()[0][0, 0]) for f in frames]


class Delay(Stage):
    """Holds ``count`` frames back and adds ``add`` to each."""

    def __init__(self, count: int, add: int = 0) -> None:
        self.count, self.add = count, add
        self.held: list[Frame] = []

    def feed(self, frame: Frame) -> Iterable[Frame]:
        self.held.append(frame.like(frame.width_px, frame.height_px, [frame.planes[0] + np.uint8(self.add)]))
        while len(self.held) > self.count:
            yield self.held.pop(0)

    def flush(self) -> Iterable[Frame]:
        held, self.held = self.held, []
        yield from held


class Twice(Stage):
    """Every frame two times."""

    def feed(self, frame: Frame) -> Iterable[Frame]:
        return frame, frame


class Every(Stage):
    """Every second frame."""

    def __init__(self) -> None:
        self.number = 0

    def feed(self, frame: Frame) -> Iterable[Frame]:
        self.number += 1
        return (frame,) if self.number % 2 else ()


def test_no_stage_passes_frames_through():
    frames = [frame(1), frame(2)]
    assert list(Pipeline([], device="cpu")(frames)) == frames


def test_stages_run_in_order():
    assert values(Pipeline([Twice(), Every()], device="cpu")([frame(1), frame(2)])) == [1, 2]
    assert values(Pipeline([Every(), Twice()], device="cpu")([frame(1), frame(2)])) == [1, 1]


def test_flush_carries_held_frames_through_the_later_stages():
    pipeline = Pipeline([Delay(2, 10), Twice(), Delay(1, 100)], device="cpu")
    assert values(pipeline([frame(v) for v in range(4)])) == [110, 110, 111, 111, 112, 112, 113, 113]


def test_frames_come_out_as_soon_as_they_are_complete():
    read = []

    def source():
        for value in range(4):
            read.append(value)
            yield frame(value)

    results = Pipeline([Delay(1)], device="cpu")(source())
    assert values([next(results)]) == [0]
    assert read == [0, 1]


def test_a_pipeline_is_a_stage():
    inner = Pipeline([Delay(1, 10), Twice()], device="cpu")
    assert values(Pipeline([inner, Delay(0, 1)], device="cpu")([frame(1), frame(2)])) == [12, 12, 13, 13]


def test_the_next_stream_starts_clean():
    pipeline = Pipeline([Delay(2)], device="cpu")
    assert values(pipeline([frame(1), frame(2), frame(3)])) == [1, 2, 3]
    assert values(pipeline([frame(7)])) == [7]


def test_a_stream_left_early_does_not_leak_into_the_next():
    pipeline = Pipeline([Delay(1)], device="cpu")
    results = pipeline([frame(1), frame(2), frame(3)])
    next(results)
    results.close()
    assert values(pipeline([frame(9)])) == [9]


def test_a_failing_source_does_not_leak_into_the_next_stream():
    def source():
        yield frame(1)
        raise OSError("gone")

    pipeline = Pipeline([Delay(1)], device="cpu")
    with pytest.raises(OSError, match="gone"):
        list(pipeline(source()))
    assert values(pipeline([frame(9)])) == [9]


def test_what_fails_behind_an_interrupt_does_not_hide_it():
    class HalfDone(Delay):
        def feed(self, frame: Frame) -> Iterable[Frame]:
            self.is_half_done = True
            raise KeyboardInterrupt

        def flush(self) -> Iterable[Frame]:
            was_half_done, self.is_half_done = self.is_half_done, False
            if was_half_done:
                raise IndexError("a list that was never filled")
            yield from super().flush()

    stage = HalfDone(1)
    stage.held = [frame(1)]
    with pytest.raises(KeyboardInterrupt):
        list(Pipeline([stage], device="cpu")([frame(2)]))
    assert not stage.held


def test_two_streams_at_once_are_refused():
    pipeline = Pipeline([Delay(0)], device="cpu")
    first = pipeline([frame(1), frame(2)])
    next(first)
    with pytest.raises(StateError, match="still running"):
        next(pipeline([frame(3)]))
    assert values(first) == [2]


def test_each_frame_is_uploaded_once():
    class CountingDevice(CpuDevice):
        uploads = 0

        def upload(self, array):
            self.uploads += 1
            return super().upload(array).copy()

    device = CountingDevice()
    results = list(Pipeline([Delay(0), Twice(), Delay(1)], device)([frame(1), frame(2), frame(3)]))
    assert device.uploads == 3
    assert all(result.device is device for result in results)


def test_the_input_frame_is_not_changed():
    source = Frame.from_arrays("gray", [np.arange(48, dtype=np.uint8).reshape(6, 8) * 5], 8, 6, "cpu")
    before = source.to_arrays()[0].copy()
    (result,) = Pipeline.parse("sharpen=63,scale=16x12", device="cpu")([source])
    np.testing.assert_array_equal(source.to_arrays()[0], before)
    assert (result.width_px, result.height_px) == (16, 12)


def test_parsed_and_built_pipelines_agree():
    random = np.random.default_rng(5)
    source = Frame.from_arrays(
        "yuv420p", [random.integers(0, 256, s, dtype=np.uint8) for s in ((18, 32), (9, 16), (9, 16))], 32, 18, "cpu"
    )
    (parsed,) = Pipeline.parse("scale=50x20:preset=ihd:edge=mirror,sharpen=30", device="cpu")([source])
    (built,) = Pipeline([Scale(50, 20, preset="ihd", edge="mirror"), Sharpen(30)], device="cpu")([source])
    for a, b in zip(parsed.to_arrays(), built.to_arrays(), strict=True):
        np.testing.assert_array_equal(a, b)
        assert np.ptp(a) > 0


def test_unknown_device_is_refused():
    with pytest.raises(DeviceError, match="device must be auto, cpu, cuda or cuda:N, found 'gpu'"):
        Pipeline([], device="gpu")


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ("sharpen", "a pipeline takes stages, found the text 'sharpen': use Pipeline.parse"),
        (None, "a pipeline takes a sequence of stages, found None"),
        (Sharpen(), "a pipeline takes a sequence of stages, found <"),
        (
            [Sharpen(), "scale=4x4"],
            "stage 2 of a pipeline must be a Stage, as Scale and Sharpen are, found 'scale=4x4'",
        ),
        ([Sharpen], "stage 1 of a pipeline must be a Stage"),
        ([Sharpen()] * 101, "a pipeline has at most 100 filters, found 101"),
    ],
    ids=["text", "None", "one stage", "text among stages", "class", "too many"],
)
def test_what_is_no_row_of_stages_is_refused(stages, message):
    with pytest.raises(StateError) as error:
        Pipeline(stages, device="cpu")
    assert message in str(error.value)


@pytest.mark.parametrize("given", [np.zeros((4, 4), np.uint8), None])
@pytest.mark.parametrize(
    "take", [lambda given: list(Pipeline([Sharpen()], "cpu")([given])), partial(convert, layout="gray")]
)
def test_what_is_no_frame_is_refused(take, given):
    words = f"takes a Frame, found {type(given).__name__}; Frame.from_arrays makes one"
    with pytest.raises(FormatError, match=words):
        take(given)


def test_text_of_too_many_filters_is_refused():
    with pytest.raises(StateError, match="a pipeline has at most 100 filters, found 5000"):
        Pipeline.parse(",".join(["sharpen"] * 5000), device="cpu")


def test_as_many_filters_as_are_allowed_run():
    assert values(Pipeline([Delay(0, 1)] * 100, device="cpu")([frame(1)])) == [101]


@pytest.mark.parametrize("text", [None, 5, [Sharpen()]], ids=["none", "number", "stages"])
def test_only_text_is_parsed(text):
    with pytest.raises(StateError, match="filters must be filter text or a Pipeline, found"):
        Pipeline.parse(text, device="cpu")


class TestScaleArguments:
    @pytest.mark.parametrize("size", [None, 1.5, True, 0, -3, 16385, float("nan")], ids=repr)
    def test_sizes(self, size):
        for name, arguments in (("width", (size, 3)), ("height", (3, size))):
            with pytest.raises(StateError) as error:
                Scale(*arguments)
            legal = "an integer from 1 to 16384, or -1 or -2 to keep the aspect"
            assert str(error.value) == f"scale {name} must be {legal}, found {size!r}"

    @pytest.mark.parametrize("nonlinear", ["0.5", None, True, 1, -0.1, float("nan"), 1j], ids=repr)
    def test_nonlinear(self, nonlinear):
        with pytest.raises(StateError) as error:
            Scale(4, 4, nonlinear=nonlinear)
        assert str(error.value) == f"scale nonlinear must be a number from 0 to below 1, found {nonlinear!r}"

    def test_numbers_of_numpy(self):
        stage = Scale(np.int64(5), np.uint8(3), nonlinear=np.float32(0.5))
        assert str(Pipeline([stage], device="cpu")) == "scale=5x3:nonlinear=0.5"


class TestDescribe:
    @pytest.mark.parametrize(("text", "head"), [("", "0 filters on cpu: "), ("sharpen", "1 filter on cpu: ")])
    def test_counts_filters(self, text, head):
        assert Pipeline.parse(text, device="cpu").describe().startswith(head)

    def test_names_filters_device_and_fidelity(self):
        text = Pipeline.parse("scale=1280x720:preset=ihd,sharpen", device="cpu").describe()
        assert text.startswith(f"2 filters on cpu: {cpu_device().describe()}\n")
        assert "\nscale=1280x720:preset=ihd\n" in text
        assert "\nsharpen\n" in text
        assert "ours           positions of align=center" in text
        assert "reconstructed  detail filter" in text

    def test_shows_only_the_parts_in_use(self):
        def described(text: str) -> str:
            return Pipeline.parse(text, device="cpu").describe()

        assert "adaptive" not in described("scale=8x8")
        assert "exact          measures of the adaptive weight" in described("scale=8x8:adaptive=on:rule=hardware")
        ours = described("scale=8x8:adaptive=on")
        assert "ours           adaptive weight of ours" in ours
        assert "measures of the adaptive weight" not in ours
        assert "adaptive" not in described("scale=8x8:rule=ours").replace("scale=8x8:rule=ours", "")
        assert "shape of the stretch" not in described("scale=8x8")
        assert "shape of the stretch" in described("scale=8x8:nonlinear=0.1")
        assert "low-pass" not in described("scale=8x8:prefilter=off")
        default, hardware = described("deinterlace"), described("dndi")
        assert "ours           edges at shallow angles" in default
        assert "ours           choice of the angle by our rule" in described("deinterlace=bob:angles=ours")
        for text in ("merge", "motion is compensated", "choice of the angle", "median of the angles"):
            assert text not in default
        for text in ("merge", "motion is compensated", "shallow", "our rule"):
            assert text not in hardware
        assert "exact          thresholds of the merge" in described("deinterlace=mcdi")

    @pytest.mark.parametrize(
        "text",
        ["deinterlace=rate=field", "deinterlace=bob:field", "csc=format=rgba", "scale=8x9"],
    )
    def test_what_it_is_called_makes_it(self, text):
        (stage,) = Pipeline.parse(text, "cpu").stages
        assert stage_text(stage) == text
        assert stage_text(Pipeline.parse(text, "cpu").stages[0]) == text

    def test_stages_without_filter_text_show_themselves(self):
        pipeline = Pipeline([Sharpen(settings=ief_preset("doc")), Delay(1)], device="cpu")
        assert "Sharpen" in pipeline.describe()
        assert "Delay" in str(pipeline)


class Numbered(Delay):
    """A delay that tells how many frames it has yielded."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.yielded = 0

    def feed(self, frame: Frame) -> Iterable[Frame]:
        return map(self.counted, super().feed(frame))

    def flush(self) -> Iterable[Frame]:
        return map(self.counted, super().flush())

    def counted(self, frame: Frame) -> Frame:
        self.yielded += 1
        return replace(frame, figures=lambda count=self.yielded: {"count": count, "nothing": None})


def test_frames_carry_the_statistics_of_every_stage_they_went_through():
    """Also when a later stage holds them back; the second of a kind has a column of its own."""
    stages = [Numbered(0), Numbered(2), Twice(), Numbered(1)]
    found = list(Pipeline(stages, "cpu")((frame(n) for n in range(3)), statistics=True))
    assert [f.statistics["numbered_count"] for f in found] == [1, 1, 2, 2, 3, 3]
    assert [f.statistics["numbered2_count"] for f in found] == [1, 1, 2, 2, 3, 3]
    assert [f.statistics["numbered3_count"] for f in found] == [1, 2, 3, 4, 5, 6]
    assert found[0].statistics["numbered_nothing"] is None
    assert list(found[0].statistics) == [f"numbered{n}_{what}" for n in ("", 2, 3) for what in ("count", "nothing")]
    nested = Pipeline([Pipeline([Numbered(0)], "cpu")], "cpu")
    assert [f.statistics["numbered_count"] for f in nested([frame(0), frame(1)], statistics=True)] == [1, 2]


def test_statistics_are_not_asked_for_unless_wanted():
    class Silent(Twice):
        def feed(self, frame: Frame) -> Iterable[Frame]:
            return (replace(out, figures=lambda: 1 / 0) for out in super().feed(frame))

    found = list(Pipeline([Silent(), Twice()], "cpu")([frame(1)]))
    assert [(dict(f.statistics), f.figures) for f in found] == [({}, None)] * 4
