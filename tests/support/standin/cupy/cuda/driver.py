"""What the driver raises."""

from cupy.cuda._errors import CUDADriverError

__all__ = ["CUDADriverError"]
