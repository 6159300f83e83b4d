"""Levels of cubes where a quad's lanes look at several faces: each lane's are those of the plane it looks at."""

import numpy as np
import pytest
from support.texturing import THREADS, random_surface, run_message

from texsamp.sampler.messages import SamplerRequest, decode_response
from texsamp.sampler.sample import query_lod, sample
from texsamp.sampler.sampler import Sampler
from texsamp.state.sampler_messages import SamplerMessage, SimdMode

pytestmark = pytest.mark.usefixtures("each_place")

SIZE, LEVEL = 16, 2
STEP = 2 * 2**LEVEL / SIZE
"""Of a plane from -1 to 1, between pixels whose level is LEVEL."""
FILTERS = {"min_filter": "linear", "mag_filter": "linear", "mip_filter": "nearest"}


def _quads_at_an_edge(axis, sign, shift):
    """Directions (threads, 8) that are divided as shaders do, and which lie in the plane of the face (axis, sign)."""
    x, y = np.tile([0, 1, 0, 1], 2), np.tile([0, 0, 1, 1], 2)
    across = (
        np.array([0.9, -0.9 - STEP])[np.arange(8) // 4] + shift
    )  # the first quad ends beyond, the second begins there
    plane = np.stack([across + STEP * x, -0.2 + STEP * y], -1)
    points = np.insert(plane, axis, sign, axis=-1)
    inside = (abs(plane) <= 1).all(-1)
    assert inside.any() and not inside.all()
    points = (points / abs(points).max(-1, keepdims=True)).astype(np.float32)
    return [np.tile(points[:, component], (THREADS, 1)) for component in range(3)], inside


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_the_level_at_an_edge_is_that_of_the_face(axis, sign, shift):
    surface, sampler = (
        random_surface(np.random.default_rng(5), (6, SIZE, SIZE, 4), type="CUBE", mips="box"),
        Sampler(**FILTERS),
    )
    points, inside = _quads_at_an_edge(axis, sign, shift)
    given = dict(zip("uvr", points, strict=True))
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, **given)
    found = decode_response(request, run_message(request, surface, sampler.state)[:, :4].copy()).values
    expected = np.asarray(sample(surface, sampler, *points, lod=float(LEVEL)))
    assert np.array_equal(found[:, inside], expected[:, inside])
    request = SamplerRequest.build(SamplerMessage.SAMPLE_B, SimdMode.SIMD8, bias=np.full((THREADS, 8), -1.0), **given)
    found = decode_response(request, run_message(request, surface, sampler.state)[:, :4].copy()).values
    expected = np.asarray(sample(surface, sampler, *points, lod=LEVEL - 1.0))
    assert np.array_equal(found[:, inside], expected[:, inside])
    request = SamplerRequest.build(SamplerMessage.LOD, SimdMode.SIMD8, **given)
    found = decode_response(request, run_message(request, surface, sampler.state)[:, :4].copy()).values
    assert (found[:, inside, :2] == LEVEL).all()


@pytest.mark.parametrize("max_anisotropy", [None, 4])
def test_quads_within_a_face_are_those_of_any_grid(max_anisotropy):
    rng = np.random.default_rng(6)
    filters = FILTERS if max_anisotropy is None else {"min_filter": "anisotropic", "max_anisotropy": max_anisotropy}
    surface, sampler = random_surface(rng, (6, SIZE, SIZE, 4), type="CUBE", mips="box"), Sampler(**filters)
    points = rng.uniform(-1, 1, (3, THREADS, 8)).astype(np.float32)
    points[0] = -1
    request = SamplerRequest.build(SamplerMessage.SAMPLE, SimdMode.SIMD8, **dict(zip("uvr", points, strict=True)))
    found = decode_response(request, run_message(request, surface, sampler.state)[:, :4].copy()).values
    grid = points.reshape(3, THREADS, 2, 2, 2)
    expected = np.asarray(sample(surface, sampler, *grid)).reshape(found.shape)
    assert np.array_equal(found, expected)
    if max_anisotropy is None:
        request = SamplerRequest.build(SamplerMessage.LOD, SimdMode.SIMD8, **dict(zip("uvr", points, strict=True)))
        found = decode_response(request, run_message(request, surface, sampler.state)[:, :4].copy()).values
        assert np.array_equal(found[..., :2], np.asarray(query_lod(surface, sampler, *grid)).reshape(THREADS, 8, 2))
