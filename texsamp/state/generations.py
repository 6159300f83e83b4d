"""Graphics generations and their usual names."""

from types import MappingProxyType

from texsamp.errors import StateError

GENERATIONS = MappingProxyType(
    {
        4: "Broadwater",
        4.5: "Cantiga",
        5: "Ironlake",
        6: "Sandy Bridge",
        7: "Ivy Bridge and Bay Trail",
        7.5: "Haswell",
        8: "Broadwell",
        9: "Skylake",
    }
)
"""Number to name, of those the states and format tables know."""


def check_generation(generation: float) -> None:
    """Raise StateError if the generation is not known."""
    if generation not in GENERATIONS:
        known = ", ".join(f"{number:g} {name}" for number, name in GENERATIONS.items())
        raise StateError(f"no generation {generation:g}; there are {known}")
