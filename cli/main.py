"""The `texsamp` command: its sub-commands, and how errors become one line and an exit status."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from texsamp.errors import DeviceError, StateError, TexsampError
from texsamp_script import quiet_interrupts

from .bad_values import said_plainly
from .commands import COMMANDS, HELP_NAMES, LazyCommands
from .ending import end_on_signals, leave_threads_behind, say_interrupted
from .ffmpeg_options import told_by_ffmpeg_names

FAILED = 1
BAD_USAGE = 2
INTERRUPTED = 130
_GIVEN = "texsamp.given"


def _check_environment() -> None:
    with quiet_interrupts():
        from texsamp.device import thread_count  # with numpy, which --help does without

    try:
        thread_count()
    except DeviceError as error:  # TEXSAMP_THREADS is as good as an option
        raise StateError(str(error)) from None


class TexsampGroup(TyperGroup):
    """Sub-commands whose errors end as one line on stderr and an exit status, never as a traceback.

    1: it failed; 2: bad usage, with bad filters, options and values among it; 130: Ctrl-C; 129, 143: signals.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands()  # type: ignore[assignment]  # nobody changes them

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in the order of the help."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with their lines, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.line) for name, place in COMMANDS.items()])

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Read the options before the sub-command."""
        given = tuple(args)  # what it reads it takes out
        with told_by_ffmpeg_names(given):
            ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta[_GIVEN] = given
        return ctx

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen sub-command."""
        try:
            _check_environment()
            with told_by_ffmpeg_names(ctx.meta[_GIVEN]):
                return super().invoke(ctx)
        except typer.BadParameter as error:
            raise said_plainly(error) from error.__cause__
        except KeyboardInterrupt:
            say_interrupted()
            raise typer.Exit(INTERRUPTED) from None
        except TexsampError as error:
            from .progress import echo_notes

            echo_notes(getattr(error, "__notes__", ()))
            typer.echo(f"texsamp: {error}", err=True)
            raise typer.Exit(BAD_USAGE if isinstance(error, StateError) else FAILED) from None


app = typer.Typer(
    name="texsamp",
    cls=TexsampGroup,
    help="The texture sampler and video pipe of an Intel Gen7 graphics processor, as software.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help and errors, which also read well in logs
    context_settings=HELP_NAMES,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from texsamp import __version__

        typer.echo(f"texsamp {__version__}")
        raise typer.Exit


@app.callback()
def _of_all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass


def _cannot_print(reason: str) -> NoReturn:
    with suppress(OSError):
        typer.echo(f"texsamp: {reason}", err=True)
    raise SystemExit(FAILED)


def main() -> None:
    """Entry point of the `texsamp` script."""
    end_on_signals()
    if sys.stderr is None:  # closed by the caller: words go nowhere
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the life of the process
    if sys.stdout is None:
        _cannot_print("standard output is closed")
    try:
        app()
    except SystemExit as leaving:
        leave_threads_behind(leaving.code if isinstance(leaving.code, int) else 0)
        raise
    except KeyboardInterrupt:  # while the commands are put together
        say_interrupted()
        raise SystemExit(INTERRUPTED) from None
    except OSError as error:  # a full disk; that the reader of a pipe left, typer has handled
        # What is still buffered would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _cannot_print(f"{error.filename or 'standard output'}: cannot be written: {error.strerror}")
