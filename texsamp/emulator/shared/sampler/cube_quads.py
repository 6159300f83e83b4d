"""Derivatives of a cube's directions in quads: of every lane those in the plane of the face that it looks at.

Another lane of the quad may look at another face, as helper pixels beside a face's last do. Its direction, divided by
its own largest component, lies around the edge; in the plane of the lane's face it is as far away as it seems to be.
"""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array


def quad_gradients(directions: list[Array]) -> list[list[Array]]:
    """Of float32 directions (quads, 2, 2): by x and by y three components each.

    What looks away from a plane is taken where it looks.
    """
    largest = _largest(directions)
    chosen = [abs(component) == largest for component in directions]  # of equal ones X before Y before Z, as faces are
    major = _along(chosen, directions)
    points = []
    for x, y in ((0, 0), (1, 0), (0, 1)):  # whose differences derivatives are
        point = [axis[:, y : y + 1, x : x + 1] for axis in directions]
        seen = _along(chosen, point)
        before = ((seen > 0) & (major > 0)) | ((seen < 0) & (major < 0))
        divisor = np.where(before, abs(seen), _largest(point))
        points.append([component / divisor for component in point])
    first = points[0]
    return [[there - here for there, here in zip(other, first, strict=True)] for other in points[1:]]


def _largest(point: list[Array]) -> Array:
    """The largest magnitude, of numbers."""
    found: Array = np.fmax(np.fmax(abs(point[0]), abs(point[1])), abs(point[2]))
    return found


def _along(chosen: list[Array], point: list[Array]) -> Array:
    """The component along the first axis that was chosen."""
    return np.where(chosen[0], point[0], np.where(chosen[1], point[1], point[2]))
