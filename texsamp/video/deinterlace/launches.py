"""Fields into frames: the kernels' launches for one field, and for the two of a deinterlace message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.surface.pixel_layout import PixelLayout, pixel_layout
from texsamp.video.deinterlace.components import as_gray, chroma_names
from texsamp.video.deinterlace.edges import seek_edges
from texsamp.video.deinterlace.field import Field, check_layout
from texsamp.video.deinterlace.parameters import DeinterlaceParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, require_alike, source_record, target_record

_STMM = params_type("DeinterlaceStmmParams")
_LUMA = params_type("DeinterlaceLumaParams")
_CHROMA = params_type("DeinterlaceChromaParams")
_PLANES = params_type("DeinterlacePlanesParams")
_NO_PLANE = {"luma": _LUMA.zeros(), "chroma": _CHROMA.zeros()}
"""The parts of those, where another plane is made."""


@dataclass(frozen=True)
class TileSizes:
    """Tiles of the kernels: pairs or samples across, lines down (a test holds them against the headers)."""

    stmm_pairs: int
    stmm_lines: int
    angle_pairs: int
    chroma_width: int
    hq_width: int


TILE_SIZES = {"host": TileSizes(126, 32, 124, 256, 256), "device": TileSizes(30, 8, 28, 64, 64)}
ANGLE_LINES = CHROMA_LINES = HQ_LINES = 8
"""Missing lines of a tile on either device."""


def _tiles(columns: int, across: int, lines: int, down: int) -> tuple[int, int]:
    return -(-columns // across), -(-lines // down)


def measure_motion(
    frames: tuple[Frame, Frame],
    lines: tuple[int, int],
    parameters: DeinterlaceParameters,
    stored: StatisticsSurface,
    written: StatisticsSurface,
    noisy: tuple[Frame, int] | None = None,
) -> Launch:
    """The launch that measures STMM between two frames (seed 003:986-1043).

    ``frames`` are, by the parity of a line, the frame whose field lacks that line; ``lines`` are the first line to
    measure and the distance to the next one (1: all, 2: those of one parity). ``noisy``, where the same call denoises:
    the current frame before that, and the parity of the lines its first field lacks (1016).
    """
    device, sizes = frames[0].device, TILE_SIZES[frames[0].device.tile_limits]
    luma = [Samples.of(frame, "Y") for frame in frames]
    extra = luma[0].bits - 8
    before = None if noisy is None else Samples.of(noisy[0], "Y")
    require_alike("pictures that motion is measured in", *luma, *(() if before is None else (before,)))
    for surface in (stored, written):
        surface.require_size(frames[0])
    params = _STMM(
        frames=[source_record(device, samples) for samples in luma],
        stored=device.address(stored.memory),
        stmm=device.address(written.memory),
        stored_pitch_B=stored.pitch_B,
        stmm_pitch_B=written.pitch_B,
        width=luma[0].width,
        height=luma[0].height,
        first_line=lines[0],
        line_step=lines[1],
        tdm_shift1=parameters.tdm_shift1 + extra,
        tdm_shift2=parameters.tdm_shift2,
        scm_shift=4 + extra,
        c2=parameters.stmm_c2,
        vecm_multiplier=parameters.vecm_mul,
        large_threshold=parameters.stmm_md_th,
        large_weight=parameters.stmm_trc1,
        small_weight=parameters.stmm_trc2,
        noisy=source_record(device, before),
        noisy_parity=0 if noisy is None else noisy[1],
    )
    tiles = _tiles((luma[0].width + 1) // 2, sizes.stmm_pairs, luma[0].height, sizes.stmm_lines)
    read = luma if before is None else [*luma, before]
    arrays = (*(samples.array for samples in read), stored.memory, written.memory)
    kernel = "deinterlace_stmm" if before is None else "deinterlace_stmm_noisy"
    return Launch(f"{kernel}_{luma[0].type_name}", params, *tiles, arrays)


class _Phase(IntEnum):
    """Launches of one phase read what those before it have written."""

    AT_ONCE = auto()
    AFTER_FILTERS = auto()
    AFTER_EDGES = auto()
    AFTER_VECTORS = auto()
    WOVEN = auto()
    SUMS = auto()
    SMOOTHED = auto()


def deinterlace_fields(
    fields: Sequence[Field], parameters: DeinterlaceParameters, make: MakePlanes | None = None
) -> list[Frame]:
    """The fields as frames of the same layout, launched together; ``make`` is `made_planes` if it is recorded.

    Raises FormatError for layouts not taken, StateError for a field without what its other members need.
    """
    planes = made_planes(fields, parameters) if make is None else make(fields[0].current.device, fields, parameters)
    pairs = zip((field.current for field in fields), planes, strict=True)
    return [progressive(current.like(current.width_px, current.height_px, made)) for current, made in pairs]


def made_planes(fields: Sequence[Field], parameters: DeinterlaceParameters) -> list[tuple[Array, ...]]:
    """The planes of `deinterlace_fields`."""
    launches: list[tuple[_Phase, Launch]] = []
    made = []
    for field in fields:
        field.check()
        current = field.current
        check_layout(current.layout, full_chroma=field.long_filters)
        out = Frame.empty(current.layout, current.width_px, current.height_px, current.device)
        made.append(out.planes)
        launches += _steps(field, out, parameters)
    for phase in _Phase:
        if found := [launch for at, launch in launches if at is phase]:
            fields[0].current.device.launch(*found)
    return made


MakePlanes = Callable[[Device, Sequence[Field], DeinterlaceParameters], list[tuple[Array, ...]]]
_Steps = Iterator[tuple[_Phase, Launch]]


def _steps(field: Field, out: Frame, parameters: DeinterlaceParameters) -> _Steps:
    """All of a field: chroma by the hardware's way, or, of long filters, as luma."""
    woven = list(out.layout.components)
    if field.long_filters:
        angles = None
        for name in chroma_names(out.layout):
            part, target = field.of(name), as_gray(out, name)
            part.check()
            yield from _of_luma(part, target, None, target.layout.components, parameters)
            if part.matches is not None:
                woven.remove(name)
    else:
        angled = out.layout.model == "yuv" and not out.layout.log2_chroma_height
        shape = (out.height_px + 1) // 2, (out.width_px + 1) // 2
        angles = out.device.empty(shape, "i1") if angled else None
        for launch in _chroma(field.with_motion(), out, angles, parameters):
            yield _Phase.AFTER_FILTERS if angled else _Phase.AT_ONCE, launch
    yield from _of_luma(field, out, angles, woven, parameters)


