"""Textures as files keep them: how many slices and bytes every level must have."""

import pytest

from texsamp.errors import FormatError
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages


def chain(*sizes_B: int, slices: int = 1) -> tuple[tuple[bytes, ...], ...]:
    return tuple((bytes(size_B),) * slices for size_B in sizes_B)


def test_levels_halve_down_to_one_texel_in_rows_of_whole_bytes_and_blocks() -> None:
    bc7 = TextureImages(SurfaceType.SURFTYPE_2D, "BC7_UNORM", 9, 5, chain(96, 16, 16, 16))
    assert [bc7.level_size_px(level) for level in range(4)] == [(9, 5, 1), (4, 2, 1), (2, 1, 1), (1, 1, 1)]
    assert bc7.image_size_B(0) == 3 * 2 * 16
    assert TextureImages(SurfaceType.SURFTYPE_2D, "R1_UNORM", 9, 5, chain(10)).image_size_B(0) == 2 * 5


def test_a_volume_level_is_one_image_and_a_cube_level_six() -> None:
    volume = TextureImages(SurfaceType.SURFTYPE_3D, "R8_UNORM", 4, 4, chain(4 * 4 * 3, 2 * 2 * 1), depth_px=3)
    assert volume.level_size_px(1) == (2, 2, 1)
    TextureImages(SurfaceType.SURFTYPE_CUBE, "R8_UNORM", 4, 4, chain(16, slices=12), array_length=2)
    with pytest.raises(FormatError, match="level 0 must have 12 slices, found 6"):
        TextureImages(SurfaceType.SURFTYPE_CUBE, "R8_UNORM", 4, 4, chain(16, slices=6), array_length=2)


def test_an_image_of_the_wrong_size_names_both_sizes() -> None:
    with pytest.raises(FormatError, match="slice 0 of level 1 must have 4 bytes, found 5"):
        TextureImages(SurfaceType.SURFTYPE_2D, "R8_UNORM", 4, 4, chain(16, 5))
