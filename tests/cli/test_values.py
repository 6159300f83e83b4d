"""Values of states as JSON has them."""

import json
from math import inf, nan

import pytest
from texsamp.cli.values import as_json_value

from texsamp.state.render_surface import SurfaceType


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((number, number) for number in (0.0, -0.5, 1.0, 1.5, 1e-30, 1e30, 7, -1, True)),
        *((number, str(number)) for number in (inf, -inf, nan)),
        ((0.25, inf), [0.25, "inf"]),
        ((1.0, (2.5, nan)), [1.0, [2.5, "nan"]]),
        (SurfaceType.SURFTYPE_2D, "SURFTYPE_2D"),
    ],
    ids=str,
)
def test_numbers_that_json_lacks_are_text(value, written):
    assert json.loads(json.dumps(as_json_value(value), allow_nan=False)) == written
