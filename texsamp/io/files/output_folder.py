"""Several files that appear together: the pictures of a sequence, a playlist and its segments."""

from __future__ import annotations

import os
import re
import weakref
from pathlib import Path

from texsamp.device.arguments import check_truth
from texsamp.errors import MediaError
from texsamp.io.files.output_file import REPLACED_BY
from texsamp.io.files.read_files import is_read, led_to
from texsamp.io.files.temporary import TemporaryFolder

NUMBER = re.compile(r"%(?:0([1-9]))?d")
"""Where the number of a picture stands in the name of a sequence, as in out_%04d.png."""


def numbered_names(name: str) -> re.Pattern[str]:
    """The names of a sequence's pictures."""
    before, after = (re.escape(part) for part in (NUMBER.split(name)[0], NUMBER.split(name)[-1]))
    return re.compile(f"{before}[0-9]+{after}")


def segment_names(playlist: str) -> re.Pattern[str]:
    """A playlist's name, and those of its segments."""
    return re.compile(f"{re.escape(playlist)}|{re.escape(Path(playlist).stem)}_[0-9]+\\.ts")


class OutputFolder:
    """Files whose names match ``names``, written into a hidden folder next to their place and moved when complete.

    ``temporary`` is the path to write to, with the name of ``path`` (a pattern, or a playlist, which is moved last);
    then `commit` or `discard` it. Raises MediaError at once if such files exist (unless ``overwrite``; older ones that
    are not replaced are removed then), if one could be the input, or if their directory cannot be written to.
    """

    def __init__(self, path: str, names: re.Pattern[str], overwrite: bool, input_path: str | None = None) -> None:
        check_truth("overwrite", overwrite)
        self.name = path
        self._names, self._overwrite = names, overwrite
        self._place = led_to(Path(path).parent)
        if not self._place.is_dir():
            raise MediaError(f"{path}: there is no directory {self._place.name!r}")
        found = self._existing()
        if input_path is not None and (
            self._is_member(Path(input_path)) or any(is_read(input_path, self._place / name) for name in found)
        ):
            raise MediaError(f"{path}: the output is the input")
        if found and not overwrite:
            raise MediaError(f"{path}: {found[0]} exists already; {REPLACED_BY}")
        try:
            folder = TemporaryFolder(self._place / Path(path).name.replace("%", ""))
        except OSError as error:
            raise MediaError(f"{path}: its directory cannot be written to: {error.strerror or error}") from error
        self._folder = Path(folder.path)
        self.temporary = str(self._folder / Path(path).name)
        self._finalizer = weakref.finalize(self, folder.remove)

    def _is_member(self, path: Path) -> bool:
        same = path.name == Path(self.name).name or self._names.fullmatch(path.name)
        return bool(same) and led_to(path.parent) == self._place

    def _existing(self) -> list[str]:
        return sorted(entry.name for entry in os.scandir(self._place) if self._names.fullmatch(entry.name))

    def commit(self) -> None:
        """Put the finished files in their place, the playlist last."""
        before = self._existing()
        if before and not self._overwrite:
            raise MediaError(f"{self.name}: {before[0]} appeared while it was written")
        playlist = Path(self.name).name
        made = sorted(os.listdir(self._folder), key=lambda name: (name == playlist, len(name), name))
        for count, name in enumerate(made):
            try:
                os.replace(self._folder / name, self._place / name)
            except OSError as error:
                for moved in set(made[:count]) - set(before):
                    (self._place / moved).unlink(missing_ok=True)
                raise MediaError(f"{self.name}: {name} cannot be put in place: {error.strerror}") from error
        for name in set(before) - set(made):
            (self._place / name).unlink(missing_ok=True)
        self.discard()

    def discard(self) -> None:
        """Remove the hidden folder and what is in it."""
        self._finalizer()
