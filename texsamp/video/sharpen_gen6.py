"""Launches of Sandy Bridge's image enhancement filters (Sandy Bridge PRM volume 4 part 1, pages 61 to 69)."""

from __future__ import annotations

from typing import Any

from texsamp.device.base import Device
from texsamp.device.params import params_type
from texsamp.video.presets.ief_gen6 import Gen6CombinationParameters, Gen6DetailParameters, Gen6Parameters
from texsamp.video.samples import Samples, plane_record

_PARAMS = params_type("SharpenGen6Params")
_COMBINATION = 2


def gen6_kernel(device: Device, source: Samples, target: Samples, settings: Gen6Parameters) -> tuple[str, Any]:
    """The kernel that filters one luma plane of 8 or 10 bits into another of the same size, and its parameters."""
    values = dict(vars(Gen6DetailParameters())) | dict(vars(Gen6CombinationParameters())) | dict(vars(settings))
    size = values.pop("size")
    mode = _COMBINATION if isinstance(settings, Gen6CombinationParameters) else int(size == 5)
    params = _PARAMS(
        plane=plane_record(device, source, target),
        width=source.width,
        height=source.height,
        mode=mode,
        **values | {"points": (0, *values["points"])},
    )
    return f"sharpen_gen6_{source.type_name}", params
