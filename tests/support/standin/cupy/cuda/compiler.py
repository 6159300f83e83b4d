"""What the compiler raises."""

from cupy.cuda._errors import CompileException

__all__ = ["CompileException"]
