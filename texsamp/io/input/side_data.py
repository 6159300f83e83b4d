"""What FFmpeg tells beside a picture, without two kinds of it that PyAV cannot be asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import av
from av.sidedata.sidedata import SideData, Type

from texsamp.io.frames.picture_graph import PictureGraph
from texsamp.io.input.hardware_decoder import is_on_gpu

_FIRST_NEWER = max(cast(int, kind.value) for kind in Type) + 1
_NEWER = range(_FIRST_NEWER, _FIRST_NEWER + 8)
"""Kinds that PyAV has no name for, and therefore refuses with all others; FFmpeg adds about one a year."""
_NAMED: dict[str, int] = {"ICC_PROFILE": 15, "EXIF": 31}
"""Kinds that are known by number alone: PyAV frees a profile's name, which is the picture's to free, a second time."""

_DELETED = [("sidedata", f"mode=delete:type={number}") for number in sorted({*_NAMED.values(), *_NEWER})]


@dataclass(frozen=True)
class Told:
    """One kind of side data, by FFmpeg's name, and its bytes: none of an ICC profile and of EXIF."""

    kind: str
    data: bytes = b""


def side_data_of(picture: av.VideoFrame) -> list[Told]:
    """All side data of a picture that have a name here, in FFmpeg's order, ICC profile and EXIF behind the others."""
    if is_on_gpu(picture):  # decoders of pictures' files are not there
        return _of(picture)
    rest = PictureGraph(*_DELETED).send(picture)
    return ([] if rest is None else _of(rest)) + [
        Told(name) for name, number in _NAMED.items() if _has(picture, number)
    ]


def _of(picture: av.VideoFrame) -> list[Told]:
    return [Told(side.type.name, bytes(side)) for side in cast(Iterable[SideData], picture.side_data)]


def _has(picture: av.VideoFrame, number: int) -> bool:
    return PictureGraph(("sidedata", f"mode=select:type={number}")).send(picture) is not None
