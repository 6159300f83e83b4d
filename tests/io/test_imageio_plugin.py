"""ImageIO reads and writes textures: levels are pages, and nothing is lost."""

import io

import imageio.v3 as imageio
import numpy as np
import pytest

import texsamp as ts
import texsamp.imageio_plugin

RNG = np.random.default_rng(13)


def texels(dtype, shape):
    if np.dtype(dtype).kind == "f":
        return RNG.normal(0, 3, shape).astype(dtype)
    return RNG.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("extension", [".dds", ".ktx2", ".ktx"])
def test_levels_are_pages(tmp_path, extension):
    path = tmp_path / f"a{extension}"
    surface = ts.Surface.from_array(texels(np.uint8, (12, 20, 4)), mips="box", device="cpu")
    surface.save(path)
    pages = list(imageio.imiter(path))
    assert len(pages) == surface.levels == 5
    for level, page in enumerate(pages):
        assert np.array_equal(page, surface.to_array(level))
        assert np.array_equal(imageio.imread(path, index=level), page)
    found = imageio.improps(path, index=2)
    assert (found.shape, found.dtype, found.n_images) == ((3, 5, 4), np.uint8, 5)
    assert imageio.immeta(path)["format"] == "R8G8B8A8_UNORM"
    with pytest.raises(ts.TexsampError, match="level must be from 0 to 4, found 5"):
        imageio.imread(path, index=5)
    with pytest.raises(ts.TexsampError, match="5 of them are no array"):
        imageio.imread(path, index=...)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_writes_lose_nothing(tmp_path, dtype, channels):
    image = texels(dtype, (7, 10, channels))
    path = tmp_path / "a.ktx2"
    imageio.imwrite(path, image)
    assert np.array_equal(imageio.imread(path), image)
    assert imageio.imread(path).dtype == image.dtype
    assert np.array_equal(imageio.imread(path, index=...), image[None])
    encoded = imageio.imwrite("<bytes>", image, extension=".ktx2")
    assert np.array_equal(imageio.imread(encoded, extension=".ktx2"), image)
    file = io.BytesIO()
    imageio.imwrite(file, image, extension=".ktx2", plugin="texsamp")
    assert file.getvalue() == encoded == path.read_bytes()


def test_a_list_is_all_levels_of_a_texture(tmp_path):
    levels = [texels(np.uint8, (max(1, 6 >> k), max(1, 9 >> k), 4)) for k in range(4)]
    imageio.imwrite(tmp_path / "a.dds", levels)
    for level, page in zip(levels, imageio.imiter(tmp_path / "a.dds"), strict=True):
        assert np.array_equal(page, level)
    for wrong in ([levels[0], levels[2]], [*levels, levels[3]], []):
        with pytest.raises(ts.TexsampError, match="level"):
            imageio.imwrite(tmp_path / "b.dds", wrong)
    assert not (tmp_path / "b.dds").exists()


def test_formats_mips_and_arrays_are_words(tmp_path):
    path, faces = tmp_path / "a.ktx2", texels(np.uint8, (6, 8, 8, 4))
    imageio.imwrite(path, faces, type="cube", format="rgba8unorm-srgb", mips="box", supercompression="zstd")
    found = imageio.immeta(path)
    assert (found["type"], found["format"], found["levels"], found["faces"]) == ("CUBE", "R8G8B8A8_UNORM_SRGB", 4, 6)
    assert np.array_equal(imageio.imread(path), faces)


def test_what_is_no_texture_is_left_to_others(tmp_path):
    path = tmp_path / "a.dds"
    path.write_bytes(b"DDS nothing")
    with pytest.raises(OSError, match="texsamp"):
        imageio.imread(path, plugin="texsamp")
    with pytest.raises(OSError, match="texsamp"):
        imageio.imwrite(tmp_path / "a.gif", np.zeros((4, 4, 3), np.uint8), plugin="texsamp")
    with pytest.raises(ts.TexsampError, match=r"int64.*say the format"):
        imageio.imwrite(tmp_path / "b.dds", np.zeros((4, 4, 3), np.int64))
    assert not (tmp_path / "b.dds").exists()
    assert texsamp.imageio_plugin.TexturePlugin is not None
