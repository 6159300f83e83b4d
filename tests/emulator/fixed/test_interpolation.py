"""Barycentric weights, depth and w of pixels and samples, against exact arithmetic with stated bounds."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracle.raster import weights as exact_weights
from support.drawing import POSITIONS, here, primitives, raster_state

from texsamp import get_device
from texsamp.emulator.fixed.clip import clip
from texsamp.emulator.fixed.interpolation import Interpolator, weights
from texsamp.emulator.fixed.objects import Spans, Told
from texsamp.emulator.fixed.raster import rasterize
from texsamp.emulator.fixed.setup import set_up
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import PositionMode
from texsamp.state.pixel_state import SfClipViewport

CPU = get_device("cpu")
ULP = 2.0**-23


def spans_of(objects, state):
    return Spans(np.concatenate([spans.subspans for spans in rasterize(objects, state.tested)]))


def drawn(rng, count, state, size=64):
    """Triangles anywhere: corners in 1/256 pixels, depths, objects and subspans."""
    at = rng.integers(-20 * 256, (size + 20) * 256, (count, 3, 2))
    depth = np.float32(rng.uniform(0, 1, (count, 3)))
    whole = np.concatenate([at / 256, depth[..., None], np.ones((count, 3, 1))], axis=2)
    objects = set_up(primitives(whole.reshape(-1, 4)), state)
    return at, depth, objects, spans_of(objects, state)


def test_weights_depth_and_w():
    """At every pixel of subspans, also outside of the object.

    Screen weights: exact numerators, two roundings and a division, 2 ulp. Depth: 8 ulp of the greatest weight times
    depth. In space: 16 ulp of the sum of the terms' sizes over their sum, where that is in front of the eye.
    """
    rng = np.random.default_rng(1)
    state = raster_state((64, 64))
    at, depth, objects, spans = drawn(rng, 40, state)
    corners = objects.corners.copy()
    corners[:, :3] = 1 / rng.uniform(0.1, 30, (len(objects), 3))
    objects = replace(objects, corners=corners)
    found = weights(objects, spans, state.at_pixel, CPU)
    checked = 0
    for row in rng.permutation(len(spans))[:400]:
        number = here(objects).numbers[spans.objects[row]]
        corner = [tuple(map(Fraction, p)) for p in at[number].tolist()]
        for pixel in range(4):
            p = [Fraction(256 * int(v) + 128) for v in (spans.x[row] + pixel % 2, spans.y[row] + pixel // 2)]
            exact = exact_weights(corner, p)
            terms = [w * Fraction(float(v)) for w, v in zip(exact, corners[spans.objects[row]], strict=False)]
            for n in range(2):
                assert abs(found.linear[row, n, pixel] - exact[n + 1]) <= 2 * ULP * abs(exact[n + 1])
            z = sum(w * Fraction(float(v)) for w, v in zip(exact, depth[number], strict=True))
            assert abs(found.depth[row, pixel] - z) <= 8 * ULP * max(1, *map(abs, exact))
            total, size = sum(terms), sum(map(abs, terms))
            if 8 * total < size:
                continue
            bound = 16 * ULP * float(size / total)
            for n in range(2):
                wanted = terms[n + 1] / total
                assert abs(found.perspective[row, n, pixel] - wanted) <= bound * max(1, abs(wanted))
            assert abs(found.w[row, pixel] * total - 1) <= bound
            checked += 1
    assert checked > 800


def test_what_is_seen_at_a_pixel_is_there_in_space():
    """Corners with w: the point of the triangle with a pixel's weights is projected to that pixel."""
    rng = np.random.default_rng(2)
    viewport = SfClipViewport(m00=32, m11=-32, m22=1, m30=32, m31=32)
    state = raster_state(
        (64, 64), clip={"perspective_divide_disable": False}, setup={"viewport_transform": True}, viewports=[viewport]
    )
    w = rng.uniform(1, 9, (90, 1))
    given = primitives(np.concatenate([rng.uniform(-1.2, 1.2, (90, 3)) * w, w], axis=1))
    objects = set_up(given, state)
    spans = spans_of(objects, state)
    found = weights(objects, spans, state.at_pixel, CPU)
    position = given.vertices[given.corners, 1].view(np.float32).astype(np.float64)
    position = position[here(objects).numbers[spans.objects]]
    one, two = (found.perspective[:, n].astype(np.float64)[..., None] for n in range(2))
    place = position[:, None, 0] * (1 - one - two) + position[:, None, 1] * one + position[:, None, 2] * two
    lit = (spans.coverage[:, None] >> np.arange(4) & 1).astype(bool)
    x, y = spans.x[:, None] + np.array([0, 1, 0, 1]) + 0.5, spans.y[:, None] + np.array([0, 0, 1, 1]) + 0.5
    assert lit.sum() > 2000
    assert np.abs(place[..., 0] / place[..., 3] * 32 + 32 - x)[lit].max() < 1 / 128  # corners were snapped
    assert np.abs(-place[..., 1] / place[..., 3] * 32 + 32 - y)[lit].max() < 1 / 128
    assert np.abs(found.w / place[..., 3] - 1)[lit].max() < 1e-3


