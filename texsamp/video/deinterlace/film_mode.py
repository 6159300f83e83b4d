"""Film mode in the deinterlacer: frames held back until it is known what their fields are (ours; docs/film.md)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace

from texsamp.video.deinterlace.planned import PlannedFrame
from texsamp.video.film.cadence import Rhythm, spoken
from texsamp.video.film.meter import FilmMeter
from texsamp.video.film.planner import FieldVerdict, FilmPlanner
from texsamp.video.film.variances import FilmParameters


class FilmMode:
    """Frames in, the same frames with their plans out; ``film`` is a cadence or "auto"."""

    TALLIES = ("counts", "_rhythm")

    def __init__(self, film: str, parameters: FilmParameters) -> None:
        self.film = film
        self.counts: Counter[str] = Counter()
        self._parameters = parameters
        self._restart()

    def _restart(self) -> None:
        self._planner = FilmPlanner(self.film)
        self._meter = FilmMeter(self._parameters)
        self._waiting: deque[PlannedFrame] = deque()
        self._verdicts: list[FieldVerdict] = []
        self._last: PlannedFrame | None = None
        self._rhythm: Rhythm | None = None

    def feed(self, frame: PlannedFrame) -> Iterator[PlannedFrame]:
        """The next frame; yields those whose fields are known now. One that is not interlaced is no film."""
        last = self._last
        if last is not None and not (frame.interlaced and last.is_followed_by(frame)):
            yield from self.finish()
            last = None
        if not frame.interlaced:
            yield frame
            return
        statistics = self._meter.measure(frame.frame)
        self._waiting.append(replace(frame, variances=statistics.variances))
        self._last = frame
        yield from self._planned(self._planner.add(statistics, frame.first_parity, last is None))

    def finish(self) -> Iterator[PlannedFrame]:
        """The stream has ended: what is still held."""
        yield from self._planned(self._planner.finish())
        self._restart()

    def _planned(self, verdicts: Iterator[FieldVerdict]) -> Iterator[PlannedFrame]:
        for verdict in verdicts:
            self._count(verdict)
            self._verdicts.append(verdict)
            if len(self._verdicts) == 2:
                first, second = self._verdicts
                self._verdicts = []
                yield replace(self._waiting.popleft(), verdicts=(first, second))

    def _count(self, verdict: FieldVerdict) -> None:
        self.counts["fields"] += 1
        self.counts["breaks"] += self._rhythm not in (None, verdict.rhythm)
        self._rhythm = verdict.rhythm
        if verdict.rhythm is None:
            return
        self.counts[f"film {verdict.rhythm.name}"] += 1
        self.counts["escaped"] += verdict.partner == 0

    def summary(self) -> str:
        """What was found, in words; forgets it."""
        counts, self.counts = self.counts, Counter()
        if not counts["fields"]:
            return ""
        found = sorted(((n, name[5:]) for name, n in counts.items() if name.startswith("film ")), reverse=True)
        if not found:
            return "film: no cadence was found: every frame was deinterlaced"
        parts = [f"film {spoken(name)} locked for {100 * n // counts['fields']} % of the fields" for n, name in found]
        breaks = counts["breaks"]
        parts.append(f"{breaks} cadence break{'s' * (breaks != 1)}")
        if counts["escaped"]:
            escaped = counts["escaped"]
            parts.append(f"{escaped} field{'s' * (escaped != 1)} of film deinterlaced all the same")
        return "; ".join(parts)
