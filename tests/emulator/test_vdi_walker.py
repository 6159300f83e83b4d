"""Blocks that the deinterlacer's own walker chooses (seed 003:3682-3701, 3887-4009)."""

import numpy as np
import pytest
from oracle.vdi_walker import dispatch

from texsamp.emulator.context.deinterlace_walker import DeinterlaceWalker
from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceState
from texsamp.state.deinterlace import DeinterlaceSamplerState


def _sampler(**fields):
    return DeinterlaceSamplerState(**{"di_enable": True, "walker_enable": True} | fields)


def _surface(width, height):
    return MediaSurfaceState(format="Y8_UNORM", width=width, height=height, pitch=2048)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_the_manuals_dispatch_comes_to_every_block_once(stride):
    for rows, width in [(1, 16), (2, 48), (5, 32), (7, 16), (8, 16), (13, 64), (45, 80)]:
        for di, block_height in ((True, 4), (False, 8)):
            state = _sampler(di_enable=di, dn_enable=True, walker_frame_sharing=True, walker_y_stride=stride)
            halves, walker = np.array(dispatch(width, rows * block_height, block_height, stride)), DeinterlaceWalker()
            for _ in range(2):  # and then of the next frame
                x, y = walker.next_blocks(halves, state, _surface(width, rows * block_height))
                assert sorted(zip((y // block_height).tolist(), (x // 16).tolist(), strict=True)) == list(
                    np.ndindex(rows, width // 16)
                )


def test_the_walk_goes_on_from_message_to_message():
    walker, state, surface = DeinterlaceWalker(), _sampler(), _surface(48, 8)
    taken = [walker.next_blocks(np.array([2] * count), state, surface) for count in (1, 3, 2, 6)]
    x, y = (np.concatenate([each[axis] for each in taken]).tolist() for axis in (0, 1))
    assert x == [0, 16, 32] * 4
    assert y == [0, 0, 0, 4, 4, 4] * 2


def test_refusals():
    state, one, frame = _sampler(), np.array([1]), _surface(32, 8)
    with pytest.raises(CaptureError, match="walker_enable: its threads need half_slice 1 or 2"):
        DeinterlaceWalker().next_blocks(np.array([1, 0]), state, frame)
    for size, dn, needed in (((40, 8), False, "16x4"), ((32, 6), False, "16x4"), ((32, 12), True, "16x8")):
        with pytest.raises(CaptureError, match=f"whole blocks of {needed}, found {size[0]}x{size[1]}"):
            DeinterlaceWalker().next_blocks(one, _sampler(di_enable=not dn, dn_enable=True), _surface(*size))
    with pytest.raises(CaptureError, match="deinterlace message 5 of half-slice 0, its walker has 4 blocks"):
        DeinterlaceWalker().next_blocks(np.ones(5, int), state, frame)
    with pytest.raises(CaptureError, match="deinterlace message 1 of half-slice 1, its walker has 0 blocks"):
        DeinterlaceWalker().next_blocks(np.array([1, 2]), _sampler(walker_frame_sharing=True), frame)
    walker = DeinterlaceWalker()
    walker.next_blocks(np.ones(3, int), state, frame)
    with pytest.raises(CaptureError, match="a frame begins after block 3 of 4 of the walker of half-slice 0"):
        walker.next_blocks(one, state, _surface(64, 8))


def test_a_shared_frame_is_done_when_both_half_slices_are():
    state, frame = _sampler(walker_frame_sharing=True, walker_y_stride=1), _surface(32, 8)
    for halves, begun, message in (
        ([1, 1], [1], "deinterlace message 3 of half-slice 0, its walker has 2 blocks"),
        ([1, 2, 2], [2], "deinterlace message 3 of half-slice 1, its walker has 2 blocks"),
    ):
        walker = DeinterlaceWalker()
        walker.next_blocks(np.array(halves), state, frame)
        with pytest.raises(CaptureError, match=message):
            walker.next_blocks(np.array(begun), state, frame)
    walker = DeinterlaceWalker()
    walker.next_blocks(np.array([1, 1]), state, frame)
    with pytest.raises(CaptureError, match="a frame begins after block 0 of 2 of the walker of half-slice 1"):
        walker.next_blocks(np.array([1]), state, _surface(64, 8))
    walker.next_blocks(np.array([2, 2]), state, frame)
    assert walker.next_blocks(np.array([2]), state, frame)[1].tolist() == [4]
    assert walker.next_blocks(np.array([1]), state, frame)[1].tolist() == [0]
