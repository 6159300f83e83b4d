"""Capture files of either kind, told apart by how they begin."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from texsamp.emulator.files.aub import aub_captures, is_aub
from texsamp.emulator.files.capture import Capture, read_capture_file


def open_captures(path: str | PathLike[str]) -> list[Capture]:
    """The submissions of a file: one of a `.g7cap`, all of an AUB file; CaptureError if it is malformed."""
    data, name = read_capture_file(path), Path(path).name
    return aub_captures(data, name) if is_aub(data) else [Capture.from_bytes(data, name)]
