"""Where levels of render targets lie."""

import pytest

from texsamp.emulator.fixed.planes import target_plane
from texsamp.state import SurfaceType
from texsamp.surface.layout import SurfaceDescription, SurfaceLayout, SurfaceView


@pytest.mark.parametrize("rows", [2, 4])
@pytest.mark.parametrize("tiling", ["X", "Y"])
def test_levels_lie_as_the_state_has_it(tiling, rows):
    """Mesa draws textures' levels in Y tiles with VALIGN_2, for which 003:2054 wants VALIGN_4."""
    sizes = {"width_px": 20, "height_px": 22, "array_length": 3, "is_array": True, "levels": 4}
    described = SurfaceDescription(SurfaceType.SURFTYPE_2D, "R8_UNORM", **sizes, tiling=tiling, valign_rows=rows)
    texture = SurfaceView(SurfaceLayout(described), 0x10000)
    for level in range(4):
        view = target_plane(texture.state().replace(mip_count=level, view_extent=3)).view
        width, height = texture.layout.level_size_px(level)
        for y in range(height):
            assert view.address(width - 1, y, level=level, layer=2) == texture.address(
                width - 1, y, level=level, layer=2
            )
