"""The page: what was measured of each driver, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from texsamp.atlas.driver import Driver
from texsamp.atlas.measures import measured


def atlas_page(drivers: Sequence[Driver]) -> str:
    """A table with a column for each driver."""
    columns = [measured(driver) for driver in drivers]
    lines = [
        f"| measured | {' | '.join(driver.name.replace('|', '/') for driver in drivers)} |",
        f"|---|{'---|' * len(drivers)}",
    ]
    lines += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    return "\n".join(lines) + "\n"
