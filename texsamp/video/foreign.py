"""Filters that are not texsamp's: whoever has some says here how to make stages of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module

from texsamp.video.stage import Stage


@dataclass(frozen=True)
class ForeignFilters:
    """The filters of ``owner``: their ``names``, and how to ``make`` a stage of the text of one or of several in a row.

    ``keyword`` is the name under which texsamp takes the text of several. ``make`` raises StateError.
    """

    owner: str
    keyword: str
    names: Callable[[], Collection[str]]
    make: Callable[[str], Stage]


_REGISTERED: list[ForeignFilters] = []

_OWNERS = ("texsamp.io.lavfi",)
"""Modules that register when they are imported, which `import texsamp` does not do."""

OURS_INSTEAD = {
    "yadif": "deinterlace",
    "bwdif": "deinterlace=rate=field",
    "w3fdif": "deinterlace=rate=field",
    "estdif": "deinterlace=rate=field",
    "nnedi": "deinterlace=mode=hq:rate=field",
    "kerndeint": "deinterlace",
    "pullup": "deinterlace=film=auto:rate=film",
    "ivtc": "deinterlace=film=auto:rate=film",
    "fieldmatch": "deinterlace=film=auto:rate=film",
    "detelecine": "deinterlace=film=auto:rate=film",
    "hqdn3d": "denoise",
    "nlmeans": "denoise",
    "atadenoise": "denoise",
    "bm3d": "denoise",
    "unsharp": "sharpen=30",
    "cas": "sharpen=30",
    "zscale": "scale=1280x720",
    "libplacebo": "scale=1280x720",
    "resize": "scale=1280x720",
    "eq": "procamp=contrast=1.1",
    "hue": "procamp=hue=10",
    "colorspace": "csc=bt709",
    "normalize": "contrast",
    "histeq": "contrast",
}
"""What texsamp has in place of filters that people know from elsewhere, as an example of its use."""


def register(filters: ForeignFilters) -> None:
    """Take filters into the grammar."""
    _REGISTERED.append(filters)


def foreign_filters() -> tuple[ForeignFilters, ...]:
    """Everyone who has registered."""
    for owner in _OWNERS:
        import_module(owner)
    return tuple(_REGISTERED)
