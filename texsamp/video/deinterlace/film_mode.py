"""Film mode in the deinterlacer: frames held back until it is known what their fields are (ours; docs/film.md)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace

from texsamp.video.deinterlace.film_flags import FilmFlags, JudgedFrame
from texsamp.video.deinterlace.film_notes import order_note, summary, unflagged_note
from texsamp.video.deinterlace.planned_frame import PlannedFrame
from texsamp.video.film.cadence import Rhythm
from texsamp.video.film.field_order import FrameVerdict, OrderedPlanner
from texsamp.video.film.meter import FilmMeter
from texsamp.video.film.planner import FieldVerdict
from texsamp.video.film.variances import FilmParameters

_OWN_PAIR = 1, -1
"""The partner of a frame's first and second field in time within the frame."""


class FilmMode:
    """Frames in, the same frames with their plans out; ``film`` is a cadence or "auto".

    ``may_turn`` says whether fields may come in another order than flags tell.
    """

    TALLIES = ("counts", "_rhythm")

    def __init__(self, film: str, parameters: FilmParameters, may_turn: bool) -> None:
        self.film = film
        self.counts: Counter[str] = Counter()
        self._parameters = parameters
        self._may_turn = may_turn
        self._flags = FilmFlags()
        self._fed: PlannedFrame | None = None
        self._restart(0)

    def _restart(self, first_parity: int) -> None:
        self._planner = OrderedPlanner(self.film, first_parity, self._may_turn)
        self._meter = FilmMeter(self._parameters)
        self._waiting: deque[JudgedFrame] = deque()
        self._last: JudgedFrame | None = None
        self._rhythm: Rhythm | None = None

    def feed(self, frame: PlannedFrame) -> Iterator[PlannedFrame]:
        """The next frame; yields those whose fields are known now. One far from all that are interlaced is no film."""
        if self._fed is not None and not self._fed.is_before(frame):
            yield from self.finish()
        self._fed = frame
        for judged in self._flags.feed(frame):
            yield from self._take(judged)

    def finish(self) -> Iterator[PlannedFrame]:
        """The stream has ended: what is still held."""
        for judged in self._flags.finish():
            yield from self._take(judged)
        yield from self._end()
        self._fed = None

    def _take(self, coming: JudgedFrame) -> Iterator[PlannedFrame]:
        last = self._last
        if last is not None and not (coming.judged and last.first_parity == coming.first_parity):
            yield from self._end()
        if not coming.judged:
            yield coming.planned
            return
        if self._last is None:
            self._restart(coming.first_parity)
        statistics = self._meter.measure(coming.planned.frame)
        self._waiting.append(replace(coming, planned=replace(coming.planned, variances=statistics.variances)))
        is_first, self._last = self._last is None, coming
        yield from self._planned(self._planner.add(statistics, is_first, coming.mixed))

    def _end(self) -> Iterator[PlannedFrame]:
        """No frame follows that goes on with those before."""
        last, self._last = self._last, None
        if last is not None:
            yield from self._planned(self._planner.finish(last.mixed))

    def _planned(self, verdicts: Iterator[FrameVerdict]) -> Iterator[PlannedFrame]:
        for verdict in verdicts:
            judged = self._waiting.popleft()
            frame, fields = judged.planned, verdict.fields
            if not (frame.interlaced or judged.by_looks):
                fields = _as_flagged(fields)
            is_film = any(field.rhythm for field in fields)
            parity = verdict.first_parity if verdict.told else frame.first_parity
            self.counts["frames"] += 1
            self.counts["unflagged"] += not frame.interlaced
            self.counts["passed"] += not (frame.interlaced or is_film)
            self.counts[f"turned {frame.first_parity}"] += (
                frame.interlaced and frame.has_order and parity != frame.first_parity
            )
            self._count(fields)
            yield replace(frame, first_parity=parity, interlaced=frame.interlaced or is_film, verdicts=fields)

    def _count(self, fields: tuple[FieldVerdict, FieldVerdict]) -> None:
        for field in fields:
            self.counts["breaks"] += self._rhythm not in (None, field.rhythm)
            self._rhythm = field.rhythm
            if field.rhythm is not None:
                self.counts[f"film {field.rhythm.name}"] += 1
                self.counts["escaped"] += field.partner == 0

    def notes(self) -> Iterator[str]:
        """What was found, in words; forgets it."""
        counts, self.counts = self.counts, Counter()
        return (note for note in (summary(counts), unflagged_note(counts), order_note(counts)) if note)


def _as_flagged(fields: tuple[FieldVerdict, FieldVerdict]) -> tuple[FieldVerdict, FieldVerdict]:
    """Verdicts on a frame that is progressive by its flag: it stays whole, or a field of another frame joins."""
    first, second = (
        field if field.partner == -own else replace(field, partner=own, video_strips=())
        for field, own in zip(fields, _OWN_PAIR, strict=True)
    )
    return first, second
