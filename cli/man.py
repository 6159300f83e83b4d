"""The man page, made from the help of the commands (``python -m texsamp.cli.man > docs/texsamp.1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from .main import BAD_USAGE, FAILED, INTERRUPTED, app

_STATUS = (
    (0, "It is done."),
    (FAILED, "It failed, or what was compared differs."),
    (BAD_USAGE, "Bad usage: options, filters and values."),
    (INTERRUPTED, "It was interrupted."),
    (129, "It was ended by SIGHUP."),
    (143, "It was ended by SIGTERM."),
)
_ENVIRONMENT = (
    ("TEXSAMP_THREADS", "How many threads run kernels on the CPU."),
    ("TEXSAMP_CPU_LEVEL", "Which of the levels that texsamp info lists runs them."),
    ("TEXSAMP_CACHE_DIR", "Where compiled CUDA kernels are kept; ~/.cache/texsamp by default."),
)


def _text(words: str) -> str:
    """Words that roff prints as they are."""
    plain = " ".join(words.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


def _options(command: Any, context: Any) -> Iterator[str]:
    for parameter in command.get_params(context):
        default = parameter.default
        said = default is not None and not isinstance(default, bool) and default != ""
        meaning = _text(f"{parameter.help or ''}{f' Default: {default}.' if said else ''}")
        yield from (".TP", f".B {_text(_names(parameter))}", meaning or "\\&")


def _names(parameter: Any) -> str:
    """-y, --overwrite; --browser, --no-browser; --vf TEXT; IN."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = ", ".join((*sorted(parameter.opts, key=len), *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {parameter.metavar or parameter.name.upper()}"


def _argument(parameter: Any) -> str:
    """OUT, [DIR], CAPTURES..."""
    name = _names(parameter)
    name += "..." if parameter.nargs < 0 and not name.endswith("...") else ""
    return name if parameter.required else f"[{name}]"


def _sub_command(name: str, command: Any, parent: Any) -> Iterator[str]:
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    arguments = [_argument(each) for each in command.params if each.param_type_name == "argument"]
    yield f".SS texsamp {_text(' '.join([name, '[OPTIONS]', *arguments]))}"
    yield from _paragraphs(command.help)
    yield from _options(command, context)


def _paragraphs(words: str | None) -> list[str]:
    return "\n.PP\n".join(map(_text, (words or "").strip().split("\n\n"))).splitlines()


def man_page() -> str:
    """The page in roff."""
    group: Any = get_command(app)
    context = group.make_context("texsamp", [], resilient_parsing=True)
    lines = [
        '.TH TEXSAMP 1 "" texsamp "User Commands"',
        ".SH NAME",
        f"texsamp \\- {_text(group.help).rstrip('.')}",
        ".SH SYNOPSIS",
        ".B texsamp",
        "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGS\\fR]",
        ".SH OPTIONS",
        *_options(group, context),
        ".SH COMMANDS",
    ]
    for name in group.list_commands(context):
        lines += _sub_command(name, group.get_command(context, name), context)
    lines += [".SH EXIT STATUS", *(f".TP\n.B {status}\n{_text(words)}" for status, words in _STATUS)]
    lines += [".SH ENVIRONMENT", *(f".TP\n.B {name}\n{_text(words)}" for name, words in _ENVIRONMENT)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(man_page(), end="")
