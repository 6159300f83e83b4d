"""Help text and docs/filters.md, made from the table of filters (``python -m texsamp.video.filter_docs``)."""

from __future__ import annotations

import inspect
from textwrap import fill
from typing import Any

from texsamp.fidelity.part import Part
from texsamp.video.filter_spec import Filter, Option
from texsamp.video.filters import FILTERS
from texsamp.video.options import Choice
from texsamp.video.pipeline import MAX_STAGES

FORM = "filter=value:key=value,filter2=value"
GRAMMAR = (
    f"Up to {MAX_STAGES} filters are separated by commas and run in the order written; "
    "options are separated by colons: {form}. Values without a key come first, in the order shown."
)

_SEVERAL = "lavfi='crop=640:360,hflip'"
FOREIGN = (
    "A filter that is none of these is FFmpeg's, if it has one video in and one out: by its own name, as in "
    "{own}, or several as quoted text, as in {several}. --explain labels them FFmpeg."
)


def _default(which: Filter, option: Option) -> str:
    default = which.default(option)
    return "must be given" if default is inspect.Parameter.empty else f"default {option.kind.format(default)}"


def _short_form(which: Filter) -> str:
    """The filter with the options that need no key, or with its first one if all do."""
    if not which.options:
        return which.name
    if not which.positional:
        return f"{which.name}={which.options[0].key}={which.options[0].key.upper()}:..."
    return f"{which.name}={(which.joint or ':').join(key.upper() for key in which.positional)}"


def filters_help() -> str:
    """All filters and their options as plain text."""
    parts = [fill(GRAMMAR.format(form=FORM), 100), fill(FOREIGN.format(own="crop=640:360", several=_SEVERAL), 100)]
    for which in FILTERS:
        others = f"   (also: {', '.join(which.aliases)}{_of_aliases(which, '')})" if which.aliases else ""
        names = f"{_short_form(which)}{others}"
        lines = [names, f"  {which.doc}"]
        for option in which.options:
            head = f"{option.key}: {option.kind.legal}; {_default(which, option)}. {option.doc}"
            lines.append(fill(head, 100, initial_indent="    ", subsequent_indent="        "))
        lines += [f"  e.g. {example}" for example in which.examples]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _of_aliases(which: Filter, quote: str) -> str:
    """The option values that names of the hardware stand for, if they stand for any."""
    values = [f"{quote}{which.name}={key}={value}{quote}" for key, value in which.of_aliases.items()]
    return f" for {' and '.join(values)}" if values else ""


def _condition(which: Filter, part: Part) -> str:
    """When a part of a filter is in use, in words."""
    needed = _holding(which, part.needs, part.needed)
    return _holding(which, part.option, part.values) + (f", if {needed}" if part.needs else "")


def _holding(which: Filter, name: str, wanted: tuple[Any, ...]) -> str:
    """That an option has one of some values, or with none another than its default."""
    option = which.option(name)
    if option is None:
        return "always"
    if not wanted:
        return f"`{option.key}` is not {option.kind.format(which.default(option))}"
    numbers = [value for value in wanted if isinstance(value, int)]
    if len(numbers) > 2 and numbers == list(range(len(numbers))):
        names = [f"`{option.kind.format(value)}`, " for value in wanted if value not in numbers]
        return f"`{option.key}` {''.join(names)}from {numbers[0]} to {numbers[-1]}"
    others = set(option.kind.names) - set(wanted) if isinstance(option.kind, Choice) else set()
    if len(wanted) > 2 and len(others) == 1:
        return f"unless `{option.key}={others.pop()}`"
    words = [f"`{option.kind.format(value)}`" for value in wanted]
    words[0] = f"`{option.key}={option.kind.format(wanted[0])}`"
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"


def filters_markdown() -> str:
    """The page docs/filters.md."""
    lines = [
        "# Filters",
        "",
        GRAMMAR.format(form=f"`{FORM}`"),
        "",
        FOREIGN.format(own="`crop=640:360`", several=f"`{_SEVERAL}`"),
    ]
    lines += ["", "The first table of each filter says what it takes, the second how faithful each of its parts is:"]
    lines += ["*exact* (the manual says it), *reconstructed* (the manual is torn there) or *ours*; the grounds are in"]
    lines += [
        "[fidelity.md](fidelity.md). This page is made from `texsamp/video/filters.py`, as the help and all checks are."
    ]
    lines += ["", "| filter | what it does | for example |", "|---|---|---|"]
    lines += [f"| [{which.name}](#{which.name}) | {which.doc} | `{which.examples[0]}` |" for which in FILTERS]
    for which in FILTERS:
        lines += ["", f"## {which.name}", "", which.doc, ""]
        named = ", ".join(f"`{alias}`" for alias in which.aliases)
        others = f" Other names: {named}{_of_aliases(which, '`')}." if named else ""
        lines += [f"Short form: `{_short_form(which)}`.{others}", ""]
        if which.options:
            lines += ["| option | legal values | default | meaning |", "|---|---|---|---|"]
        for option in which.options:
            keys = ", ".join(f"`{key}`" for key in (option.key, *option.aliases))
            default = _default(which, option).removeprefix("default ")
            lines.append(f"| {keys} | {option.kind.legal} | {default} | {option.doc} |")
        lines += [""] * bool(which.options) + [
            "Examples: " + ", ".join(f"`{example}`" for example in which.examples),
            "",
        ]
        lines += ["| part | fidelity | basis | when |", "|---|---|---|---|"]
        lines += [f"| {p.part} | {p.label} | {p.basis} | {_condition(which, p)} |" for p in which.fidelity]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(filters_markdown(), end="")
