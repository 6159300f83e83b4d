"""Named parameter sets of the states: what the manual documents and what the drivers write (`data/presets.csv`).

`doc` is the manual's default; `i965` intel-vaapi-driver on Ivy Bridge (`i965-dn` its denoise-only state), `hsw` the
same driver on Haswell, `ihd` intel media-driver. Every number has its provenance.
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TypeVar

from texsamp.errors import StateError
from texsamp.state.base import Struct

S = TypeVar("S", bound=Struct)


@dataclass(frozen=True, slots=True)
class PresetValue:
    """One number of a preset: the field's value as text and where it comes from."""

    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Unset:
    """Fields of a structure that no preset sets, and why."""

    fields: tuple[str, ...]
    reason: str


NOT_IN_PRESETS = MappingProxyType(
    {
        "SAMPLER_8x8_STATE": Unset(
            ("table_0x", "table_0y", "table_1x", "table_1y"),
            "coefficient tables depend on the scale ratio and are not part of a preset",
        )
    }
)
"""By the structure's name."""


@cache
def presets() -> MappingProxyType[tuple[str, str], MappingProxyType[str, PresetValue]]:
    """All presets: (structure name, preset name) -> field name -> value."""
    table: dict[tuple[str, str], dict[str, PresetValue]] = {}
    with files("texsamp.state").joinpath("data", "presets.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            fields = table.setdefault((row["structure"], row["preset"]), {})
            if row["field"] in fields:
                raise StateError(f"preset {row['preset']} sets {row['structure']}.{row['field']} twice")
            fields[row["field"]] = PresetValue(row["value"], row["source"])
    return MappingProxyType({key: MappingProxyType(fields) for key, fields in table.items()})


def preset_names(structure: type[Struct]) -> tuple[str, ...]:
    """Names of the presets a structure has."""
    return tuple(preset for name, preset in presets() if name == structure.name)


def preset(structure: type[S], name: str, *, generation: float | None = None, **fields: object) -> S:
    """Build a structure from a preset, with `fields` set over it; StateError if there is no such preset."""
    values = presets().get((structure.name, name))
    if values is None:
        known = ", ".join(preset_names(structure)) or "none"
        raise StateError(f"{structure.name} has no preset {name!r}; presets: {known}")
    return structure(generation=generation).replace(**{field: entry.value for field, entry in values.items()} | fields)