def _of_luma(
    field: Field, out: Frame, angles: Array | None, woven: Iterable[str], parameters: DeinterlaceParameters
) -> _Steps:
    """Luma, and what of the components named is woven."""
    moving = field.with_motion()
    yield _Phase.AT_ONCE, _luma(moving, out, angles, parameters)
    if field.edges is not None and (field.current.height_px + field.parity) // 2:
        search, edges = seek_edges(field.current, field.parity, moving.reference, field.motions, field.edges)
        yield _Phase.AT_ONCE, search
        yield _Phase.AFTER_FILTERS, edges.drawn(out, field.edges.weights)
        if field.motions is not None:
            yield _Phase.AFTER_VECTORS, edges.drawn(out, field.edges.again)
    if field.matches is not None:
        for launch in field.matches.woven(field, out, woven):
            yield _Phase.WOVEN, launch
    if field.motions is not None:
        yield _Phase.AFTER_EDGES, field.motions.compensated(field, out)
    if field.motions is not None and not field.limited:
        sums, lines = field.motions.smoothed(field, out, None if field.matches is None else field.matches.noise)
        yield _Phase.SUMS, sums
        yield _Phase.SMOOTHED, lines


def compensated_share(field: Field, parameters: DeinterlaceParameters) -> float:
    """Share of the pixels a field lacks, 0 to 1, whose luma motion compensation makes.

    Of the hardware's it is counted by making the field again; of ours (`motions`) it is that of the blocks that move.
    """
    if field.motions is not None:
        return field.motions.moving_share()
    width, height = field.current.width_px, field.current.height_px
    lines = (height + field.parity) // 2
    if field.vectors is None or not lines:
        return 0.0
    device = field.current.device
    out = Frame.empty(field.current.layout, width, height, device)
    luma = _plain_luma(field, out, None, parameters)
    counts = device.empty((lines, luma.tiles_x), "<u4")
    device.launch(field.vectors.compensated(luma, Samples.of(field.current, "Y"), counts))
    return int(device.download(counts).sum(dtype="u8")) / (lines * width)


