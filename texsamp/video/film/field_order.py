"""The order that fields come in: as told, or the other one where pictures move so (ours; docs/film.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from texsamp.video.film.planner import FieldVerdict, FilmPlanner
from texsamp.video.film.variances import FilmStatistics


@dataclass(frozen=True)
class FrameVerdict:
    """What the two fields of a frame are shown as, in time, and the parity of the first.

    ``told`` says that pictures have told an order by then.
    """

    first_parity: int
    fields: tuple[FieldVerdict, FieldVerdict]
    told: bool = False


class OrderedPlanner:
    """A `FilmPlanner` for each order of fields; that of the other one begins where fields seem to come in it.

    ``may_turn`` says whether it may be the other one at all.
    """

    def __init__(self, film: str, first_parity: int, may_turn: bool) -> None:
        self._film, self._parity, self._may_turn = film, first_parity, may_turn
        self._planner = FilmPlanner(film)
        self._other: FilmPlanner | None = None
        self._kept: deque[FilmStatistics] = deque(maxlen=self._planner.delay_fields)
        self._turned = self._told = False

    def add(self, statistics: FilmStatistics, is_first: bool, mixed: bool) -> Iterator[FrameVerdict]:
        """One more frame; yields the verdicts that are now certain. ``mixed``: its flags are not to be believed."""
        self._kept.append(statistics)
        verdicts = list(self._planner.add(statistics, self._parity, is_first))
        others: list[FieldVerdict] = []
        if self._other is not None:
            others = list(self._other.add(statistics, 1 - self._parity, False))
        elif self._asks_other(verdicts, mixed):
            others = self._begun()
        yield from self._chosen(verdicts, others)

    def finish(self, mixed: bool) -> Iterator[FrameVerdict]:
        """The verdicts on the frames that are left."""
        verdicts = list(self._planner.finish())
        if self._other is None and self._asks_other(verdicts, mixed):
            self._begun()
        yield from self._chosen(verdicts, [] if self._other is None else list(self._other.finish()))

    def _asks_other(self, verdicts: Sequence[FieldVerdict], mixed: bool) -> bool:
        return self._may_turn and (mixed or any(verdict.turned for verdict in verdicts))

    def _begun(self) -> list[FieldVerdict]:
        """Begin with the other order; its verdicts on all frames that are kept and certain, the last one's last."""
        planner = self._other = FilmPlanner(self._film)
        return [v for n, kept in enumerate(self._kept) for v in planner.add(kept, 1 - self._parity, n == 0)]

    def _chosen(self, verdicts: Sequence[FieldVerdict], others: Sequence[FieldVerdict]) -> Iterator[FrameVerdict]:
        """Of both orders that in which there is film, else that in which nothing seems turned, else the last one."""
        others = others[len(others) - len(verdicts) :] if others else verdicts
        for n in range(0, len(verdicts), 2):
            both = [(row[n], row[n + 1]) for row in (verdicts, others)]
            are_film = [any(v.rhythm for v in pair) for pair in both]
            are_turned = [any(v.turned for v in pair) for pair in both]
            if self._other is not None and are_film[0] != are_film[1]:
                self._turned = are_film[1] and (self._turned or are_turned[0])
            elif are_turned[0] != are_turned[1]:
                self._turned, self._told = are_turned[0], True
            self._told |= any(are_film)
            yield FrameVerdict(self._parity ^ self._turned, both[self._turned], self._told)
