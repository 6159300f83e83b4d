"""Mesa's llvmpipe as a sampler: coordinates in, texels out, through OpenGL shaders in memory.

`sampled` runs in a process of its own, so that Mesa's threads and its LLVM stay out of the tests' process. Coordinates
are read from a texture of floats, one for each pixel, so that no interpolation comes before the sampler.
"""

from __future__ import annotations

import ctypes
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

# What llvmpipe leaves out for speed, unless it is told not to.
PRECISE = "no_brilinear,no_rho_approx,no_quad_lod,no_aos_sampling,no_filter_hacks"
FAST = ""

_RGBA, _FLOAT, _BYTES, _RGBA32F, _RGBA8 = 0x1908, 0x1406, 0x1401, 0x8814, 0x8058
_TEXTURE_2D, _FRAMEBUFFER, _COLOR_ATTACHMENT, _COMPLETE = 0x0DE1, 0x8D40, 0x8CE0, 0x8CD5
_MAG, _MIN, _WRAPS, _BORDER, _MAX_LEVEL = 0x2800, 0x2801, (0x2802, 0x2803, 0x8072), 0x1004, 0x813D
_CUBE_FACE, _SEAMLESS, _FRAGMENT_SHADER, _TRIANGLES = 0x8515, 0x884F, 0x8B30, 4
_NEAREST, _LINEAR = 0x2600, 0x2601
_COMPARE_MODE, _COMPARE_FUNCTION, _WITH_REFERENCE = 0x884C, 0x884D, 0x884E
COMPARES = ("never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always")
"""From GL_NEVER on; GL compares the reference with the texel."""
_FIRST_COMPARE = 0x0200
_DEPTH, _DEPTH32F = 0x1902, 0x8CAC
_MIN_FILTERS = {
    ("nearest", "none"): 0x2600,
    ("linear", "none"): 0x2601,
    ("nearest", "nearest"): 0x2700,
    ("linear", "nearest"): 0x2701,
    ("nearest", "linear"): 0x2702,
    ("linear", "linear"): 0x2703,
}
ADDRESSES = {"wrap": 0x2901, "mirror": 0x8370, "clamp": 0x812F, "border": 0x812D, "mirror_once": 0x8743}
_TARGETS = {
    "2D": (0x0DE1, "sampler2D", "xy"),
    "3D": (0x806F, "sampler3D", "xyz"),
    "2D array": (0x8C1A, "sampler2DArray", "xyz"),
    "2D shadow": (0x0DE1, "sampler2DShadow", "xyz"),
    "2D gather": (0x0DE1, "sampler2D", "xy"),
    "CUBE": (0x8513, "samplerCube", "xyz"),
}
_SHADER = """#version 130
#extension GL_ARB_texture_gather : enable
uniform sampler2D points;
uniform {sampler} image;
void main() {{
    vec4 point = texelFetch(points, ivec2(gl_FragCoord.xy), 0);
    gl_FragColor = vec4({call});
}}
"""


