"""When the pictures of a file are shown, from its packets alone."""

from __future__ import annotations

from fractions import Fraction

import av

from texsamp.errors import MediaError
from texsamp.io.files.ffmpeg_log import failure_reason
from texsamp.io.input.container import open_container, packets_of, video_stream
from texsamp.io.input.counted_times import CONTAINER


def picture_times(path: str) -> list[Fraction]:
    """Seconds, in order; none where a packet says no time. Raises MediaError for what cannot be read."""
    times = []
    with open_container(path) as container:
        stream = video_stream(container, path)
        try:
            for packet in packets_of(container, stream):
                if packet.size and not packet.is_discard:
                    pts = packet.dts if container.format.name == CONTAINER else packet.pts
                    if pts is None:
                        return []
                    times.append(pts * packet.time_base)
        except (av.FFmpegError, OSError) as error:
            raise MediaError(f"{path}: cannot be read further: {failure_reason(error, [])}") from error
    return sorted(times)
