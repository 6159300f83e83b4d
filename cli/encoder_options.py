"""Options of the encoder, of all commands that write videos."""

from __future__ import annotations

from typing import Annotated

import typer

from texsamp.io.streams.codecs import PIPE_CONTAINERS


def _key_values(options: list[str] | None) -> list[str] | None:
    for option in options or ():
        if not option.partition("=")[0].strip() or "=" not in option:
            raise typer.BadParameter(f"write KEY=VALUE, found {option!r}")
    return options


CodecOption = Annotated[str | None, typer.Option(help="Video encoder; by default it follows from OUT.")]
PixFmtOption = Annotated[str | None, typer.Option(help="Pixel format to encode; by default that of the result.")]
LosslessOption = Annotated[bool, typer.Option("--lossless", help="Encode without loss.")]
PresetOption = Annotated[str | None, typer.Option(metavar="NAME", help="The encoder's preset: speed for size.")]
TuneOption = Annotated[str | None, typer.Option(metavar="NAME", help="What the encoder is tuned for.")]
BitrateOption = Annotated[
    str | None, typer.Option(metavar="RATE", help="Bits per second in place of a quality, as in 4M or 800k.")
]
GopOption = Annotated[int | None, typer.Option(min=1, help="Longest distance of key frames, in frames.")]
EncoderOption = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", callback=_key_values, help="Another option of the encoder; repeatable."),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help=f"What goes to standard output: y4m, {', '.join(PIPE_CONTAINERS)}; y4m by default."
    ),
]
CopyOnlyOption = Annotated[
    bool, typer.Option("--copy-only", help="Drop sound and subtitles that OUT cannot hold, where they are converted.")
]
AutorotateOption = Annotated[
    bool, typer.Option("--autorotate/--no-autorotate", help="Turn pictures as players would, before the filters.")
]


def encoder_options(options: list[str] | None) -> dict[str, str]:
    """KEY=VALUE options by key."""
    return dict(option.split("=", 1) for option in options or ())
