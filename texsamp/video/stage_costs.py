"""What each stage of a chain costs: time in and between kernels, launches, and the memory that these work on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from texsamp.device import Device, Launch
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline, stage_text


@dataclass(frozen=True)
class StageCost:
    """One stage, for each frame that went into the chain.

    total_ms: all of its time; kernels_ms: what of it went by in launches, until they were done. launches: calls, each
    of kernels that may run at once. read_MB and written_MB: planes of the frames that it took and made. touched_MB:
    bytes of all arrays that kernels were given, once for each launch: computed, no counter of the processor is read.
    """

    stage: str
    total_ms: float
    kernels_ms: float
    launches: float
    read_MB: float  # noqa: N815 - the unit
    written_MB: float  # noqa: N815
    touched_MB: float  # noqa: N815


@dataclass
class _Sums:
    total_s: float = 0.0
    kernels_s: float = 0.0
    launches: int = 0
    read_B: int = 0  # noqa: N815
    written_B: int = 0  # noqa: N815
    touched_B: int = 0  # noqa: N815


def profiled(pipeline: Pipeline, frames: Iterable[Frame]) -> list[StageCost]:
    """Send the frames of one stream through a pipeline, stage by stage, and tell what every stage took."""
    sums = [_Sums() for _ in pipeline.stages]
    fed = 0

    def through(coming: Iterator[Frame], place: int) -> None:
        """Frames that a stage makes, one after the other, and each through the stages behind it."""
        while True:
            with _counted(pipeline.device, sums[place]):
                frame = next(coming, None)
            if frame is None:
                return
            sums[place].written_B += _size_B(frame)
            feed(frame, place + 1)

    def feed(frame: Frame, place: int) -> None:
        if place < len(sums):
            sums[place].read_B += _size_B(frame)
            through(iter(pipeline.stages[place].feed(frame)), place)

    for frame in frames:
        fed += 1
        feed(frame.to(pipeline.device), 0)
    for place, stage in enumerate(pipeline.stages):
        through(iter(stage.flush()), place)
    return [_per_frame(stage_text(stage), each, fed) for stage, each in zip(pipeline.stages, sums, strict=True)]


def _size_B(frame: Frame) -> int:  # noqa: N802 - the unit
    return sum(int(plane.nbytes) for plane in frame.planes)


@contextmanager
def _counted(device: Device, sums: _Sums) -> Iterator[None]:
    """While this is entered, launches on a device are waited for and counted, and all of the time is."""
    launch = device.launch

    def counted(*launches: Launch) -> None:
        start = perf_counter()
        launch(*launches)
        device.synchronize()
        sums.kernels_s += perf_counter() - start
        sums.launches += 1
        arrays = {id(array): array for each in launches for array in each.arrays}
        sums.touched_B += sum(int(array.nbytes) for array in arrays.values())

    device.launch = counted  # type: ignore[method-assign]
    start = perf_counter()
    try:
        yield
    finally:
        sums.total_s += perf_counter() - start
        del device.launch  # the method is there again


def _per_frame(stage: str, sums: _Sums, frames: int) -> StageCost:
    total, kernels = (1e3 * each / frames for each in (sums.total_s, sums.kernels_s))
    read, written, touched = (each / frames / 1e6 for each in (sums.read_B, sums.written_B, sums.touched_B))
    return StageCost(stage, total, kernels, sums.launches / frames, read, written, touched)
