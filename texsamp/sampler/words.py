"""What OpenGL, Vulkan, Direct3D and Metal call the states of a sampler."""

from __future__ import annotations

from typing import Any

from texsamp.errors import StateError

_PREFIXES = (
    "gl_", "texcoordmode_", "mapfilter_", "mipfilter_", "prefilterop_",
    "vk_sampler_address_mode_", "vk_sampler_mipmap_mode_", "vk_compare_op_", "vk_filter_",
    "d3d11_texture_address_", "d3d12_texture_address_mode_", "d3d11_comparison_", "d3d12_comparison_func_",
)  # fmt: skip
_OTHER_WORDS = {
    "repeat": "wrap",
    "mirrored_repeat": "mirror",
    "mirror_repeat": "mirror",
    "clamp_to_edge": "clamp",
    "edge": "clamp",
    "clamp_to_border": "border",
    "clamp_to_border_color": "border",
    "mirror_clamp_to_edge": "mirror_once",
    "point": "nearest",
    "bilinear": "linear",
    "less_equal": "lequal",
    "less_or_equal": "lequal",
    "greater_equal": "gequal",
    "greater_or_equal": "gequal",
    "not_equal": "notequal",
    "<": "less",
    "<=": "lequal",
    "==": "equal",
    "!=": "notequal",
    ">": "greater",
    ">=": "gequal",
}
_OF_OPENGL = " (OpenGL's {0}_mipmap_{1} is min_filter {0} with mip_filter {1})"
_ADVICE = {
    "trilinear": " (trilinear is min_filter and mag_filter linear with mip_filter linear)",
    **{f"{a}_mipmap_{b}": _OF_OPENGL.format(a, b) for a in ("nearest", "linear") for b in ("nearest", "linear")},
}


def code_of(what: str, word: Any, codes: dict[str, Any]) -> Any:
    """The code of a word, which may be another interface's. Raises StateError."""
    plain = word.lower() if isinstance(word, str) else ""
    plain = next((plain.removeprefix(each) for each in _PREFIXES if plain.startswith(each)), plain)
    plain = _OTHER_WORDS.get(plain, plain)
    if plain not in codes:
        raise StateError(f"{what} must be one of {', '.join(codes)}, found {word!r}{_ADVICE.get(plain, '')}")
    return codes[plain]
