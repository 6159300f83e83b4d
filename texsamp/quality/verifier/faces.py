"""Cubes: which faces a direction may meet, and which texels lie beyond a face's edges (seed 003:382-392, 658)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers

# Of faces +X -X +Y -Y +Z -Z: axis and sign of s, axis and sign of t.
_ALONG = np.array([(2, -1, 1, -1), (2, 1, 1, -1), (0, 1, 2, 1), (0, 1, 2, -1), (0, 1, 1, -1), (0, -1, 1, -1)])


@dataclass(frozen=True)
class FaceChoice:
    """One face for each sample, and the point on it, 0 to 1."""

    exists: Flags
    face: Integers
    s: Numbers
    t: Numbers


def _component(vector: Numbers, axis: Integers) -> Numbers:
    return np.asarray(np.take_along_axis(vector, axis[None], axis=0)[0])


def on_face(face: Integers, vector: Numbers) -> Numbers:
    """What of a vector lies along a face's s and t."""
    s_axis, s_sign, t_axis, t_sign = _ALONG[face].T
    return np.stack([s_sign * _component(vector, s_axis), t_sign * _component(vector, t_axis)])


def face_choices(direction: Sequence[Numbers], precision: Precision) -> list[FaceChoice]:
    """The face of the largest component, X before Y before Z; and others as large, unless that order is the rule."""
    vector = np.stack(direction)
    vector = np.where(np.isnan(vector).any(axis=0), np.array([1.0, 0.0, 0.0])[:, None], vector)
    sizes = abs(vector)
    order = np.argsort(-sizes, axis=0, kind="stable")
    margin = 0.0 if precision.snap else 2.0**-precision.coordinate_bits * 4
    choices = []
    for axis in order[:1] if precision.snap else order:
        major = _component(vector, axis)
        size = abs(major)
        face = 2 * axis + np.signbit(major)
        s_axis, s_sign, t_axis, t_sign = _ALONG[face].T
        with np.errstate(all="ignore"):
            s, t = (
                sign * _component(vector, along) / size * 0.5 + 0.5
                for sign, along in ((s_sign, s_axis), (t_sign, t_axis))
            )
            exists = size >= sizes.max(axis=0) * (1 - margin)
        choices.append(FaceChoice(exists, face, s, t))
    return choices


def beyond_edges(
    face: Integers, i: Integers, j: Integers, size: Integers
) -> tuple[Integers, Integers, Integers, Flags]:
    """Face and texel of places at most one texel beyond an edge, and which places are beyond two edges at once.

    A place beyond an edge is the texel of the neighboring face that lies next to it; beyond two it is left as it is.
    """
    out_i, out_j = (i < 0) | (i >= size), (j < 0) | (j >= size)
    moved = out_i ^ out_j
    s_axis, s_sign, t_axis, t_sign = _ALONG[face].T
    vector = np.zeros((3, *face.shape), np.int64)
    doubled = [np.clip(2 * index + 1 - size, -size - 1, size + 1) for index in (i, j)]
    for axis, value in (
        (face >> 1, np.where(face & 1, -size, size)),
        (s_axis, s_sign * doubled[0]),
        (t_axis, t_sign * doubled[1]),
    ):
        np.put_along_axis(vector, axis[None], value[None], axis=0)
    axis = np.where(out_i, s_axis, t_axis)
    other = 2 * axis + (np.take_along_axis(vector, axis[None], axis=0)[0] < 0)
    s_axis, s_sign, t_axis, t_sign = _ALONG[other].T
    texel = [
        (np.clip(sign * np.take_along_axis(vector, along[None], axis=0)[0], 1 - size, size - 1) + size - 1) >> 1
        for sign, along in ((s_sign, s_axis), (t_sign, t_axis))
    ]
    return np.where(moved, other, face), np.where(moved, texel[0], i), np.where(moved, texel[1], j), out_i & out_j
