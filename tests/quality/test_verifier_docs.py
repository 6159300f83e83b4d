"""The page about the verifier says what is true: its example runs, and its numbers are those in use."""

import re
from pathlib import Path

from texsamp.quality import PRECISIONS

PAGE = (Path(__file__).parents[2] / "docs" / "verifier.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_says():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (text,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert str(names["report"]) == text.strip()


def test_the_table_has_the_numbers():
    rows = {
        cells[1].strip(): [cell.strip() for cell in cells[2:5]]
        for cells in (r.split("|") for r in PAGE.splitlines())
        if len(cells) > 5
    }
    for place, (name, precision) in enumerate(PRECISIONS.items()):
        assert f"`{name}`" == rows[""][place]
        assert rows["coordinates"][place].split()[0] == str(precision.coordinate_bits)
        assert f"1/{1 << precision.position_bits}" in rows["position in a texel, weights"][place]
        assert f"1/{1 << precision.lod_bits}" in rows["LOD"][place]
        if not precision.snap:
            assert f"1/{1 << precision.derivative_bits - 1}" in rows["LOD from derivatives"][place]
        assert rows["floats"][place].split()[0] == str(precision.color_bits)
        codes = {2.0**-15: "1/32768"}.get(precision.unorm8_codes, f"{precision.unorm8_codes:g}")
        assert rows["8-bit textures"][place].split()[0] == codes
