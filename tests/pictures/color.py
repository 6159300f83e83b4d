"""Pictures for the color pipe: every layout in and out, every block, states with any bits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pictures.cases import Arrays, Case, noise_frame, padded
from texsamp.device.base import Device
from texsamp.state import ColorProcessingState, preset
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video.color import ConvertColor
from texsamp.video.color.gamut import MODES, TARGETS, wide_blocks
from texsamp.video.color.params import ColorBlocks
from texsamp.video.color.pipe import Pairing, run_pipe
from texsamp.video.color.statistics import Area, color_statistics
from texsamp.video.frame import ColorTags, Frame

_ON = ((0, 7), (29, 1), (42, 0x80), (53, 1), (55, 1), (64, 1 << 31))
"""Dword and bits of the blocks' switches."""


def _state(index: int) -> ColorProcessingState:
    """Every third state is a preset, the others have any bits; all blocks are on but for a few.

    Odd ones leave out the contrast curve and the matrix, whose zeros (presets) or noise would make one color of all.
    """
    rng = np.random.default_rng(1000 + index)
    known = preset(ColorProcessingState, "hsw" if index % 2 else "ihd").to_dwords()
    dwords = list(known) if index % 3 == 0 else [int(d) for d in rng.integers(0, 1 << 32, 67)]
    for dword, bits in _ON:
        dwords[dword] |= bits
    if index % 2:
        dwords[29] &= ~1
        dwords[55] &= ~1
    dwords[0] &= ~(4 * (index % 4 != 3))  # scores as the picture: mostly 0, as noise has little skin
    dwords[42] &= ~(0x80 * (index % 5 == 4))
    dwords[66] &= ~0xE
    dwords[66] &= ~(0x55 << 22)  # factor modes 0 and 2 only: 3 is reserved
    return ColorProcessingState.from_dwords(dwords, strict=False)


def _arrays(frame: Frame, device: Device) -> Arrays:
    names = ("R",) if frame.layout.packed_element else frame.layout.components
    return [np.ascontiguousarray(device.download(frame.component(name))) for name in names]


def _case(index: int, have: PixelLayout, wanted: PixelLayout, size: tuple[int, int], pairing: Pairing | None) -> Case:
    width, height = size

    def run(device: Device) -> Arrays:
        frame = noise_frame(have, width, height, 1100 + index, index % 3 * 4, device)
        score = device.upload(padded(np.zeros((height, width), np.uint8), 4 * (index % 2)))
        outside = device.upload(padded(np.zeros((height, width), np.uint8), 4 * (index % 3)))
        blocks = ColorBlocks.from_state(_state(index))
        out = run_pipe(
            frame, blocks, wanted, pairing=pairing, first_chroma=index % 4 == 1, score=score, outside=outside
        )
        return [*_arrays(out, device), *(np.ascontiguousarray(device.download(part)) for part in (score, outside))]

    scores = "-scores" * (index % 4 == 3)
    return Case(f"color-{index}-{have.name}-{wanted.name}-{width}x{height}-{pairing or 'own'}{scores}", run)


def _planes_case(index: int, layout: PixelLayout, size: tuple[int, int]) -> Case:
    """Blocks that change luma and chroma each for itself."""
    blocks = ColorBlocks.from_state(_state(index))
    chosen = replace(
        blocks, skin={}, gamut={}, matrix={}, **{name: {} for name in ("control", "contrast")[index % 3 :]}
    )

    def run(device: Device) -> Arrays:
        return _arrays(run_pipe(noise_frame(layout, *size, 1300 + index, index % 2 * 4, device), chosen), device)

    return Case(f"color-planes-{index}-{layout.name}-{size[0]}x{size[1]}", run)


def _blocks_case(layout: PixelLayout, names: tuple[str, ...]) -> Case:
    """Some of the blocks that change luma and chroma each for itself, and no others."""
    blocks = ColorBlocks.from_state(_state(0))
    chosen = ColorBlocks(**{name: getattr(blocks, name) for name in names})
    if names == ("procamp",) and layout.name == "yuv420p":  # more than fits the 16-bit numbers of bytes
        chosen = replace(chosen, procamp={**blocks.procamp, "cos_hue": 1 << 14, "sin_hue": -(1 << 14)})

    def run(device: Device) -> Arrays:
        return _arrays(run_pipe(noise_frame(layout, 35, 9, 1350, 0, device), chosen), device)

    return Case(f"color-blocks-{layout.name}-{'-'.join(names)}", run)


