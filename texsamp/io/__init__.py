"""Video files, pipes and pictures: the only package that talks to FFmpeg."""

from texsamp.io.clips import pattern_clip
from texsamp.io.images import frame_to_rgb, write_png
from texsamp.io.probe import ffmpeg_versions
from texsamp.io.reader import VideoReader
from texsamp.io.writer import VideoWriter

__all__ = ["VideoReader", "VideoWriter", "ffmpeg_versions", "frame_to_rgb", "pattern_clip", "write_png"]
