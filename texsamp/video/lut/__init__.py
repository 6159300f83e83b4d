"""Tables of colors (.cube files), applied to video and pictures."""

from texsamp.video.lut.cube_file import ColorTable, read_cube
from texsamp.video.lut.picture import apply_lut
from texsamp.video.lut.stage import Lut3d

__all__ = ["ColorTable", "Lut3d", "apply_lut", "read_cube"]
