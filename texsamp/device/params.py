"""Kernel parameter structs: numpy dtypes with the memory layout of the C structs in `kernels/`.

A test holds every dtype registered here against the compiled `offsetof`s of its struct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

POINTER = "<u8"
INT = "<i4"


@dataclass(frozen=True)
class ParamsType:
    """A parameter struct: its C name, the header that declares it, and its numpy dtype."""

    struct: str
    header: str
    dtype: np.dtype[Any]

    def __call__(self, **values: Any) -> np.void:
        """A structured scalar with every field set. Raises TypeError for a missing or unknown field."""
        names = self.dtype.names or ()
        if set(values) != set(names):
            raise TypeError(f"{self.struct} takes {sorted(names)}, found {sorted(values)}")
        record = np.zeros((), self.dtype)
        for name, value in values.items():
            record[name] = value
        return cast(np.void, record[()])


PARAMS_TYPES: dict[str, ParamsType] = {}


def params_type(struct: str, header: str, fields: Sequence[tuple[Any, ...]]) -> ParamsType:
    """Declare and register the dtype of a kernel's parameter struct (C alignment rules)."""
    made = ParamsType(struct, header, np.dtype(list(fields), align=True))
    PARAMS_TYPES[struct] = made
    return made
