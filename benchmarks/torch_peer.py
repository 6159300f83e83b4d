"""torch's grid_sample as a contender: an installed torch, or Debian's python3-torch, for the system's Python."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.timing import Contender

DEBIAN = "/usr/lib/python3/dist-packages"


def torch_package() -> Any:
    """The module, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Debian's is built for an older numpy, which nothing here needs
        try:
            return importlib.import_module("torch")
        except ImportError:
            pass
        sys.path.append(DEBIAN)
        try:
            return importlib.import_module("torch")
        except ImportError:
            return None
        finally:
            sys.path.remove(DEBIAN)


def grid_sample(texels: Any, u: Any, v: Any, threads: int, place: str = "cpu") -> Iterator[Contender]:
    """Bilinear samples of a wrapped RGBA8 texture, as floats, which is all that torch samples."""
    torch = torch_package()
    if torch is None or (place != "cpu" and not torch.cuda.is_available()):
        print(f"torch is left out: it is not installed, or not for {place}")
        return
    torch.set_num_threads(threads)

    def tensor(array: Any) -> Any:  # not from_numpy: it asks for the numpy that torch was built for
        array = np.ascontiguousarray(array, np.float32)
        return torch.frombuffer(array, dtype=torch.float32).reshape(array.shape).to(place)

    picture = tensor(np.moveaxis(texels, -1, 0)[None])
    grid = tensor(np.stack([u - np.floor(u), v - np.floor(v)], -1)[None] * 2 - 1)

    def run() -> Any:
        made = torch.nn.functional.grid_sample(picture, grid, align_corners=False)
        if place != "cpu":
            torch.cuda.synchronize()  # its work is on a stream of its own
        return made

    yield Contender("torch grid_sample bilinear", run)
