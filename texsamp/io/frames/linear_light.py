"""Pictures of linear light, coded by the sRGB curve while they are floats: what follows takes samples as coded."""

from __future__ import annotations

import av
import numpy as np

from texsamp.io.frames.av_frame import Plane, plane_view

CODECS = frozenset({"exr", "hdr", "pfm", "phm"})
"""OpenEXR, Radiance, and portable float maps: their floats are light, by definition or by use."""

SRGB = 13
"""The transfer curve's code point (H.273)."""

NOTE = "linear light is coded by the sRGB curve: 1.0 is white, and what is brighter is cut"

_MADE = {1: "gray16le", 2: "ya16le", 3: "rgb48le", 4: "rgba64le"}
"""By the number of channels."""

_LINEAR_END, _SLOPE = 0.0031308, 12.92
"""IEC 61966-2-1: a straight line up to here, then 1.055 * light ** (1 / 2.4) - 0.055."""


def has_floats(pix_fmt: str) -> bool:
    """Whether samples of a pixel format are floats."""
    return "f16" in pix_fmt or "f32" in pix_fmt


def is_linear(codec: str, pix_fmt: str) -> bool:
    """Whether a codec's pictures of this format are linear light."""
    return codec in CODECS and has_floats(pix_fmt)


def coded(picture: av.VideoFrame) -> av.VideoFrame:
    """The picture in 16 bits that are coded by the sRGB curve, of light 0 to 1 (NaN is 0); alpha as it is.

    FFmpeg's own way from floats to 16 bits is wrong by up to 35 of 65535.
    """
    form, shape = picture.format, (picture.height, picture.width)
    dtype = np.dtype(("<" if form.name.endswith("le") else ">") + ("f2" if "f16" in form.name else "f4"))
    homes = [part.plane for part in form.components]
    light: list[Plane] = []
    for number, home in enumerate(homes):
        step = homes.count(home)  # gray and alpha share a plane
        samples = plane_view(picture.planes[home], (shape[0], shape[1] * step), dtype)
        with np.errstate(invalid="ignore"):  # signaling NaNs
            light.append(samples[:, homes[:number].count(home) :: step].astype(np.float64))
    planes = [np.clip(np.nan_to_num(plane, nan=0.0), 0, 1) for plane in light]
    values = [plane if part.is_alpha else _curve(plane) for part, plane in zip(form.components, planes, strict=True)]
    made = av.VideoFrame(picture.width, picture.height, _MADE[len(planes)])
    target = plane_view(made.planes[0], (picture.height, picture.width * len(planes)), np.dtype("<u2"))
    target[...] = np.rint(np.stack(values, axis=2) * 65535).reshape(target.shape)
    return made


def _curve(light: Plane) -> Plane:
    return np.where(light <= _LINEAR_END, _SLOPE * light, 1.055 * light ** (1 / 2.4) - 0.055)
