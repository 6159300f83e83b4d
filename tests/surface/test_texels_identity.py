"""Texels stored and loaded come back exactly, in every format."""

import numpy as np
import pytest

from texsamp.errors import FormatError
from texsamp.state.formats import surface_formats
from texsamp.surface.texel_formats import texel_type
from texsamp.surface.texels import load_texels, store_texels


def _formats():
    for name in surface_formats():
        try:
            yield texel_type(name)
        except FormatError:
            continue


TYPES = tuple(_formats())
NAMES = [type_.info.name for type_ in TYPES]


def test_every_format_that_is_neither_compressed_nor_planar_has_texels():
    without = set(surface_formats()) - set(NAMES)
    assert {name for name in without if surface_formats()[name].block_height == 1} == {"PLANAR_420_8", "RAW"}
    assert len(NAMES) == 192


@pytest.mark.parametrize("type_", TYPES, ids=NAMES)
@pytest.mark.parametrize("size", [(1, 1), (37, 5), (514, 3)], ids=str)
def test_texels_come_back(type_, size):
    name, (width, height) = type_.info.name, size
    rows = np.random.default_rng(1).integers(0, 256, (height, type_.row_B(width)), np.uint8)
    texels = load_texels(rows, name, width, height, device="cpu")
    again = load_texels(store_texels(texels, name, device="cpu"), name, width, height, device="cpu")
    assert (again.shape, again.dtype) == (texels.shape, texels.dtype)
    assert again.tobytes() == texels.tobytes()
