"""Which page shows a file."""

from __future__ import annotations

import os
from collections.abc import Sequence

from texsamp.device import Device
from texsamp.device.arguments import path_text
from texsamp.errors import FormatError, MediaError
from texsamp.view.server import ViewServer
from texsamp.view.texture import TextureView
from texsamp.view.video import VideoView

_COMMON = ("view.css", "common.js")


def open_view(
    path: str | os.PathLike[str], chains: Sequence[str] = (), device: Device | str = "auto", port: int = 0
) -> ViewServer:
    """A server of the page that shows a file; call its ``serve``, and open its ``url``.

    A texture file or a picture shows its texels; with ``chains`` of filters, and anything else, is a video.

    Raises MediaError for what is neither and for a port that is taken, StateError for bad filters.
    """
    name = path_text(path)
    if not os.path.isfile(name):
        raise MediaError(f"{name}: is not a regular file" if os.path.exists(name) else f"{name}: there is no such file")
    if not chains:
        try:
            texture = TextureView(name, device)
        except FormatError as error:
            not_a_texture = error
        else:
            return ViewServer("texture.html", ("texture.js", *_COMMON), texture.answers, port)
    try:
        video = VideoView(name, chains or ("",), device)
    except MediaError as error:
        if chains:
            raise
        raise MediaError(f"{error}; nor is it a texture: {not_a_texture}") from error
    return ViewServer("video.html", ("video.js", *_COMMON), video.answers, port)
