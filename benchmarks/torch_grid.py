"""`texsamp.torch.sample` beside PyTorch's grid_sample: how far apart, and what both take."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import texsamp as ts
from benchmarks.torch_peer import torch_package

_SIDE_PX, _PIXELS = 512, (720, 1280)
_ROUNDS = 5


@dataclass(frozen=True)
class Row:
    """Largest differences: of samples of texels from 0 to 1; of gradients of a random loss, by the largest of them.

    CPU time in ms with one thread, least of 5, taking turns.
    """

    case: str
    samples_off_ppm: float
    texture_gradients_off_ppm: float
    grid_gradients_off_ppm: float
    forward_ms: float
    backward_ms: float
    torch_forward_ms: float
    torch_backward_ms: float


def _ms(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    made = run()
    return (time.process_time() - begin) * 1e3, made


def _off(mine: Any, others: Any, *, relative: bool) -> float:
    most = float(others.abs().max()) if relative else 1.0
    return float((mine - others).abs().max()) / most * 1e6


def _row(torch: Any, case: str, texture: Any, grid: Any, options: dict[str, Any]) -> Row:
    functions = importlib.import_module("texsamp.torch").sample, torch.nn.functional.grid_sample
    leaves = texture.requires_grad_(), grid.requires_grad_()
    forward: tuple[list[float], list[float]] = ([], [])
    backward: tuple[list[float], list[float]] = ([], [])
    samples, slopes = [None, None], [(), ()]
    weights = torch.randn(texture.shape[0], texture.shape[1], *grid.shape[1:-1])
    for _ in range(_ROUNDS):
        for n, function in enumerate(functions):
            took, made = _ms(lambda: function(*leaves, align_corners=False, **options))  # noqa: B023
            forward[n].append(took)
            took, slopes[n] = _ms(lambda: torch.autograd.grad(made, leaves, weights))  # noqa: B023
            backward[n].append(took)
            samples[n] = made.detach()
    return Row(
        case,
        _off(*samples, relative=False),
        *(_off(*pair, relative=True) for pair in zip(*slopes, strict=True)),
        *(min(times) for pair in zip(forward, backward, strict=True) for times in pair),
    )


def torch_grid() -> list[Row]:
    """Rows for pictures turned a little, random places, many channels, batches and volumes."""
    torch = torch_package()
    if torch is None:
        print("torch is left out: it is not installed")
        return []
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ts.set_threads(1)
    y, x = np.mgrid[0 : _PIXELS[0], 0 : _PIXELS[1]].astype(np.float32)
    x, y = x / _PIXELS[1] * 2 - 1, y / _PIXELS[0] * 2 - 1
    turned = torch.from_dlpack(np.stack([x * 0.9 + y * 0.2, y * 0.9 - x * 0.2], -1)[None])
    picture = torch.rand(1, 3, _SIDE_PX, _SIDE_PX)
    cases = {
        "turned, 3 channels": (picture, turned, {}),
        "turned, reflection": (picture, turned * 1.6, {"padding_mode": "reflection"}),
        "random places": (picture, torch.rand(1, *_PIXELS, 2) * 2 - 1, {"padding_mode": "border"}),
        "16 channels": (torch.rand(1, 16, _SIDE_PX, _SIDE_PX), turned[:, ::2, ::2], {}),
        "batch of 8": (torch.rand(8, 3, 128, 128), turned[:, ::3, ::3].repeat(8, 1, 1, 1), {}),
        "volume 64^3": (torch.rand(1, 4, 64, 64, 64), torch.rand(1, 1, 360, 640, 3) * 2 - 1, {}),
    }
    rows = [_row(torch, case, *given) for case, given in cases.items()]
    ts.set_threads(None)
    return rows
