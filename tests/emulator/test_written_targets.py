"""Pictures of what was drawn to: levels, layers and slices of a target."""

import numpy as np
import pytest
from support.captures import buffer, capture_bytes
from support.merging import PAGE_B

from texsamp.emulator import Capture, CaseMemory
from texsamp.emulator.dispatch.written_targets import WrittenTargets
from texsamp.emulator.fixed.fragments import Fragments, MergeState, Target
from texsamp.emulator.surface_pictures import surface_picture
from texsamp.state.commands_mi import MiBatchBufferEnd
from texsamp.state.pixel_state import CcViewport, ColorCalcState, DepthStencilState
from texsamp.surface.surface import Surface

AT = 0x10000


@pytest.mark.parametrize(
    ("level", "first", "slice"), [(0, 0, 1), (0, 5, 1), (1, 0, 1), (1, 4, 1), (2, 1, 1), (1, 4, 9)]
)
@pytest.mark.parametrize("type", ["3D", "2D"])
def test_a_slice_of_a_level_is_what_lies_there(type, level, first, slice):
    """Depth is that of the whole volume; of an array it counts from the first element on.

    What programs draw to a slice beyond all goes to the first (slice 9).
    """
    rng = np.random.default_rng(level)
    texels = rng.integers(0, 256, (13, 12, 20, 4), np.uint8)
    surface = Surface.from_array(texels, "R8G8B8A8_UNORM", type=type, mips="box", tiling="Y", device="cpu")
    data = surface.data.tobytes()
    state = surface.state.replace(base_address=AT, mip_count=level, min_array_element=first, view_extent=2)
    if type == "2D":
        state = state.replace(depth=13 - first)
    one, none, drawn = np.ones(1, np.uint32), np.zeros(1, np.int32), np.full(1, slice, np.int32)
    fragments = Fragments(
        x=none, y=none, slices=drawn, samples=one, back=none.astype(bool),
        depth=np.zeros((1, 1), np.float32), viewports=none,
    )  # fmt: skip
    merging = MergeState(DepthStencilState(), ColorCalcState(), (), (CcViewport(),), {0: Target(state)})
    written = WrittenTargets(merging)
    written.add(merging, fragments)
    capture = Capture.from_bytes(
        capture_bytes(buffer(1, 0x1000, MiBatchBufferEnd().pack()), buffer(2, AT, data + bytes(-len(data) % PAGE_B)))
    )
    memory = CaseMemory()
    memory.enter(capture)
    (found,) = written.surfaces
    picture = surface_picture(memory, found, capture)
    expected = np.asarray(surface.to_array(level=level))[first + (slice if slice < 2 else 0)]
    assert np.array_equal(picture.planes[0].reshape(expected.shape), expected)
