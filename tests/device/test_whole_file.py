"""Whole files: a reader takes the memory it asks for, so it must not ask for its limit."""

import io

import pytest

from texsamp.device.whole_file import read_at_most
from texsamp.errors import FormatError
from texsamp.io.textures import read_texture


class Counted(io.BytesIO):
    """Tells the largest number of bytes it was asked for; -1 is all of them."""

    most = 0

    def read(self, size: int | None = -1) -> bytes:
        self.most = max(self.most, 1 << 40 if size is None or size < 0 else size)
        return super().read(size)


def test_files_up_to_the_limit_are_read() -> None:
    for size in (0, 1, (1 << 20) + 1):
        assert read_at_most(io.BytesIO(bytes(size)), size) == bytes(size)
    assert read_at_most(io.BytesIO(bytes(5)), 4) is None


def test_a_short_texture_asks_for_little() -> None:
    file = Counted(b"P5 nothing")
    with pytest.raises(FormatError):
        read_texture(file)
    assert 0 < file.most <= 1 << 20
