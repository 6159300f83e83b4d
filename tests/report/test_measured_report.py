"""Reports of benchmarks: tables, bars of what holds numbers, and names that are text."""

import re

import pytest

from texsamp.report import Measured, MeasuredReport

pytest.importorskip("jinja2")


def test_columns_of_numbers_have_bars_and_others_have_none():
    rows = [["a", "2", "inf", "x"], ["b", "-8", "4", "1"], ["c", "", "1", "2"]]
    shares = [[share for _, share in row] for row in Measured("n", "", ["c"] * 4, rows).cells]
    assert shares == [[None, 0.25, None, None], [None, 1.0, 1.0, None], [None, None, 0.25, None]]
    assert [share for ((_, share),) in Measured("n", "", ["zero"], [["0"], ["0"]]).cells] == [None, None]


def test_the_page_holds_every_table_and_the_one_before():
    report = MeasuredReport()
    before = Measured("scale", "2020, <b>old</b>", ["name", "ms"], [["x", "7.5"]])
    report.add(Measured("scale", "today", ["name", "ms"], [["<script>alert(1)</script>", "5"], ["y", "10"]], before))
    html = report.html("Benchmarks")
    assert "<script>alert" not in html and "&lt;b&gt;old" in html
    assert re.findall(r"--share: ([\d.]+)%", html) == ["50.0", "100.0", "100.0"]
    assert html.count("Measured before") == 1
    assert "Nothing was measured" in MeasuredReport().html("Benchmarks")
