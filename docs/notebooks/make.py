"""Run the cells of the notebooks and keep what they show: ``python -m docs.notebooks.make``.

A small stand-in for Jupyter's kernel: one namespace for each notebook, the last expression of a cell is shown.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import os
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells, which run in an empty folder. Raises what a cell raises."""
    cells, names, count, before = [], {"__name__": "__main__"}, 0, Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                made = dict(cell)
                if cell["cell_type"] == "code":
                    count += 1
                    made |= {"execution_count": count, "outputs": _outputs("".join(cell["source"]), names, count)}
                cells.append(made)
        finally:
            os.chdir(before)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    made: list[dict[str, Any]] = []
    if printed.getvalue():
        made.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        made.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": shown(value)})
    return made


def shown(value: Any) -> dict[str, Any]:
    """What a value looks like, by kind, as Jupyter asks it; of two that hold a picture the picture alone."""
    data: dict[str, Any] = {"text/plain": _lines(repr(value))}
    png = getattr(value, "_repr_png_", lambda: None)()
    if png is not None:
        return {**data, "image/png": base64.b64encode(png).decode()}
    html = getattr(value, "_repr_html_", lambda: None)()
    return data if html is None else {**data, "text/html": _lines(html)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def notebooks() -> list[Path]:
    """All of them."""
    return sorted(FOLDER.glob("*.ipynb"))


if __name__ == "__main__":
    for path in notebooks():
        made = run(json.loads(path.read_text(encoding="utf-8")))
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
