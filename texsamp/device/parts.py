"""Arguments and results of functions that launch kernels, taken apart into arrays and all else, and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any

from texsamp.device.base import Array, Device
from texsamp.device.tape import Made, Tape

_PLAIN = {int, bool, float, str, bytes, NoneType}
_AGAIN = object()
"""Stands in a key before the place of something that was there before."""


class Given:
    """What a function is given: its arrays and dataclasses, each once, and the key of all else."""

    def __init__(self, array: type, arguments: object) -> None:
        self.array, self.arrays, self.parts = array, list[Array](), list[Any]()
        self.key: list[Any] = []
        self.places: dict[int, int] = {}
        self._add((arguments,))

    def _add(self, values: Iterable[Any]) -> None:
        key, places = self.key, self.places
        for value in values:
            kind: Any = type(value)
            if kind in _PLAIN:
                key.append(value)
                continue
            if kind in (tuple, list):
                key.append(len(value))
                self._add(value)
                continue
            if kind is dict:
                key.append(tuple(value))
                self._add(value.values())
                continue
            names = None if kind is self.array else looked_into(kind)
            if names is None and kind is not self.array:
                key.append(value)
                continue
            among = self.arrays if names is None else self.parts
            place = places.setdefault(id(value), len(among))
            if place < len(among):
                key += _AGAIN, place
                continue
            among.append(value)
            if names is None:
                key += value.shape, value.strides, value.dtype
            else:
                key.append(kind)
                self._add(names(value))


_Look = Callable[[Any], tuple[Any, ...]]


@cache
def looked_into(kind: Any) -> _Look | None:
    """Gets what launches depend on out of dataclasses that name it, or compare by identity; None for all else."""
    named = getattr(kind, "LAUNCHES_BY", None)
    if not is_dataclass(kind) or (named is None and kind.__eq__ is not object.__eq__):
        return None
    names = named or tuple(field.name for field in fields(kind) if field.init)
    return attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)


_Maker = Callable[[Given, list[Array]], Any]


class Returned:
    """How what a function returns is made of what it was given and of arrays that are made for it.

    ``made`` are these. ``failed``: it returns an array that is none of both, or a value that the key does not tell.
    """

    def __init__(self, tape: Tape, given: Given, result: object) -> None:
        self.made: list[Made] = []
        self.failed = False
        self._tape, self._given = tape, given
        self.build = self._maker(result)
        del self._tape, self._given

    def _maker(self, value: Any, in_key: bool = True) -> _Maker:
        """``in_key``: values of it that are no arrays are the same for all arguments of this key."""
        kind: Any = type(value)
        place = self._given.places.get(id(value))
        if kind in (tuple, list):
            makers = [self._maker(each, in_key) for each in value]
            return lambda given, made: kind(make(given, made) for make in makers)
        if kind is dict:
            pairs = [(key, self._maker(each, in_key)) for key, each in value.items()]
            return lambda given, made: {key: make(given, made) for key, make in pairs}
        if kind is self._given.array:
            return self._array(value) if place is None else lambda given, made: given.arrays[place]
        if looked_into(kind) is None:
            self.failed |= not in_key
            return lambda given, made: value
        if place is not None:
            return lambda given, made: given.parts[place]
        names = [each.name for each in fields(kind) if each.init]
        keyed = getattr(kind, "LAUNCHES_BY", names if in_key else ())
        named = [(name, self._maker(getattr(value, name), name in keyed)) for name in names]
        return lambda given, made: kind(**{name: make(given, made) for name, make in named})

    def _array(self, array: Array) -> _Maker:
        device: Device = self._tape.device
        address, shape, strides, dtype = device.address(array), array.shape, array.strides, array.dtype
        memory = self._tape.memory_at(address)
        found = None if memory is None else self._tape.made_as(memory)
        if memory is None or found is None:
            self.failed = True
            return lambda given, made: None
        if found not in self.made:
            self.made.append(found)
        at, begin_B = self.made.index(found), address - memory.begin
        if (shape, dtype.str) == (found.shape, found.dtype):
            return lambda given, made: made[at]
        return lambda given, made: device.part(made[at], begin_B, shape, dtype, strides)
