"""`texsamp.torch.sample` is grid_sample where both do the same; its gradients are the differences of the oracle."""

import importlib
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from oracle import exact as oracle
from oracle import mips as mips_oracle
from support.torch_package import Lazy, torch_package

import texsamp as ts

torch = Lazy(torch_package)
ours = Lazy(lambda: torch_package() and importlib.import_module("texsamp.torch"))

PADDINGS = ("zeros", "border", "reflection")
SIZES = {1: (11,), 2: (6, 9), 3: (4, 5, 6)}
ADDRESSES = {"zeros": "border", "border": "clamp", "reflection": "mirror", "wrap": "wrap"}


def tensor(array):
    """Not from_numpy: it asks for the numpy that torch was built for."""
    return torch.from_dlpack(np.ascontiguousarray(array, np.float32))


def textures(axes, channels, seed=1, count=2):
    return tensor(np.random.default_rng(seed).uniform(0, 1, (count, channels, *SIZES[axes])))


def grids(axes, pixels=(5, 7), seed=2, count=2, far=1.4):
    shape = (count, *[3] * (axes - 2), *pixels, axes)
    return tensor(np.random.default_rng(seed).uniform(-far, far, shape))


def gradients(made, weights, *leaves):
    return [np.from_dlpack(each) for each in torch.autograd.grad((made * weights).sum(), leaves)]


def numbers(made):
    return np.from_dlpack(made.detach())


@pytest.mark.parametrize("axes", [2, 3])
def test_samples_and_gradients_are_those_of_grid_sample(axes):
    cases = itertools.product(PADDINGS, (False, True), (1, 4, 6))
    for padding, align, channels in cases:
        leaves = textures(axes, channels).requires_grad_(), grids(axes).requires_grad_()
        peer = torch.nn.functional.grid_sample(*leaves, "bilinear", padding, align)
        made = ours.sample(*leaves, "bilinear", padding, align)
        assert made.shape == peer.shape
        np.testing.assert_allclose(numbers(made), numbers(peer), rtol=0, atol=3e-6)
        weights = tensor(np.random.default_rng(3).normal(0, 1, tuple(peer.shape)))
        for mine, others in zip(gradients(made, weights, *leaves), gradients(peer, weights, *leaves), strict=True):
            np.testing.assert_allclose(mine, others, rtol=0, atol=1e-4)
        nearest = [f(*leaves, "nearest", padding, align) for f in (torch.nn.functional.grid_sample, ours.sample)]
        np.testing.assert_array_equal(numbers(nearest[0]), numbers(nearest[1]))
        assert not gradients(nearest[1], weights, leaves[1])[0].any()


def test_channels_may_come_last_and_rows_may_have_one_axis():
    texture, grid = textures(2, 6), grids(2)
    first, last = ours.sample(texture, grid), ours.sample(texture.movedim(1, -1), grid, channels="last")
    np.testing.assert_array_equal(numbers(first.movedim(1, -1)), numbers(last), strict=True)
    line, points = textures(1, 3), grids(1, (8,))
    flat = torch.cat([points, torch.zeros_like(points)], dim=-1)[:, None]
    peer = torch.nn.functional.grid_sample(line[:, :, None], flat, padding_mode="border", align_corners=False)
    made = ours.sample(line, points, padding_mode="border")
    np.testing.assert_allclose(numbers(made), numbers(peer[:, :, 0]), rtol=0, atol=3e-6)


def halved(level, size):
    """Float64 (..., height, width, 4) through the box, of the oracle's taps."""
    for axis, target in ((-2, size[0]), (-3, size[1])):
        lines = np.moveaxis(level, axis, 0)
        rows = [sum(float(w) * lines[i] for i, w in mips_oracle.box(len(lines), target, j)) for j in range(target)]
        level = np.moveaxis(np.array(rows), 0, axis)
    return level


def loss(texture, grid, weights, state, *, lod=None, bias=0.0, slopes=None, levels=4):
    """In double precision: (N, H, W, 4) texels, (N, points, 2) places, weights of each sample."""
    total = 0.0
    for n, picture in enumerate(texture):
        made = [picture[None]]
        while len(made) < levels:
            made.append(halved(made[-1], [max(1, side >> len(made)) for side in picture.shape[1::-1]]))
        for i, place in enumerate(grid[n]):
            detail = {"derivatives": [each[n, i] / 2 for each in slopes]} if slopes else {"lod": lod[n, i]}
            found = oracle.sample(state, made, (place + 1) / 2, bias=bias, **detail)
            total += found @ weights[n, i]
    return total


def differences(function, at, step=1e-6):
    """Central differences by every number of an array."""
    found = np.zeros(at.shape)
    for index in np.ndindex(at.shape):
        move = np.zeros(at.shape)
        move[index] = step
        found[index] = (function(at + move) - function(at - move)) / (2 * step)
    return found


