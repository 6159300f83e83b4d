"""The README's examples run as they are written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from support.clips import random_pictures, write_clip
from support.media import gray_ramp, write_video

from texsamp.io import write_texture
from texsamp.state.render_surface import SurfaceType
from texsamp.surface.images import TextureImages

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def code_blocks(language: str, heading: str) -> list[str]:
    section = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


SECTIONS = ("What it does to video", "From the shell")
SHELL_LINES = [line for name in SECTIONS for block in code_blocks("sh", name) for line in block.splitlines()]


def _pq(_, stream):
    stream.codec_context.color_trc = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("readme")
    pictures = random_pictures(12, (160, 90), seed=8)
    write_clip(path / "in.mkv", pictures, rate=8)
    write_video(
        path / "hdr.mkv",
        [gray_ramp(64, 48, n).reformat(format="yuv420p10le") for n in (30, 31)],
        codec="ffv1",
        setup=_pq,
    )
    write_clip(path / "before.mkv", pictures[:3])
    write_clip(path / "after.mkv", random_pictures(3, (160, 90), seed=9))
    blocks = tuple((bytes(range(1, 17)) * count,) for count in (80, 20, 6))
    write_texture(path / "brick.dds", TextureImages(SurfaceType.SURFTYPE_2D, "BC7_UNORM", 40, 32, blocks))
    Image.new("RGB", (8, 4)).save(path / "sky.png")
    script = path / "bin" / "texsamp"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from texsamp_script import main; main()" "$@"\n')
    script.chmod(0o755)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("line", SHELL_LINES)
def test_shell_examples(folder, line):
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    run = subprocess.run(
        ["/bin/sh", "-c", line], cwd=folder, env=environment, capture_output=True, timeout=120, check=False
    )
    assert run.returncode == (1 if "--exact" in line else 0), run.stderr
    assert run.stdout


def run_python(folder, code):
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.decode()


def test_python_examples(folder):
    video, texture, sampling = code_blocks("python", "From Python")
    assert run_python(folder, f"{video}\nprint(luma.shape)\n") == "(720, 1280)\n"
    assert (folder / "out.mp4").stat().st_size > 0
    assert run_python(folder, f"import texsamp as ts\n{texture}\nprint(texels.shape, blocks.nbytes)\n") == (
        "(32, 40, 4) 1280\n"
    )
    assert (
        run_python(folder, f"import texsamp as ts\n{sampling}\nprint(picture.shape, picture.dtype)\n")
        == "(200, 300, 4) float32\n"
    )


def test_linked_pages_exist():
    links = re.findall(r"\]\(([\w./-]+)\)", README)
    assert links
    assert [link for link in links if not (Path(__file__).parents[1] / link).exists()] == []


def test_pictures_are_small_and_made_by_the_commands_beside_them():
    folder = Path(__file__).parents[1] / "docs" / "pictures" / "video"
    filters = re.findall(r'^[A-Z]+ = "(.+)"$', (folder / "make.py").read_text(encoding="utf-8"), re.MULTILINE)
    shown = re.findall(r"--vf \"?([^\"\n]+)\"?\n```\n\n!\[.+\]\(docs/pictures/video/(\w+)\.jpg\)", README)
    assert [text for text, _ in shown] == filters
    pictures = {path.stem: path.stat().st_size for path in folder.glob("*.jpg")}
    assert {name for _, name in shown} == pictures.keys()
    assert max(pictures.values()) < 64 << 10
