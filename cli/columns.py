"""Plain columns for lists that are piped and searched: nothing is cut or wrapped, whatever the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import typer


def print_columns(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under their titles, every column as wide as its widest cell."""
    table = [tuple(titles), *(tuple(str(cell) for cell in row) for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(titles))]
    for line in table:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
