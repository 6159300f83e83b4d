"""The color pipe on frames: two lines at a time through the blocks that are on (docs/color.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from texsamp.device.arguments import check_kind
from texsamp.device.base import Array, Device, Launch
from texsamp.errors import FormatError
from texsamp.state import ColorProcessingState
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.color.curves import device_curves
from texsamp.video.color.params import COLOR_PARAMS, ColorBlocks
from texsamp.video.color.vertices import device_vertices
from texsamp.video.component_planes import ComponentPlanes
from texsamp.video.frame import ColorTags, Frame
from texsamp.video.samples import Samples
from texsamp.video.scale.chroma import Doubling
from texsamp.video.stage import Stage

Pairing = Literal["separate", "shared", "averaged", "detected"]
"""Of two pixels side by side: nothing in common; chroma; chroma averaged first; the latter where it is alike."""

_PAIRINGS: dict[Pairing, int] = {"separate": 0, "shared": 1, "averaged": 2, "detected": 3}
_TILE_WIDTH = {"host": 256, "device": 128}
_TILE_HEIGHT = 2
_PLANES_TILE = {"host": (2048, 4), "device": (256, 8)}
_MIDDLE, _WHITE = 2048, 4095
_NAMES = {"yuv": "YUVA", "gray": "YUVA", "rgb": "RGBA"}
_TYPES = {1: "u8", 2: "u16", 4: "u16"}


def _plane_record(device: Device, source: Samples | None, target: Samples | None) -> tuple[int, ...]:
    """The first fields of a ColorPlane; without samples its addresses are 0."""
    values = []
    for samples in (source, target):
        values.append(
            (0, 0, 1, 0, 8)
            if samples is None
            else (samples.address(device), samples.pitch_B, samples.step, samples.shift, samples.bits)
        )
    return tuple(value for pair in zip(*values, strict=True) for value in pair)


def _run_planes(device: Device, blocks: ColorBlocks, sources: dict[str, Samples], targets: dict[str, Samples]) -> None:
    """Blocks that change luma and chroma each for itself, on planes of the same layout."""
    planes = [(*_plane_record(device, sources[name], targets[name]), 0, 0, 0, 0, 0, 0) for name in "YUV"]
    arrays = tuple(part.array for part in (*sources.values(), *targets.values()))
    parts = sources["Y"], sources["U"]
    params = blocks.planes_params()
    params["planes"] = planes
    params["width"] = [part.width for part in parts]
    params["height"] = [part.height for part in parts]
    tile_width, tile_height = _PLANES_TILE[device.tile_limits]
    launches = []
    for part, record in zip(parts, params, strict=True):
        tiles = -(-part.width // tile_width), -(-part.height // tile_height)
        launches.append(Launch(f"color_planes_{part.type_name}", record, *tiles, arrays))
    device.launch(*launches)


def run_pipe(
    frame: Frame,
    blocks: ColorBlocks,
    layout: PixelLayout | None = None,
    color: ColorTags | None = None,
    pairing: Pairing | None = None,
    first_chroma: bool = False,
    score: Array | None = None,
    outside: Array | None = None,
    full_chroma: Mapping[str, Samples] | None = None,
    doubled: Doubling | None = None,
) -> Frame:
    """A frame through the blocks, in another pixel layout if one is given, with other color tags if they are.

    Without ``pairing`` pixels are paired as the frame's chroma is subsampled. ``first_chroma`` subsamples as the data
    port writes NV12: pixel 0 of every 2x2 (seed 003:8668) instead of averages. ``score``, a uint8 array of the
    picture's shape, takes the skin scores;
    ``outside``, another, takes 1 for pixels outside the gamut if its compression is on. ``full_chroma`` are U and V of
    the picture's size, instead of the frame's own; ``doubled`` says how to make them of the frame's own.
    """
    device = frame.device
    layout = layout or frame.layout
    width, height = frame.width_px, frame.height_px
    out = Frame.empty(layout, width, height, device)
    if pairing is None:
        whole_chroma = full_chroma is not None or doubled is not None
        pairing = "shared" if frame.layout.log2_chroma_width and not whole_chroma else "separate"
    unchanged = layout is frame.layout and not blocks.mixes and pairing in ("separate", "shared")
    by_planes = unchanged and "V" in layout.components and score is None and outside is None
    came, made_of = ComponentPlanes(frame, turns=by_planes), ComponentPlanes(out, turns=by_planes)
    sources, targets = {**came.part(), **(full_chroma or {})}, made_of.samples
    if by_planes and sources["Y"].step == 1:
        _run_planes(device, blocks, sources, targets)
        made_of.join()
        made = frame.like(width, height, out.planes, layout)
        return made if color is None else made.with_color(color)
    planes = []
    for place in range(4):
        from_name, to_name = _NAMES[frame.layout.model][place], _NAMES[layout.model][place]
        record = _plane_record(device, sources.get(from_name), targets.get(to_name))
        whole = full_chroma is not None and from_name in full_chroma
        sampling = (*((0, 0) if whole else frame.layout.subsampling(from_name)), *layout.subsampling(to_name))
        planes.append((*record, *sampling, _MIDDLE if place in (1, 2) else _WHITE, 0))
    vertices = device_vertices(device, blocks.vertex_space) if blocks.gamut else None
    curves = device_curves(device) if blocks.primaries else None
    params = COLOR_PARAMS(
        planes=planes,
        score=0 if score is None else device.address(score),
        outside=0 if outside is None else device.address(outside),
        vertices=0 if vertices is None else device.address(vertices),
        curves=0 if curves is None else device.address(curves),
        doubling=0 if doubled is None else device.address(doubled.taps),
        score_pitch_B=0 if score is None else score.strides[0],
        outside_pitch_B=0 if outside is None else outside.strides[0],
        width=width,
        height=height,
        pairing=_PAIRINGS[pairing],
        first_chroma=int(first_chroma),
        chroma_y=0 if doubled is None else doubled.line_0,
        **blocks.records,
    )
    kernel = f"color_{_TYPES[frame.layout.dtype.itemsize]}_{_TYPES[layout.dtype.itemsize]}"
    columns = 1 if doubled is not None else -(-width // _TILE_WIDTH[device.tile_limits])  # whole lines then
    tiles = columns, -(-height // _TILE_HEIGHT)
    arrays = (*(part.array for part in (*sources.values(), *targets.values())), score, outside, vertices, curves)
    device.launch(Launch(kernel, params, *tiles, tuple(array for array in arrays if array is not None)))
    made_of.join()
    made = frame.like(width, height, out.planes, layout)
    return made if color is None else made.with_color(color)


def require_yuv(frame: Frame, filter_name: str) -> None:
    """Raise FormatError for a picture that has no luma and chroma."""
    if frame.layout.model != "yuv":
        kind = "is RGB" if frame.layout.model == "rgb" else "has no chroma"
        raise FormatError(
            f"{filter_name} works on luma and chroma, {frame.layout.name} {kind}: put csc=format=yuv444p before it"
        )


class ColorPipe(Stage):
    """The whole pipe as a COLOR_PROCESSING_STATE describes it, on YUV frames, in one pass (seed 003:6028-6814).

    4:4:4 frames are taken as 4:4:4, as 4:2:2 or as what is detected, by the state's flags; 4:2:0 is taken as 4:2:2 with
    the chroma of both rows. Raises FormatError for a frame that is not YUV.
    """

    def __init__(self, state: ColorProcessingState) -> None:
        check_kind("the state of a color pipe", state, ColorProcessingState)
        self.state = state
        self._blocks = ColorBlocks.from_state(state)

    def feed(self, frame: Frame) -> Iterable[Frame]:
        """The frame after the pipe, in the same layout."""
        require_yuv(frame, "the color pipe")
        yield run_pipe(frame, self._blocks, pairing=pairing_of(self.state, frame.layout))


def pairing_of(state: ColorProcessingState, layout: PixelLayout) -> Pairing:
    """How a state pairs the pixels of a layout."""
    if layout.log2_chroma_width:
        return "separate" if state.forced_444_for_422 else "shared"
    if state.forced_444_for_444:
        return "separate"
    return "averaged" if state.forced_422_for_444 else "detected"
