"""Film mode judged on what is not film alone: tickers over film, film in the wrong field order, video that flickers.

`python -m benchmarks.judged_film_odd [--split fit] [--clips 2]` shows every clip.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from benchmarks.judged_film import (
    COMBED_DB,
    CONTENTS,
    PICTURES,
    Film,
    FilmRow,
    Random,
    cadences,
    dB_of,
    scrolled_text,
    seeds_of,
    summed,
    telecined,
    verdicts,
)
from benchmarks.tables import show
from texsamp.video.film.variances import STRIP_LINES, strip_area

_UNDER = ("pan", "up or down", "real", "noise")
"""Contents of films under tickers."""
_TICKED = ("32", "22", "2332", "2224", "euro")
_SWAPPED = ("32", "2332", "32322", "2224", "euro")


def _seeded(name: str, content: str, seed: int) -> Random:
    return np.random.default_rng([sum((name + content).encode()), seed])


def _ticked(split: str, content: str, cadence: str, seed: int) -> FilmRow:
    """Film with a ticker that moves in every field; recovered are pictures that are exact but for 8 lines above it.

    Combed is a field that is woven with another time's ticker.
    """
    rng = _seeded("ticker", content, seed)
    film = CONTENTS[content](rng)
    shown = cadences(rng)[cadence]
    top_first, speed = bool(rng.integers(0, 2)), int(rng.integers(1, 7))
    lines, columns = film[0].shape
    height = int(rng.integers(12, 28))
    top = lines - height - int(rng.integers(0, 16))
    page = scrolled_text(rng, columns + speed * len(shown) + 4, height, 30)
    fields = []
    for number, picture in enumerate(shown):
        field = film[picture].copy()
        field[top : top + height] = page[:, speed * number :][:, :columns]
        fields.append(field)
    found = verdicts(telecined(fields, range(len(fields)), top_first), top_first)
    above = max(top // STRIP_LINES - 1, 0) * STRIP_LINES
    exact, combed, worst = set(), 0, 100.0
    for verdict in found:
        if not verdict.partner:
            continue
        own, other = fields[verdict.number], fields[verdict.number + verdict.partner].copy()
        for strip in verdict.video_strips:
            other[strip_area(strip, columns)] = own[strip_area(strip, columns)]
        lacks = (verdict.number + top_first) % 2
        quality = dB_of(own[lacks::2], other[lacks::2])
        worst, combed = min(worst, quality), combed + (quality < COMBED_DB)
        if not any(strip_area(strip, columns)[0].start < above for strip in verdict.video_strips):
            film_part = slice(lacks, above, 2)
            if np.array_equal(own[film_part], other[film_part]):
                exact.add(shown[verdict.number])
    wanted = {a for a, b in pairwise(shown) if a == b}
    locked = sum(v.partner != 0 for v in found)
    row = (len(shown), len(wanted), len(wanted & exact), combed, worst, 0, 0, locked)
    return FilmRow(split, f"ticker over {content}", cadence, *row)


def _as_video(split: str, name: str, cadence: str, fields: Film, top_first: bool, told: bool) -> FilmRow:
    """Fields that no two of which are to be woven, but those that are of one picture."""
    frames = telecined(fields, range(len(fields)), top_first)
    found = verdicts(frames, told)
    worst, combed, locked = 100.0, 0, 0
    for verdict in found:
        if not verdict.partner:
            continue
        # fields as they stand in the frames: those told in the wrong order lie the other way about
        places = [n ^ (told != top_first) for n in (verdict.number, verdict.number + verdict.partner)]
        own, other = (fields[n] for n in places)
        lacks = (places[0] + top_first) % 2
        quality = dB_of(own[lacks::2], other[lacks::2])
        worst, combed, locked = min(worst, quality), combed + (quality < COMBED_DB), locked + 1
    return FilmRow(split, name, cadence, len(fields), 0, 0, combed, worst, 0, 0, locked)


def _swapped(split: str, content: str, cadence: str, seed: int) -> FilmRow:
    """Film whose field order is told wrongly: whatever is woven must be of one picture."""
    rng = _seeded("order", content, seed)
    film = CONTENTS[content](rng)
    top_first = bool(rng.integers(0, 2))
    fields = [film[n] for n in cadences(rng)[cadence]]
    return _as_video(split, "wrong order", cadence, fields, top_first, not top_first)


def _flickering(split: str, content: str, period: int, seed: int) -> FilmRow:
    """Video under a lamp whose light comes and goes every so many fields."""
    rng = _seeded("flicker", content, seed)
    lights = 1 - rng.uniform(0.05, 0.3) * (np.arange(PICTURES) % period < period / 2)
    film = [np.rint(p * light).astype(np.uint8) for p, light in zip(CONTENTS[content](rng), lights, strict=True)]
    top_first = bool(rng.integers(0, 2))
    return _as_video(split, "flicker", "video", film, top_first, top_first)


def odd_clips(split: str, clips: int = 2) -> list[FilmRow]:
    """A row for each clip."""
    rows: list[FilmRow] = []
    judges: Sequence[tuple[Callable[..., FilmRow], Sequence[str | int]]] = (
        (_ticked, _TICKED),
        (_swapped, _SWAPPED),
        (_flickering, (2, 3, 4, 5)),
    )
    for judge, kinds in judges:
        for content in _UNDER:
            for kind in kinds:
                rows += [judge(split, content, kind, seed) for seed in seeds_of(split, clips)]
    return rows


def odd_film(clips: int = 2) -> list[FilmRow]:
    """Sums over them."""
    rows = []
    for split in ("fit", "test"):
        found = odd_clips(split, clips)
        for content in dict.fromkeys(row.content for row in found):
            rows.append(summed([row for row in found if row.content == content], content, "all"))
    return rows


def main() -> None:
    """Every clip."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=("fit", "test"), default="fit")
    parser.add_argument("--clips", type=int, default=1)
    asked = parser.parse_args()
    show("judged_film_odd", odd_clips(asked.split, asked.clips))


if __name__ == "__main__":
    main()
