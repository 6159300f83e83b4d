"""Planes through `AvsPlane` and through the oracle, with everything around the results guarded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from oracle.avs import AdaptiveState, avs

from support.filter_cases import nothing_else_written, oracle_tables, padded_plane
from texsamp.device import get_device
from texsamp.device.base import Device
from texsamp.video.presets.avs import AdaptiveParameters
from texsamp.video.samples import Samples
from texsamp.video.scale import AvsPlane, AvsTables


@dataclass(frozen=True)
class Store:
    """How the channels of a picture lie in memory: elements, shift, and whether they share one plane."""

    dtype: str = "u1"
    shift: int = 0
    interleaved: bool = False


def view_of(samples: Samples) -> np.ndarray:
    """The elements that hold the samples, shape (height, width)."""
    columns = samples.array[:, samples.offset :: samples.step]
    return columns[:, : samples.width]


@dataclass(frozen=True)
class Scaling:
    """One run of the scaler: channels (named as in the oracle), their depths, positions, tables and state."""

    channels: Sequence[np.ndarray]
    names: str
    px: Sequence[int]
    py: Sequence[int]
    tables: tuple[np.ndarray, ...]
    state: AdaptiveState = field(default_factory=AdaptiveState)
    edge: str = "clamp"
    bits: Sequence[int] = (8, 8, 8, 8)
    output: str = "same"
    store: Store = field(default_factory=Store)

    @property
    def guide(self) -> int | None:
        """Index of the Y or G channel."""
        return next((i for i, name in enumerate(self.names) if name in "YG"), None)

    def expected(self) -> list[np.ndarray]:
        """What the oracle makes of it."""
        count = len(self.names)
        return avs(
            self.channels,
            self.names,
            [self.px] * count,
            [self.py] * count,
            tables=oracle_tables(self.tables),
            state=self.state,
            edge=self.edge,
            bits=list(self.bits[:count]),
            output=self.output,
        )

    def _samples(self, rng: np.random.Generator, height: int, width: int, bits: Sequence[int]) -> list[Samples]:
        """Channels in planes of random bytes, with padded rows: planes of their own, or one that all share."""
        count, dtype, shift = len(self.names), self.store.dtype, self.store.shift
        if self.store.interleaved:
            plane = padded_plane(rng, height, width * count, dtype)
            return [Samples(plane, width, height, bits[i], i, count, shift) for i in range(count)]
        planes = [padded_plane(rng, height, width, dtype) for _ in self.names]
        if self.state.rgb_adaptive:  # the guide is made of planes with one pitch
            together = padded_plane(rng, height * count, width, dtype)
            planes = [together[i * height : (i + 1) * height] for i in range(count)]
        return [Samples(plane, width, height, bits[i], 0, 1, shift) for i, plane in enumerate(planes)]

    def run(self, seed: int = 0, device: Device | None = None) -> tuple[list[np.ndarray], list[str]]:
        """Results of the kernels and the names of the launches; fails if a byte outside the results changed.

        Bits of the source elements that belong to no sample hold garbage.
        """
        device = device or get_device("cpu")
        rng = np.random.default_rng(seed)
        height, width = self.channels[0].shape
        sources = self._samples(rng, height, width, self.bits)
        for values, source in zip(self.channels, sources, strict=True):
            elements = view_of(source)
            sample_bits = source.max_value << source.shift
            elements[...] = (elements & (np.iinfo(elements.dtype).max - sample_bits)) | (values << source.shift)
        out_bits = [16] * len(self.bits) if self.output == "full16" else self.bits
        targets = self._samples(rng, len(self.py), len(self.px), out_bits)
        plan = AvsPlane(
            device,
            (width, height),
            (np.array(self.px, dtype=np.int32), np.array(self.py, dtype=np.int32)),
            AvsTables(*self.tables),
            AdaptiveParameters(**vars(self.state)),
            self.edge,
            self.output,
        )
        results = [view_of(target) for target in targets]
        with nothing_else_written(results):
            launches = plan.launches(list(zip(sources, targets, strict=True)), self.guide)
            device.launch(*launches)
        values = [result.astype(np.int64) >> self.store.shift for result in results]
        for result, value in zip(results, values, strict=True):
            assert np.array_equal(result, value << self.store.shift), "unused bits of an element must be 0"
        return values, [launch.kernel for launch in launches]

    def check(self, seed: int = 0, device: Device | None = None) -> list[str]:
        """Hold the kernels against the oracle; the names of the launches."""
        results, kernels = self.run(seed, device)
        for name, result, expected in zip(self.names, results, self.expected(), strict=True):
            wrong = np.argwhere(result != expected)
            assert not len(wrong), (
                f"channel {name}: {len(wrong)} of {result.size} samples differ, first at {tuple(wrong[0].tolist())}: "
                f"{result[tuple(wrong[0])]} instead of {expected[tuple(wrong[0])]} by {kernels}"
            )
        return kernels
