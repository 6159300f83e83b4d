"""Make the pictures of `docs/sampling-pictures.md`: the textures, then every command of the page, in this folder."""

import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

PAGE = Path(__file__).parents[1] / "sampling-pictures.md"
LETTER = ("11111", "10000", "10000", "11110", "10000", "10000", "10000")  # an F shows every turn and mirroring


def tile(side_px: int = 64) -> np.ndarray:
    """A dark edge, a ramp of colors, lines that get thin, and a letter."""
    y, x = np.mgrid[0:side_px, 0:side_px]
    picture = np.zeros((side_px, side_px, 4), np.uint8)
    picture[..., 0] = 96 + x * 2
    picture[..., 1] = 208 - y * 2
    picture[..., 2] = 96
    picture[..., 3] = 255
    lines = (y >= side_px * 3 // 4) & (x // np.maximum(1, 8 - x // 8) % 2 == 0)
    picture[lines, :3] = 240
    letter = np.kron(np.array([[int(dot) for dot in row] for row in LETTER], bool), np.ones((5, 5), bool))
    picture[7 : 7 + letter.shape[0], 20 : 20 + letter.shape[1], :3][letter] = (250, 245, 225)
    edge = (np.minimum(x, y) < 3) | (np.maximum(x, y) >= side_px - 3)
    picture[edge, :3] = (40, 40, 72)
    return picture


def letter(side_px: int = 64) -> bytes:
    """The letter as texels of MONO8: a bit each, the first in the lowest."""
    bits = np.kron(np.array([[int(dot) for dot in row] for row in LETTER], np.uint8), np.ones((8, 8), np.uint8))
    picture = np.zeros((side_px, side_px), np.uint8)
    picture[4 : 4 + bits.shape[0], 12 : 12 + bits.shape[1]] = bits
    return np.packbits(picture, axis=1, bitorder="little").tobytes()


def commands() -> list[list[str]]:
    """The page's commands, as lists of words."""
    lines = PAGE.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.startswith("texsamp sample ")]


def main() -> None:
    """Make all of them."""
    folder = Path(__file__).parent
    Image.fromarray(tile()).save(folder / "tile.png", optimize=True)
    (folder / "letter.bits").write_bytes(letter())
    for command in commands():
        subprocess.run([*command, "--overwrite"], cwd=folder, check=True)


if __name__ == "__main__":
    sys.exit(main())
