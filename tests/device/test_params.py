"""Kernel parameters: packed at once, they are what NumPy makes of them field by field."""

import re

import numpy as np
import pytest

from texsamp.device.params import PADDING, ParamsType, params_type
from texsamp.device.sources import kernel_headers

STRUCTS = sorted(name for name in re.findall(r"^struct (\w+Params) \{$", kernel_headers(), re.MULTILINE))


def number(kind: np.dtype, random: np.random.Generator) -> float | int:
    if kind.kind == "f":
        return float(np.float32(random.normal()))
    limits = np.iinfo(kind)
    return int(random.integers(limits.min, limits.max, endpoint=True, dtype=kind))


def value(kind: np.dtype, random: np.random.Generator) -> object:
    """Of a field: a number, a list of them, or a struct, which is a tuple."""
    if kind.shape:
        rest = np.dtype((kind.base, kind.shape[1:])) if kind.shape[1:] else kind.base
        return [value(rest, random) for _ in range(kind.shape[0])]
    if kind.names:
        return tuple(value(kind[name], random) for name in kind.names)
    return number(kind, random)


def values_of(struct: ParamsType, random: np.random.Generator) -> dict[str, object]:
    return {name: value(struct.dtype[name], random) for name in struct.dtype.names or () if name != PADDING}


def by_numpy(struct: ParamsType, values: dict[str, object]) -> np.ndarray:
    record = np.zeros((), struct.dtype)
    record[()] = tuple({**values, PADDING: 0}[name] for name in struct.dtype.names or ())
    return record


@pytest.mark.parametrize("name", STRUCTS)
def test_params_are_what_was_given(name):
    random, struct = np.random.default_rng(len(name)), params_type(name)
    for _ in range(3):
        values = values_of(struct, random)
        assert struct(**values).tobytes() == by_numpy(struct, values).tobytes()


def is_packed_at_once(name: str) -> bool:
    packing, values = params_type(name)._packing, values_of(params_type(name), np.random.default_rng(3))
    return packing is not None and packing.packed(packing.values(values)) is not None


def test_most_structs_are_packed_at_once():
    packed = [name for name in STRUCTS if is_packed_at_once(name)]
    assert len(packed) > len(STRUCTS) * 3 // 4
    assert {"VectoredParams", "EdgeDrawParams", "DeinterlaceStmmParams"} < set(packed)


@pytest.mark.parametrize(
    ("name", "field", "wrong"),
    [
        ("VectoredParams", "weights", (0,) * 1919),
        ("VectoredParams", "weights", (256,) * 1920),
        ("VectoredParams", "target", (1, 2, 3)),
        ("VectoredParams", "width", 1 << 31),
        ("DeinterlaceStmmParams", "frames", ((1, 2, 3, 4, 5),) * 3),
    ],
)
def test_what_does_not_fit_is_refused(name, field, wrong):
    struct = params_type(name)
    values = values_of(struct, np.random.default_rng(1))
    struct(**values)
    with pytest.raises((ValueError, OverflowError, TypeError)):
        struct(**{**values, field: wrong})


def test_values_that_only_numpy_knows_are_taken_as_it_takes_them():
    struct = params_type("VectoredParams")
    values = values_of(struct, np.random.default_rng(2))
    one_for_all = {**values, "weights": 3, "width": np.int64(7)}
    assert struct(**one_for_all).tobytes() == by_numpy(struct, one_for_all).tobytes()
    given = {**values, "weights": np.arange(1920, dtype="<u2") % 9}
    assert struct(**given).tobytes() == by_numpy(struct, given).tobytes()