@pytest.mark.parametrize("corners", [3, 2])
def test_linear_weights_of_what_was_cut_are_those_of_the_whole_object(corners):
    """Corners near and far, each with its weight as attribute, cut by a distance."""
    rng = np.random.default_rng(3)
    viewport = SfClipViewport(m00=32, m11=-32, m22=1, m30=32, m31=32)
    clipping = {"enable": True, "perspective_divide_disable": False, "clip_distances": 1}
    state = raster_state(
        (64, 64), clip={**clipping, "non_perspective_barycentric": True},
        setup={"viewport_transform": True, "line_width": 1}, viewports=[viewport],
    )  # fmt: skip
    count = 90 * corners
    w = rng.choice([0.5, 1, 2, 6], (count, 1))
    at = np.concatenate([rng.uniform(-1.2, 1.2, (count, 3)) * w, w], axis=1)
    attributes = np.zeros((count, 1, 4))
    attributes[:, 0, :corners] = np.tile(np.eye(corners), (90, 1))
    topology = Topology.TRILIST if corners == 3 else Topology.LINELIST
    given = primitives(at, attributes, distances=rng.uniform(-1, 2, (count, 2, 4)), topology=topology, corners=corners)
    cut = clip(given, state)
    objects = set_up(cut, state)
    assert len(cut.corners) > 70
    spans = spans_of(objects, state)
    found = Interpolator(objects, spans, state, CPU).barycentrics(1 << 3)[:, 0].astype(np.float64)
    lit = np.nonzero(spans.coverage[:, None] >> np.arange(4) & 1)
    values = cut.vertices[cut.corners, -1].view(np.float32).astype(np.float64)
    values = values[here(objects).of(Told.OBJECT)[spans.objects]][lit[0]]
    later = np.stack([found[lit[0], n, lit[1]] for n in range(corners - 1)], axis=1)
    weights_here = np.concatenate([1 - later.sum(axis=1, keepdims=True), later], axis=1)
    wanted = (weights_here[..., None] * values[:, :, :corners]).sum(axis=1)
    place = (at[:, :2] / w * [32, -32] + 32).reshape(-1, corners, 2)[here(objects).numbers[spans.objects][lit[0]]]
    seen = (wanted[..., None] * place).sum(axis=1)  # where the whole object has these weights
    pixel = np.stack([spans.x[lit[0]] + lit[1] % 2, spans.y[lit[0]] + lit[1] // 2], axis=1) + 0.5
    if corners == 2:  # a line is beside its pixels
        along = place[:, 1] - place[:, 0]
        share = ((pixel - place[:, 0]) * along).sum(axis=1) / (along**2).sum(axis=1)
        pixel = place[:, 0] + along * share[:, None]
    assert len(pixel) > 500
    assert np.abs(seen - pixel).max() < 0.1  # corners are snapped
    with_none = set_up(clip(given, raster_state((64, 64), clip=clipping, viewports=[viewport])), state)
    assert with_none.straight is None


@pytest.mark.parametrize("samples", [4, 8])
def test_centroids_and_samples(samples):
    """Centroid: the pixel if all its samples are covered, else the first that is; sample: that of the subspan."""
    rng = np.random.default_rng(samples)
    state = raster_state((64, 64), samples=samples)
    at, depth, objects, spans = drawn(rng, 20, state)
    of = rng.integers(0, samples, len(spans))
    numbers = Interpolator(objects, spans, state, CPU, of)
    found = [numbers.at(place).linear for place in (PositionMode.PIXEL, PositionMode.CENTROID, PositionMode.SAMPLE)]
    depths = numbers.depth_of_samples()
    partly = 0
    for row in rng.permutation(len(spans))[:200]:
        number = here(objects).numbers[spans.objects[row]]
        corner = [tuple(map(Fraction, p)) for p in at[number].tolist()]
        for pixel in range(4):
            upper_left = (spans.x[row] + pixel % 2, spans.y[row] + pixel // 2)

            def exact(place, corner=corner, upper_left=upper_left):
                return exact_weights(
                    corner, [Fraction(256 * (int(u) + p)) for u, p in zip(upper_left, place, strict=True)]
                )

            covered = [s for s in range(samples) if spans.coverage[row] >> (4 * s + pixel) & 1]
            whole = len(covered) in (0, samples)
            partly += not whole
            places = [(0.5, 0.5), (0.5, 0.5) if whole else POSITIONS[samples][covered[0]], POSITIONS[samples][of[row]]]
            for values, place in zip(found, places, strict=True):
                for n, wanted in enumerate(exact(place)[1:]):
                    assert abs(values[row, n, pixel] - wanted) <= 2 * ULP * abs(wanted)
            share = exact(POSITIONS[samples][-1])
            z = sum(w * Fraction(float(v)) for w, v in zip(share, depth[number], strict=True))
            assert abs(depths[row, -1, pixel] - z) <= 8 * ULP * max(1, *map(abs, share))
    assert partly > 50
    sets = numbers.barycentrics(0b111000)
    assert all(np.array_equal(sets[:, n], values) for n, values in enumerate(found))
    assert numbers.barycentrics(0b000010).shape == (len(spans), 1, 2, 4)
