"""What a filter of the filter graph is: its words, its options and how faithful each of its parts is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from texsamp.fidelity.part import Part
from texsamp.video.options import FileName, Kind
from texsamp.video.stage import Stage


@dataclass(frozen=True)
class Option:
    """One option: the key people type and the parameter of the stage's constructor (and its attribute) it sets."""

    key: str
    parameter: str
    kind: Kind
    doc: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Filter:
    """One filter. ``positional`` names the options that may be given without their keys, in order.

    ``joint`` is a letter that may join the first positional values (the x of 1280x720), or nothing. ``of_aliases``: the
    option values, by key, that a filter named by an alias has unless others are given.
    """

    name: str
    stage: type[Stage]
    doc: str
    examples: tuple[str, ...]
    fidelity: tuple[Part, ...]
    options: tuple[Option, ...] = ()
    positional: tuple[str, ...] = ()
    joint: str = ""
    aliases: tuple[str, ...] = ()
    of_aliases: Mapping[str, Any] = field(default_factory=dict)

    def option(self, key: str) -> Option | None:
        """The option of a key or alias."""
        return next((o for o in self.options if key == o.key or key in o.aliases), None)

    def default(self, option: Option) -> Any:
        """Default value of an option, from the stage's constructor; `inspect.Parameter.empty` if it must be given."""
        return inspect.signature(self.stage).parameters[option.parameter].default

    def required(self) -> tuple[str, ...]:
        """Keys of the options without a default."""
        return tuple(o.key for o in self.options if self.default(o) is inspect.Parameter.empty)

    def values_of(self, stage: Stage) -> dict[str, Any] | None:
        """The option values a stage was made with, by key; None if it was made with something no text can say."""
        values = {o.key: getattr(stage, o.parameter) for o in self.options}
        return None if None in values.values() else values

    def text(self, values: Mapping[str, Any]) -> str:
        """The shortest filter text with these option values."""
        shown = [o for o in self.options if values[o.key] != self.default(o)]
        texts = {o.key: o.kind.format(values[o.key]) for o in shown}
        leading = list(takewhile(texts.__contains__, self.positional))
        places = [texts.pop(key) for key in leading]
        words = [self.joint.join(places)] if self.joint else places
        words += [f"{key}={text}" for key, text in texts.items()]
        return f"{self.name}={':'.join(words)}" if any(words) else self.name

    def takes_a_file(self) -> bool:
        """Whether quotes around all arguments are around the name of a file, where ``:`` and ``=`` say nothing."""
        return any(isinstance(o.kind, FileName) and o.key in self.positional for o in self.options)

    def parts_in_use(self, values: Mapping[str, Any]) -> Iterator[Part]:
        """The parts that take part with these option values."""
        for part in self.fidelity:
            conditions = ((part.option, part.values), (part.needs, part.needed))
            if all(self._holds(name, wanted, values) for name, wanted in conditions):
                yield part

    def _holds(self, name: str, wanted: tuple[Any, ...], values: Mapping[str, Any]) -> bool:
        option = self.option(name)
        if option is None:
            return True
        value = values[option.key]
        return value in wanted if wanted else value != self.default(option)
