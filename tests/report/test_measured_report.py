"""Reports of benchmarks: tables, bars of what holds numbers, and names that are text."""

import re

import pytest
from support.browser import needs_browser
from support.devtools import Page

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


@needs_browser
def test_a_browser_shows_bars_as_long_as_their_numbers(tmp_path):
    report = MeasuredReport()
    before = Measured("scale", "before", ["name", "ms"], [["x", "7.5"]])
    report.add(Measured("scale", "today", ["name", "ms"], [["<img src=x onerror=alert(1)>", "5"], ["y", "10"]], before))
    (tmp_path / "bench.html").write_text(report.html("Benchmarks"), encoding="utf-8")
    with Page(tmp_path, f"file://{tmp_path / 'bench.html'}") as page:
        page.until("document.readyState === 'complete'")
        filled = "[...document.querySelectorAll('td.bar')].map((e) => getComputedStyle(e).backgroundImage)"
        assert [re.findall(r"([\d.]+)%", each)[0] for each in page.value(filled)] == ["50", "100", "100"]
        page.value("document.querySelector('summary').focus()")
        page.press(" ", 32)
        page.until("document.querySelector('details').open")
        assert page.value("document.images.length") == 0
        assert page.told == []
        assert page.requests == [f"file://{tmp_path / 'bench.html'}"]
