"""Mesa's software rasterizer as a peer: a texture drawn over a picture, by OpenGL without a display.

It needs libegl1 and libgl1-mesa-dri. Each measurement is a process of its own, `python -m benchmarks.llvmpipe`, as the
number of llvmpipe's threads is settled when Mesa is loaded. Reading the picture back is not part of it.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

_VERTICES = b"""#version 330
uniform mat3 places;
out vec3 place;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
    place = places * vec3(corner, 1.0);
}"""
_PIXELS = """#version 330
uniform {sampler} picture;
in vec3 place;
out vec4 color;
void main() {{ color = texture(picture, place{parts}); }}"""

_EGL = {"platform": 0x31DD, "opengl": 0x30A2, "none": 0x3038}
_TEXTURE_2D, _RGBA, _UNSIGNED_BYTE, _FLOAT = 0x0DE1, 0x1908, 0x1401, 0x1406
_KINDS = {
    "2D": (_TEXTURE_2D, "sampler2D", ".xy"),
    "array": (0x8C1A, "sampler2DArray", ""),
    "volume": (0x806F, "sampler3D", ""),
    "cube": (0x8513, "samplerCube", ""),
}
"""Texture target, type of the sampler, and which parts of the coordinates it takes."""
_CUBE_FACES, _SEAMLESS = 0x8515, 0x884F
_RGBA8, _RGBA32F = 0x8058, 0x8814
_MAG_FILTER, _MIN_FILTER, _MAX_ANISOTROPY = 0x2800, 0x2801, 0x84FE
_FRAMEBUFFER, _COLOR_ATTACHMENT0, _COMPLETE = 0x8D40, 0x8CE0, 0x8CD5
_VERTEX_SHADER, _FRAGMENT_SHADER, _COMPILE_STATUS, _LINK_STATUS, _RENDERER = 0x8B31, 0x8B30, 0x8B81, 0x8B82, 0x1F01
_TRIANGLES = 4
_FILTERS = {
    "nearest": (0x2600, 0x2600, 1.0),
    "bilinear": (0x2601, 0x2601, 1.0),
    "trilinear": (0x2703, 0x2601, 1.0),
    "aniso16": (0x2703, 0x2601, 16.0),
}
"""Minification and magnification filters, and the largest ratio."""
_MIPPED = 0x2700
"""Minification filters from here on take smaller levels."""


@dataclass(frozen=True)
class Drawing:
    """A quad: the map from pixels, (x, y, 1), to texture coordinates by rows, and how the texture is read."""

    matrix: tuple[tuple[float, float, float], ...]
    filter: str
    floats: bool = False
    kind: str = "2D"


class _Gl:
    """OpenGL functions by name; every argument is passed as what it is."""

    def __init__(self) -> None:
        name = ctypes.util.find_library("EGL")
        if name is None:
            raise OSError("libEGL is not installed")
        self.egl: Any = ctypes.CDLL(name)
        for function in ("eglGetPlatformDisplay", "eglCreateContext", "eglGetProcAddress"):
            getattr(self.egl, function).restype = ctypes.c_void_p
        display = ctypes.c_void_p(self.egl.eglGetPlatformDisplay(_EGL["platform"], None, None))
        if not self.egl.eglInitialize(display, None, None) or not self.egl.eglBindAPI(_EGL["opengl"]):
            raise OSError("no surfaceless EGL display")
        attributes = (ctypes.c_int * 5)(0x3098, 3, 0x30FB, 3, _EGL["none"])
        context = ctypes.c_void_p(self.egl.eglCreateContext(display, None, None, attributes))
        if not context or not self.egl.eglMakeCurrent(display, None, None, context):
            raise OSError("no OpenGL context")

    def __getattr__(self, name: str) -> Any:
        address = self.egl.eglGetProcAddress(name.encode())
        if not address:
            raise OSError(f"no function {name}")
        function: Any = ctypes.CFUNCTYPE(ctypes.c_int)(address)
        setattr(self, name, function)
        return function


def _program(gl: _Gl, kind: str) -> int:
    program = gl.glCreateProgram()
    _, sampler, parts = _KINDS[kind]
    pixels = _PIXELS.format(sampler=sampler, parts=parts).encode()
    for kind_of_shader, text in ((_VERTEX_SHADER, _VERTICES), (_FRAGMENT_SHADER, pixels)):
        shader, done = gl.glCreateShader(kind_of_shader), ctypes.c_int()
        gl.glShaderSource(shader, 1, ctypes.byref(ctypes.c_char_p(text)), None)
        gl.glCompileShader(shader)
        gl.glGetShaderiv(shader, _COMPILE_STATUS, ctypes.byref(done))
        assert done.value, "a shader does not compile"
        gl.glAttachShader(program, shader)
    gl.glLinkProgram(program)
    gl.glUseProgram(program)
    return int(program)


def _texture(gl: _Gl, drawing: Drawing, texels: Any) -> None:
    texture = ctypes.c_uint()
    gl.glGenTextures(1, ctypes.byref(texture))
    target = _KINDS[drawing.kind][0]
    gl.glBindTexture(target, texture)
    *slices, height, width, _ = texels.shape
    kind, format = (_FLOAT, _RGBA32F) if drawing.floats else (_UNSIGNED_BYTE, _RGBA8)
    data = np.ascontiguousarray(texels / np.float32(255) if drawing.floats else texels)
    if drawing.kind == "cube":
        gl.glEnable(_SEAMLESS)
        for face, picture in enumerate(data):
            at = picture.ctypes.data_as(ctypes.c_void_p)
            gl.glTexImage2D(_CUBE_FACES + face, 0, format, width, height, 0, _RGBA, kind, at)
    else:
        upload = gl.glTexImage3D if slices else gl.glTexImage2D
        upload(target, 0, format, width, height, *slices, 0, _RGBA, kind, data.ctypes.data_as(ctypes.c_void_p))
    smaller, larger, ratio = _FILTERS[drawing.filter]
    gl.glTexParameteri(target, _MIN_FILTER, smaller)
    gl.glTexParameteri(target, _MAG_FILTER, larger)
    gl.glTexParameterf(target, _MAX_ANISOTROPY, ctypes.c_float(ratio))
    if smaller >= _MIPPED:
        gl.glGenerateMipmap(target)


def _target(gl: _Gl, width: int, height: int) -> None:
    picture, frame = ctypes.c_uint(), ctypes.c_uint()
    gl.glGenTextures(1, ctypes.byref(picture))
    gl.glBindTexture(_TEXTURE_2D, picture)
    gl.glTexImage2D(_TEXTURE_2D, 0, _RGBA8, width, height, 0, _RGBA, _UNSIGNED_BYTE, None)
    gl.glGenFramebuffers(1, ctypes.byref(frame))
    gl.glBindFramebuffer(_FRAMEBUFFER, frame)
    gl.glFramebufferTexture2D(_FRAMEBUFFER, _COLOR_ATTACHMENT0, _TEXTURE_2D, picture, 0)
    assert gl.glCheckFramebufferStatus(_FRAMEBUFFER) == _COMPLETE, "no frame buffer"
    gl.glViewport(0, 0, width, height)


def _draw(drawing: Drawing, texels: Any, size: tuple[int, int], rounds: int) -> dict[str, list[float]]:
    gl = _Gl()
    gl.glGetString.restype = ctypes.c_char_p
    renderer = gl.glGetString(_RENDERER)
    if b"llvmpipe" not in renderer:
        raise OSError(f"not llvmpipe but {renderer.decode()}")
    vertices = ctypes.c_uint()
    gl.glGenVertexArrays(1, ctypes.byref(vertices))
    gl.glBindVertexArray(vertices)
    _target(gl, *size)
    _texture(gl, drawing, texels)
    program = _program(gl, drawing.kind)
    places = np.zeros((3, 3), np.float32)  # by columns, of the picture's width and height
    places[:, : len(drawing.matrix)] = np.transpose(drawing.matrix) * np.array([*size, 1])[:, None]
    gl.glUniformMatrix3fv(gl.glGetUniformLocation(program, b"places"), 1, 0, places.ctypes.data_as(ctypes.c_void_p))
    wall_ms, cpu_ms = [], []
    for _ in range(rounds + 2):
        wall, cpu = time.perf_counter(), time.process_time()
        gl.glDrawArrays(_TRIANGLES, 0, 3)
        gl.glFinish()
        wall_ms.append((time.perf_counter() - wall) * 1e3)
        cpu_ms.append((time.process_time() - cpu) * 1e3)
    error = gl.glGetError()
    assert error == 0, f"OpenGL error {error:#x}"
    return {"wall_ms": wall_ms[2:], "cpu_ms": cpu_ms[2:]}


def measure_drawing(
    drawing: Drawing, texels: Any, size: tuple[int, int], threads: int, rounds: int
) -> dict[str, list[float]] | None:
    """Milliseconds of each of ``rounds`` pictures, ``wall_ms`` and ``cpu_ms``; None where llvmpipe is not installed."""
    request = {"drawing": asdict(drawing), "shape": texels.shape, "size": size, "rounds": rounds}
    threads_of_its_own = 0 if threads == 1 else threads  # 0: the caller's
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.llvmpipe", json.dumps(request)],
        input=texels.tobytes(),
        env=os.environ | {"LP_NUM_THREADS": str(threads_of_its_own), "EGL_PLATFORM": "surfaceless"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    if ran.returncode:
        print("llvmpipe is left out:", ran.stderr.decode(errors="replace").strip().splitlines()[-1:], file=sys.stderr)
        return None
    made: dict[str, list[float]] = json.loads(ran.stdout)
    return made


def _main() -> None:
    request = json.loads(sys.argv[1])
    texels = np.frombuffer(sys.stdin.buffer.read(), np.uint8).reshape(request["shape"])
    json.dump(_draw(Drawing(**request["drawing"]), texels, tuple(request["size"]), request["rounds"]), sys.stdout)


if __name__ == "__main__":
    _main()
