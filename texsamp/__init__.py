"""texsamp: the texture sampler and video pipe of an Intel Gen7 graphics processor, as software."""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if not any(importlib.util.find_spec(f"texsamp._kernels_{level}") for level in ("v2", "v3", "v4", "generic")):
    raise ImportError(
        "texsamp is not installed, only its source tree is here: its CPU kernels are not built. "
        "Run 'pip install .' (or 'pip install -e .') in the source tree; a C++17 compiler is needed."
    )

if TYPE_CHECKING:
    __version__: str
    from texsamp.batch import Job, batch
    from texsamp.device import devices, get_device, set_threads
    from texsamp.errors import (
        CaptureError,
        DeviceError,
        FormatError,
        MediaError,
        StateError,
        TexsampError,
        UndefinedBehavior,
    )
    from texsamp.hashes import hash_frames
    from texsamp.io import Lavfi, VideoReader, VideoWriter, read_frames, write_frames
    from texsamp.plan import plan
    from texsamp.process import process
    from texsamp.progress import progress
    from texsamp.sampler.exact import SampleGradients, sample_gradients
    from texsamp.sampler.load import load, load_mcs, resinfo
    from texsamp.sampler.multisample import double_size, sampleinfo
    from texsamp.sampler.null_surface import NullSurface
    from texsamp.sampler.panorama import cube_to_panorama, panorama_to_cube
    from texsamp.sampler.quad import QuadGrid, quad_grid
    from texsamp.sampler.sample import gather4, query_lod, sample, sample_killpix
    from texsamp.sampler.sampler import Sampler
    from texsamp.surface.codec import decode, decode_volume
    from texsamp.surface.surface import Surface
    from texsamp.verify import verify
    from texsamp.video.analytics import ConvolveKernel, convolve
    from texsamp.video.color import (
        ColorPipe,
        CompressGamut,
        Contrast,
        ConvertColor,
        Procamp,
        SkinTone,
        TotalColorControl,
    )
    from texsamp.video.conversion import convert
    from texsamp.video.deinterlace import Deinterlace
    from texsamp.video.denoise import Denoise
    from texsamp.video.frame import ColorTags, Frame
    from texsamp.video.lut import ColorTable, Lut3d, apply_lut, read_cube
    from texsamp.video.pipeline import Pipeline
    from texsamp.video.scale import Scale
    from texsamp.video.sharpen import Sharpen
    from texsamp.video.stage import Stage
    from texsamp.video.tonemap import ToneMap

_PLACES = {
    "batch": ("Job", "batch"),
    "device": ("devices", "get_device", "set_threads"),
    "errors": (
        "CaptureError",
        "DeviceError",
        "FormatError",
        "MediaError",
        "StateError",
        "TexsampError",
        "UndefinedBehavior",
    ),
    "hashes": ("hash_frames",),
    "io": ("Lavfi", "VideoReader", "VideoWriter", "read_frames", "write_frames"),
    "plan": ("plan",),
    "process": ("process",),
    "progress": ("progress",),
    "sampler.exact": ("SampleGradients", "sample_gradients"),
    "sampler.load": ("load", "load_mcs", "resinfo"),
    "sampler.multisample": ("double_size", "sampleinfo"),
    "sampler.null_surface": ("NullSurface",),
    "sampler.panorama": ("cube_to_panorama", "panorama_to_cube"),
    "sampler.quad": ("QuadGrid", "quad_grid"),
    "sampler.sample": ("gather4", "query_lod", "sample", "sample_killpix"),
    "sampler.sampler": ("Sampler",),
    "surface.codec": ("decode", "decode_volume"),
    "surface.surface": ("Surface",),
    "verify": ("verify",),
    "video.analytics": ("ConvolveKernel", "convolve"),
    "video.color": (
        "ColorPipe",
        "CompressGamut",
        "Contrast",
        "ConvertColor",
        "Procamp",
        "SkinTone",
        "TotalColorControl",
    ),
    "video.conversion": ("convert",),
    "video.deinterlace": ("Deinterlace",),
    "video.denoise": ("Denoise",),
    "video.frame": ("ColorTags", "Frame"),
    "video.lut": ("ColorTable", "Lut3d", "apply_lut", "read_cube"),
    "video.pipeline": ("Pipeline",),
    "video.scale": ("Scale",),
    "video.sharpen": ("Sharpen",),
    "video.stage": ("Stage",),
    "video.tonemap": ("ToneMap",),
}
"""Which module has which of the names below: it is imported when one of them is wanted, so that much starts faster."""

_PLACE_OF = {name: f"{__name__}.{place}" for place, names in _PLACES.items() for name in names}

__all__ = [
    "CaptureError",
    "ColorPipe",
    "ColorTable",
    "ColorTags",
    "CompressGamut",
    "Contrast",
    "ConvertColor",
    "ConvolveKernel",
    "Deinterlace",
    "Denoise",
    "DeviceError",
    "FormatError",
    "Frame",
    "Job",
    "Lavfi",
    "Lut3d",
    "MediaError",
    "NullSurface",
    "Pipeline",
    "Procamp",
    "QuadGrid",
    "SampleGradients",
    "Sampler",
    "Scale",
    "Sharpen",
    "SkinTone",
    "Stage",
    "StateError",
    "Surface",
    "TexsampError",
    "ToneMap",
    "TotalColorControl",
    "UndefinedBehavior",
    "VideoReader",
    "VideoWriter",
    "apply_lut",
    "batch",
    "convert",
    "convolve",
    "cube_to_panorama",
    "decode",
    "decode_volume",
    "devices",
    "double_size",
    "gather4",
    "get_device",
    "hash_frames",
    "load",
    "load_mcs",
    "panorama_to_cube",
    "plan",
    "process",
    "progress",
    "quad_grid",
    "query_lod",
    "read_cube",
    "read_frames",
    "resinfo",
    "sample",
    "sample_gradients",
    "sample_killpix",
    "sampleinfo",
    "set_threads",
    "verify",
    "write_frames",
]


class _Package(ModuleType):
    """Keeps the functions that are named like their modules: an import would put the module in their place."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _PLACE_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

if not TYPE_CHECKING:  # with it every name would be one for type checkers

    def __getattr__(name: str) -> Any:
        """A public name, or a part of the package, when it is first asked for."""
        if name == "__version__":
            from importlib.metadata import version

            found: Any = version("texsamp")
        elif name in _PLACE_OF:
            found = getattr(import_module(_PLACE_OF[name]), name)
        elif name.startswith("_") or importlib.util.find_spec(f"{__name__}.{name}") is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        else:
            found = import_module(f"{__name__}.{name}")
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
