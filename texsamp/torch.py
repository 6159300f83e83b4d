"""`sample`: textures in PyTorch, by the conventions of its grid_sample, with gradients (docs/torch.md).

PyTorch itself is the caller's to install; ``import texsamp`` does not import it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch.autograd.function import once_differentiable

from texsamp.device import Device, get_device
from texsamp.device.arguments import is_real
from texsamp.errors import FormatError, StateError
from texsamp.sampler.exact import sample_gradients
from texsamp.sampler.sample import sample as sample_surface
from texsamp.sampler.sampler import Address, Sampler
from texsamp.surface.mips import MipFilter, level_gradients
from texsamp.surface.surface import Surface

Tensor = Any
"""A torch.Tensor; torch brings types that not every version of it has."""

_FORMAT, _CHANNELS = "R32G32B32A32_FLOAT", 4
_TYPES = {1: "1D", 2: "2D", 3: "3D"}
_ADDRESSES: dict[str, Address] = {"zeros": "border", "border": "clamp", "reflection": "mirror", "wrap": "wrap"}
_MODES = ("bilinear", "nearest")


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is the same on the way there and back."""

    sampler: Sampler
    device: Device
    type: str
    mips: MipFilter | None
    levels: int | None
    arguments: dict[str, Any]
    """Of `texsamp.sample`: layer, gradients, and numbers for all samples."""

    def surface(self, texels: Tensor) -> Surface:
        return Surface.from_array(
            texels.detach(), _FORMAT, type=self.type, mips=self.mips, levels=self.levels, device=self.device
        )

    def given(self, lod: Tensor | None, bias: Tensor | None) -> dict[str, Any]:
        arrays = {"lod": lod, "bias": bias}
        return self.arguments | {name: each.detach() for name, each in arrays.items() if each is not None}

    def by_texels(self, surface: Surface, levels: Sequence[Any]) -> Tensor:
        if self.mips is None:
            return torch.from_dlpack(levels[0])
        return torch.from_dlpack(level_gradients(levels, self.mips, "clamp", surface.device, volume=self.type == "3D"))


class _Sample(torch.autograd.Function):  # type: ignore[misc]
    """Samples of one surface; tensors as `texsamp.sample` takes them."""

    @staticmethod
    def forward(ctx: Any, plan: _Plan, texels: Tensor, lod: Tensor | None, bias: Tensor | None, *at: Tensor) -> Tensor:
        surface = plan.surface(texels)
        if any(ctx.needs_input_grad):
            ctx.plan, ctx.surface, ctx.shape = plan, surface, texels.shape
            ctx.save_for_backward(lod, bias, *at)
        where = [each.detach() for each in at]
        return torch.from_dlpack(sample_surface(surface, plan.sampler, *where, **plan.given(lod, bias)))

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, weights: Tensor) -> tuple[Tensor | None, ...]:
        lod, bias, *at = ctx.saved_tensors
        where = [each.detach() for each in at]
        given = ctx.plan.given(lod, bias)
        found = sample_gradients(ctx.surface, ctx.plan.sampler, *where, weights=weights.detach(), **given)
        texels = ctx.plan.by_texels(ctx.surface, found.texels).reshape(ctx.shape) if ctx.needs_input_grad[1] else None
        by_lod = torch.from_dlpack(found.lod)
        coordinates = [torch.from_dlpack(each) for each in found.coordinates]
        return (
            None,
            texels,
            None if lod is None else by_lod,
            None if bias is None else by_lod,
            *coordinates,
        )


