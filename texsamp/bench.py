"""How fast chains of filters run here: frames in memory in, frames out, without decoder and encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from time import perf_counter

from texsamp.device import Device, thread_count
from texsamp.errors import StateError
from texsamp.io.clips import pattern_clip
from texsamp.video.deinterlace import Deinterlace
from texsamp.video.frame import Frame
from texsamp.video.pipeline import Pipeline
from texsamp.video.stage_costs import StageCost, profiled

CHAINS = (
    "scale=1280x720",
    "sharpen=44",
    "deinterlace",
    "deinterlace=mode=hq",
    "denoise",
    "denoise=fast",
    "denoise=hq",
    "procamp=contrast=1.1",
)
"""What is measured if nothing is asked for."""

MAX_SIDE_PX = 8192
_CLIP_FRAMES = 8


@dataclass(frozen=True)
class ChainSpeed:
    """A chain of filters on one device. frames: that went in; seconds: for all of them.

    stages: what each took in another run, if that was asked for.
    """

    vf: str
    device: str
    threads: int
    width_px: int
    height_px: int
    frames: int
    seconds: float
    stages: tuple[StageCost, ...] = ()

    @property
    def frames_per_second(self) -> float:
        """Frames that went in, per second."""
        return self.frames / self.seconds


def bench(
    chains: Sequence[str] = CHAINS,
    size_px: tuple[int, int] = (1920, 1080),
    frames: int = 24,
    device: Device | str = "auto",
    profile: bool = False,
) -> list[ChainSpeed]:
    """Run every chain over a generated clip of 8-bit 4:2:0, after one run that is not timed.

    The clip is interlaced where the chain deinterlaces. ``profile`` runs it once more, to tell what each stage takes.
    Raises StateError for a chain, size or number of frames that
    cannot be, DeviceError.
    """
    if not all(2 <= side <= MAX_SIDE_PX for side in size_px):
        raise StateError(f"size must be 2x2 to {MAX_SIDE_PX}x{MAX_SIDE_PX}, found {size_px[0]}x{size_px[1]}")
    if frames < 1:
        raise StateError(f"frames must be at least 1, found {frames}")
    pipelines = [Pipeline.parse(chain, device) for chain in chains]  # a bad one ends it before any time is spent
    clips: dict[bool, list[Frame]] = {}
    speeds = []
    for chain, pipeline in zip(chains, pipelines, strict=True):
        speed = _timed(chain, pipeline, clip := _clip(pipeline, size_px, clips), frames)
        stages = profiled(pipeline, islice(cycle(clip), frames)) if profile else ()
        speeds.append(replace(speed, stages=tuple(stages)))
    return speeds


def _clip(pipeline: Pipeline, size_px: tuple[int, int], clips: dict[bool, list[Frame]]) -> list[Frame]:
    interlaced = any(isinstance(stage, Deinterlace) for stage in pipeline.stages)
    if interlaced not in clips:
        clips[interlaced] = list(pattern_clip(*size_px, _CLIP_FRAMES, interlaced=interlaced))
    return clips[interlaced]


def _timed(chain: str, pipeline: Pipeline, clip: Sequence[Frame], frames: int) -> ChainSpeed:
    for _ in pipeline(clip[:1]):  # compiles kernels, and takes memory
        pass
    pipeline.device.synchronize()
    start = perf_counter()
    for _ in pipeline(islice(cycle(clip), frames)):
        pass
    pipeline.device.synchronize()
    size_px = clip[0].width_px, clip[0].height_px
    return ChainSpeed(chain, pipeline.device.name, thread_count(), *size_px, frames, perf_counter() - start)
