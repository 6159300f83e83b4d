"""Whether an output of pictures keeps the color profile (ICC) of its input, and putting it there."""

from __future__ import annotations

from typing import cast

import av
from av.video.stream import VideoStream

from texsamp.io.frames.convert import model_of
from texsamp.io.input.reader import VideoReader
from texsamp.io.textures.color_profile import LARGEST_B, WITH_PROFILE, profile_model
from texsamp.video.frame import Frame

_MODELS = {"rgb": "rgb", "yuv": "rgb", "gray": "gray"}
"""The model of profiles for pictures of a model."""


def kept_profile(reader: VideoReader, first: Frame, codec: str, pix_fmt: str) -> bytes | None:
    """The profile for files of pictures of a pixel format; None if it is too large or about other colors."""
    profile = reader.color_profile
    if profile is None or codec not in WITH_PROFILE or _MODELS[model_of(pix_fmt)] != profile_model(profile):
        return None
    if len(profile) > LARGEST_B.get(codec, len(profile)):
        return None
    before, now = reader.color, first.color
    return profile if (before.primaries, before.transfer) == (now.primaries, now.transfer) else None


def with_profile(packet: av.Packet[VideoStream], profile: bytes, codec: str) -> av.Packet[VideoStream]:
    """A packet that is a picture's file, with the profile in it."""
    made = cast("av.Packet[VideoStream]", av.Packet(WITH_PROFILE[codec](bytes(packet), profile)))
    made.stream, made.time_base, made.is_keyframe = packet.stream, packet.time_base, packet.is_keyframe
    made.pts, made.dts, made.duration = packet.pts, packet.dts, packet.duration
    return made
