"""Help text and docs/filters.md, made from the table of filters (``python -m texsamp.video.filter_docs``)."""

from __future__ import annotations

import inspect
from textwrap import fill

from texsamp.video.filter_spec import Fidelity, Filter, Option
from texsamp.video.filters import FILTERS
from texsamp.video.pipeline import MAX_STAGES

FORM = "filter=value:key=value,filter2=value"
GRAMMAR = (
    f"Up to {MAX_STAGES} filters are separated by commas and run in the order written; "
    "options are separated by colons: {form}. Values without a key come first, in the order shown."
)


def _default(which: Filter, option: Option) -> str:
    default = which.default(option)
    return "must be given" if default is inspect.Parameter.empty else f"default {option.kind.format(default)}"


def _short_form(which: Filter) -> str:
    """The filter with the options that need no key, or with its first one if all do."""
    if not which.positional:
        return f"{which.name}={which.options[0].key}={which.options[0].key.upper()}:..."
    return f"{which.name}={(which.joint or ':').join(key.upper() for key in which.positional)}"


def filters_help() -> str:
    """All filters and their options as plain text."""
    parts = [fill(GRAMMAR.format(form=FORM), 100)]
    for which in FILTERS:
        names = f"{_short_form(which)}   (also: {', '.join(which.aliases)})"
        lines = [names, f"  {which.doc}"]
        for option in which.options:
            head = f"{option.key}: {option.kind.legal}; {_default(which, option)}. {option.doc}"
            lines.append(fill(head, 100, initial_indent="    ", subsequent_indent="        "))
        lines += [f"  e.g. {example}" for example in which.examples]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _condition(which: Filter, part: Fidelity) -> str:
    option = which.option(part.option)
    if option is None:
        return "always"
    if not part.values:
        return f"`{option.key}` is not {option.kind.format(which.default(option))}"
    return " or ".join(f"`{option.key}={option.kind.format(value)}`" for value in part.values)


def filters_markdown() -> str:
    """The page docs/filters.md."""
    lines = [
        "# Filters",
        "",
        GRAMMAR.format(form=f"`{FORM}`"),
    ]
    lines += ["", "This page is made from the table in `texsamp/video/filters.py`, as are the help and all checks."]
    lines += ["What the labels mean is said in [fidelity.md](fidelity.md)."]
    for which in FILTERS:
        lines += ["", f"## {which.name}", "", which.doc, ""]
        lines += [f"Short form: `{_short_form(which)}`. Other names: {', '.join(f'`{a}`' for a in which.aliases)}.", ""]
        lines += ["| option | legal values | default | meaning |", "|---|---|---|---|"]
        for option in which.options:
            keys = ", ".join(f"`{key}`" for key in (option.key, *option.aliases))
            default = _default(which, option).removeprefix("default ")
            lines.append(f"| {keys} | {option.kind.legal} | {default} | {option.doc} |")
        lines += ["", "Examples: " + ", ".join(f"`{example}`" for example in which.examples), ""]
        lines += ["| part | fidelity | basis | when |", "|---|---|---|---|"]
        lines += [f"| {p.part} | {p.label} | {p.basis} | {_condition(which, p)} |" for p in which.fidelity]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(filters_markdown(), end="")
