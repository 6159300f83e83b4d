"""The text of a filter graph: ``filter=value:key=value,filter2=...`` to stages.

Filters are separated by commas outside quotes, their options by colons. Options may be given without their keys, in
the order of the filter's ``positional``, before those with keys. Spaces around any word are ignored. A name that no
filter of ours has may be that of a foreign one (see `foreign`), which then takes the text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from texsamp.errors import StateError
from texsamp.video.filter_spec import Filter, Option
from texsamp.video.filters import FILTERS, find_filter
from texsamp.video.foreign import OURS_INSTEAD, foreign_filters
from texsamp.video.options import Choice, did_you_mean, new_name
from texsamp.video.quoting import split_outside_quotes, unquoted
from texsamp.video.stage import Stage

_LONGEST_NAME = 100


def parse_graph(text: str, filters: tuple[Filter, ...] = FILTERS) -> list[Stage]:
    """The stages of a filter graph text; none for an empty text.

    Raises StateError naming the filter, key and value that are wrong and what is legal.
    """
    if not text.strip():
        return []
    words = split_outside_quotes(text, ",")
    return [_parse_filter(word.strip(), place, filters) for place, word in enumerate(words, start=1)]


def _parse_filter(text: str, place: int, filters: tuple[Filter, ...]) -> Stage:
    name, equals, arguments = (part.strip() for part in text.partition("="))
    if not name:
        raise StateError(f"filter {place} has no name: write filter=key=value:key=value,filter2=...")
    which = find_filter(name, filters)
    if which is None:
        return _parse_foreign(name, arguments, text, filters)
    if equals and not arguments:
        raise StateError(f"filter {which.name!r}: nothing follows {name + '='!r}")
    given = arguments if which.takes_a_file() else unquoted(arguments)
    values = _parse_arguments(which, given) if arguments else {}
    if name != which.name:
        values = {**which.of_aliases, **values}
    missing = [key for key in which.required() if key not in values]
    if missing:
        raise StateError(f"filter {which.name!r} needs {' and '.join(missing)}: for example {which.examples[0]}")
    parameters = {o.parameter: values[o.key] for o in which.options if o.key in values}
    return which.stage(**parameters)  # its own errors name the filter


def _parse_foreign(name: str, arguments: str, text: str, filters: tuple[Filter, ...]) -> Stage:
    """A stage of a filter that is not texsamp's, by its own name or as quoted text under its owner's keyword."""
    known = [word for f in filters for word in (f.name, *f.aliases)]
    legal = ", ".join(f.name for f in filters)
    for foreign in foreign_filters():
        if name == foreign.keyword:
            return foreign.make(unquoted(arguments))
        known.extend(foreign.names())
        if name in foreign.names():
            return foreign.make(text)
    if len(name) > _LONGEST_NAME:
        raise StateError(
            f"unknown filter '{name[:_LONGEST_NAME]}...', a name of {len(name)} letters: known are {legal}"
        )
    hint = f"; texsamp's own is {OURS_INSTEAD[name]}" if name in OURS_INSTEAD else did_you_mean(name, known)
    owners = "".join(f", and any of {foreign.owner}'s with one input and output" for foreign in foreign_filters())
    raise StateError(f"unknown filter {name!r}: known are {legal}{owners}{hint}")


def _parse_arguments(which: Filter, text: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for option, value in _arguments(which, text):
        if option.key in values:
            raise StateError(f"filter {which.name!r}: {option.key!r} is given twice")
        try:
            values[option.key] = option.kind.parse(unquoted(value))
        except ValueError:
            close = did_you_mean(value, option.kind.names) if isinstance(option.kind, Choice) else ""
            hint = close or new_name(option.kind, unquoted(value))
            raise StateError(
                f"filter {which.name!r}: {option.key} must be {option.kind.legal}, found {value!r}{hint}"
            ) from None
    return values


def _arguments(which: Filter, text: str) -> Iterator[tuple[Option, str]]:
    """Options and their values as text, in the order they are written."""
    words = split_outside_quotes(text, ":")
    places = iter(which.positional)
    keyed = False
    for index, word in enumerate(words):
        key = split_outside_quotes(word, "=")[0]
        equals, value = word[len(key) : len(key) + 1], word[len(key) + 1 :].strip()
        key = key.strip()
        if equals:
            keyed = True
            option = which.option(key)
            if option is None:
                raise StateError(_unknown_key(which, key))
            yield option, value
            continue
        if keyed or not key:
            raise StateError(f"filter {which.name!r}: expected key=value, found {word!r}{_key_hint(which, key)}")
        joined = re.split(f"(?<!ma){which.joint}", key) if which.joint and index == 0 else [key]  # not the x of max
        for part in joined:
            option = which.option(next(places, ""))
            if option is None:
                raise StateError(
                    f"filter {which.name!r} takes at most {len(which.positional)} values without a key "
                    f"({', '.join(which.positional)}), found {part!r}{_key_hint(which, part)}"
                )
            yield option, part.strip()


def _unknown_key(which: Filter, key: str) -> str:
    known = [word for o in which.options for word in (o.key, *o.aliases)]
    legal = ", ".join(o.key for o in which.options)
    return f"filter {which.name!r} has no option {key!r}: it has {legal}{did_you_mean(key, known)}"


def _key_hint(which: Filter, word: str) -> str:
    """How to write a word that is a key without its value, or a value without its key."""
    option = which.option(word)
    if option is not None:
        return f" (write {option.key}=value: {option.kind.legal})"
    keys = [o.key for o in which.options if isinstance(o.kind, Choice) and word in o.kind.names]
    return f" (write {' or '.join(f'{key}={word}' for key in keys)})" if keys else ""
