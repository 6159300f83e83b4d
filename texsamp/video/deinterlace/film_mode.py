"""Film mode in the deinterlacer: frames held back until it is known what their fields are (ours; docs/film.md)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass

from texsamp.video.film.cadence import Rhythm, spoken
from texsamp.video.film.planner import FieldVerdict, FilmPlanner
from texsamp.video.film.variances import FilmParameters, FilmStatistics, measure_film
from texsamp.video.frame import Frame


@dataclass(frozen=True, eq=False)
class PlannedFrame:
    """A frame, the parity of its first field, what becomes of its fields in time, and what was measured."""

    frame: Frame
    first_parity: int
    verdicts: tuple[FieldVerdict, FieldVerdict]
    statistics: FilmStatistics


class FilmMode:
    """Frames in, the same frames with their plans out; ``film`` is a cadence or "auto"."""

    def __init__(self, film: str, parameters: FilmParameters) -> None:
        self.film = film
        self.counts: Counter[str] = Counter()
        self._parameters = parameters
        self._restart()

    def _restart(self) -> None:
        self._planner = FilmPlanner(self.film)
        self._waiting: deque[tuple[Frame, int, FilmStatistics]] = deque()
        self._verdicts: list[FieldVerdict] = []
        self._last: Frame | None = None
        self._rhythm: Rhythm | None = None

    def feed(self, frame: Frame, first_parity: int) -> Iterator[PlannedFrame]:
        """The next frame of a stream, like the one before in size, layout and field order."""
        statistics = measure_film(frame, self._last, self._parameters)
        self._waiting.append((frame, first_parity, statistics))
        verdicts = self._planner.add(statistics, first_parity, self._last is None)
        self._last = frame
        yield from self._planned(verdicts)

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
                frame, parity, statistics = self._waiting.popleft()
                yield PlannedFrame(frame, parity, (first, second), statistics)

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
