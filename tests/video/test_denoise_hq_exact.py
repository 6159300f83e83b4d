"""The kernels of denoise=fast and hq equal the oracle: planes, vectors, and what is filtered with them."""

from functools import partial

import numpy as np
import pytest
from oracle import denoise_hq as oracle
from support.filter_cases import nothing_else_written, padded_plane
from support.frames import random_frame, samples_of

from texsamp.device import get_device
from texsamp.video.denoise import hq
from texsamp.video.denoise.measure import Noise
from texsamp.video.samples import Samples

CPU = get_device("cpu")
SIZES = [(1, 1), (7, 3), (16, 8), (33, 17), (67, 31), (64, 29)]


def moved(rng, width, height, top, count):
    """Pictures of one texture that moves, with noise, and unlike ones between."""
    texture = rng.integers(0, top + 1, (height // 4 + 24, width // 4 + 24)).repeat(4, 0).repeat(4, 1)
    pictures = []
    for number in range(count):
        x, y = 3 * number, 2 * number
        clean = texture[y : y + height, x : x + width]
        picture = clean + np.rint(rng.normal(0, top / 40, clean.shape)).astype(int)
        if number % 5 == 3:
            picture = rng.integers(0, top + 1, clean.shape)
        pictures.append(np.clip(picture, 0, top))
    return pictures


def pads(values, bits):
    """Planes of the kernels, for pictures and None."""
    kind = "u1" if bits == 8 else "<u2"
    return [None if v is None else hq.prepare(CPU, {"Y": Samples.plane(v.astype(kind), bits)}) for v in values]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", ["gray", "nv12", "yuyv422", "p010le"])
def test_padded_planes_and_quarters(layout, size):
    frame = random_frame(np.random.default_rng(size), layout, *size)
    for name in frame.layout.components:
        values = samples_of(frame, name)
        picture = hq.prepare(CPU, {"Y": Samples.of(frame, name)})
        assert np.array_equal(picture.planes["Y"].array, np.pad(values, 64, "edge"))
        whole = oracle.Quarter(values)
        made = picture.quarter.array[16 - 3 : 16 + whole.shape[0] + 3, 16 - 3 : 16 + whole.shape[1] + 3]
        expected = whole.window(-3, -3, max(whole.shape) + 6)[: made.shape[0], : made.shape[1]]
        assert np.array_equal(made, expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bits", [8, 10])
def test_vectors(bits, size):
    """Coarse ones, and those that start from them; ties and edges included."""
    rng = np.random.default_rng([bits, *size])
    flat = np.full(size[::-1], 100)
    for first, second in (moved(rng, *size, (1 << bits) - 1, 2), (flat, flat)):
        now, then = pads((first, second), bits)
        for bias in (0, 40):
            launch, coarse = hq.match(CPU, now.quarter, then.quarter, None, hq.COARSE_RADIUS, bias)
            CPU.launch(launch)
            expected = oracle.match(oracle.Quarter(first), oracle.Quarter(second), None, hq.COARSE_RADIUS, bias)
            assert np.array_equal(coarse, expected)
            launch, fine = hq.match(CPU, now.planes["Y"], then.planes["Y"], coarse, hq.FINE_RADIUS, bias)
            CPU.launch(launch)
            assert np.array_equal(fine, oracle.match(first, second, expected, hq.FINE_RADIUS, bias))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bits", [8, 10])
@pytest.mark.parametrize("missing", [(), (0, 1, 2, 3), (5, 6, 7), (0, 1, 2, 3, 5, 6, 7), (2, 6)])
@pytest.mark.parametrize("guided", [False, True])
def test_stacks(guided, bits, size, missing):
    rng = np.random.default_rng([bits, *size, len(missing), guided])
    top, (width, height) = (1 << bits) - 1, size
    sigma = float(rng.choice([1, 6, 20, 95]))
    values = [None if n in missing else v for n, v in enumerate(moved(rng, width, height, top, 8))]
    if size == (16, 8):  # the largest values and steps
        values = [None if v is None else rng.choice([0, top], v.shape) for v in values]
    across, down = (int(n) for n in rng.integers(0, 2, 2))
    cells = -(-(height << down) // 8), -(-(width << across) // 8), 2
    vectors = [None if v is None else rng.integers(-34, 35, cells).astype("<i2") for v in values]
    vectors[hq.NOW] = None
    if sigma > 1:
        vectors = [None if v is None else (v // 12).astype("<i2") for v in vectors]
    guides = None
    if guided:  # much like the pictures
        guides = [None if v is None else np.clip(v + rng.integers(-1, 2, v.shape), 0, top) for v in values]
    planes, seen = (
        [None if v is None else v.planes["Y"] for v in pads(each or values, bits)] for each in (values, guides)
    )
    noise = Noise(sigma, float(rng.choice([0, 0.7, 0.9])))
    shape = hq.frequencies(noise.blur_px)
    out = padded_plane(rng, height, width, "u1" if bits == 8 else "<u2")
    limit, table = hq.same_limit(sigma, bits, guided), hq.thresholds(sigma, bits)
    with nothing_else_written([out]):
        target = Samples.plane(out, bits)
        CPU.launch(hq.stack(CPU, planes, vectors, target, (across, down), noise, seen if guided else None))
    if guided:
        block = partial(oracle.guided_block, limit=limit, shape=shape, unit=hq.noise_unit(sigma, bits))
    else:
        block = partial(oracle.filtered_block, limit=limit, table=table, shape=shape)
    block = partial(block, middle=top // 2 + 1)
    assert np.array_equal(out, oracle.denoise(values, vectors, (across, down), top, block, guides))
