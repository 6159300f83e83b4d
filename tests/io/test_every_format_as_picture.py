"""Every surface format becomes a picture at full depth, or an error says why not and leaves nothing."""

from __future__ import annotations

import numpy as np
import pytest
from support.textures import texture

from texsamp.errors import FormatError
from texsamp.io.textures import picture_texels, write_picture
from texsamp.io.textures.still_codec import decode_still
from texsamp.state.formats import surface_format, surface_formats

NO_TEXELS = {"RAW", "PLANAR_420_8"}


def test_formats_without_texels():
    for format in NO_TEXELS:
        with pytest.raises(FormatError, match=format):
            picture_texels(texture(format, levels=1), device="cpu")


@pytest.mark.parametrize("format", sorted(set(surface_formats()) - NO_TEXELS))
def test_every_format(format, tmp_path):
    info = surface_format(format)
    texels = picture_texels(texture(format, levels=1, width_px=32), device="cpu")
    written = {}
    for extension in (".npy", ".png", ".exr", ".hdr"):
        path = tmp_path / f"picture{extension}"
        try:
            written[extension] = write_picture(path, texels, info)
        except FormatError as error:
            assert info.name in str(error) or "no negative numbers" in str(error)
            assert not path.exists()
    back = np.load(tmp_path / "picture.npy")
    assert back.tobytes() == texels.tobytes()
    assert written[".npy"] == []
    kinds = {channel.kind for channel in info.channels}
    if kinds <= {"unorm", "uint", "snorm", "pad"} and all((channel.bits or 16) <= 16 for channel in info.channels):
        assert ".png" in written, "these are what PNG can keep"
    if ".png" in written:
        assert ".exr" not in written or texels.dtype == np.float32
    if kinds & {"float", "sharedexp"} and texels.dtype != np.float64:
        assert np.array_equal(
            decode_still("exr", (tmp_path / "picture.exr").read_bytes())[..., 0], texels[..., 0], True
        )
