"""Film mode judged on what `judged_film` does not try: slow, dark, grainy, faded film, mixtures, codecs, video, etc.

`python -m benchmarks.judged_film_more [--kinds "slow,video"] [--ways "plain,H.264"] [--seed N] [--clips 1]` shows sums.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from typing import Any

import av
import numpy as np

from benchmarks.judged_film import (
    COMBED_DB,
    CONTENTS,
    HEIGHT_PX,
    PICTURES,
    WIDTH_PX,
    Film,
    FilmRow,
    Random,
    cadences,
    dB_of,
    scrolled_text,
    summed,
    telecined,
    verdicts,
)
from benchmarks.judged_film import _moved as moved
from benchmarks.tables import show
from benchmarks.woven import combs_more
from texsamp.video.film.planner import FieldVerdict
from texsamp.video.film.variances import strip_area

Fields = tuple[Film, list[int]]
"""What every field is taken from, and the number of its film's picture: video has another one in every field."""
_CADENCES = ("32", "22", "2332", "32322", "2224", "euro")
_VIDEO = ("pan", "up or down", "up or down by 1", "credits", "chart", "hand", "real", "noise")
_SCENES = ("pan", "hand", "noise", "up or down")
_SLOWEST, _SLOW = 0.04, 0.3
_INTERLACED = 0x40000 | 0x20000000  # FFmpeg's ildct and ilme
WAYS: dict[str, tuple[str, int, dict[str, str]] | None] = {
    "plain": None,
    "H.264": ("libx264", 0, {"crf": "30", "x264-params": "tff=1:threads=1"}),
    "MPEG-2": ("mpeg2video", 2_000_000, {"g": "15", "bf": "2", "threads": "1"}),
}


@dataclass(frozen=True)
class MoreRow(FilmRow):
    """Of the combed fields, told by those before coding, ``worse`` comb more than the right weave of those decoded."""

    worse: int


def _of(film: Film, shown: Sequence[int]) -> Fields:
    return [film[n] for n in shown], list(shown)


def _telecine(content: Callable[[Random], Film]) -> Callable[[Random, str], Fields]:
    return lambda rng, cadence: _of(content(rng), cadences(rng)[cadence])


def _slow(rng: Random) -> Film:
    speed, angle = rng.uniform(_SLOWEST, _SLOW), rng.uniform(0, np.pi / 2)
    return moved(rng, speed * np.cos(angle), speed * np.sin(angle))


def _dark(rng: Random) -> Film:
    film, noise = CONTENTS["hand"](rng), rng.uniform(0.5, 1.5)
    return [np.rint(16 + (p - 16.0) * 0.15 + rng.normal(0, noise, p.shape)).clip(0, 255).astype(np.uint8) for p in film]


def _grainy(rng: Random) -> Film:
    sigma = rng.uniform(4, 8)
    film = CONTENTS["pan"](rng)
    return [np.rint(p + rng.normal(0, sigma, p.shape)).clip(0, 255).astype(np.uint8) for p in film]


