"""Run the pages of the tutorial and keep their pictures: ``python -m docs.tutorial.make`` in a checkout."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
PICTURES = FOLDER.parent / "pictures" / "tutorial"
CODE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """The pages in the order of the index."""
    names = re.findall(r"\]\((\w+\.md)\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    return [FOLDER / name for name in names]


def run(page: Path, folder: Path) -> list[Path]:
    """Run a page's code in a folder, and return the pictures it made there. Raises what the code raises."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        code = "\n".join(CODE.findall(page.read_text(encoding="utf-8")))
        exec(compile(code, page.name, "exec"), {"__name__": "__main__"})
    finally:
        os.chdir(before)
    return sorted(folder.glob("*.png"))


def main() -> int:
    """Run all pages."""
    PICTURES.mkdir(exist_ok=True)
    for page in pages():
        with tempfile.TemporaryDirectory() as folder:
            for picture in run(page, Path(folder)):
                shutil.copy(picture, PICTURES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