def woven(field: Field) -> Frame:
    """A field with the other lines of the frame before it."""
    frame, before = field.current, field.reference
    if before is None:
        return progressive(frame)
    planes = [frame.device.copy(plane) for plane in frame.planes]
    other = slice(1 - field.parity, None, 2)
    for plane, lines in zip(planes, before.planes, strict=True):
        plane[other] = lines[other]
    return progressive(frame.like(frame.width_px, frame.height_px, planes))


def patched(frame: Frame, areas: Iterable[tuple[slice, slice]], other: Frame) -> Frame:
    """A frame with areas of another of its kind: lines and columns of luma, from even places to even ones or beyond."""
    planes = [frame.device.copy(plane) for plane in frame.planes]
    for lines, columns in areas:
        for name, component in frame.layout.components.items():
            rows, across = (lines, columns) if name in "YA" else _of_chroma(frame.layout, lines, columns)
            step = component.step
            place = rows, slice(across.start * step, across.stop * step)
            planes[component.plane][place] = other.planes[component.plane][place]
    return frame.like(frame.width_px, frame.height_px, planes)


def _of_chroma(layout: PixelLayout, lines: slice, columns: slice) -> tuple[slice, slice]:
    down, across = layout.log2_chroma_height, layout.log2_chroma_width
    return (
        slice(lines.start >> down, -(-lines.stop >> down)),
        slice(columns.start >> across, -(-columns.stop >> across)),
    )


def progressive(frame: Frame) -> Frame:
    """The frame as one without fields."""
    return frame.told(interlaced=False, top_field_first=None, repeat_fields=0)


def _luma(field: Field, out: Frame, angles: Array | None, parameters: DeinterlaceParameters) -> Launch:
    launch = _plain_luma(field, out, angles, parameters)
    if field.vectors is not None:
        return field.vectors.compensated(launch, Samples.of(field.current, "Y"))
    return launch if field.long_filters else _of_planes(launch, "luma")


def _of_planes(launch: Launch, part: str) -> Launch:
    """The launch of the kernel for all planes that does what one for "luma" or "chroma" alone says."""
    params = _PLANES.of_parts(*(launch.params if name == part else nothing for name, nothing in _NO_PLANE.items()))
    return Launch(launch.kernel.replace(part, "planes"), params, launch.tiles_x, launch.tiles_y, launch.arrays)


