"""The verifier: it accepts what the sampler computes, and rejects every error of one step that is planted."""

import sys
from itertools import permutations

import numpy as np
import pytest
from support.filter_cases import sweep
from support.sampling import coordinates, noise, surface
from support.textures import texture

import texsamp as ts
from texsamp.quality import PRECISIONS, Rules, Texture
from texsamp.quality import verify as verify_numbers
from texsamp.sampler.quad import face_directions

STEP = 2.0**-8


def grid(size=(60, 44), transform="rotate=20,scale=0.3:0.5,perspective=0.5"):
    made = ts.quad_grid(size, transform, device="cpu")
    return made.u, made.v


def judged(made, sampler, points, result=None, precision="gen7", **options):
    result = ts.sample(made, sampler, *points, **options) if result is None else result
    return ts.verify(made, sampler, *points, result=result, precision=precision, **options)


def random_sampler(random, **fixed):
    filters = ("nearest", "linear")
    low, high = sorted(random.integers(0, 4 * 256, 2) / 256)
    return ts.Sampler(
        **{
            "min_filter": random.choice(filters),
            "mag_filter": random.choice(filters),
            "mip_filter": random.choice(["none", "nearest", "linear"]),
            "base_level": random.integers(0, 4) / 2,
            "min_lod": low if random.random() < 0.5 else 0,
            "max_lod": high if random.random() < 0.5 else 14,
            "lod_bias": random.integers(-512, 512) / 256,
            "lod_preclamp": bool(random.random() < 0.5),
            "trilinear_quality": random.choice(["full", "med", "low"]),
            "rounding": list(random.random(3) < 0.5),
            "address": list(random.choice(["wrap", "mirror", "clamp", "border", "half_border", "mirror_once"], 3)),
            "border": random.random(4).tolist(),
            "border_mode": random.choice(["dx9", "dx10"]),
            **fixed,
        }
    )


