"""Pictures of a texture: levels, layers, faces, channels and values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from texsamp.device import Device, get_device
from texsamp.errors import MediaError
from texsamp.io.textures import FACES, picture_texels, read_texture_file
from texsamp.shown.pictures import CHANNELS, code_range, displayed, png
from texsamp.state.render_surface import SurfaceType
from texsamp.view.numbers import plain
from texsamp.view.server import Answer, Answers, Question


class TextureView:
    """A texture file, decoded where it is looked at. Raises as `texsamp.io.read_texture` does."""

    def __init__(self, path: str, device: Device | str = "auto") -> None:
        self._path, self._device = path, get_device(device)
        self._file = read_texture_file(path)
        self._read: tuple[tuple[int, int, str | None], NDArray[Any]] | None = None

    @property
    def answers(self) -> Answers:
        """What the page asks for."""
        return {"state": self._state, "picture": self._picture, "values": self._values}

    def _state(self, _: Question) -> Answer:
        images = self._file.images
        volume = images.type == SurfaceType.SURFTYPE_3D
        levels = [images.level_size_px(level) for level in range(images.levels)]
        texels = self._texels(0, 0, None)
        return Answer.of(
            {
                "name": Path(self._path).name,
                "about": f"{images.format}, {images.type.name.removeprefix('SURFTYPE_')}, in the file "
                f"{self._file.stored_format} ({self._file.container})",
                "notes": self._file.notes,
                "sizes": levels,
                "layers": [depth if volume else images.array_length for *_, depth in levels],
                "faces": FACES if images.type == SurfaceType.SURFTYPE_CUBE else [],
                "channels": CHANNELS if texels.shape[2] == 4 else [*CHANNELS[1:5]][: 1 + texels.shape[2]],
                "range": code_range(texels),
            }
        )

    def _asked(self, question: Question) -> NDArray[Any]:
        words = question.words
        return self._texels(question.integer("level"), question.integer("layer"), words.get("face") or None)

    def _texels(self, level: int, layer: int, face: str | None) -> NDArray[Any]:
        key = (level, layer, face)
        if self._read is None or self._read[0] != key:
            found = picture_texels(self._file.images, level, layer, face, device=self._device)
            self._read = key, self._device.download(found)
        return self._read[1]

    def _picture(self, question: Question) -> Answer:
        texels = self._asked(question)
        low, high = code_range(texels)
        low, high = question.number("low", low), question.number("high", high)
        if not low < high:
            raise MediaError(f"black must lie below white, found {low:g} and {high:g}")
        channels = question.words.get("channels", "rgb")
        if channels not in CHANNELS:
            raise MediaError(f"channels must be one of {', '.join(CHANNELS)}, found {channels[:40]!r}")
        image = displayed(texels, channels, low, high)
        height, width = texels.shape[:2]
        return Answer("image/png", png(image), {"size": [width, height], "dtype": str(texels.dtype)})

    def _values(self, question: Question) -> Answer:
        texels = self._asked(question)
        x, y = question.integer("x"), question.integer("y")
        height, width = texels.shape[:2]
        if not (0 <= x < width and 0 <= y < height):
            raise MediaError(f"the picture is {width}x{height}, found x {x}, y {y}")
        return Answer.of(dict(zip("rgba", plain(texels[y, x]), strict=False)))
