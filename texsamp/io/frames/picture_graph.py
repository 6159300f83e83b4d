"""FFmpeg's filters over single pictures, for what PyAV cannot do to one."""

from __future__ import annotations

import av
import av.filter

_BUFFER = (
    "video_size={width}x{height}:pix_fmt={format}:time_base=1/1:pixel_aspect=1/1:colorspace={matrix}:range={range}"
)


class PictureGraph:
    """FFmpeg's filters (name, arguments) in a row over single pictures; built again when size or format changes."""

    def __init__(self, *filters: tuple[str, str]) -> None:
        self._filters = filters
        self._shape: tuple[int | str, ...] = ()
        self._graph = av.filter.Graph()

    def send(self, picture: av.VideoFrame) -> av.VideoFrame | None:
        """The picture as the filters pass it on, or None if one drops it."""
        shape = (picture.width, picture.height, picture.format.name, int(picture.colorspace), int(picture.color_range))
        if shape != self._shape:
            width, height, name, matrix, color_range = shape
            self._graph = av.filter.Graph()
            source = self._graph.add(
                "buffer",
                _BUFFER.format(width=width, height=height, format=name, matrix=matrix, range=color_range),
            )
            nodes = (self._graph.add(name, arguments) for name, arguments in self._filters)
            self._graph.link_nodes(source, *nodes, self._graph.add("buffersink")).configure()
            self._shape = shape
        self._graph.push(picture)
        try:
            result = self._graph.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return None
        assert isinstance(result, av.VideoFrame)
        return result
