"""What captured cases must replay to: written from what the client asked for and the driver's own numbers."""

import gzip
from functools import cache

import numpy as np
from oracle.avs import AdaptiveState
from oracle.avs_arrays import avs_plane

from support.captures import CAPTURES, real_captures
from texsamp.emulator import Capture, CaseMemory, referenced_states, walk
from texsamp.emulator.case import Case

f32 = np.float32
BLOCK = 16


def paths(case, most=None):
    """Capture files of a case of the video folder, in order."""
    return [path for path in real_captures(f"vpp/{case}_*.g7cap") if path.stem[:-4] == case][:most]


def replayed(case, most=None):
    """Pictures of a case (of its first `most` submissions)."""
    return list(Case.open(paths(case, most)).replay())


@cache
def _input(name):
    return np.frombuffer(gzip.open(CAPTURES / "inputs" / f"{name}.gz").read(), np.uint8)


def source_planes(capture):
    """Planes of the input picture of a submission."""
    return input_planes(capture.meta["src"])


def input_planes(source):
    """Planes of a picture by a client's note of it."""
    width, height = source["width"], source["height"]
    chroma = (height // 2, width // 2)
    shapes = {
        "NV12": [(height, width), (height // 2, width)],
        "I420": [(height, width), chroma, chroma],
        "YUY2": [(height, 2 * width)],
    }.get(source["fourcc"], [(height, 4 * width)])
    size = sum(rows * columns for rows, columns in shapes)
    data = _input(source["file"])[source["file_frame"] * size :][:size]
    planes = []
    for rows, columns in shapes:
        planes.append(data[: rows * columns].reshape(rows, columns))
        data = data[rows * columns :]
    return planes


class ScaleMessages:
    """Positions and tables of a captured scale, literally as the driver's kernel computes its messages."""

    def __init__(self, path):
        self.capture, memory = Capture.open(path), CaseMemory()
        memory.enter(self.capture)
        commands = list(walk(memory, self.capture.batch_address, length=self.capture.batch_length))
        tails = [np.array(c.command.tail, np.uint32) for c in commands if c.command.name == "MEDIA_OBJECT"]
        self.corners = [(int(tail[0] & 0xFFFF), int(tail[0] >> 16)) for tail in tails]
        self.step = tails[0][4:5].view(f32)[0]
        (load,) = [c.command for c in commands if c.command.name == "MEDIA_CURBE_LOAD"]
        self.constants = np.frombuffer(memory.read(load.data_start, load.data_length), f32).reshape(-1, 8)
        states = {r.state.name: r.state for r in referenced_states(self.capture, memory, commands)}
        coefficients = states["SAMPLER_8x8_STATE"]
        self.state = AdaptiveState(default_sharpness=coefficients.default_sharpness, bypass_x=True, bypass_y=True)
        self.tables = {name: whole_table(coefficients.coefficients(name)) for name in ("0x", "0y", "1x", "1y")}

    def positions(self, number, size_px, *, count, vertical, workaround=False):
        """Positions of `count` evenly spaced pixels of each block along one axis, block by block.

        number: 0 for the picture scaled, the registers being 2 + number further on.
        """
        start, step = (self.constants[r][number] for r in ((4, 3) if vertical else (5, 2)))
        step = step if vertical else f32(step * self.step)
        corners = sorted({corner[1 if vertical else 0] for corner in self.corners})
        found = []
        for corner in corners:
            first = f32(f32(step * f32(corner)) + start)
            if workaround:
                first = self._worked_around(first, size_px)
            for i in range(0, BLOCK, BLOCK // count):
                texel = f32(f32(first * f32(size_px)) + f32(f32(step * f32(size_px)) * f32(i)))
                found.append(int(np.floor(f32(f32(texel * f32(256)) + f32(0.5)))) // 8)
        return found

    def _worked_around(self, u, size_px):
        """The documented workaround (seed 003:5033-5048), with the driver's own 1/256 and 5/256."""
        near, far = self.constants[1][2], self.constants[1][3]
        texel = f32(u * f32(size_px))
        if np.floor(f32(texel + f32(5 / 256))) > np.floor(texel):
            return f32(u - far)
        if np.floor(f32(texel + f32(255 / 256))) == np.floor(texel):
            return f32(u + near)
        return u

    def luma(self, plane):
        """The scaled luma: 8.8 with 0x80 added and saturated, high byte."""
        px = self.positions(0, plane.shape[1], count=16, vertical=False, workaround=True)
        py = self.positions(0, plane.shape[0], count=16, vertical=True)
        return self._plane(plane, px, py, "0")

    def chroma(self, plane):
        """A scaled chroma plane of half the size: every second pixel of the message's block, both ways."""
        px = self.positions(0, plane.shape[1], count=8, vertical=False)
        py = self.positions(0, plane.shape[0], count=8, vertical=True)
        return self._plane(plane, px, py, "1")

    def chroma_at_every_row(self, plane):
        """A chroma plane of half the size, doubled in height only: every second pixel, rounded."""
        px = self.positions(0, plane.shape[1], count=8, vertical=False)
        py = self.positions(0, plane.shape[0], count=16, vertical=True)
        return self._plane(plane, px, py, "1")

    def doubled_chroma(self, plane):
        """A chroma plane of half the size at every pixel, 8.8 cut off to the high byte."""
        px = self.positions(0, plane.shape[1], count=16, vertical=False)
        py = self.positions(0, plane.shape[0], count=16, vertical=True)
        return (self._wide(plane, px, py, "1") >> 8).astype(np.uint8)

    def to_rgb(self, luma, u, v):
        """The kernel's conversion with its three rows of constants: float32 at every step."""
        rows = self.constants[6:8].reshape(-1)[:12].reshape(3, 4)
        scaled = [plane.astype(f32) * f32(0.0039216) for plane in (luma, u, v)]
        offset = [plane + row[3] for plane, row in zip(scaled, rows, strict=True)]
        colors = []
        for row in rows:
            total = offset[0] * row[0]
            for plane, weight in zip(offset[1:], row[1:3], strict=True):
                total = total + plane * weight
            colors.append((np.clip(total, f32(0), f32(1)) * f32(255)).astype(np.uint8))
        return colors

    def _plane(self, plane, px, py, table):
        return (np.minimum(self._wide(plane, px, py, table) + 0x80, 0xFFFF) >> 8).astype(np.uint8)

    def _wide(self, plane, px, py, table):
        tables = (self.tables[f"{table}x"], self.tables[f"{table}y"])
        return avs_plane(plane, px, py, tables, self.state, output="full16")


def to_yuv(red, green, blue):
    """The kernel's conversion of RGB, float32 at every step; results drop their fraction."""
    weights = (
        (0.0, 0.298999995, 0.587000012, 0.114),
        (128.0, -0.169, -0.331, 0.499000013),
        (128.0, 0.499000013, -0.418000013, -0.0812999979),
    )
    planes = []
    for start, *row in weights:
        total = np.full(red.shape, start, f32)
        for plane, weight in zip((red, green, blue), row, strict=True):
            total = total + plane.astype(f32) * f32(weight)
        planes.append(total.astype(np.int16).astype(np.uint8))
    return planes


def whole_table(stored):
    """32 phases of 8 taps from 17 stored ones of 8 or 4."""
    rows = np.zeros((32, 8), np.int64)
    first = (8 - stored.shape[1]) // 2
    rows[:17, first : first + stored.shape[1]] = stored
    for phase in range(17, 32):
        rows[phase] = rows[32 - phase][::-1]
    return rows
