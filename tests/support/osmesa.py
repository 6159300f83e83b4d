"""Mesa's texture decoders through OSMesa: OpenGL in memory, without a display.

`decoded` runs in a process of its own, so that Mesa's threads and its LLVM stay out of the tests' process.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_OSMESA_RGBA, _UNSIGNED_BYTE, _FLOAT = 0x1908, 0x1401, 0x1406
_TEXTURE_2D, _RGBA, _BASE_LEVEL, _MAX_LEVEL, _PACK_ALIGNMENT = 0x0DE1, 0x1908, 0x813C, 0x813D, 0x0D05


@cache
def library() -> str | None:
    """Name of the library, None if it is not installed."""
    for name in (ctypes.util.find_library("OSMesa"), "libOSMesa.so.8", "libOSMesa.so"):
        try:
            if name is not None:
                ctypes.CDLL(name)
                return name
        except OSError:
            continue
    return None


def decoded(internal_format: int, blocks: Any, width: int, height: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """R, G, B, A (height, width, 4) of a compressed image, as Mesa gives its texels back."""
    arguments = [sys.executable, __file__, str(internal_format), str(width), str(height)]
    ran = subprocess.run(arguments, input=blocks.tobytes(), capture_output=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr.decode(errors="replace")[-2000:]
    return np.frombuffer(ran.stdout, np.float32).reshape(height, width, 4)


def _main() -> None:
    internal_format, width, height = (int(word) for word in sys.argv[1:])
    data = sys.stdin.buffer.read()
    name = library()
    assert name is not None
    mesa: Any = ctypes.CDLL(name)
    mesa.OSMesaCreateContextExt.restype = ctypes.c_void_p
    mesa.OSMesaMakeCurrent.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_int]
    context = mesa.OSMesaCreateContextExt(_OSMESA_RGBA, 0, 0, 0, None)
    screen = ctypes.create_string_buffer(16 * 16 * 4)
    assert context, "no context"
    assert mesa.OSMesaMakeCurrent(context, screen, _UNSIGNED_BYTE, 16, 16)
    texture = ctypes.c_uint()
    mesa.glGenTextures(1, ctypes.byref(texture))
    mesa.glBindTexture(_TEXTURE_2D, texture)
    mesa.glTexParameteri(_TEXTURE_2D, _BASE_LEVEL, 0)
    mesa.glTexParameteri(_TEXTURE_2D, _MAX_LEVEL, 0)
    mesa.glPixelStorei(_PACK_ALIGNMENT, 1)
    mesa.glCompressedTexImage2D(_TEXTURE_2D, 0, internal_format, width, height, 0, len(data), data)
    texels = (ctypes.c_float * (width * height * 4))()
    mesa.glGetTexImage(_TEXTURE_2D, 0, _RGBA, _FLOAT, texels)
    error = mesa.glGetError()
    assert error == 0, f"OpenGL error {error:#x}"
    sys.stdout.buffer.write(bytes(texels))


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    _main()
