"""Which of its kernels 3DSTATE_PS starts, and how (Sandy Bridge volume 2 part 1, pages 334-338)."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.emulator.context.logical_context import LogicalContext
from texsamp.emulator.dispatch.thread_start import ThreadStart
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import BindingTablePointers, SamplerStatePointers
from texsamp.state.commands_media import FloatingPointMode, RoundingMode
from texsamp.state.commands_raster import PixelShader

_NUMBER = {8: 0, 32: 1, 16: 2}
"""Which pointer is a width's where several are enabled; a lone one is the first."""
_PREFERRED = (16, 32, 8)
"""Widths give the same pixels; 16 channels cost the least each."""


@dataclass(frozen=True)
class PixelKernel:
    """A kernel of `width` pixels. constants_at: register that constants and attributes begin at."""

    width: int
    constants_at: int
    start: ThreadStart


def pixel_kernel(context: LogicalContext, shader: PixelShader, *, per_sample: bool) -> PixelKernel:
    """The kernel that draws are executed with.

    CaptureError if none is enabled, and if several are where threads work on samples.
    """
    enabled = [width for width in _NUMBER if getattr(shader, f"dispatch_{width}")]
    if not enabled:
        raise CaptureError(f"{shader.name} enables no width of its kernels, and threads are to be started")
    if per_sample and len(enabled) > 1:
        raise CaptureError(f"{shader.name} enables {len(enabled)} widths: threads of samples have one (page 334)")
    width = next(width for width in _PREFERRED if width in enabled)
    number = _NUMBER[width] if len(enabled) > 1 else 0
    samplers = context.of_stage(SamplerStatePointers, "PS")
    binding_table = context.of_stage(BindingTablePointers, "PS")
    return PixelKernel(
        width,
        getattr(shader, f"grf_start_{number}"),
        ThreadStart(
            kernel_start=getattr(shader, f"kernel_start_{number}"),
            sampler_table=0 if samplers is None else samplers.pointer,
            binding_table=0 if binding_table is None else binding_table.pointer,
            single_program_flow=bool(shader.single_program_flow),
            alternative_floats=shader.floating_point_mode != FloatingPointMode.IEEE_754,
            rounding_mode=RoundingMode(shader.rounding_mode),
            software_exception=bool(shader.software_exception),
            illegal_opcode_exception=bool(shader.illegal_opcode_exception),
            mask_stack_exception=bool(shader.mask_stack_exception),
        ),
    )
