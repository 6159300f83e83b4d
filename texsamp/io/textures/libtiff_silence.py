"""Keeps libtiff from writing to stderr: its errors come back as exceptions, and stderr is the caller's."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from pathlib import Path


@cache
def silence_libtiff() -> None:
    """Take the handlers of errors and warnings from the libtiff that Pillow uses, if it can be found."""
    import PIL

    bundled = sorted(Path(PIL.__file__).parent.parent.glob("pillow.libs/libtiff*"))
    name = str(bundled[0]) if bundled else ctypes.util.find_library("tiff")
    if name is None:
        return
    try:
        library = ctypes.CDLL(name)
        for handler in (library.TIFFSetErrorHandler, library.TIFFSetWarningHandler):
            handler.argtypes, handler.restype = (ctypes.c_void_p,), ctypes.c_void_p
            handler(None)
    except (OSError, AttributeError):
        return  # its lines on stderr do no harm but to the eye
