"""The sub-commands and where they are: a module is imported when its command is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import typer

from texsamp_script import quiet_interrupts

HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class Place(NamedTuple):
    """A function's module beside this one, its name, and the first line of its help, for the list of commands."""

    module: str
    function: str
    line: str


COMMANDS = {
    "process": Place("process", "process", "Run filters over a video."),
    "batch": Place("batch", "batch", "Run filters over many videos, each in a process of its own."),
    "compare": Place("compare", "compare", "Score a video against its reference."),
    "demo": Place("demo", "demo", "Scale and sharpen a generated clip."),
    "decode": Place(
        "decode", "decode", "Decode a texture file to a picture, or convert it to another kind of texture file."
    ),
    "encode": Place(
        "encode", "encode", "Make a texture file of another format, with mip levels, from a picture or a texture file."
    ),
    "panorama": Place("panorama", "panorama", "Make a cube of a panorama, or a panorama of a cube."),
    "atlas": Place(
        "atlas", "atlas", "Measure how this machine's OpenGL driver filters, beside texsamp, as a page of Markdown."
    ),
    "sample": Place(
        "sample",
        "sample",
        "Draw a texture file as a quad: scaled, turned, moved, in perspective, with every filter and address mode.",
    ),
    "state": Place(
        "state",
        "state",
        "Print the fields and dwords of a state: its documentation, its defaults, a preset, or what dwords say.",
    ),
    "formats": Place(
        "formats",
        "formats",
        "List surface formats: codes, bits, channels in memory order, what the sampler returns, what hardware can do.",
    ),
    "inspect": Place(
        "inspect",
        "inspect",
        "Print a capture's buffers, its commands and the states they refer to; nothing is executed.",
    ),
    "replay": Place("replay", "replay", "Execute captured command buffers and write the pictures they make."),
    "hash": Place("hash", "hash_pictures", "List SHA-256 of every picture that the filters make, before any encoding."),
    "info": Place("info", "info", "Show versions, devices and the CPU level."),
    "view": Place(
        "view",
        "view",
        "Look at frames through filters, or at a texture's levels, layers and faces, in the browser of this machine.",
    ),
    "bench": Place("bench", "bench", "Measure how many frames a second go through filters here."),
}
"""In the order of the help."""


class LazyCommands(Mapping[str, Any]):
    """The commands as a group of typer's asks for them."""

    def __getitem__(self, name: str) -> Any:
        place = COMMANDS[name]
        with quiet_interrupts():
            function = getattr(import_module(f".{place.module}", __package__), place.function)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(name, context_settings=HELP_NAMES)(function)
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)