def sample(
    texture: Tensor,
    grid: Tensor,
    mode: Literal["bilinear", "nearest"] = "bilinear",
    padding_mode: Literal["zeros", "border", "reflection", "wrap"] = "zeros",
    align_corners: bool = False,
    *,
    channels: Literal["first", "last"] = "first",
    lod: Tensor | float | None = None,
    bias: Tensor | float | None = None,
    derivatives: Sequence[Tensor] | None = None,
    mips: MipFilter | None = None,
    levels: int | None = None,
    mip_filter: Literal["none", "nearest", "linear"] = "linear",
    max_anisotropy: int = 1,
    filter: Literal["exact", "hardware"] = "exact",
) -> Tensor:
    """Filtered texels at a grid's places, as torch.nn.functional.grid_sample, with mips, anisotropy and all gradients.

    texture: float32, (N, C, W), (N, C, H, W) or (N, C, D, H, W); ``channels="last"``: (N, W, C) and so on.
    grid: float32 (N, ..., axes), x, y, z of each sample, from -1 to 1 across the texture; the two axes before the last
        are rows and columns of pixels where LODs are found from them.
    mode: between texels: ``bilinear`` (along every axis) or ``nearest``, which takes the right one of two at the same
        distance.
    padding_mode: texels outside: ``zeros``, those at the ``border``, a ``reflection``, or ``wrap`` (ours).
    align_corners: whether -1 and 1 are the centers of the outermost texels instead of their far sides.
    lod, bias: level of detail, and what is added to it: a number, or a tensor that broadcasts to grid.shape[:-1].
        Without ``lod`` the LOD of a texture with mips, or of anisotropy, follows from ``derivatives``: two tensors like
        the grid, its change from pixel to pixel along x and y of the picture; else from the grid itself.
    mips: ``box``, ``kaiser`` or ``lanczos``: make ``levels`` levels, or all; gradients go through them to the texture.
    mip_filter: between levels. max_anisotropy: 1, or 2 to 16, even: probes along a pixel's longer side; no volumes.
    filter: ``exact``, with float32 weights, or ``hardware``, with weights of 1/256, which has no gradients.

    Returns float32 (N, C, ...) or (N, ..., C) on the texture's device, CPU or CUDA. Gradients of the exact filter
    go to texture, grid (at samples whose texels meet, from the right), lod and bias; what a LOD that follows from the
    grid changes by is not among them, nor are derivatives.

    Raises FormatError for tensors that do not fit, StateError for words, and for hardware filtering of what needs
    gradients. Source: docs/torch.md.
    """
    for name, value, known in (
        ("mode", mode, _MODES),
        ("padding_mode", padding_mode, tuple(_ADDRESSES)),
        ("channels", channels, ("first", "last")),
    ):
        if value not in known:
            raise StateError(f"{name} must be {' or '.join(known)}, found {value!r}")
    axes = _checked(texture, grid, channels)
    size = list(texture.shape[2:] if channels == "first" else texture.shape[1:-1])[::-1]
    texels, groups = _grouped(texture, channels)
    mirrored = padding_mode == "reflection" and align_corners
    at = [_coordinate(grid[..., axis], size[axis], align_corners, mirrored) for axis in range(axes)]
    slopes = None
    if derivatives is not None:
        slopes = [
            [_slope(each[..., axis].detach(), size[axis], align_corners) for axis in range(axes)]
            for each in _pair(derivatives, grid)
        ]
    shape = tuple(grid.shape[:-1])
    details = {"lod": _detail("lod", lod, grid), "bias": _detail("bias", bias, grid)}
    needing = [texture, grid, *(each for each in details.values() if isinstance(each, torch.Tensor))]
    if filter == "hardware" and torch.is_grad_enabled() and any(each.requires_grad for each in needing):
        raise StateError(
            "the hardware's filter has steps of 1/256, so its gradients are 0 or infinite: gradients need "
            "filter='exact', samples without them torch.no_grad()"
        )
    sampler = Sampler(
        filter=filter,
        min_filter="nearest" if mode == "nearest" else None,
        mag_filter="nearest" if mode == "nearest" else None,
        mip_filter=mip_filter,
        address="clamp" if mirrored else _ADDRESSES[padding_mode],
        max_anisotropy=max_anisotropy,
    )
    numbers = {name: each for name, each in details.items() if each is not None and not isinstance(each, torch.Tensor)}
    tensors = [each if isinstance(each, torch.Tensor) else None for each in details.values()]
    device = get_device(f"cuda:{texture.device.index}" if texture.is_cuda else "cpu")
    common = (sampler, device, _TYPES[axes], mips, levels)
    if axes == 3:  # there are no arrays of volumes
        parts = []
        for n in range(shape[0]):
            chosen = {} if slopes is None else {"gradients": [[each[n] for each in group] for group in slopes]}
            plan = _Plan(*common, numbers | chosen)
            arrays = [None if each is None else each[n] for each in tensors]
            parts += [_Sample.apply(plan, texels[n, g], *arrays, *(each[n] for each in at)) for g in range(groups)]
        found = torch.stack(parts).reshape(shape[0], groups, *shape[1:], _CHANNELS)
    else:
        layers = torch.arange(shape[0] * groups, dtype=torch.float32, device=texture.device)
        layers = layers.reshape(shape[0], groups, *[1] * (len(shape) - 1))
        more: dict[str, Any] = {"layer": layers}
        if slopes is not None:
            more["gradients"] = [[_for_groups(each, groups) for each in group] for group in slopes]
        plan = _Plan(*common, numbers | more)
        arrays = [None if each is None else _for_groups(each, groups) for each in tensors]
        where = [_for_groups(each, groups) for each in at]
        found = _Sample.apply(plan, texels.flatten(0, 1), *arrays, *where)
    together = found.movedim(1, -2).flatten(-2)[..., : texture.shape[1 if channels == "first" else -1]]
    return together.movedim(-1, 1) if channels == "first" else together


