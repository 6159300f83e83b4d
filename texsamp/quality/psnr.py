"""Peak signal-to-noise ratio."""

from __future__ import annotations

import math

import numpy as np

from texsamp.quality.planes import Plane, check_pair


def mean_squared_error(reference: Plane, distorted: Plane) -> float:
    """Mean of the squared differences, exact before the division. Raises FormatError if the planes do not match."""
    check_pair(reference, distorted)
    difference = reference.astype(np.int64) - distorted.astype(np.int64)
    return int((difference * difference).sum()) / difference.size


def psnr_from_mse(mse: float, max_value: int) -> float:
    """``10 log10(max_value**2 / mse)`` in dB; infinite when ``mse`` is 0."""
    return 10.0 * math.log10(max_value * max_value / mse) if mse > 0 else math.inf


def psnr(reference: Plane, distorted: Plane, max_value: int) -> float:
    """PSNR in dB of planes whose samples reach ``max_value`` (255 for 8 bits, also for limited range).

    Infinite for equal planes. Raises FormatError if the planes do not match.
    """
    return psnr_from_mse(mean_squared_error(reference, distorted), max_value)