def _primaries_case(index: int, layout: PixelLayout, size: tuple[int, int]) -> Case:
    """BT.2020 to a narrower gamut; noise goes past the ends of its tables."""
    to, mode = TARGETS[1 + index % 2], MODES[index // 2 % 2]

    def run(device: Device) -> Arrays:
        frame = noise_frame(layout, *size, 1400 + index, index % 3 * 4, device)
        blocks = wide_blocks(frame.with_color(ColorTags(full_range=index % 3 == 1)), to, mode)
        return _arrays(run_pipe(frame, blocks), device)

    return Case(f"color-primaries-{index}-{layout.name}-{size[0]}x{size[1]}", run)


def _words_case(width: int) -> Case:
    """4:2:0 to words, with chroma between its samples."""

    def run(device: Device) -> Arrays:
        frame = noise_frame(PIXEL_LAYOUTS["yuv420p"], width, 5, 1150 + width, 0, device)
        (made,) = ConvertColor(format="rgba", in_matrix="bt709").feed(frame)
        return _arrays(made, device)

    return Case(f"color-words-{width}x5", run)


def _statistics_case(index: int, size: tuple[int, int], area: Area | None) -> Case:
    width, height = size

    def run(device: Device) -> Arrays:
        frame = noise_frame(PIXEL_LAYOUTS["yuv420p"], width, height, 1200 + index, 0, device)
        state = preset(ColorProcessingState, "ihd").replace(
            gamut_enable=index % 2 == 1, std_enable=True, ace_skin_threshold=1
        )
        found = color_statistics(frame, state, area)
        assert found.skin is not None
        return [found.without_skin, found.skin, np.array([found.outside_pixels or 0])]

    return Case(f"color-statistics-{width}x{height}-{'all' if area is None else area}", run)


def _cases() -> Iterator[Case]:
    sizes = itertools.cycle([(1, 1), (2, 1), (67, 20), (3, 9), (257, 3), (130, 7), (128, 2), (1, 5)])
    layouts = list(PIXEL_LAYOUTS.values())
    for index, layout in enumerate(layouts):
        yield _case(index, layout, layout, next(sizes), None)
        yield _case(index, layout, layouts[(7 * index + 3) % len(layouts)], next(sizes), None)
    yield _case(49, PIXEL_LAYOUTS["yuv420p"], PIXEL_LAYOUTS["rgba"], (67, 5), None)  # opaque, stored in words
    for width in (67, 260):
        yield _words_case(width)
    pairings: tuple[Pairing, ...] = ("separate", "shared", "averaged", "detected")
    for index, (name, pairing) in enumerate(itertools.product(("yuv444p", "yuv444p10le", "yuv422p"), pairings)):
        yield _case(50 + index, PIXEL_LAYOUTS[name], PIXEL_LAYOUTS[name], next(sizes), pairing)
    for index, name in enumerate(("yuv420p", "nv12", "yuv420p10le", "p010le", "yuv444p", "yuv422p10le")):
        yield _planes_case(index, PIXEL_LAYOUTS[name], next(sizes))
    alone = ("control", "contrast", "procamp")
    some = [names for count in (1, 2, 3) for names in itertools.combinations(alone, count)]
    for name, names in itertools.product(("yuv420p", "nv12", "yuv420p10le", "p010le"), some):
        yield _blocks_case(PIXEL_LAYOUTS[name], names)
    for index, name in enumerate(("yuv444p", "yuv420p", "yuv420p10le", "p010le")):
        yield _primaries_case(index, PIXEL_LAYOUTS[name], next(sizes))
    areas: tuple[Area | None, ...] = (None, (1, 2, 60, 35), (66, 39, 1, 1))
    for index, area in enumerate(areas):
        yield _statistics_case(index, (67, 40), area)


COLOR_CASES = tuple(_cases())
