"""States of the color pipe for tests, and frames as the oracle takes them."""

import numpy as np
from oracle import color as oracle

from support.frames import samples_of
from texsamp.state import ColorProcessingState, preset
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.color.pipe import run_pipe
from texsamp.video.frame import Frame

ENABLES = {"skin": (0, 3), "scores": (0, 7), "detect": (0, 1), "tcc": (42, 0x80), "ace": (29, 1), "procamp": (53, 1),
           "csc": (55, 1), "gamut": (64, 1 << 31), "mapping": (64, 3 << 30)}  # fmt: skip


def state(dwords, *blocks):
    """A state with some blocks on, whatever else the dwords hold."""
    dwords = list(dwords)
    for dword, bits in ((0, 7), (42, 0x80), (29, 1), (53, 1), (55, 1)):
        dwords[dword] &= ~bits
    dwords[64] &= 0x3FFFFFFF
    dwords[66] &= ~0xE
    for block in blocks:
        dword, bits = ENABLES[block]
        dwords[dword] |= bits
    if "mapping" not in blocks:
        dwords[64] &= ~(1 << 30)
    return ColorProcessingState.from_dwords(dwords, strict=False)


def random_state(rng, *blocks):
    """Any bits in every field, often those of a preset."""
    known = np.array(preset(ColorProcessingState, str(rng.choice(["hsw", "ihd"]))).to_dwords(), np.uint64)
    noise = rng.integers(0, 1 << 32, 67, dtype=np.uint64)
    dwords = np.where(rng.random(67) < rng.choice([0, 0.1, 1]), noise, known)
    dwords[30:33] = (
        np.sort(rng.integers(0, 256, 12)).astype(np.uint8).view("<u4") if rng.random() < 0.5 else dwords[30:33]
    )
    if rng.random() < 0.5:
        dwords[65] = int(dwords[65]) & ~(7 << 28) | int(rng.integers(0, 5)) << 28
    dwords[66] = int(dwords[66]) ^ int(rng.integers(0, 2)) ^ int(rng.integers(0, 2)) << 31
    for mode in (22, 24, 26):  # code 3 is reserved
        if int(dwords[66]) >> mode & 3 == 3:
            dwords[66] -= np.uint64(1 << mode)
    return state([int(d) for d in dwords], *blocks)


def pipe_planes(frame):
    """Y, U, V as the unpacker gives them, chroma repeated."""
    layout = frame.layout
    rows, columns = np.indices((frame.height_px, frame.width_px))
    planes = []
    for name in "YUV":
        w, h = layout.subsampling(name)
        samples, bits = samples_of(frame, name)[rows >> h, columns >> w], layout.components[name].bits
        planes.append([[oracle.unpack(int(v), bits) for v in row] for row in samples])
    return planes


def piped(samples, blocks):
    """12-bit Y, U, V of equal shape, rows by columns, through the pipe without loss."""
    rows, columns = samples[0].shape
    elements = np.zeros((rows, columns, 4), "<u2")
    for place, plane in enumerate(samples):
        elements[..., place] = plane << 4
    frame = Frame.from_arrays("rgba64le", [elements.reshape(rows, -1)], columns, rows, "cpu")
    result = run_pipe(frame, blocks, PIXEL_LAYOUTS["rgba64le"]).planes[0].reshape(rows, columns, 4)
    return [(result[..., place] >> 4).astype(np.int64) for place in range(3)]
