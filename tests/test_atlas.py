"""The atlas: what it says of our sampler is what docs/sampler.md says, and a real driver's answers are read aright."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from texsamp.cli.main import app
from typer.testing import CliRunner

from texsamp.atlas import MEASURES, OpenGl, Ours, measured
from texsamp.errors import DeviceError


@pytest.fixture(scope="module")
def driver():
    pytest.importorskip("moderngl")
    try:
        return OpenGl()
    except DeviceError as error:
        pytest.skip(f"no OpenGL driver to ask: {error}")


def test_ours_is_what_the_manual_says():
    found = measured(Ours())
    assert found["bits of a weight between two texels"].startswith("8, to nearest")
    assert found["bits of the weight between two levels"].startswith("8, to nearest")
    assert found["LOD of turned gradients less log2 of their length"].endswith("the length of a derivative")
    ways = [each.split(" ") for each in found[next(m.name for m in MEASURES if "probes" in m.name)].split("; ")]
    for ratio, (_, way, _, weight) in zip((2, 4, 8, 16), ways, strict=True):
        assert abs(float(way) - (ratio - 1)) < 0.1
        assert abs(float(weight) - 1 / ratio) < 1e-3
    for filter in ("nearest, explicit LODs", "bilinear", "trilinear"):
        assert found[f"{filter}: samples that are allowed"] == "gen7 100%, d3d 100%, loose 100%"


@pytest.mark.parametrize(
    ("change", "measure", "words"),
    [
        (lambda value: np.floor(value * 64) / 64, "bits of a weight between two texels", "6, up from 0.88 steps"),
        (lambda value: value + 0.5, "LOD of gradients of 1 to 128 texels less log2 of them", "to +0.502"),
        (
            lambda value: value * 0,
            "way between the outermost probes, and the largest weight",
            "2: smaller levels alone",
        ),
        (lambda value: value + 0.1, "bilinear: samples that are allowed", "gen7 0%, d3d 0%, loose 0%"),
    ],
)
def test_what_filters_otherwise_is_seen(change, measure, words):
    class Other(Ours):
        def sample(self, *given, **options):
            return change(super().sample(*given, **options))

    chosen = next(each for each in MEASURES if each.name.startswith(measure))
    assert words in chosen.of(Other())


def test_a_driver_of_opengl_does_what_direct3d_allows(driver):
    allowed = [each for each in MEASURES if each.name.endswith("samples that are allowed")]
    for each in allowed:
        assert "d3d 100%" in each.of(driver)
    angles = next(each for each in MEASURES if "turned" in each.name)
    assert angles.of(driver).startswith("from ")


def test_the_command(driver):
    result = CliRunner().invoke(app, ["atlas"])
    assert result.exit_code == 0, result.output
    rows = [line.split(" | ") for line in result.stdout.splitlines()]
    assert rows[0][1] == driver.name
    assert [row[0][2:] for row in rows[2:]] == [each.name for each in MEASURES]
    said = json.loads(CliRunner().invoke(app, ["atlas", "--json"]).stdout)
    assert list(said[driver.name].values()) == [row[1] for row in rows[2:]]


def test_without_moderngl_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "moderngl", None)
    with pytest.raises(DeviceError, match=r"pip install 'texsamp\[atlas\]'"):
        OpenGl()
