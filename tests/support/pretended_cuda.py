"""The stand-in for CuPy in the place of the real package, which may or may not be installed."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from texsamp.device import cuda

STANDIN = Path(__file__).with_name("standin")


def _take_away() -> dict[str, ModuleType]:
    """CuPy's modules out of Python's list, and what texsamp keeps of devices forgotten."""
    for each in vars(cuda).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()
    names = [name for name in sys.modules if name.partition(".")[0] in ("cupy", "cupyx")]
    return {name: sys.modules.pop(name) for name in names}


@contextmanager
def pretended_cuda() -> Iterator[ModuleType]:
    """While this is entered, ``import cupy`` is the stand-in, fresh, with devices that nothing was done on."""
    real = _take_away()
    sys.path.insert(0, str(STANDIN))
    kept = {name: os.environ.pop(name, None) for name in ("TEXSAMP_CACHE_DIR", "TEXSAMP_DEVICE")}
    try:
        with tempfile.TemporaryDirectory() as folder:  # a binary's PTX is known only where these tests compiled it
            os.environ["TEXSAMP_CACHE_DIR"] = folder
            yield importlib.import_module("cupy")
    finally:
        os.environ.pop("TEXSAMP_CACHE_DIR")
        os.environ.update({name: value for name, value in kept.items() if value is not None})
        sys.path.remove(str(STANDIN))
        _take_away()
        sys.modules.update(real)