@pytest.mark.parametrize("padding", ADDRESSES)
def test_gradients_through_mips_are_the_oracles_differences(padding):
    random = np.random.default_rng(4)
    texture = random.uniform(0, 1, (2, 6, 9, 4)).astype(np.float32)
    grid = random.uniform(-1.3, 1.3, (2, 3, 2)).astype(np.float32)
    lod, weights = random.uniform(0.2, 2.3, (2, 3)).astype(np.float32), random.normal(0, 1, (2, 3, 4))
    leaves = [tensor(each).requires_grad_() for each in (texture, grid, lod)]
    made = ours.sample(*leaves[:2], padding_mode=padding, channels="last", lod=leaves[2], mips="box")
    by_texture, by_grid, by_lod = gradients(made, tensor(weights), *leaves)
    state = oracle.State(address=(ADDRESSES[padding],) * 2)
    texture, grid, lod = (each.astype(np.float64) for each in (texture, grid, lod))
    np.testing.assert_allclose(
        by_grid, differences(lambda at: loss(texture, at, weights, state, lod=lod), grid), rtol=0, atol=2e-4
    )
    np.testing.assert_allclose(
        by_lod, differences(lambda at: loss(texture, grid, weights, state, lod=at), lod), rtol=0, atol=1e-4
    )
    for seed in range(3):  # it is linear in texels
        change = np.random.default_rng(seed).normal(0, 1, texture.shape)
        wanted = loss(texture + change, grid, weights, state, lod=lod) - loss(texture, grid, weights, state, lod=lod)
        assert abs((by_texture * change).sum() - wanted) < 1e-4


def test_gradients_through_probes_are_the_oracles_differences():
    random = np.random.default_rng(5)
    texture = random.uniform(0, 1, (1, 6, 9, 4)).astype(np.float32)
    grid = random.uniform(-0.9, 0.9, (1, 6, 2)).astype(np.float32)
    slopes = [(random.normal(0, 1, grid.shape) * scale).astype(np.float32) for scale in (0.9, 0.1)]
    weights = random.normal(0, 1, (1, 6, 4))
    leaves = [tensor(each).requires_grad_() for each in (texture, grid, np.float32([0.125]))]
    made = ours.sample(
        *leaves[:2], padding_mode="wrap", channels="last", derivatives=[tensor(each) for each in slopes],
        bias=leaves[2], mips="box", max_anisotropy=8,
    )  # fmt: skip
    by_texture, by_grid, by_bias = gradients(made, tensor(weights), *leaves)
    state = oracle.State("anisotropic", "anisotropic", most_probes=8)

    def of(texture, grid=grid, bias=0.125):
        return loss(texture, grid.astype(float), weights, state, bias=bias, slopes=[s.astype(float) for s in slopes])

    texture = texture.astype(np.float64)
    np.testing.assert_allclose(by_grid, differences(lambda at: of(texture, at), grid.astype(float)), rtol=0, atol=1e-3)
    assert abs(by_bias[0] - (of(texture, bias=0.125 + 1e-6) - of(texture, bias=0.125 - 1e-6)) / 2e-6) < 1e-3
    change = random.normal(0, 1, texture.shape)
    assert abs((by_texture * change).sum() - (of(texture + change) - of(texture))) < 1e-4


@pytest.mark.parametrize("filter", ["box", "kaiser", "lanczos"])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_gradients_of_every_level_reach_the_texture(axes, filter):
    """Samples are linear in texels: what they are with others is the gradients' product with these."""
    texture, grid = textures(axes, 5), grids(axes)
    lod = tensor(np.random.default_rng(6).uniform(0, 4, tuple(grid.shape[:-1])))
    leaf = torch.zeros_like(texture, requires_grad=True)
    weights = tensor(np.random.default_rng(7).normal(0, 1, tuple(ours.sample(texture, grid).shape)))
    [by_texture] = gradients(ours.sample(leaf, grid, lod=lod, mips=filter), weights, leaf)
    wanted = (ours.sample(texture, grid, lod=lod, mips=filter) * weights).sum()
    assert abs((by_texture * np.from_dlpack(texture)).sum() - float(wanted)) < 1e-3


def test_levels_follow_from_the_grid():
    texture = textures(2, 4)
    y, x = np.mgrid[0:6, 0:8]
    grid = tensor(np.stack([x * 0.21 - 0.7 + y * 0.02, y * 0.3 - 0.8], -1)[None].repeat(2, 0))
    across, down = torch.tensor([0.21, 0.0]), torch.tensor([0.02, 0.3])
    found = ours.sample(texture, grid, mips="box", bias=0.25)
    slopes = [each.expand(grid.shape) for each in (across, down)]
    wanted = ours.sample(texture, grid, mips="box", bias=torch.tensor(0.25), derivatives=slopes)
    np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=0, atol=2e-5)
    assert not np.allclose(numbers(found), numbers(ours.sample(texture, grid, mips="box", lod=0.0)), atol=0.01)