def sampled(
    type: str,
    levels: list[np.ndarray[Any, Any]],
    coordinates: Any,
    *,
    lod: Any = None,
    mag: str = "linear",
    min: str = "linear",
    mip: str = "none",
    address: tuple[str, str, str] = ("wrap", "wrap", "wrap"),
    border: tuple[float, ...] = (0, 0, 0, 0),
    compare: str = "always",
    perf: str = PRECISE,
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Samples (height, width, 4) at coordinates, each (height, width); levels (slices, height, width, 4).

    type: 2D, 3D, CUBE; "2D array", whose third coordinate is the slice; "2D shadow", whose third coordinate is the
    reference: 1 where "reference ``compare`` red" holds, in every channel; "2D gather": red of the four
    texels that a linear filter would blend.
    Levels of uint8 become a texture of bytes, others one of floats. lod: explicit LODs; None takes derivatives.
    """
    points = np.zeros((*np.shape(coordinates[0]), 4), np.float32)
    for axis, values in enumerate(coordinates):
        points[..., axis] = values
    points[..., 3] = 0 if lod is None else lod
    words = [type, mag, min, mip, compare, *address, "explicit" if lod is not None else "derivatives"]
    content = io.BytesIO()
    arrays = {f"level{k}": level for k, level in enumerate(levels)}
    np.savez(content, points=points, border=np.array(border, np.float32), words=np.array(words), **arrays)
    ran = subprocess.run(
        [sys.executable, __file__],
        input=content.getvalue(),
        capture_output=True,
        timeout=300,
        check=False,
        env={**os.environ, "GALLIVM_PERF": perf, "LP_NUM_THREADS": "1", "GALLIUM_DRIVER": "llvmpipe"},
    )
    assert ran.returncode == 0, ran.stderr.decode(errors="replace")[-2000:]
    return np.frombuffer(ran.stdout, np.float32).reshape(points.shape)


def _gl() -> Any:
    from support.osmesa import library

    name = library()
    assert name is not None
    gl: Any = ctypes.CDLL(name)
    gl.OSMesaCreateContextExt.restype = ctypes.c_void_p
    gl.OSMesaMakeCurrent.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_int]
    gl.glGetString.restype = ctypes.c_char_p
    gl.glVertex2f.argtypes = [ctypes.c_float] * 2
    context = gl.OSMesaCreateContextExt(_RGBA, 0, 0, 0, None)
    assert context, "no context"
    gl.screen = ctypes.create_string_buffer(16 * 16 * 4)
    assert gl.OSMesaMakeCurrent(context, gl.screen, _BYTES, 16, 16)
    renderer = gl.glGetString(0x1F01).decode()
    assert "llvmpipe" in renderer, renderer
    return gl


def _texture(gl: Any, target: int) -> ctypes.c_uint:
    name = ctypes.c_uint()
    gl.glGenTextures(1, ctypes.byref(name))
    gl.glBindTexture(target, name)
    return name


def _fill(gl: Any, type: str, level: int, texels: np.ndarray[Any, Any]) -> None:
    is_bytes = texels.dtype == np.uint8
    texels = np.ascontiguousarray(texels if is_bytes else texels.astype(np.float32))
    inside, kind = (_RGBA8, _BYTES) if is_bytes else (_RGBA32F, _FLOAT)
    depth, height, width = texels.shape[:3]
    if type == "2D shadow":
        data = np.ascontiguousarray(texels[0, :, :, 0]).ctypes.data_as(ctypes.c_void_p)
        gl.glTexImage2D(_TEXTURE_2D, level, _DEPTH32F, width, height, 0, _DEPTH, _FLOAT, data)
        return
    if type in ("3D", "2D array"):
        data = texels.ctypes.data_as(ctypes.c_void_p)
        gl.glTexImage3D(_TARGETS[type][0], level, inside, width, height, depth, 0, _RGBA, kind, data)
        return
    for face in range(6 if type == "CUBE" else 1):
        target = _CUBE_FACE + face if type == "CUBE" else _TEXTURE_2D
        data = texels[face].ctypes.data_as(ctypes.c_void_p)
        gl.glTexImage2D(target, level, inside, width, height, 0, _RGBA, kind, data)


def _program(gl: Any, text: str) -> int:
    shader = gl.glCreateShader(_FRAGMENT_SHADER)
    source = ctypes.c_char_p(text.encode())
    gl.glShaderSource(shader, 1, ctypes.byref(source), None)
    gl.glCompileShader(shader)
    log = ctypes.create_string_buffer(4096)
    gl.glGetShaderInfoLog(shader, 4096, None, log)
    assert not log.value, log.value.decode()
    program = gl.glCreateProgram()
    gl.glAttachShader(program, shader)
    gl.glLinkProgram(program)
    gl.glUseProgram(program)
    return int(program)


def _main() -> None:
    given = np.load(io.BytesIO(sys.stdin.buffer.read()))
    points, border = given["points"], given["border"]
    type, mag, min_, mip, compare, *address, lod = given["words"].tolist()
    target, sampler, swizzle = _TARGETS[type]
    height, width = points.shape[:2]
    gl = _gl()
    gl.glPixelStorei(0x0CF5, 1)
    gl.glEnable(_SEAMLESS)

    _texture(gl, _TEXTURE_2D)
    gl.glTexParameteri(_TEXTURE_2D, _MIN, _NEAREST)
    gl.glTexParameteri(_TEXTURE_2D, _MAG, _NEAREST)
    _fill(gl, "2D", 0, points[None])
    gl.glActiveTexture(0x84C1)
    _texture(gl, target)
    levels = [given[f"level{k}"] for k in range(len(given.files) - 3)]
    for level, texels in enumerate(levels):
        _fill(gl, type, level, texels)
    gl.glTexParameteri(target, _MAX_LEVEL, len(levels) - 1)
    gl.glTexParameteri(target, _MAG, _LINEAR if mag == "linear" else _NEAREST)
    gl.glTexParameteri(target, _MIN, _MIN_FILTERS[min_, mip])
    for name, word in zip(_WRAPS, address, strict=True):
        gl.glTexParameteri(target, name, ADDRESSES[word])
    if type == "2D shadow":
        gl.glTexParameteri(target, _COMPARE_MODE, _WITH_REFERENCE)
        gl.glTexParameteri(target, _COMPARE_FUNCTION, _FIRST_COMPARE + COMPARES.index(compare))
    gl.glTexParameterfv(target, _BORDER, border.ctypes.data_as(ctypes.c_void_p))

    if type.endswith("gather"):
        call = f"textureGather(image, point.{swizzle})"
    elif lod == "explicit":
        call = f"textureLod(image, point.{swizzle}, point.w)"
    else:
        call = f"texture(image, point.{swizzle})"
    program = _program(gl, _SHADER.format(sampler=sampler, call=call))
    for unit, name in enumerate(("points", "image")):
        gl.glUniform1i(gl.glGetUniformLocation(program, name.encode()), unit)

    gl.glActiveTexture(0x84C2)
    picture = _texture(gl, _TEXTURE_2D)
    gl.glTexParameteri(_TEXTURE_2D, _MIN, _NEAREST)
    gl.glTexImage2D(_TEXTURE_2D, 0, _RGBA32F, width, height, 0, _RGBA, _FLOAT, None)
    buffer = ctypes.c_uint()
    gl.glGenFramebuffers(1, ctypes.byref(buffer))
    gl.glBindFramebuffer(_FRAMEBUFFER, buffer)
    gl.glFramebufferTexture2D(_FRAMEBUFFER, _COLOR_ATTACHMENT, _TEXTURE_2D, picture, 0)
    assert gl.glCheckFramebufferStatus(_FRAMEBUFFER) == _COMPLETE
    gl.glViewport(0, 0, width, height)
    gl.glBegin(_TRIANGLES)
    for x, y in ((-1, -1), (3, -1), (-1, 3)):
        gl.glVertex2f(x, y)
    gl.glEnd()
    result = np.empty((height, width, 4), np.float32)
    gl.glReadPixels(0, 0, width, height, _RGBA, _FLOAT, result.ctypes.data_as(ctypes.c_void_p))
    error = gl.glGetError()
    assert error == 0, f"OpenGL error {error:#x}"
    sys.stdout.buffer.write(result.tobytes())


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    _main()
