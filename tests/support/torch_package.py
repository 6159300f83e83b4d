"""PyTorch for tests: an installed one, or Debian's python3-torch, found by its path; else the test skips."""

import importlib
import sys
import warnings
from functools import cache

import pytest

DEBIAN = "/usr/lib/python3/dist-packages"


class Lazy:
    """A module that is loaded by the first test that asks it for something: that takes seconds."""

    def __init__(self, load):
        self._load = load

    def __getattr__(self, name):
        return getattr(self._load(), name)


@cache
def torch_package():
    """The module torch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Debian's is built for an older numpy, which nothing here needs
        found = _found()
        found.zeros(1)  # which says once what is amiss with that numpy
    return found


def _found():
    try:
        return importlib.import_module("torch")
    except ImportError:
        pass
    sys.path.append(DEBIAN)
    try:
        return pytest.importorskip("torch", reason="no torch, neither installed nor Debian's python3-torch")
    finally:
        sys.path.remove(DEBIAN)
