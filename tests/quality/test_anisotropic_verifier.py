"""The verifier of anisotropic filters: it accepts what the sampler computes, and rejects every planted step."""

from itertools import permutations

import numpy as np
import pytest
from oracle import sampler_footprint as oracle
from support.filter_cases import sweep
from support.sampling import coordinates, surface

import texsamp as ts
from texsamp.quality.verifier import anisotropy, search
from texsamp.quality.verifier.precision import PRECISIONS
from texsamp.sampler.quad import face_directions

FORMATS = ("R8G8B8A8_UNORM", "R32G32B32A32_FLOAT")
MODES = ("wrap", "mirror", "clamp", "border", "half_border", "mirror_once")
STEP = 2.0**-8
BORDER = (0.3, 0.6, 0.1, 0.7)


def stretched(transform="rotate=20,scale=0.5:0.09", size=(44, 30), reach=1.0):
    """A grid of pixels that are several times longer than wide."""
    grid = ts.quad_grid(size, transform, device="cpu")
    return [reach * grid.u, reach * grid.v]


def judged(made, sampler, points, result=None, **options):
    result = ts.sample(made, sampler, *points, **options) if result is None else result
    return ts.verify(made, sampler, *points, result=result, **options)


def random_case(seed):
    """A surface, an anisotropic sampler, a grid or gradients of any size and direction."""
    random = np.random.default_rng(seed)
    type = str(random.choice(["2D", "CUBE", "1D"]))
    sizes = (*map(int, random.integers(2, 70, 2)), 1)
    slices = int(random.integers(1, 3)) if type != "CUBE" else 1
    made = surface(type, str(random.choice(FORMATS)), sizes=sizes, mips="box", seed=seed, slices=slices)
    low, high = sorted(random.integers(0, 1024, 2) / 256)
    sampler = ts.Sampler(
        max_anisotropy=2 * int(random.integers(1, 9)),
        anisotropy=str(random.choice(["legacy", "ewa"])),
        mip_filter=str(random.choice(["none", "nearest", "linear"])),
        min_filter=str(random.choice(["anisotropic", "anisotropic", "linear", "nearest"])),
        mag_filter=str(random.choice(["anisotropic", "anisotropic", "linear", "nearest"])),
        base_level=random.integers(0, 4) / 2,
        min_lod=low if random.random() < 0.5 else 0,
        max_lod=high if random.random() < 0.5 else 14,
        lod_bias=random.integers(-512, 512) / 256 if random.random() < 0.5 else 0,
        lod_preclamp=bool(random.random() < 0.5),
        trilinear_quality=str(random.choice(["full", "med", "low"])),
        rounding=[bool(each) for each in random.random(3) < 0.5],
        address="clamp" if type == "CUBE" else [str(each) for each in random.choice(MODES, 3)],
        border=BORDER,
    )
    shape, axes = (26, 31), {"1D": 1, "2D": 2, "CUBE": 3}[type]
    y, x = np.mgrid[: shape[0], : shape[1]]
    slopes = random.normal(size=(axes, 3)) * (*10 ** random.uniform(-4, -0.5, 2), 1)
    points = [(x * a + y * b + c).astype(np.float32) for a, b, c in slopes]
    gradients = random.normal(size=(2, axes, *shape)) * 10 ** random.uniform(-4, 0, shape)
    options = [{}, {"bias": random.uniform(-2, 2, shape)}, {"gradients": gradients.astype(np.float32)}]
    return made, sampler, points, options[random.integers(3)]


@pytest.mark.sweep
def test_random_cases_are_accepted():
    undecided = 0
    for seed in range(sweep(10)):
        made, sampler, points, options = random_case(seed)
        report = judged(made, sampler, points, **options)
        assert report.ok, f"seed {seed}: {sampler} {report}"
        undecided += report.undecided.sum()
    assert undecided < 50


@pytest.mark.parametrize("type", ["1D", "2D", "CUBE"])
@pytest.mark.parametrize("algorithm", ["legacy", "ewa"])
def test_derivatives_that_are_no_numbers_are_never_rejected(type, algorithm):
    made = surface(type, sizes=(36, 36, 1), mips="box")
    count = {"1D": 1, "2D": 2, "CUBE": 3}[type]
    points, by_x, by_y = (coordinates(200, count, seed) for seed in (1, 2, 3))
    by_x = np.where(np.arange(200) < 100, by_x, np.float32(0.01))
    sampler = ts.Sampler(max_anisotropy=16, anisotropy=algorithm)
    report = judged(made, sampler, points, gradients=(by_x, by_y))
    assert report.ok, report
    assert report.undecided.mean() < 0.5


