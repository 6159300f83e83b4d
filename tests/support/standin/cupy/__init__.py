"""A stand-in for CuPy, for tests only: what texsamp uses of it, on devices whose kernels are executed from their PTX.

Names, keywords and errors are those of the real package; a test looks every one of them up there. Work is done when it
is queued, in order; `cupy.standin.log` records what was asked. Memory that nothing has written may not be read.
"""

from numpy import uint8

from cupy import cuda, standin
from cupy._arrays import arange, array, asarray, empty, from_dlpack, full, ndarray, ones, zeros
from cupy._modules import RawModule

__version__ = "0.0.0+standin"

__all__ = [
    "RawModule",
    "arange",
    "array",
    "asarray",
    "cuda",
    "empty",
    "from_dlpack",
    "full",
    "ndarray",
    "ones",
    "standin",
    "uint8",
    "zeros",
]
