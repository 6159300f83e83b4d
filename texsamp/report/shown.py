"""A report inside a notebook."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from texsamp.errors import MediaError
from texsamp.shown.html import framed

_HEIGHT_PX = 700
_LIMIT_B = 64 << 20


@dataclass(frozen=True)
class ReportPage:
    """A report that was written; as the last value of a notebook's cell it is shown, in a frame of its own."""

    path: str | os.PathLike[str]

    def _repr_html_(self) -> str:
        """The page. MediaError for what cannot be read or is longer than 64 MiB."""
        name = os.fspath(self.path)
        try:
            if (size_B := os.path.getsize(name)) > _LIMIT_B:
                raise MediaError(f"{name}: a notebook shows reports of at most {_LIMIT_B} bytes, found {size_B}")
            return framed(Path(name).read_text(encoding="utf-8"), _HEIGHT_PX)
        except (OSError, UnicodeDecodeError) as error:
            raise MediaError(f"{name}: cannot be read: {error}") from error
