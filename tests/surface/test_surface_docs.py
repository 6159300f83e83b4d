"""The page about surfaces says what is true: its example runs, and its comments are what comes out."""

import re
from pathlib import Path

import numpy as np

from texsamp.state.formats import surface_formats
from texsamp.surface.arrays import is_compressed
from texsamp.surface.encode import ENCODERS

PAGE = (Path(__file__).parents[2] / "docs" / "surfaces.md").read_text(encoding="utf-8")


def test_the_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert repr(names["brick"]).rpartition(", ")[0] in PAGE
    assert names["brick"].to_array(level=2).shape == (12, 16, 4)
    assert names["up"].state.min_array_element == 8
    up = names["up"]
    np.testing.assert_array_equal(up.device.download(up.to_array()), names["faces"][8:9])


def test_formats_without_an_encoder_are_named():
    missing = {name for name, info in surface_formats().items() if is_compressed(info)} - set(ENCODERS)
    assert all(name == "FXT1" or name.startswith("EAC_SIGNED") or "PTA" in name for name in missing)
    assert "FXT1, signed EAC and punch-through alpha of ETC2 have no" in PAGE


def test_linked_pages_exist():
    links = re.findall(r"\]\(([\w.]+)\)", PAGE)
    assert links
    assert [link for link in links if not (Path(__file__).parents[2] / "docs" / link).exists()] == []
