"""A part of a video, encoded by itself: packets in a file of its own, to be joined with others without encoding again.

An encoder of its own begins with a key frame and refers to nothing outside.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import av
from av.video.stream import VideoStream

from texsamp.errors import MediaError, StateError
from texsamp.io.files.ffmpeg_log import failure_reason
from texsamp.io.output.video_encoder import EncoderSetup, VideoEncoder
from texsamp.video.frame import Frame

_NOT_FOR_MUXERS = frozenset({"quality_stats", "cpb_properties"})


@dataclass(frozen=True)
class EncodedPart:
    """The file of a part, how many ``frames`` it has, when the first and the last are shown, and notes of its encoder.

    Times count the encoder's time base, the same in all parts; None without frames.
    """

    path: str
    frames: int
    first_pts: int | None
    last_pts: int | None
    notes: tuple[str, ...]

    def packets(self) -> Iterator[av.Packet[VideoStream]]:
        """The packets in the order of decoding; the file is gone after the last. Only for files of one's own."""
        with open(self.path, "rb") as file:
            while (values := pickle.load(file)) is not None:
                yield _packet(*values)
        Path(self.path).unlink()


def encode_part(frames: Iterable[Frame], setup: EncoderSetup, path: str) -> EncodedPart:
    """Encode frames into a file.

    Raises MediaError for what cannot be encoded or written, StateError where an encoder has more to say than packets.
    """
    container = av.open(os.devnull, "w", format=setup.choice.muxer)  # nothing is muxed: it tells what codecs must heed
    try:
        encoder, count = VideoEncoder(container, setup), 0
        times: list[int] = []
        with open(path, "wb") as file:
            for frame in frames:
                times += _store(file, encoder.encode(frame.to("cpu")))
                count += 1
            times += _store(file, encoder.flush())
            pickle.dump(None, file)
        return EncodedPart(path, count, min(times, default=None), max(times, default=None), tuple(encoder.notes))
    except (av.FFmpegError, OSError) as error:
        reason = failure_reason(error, []) if isinstance(error, av.FFmpegError) else error.strerror or error
        raise MediaError(f"a segment cannot be written: {reason}") from error
    finally:
        container.close()


def _store(file: IO[bytes], packets: Iterable[av.Packet[VideoStream]]) -> list[int]:
    """Append packets; gives when they are shown."""
    shown = []
    for packet in packets:
        if beside := {side.data_type for side in packet.iter_sidedata()} - _NOT_FOR_MUXERS:
            raise StateError(f"its encoder gives {', '.join(sorted(beside))} beside its packets")
        times = (packet.pts, packet.dts, packet.duration, packet.time_base)
        pickle.dump((bytes(packet), times, packet.is_keyframe), file, pickle.HIGHEST_PROTOCOL)
        if packet.pts is not None:
            shown.append(packet.pts)
    return shown


def _packet(data: bytes, times: tuple[Any, ...], is_key: bool) -> av.Packet[VideoStream]:
    packet = cast("av.Packet[VideoStream]", av.Packet(data))
    packet.pts, packet.dts, packet.duration, packet.time_base = times
    packet.is_keyframe = is_key
    return packet
