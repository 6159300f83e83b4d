"""Fields of one picture, and pictures that stand: found and woven (docs/deinterlace-hq.md (44) to (50), (81), (82))."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import params_type
from texsamp.video.deinterlace.field import Field
from texsamp.video.frame import Frame
from texsamp.video.samples import Samples, require_alike, require_shape, source_record, target_record

_MATCH = params_type("DeinterlaceMatchParams")
_NOISE = params_type("DeinterlaceNoiseParams")
_VERDICT = params_type("DeinterlaceVerdictParams")
_WEAVE = params_type("DeinterlaceWeaveParams")
MATCH_WIDTHS = {"host": (256, 256), "device": (64, 32)}
"""Pixels across of tiles of samples, and blocks across of those of blocks (a test holds them against the headers)."""
WEAVE_LINES = {"host": 8, "device": 4}
"""Missing lines of a tile that is woven (the same test)."""
BLOCK_PX = 8
_SUMS, _CALM = 11, 9
_LINES = 4


@dataclass(frozen=True, eq=False)
class Matches:
    """Of one parity of a pair of frames, by blocks of 8x8 pixels: (rows, columns) bytes.

    verdict: bit 0: woven with the frame's own other field, bit 1: with the reference's, bit 2: nearly still, bit 3:
    beside something calm, bit 4: at rest, whatever it combs. runs: how often in a row a block has matched its own frame
    (positive) or the reference (negative), at most 3. noise: one uint32, what the calmest blocks change and bend by.
    """

    verdict: Array
    runs: Array
    noise: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All of it."""
        return self.verdict, self.runs, self.noise

    def woven(self, field: Field, out: Frame, names: Iterable[str]) -> Iterator[Launch]:
        """The launches that put what matches into the lines that the field lacks, of components of ``out``."""
        for name in names:
            yield _woven(out.device, field, name, Samples.of(out, name), self)


def find_matches(fields: Sequence[Field], before: Mapping[int, Matches]) -> dict[int, Matches]:
    """What of each field matches, by its parity; ``before`` is what was found in the pair of frames before."""
    steps = [_found(field, before.get(field.parity)) for field in fields]
    if steps:
        device = fields[0].current.device
        for launches in zip(*(chain for chain, _ in steps), strict=True):
            device.launch(*launches)
    return {field.parity: found for field, (_, found) in zip(fields, steps, strict=True)}


def _blocks(luma: Samples) -> tuple[int, int]:
    """Rows and columns."""
    return -(-luma.height // BLOCK_PX), -(-luma.width // BLOCK_PX)


def _found(field: Field, before: Matches | None) -> tuple[tuple[Launch, Launch, Launch], Matches]:
    frame, reference = field.current, field.needed_reference("matches")
    device = frame.device
    luma, other = Samples.of(frame, "Y"), Samples.of(reference, "Y")
    require_alike("pictures whose fields are matched", luma, other)
    rows, columns = _blocks(luma)
    if before is not None:
        require_shape("runs of the pair of frames before", before.runs, (rows, columns))
    wide, many = MATCH_WIDTHS[device.tile_limits]
    sums = device.empty((_SUMS * rows, columns), "<i4")
    found = Matches(device.empty((rows, columns), "u1"), device.empty((rows, columns), "i1"), device.empty((1,), "<u4"))
    measure = _MATCH(
        current=source_record(device, luma),
        reference=source_record(device, other),
        sums=device.address(sums),
        pitch_B=int(sums.strides[0]),
        rows=rows,
        width=luma.width,
        height=luma.height,
        parity=field.parity,
    )
    noise = _NOISE(
        calm=device.address(sums) + _CALM * rows * int(sums.strides[0]),
        noise=device.address(found.noise),
        pitch_B=int(sums.strides[0]),
        columns=luma.width // BLOCK_PX,
        rows=(luma.height + field.parity) // 2 // _LINES,
        scale=luma.bits - 8,
    )
    verdict = _VERDICT(
        sums=device.address(sums),
        noise=device.address(found.noise),
        before=0 if before is None else device.address(before.runs),
        said=0 if before is None else device.address(before.verdict),
        after=device.address(found.runs),
        verdict=device.address(found.verdict),
        sums_pitch_B=int(sums.strides[0]),
        pitch_B=int(found.runs.strides[0]),
        columns=columns,
        rows=rows,
        scale=luma.bits - 8,
    )
    read = () if before is None else (before.runs, before.verdict)
    tiles = -(-luma.width // wide), -(-columns // many)
    arrays = (luma.array, other.array, sums)
    return (
        (
            Launch(f"deinterlace_match_{luma.type_name}", measure, tiles[0], rows, arrays),
            Launch("deinterlace_noise", noise, 1, 1, (sums, found.noise)),
            Launch("deinterlace_verdict", verdict, tiles[1], rows, (sums, *read, *found.arrays)),
        ),
        found,
    )


def _woven(device: Device, field: Field, name: str, target: Samples, found: Matches) -> Launch:
    current, reference = (Samples.of(each, name) for each in (field.current, field.needed_reference("matches")))
    layout = field.current.layout
    require_shape("verdicts about a field", found.verdict, _blocks(Samples.of(field.current, "Y")))
    params = _WEAVE(
        current=source_record(device, current),
        reference=source_record(device, reference),
        target=target_record(device, target),
        verdict=device.address(found.verdict),
        noise=device.address(found.noise),
        pitch_B=int(found.verdict.strides[0]),
        width=current.width,
        height=current.height,
        parity=field.parity,
        across=0 if name == "Y" else layout.log2_chroma_width,
        down=0 if name == "Y" else layout.log2_chroma_height,
        scale=current.bits - 8,
    )
    wide, high = MATCH_WIDTHS[device.tile_limits][0], 2 * WEAVE_LINES[device.tile_limits]
    tiles = -(-current.width // wide), -(-current.height // high)
    arrays = (current.array, reference.array, target.array, found.verdict, found.noise)
    return Launch(f"deinterlace_weave_{current.type_name}", params, *tiles, arrays)
