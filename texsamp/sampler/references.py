"""What shadow samplers compare texels with."""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array
from texsamp.surface.surface import Surface


def as_texels(surface: Surface, references: Array) -> Array:
    """What texels are compared with as a texel of the format: UNORM has a range and steps (Direct3D 11.3, sample_c).

    Halves go down: 0.5 is 7FFFFFh in a texture of 24 bits that OpenGL fills, and programs ask whether it is equal.
    """
    compared = next(c for c in surface.info.channels if c.kind != "pad")
    if compared.kind != "unorm" or compared.bits is None:
        return references
    most = (1 << compared.bits) - 1
    with surface.device.current():
        within = np.where(references > 0, np.minimum(references, np.float32(1)), np.float32(0))  # NaN is 0
        rounded: Array = (np.ceil(within.astype(np.float64) * most - 0.5) / most).astype(np.float32)
    return rounded
