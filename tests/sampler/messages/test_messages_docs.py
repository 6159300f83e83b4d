"""The page about sampler messages says what is true: its examples run."""

import re
from pathlib import Path

from texsamp.sampler import messages

PAGE = (Path(__file__).parents[3] / "docs" / "sampler-messages.md").read_text(encoding="utf-8")


def test_the_examples_run(capsys):
    names: dict = {}
    codes = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    for code in codes:
        exec(code, names)
    assert capsys.readouterr().out.strip() == re.search(r"print\(error\)  # (.*)", codes[-1])[1]
    assert names["request"].parameters["u"].shape == (1, 16)


def test_every_module_is_listed():
    listed = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert listed == {path.stem for path in Path(messages.__file__).parent.glob("*.py")} - {"__init__"}