def test_comparison_codes_offsets_and_slices():
    points = stretched()
    sampler = ts.Sampler(max_anisotropy=8, shadow="less", address="mirror")
    depth = surface(format="R32_FLOAT", sizes=(36, 20, 1))
    assert judged(depth, sampler, points, compare=0.3).ok
    assert not judged(depth, sampler, points, ts.sample(depth, sampler, *points, compare=0.5), compare=0.3).ok
    made = surface(sizes=(36, 20, 1), mips="box", slices=3)
    assert judged(made, sampler, points, offset=(3, -2), layer=2).ok
    codes = ts.sample(made, sampler, *points, dtype=np.uint8)
    assert judged(made, sampler, points, codes).ok
    assert judged(made, sampler, points, codes ^ 4).rejected == codes.size // 4


def test_ratios_probes_and_weights_are_the_ones_of_the_rules():
    differences = np.arange(1025)
    ratios = np.rint(256 * 2.0 ** (differences / 256)).astype(np.int64)
    assert ratios.tolist() == [oracle.ratio_of(int(difference)) for difference in differences]
    ratios = np.arange(256, 4097)
    counts, (inner, outer) = anisotropy.probe_count(ratios), anisotropy.probe_weights(ratios)
    for ratio, count, *weights in zip(ratios.tolist(), counts, inner, outer, strict=True):
        probes = oracle.probes_of(ratio)
        assert count == len(probes)
        if count > 1:
            assert {weight for _, weight in probes[1:-1]} <= {weights[0]}
            assert probes[0][1] == weights[1]


@pytest.mark.parametrize("algorithm", ["legacy", "ewa"])
@pytest.mark.parametrize("format", FORMATS)
class TestPlantedErrors:
    """What differs by one step is rejected, wherever it changes a number at all."""

    def rejects(self, made, sampler, points, result, most_alike=0.05, **options):
        right = ts.sample(made, sampler, *points, **options)
        difference = abs(right - result).max(axis=-1)
        differs = difference > 6e-5  # less is rounding
        report = judged(made, sampler, points, result, **options)
        assert not report.accepted[differs].any()
        assert not report.undecided.any()
        assert report.accepted[difference == 0].all()
        assert differs.mean() > 1 - most_alike

    def case(self, format, algorithm, **state):
        made = surface(format=format, sizes=(36, 20, 1), mips="box")
        return made, ts.Sampler(max_anisotropy=16, anisotropy=algorithm, **state)

    @pytest.mark.parametrize("axis", [0, 1])
    def test_weight(self, format, algorithm, axis):
        made, sampler = self.case(format, algorithm, mip_filter="none")
        random = np.random.default_rng(1)
        steps = [256 * size for size in (36, 20)]  # positions well between two of them
        points = [((random.integers(0, count, 400) + 0.3) / count).astype(np.float32) for count in steps]
        zero = np.zeros_like(points[0])
        gradients = ((zero + np.float32(0.01), zero), (zero, zero + np.float32(0.2)))
        moved = list(points)
        moved[axis] = (points[axis] + np.float32(STEP / (36, 20)[axis])).astype(np.float32)
        wrong = ts.sample(made, sampler, *moved, gradients=gradients)
        self.rejects(made, sampler, points, wrong, most_alike=0.3, gradients=gradients)

    @pytest.mark.parametrize("sign", [-1, 1])
    def test_level_of_detail(self, format, algorithm, sign):
        made, sampler = self.case(format, algorithm)
        points = stretched()
        self.rejects(made, sampler, points, ts.sample(made, sampler, *points, bias=sign * STEP), most_alike=0.1)

    def test_level(self, format, algorithm):
        made, sampler = self.case(format, algorithm, mip_filter="nearest")
        points = stretched()
        self.rejects(made, sampler, points, ts.sample(made, sampler, *points, bias=1.0))

    def test_ratio(self, format, algorithm):
        made, sampler = self.case(format, algorithm)
        points = stretched()
        fewer = ts.Sampler(max_anisotropy=2, anisotropy=algorithm)
        self.rejects(made, sampler, points, ts.sample(made, fewer, *points))

    def test_one_step_of_the_ratio(self, format, algorithm):
        """Derivatives whose LODs are a step farther apart."""
        made, sampler = self.case(format, algorithm, mip_filter="none")
        points = stretched()
        zero = np.zeros_like(points[0])
        by_x = (zero + np.float32(0.01), zero)
        near, far = ((by_x, (zero, zero + np.float32(0.07 * 2.0 ** (k / 256)))) for k in (0.3, 1.3))
        self.rejects(made, sampler, points, ts.sample(made, sampler, *points, gradients=near), 0.3, gradients=far)

    def test_axis(self, format, algorithm):
        made, sampler = self.case(format, algorithm)
        points = stretched("rotate=45,scale=0.7:0.09")
        other = ts.Sampler(max_anisotropy=16, anisotropy={"legacy": "ewa", "ewa": "legacy"}[algorithm])
        self.rejects(made, sampler, points, ts.sample(made, other, *points))

    def test_linear_filter(self, format, algorithm):
        made, sampler = self.case(format, algorithm)
        points = stretched()
        self.rejects(made, sampler, points, ts.sample(made, ts.Sampler(), *points))

    def test_face(self, format, algorithm):
        made = surface("CUBE", format, sizes=(16, 16, 1), mips="box")
        faces = made.to_array().reshape(6, 16, 16, 4)
        swapped = ts.Surface.from_array(faces[[4, 1, 2, 3, 0, 5]], format, type="CUBE", mips="box", device="cpu")
        points = face_directions(4, *stretched("scale=1.2:4", (24, 24)))
        sampler = ts.Sampler(max_anisotropy=16, anisotropy=algorithm)
        self.rejects(made, sampler, points, ts.sample(swapped, sampler, *points), most_alike=0.2)


