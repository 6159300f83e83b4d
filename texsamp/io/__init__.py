"""Video files, pipes, pictures and texture files: the only package that talks to FFmpeg."""

from texsamp.io.clips import pattern_clip
from texsamp.io.curve_plot import CurvePlot
from texsamp.io.images import write_png
from texsamp.io.input.reader import VideoReader
from texsamp.io.lavfi import Lavfi
from texsamp.io.output.encode_request import EncodeOptions, PassLog
from texsamp.io.output.writer import VideoWriter
from texsamp.io.probe import ffmpeg_versions
from texsamp.io.simple import read_frames, write_frames
from texsamp.io.statistics_file import StatisticsFile
from texsamp.io.textures import read_texture, write_texture

__all__ = [
    "CurvePlot",
    "EncodeOptions",
    "Lavfi",
    "PassLog",
    "StatisticsFile",
    "VideoReader",
    "VideoWriter",
    "ffmpeg_versions",
    "pattern_clip",
    "read_frames",
    "read_texture",
    "write_frames",
    "write_png",
    "write_texture",
]
