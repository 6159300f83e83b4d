"""Textures written to DDS, KTX, KTX2 and ASTC files come back as they were."""

from __future__ import annotations

import pytest
from support.textures import KINDS, texture

from texsamp.errors import FormatError, MediaError
from texsamp.io.textures import format_tables, read_texture, read_texture_file, write_texture
from texsamp.state.formats import later_surface_formats, surface_format, surface_formats

EVERY = [*surface_formats(), *later_surface_formats()]
WRITTEN = {
    ".dds": [
        name
        for name in EVERY
        if format_tables.dxgi_code(name) is not None or format_tables.fourcc_of(name) or format_tables.masks_of(name)
    ],
    ".ktx": [name for name in EVERY if format_tables.gl_numbers(name) is not None],
    ".ktx2": [name for name in EVERY if format_tables.vulkan_code(name) is not None],
}


def kinds_of(extension, format):
    """Kinds of textures that such a file can hold."""
    for kind in KINDS:
        blocks_in_1d = kind.startswith("1D") and surface_format(format).block_height > 1
        legacy = extension == ".dds" and format_tables.dxgi_code(format) is None
        if blocks_in_1d or (legacy and ("array" in kind or "1D" in kind)):
            continue
        if extension == ".dds" and kind == "2D array of one":
            continue  # DDS cannot tell it from no array
        yield kind


def test_most_formats_can_be_written():
    assert len(WRITTEN[".dds"]) >= 117
    assert len(WRITTEN[".ktx"]) >= 135
    assert len(WRITTEN[".ktx2"]) >= 140


@pytest.mark.parametrize(
    ("extension", "format"), [(extension, format) for extension, formats in WRITTEN.items() for format in formats]
)
def test_every_format_and_kind(extension, format, tmp_path):
    path = tmp_path / f"texture{extension}"
    for seed, kind in enumerate(kinds_of(extension, format)):
        images = texture(format, seed, **KINDS[kind])
        write_texture(path, images, overwrite=True)
        assert read_texture(path) == images, kind
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("scheme", ["zstd", "zlib"])
@pytest.mark.parametrize("kind", KINDS)
def test_packed_ktx2(kind, scheme, tmp_path):
    images = texture("R8G8B8A8_UNORM", **KINDS[kind])
    write_texture(tmp_path / "texture.ktx2", images, supercompression=scheme)
    file = read_texture_file(tmp_path / "texture.ktx2")
    assert file.images == images
    assert file.container == f"KTX2, {scheme}"


def test_full_mip_chains(tmp_path):
    images = texture("BC7_UNORM", width_px=256, height_px=64, levels=9)
    for extension in (".dds", ".ktx2"):
        write_texture(tmp_path / f"texture{extension}", images)
        assert read_texture((tmp_path / f"texture{extension}").read_bytes()) == images


def test_sources_of_all_kinds(tmp_path):
    images = texture("R8_UNORM")
    path = tmp_path / "texture.png"  # the name says nothing
    write_texture(tmp_path / "texture.dds", images)
    (tmp_path / "texture.dds").rename(path)
    data = path.read_bytes()
    assert read_texture(str(path)) == read_texture(data) == read_texture(bytearray(data)) == images
    assert read_texture(memoryview(data)) == images
    with path.open("rb") as file:
        assert read_texture(file) == images


def test_images_are_views_of_the_file():
    from texsamp.io.textures.dds_writer import dds_parts

    data = b"".join(dds_parts(texture("BC1_UNORM")))
    assert all(
        isinstance(image, memoryview) and image.obj is data for level in read_texture(data).images for image in level
    )


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("x.dds", {"format": "R64_FLOAT"}, "R64_FLOAT has no name in DDS"),
        ("x.dds", {"format": "L8_UNORM", "array_length": 2}, "hold no arrays"),
        ("x.ktx2", {"format": "L8_UNORM"}, "L8_UNORM has no VkFormat"),
        ("x.ktx2", {"format": "R8_USCALED"}, "R8_USCALED has no VkFormat that KTX2 files may hold"),
        ("x.ktx2", {"format": "B10G10R10A2_SSCALED"}, "has no VkFormat that KTX2 files may hold"),
        ("x.ktx", {"format": "R8_USCALED"}, "R8_USCALED has no numbers in OpenGL"),
        ("x.astc", {"format": "BC7_UNORM"}, "holds ASTC blocks, found BC7_UNORM"),
        ("x.tga", {"format": "R8_UNORM"}, "end in .dds, .ktx, .ktx2, .astc, found '.tga'"),
        ("x", {"format": "R8_UNORM"}, "found 'no extension'"),
        ("x.dds", {"format": "BC1_UNORM", **KINDS["1D"]}, "no blocks of 4 rows"),
        ("x.ktx2", {"format": "R8_UNORM", "width_px": 65537, "levels": 1}, "width must be from 1 to 65536"),
    ],
)
def test_what_a_file_cannot_hold_leaves_none(name, arguments, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        write_texture(tmp_path / name, texture(**arguments))
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_scheme_and_a_scheme_without_ktx2(tmp_path):
    with pytest.raises(FormatError, match="one of none, zstd, zlib, found 'lz4'"):
        write_texture(tmp_path / "x.ktx2", texture("R8_UNORM"), supercompression="lz4")
    with pytest.raises(FormatError, match="only KTX2"):
        write_texture(tmp_path / "x.dds", texture("R8_UNORM"), supercompression="zstd")


def test_an_existing_file_stays(tmp_path):
    path = tmp_path / "x.dds"
    path.write_text("precious")
    with pytest.raises(MediaError, match="exists already"):
        write_texture(path, texture("R8_UNORM"))
    with pytest.raises(FormatError):
        write_texture(path, texture("R64_FLOAT"), overwrite=True)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(MediaError, match=r"none\.dds: cannot be read: No such file"):
        read_texture(tmp_path / "none.dds")
    with pytest.raises(MediaError, match="no directory 'nowhere'"):
        write_texture(tmp_path / "nowhere" / "x.dds", texture("R8_UNORM"))
    with pytest.raises(FormatError, match="must have some bytes, found none"):
        read_texture(b"")


def test_surfaces_open_and_save_files(tmp_path):
    import texsamp  # noqa: F401 - registers the files
    from texsamp.surface.surface import Surface

    images = texture("BC3_UNORM", width_px=64, height_px=32, levels=4)
    write_texture(tmp_path / "in.ktx2", images)
    surface = Surface.open(tmp_path / "in.ktx2", tiling="Y")
    assert surface.levels == 4
    surface.save(tmp_path / "out.dds")
    assert read_texture(tmp_path / "out.dds") == images
