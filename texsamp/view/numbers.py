"""Numbers as JSON holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def plain(values: NDArray[Any]) -> list[int | float | str]:
    """Numbers of an array in order; what is no finite number as a word."""
    return [value if np.isfinite(value) else str(value) for value in values.ravel().tolist()]
