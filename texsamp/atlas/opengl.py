"""An OpenGL driver through moderngl: one fragment of a picture for each sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from texsamp.atlas.driver import BORDER, Floats, Places, State
from texsamp.errors import DeviceError

_WIDTH = 1024
_VERTEX = """#version 330
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }
"""
_FRAGMENT = """#version 330
uniform sampler2D image;
uniform sampler2D points;  // u, v, LOD
uniform sampler2D slopes;
uniform bool graded;
out vec4 color;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 point = texelFetch(points, at, 0), slope = texelFetch(slopes, at, 0);
    color = graded ? textureGrad(image, point.xy, slope.xy, slope.zw) : textureLod(image, point.xy, point.z);
}
"""
_FILTERS = {
    # linear, mip: GL_NEAREST and the like, of a texture that gets smaller
    (False, "none"): 0x2600,
    (True, "none"): 0x2601,
    (False, "linear"): 0x2702,
    (True, "linear"): 0x2703,
}


class OpenGl:
    """A context without a window. Raises DeviceError without moderngl, and where no OpenGL 3.3 is found."""

    def __init__(self) -> None:
        try:
            import moderngl  # an extra
        except ImportError:
            raise DeviceError("the atlas needs moderngl: pip install 'texsamp[atlas]'") from None
        reasons = []
        backends: tuple[dict[str, Any], ...] = ({"backend": "egl"}, {})
        for backend in backends:
            try:
                self._context: Any = moderngl.create_context(standalone=True, require=330, **backend)
                break
            except Exception as error:  # whatever a window system says
                reasons.append(str(error))
        else:
            raise DeviceError(f"no driver of OpenGL 3.3 is found: {'; '.join(reasons)}")
        info = self._context.info
        self.name = f"{info['GL_RENDERER']}, OpenGL {info['GL_VERSION']}"
        self._program: Any = self._context.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT)
        self._triangle = self._context.vertex_array(self._program, [])

    def sample(self, levels: Sequence[Floats], state: State, places: Places) -> Floats:
        """As `Driver` says."""
        count, gradients = len(places.u), places.gradients
        rows = -(-count // _WIDTH)
        table = np.zeros((2, rows * _WIDTH, 4), np.float32)
        table[0, :count, 0], table[0, :count, 1] = places.u, places.v
        table[0, :count, 2] = 0.0 if places.lod is None else places.lod
        if gradients is not None:
            table[1, :count] = gradients.T
        held = [self._texture(levels), *(self._texture([each.reshape(rows, _WIDTH, 4)]) for each in table)]
        target = self._context.framebuffer([self._context.texture((_WIDTH, rows), 4, dtype="f4")])
        rules = self._sampler(state, held[0])
        try:
            for unit, (name, texture) in enumerate(zip(("image", "points", "slopes"), held, strict=True)):
                texture.use(unit)
                self._program[name].value = unit
            rules.use(0)
            self._program["graded"].value = gradients is not None
            target.use()
            self._triangle.render(vertices=3)
            found = np.frombuffer(target.read(components=4, dtype="f4"), np.float32).reshape(-1, 4)
        finally:
            rules.clear(0)
            for each in (rules, *target.color_attachments, target, *held):
                each.release()
        return found[:count]

    def _texture(self, levels: Sequence[Floats]) -> Any:
        height, width, _ = levels[0].shape
        made = self._context.texture((width, height), 4, dtype="f4")
        if len(levels) > 1:
            made.build_mipmaps(0, len(levels) - 1)
        for level, texels in enumerate(levels):
            made.write(np.ascontiguousarray(texels, np.float32).tobytes(), level=level)
        return made

    def _sampler(self, state: State, texture: Any) -> Any:
        made = self._context.sampler(texture=texture)
        made.filter = _FILTERS[state.linear, state.mip], _FILTERS[state.linear, "none"]
        made.anisotropy = float(state.anisotropy)
        made.repeat_x = made.repeat_y = state.address == "wrap"
        if state.address == "border":
            made.border_color = BORDER
        return made