@pytest.mark.parametrize("precision", PRECISIONS)
def test_mirror_once_limits_coordinates_with_their_offsets(precision):
    made, sampler = surface(sizes=(36, 20, 1)), ts.Sampler(address="mirror_once", mip_filter="none")
    points = np.random.default_rng(5).uniform(-2, 2, (2, 600)).astype(np.float32)
    report = judged(made, sampler, points, precision=precision, lod=0.0, offset=(-7, 6))
    assert report.ok, report


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R32G32_FLOAT", "BC1_UNORM_SRGB"])
def test_own_samples_are_accepted(format, precision):
    """Random states, hostile coordinates, explicit LODs; and grids."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        if format.startswith("BC"):
            made = ts.Surface.from_images(texture(format, seed, width_px=36, height_px=20, levels=6), device="cpu")
        else:
            made = surface(format=format, sizes=(36, 20, 1), mips="box", seed=seed)
        sampler = random_sampler(random)
        lod = random.uniform(-1, 7, 1500).astype(np.float32)
        report = judged(made, sampler, coordinates(1500, 2, seed), precision=precision, lod=lod, offset=(3, -2))
        assert report.ok, report
        assert report.undecided.mean() < (0.01 if precision == "gen7" else 0.5)
        report = judged(made, sampler, grid(), precision=precision, bias=0.3)
        assert report.ok, report
        assert report.accepted.all()


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "R16G16B16A16_FLOAT"])
def test_all_kinds_of_surfaces(format, precision):
    random = np.random.default_rng(3)
    direction = random.normal(size=(3, 20, 25)).astype(np.float32)
    layer = random.uniform(-1, 5, 500).astype(np.float32)
    for made, points, options in [
        (surface("CUBE", format, sizes=(8, 8, 1), mips="box"), direction, {}),
        (surface("CUBE", format, sizes=(8, 8, 1), slices=2), direction.reshape(3, -1), {"lod": 0, "layer": layer}),
        (surface("3D", format, mips="box"), coordinates(500, 3), {"lod": 0.7}),
        (surface("2D", format, slices=4), coordinates(500, 2), {"lod": 0, "layer": layer}),
        (surface("1D", format, mips="box"), coordinates(500, 1), {"lod": 0.4}),
    ]:
        sampler = ts.Sampler(address=("wrap", "mirror", "border"), border=(0.2, 0.4, 0.6, 0.8))
        report = judged(made, sampler, points, precision=precision, **options)
        assert report.ok, report
    made = surface("CUBE", format, sizes=(8, 8, 1))
    assert judged(made, ts.Sampler(address="clamp", cube="programmed"), direction, precision=precision).ok


def test_other_inputs():
    """Coordinates in texels, codes, levels out of bounds, gradients, views, numbers for all samples."""
    made = surface(sizes=(36, 20, 1))
    texels = ts.Sampler(address="clamp", normalized=False, mip_filter="none")
    assert judged(made, texels, coordinates(500, 2, reach=40, sizes=(1, 1)), lod=0).ok
    made = surface(sizes=(36, 20, 1), mips="box")
    u, v = grid()
    codes = ts.sample(made, ts.Sampler(), u, v, dtype=np.uint8)
    assert judged(made, ts.Sampler(), (u, v), codes).ok
    assert not judged(made, ts.Sampler(), (u, v), codes ^ 1).ok
    assert judged(made, ts.Sampler(), (u, v), resource_min_lod=8).ok
    assert judged(made, ts.Sampler(), (u, v), resource_min_lod=1.5).ok
    zero = np.zeros_like(u)
    assert judged(made, ts.Sampler(), (u, v), gradients=((u / 9, zero), (zero, v / 7))).ok
    assert judged(made.view(level=1, levels=3), ts.Sampler(), (u, v)).ok
    assert judged(made, ts.Sampler(), (0.3, 0.4), lod=1.25).accepted.shape == ()
    keyed = ts.Sampler(chroma_key=((0, 0, 0, 0), (150, 255, 255, 255)), chroma_key_mode="replace")
    bgra = surface(format="B8G8R8A8_UNORM", sizes=(36, 20, 1), mips="box")
    assert judged(bgra, keyed, (u, v)).ok
    assert not judged(bgra, ts.Sampler(), (u, v), ts.sample(bgra, keyed, u, v)).ok
    cube, bordered = surface("CUBE", sizes=(8, 8, 1)), ts.Sampler(border=(0.5,) * 4)
    points = face_directions(4, *grid((16, 16), "scale=0.5"))
    assert judged(cube, bordered, points, cube_faces=0b101011).ok
    assert not judged(cube, bordered, points, ts.sample(cube, bordered, *points, cube_faces=0b101011)).ok
    integers = surface(format="R8G8_UINT")
    nearest = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
    assert judged(integers, nearest, (u, v)).ok


@pytest.mark.parametrize("compare", ["less", "gequal", "equal", "notequal", "always", "never"])
@pytest.mark.parametrize("format", ["R32_FLOAT", "R16_UNORM", "A32_FLOAT"])
def test_comparison(format, compare):
    texels = np.random.default_rng(1).integers(0, 5, (20, 36, 1)).astype(np.float32) / 4
    made = ts.Surface.from_array(texels, format, mips="box", device="cpu")
    random = np.random.default_rng(2)
    reference = (random.integers(-1, 6, 600) / 4).astype(np.float32)
    sampler = ts.Sampler(shadow=compare, address="border", border=(0.5,) * 4)
    options = {"compare": reference, "lod": random.uniform(0, 6, 600).astype(np.float32)}
    points = coordinates(600, 2)
    result = ts.sample(made, sampler, *points, **options)
    for precision in PRECISIONS:
        assert judged(made, sampler, points, result, precision, **options).ok
    opposite = {"always": "never", "never": "always", "less": "gequal", "gequal": "less"}
    wrong = ts.Sampler(shadow=opposite.get(compare, "less"), address="border", border=(0.5,) * 4)
    assert judged(made, wrong, points, result, "loose", **options).rejected > 50


def test_infinities_and_nan_among_texels():
    texels = noise((20, 36, 4), np.float32)
    texels[3:9, 5:20] = [np.nan, np.inf, -np.inf, 3e38]
    made = ts.Surface.from_array(texels, FLOATS, mips="box", device="cpu")
    points = coordinates(1500, 2)
    for lod in (0.0, 1.3):
        result = ts.sample(made, ts.Sampler(), *points, lod=lod)
        assert np.isnan(result).any()
        for precision in PRECISIONS:
            report = judged(made, ts.Sampler(), points, result, precision, lod=lod)
            assert report.ok, report
        assert not judged(made, ts.Sampler(), points, np.where(np.isnan(result), 0, result), lod=lod).ok


def random_case(seed):
    """A surface, a sampler, coordinates (hostile ones among them) and where the LOD comes from."""
    random = np.random.default_rng(seed)
    formats = ["R8G8B8A8_UNORM", "R32G32_FLOAT", "L16_UNORM", "R8G8B8A8_UNORM_SRGB", "B5G6R5_UNORM", "R8G8_SNORM"]
    format, sizes = random.choice(formats), (*map(int, random.integers(1, 70, 2)), int(random.integers(1, 9)))
    type = random.choice(["2D", "3D", "1D", "CUBE"])
    made = surface(type, format, sizes=sizes, mips="box", seed=seed)
    axes, shape = {"1D": 1, "2D": 2, "3D": 3, "CUBE": 3}[type], (14, 22)
    sampler = random_sampler(random)
    if type == "CUBE":
        points = random.normal(size=(3, *shape)).astype(np.float32)
        points[:, ::3] = np.round(points[:, ::3] * 2) / 2
    elif random.random() < 0.5:
        points = [point.reshape(shape) for point in coordinates(308, axes, seed, sizes=sizes)]
    else:
        y, x = np.mgrid[:14, :22]
        slopes = random.normal(size=(axes, 3)) * (0.05, 0.05, 1)
        points = [(x * a + y * b + c).astype(np.float32) for a, b, c in slopes]
    gradients = tuple(tuple(random.normal(size=(axes, *shape)).astype(np.float32) * 0.1) for _ in range(2))
    lod, bias = (random.uniform(low, high, shape).astype(np.float32) for low, high in ((-2, 8), (-2, 2)))
    return made, sampler, points, [{}, {"lod": lod}, {"bias": bias}, {"gradients": gradients}][random.integers(4)]


@pytest.mark.sweep
def test_random_cases_are_accepted():
    for seed in range(sweep(12)):
        made, sampler, points, options = random_case(seed)
        result = ts.sample(made, sampler, *points, **options)
        for precision in PRECISIONS:
            report = judged(made, sampler, points, result, precision, **options)
            assert report.ok, f"seed {seed}: {sampler} {report}"


def flat_points(count=400, seed=1, sizes=(36, 20)):
    """Positions well between steps of 1/256 texel."""
    random = np.random.default_rng(seed)
    return [((random.integers(0, 256 * size, count) + 0.3) / (256.0 * size)).astype(np.float32) for size in sizes]


FLOATS = "R32G32B32A32_FLOAT"
MODES = ("wrap", "mirror", "clamp", "border", "half_border", "mirror_once")


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", FLOATS])
class TestPlantedErrors:
    """What differs by one step is rejected, wherever it changes a number at all."""

    def rejects(self, made, sampler, points, result, most_alike=0.05, precision="gen7", **options):
        right = ts.sample(made, sampler, *points, **options)
        differences = abs(right - result).max(axis=-1)
        differs = differences > 2e-5  # less is rounding
        report = judged(made, sampler, points, result, precision, **options)
        assert not report.accepted[differs].any()
        assert report.accepted[differences == 0].all()
        assert differs.mean() > 1 - most_alike
        return report

    @pytest.mark.parametrize("axis", [0, 1])
    @pytest.mark.parametrize("sign", [-1, 1])
    def test_weight(self, format, axis, sign):
        made, sampler = surface(format=format, sizes=(36, 20, 1)), ts.Sampler(mip_filter="none")
        points = flat_points()
        moved = list(points)
        moved[axis] = (points[axis] + np.float32(sign * STEP / (36, 20)[axis])).astype(np.float32)
        self.rejects(made, sampler, points, ts.sample(made, sampler, *moved))

    @pytest.mark.parametrize("step", [-1, 1])
    def test_level_of_detail(self, format, step):
        made, sampler = surface(format=format, sizes=(36, 20, 1), mips="box"), ts.Sampler()
        points = flat_points()
        lod = (np.random.default_rng(2).integers(256, 4 * 256, 400) / 256).astype(np.float32)
        wrong = ts.sample(made, sampler, *points, lod=lod + np.float32(step * STEP))
        self.rejects(made, sampler, points, wrong, lod=lod)

    def test_level_of_detail_of_a_grid(self, format):
        made, sampler = surface(format=format, sizes=(36, 20, 1), mips="box"), ts.Sampler()
        points = grid(transform="scale=0.2:0.31,rotate=20")
        self.rejects(made, sampler, points, ts.sample(made, sampler, *points, bias=STEP))

    def test_level(self, format):
        made = surface(format=format, sizes=(36, 20, 1), mips="box")
        sampler = ts.Sampler(mip_filter="nearest")
        points = flat_points()
        wrong = ts.sample(made, sampler, *points, lod=2.0)
        self.rejects(made, sampler, points, wrong, lod=1.49)

    def test_the_level_next_to_the_last(self, format):
        made, sampler = surface(format=format, sizes=(36, 20, 1), mips="box"), ts.Sampler()
        points = flat_points()
        self.rejects(made, sampler, points, ts.sample(made.view(level=0, levels=5), sampler, *points, lod=9.0), lod=9.0)

    @pytest.mark.parametrize(("mode", "wrong"), list(permutations(MODES, 2)))
    def test_address_mode(self, format, mode, wrong):
        made = surface(format=format, sizes=(36, 20, 1))
        random = np.random.default_rng(4)
        points = [point + random.integers(-2, 3, 400).astype(np.float32) for point in flat_points()]
        samplers = [ts.Sampler(address=each, border=(0.3, 0.6, 0.1, 0.7), mip_filter="none") for each in (mode, wrong)]
        self.rejects(made, samplers[0], points, ts.sample(made, samplers[1], *points), most_alike=0.9)

    def test_face(self, format):
        """Directions next to an edge, drawn as if the neighboring face were as near: never the same texels."""
        made = surface("CUBE", format, sizes=(8, 8, 1))
        faces = made.to_array().reshape(6, 8, 8, 4)
        swapped = ts.Surface.from_array(faces[[4, 1, 2, 3, 0, 5]], format, type="CUBE", device="cpu")
        points = face_directions(4, *grid((16, 16), "scale=0.8"))
        sampler = ts.Sampler(mip_filter="none")
        self.rejects(made, sampler, points, ts.sample(swapped, sampler, *points), most_alike=0.2)

    def test_face_of_a_tie(self, format):
        """X comes before Z; others may choose either."""
        made = surface("CUBE", format, sizes=(8, 8, 1))
        x, y = np.ones(50, np.float32), np.linspace(-0.9, 0.9, 50, dtype=np.float32)
        sampler = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
        wrong = ts.sample(made, sampler, x, y, np.nextafter(x, np.float32(2)))
        self.rejects(made, sampler, (x, y, x), wrong)
        assert judged(made, sampler, (x, y, x), wrong, "d3d").ok

    def test_turned_face(self, format):
        made = surface("CUBE", format, sizes=(8, 8, 1))
        u, v = grid((16, 16), "")
        sampler = ts.Sampler(min_filter="nearest", mag_filter="nearest", mip_filter="none")
        wrong = ts.sample(made, sampler, *face_directions(4, v, u))
        self.rejects(made, sampler, face_directions(4, u, v), wrong, most_alike=0.13)

    def test_slice(self, format):
        made, sampler = surface("2D", format, sizes=(36, 20, 1), slices=3), ts.Sampler(mip_filter="none")
        points = flat_points()
        self.rejects(made, sampler, points, ts.sample(made, sampler, *points, layer=1), layer=0)

    def test_one_texel_to_the_side(self, format):
        made, sampler = surface(format=format, sizes=(36, 20, 1)), ts.Sampler(mip_filter="none")
        points = flat_points()
        for precision in PRECISIONS:
            wrong = ts.sample(made, sampler, *points, offset=(1, 0))
            report = judged(made, sampler, points, wrong, precision)
            assert report.rejected > 380

    def test_rounding(self, format):
        made = surface(format=format, sizes=(36, 20, 1))
        points = [point + np.float32(0.4 * STEP / size) for point, size in zip(flat_points(), (36, 20), strict=True)]
        samplers = [ts.Sampler(mip_filter="none", rounding=each) for each in (True, False)]
        self.rejects(made, samplers[0], points, ts.sample(made, samplers[1], *points))

    def test_tightness(self, format):
        """One step of weight passes for d3d, four for loose, forty for nobody."""
        made, sampler = surface(format=format, sizes=(36, 20, 1)), ts.Sampler(mip_filter="none")
        points = flat_points()
        accepted = {}
        for steps in (1, 4, 40):
            moved = [points[0] + np.float32(steps * STEP / 36), points[1]]
            result = ts.sample(made, sampler, *moved)
            accepted[steps] = {name: judged(made, sampler, points, result, name).accepted.mean() for name in PRECISIONS}
        assert accepted[1]["gen7"] < 0.05
        assert accepted[1]["d3d"] == accepted[1]["loose"] == 1
        assert accepted[4]["d3d"] < 0.6
        assert accepted[4]["loose"] > 0.95
        assert accepted[40]["loose"] < 0.4


def test_reports_say_why():
    made = surface(sizes=(36, 20, 1), mips="box")
    sampler = ts.Sampler()
    points = [point.reshape(20, 20) for point in flat_points()]
    result = ts.sample(made, sampler, *points, lod=1.5)
    result[3, 4, 1] += 0.25
    report = ts.verify(made, sampler, *points, result=result, lod=1.5)
    assert (report.rejected, report.ok) == (1, False)
    (miss,) = report.misses
    assert miss.index == (3, 4)
    assert miss.lod == (1.5, 1.5)
    assert miss.blend == (0.5, 0.5)
    assert not miss.magnified
    assert [use.level for use in miss.levels] == [1, 2]
    assert [use.size for use in miss.levels] == [(18, 10), (9, 5)]
    x = float(points[0][3, 4]) * 18 - 0.5
    assert miss.levels[0].texels[0] == np.floor(x)
    assert abs(miss.levels[0].weights[0][0] - x % 1) <= STEP
    lines = str(report).splitlines()
    assert lines[0] == "gen7: 399 of 400 samples are allowed"
    assert lines[1].startswith("sample (3, 4) at u ")
    assert lines[1].endswith(": LOD 1.5, reduced")
    assert lines[2].startswith("  level 1 (18x10): texels x ")
    assert "; y " in lines[2]
    assert lines[4] == "  the second level by 0.5"
    assert lines[5].startswith("  green must be ")
    assert lines[5].endswith(" off by 0.25")
    assert len(lines) == 6
    report = ts.verify(made, sampler, *points, result=result + 1, lod=1.5, explained=2)
    assert len(report.misses) == 2
    assert str(report).splitlines()[-1] == "and 398 more"


def test_uncertain_coordinates_are_not_decided():
    made = surface(sizes=(36, 20, 1))
    far = np.float32([1e6 + 0.3, 0.2])
    result = np.full((2, 4), 2.0)
    report = ts.verify(made, ts.Sampler(), far, far, result=result, lod=0, precision="loose")
    assert report.undecided.tolist() == [True, False]
    assert (report.rejected, report.accepted.any()) == (1, False)
    assert str(report).startswith("loose: 1 of 2 samples are allowed (1 of them not decided)")


def test_plain_numbers_need_no_surface():
    levels = [noise((1, 4, 8, 4), np.float32), noise((1, 2, 4, 4), np.float32)]
    plain = Texture("2D", levels)
    u, v = (np.mgrid[0:4, 0:8][::-1] + np.array([0.5, 0.5])[:, None, None]) / np.array([8, 4])[:, None, None]
    rules = Rules(mip="linear")
    assert verify_numbers(plain, rules, (u, v), levels[0][0], precision="gen7").ok
    assert verify_numbers(plain, rules, (u, v), levels[0][0], lod=0.5, precision="loose").rejected > 20


def test_disabled_samplers_are_refused():
    made = surface(sizes=(36, 20, 1), mips="box")
    sampler = ts.Sampler()
    with pytest.raises(ts.StateError, match="a disabled sampler gives 0"):
        judged(made, ts.Sampler.from_state(sampler.state.replace(disable=1)), flat_points(), lod=0)


def test_no_samples_are_all_allowed():
    report = ts.verify(surface(), ts.Sampler(), np.zeros((0, 3)), np.zeros((0, 3)), result=np.zeros((0, 3, 4)))
    assert report.ok
    assert str(report) == "gen7: 0 of 0 samples are allowed"


def test_arguments_that_do_not_fit():
    made = surface()
    result = np.zeros((2, 4))
    with pytest.raises(ts.StateError, match="precision must be one of gen7, d3d, loose, found 'exact'"):
        ts.verify(made, ts.Sampler(), [0, 1], [0, 1], result=result, precision="exact")
    with pytest.raises(ts.FormatError, match=r"the result must have shape \(2, 4\), found \(3, 4\)"):
        ts.verify(made, ts.Sampler(), [0, 1], [0, 1], result=np.zeros((3, 4)))
    with pytest.raises(ts.FormatError, match="floats, uint8 codes or integers, found complex128"):
        ts.verify(made, ts.Sampler(), [0, 1], [0, 1], result=result + 0j)
    for explained in (-1, 1.5):
        with pytest.raises(ts.StateError, match=f"explained must be an integer of at least 0, found {explained}"):
            ts.verify(made, ts.Sampler(), [0, 1], [0, 1], result=result, explained=explained)
    with pytest.raises(ts.FormatError, match="2D is sampled at 2 coordinates, found 1"):
        ts.verify(made, ts.Sampler(), [0, 1, 0], result=result)
    with pytest.raises(ts.StateError, match="rules that compare need references"):
        verify_numbers(Texture("2D", [np.zeros((1, 1, 1, 4))]), Rules(compare="less"), [[0], [0]], np.zeros((1, 4)))
    with pytest.raises(ts.FormatError, match="one of 1D, 2D, 3D, CUBE, found '4D'"):
        Texture("4D", [])
    with pytest.raises(ts.FormatError, match=r"levels must have shape \(slices, height, width, 4\), found \(3, 3\)"):
        Texture("2D", [np.zeros((3, 3))])
    with pytest.raises(ts.FormatError, match="a cube has 6 faces, found 5"):
        Texture("CUBE", [np.zeros((5, 3, 3, 4))])
    with pytest.raises(ts.StateError, match="mip must be one of none, nearest, linear, found 'cubic'"):
        Rules(mip="cubic")


@pytest.mark.parametrize("shape", [(45, 33), (3, 7, 5), (301,), (2, 1, 75)])
def test_the_verdict_does_not_depend_on_the_parts_that_threads_judge(shape, monkeypatch):
    """Quads stay whole, at odd ends too, and every number goes with its sample."""
    random = np.random.default_rng(len(shape))
    made = ts.Surface.from_array(noise((32, 32, 4), np.uint8), mips="box", device="cpu")
    sampler = ts.Sampler(mip_filter="linear")
    height, width = (1, *shape)[-2:]
    v, u = np.mgrid[0:height, 0:width].astype(np.float32)
    turned = [u * 0.031 - v * 0.013, u * 0.017 + v * 0.041]
    points = [np.broadcast_to(each.reshape(shape[-2:]), shape) + random.random(1, np.float32) for each in turned]
    bias = random.random(shape, np.float32)
    result = ts.sample(made, sampler, *points, bias=bias)
    wrong = random.random(shape) < 0.1
    result[wrong] = 1 - result[wrong]
    module = sys.modules["texsamp.quality.verifier.verify"]
    reports = []
    for block, threads in ((1 << 20, 1), (16, 3)):
        monkeypatch.setattr(module, "BLOCK", block)
        ts.set_threads(threads)
        reports.append(ts.verify(made, sampler, *points, result=result, bias=bias))
    ts.set_threads(None)
    assert str(reports[0]) == str(reports[1])
    assert np.array_equal(reports[0].accepted, reports[1].accepted)
    assert np.array_equal(reports[0].accepted, ~wrong)
    assert [miss.index for miss in reports[0].misses] == list(zip(*np.nonzero(wrong), strict=True))[:4]
