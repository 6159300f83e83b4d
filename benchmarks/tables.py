"""Result rows as a table on the terminal and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from texsamp.report import Measured


def _cells(row: Any) -> list[str]:
    return [f"{value:.3f}" if isinstance(value, float) else str(value) for value in astuple(row)]


def show(title: str, rows: Sequence[Any]) -> None:
    """Print rows of one dataclass."""
    table = Table(*(field.name for field in fields(rows[0])), title=title)
    for row in rows:
        table.add_row(*_cells(row))
    Console(width=150).print(table)


def write_csv(path: Path, rows: Sequence[Any], comment: str) -> None:
    """Write rows of one dataclass, after a comment line that says where and when they were measured."""
    with path.open("w", newline="") as file:
        file.write(f"# {comment}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(rows[0]))
        writer.writerows(_cells(row) for row in rows)


def update_csv(path: Path, rows: Sequence[Any], comment: str) -> None:
    """Put rows in the place of those with the same first two cells, or behind all others, and say so in the comment."""
    first, head, *lines = path.read_text(encoding="utf-8").splitlines()
    kept = {tuple(cells[:2]): cells for cells in csv.reader(lines)}
    kept |= {tuple(cells[:2]): cells for cells in map(_cells, rows)}
    with path.open("w", newline="") as file:
        file.write(f"{first}; {comment}\n{head}\n")
        csv.writer(file, lineterminator="\n").writerows(kept.values())


def as_measured(name: str, rows: Sequence[Any], where: str, saved: Path) -> Measured:
    """Rows of one dataclass for a report, with those of a file that `write_csv` made, if there is one."""
    before = None
    if saved.is_file():
        comment, *lines = saved.read_text(encoding="utf-8").splitlines()
        columns, *cells = csv.reader(lines)
        before = Measured(name, comment.removeprefix("# "), columns, cells)
    return Measured(name, where, [field.name for field in fields(rows[0])], [_cells(row) for row in rows], before)