def _plain_luma(field: Field, out: Frame, angles: Array | None, parameters: DeinterlaceParameters) -> Launch:
    """Luma without compensation."""
    device = out.device
    current, target = Samples.of(field.current, "Y"), Samples.of(out, "Y")
    reference = None if field.reference is None else Samples.of(field.reference, "Y")
    scale = current.bits - 8
    params = _LUMA(
        current=source_record(device, current),
        reference=source_record(device, reference),
        target=target_record(device, target),
        **_planes(device, field.motion, angles),
        width=current.width,
        height=current.height,
        parity=field.parity,
        limits=(
            parameters.own_angles,  # not read by the long filters, which have no others
            parameters.sdi_d << scale,
            parameters.sdi_th << scale,
            parameters.sdi_t1 << scale,
            parameters.sdi_t2 << scale,
            parameters.sdi_angle2x1 << scale + 3,
        ),
        stmm_min=parameters.stmm_min,
        stmm_shift=parameters.stmm_shift,
    )
    sizes, lines = TILE_SIZES[device.tile_limits], (current.height + 1) // 2
    if field.long_filters:
        tiles = _tiles(current.width, sizes.hq_width, lines, HQ_LINES)
    else:
        tiles = _tiles((current.width + 1) // 2, sizes.angle_pairs, lines, ANGLE_LINES)
    method = "luma" if not field.long_filters else "hq_limited" if field.limited else "hq"
    kernel = f"deinterlace_{method}_{current.type_name}"
    return Launch(kernel, params, *tiles, _arrays(field, out, angles))


def _chroma(field: Field, out: Frame, angles: Array | None, parameters: DeinterlaceParameters) -> Iterator[Launch]:
    """One launch for U and V if they alternate in a plane of their own, else one for each."""
    components = 2 if out.layout.interleaves_chroma else 1
    for name in out.layout.chroma_parts:
        yield _chroma_launch(field, name, Samples.of(out, name), angles, parameters, components, out)


def _chroma_launch(
    field: Field,
    name: str,
    target: Samples,
    angles: Array | None,
    parameters: DeinterlaceParameters,
    components: int,
    out: Frame,
) -> Launch:
    device, current = out.device, Samples.of(field.current, name)
    reference = None if field.reference is None else Samples.of(field.reference, name)
    params = _CHROMA(
        current=source_record(device, current),
        reference=source_record(device, reference),
        target=target_record(device, target),
        **_planes(device, field.motion, angles),
        width=current.width,
        height=current.height,
        luma_height=out.height_px,
        parity=field.parity,
        halved=field.current.layout.log2_chroma_height,
        components=components,
        stmm_min=parameters.stmm_min,
        stmm_shift=parameters.stmm_shift,
    )
    width = TILE_SIZES[device.tile_limits].chroma_width
    tiles = _tiles(current.width, width, (current.height + 1) // 2, CHROMA_LINES)
    arrays = _arrays(field, out, angles)
    return _of_planes(Launch(f"deinterlace_chroma_{current.type_name}", params, *tiles, arrays), "chroma")


def with_doubled_chroma(
    frame: Frame, reference: Frame | None, motion: StatisticsSurface | None, parameters: DeinterlaceParameters
) -> Frame:
    """A frame of 8-bit 4:2:0 as one of 4:2:2: both of its fields have a line of chroma for each of luma.

    The lines come from time and space (seed 003:1142-1174), as when one field is made a frame: line k of that frame's
    chroma is line k of the field's (docs/deinterlace.md, 23 and 42). ``motion`` has the STMM of all lines.
    """
    width, height = frame.width_px, frame.height_px
    doubled = [frame.device.empty((height + height % 2, (width + 1) // 2), "u1") for _ in "UV"]
    luma = Samples.of(frame, "Y")
    out = frame.like(width, height, [luma.array, *(plane[:height] for plane in doubled)], pixel_layout("yuv422p"))
    fields = [Field(frame, parity, reference, motion) for parity in (0, 1)]
    launches = [
        _chroma_launch(field, name, Samples.plane(plane[field.parity :: 2], 8), None, parameters, 1, out)
        for field in fields
        for name, plane in zip("UV", doubled, strict=True)
    ]
    frame.device.launch(*launches)
    return out


def _planes(device: Device, motion: StatisticsSurface | None, angles: Array | None) -> dict[str, int]:
    return {
        "stmm": 0 if motion is None else device.address(motion.memory),
        "stmm_pitch_B": 0 if motion is None else motion.pitch_B,
        "angles": 0 if angles is None else device.address(angles),
        "angles_pitch_B": 0 if angles is None else int(angles.shape[1]),
    }


def _arrays(field: Field, out: Frame, angles: Array | None) -> tuple[Array, ...]:
    """Everything the launches of a field read and write."""
    reference = () if field.reference is None else field.reference.planes
    motion = () if field.motion is None else (field.motion.memory,)
    return (*field.current.planes, *reference, *out.planes, *motion, *(() if angles is None else (angles,)))