@pytest.mark.parametrize(("mode", "wrong"), list(permutations(MODES, 2)))
def test_wrong_address_modes_are_rejected(mode, wrong):
    made = surface(sizes=(36, 20, 1))
    points = stretched(size=(20, 14), reach=4.0)
    samplers = [ts.Sampler(max_anisotropy=16, address=each, border=BORDER) for each in (mode, wrong)]
    right, other = (ts.sample(made, sampler, *points) for sampler in samplers)
    differs = abs(right - other).max(axis=-1) > 6e-5
    report = judged(made, samplers[0], points, other)
    assert not report.accepted[differs].any()
    assert differs.sum() > 8


def test_reports_say_where_the_probes_are():
    made = surface(sizes=(36, 20, 1), mips="box")
    sampler = ts.Sampler(max_anisotropy=16)
    points = [np.full((2, 3), 0.3, np.float32), np.full((2, 3), 0.6, np.float32)]
    flat = np.zeros((2, 3), np.float32)
    gradients = ((flat + np.float32(1 / 18), flat), (flat, flat + np.float32(0.55)))
    result = ts.sample(made, sampler, *points, gradients=gradients)
    result[1, 2, 0] += 0.125
    report = ts.verify(made, sampler, *points, result=result, gradients=gradients)
    assert report.rejected == 1
    (use,) = report.misses[0].levels
    assert (use.level, use.probes) == (1, 6)
    assert use.step == (0.0, pytest.approx(1.0, abs=0.005))
    assert "in the middle of 6 probes, 0, 0.99" in str(report)
    assert report.misses[0].lod == (1.0, 1.0)


@pytest.mark.parametrize("precision", [name for name in PRECISIONS if name != "gen7"])
def test_other_precisions_are_refused(precision):
    made, sampler = surface(sizes=(36, 20, 1), mips="box"), ts.Sampler(max_anisotropy=8)
    points = stretched()
    result = ts.sample(made, sampler, *points)
    with pytest.raises(ts.StateError, match="neither Direct3D nor OpenGL says where the probes lie"):
        ts.verify(made, sampler, *points, result=result, precision=precision)
    result = ts.sample(made, sampler, *points, lod=1.3)
    assert ts.verify(made, sampler, *points, result=result, lod=1.3, precision=precision).ok


def test_coordinates_between_steps_are_explained_at_once(monkeypatch):
    """Positions and ways in the middle of two steps: the first choice that is tried is what the sampler does."""
    made = surface("2D", sizes=(64, 64, 1), mips="box")
    y, x = np.mgrid[:64, :64].astype(np.float32)
    points = [x * np.float32(12 / 64) + y * np.float32(2.0**-15), y * np.float32(1.5 / 64) + x * np.float32(2.0**-15)]
    tried = 0

    def counted(self, choice):
        nonlocal tried
        tried += len(choice.samples)
        return distance(self, choice)

    distance = search.Search._distance
    monkeypatch.setattr(search.Search, "_distance", counted)
    assert judged(made, ts.Sampler(max_anisotropy=16, min_filter="anisotropic", mip_filter="linear"), points).ok
    assert x.size <= tried <= 1.1 * x.size


def test_explanations_do_not_depend_on_what_is_likely(monkeypatch):
    made, sampler, points, options = random_case(40)
    result = np.roll(ts.sample(made, sampler, *points, **options), 1, axis=0)
    reports = []
    for _ in range(2):
        reports.append(str(judged(made, sampler, points, result, explained=40, **options)))
        monkeypatch.setattr(anisotropy, "_likely", lambda square, low, count, precision: np.zeros(count.shape))
    assert reports[0] == reports[1]
