"""Commands and states in words: the fields that differ from their defaults."""

from __future__ import annotations

from typing import Any

from texsamp.emulator.files.capture import LocatedCommand
from texsamp.state import Struct
from texsamp.state.commands_mi import MiLoadRegisterImm
from texsamp.state.decode import RawCommand
from texsamp.state.registers import register_name
from texsamp.state.words import as_text


def fields_of(located: LocatedCommand) -> str:
    """What a command says: the fields that differ from their defaults, or its dwords."""
    command = located.command
    if isinstance(command, RawCommand):
        return "".join(f" {dword:#010x}" for dword in command.dwords)
    if isinstance(command, MiLoadRegisterImm):
        return "".join(f" {register_name(offset)}={value:#010x}" for offset, value in command.writes)
    if command.elements:
        return "".join(f"\n  {changed(element)}" for element in command.elements)
    return f" {changed(command)}"


def changed(state: Struct) -> str:
    """The fields of a state that differ from their defaults."""
    return " ".join(f"{name}={_value(value)}" for name, value in state.changed().items())


def _value(value: Any) -> str:
    return f"{value:#x}" if type(value) is int and value > 0xFFFF else as_text(value)
