"""The page about the sampler says what is true: its example runs."""

import re
from pathlib import Path

import texsamp as ts

PAGE = (Path(__file__).parents[2] / "docs" / "sampler.md").read_text(encoding="utf-8")


def test_the_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert ts.sample(names["brick"], names["smooth"], names["u"], names["v"]).shape == (90, 160, 4)
    assert ts.resinfo(names["brick"], 1).tolist() == [32, 32, 0, 7]