def _subtitled(rng: Random, cadence: str) -> Fields:
    """Words that appear and vanish at any field, over film; a picture whose fields differ by them is none."""
    film = CONTENTS["hand"](rng)
    shown, made, numbers = cadences(rng)[cadence], [], []
    words, begin = scrolled_text(rng, WIDTH_PX, 24, 16), int(rng.integers(0, 30))
    for field, number in enumerate(shown):
        word = max(0, (field - begin) // 30) if (field - begin) % 30 < 22 else -1
        picture = film[number].copy()
        if field >= begin and word >= 0:
            lines = np.roll(words, 37 * word, 1)[:, 40:-40]
            picture[HEIGHT_PX - 36 : HEIGHT_PX - 12, 40:-40][lines > 120] = 225
        made.append(picture)
        numbers.append(number * 1000 + word)
    return made, numbers


def _mixed(rng: Random, cadence: str) -> Fields:
    """Film in a cadence, then 30 pictures a second, then video, each of its own film."""
    parts: list[Fields] = []
    for part, shown in enumerate((cadences(rng)[cadence][:100], cadences(rng)["22"][:60], list(range(40)))):
        film, numbers = _of(CONTENTS[("pan", "hand", "noise")[part]](rng), shown)
        parts.append((film, [1000 * part + n for n in numbers]))
    made, known = ([v for part in parts for v in part[kind]] for kind in (0, 1))
    return made[: len(made) // 2 * 2], known[: len(made) // 2 * 2]  # type: ignore[return-value]


def _video(content: Callable[[Random], Film]) -> Callable[[Random, str], Fields]:
    return lambda rng, _: _of(content(rng), range(PICTURES))


def _doubled(rng: Random, cadence: str) -> Fields:
    """Video whose every fifth or every frame is shown twice: fields come again, but no two are of one picture."""
    film, every = CONTENTS[str(rng.choice(("pan", "hand", "real")))](rng), 5 if cadence == "fifth" else 1
    shown = [2 * n + parity for n in range(PICTURES // 2) for _ in range(1 + (n % every == 0)) for parity in (0, 1)]
    return _of(film, shown)


def _sped_up(rng: Random, _: str) -> Fields:
    """24 pictures a second shown as 25: one of them is shown twice as long."""
    content, begin = str(rng.choice(("pan", "hand", "real", "noise"))), int(rng.integers(0, 24))
    shown = [n for n in range(PICTURES) for _ in range(4 if n % 24 == begin else 2)]
    return _of(CONTENTS[content](rng), shown)


def _scenes(rng: Random, cadence: str) -> Fields:
    """Scenes of 1 to 2 seconds, of film and of video by turns, each of its own, cut at any field."""
    made: Film = []
    known: list[int] = []
    for scene in range(4):
        numbers = cadences(rng)[cadence] if scene % 2 == 0 else list(range(PICTURES))
        begin = int(rng.integers(0, 5))
        film, shown = _of(CONTENTS[str(rng.choice(_SCENES))](rng), numbers[begin : begin + int(rng.integers(51, 111))])
        made += film
        known += [1000 * scene + n for n in shown]
    return made[: len(made) // 2 * 2], known[: len(made) // 2 * 2]


def _faded(rng: Random, cadence: str) -> Fields:
    """A film that fades in, dissolves into another, and fades out, each within 12 to 24 pictures."""
    one, two = (CONTENTS[str(rng.choice(("pan", "hand", "noise")))](rng) for _ in range(2))
    into, across, out = (int(n) for n in rng.integers(12, 25, 3))
    cut, number = int(rng.integers(26, 36)), np.arange(PICTURES)
    light = np.clip(np.minimum((number + 1) / into, (PICTURES - number) / out), 0, 1)
    share = np.clip((number - cut + across / 2) / across, 0, 1)
    mixed = ((1 - s) * a + s * b for a, b, s in zip(one, two, share, strict=True))
    film = [np.rint(16 + (p - 16.0) * v).clip(0, 255).astype(np.uint8) for p, v in zip(mixed, light, strict=True)]
    return _of(film, cadences(rng)[cadence])


def _misordered(rng: Random, cadence: str) -> Fields:
    """Bottom fields first, told as top first: all of it, or from somewhere on."""
    shown = cadences(rng)[cadence]
    begin = int(rng.integers(0, 2)) * int(rng.integers(20, 40))
    swapped = shown[: 2 * begin] + [
        n for pair in zip(shown[2 * begin + 1 :: 2], shown[2 * begin :: 2], strict=True) for n in pair
    ]
    return _of(CONTENTS[str(rng.choice(("pan", "hand", "noise")))](rng), swapped)


KINDS: dict[str, tuple[Callable[[Random, str], Fields], Sequence[str]]] = {
    "slow": (_telecine(_slow), (*_CADENCES, "44", "55", "66", "64", "87")),
    "dark": (_telecine(_dark), _CADENCES),
    "grain": (_telecine(_grainy), _CADENCES),
    "pan, coded": (_telecine(CONTENTS["pan"]), _CADENCES),
    "real, coded": (_telecine(CONTENTS["real"]), _CADENCES),
    "subtitles": (_subtitled, _CADENCES),
    "mixed": (_mixed, _CADENCES),
    "25 from 24": (_sped_up, ("22 and 4",)),
    "scenes": (_scenes, ("32", "2332", "22")),
    "faded": (_faded, _CADENCES),
    "wrong order": (_misordered, ("32", "2332", "22")),
    **{f"video: {name}": (_video(CONTENTS[name]), ("video",)) for name in _VIDEO},
    "video: slow": (_video(_slow), ("video",)),
    "video: dark": (_video(_dark), ("video",)),
    "video: doubled": (_doubled, ("fifth", "each")),
}


def _coded(frames: Film, way: str) -> Film:
    """Luma of frames after interlaced coding, top fields first."""
    settings = WAYS[way]
    if settings is None:
        return frames
    codec, rate, options = settings
    height, width = frames[0].shape
    file = BytesIO()
    with av.open(file, "w", "matroska") as container:
        stream: Any = container.add_stream(codec, rate=25, options=options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.flags |= _INTERLACED
        stream.codec_context.time_base = Fraction(1, 25)
        if rate:
            stream.bit_rate = rate
        for luma in frames:
            planes = np.vstack([luma, np.full((height // 2, width), 128, np.uint8)])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(planes, "yuv420p")))
        container.mux(stream.encode())
    file.seek(0)
    with av.open(file, "r") as reading:
        return [frame.to_ndarray()[:height].copy() for frame in reading.decode(video=0)]


def shown_with(fields: Film, verdict: FieldVerdict) -> np.ndarray:
    """The picture that a field is woven with; strips that are deinterlaced are its own."""
    own, other = fields[verdict.number], fields[verdict.number + verdict.partner].copy()
    for strip in verdict.video_strips:
        area = strip_area(strip, own.shape[1])
        other[area] = own[area]
    return other


def judged_more(kind: str, cadence: str, way: str, seed: int) -> MoreRow:
    """One clip. Recovered are pictures of which two fields were woven whole; combs are of fields before coding."""
    rng = np.random.default_rng([sum(kind.encode()), sum(cadence.encode()), seed])
    fields, numbers = KINDS[kind][0](rng, cadence)
    frames = _coded(telecined(fields, range(len(fields)), True), way)
    found = verdicts(frames, True)
    exact, qualities, locked, worse = set(), [100.0], 0, 0
    for verdict in found:
        if not verdict.partner:
            continue
        locked += 1
        number, lacks = verdict.number, (verdict.number + 1) % 2
        qualities.append(dB_of(fields[number][lacks::2], shown_with(fields, verdict)[lacks::2]))
        if numbers[number] == numbers[number + verdict.partner] and not verdict.video_strips:
            exact.add(numbers[number])
        if qualities[-1] < COMBED_DB:
            beside = (n for n in (number - 1, number + 1) if 0 <= n < len(numbers))
            rights = [n for n in beside if numbers[n] == numbers[number]]
            worse += combs_more(frames, number, verdict.partner, rights, verdict.video_strips)
    wanted = {a for a, b in pairwise(numbers) if a == b}
    shown = [numbers[v.number] for v in found if v.shown]
    missed = len(wanted - set(shown))  # of video every second field is not
    twice = len(shown) - len(set(shown)) if wanted else 0
    combed = sum(q < COMBED_DB for q in qualities)
    lost = len(wanted & exact), combed, min(qualities), missed, twice
    return MoreRow("more", kind, way, len(fields), len(wanted), *lost, locked, worse)


def judged_film_more(
    kinds: Sequence[str] = (), ways: Sequence[str] = (), seed: int = 20000, clips: int = 1
) -> list[MoreRow]:
    """Sums of every kind, coded in every way."""
    rows = []
    for kind in kinds or KINDS:
        for way in ways or WAYS:
            found = [judged_more(kind, name, way, n) for name in KINDS[kind][1] for n in range(seed, seed + clips)]
            rows.append(summed(found, kind, way))
    return rows


def main() -> None:
    """Parts of it, for those who tune."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", default="", help="beginnings of their names")
    parser.add_argument("--ways", default="")
    parser.add_argument("--seed", type=int, default=20000)
    parser.add_argument("--clips", type=int, default=1)
    asked = parser.parse_args()
    begins = tuple(n for n in asked.kinds.split(",") if n)
    kinds = [kind for kind in KINDS if not begins or kind.startswith(begins)]
    show("judged_film_more", judged_film_more(kinds, [n for n in asked.ways.split(",") if n], asked.seed, asked.clips))


if __name__ == "__main__":
    main()
