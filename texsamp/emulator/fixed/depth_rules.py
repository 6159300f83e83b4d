"""What tests and their states make of fragments, as kernels see it (`kernels/merge_tests.h`, `merge_alpha.h`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.params import params_type
from texsamp.emulator.fixed.fragments import MergeState
from texsamp.emulator.fixed.planes import DEPTH_FORMATS
from texsamp.state.commands_raster import DepthFormat
from texsamp.state.pixel_state import AlphaFormat, BlendState, ColorCalcState, CompareFunction

_FACE = params_type("MergeFace")

_LESS, _EQUAL, _GREATER, _UNORDERED = 1, 2, 4, 8
_ANY = _LESS | _EQUAL | _GREATER | _UNORDERED
_ACCEPTS = {
    CompareFunction.ALWAYS: _ANY,
    CompareFunction.NEVER: 0,
    CompareFunction.LESS: _LESS,
    CompareFunction.EQUAL: _EQUAL,
    CompareFunction.LEQUAL: _LESS | _EQUAL,
    CompareFunction.GREATER: _GREATER,
    CompareFunction.NOTEQUAL: _ANY & ~_EQUAL,
    CompareFunction.GEQUAL: _GREATER | _EQUAL,
}
"""MergeRelations of the new (reference) number to the old one that pass."""


def tests_stencil(state: MergeState) -> bool:
    """Whether there is a stencil test."""
    there = state.depth_buffer is not None and state.stencil_buffer is not None and state.stencil_buffer.base_address
    return bool(there and state.depth_stencil.stencil_test)


def uses_depth(state: MergeState) -> bool:
    """Whether depth is tested, written or cleared."""
    if state.depth_buffer is None:
        return False
    return bool(state.depth_stencil.depth_test or writes_depth(state))


def writes_depth(state: MergeState) -> bool:
    """Whether depth is written where the tests pass; a clear asks the depth buffer alone (004:3645-3651)."""
    if state.depth_buffer is None or not state.depth_buffer.depth_write:
        return False
    return bool(state.clear_depth is not None or state.depth_stencil.depth_write)


def viewport_ranges(state: MergeState) -> NDArray[np.float32]:
    """Least and greatest depth of every viewport."""
    return np.array([(v.min_depth, v.max_depth) for v in state.viewports] or [(0, 1)], np.float32)


def test_values(state: MergeState) -> dict[str, Any]:
    """Fields of MergeTestParams."""
    ds, depth = state.depth_stencil, state.depth_buffer
    bits = 0 if depth is None or not uses_depth(state) else DEPTH_FORMATS[DepthFormat(depth.format)][1]
    return {
        "face": [_face(state, back=False), _face(state, back=bool(ds.double_sided))],
        "depth_bits": bits,
        "depth_accepts": _ACCEPTS[CompareFunction(ds.depth_function)] if ds.depth_test else _ANY,
        "depth_written": int(writes_depth(state)),
        "stencil_tested": int(tests_stencil(state)),
        "clears": int(state.clear_depth is not None),
        "clear_depth": state.clear_depth or 0,
    }


def _face(state: MergeState, *, back: bool) -> Any:
    ds, prefix, of_test = state.depth_stencil, "back_" if back else "", "back_" if back else "stencil_"
    writes = ds.stencil_write and state.depth_buffer is not None and state.depth_buffer.stencil_write
    return _FACE(
        accepts=_ACCEPTS[CompareFunction(getattr(ds, f"{of_test}function"))],
        fail=int(getattr(ds, f"{of_test}fail")),
        depth_fail=int(getattr(ds, f"{of_test}depth_fail")),
        **{"pass": int(getattr(ds, f"{of_test}pass"))},
        reference=getattr(state.color_calc, f"{prefix}stencil_reference"),
        test_mask=getattr(ds, f"{prefix}test_mask"),
        write_mask=getattr(ds, f"{prefix}write_mask") if writes else 0,
    )


def uses_alpha(blend: BlendState) -> bool:
    """Whether alpha takes samples away."""
    return bool(blend.alpha_test or blend.alpha_to_coverage)


def alpha_values(blend: BlendState, color_calc: ColorCalcState, samples: int) -> dict[str, Any]:
    """Fields of MergeAlphaParams."""
    return {
        "to_coverage": int(bool(blend.alpha_to_coverage)),
        "to_one": int(bool(blend.alpha_to_one)),
        "accepts": _ACCEPTS[CompareFunction(blend.alpha_test_function)] if blend.alpha_test else _ANY,
        "unorm8": int(color_calc.alpha_format == AlphaFormat.UNORM8),
        "reference": color_calc.alpha_reference,
        "sample_count": samples,
    }
