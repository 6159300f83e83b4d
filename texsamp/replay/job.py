"""Captured cases executed to files: every output picture, and how it compares with an expected one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from texsamp.device.arguments import path_text
from texsamp.emulator.case import Case
from texsamp.emulator.commands.streamer import Executed
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.pictures import Picture
from texsamp.errors import CaptureError, FormatError, MediaError, StateError
from texsamp.io.files.output_file import REPLACED_BY, OutputFile
from texsamp.io.images import write_png
from texsamp.process import ProgressCallback
from texsamp.replay.differences import PlaneDifference, as_expected, differences, in_words, shown
from texsamp.replay.expected import Expected
from texsamp.replay.reporter import Reporter
from texsamp.shown.html import figure


@dataclass(frozen=True)
class ReplayedPicture:
    """One output picture.

    compared: whether there was an expected one; differences: of the planes that differ by more than was tolerated.
    """

    name: str
    raw: Path
    png: Path
    compared: bool
    differences: tuple[PlaneDifference, ...]

    def _repr_html_(self) -> str:
        """For notebooks: the picture, and what came of its comparison."""
        found = "as expected" if not self.differences else f"{len(self.differences)} planes differ"
        return figure(self.png.read_bytes(), f"{self.name}{': ' + found if self.compared else ''}")


@dataclass(frozen=True)
class _How:
    """What `Case.replay` is told of how to execute."""

    stop_at: int | None
    device: str
    strict: bool
    work: int


def replay(
    captures: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    expect: str | os.PathLike[str] | None = None,
    tolerance: float = 0,
    stop_at: int | None = None,
    observe: Callable[[Capture, Executed], None] | None = None,
    progress: ProgressCallback | None = None,
    device: str = "cpu",
    strict: bool = False,
    report: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    unread: Callable[[CaptureError], None] | None = None,
    work: int = 1,
) -> list[ReplayedPicture]:
    """Execute the captures of one case in order and write its output pictures into the folder `out`, which is made.

    NAME.raw holds the planes without padding, NAME.png the picture in RGB; NAME is that of the capture that finished
    it, of a surface that nobody noted down it tells file, submission, address and part. expect: a folder of NAME.raw or
    NAME.raw.gz to compare with, or of files named for the case, which are for the last picture of their size; for
    surfaces they may also hold four bytes or four float32 to a pixel, R, G, B and A. Where the captures tell how many
    frames were made, CASE.raw, or CASE.ref.raw, holds all of them: each is for the next submission that leaves its
    planes in linear surfaces. tolerance: the largest difference that counts as none. stop_at, observe, device, strict,
    work: as `Case.replay` has them. report: an HTML file to write, with pictures and differences, commands, the states
    they used, and kernels. Files that exist stay as they are, unless `overwrite`. unread: told of each picture that
    cannot be read or shown, and unless `strict` of each submission that cannot be executed, whose picture does not
    come: neither ends the replay.

    Raises CaptureError as that does, without `unread` for such pictures and submissions when all others are written,
    and if there is no picture to compare; MediaError for files that cannot be read or written, or are missing, and
    DeviceError for a report without jinja2 (the extra ``report``).
    """
    how = _How(stop_at, device, strict, work)
    case = Case.open(captures)
    folder = Path(out)
    if not overwrite:
        _check_nothing_is_there(case, folder)
    with _made(folder):
        if report is None:
            return _replay(case, folder, expect, tolerance, how, observe, progress, None, overwrite, unread)
        output = OutputFile(path_text(report), overwrite)
        with output:
            made = Reporter(case, observe)
            done = _replay(case, folder, expect, tolerance, how, observe, progress, made, overwrite, unread)
            output.fill([made.html().encode()])
        return done


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """A folder, made where there is none; it goes again if nothing has come into it before an error."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MediaError(f"{folder}: cannot be made: {error.strerror}") from error
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _replay(
    case: Case,
    folder: Path,
    expect: str | os.PathLike[str] | None,
    tolerance: float,
    how: _How,
    observe: Callable[[Capture, Executed], None] | None,
    progress: ProgressCallback | None,
    reporter: Reporter | None,
    overwrite: bool,
    unread: Callable[[CaptureError], None] | None,
) -> list[ReplayedPicture]:
    results: list[ReplayedPicture] = []
    expected = None if expect is None else Expected(Path(expect), case.captures[0])
    failed: list[CaptureError] = []

    def tell(error: CaptureError) -> None:
        failed.append(error)
        if unread is not None:
            unread(error)

    look = observe if reporter is None else reporter.observe
    replayed = case.replay(look, how.stop_at, device=how.device, strict=how.strict, unread=tell, work=how.work)
    for pictures in _by_submission(replayed):
        wanted = [None] * len(pictures) if expected is None else expected.of(pictures)
        for picture, contents in zip(pictures, wanted, strict=True):
            try:
                made = _finished(case, picture, folder, contents, tolerance, how, overwrite)
                if reporter is not None:
                    wanted_frame = None if contents is None else shown(as_expected(picture, contents))
                    note = "; ".join(map(in_words, made.differences)) or ("as expected" if made.compared else "")
                    reporter.add_picture(made.name, note, shown(picture), wanted_frame)
            except (FormatError, StateError) as error:
                tell(CaptureError(f"{picture.name}: cannot be shown: {error}"))
                continue
            results.append(made)
            if progress is not None:
                done = next((i for i, c in enumerate(case.captures, 1) if c.name == picture.name), len(results))
                progress(min(done, len(case.captures)), len(case.captures))
    if failed and unread is None:
        raise CaptureError("; ".join(map(str, failed)))
    if expected is not None:
        if not results and not failed:
            raise CaptureError(f"{case.captures[0].name}: no picture was made that could be compared with {expect}")
        expected.check(stopped=how.stop_at is not None or bool(failed))
        results = [replace(r, compared=False, differences=()) if r.name in expected.earlier else r for r in results]
    return results


def _by_submission(replayed: Iterator[Picture]) -> Iterator[list[Picture]]:
    """The pictures of each submission, those before an error as well."""
    pictures: list[Picture] = []
    try:
        for picture in replayed:
            if pictures and picture.sequence != pictures[0].sequence:
                yield pictures
                pictures = []
            pictures.append(picture)
    except CaptureError:
        if pictures:
            yield pictures
        raise
    if pictures:
        yield pictures


def _check_nothing_is_there(case: Case, folder: Path) -> None:
    """Raises MediaError, before anything is executed, for the first picture of a capture that exists."""
    for capture in case.captures:
        for path in _files(folder, capture.name):
            if path.exists():
                raise MediaError(f"{path}: exists already; {REPLACED_BY}")


def _files(folder: Path, name: str) -> tuple[Path, Path]:
    stem = Path(name).stem
    return folder / f"{stem}.raw", folder / f"{stem}.png"


def _finished(
    case: Case,
    picture: Picture,
    folder: Path,
    expected: bytes | None,
    tolerance: float,
    how: _How,
    overwrite: bool,
) -> ReplayedPicture:
    raw, png = _files(folder, picture.name)
    output = OutputFile(path_text(raw), overwrite)
    with output:
        output.fill([picture.raw()])
    write_png(png, shown(picture).to_rgb(), overwrite=overwrite)
    found = [] if expected is None else differences(picture, expected)
    beyond = tuple(
        replace(d, writer=case.writer_of(picture, d.plane, d.x, d.y, how.stop_at, how.work))
        for d in found
        if d.maximum > tolerance
    )
    return ReplayedPicture(raw.stem, raw, png, expected is not None, beyond)
