"""One row of the table of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

Label = Literal["exact", "reconstructed", "ours"]
LABELS: tuple[Label, ...] = get_args(Label)


@dataclass(frozen=True)
class Part:
    """How faithful one part is, what that rests on, and why.

    ``basis`` names lines of the manual ("seed 003:1646"), a page of its public volumes ("SNB 4.1 p. 43", as
    docs/sources.md abbreviates them) or a page of docs; A1, I5 and so on number the gaps of the seeds. ``why`` tells
    the gap, the readings that were considered and the choice. With ``option``, a part of a filter is in use only when
    that option has one of ``values`` (with no values: when it differs from its default), and the option it ``needs``
    has one of ``needed`` (the same).
    """

    part: str
    label: Label | Literal["FFmpeg"]
    basis: str
    why: str = ""
    option: str = ""
    values: tuple[Any, ...] = ()
    needs: str = ""
    needed: tuple[Any, ...] = ()