def _checked(texture: Tensor, grid: Tensor, channels: str) -> int:
    """How many axes the texture has. Raises FormatError."""
    for name, tensor in (("texture", texture), ("grid", grid)):
        if not isinstance(tensor, torch.Tensor):
            raise FormatError(
                f"{name} must be a torch.Tensor, found {type(tensor).__name__}; texsamp.sample takes arrays"
            )
        if tensor.dtype != torch.float32:
            raise FormatError(f"{name} must be of torch.float32, found {tensor.dtype}: give {name}.float()")
    axes = texture.ndim - 2
    if axes not in _TYPES or 0 in texture.shape:
        order = "(N, C, H, W)" if channels == "first" else "(N, H, W, C)"
        raise FormatError(
            f"texture must be {order}, or have one or three sizes, none of them 0, found {tuple(texture.shape)}"
        )
    if grid.ndim < 2 or grid.shape[-1] != axes or grid.shape[0] != texture.shape[0]:
        raise FormatError(
            f"grid must be ({texture.shape[0]}, ..., {axes}) for a texture {tuple(texture.shape)}, "
            f"found {tuple(grid.shape)}"
        )
    if grid.device != texture.device:
        raise FormatError(f"texture and grid must be on one device, found {texture.device} and {grid.device}")
    return int(axes)


def _grouped(texture: Tensor, channels: str) -> tuple[Tensor, int]:
    """Texels of four channels, (N, groups, sizes, 4), with zeros for the channels that the last group lacks."""
    last = texture.movedim(1, -1) if channels == "first" else texture
    groups = -(-last.shape[-1] // _CHANNELS)
    padded = torch.nn.functional.pad(last, (0, groups * _CHANNELS - last.shape[-1]))
    return padded.unflatten(-1, (groups, _CHANNELS)).movedim(-2, 1).contiguous(), groups


def _coordinate(x: Tensor, size: int, align_corners: bool, mirrored: bool) -> Tensor:
    """From -1 to 1, to 0 to 1 across the texture."""
    if mirrored:  # at the centers of the outermost texels, where no address control of the sampler does
        x = (torch.remainder(x - 1, 4) - 2).abs() - 1
    half = (x + 1) * 0.5
    return (half * (size - 1) + 0.5) / size if align_corners else half


def _slope(change: Tensor, size: int, align_corners: bool) -> Tensor:
    return change * (0.5 * (size - 1) / size if align_corners else 0.5)


def _pair(derivatives: Any, grid: Tensor) -> list[Tensor]:
    pair = list(derivatives) if isinstance(derivatives, list | tuple) else []
    fits = [isinstance(each, torch.Tensor) and each.shape == grid.shape and each.device == grid.device for each in pair]
    if len(pair) != 2 or not all(fits):
        raise FormatError(f"derivatives must be two tensors like the grid, {tuple(grid.shape)}, by x and by y")
    return pair


def _detail(name: str, value: Any, grid: Tensor) -> Any:
    """None, a number, or a tensor of the grid's samples. Raises FormatError."""
    if not isinstance(value, torch.Tensor):
        if value is not None and not is_real(value):
            raise FormatError(f"{name} must be a number or a torch.Tensor, found {value!r}")
        return value
    shape = tuple(grid.shape[:-1])
    try:
        if value.device == grid.device and value.dtype == torch.float32:
            return value.expand(shape)
    except RuntimeError:
        pass
    raise FormatError(
        f"{name} must be of torch.float32, on {grid.device}, and broadcast to {shape}, "
        f"found {value.dtype} on {value.device} of {tuple(value.shape)}"
    )


def _for_groups(values: Tensor, groups: int) -> Tensor:
    return values.unsqueeze(1).expand(values.shape[0], groups, *values.shape[1:])
