"""The table of statistics: its columns, and that it is complete or not there at all."""

from fractions import Fraction

import numpy as np
import pytest

from texsamp.errors import MediaError
from texsamp.io import StatisticsFile
from texsamp.video.frame import Frame


def frame(pts, **statistics):
    plane = np.zeros((1, 1), np.uint8)
    return Frame.from_arrays("gray", [plane], 1, 1, "cpu", pts=pts, time_base=Fraction(1, 4), statistics=statistics)


def test_rows_have_the_columns_of_the_first_frame(tmp_path):
    path = tmp_path / "s.csv"
    with StatisticsFile(path, overwrite=False) as table:
        table.write(frame(0, a=1, b=None, c="3:2"))
        table.write(frame(3, c="none", a=0.1234567891))
        assert not path.exists()
    assert path.read_text().splitlines() == ["frame,time_s,damaged,a,b,c", "0,0,0,1,,3:2", "1,0.75,0,0.1234568,,none"]
    assert [file.name for file in tmp_path.iterdir()] == ["s.csv"]


def test_nothing_is_left_behind_by_an_error(tmp_path):
    with pytest.raises(KeyError), StatisticsFile(tmp_path / "s.csv", overwrite=False) as table:
        table.write(frame(0, a=1))
        raise KeyError
    assert not list(tmp_path.iterdir())


def test_nothing_is_replaced_unasked(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("mine")
    with pytest.raises(MediaError, match=r"s\.csv: exists already"):
        StatisticsFile(path, overwrite=False)
    with pytest.raises(MediaError, match="written over the video"):
        StatisticsFile(path, overwrite=True, not_these=["-", path])
    with pytest.raises(MediaError, match="found -"):
        StatisticsFile("-", overwrite=True)
    assert path.read_text() == "mine"
    with StatisticsFile(path, overwrite=True) as table:
        table.write(frame(0))
    assert path.read_text().split() == ["frame,time_s,damaged", "0,0,0"]
