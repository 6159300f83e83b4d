"""The page of pictures is true: its commands make its pictures, and its example runs."""

import importlib.util
import re
from pathlib import Path

import numpy as np
from PIL import Image
from texsamp.cli.main import app
from typer.testing import CliRunner

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"


def maker():
    spec = importlib.util.spec_from_file_location("make_pictures", FOLDER / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image)


def test_the_commands_make_the_pictures(tmp_path, monkeypatch):
    make = maker()
    monkeypatch.chdir(tmp_path)
    Image.fromarray(make.tile()).save("tile.png")
    Path("letter.bits").write_bytes(make.letter())
    found = {"tile.png": pixels("tile.png")}
    for command in make.commands():
        result = CliRunner().invoke(app, [*command[1:], "--device", "cpu"])
        assert result.exit_code == 0, result.output
        found[command[3]] = pixels(command[3])
    committed = {path.name: pixels(path) for path in FOLDER.glob("*.png")}
    assert found.keys() == committed.keys()
    for name, picture in committed.items():
        assert np.array_equal(found[name], picture), f"{name} is not what its command makes: run docs/pictures/make.py"
        assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 4, name
        assert (FOLDER / name).stat().st_size < 30_000, name


def test_every_picture_is_shown_and_the_example_runs(monkeypatch):
    page = (ROOT / "docs" / "sampling-pictures.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\(pictures/([^)]+)\)", page))
    assert shown == {path.name for path in FOLDER.glob("*.png")}
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(ROOT)
    names: dict = {}
    exec(code, names)
    picture = names["picture"]
    assert picture.shape == (135, 240, 4)
    assert 0.2 < (picture[..., 3] == 0).mean() < 0.8
