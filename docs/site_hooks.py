"""What the site has beyond the pages here: the map from the manual to the code, results of benchmarks, and links."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SEEDS = ("Broxton 2c", "Broxton 4", "Bay Trail 7", "Ivy Bridge 4.1", "Bay Trail 2.2")
FOLDERS = (("texsamp", "*.py"), ("kernels", "*.h"))
CITATION = re.compile(r"\b(00[0-4]):(\d+)")
SECTION = re.compile(r"^\| (\d+)-(\d+) \| ([^|]+) \|", re.MULTILINE)
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!tutorial|pictures)([^)#]+)(?:#[^)]*)?\)")
COLUMNS = {"wall_median_ms": "ms a picture", "ratio": "CPU time, baseline 1", "name": "what"}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made of code and tables."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "manual-map.md", content=manual_map()))
    files.append(File.generated(config, "measured.md", content=measured()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show links out of the folder as names of files: the site has no copy of them."""
    return OUTSIDE.sub(r"\1 (`\2`)", markdown)


def manual_map() -> str:
    """A row for every section of the manuals that code cites, and the files that do."""
    cited: dict[tuple[str, int], set[str]] = defaultdict(set)
    for folder, pattern in FOLDERS:
        for path in (ROOT / folder).rglob(pattern):
            for seed, line in CITATION.findall(path.read_text(encoding="utf-8")):
                cited[seed, int(line)].add(path.relative_to(ROOT).as_posix())
    parts = [
        "# From the manual to the code\n",
        "The code cites lines of five manuals. This page turns the citations around: for every cited section, the files"
        " that follow it. [Sources](sources.md) leads from lines to printed pages.\n",
    ]
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    for table in text.split("\n## Seed ")[1:]:
        seed = table[:3]
        parts += [f"## Seed {seed}: {SEEDS[int(seed)]}\n", "| lines | section | files |", "|---|---|---|"]
        for first, last, section in SECTION.findall(table.split("\n## ")[0]):
            lines = range(int(first), int(last) + 1)
            files = sorted(
                {name for (of, line), names in cited.items() if of == seed and line in lines for name in names}
            )
            if files:
                parts.append(f"| {first}-{last} | {section} | {', '.join(f'`{name}`' for name in files)} |")
        parts.append("")
    return "\n".join(parts)


def measured() -> str:
    """The committed results of benchmarks that have the common columns, as tables."""
    parts = [
        "# Measured times\n",
        "Measured with `python -m benchmarks`, one table for each file in `benchmarks/results`. The first line of a"
        " table says when and where. Milliseconds are medians. A ratio below 1 is faster than the baseline.\n",
        "[Performance](performance.md) says what they come from, [GPU](gpu.md) what kernels ask of a GPU.\n",
    ]
    for path in sorted((ROOT / "benchmarks" / "results").glob("*.csv")):
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        rows = list(csv.DictReader(lines))
        if not rows or not {"benchmark", "threads", *COLUMNS} <= rows[0].keys():
            continue
        parts += [f"## {path.stem.replace('_', ' ').capitalize()}\n", head.lstrip("# ") + "\n"]
        parts += ["| benchmark | threads | " + " | ".join(COLUMNS.values()) + " |", "|" + "---|" * (2 + len(COLUMNS))]
        for row in rows:
            cells = (row[name].replace("|", "\\|") for name in ("benchmark", "threads", *COLUMNS))
            parts.append("| " + " | ".join(cells) + " |")
        parts.append("")
    return "\n".join(parts)
