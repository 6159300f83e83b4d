"""What is written into containers that people play everywhere, when they leave the codec and the format to us."""

from __future__ import annotations

from dataclasses import replace

import av

from texsamp.io.output.encode_request import EncodeRequest, has_encoder
from texsamp.io.streams.codecs import ContainerChoice
from texsamp.video.frame import Frame

_PLAYED_EVERYWHERE = frozenset({"mp4", "mov", "hls"})
"""Muxers whose files are made to be played, by whatever player there is."""

_HDR_TRANSFERS = {16: "PQ", 18: "HLG"}
"""Transfer characteristics of H.273 that are HDR."""

_SDR, _HDR = ("libx264", "yuv420p"), ("libx265", "yuv420p10le")
_WEB, _WEB_HDR = "libvpx-vp9", ("libsvtav1", "yuv420p10le")
_LEAST_AV1_PX = 64
"""Of either side, for which SVT-AV1 makes pictures."""


def for_common_players(
    choice: ContainerChoice, codec: str, request: EncodeRequest, frame: Frame
) -> tuple[str, EncodeRequest, str | None]:
    """The codec and the request that common players take, and why; as they were where someone has chosen.

    8-bit 4:2:0 H.264, or HEVC Main 10 if the first ``frame`` is HDR of more than 8 bits. 4:2:0 needs an even size.
    HDR in WebM is AV1, where VP9's encoder has 8 bits only.
    """
    left_open = not request.lossless and request.codec is None and request.pix_fmt is None
    hdr = _HDR_TRANSFERS.get(frame.color.transfer) if frame.layout.bits > 8 else None
    if left_open and hdr is not None and codec == _WEB and _takes_av1(request, frame):
        note = f"AV1 of 10 bits is written: this FFmpeg's VP9 has 8, too few for HDR ({hdr})"
        return _WEB_HDR[0], replace(request, pix_fmt=_WEB_HDR[1]), note
    if not left_open or choice.muxer not in _PLAYED_EVERYWHERE or codec != _SDR[0]:
        return codec, request, None
    if hdr is not None and has_encoder(_HDR[0]):
        return _HDR[0], replace(request, pix_fmt=_HDR[1]), f"HEVC Main 10 is written: players take HDR ({hdr}) as that"
    if hdr is not None or frame.width_px % 2 or frame.height_px % 2:
        return codec, request, None
    kept = frame.layout.name if frame.layout.name in _formats(codec) else ""
    more = f"; --pix-fmt {kept} keeps all of the picture" if kept not in ("", "nv12", _SDR[1]) else ""
    note = f"H.264 in 8-bit 4:2:0 is written: common players take it{more}"
    return codec, replace(request, pix_fmt=_SDR[1]), note


def _formats(codec: str) -> set[str]:
    return {form.name for form in av.Codec(codec, "w").video_formats or ()}


def _takes_av1(request: EncodeRequest, frame: Frame) -> bool:
    """Whether AV1 can and must take the place of VP9; words for VP9's own encoder stay with it."""
    sides_px = frame.width_px, frame.height_px
    is_sized = all(side % 2 == 0 and side >= _LEAST_AV1_PX for side in sides_px)
    told = request.preset or request.tune or request.options
    return is_sized and not told and has_encoder(_WEB_HDR[0]) and _WEB_HDR[1] not in _formats(_WEB)