def test_the_hardwares_filter_samples_but_has_no_gradients():
    texture, grid = textures(2, 4), grids(2)
    made = ours.sample(texture, grid, padding_mode="wrap", filter="hardware")
    surface = ts.Surface.from_array(texture.movedim(1, -1).contiguous(), "R32G32B32A32_FLOAT", device="cpu")
    places = [np.from_dlpack((grid[..., axis] + 1).contiguous()) * np.float32(0.5) for axis in range(2)]
    layer = np.arange(2, dtype=np.float32)[:, None, None]
    wanted = ts.sample(surface, ts.Sampler(), *places, layer=layer)
    np.testing.assert_array_equal(numbers(made.movedim(1, -1)), wanted, strict=True)
    for leaves in ((texture.requires_grad_(), grid), (texture.detach(), grid.requires_grad_())):
        with pytest.raises(ts.TexsampError, match=r"steps of 1/256.*filter='exact'"):
            ours.sample(*leaves, filter="hardware")
    with torch.no_grad():
        assert not ours.sample(texture, grid, filter="hardware").requires_grad


def test_an_optimizer_finds_a_texture_and_a_shift():
    random = np.random.default_rng(8)
    goal = tensor(random.uniform(0, 1, (1, 3, 8, 8)))
    y, x = np.mgrid[0:16, 0:16]
    grid = tensor((np.stack([x, y], -1)[None] + 0.5) / 8 - 1)
    texture, shift = torch.full_like(goal, 0.5).requires_grad_(), torch.zeros(2, requires_grad=True)
    wanted = ours.sample(goal, grid + torch.tensor([0.11, -0.07]), padding_mode="border")
    optimizer = torch.optim.Adam([texture, shift], lr=0.03)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        distance = (ours.sample(texture, grid + shift, padding_mode="border") - wanted).square().mean()
        distance.backward()
        optimizer.step()
        losses.append(float(distance))
    assert losses[-1] < losses[0] / 50


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: {"texture": np.zeros((1, 1, 2, 2), np.float32)}, r"texture must be a torch.Tensor, found ndarray"),
        (
            lambda: {"texture": torch.zeros(1, 1, 2, 2, dtype=torch.bfloat16)},
            r"torch.float32, found torch.bfloat16.*float\(\)",
        ),
        (lambda: {"texture": torch.zeros(1, 2)}, r"texture must be \(N, C, H, W\).*found \(1, 2\)"),
        (lambda: {"texture": torch.zeros(1, 0, 2, 2)}, r"none of them 0, found \(1, 0, 2, 2\)"),
        (lambda: {"grid": torch.zeros(2, 3, 3, 2)}, r"grid must be \(1, ..., 2\)"),
        (lambda: {"grid": torch.zeros(1, 3, 3, 3)}, r"grid must be \(1, ..., 2\)"),
        (lambda: {"grid": torch.zeros(1, 3, 3, 2).double()}, r"grid must be of torch.float32, found torch.float64"),
        (lambda: {"mode": "bicubic"}, r"mode must be bilinear or nearest, found 'bicubic'"),
        (lambda: {"padding_mode": "repeat"}, r"padding_mode must be .* found 'repeat'"),
        (lambda: {"channels": "NCHW"}, r"channels must be first or last"),
        (lambda: {"lod": "high"}, r"lod must be a number or a torch.Tensor"),
        (lambda: {"lod": torch.zeros(5)}, r"lod must .*broadcast to \(1, 3, 3\).*\(5,\)"),
        (lambda: {"lod": 1.0, "bias": 1.0}, r"lod is the level of detail itself"),
        (lambda: {"derivatives": [torch.zeros(1, 3, 3, 2)]}, r"derivatives must be two tensors"),
        (lambda: {"mips": "cubic"}, r"box, kaiser"),
        (lambda: {"max_anisotropy": 3}, r"max_anisotropy"),
        (lambda: {"filter": "perfect"}, r"hardware or exact"),
        (lambda: {"texture": torch.zeros(2049, 1, 1, 1), "grid": torch.zeros(2049, 1, 1, 2)}, r"2048"),
    ],
)
def test_what_is_refused_says_why(change, words):
    given = {"texture": torch.zeros(1, 1, 2, 2), "grid": torch.zeros(1, 3, 3, 2)} | change()
    with pytest.raises(ts.TexsampError, match=words):
        ours.sample(**given)


def test_a_gradient_of_a_gradient_is_refused():
    texture, grid = textures(2, 4).requires_grad_(), grids(2)
    [first] = torch.autograd.grad(ours.sample(texture, grid).square().sum(), texture, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_a_grid_of_no_samples_gives_none():
    assert tuple(ours.sample(textures(2, 3), grids(2, (0, 4))).shape) == (2, 3, 0, 4)


def test_the_pages_example_runs():
    page = (Path(__file__).parents[2] / "docs" / "torch.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert names["picture"].shape == (2, 3, 90, 160)
    assert names["texture"].grad.abs().min() > 0
