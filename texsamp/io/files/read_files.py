"""Which files an input consists of, so that no output replaces one of them while it is read."""

from __future__ import annotations

import os
import re
from pathlib import Path

from texsamp.io.files.picture_sequence import picture_names

_PLAYLISTS = (".m3u8", ".m3u")
_LARGEST_PLAYLIST_B = 16 << 20
_MAP = re.compile(r'#EXT-X-MAP:.*URI="([^"]+)"')


def led_to(path: str | os.PathLike[str]) -> Path:
    """What a path leads to. Of a link that leads to itself that is the link, where `Path.resolve` fails."""
    return Path(os.path.realpath(path))


def is_read(path: str, file: Path) -> bool:
    """Whether an input means a file (a resolved one): itself, a picture of its sequence, a part of its playlist."""
    if os.path.exists(path):
        return file.exists() and (os.path.samefile(path, file) or file in _segments(Path(path)))
    pattern = picture_names(path)
    return pattern is not None and led_to(Path(path).parent) == file.parent and bool(pattern.fullmatch(file.name))


def _segments(playlist: Path) -> set[Path]:
    """Files that a playlist lists beside or below itself; none if the path is no playlist."""
    if playlist.suffix.lower() not in _PLAYLISTS or not playlist.is_file():
        return set()
    with playlist.open("rb") as file:
        lines = file.read(_LARGEST_PLAYLIST_B).decode("utf-8", "replace").splitlines()
    listed = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    listed += [found[1] for line in lines if (found := _MAP.match(line))]
    return {led_to(playlist.parent / name) for name in listed if "://" not in name and "\0" not in name}
