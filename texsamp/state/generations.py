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

_DEVICES = {
    "ilk": 5, "snb": 6, "ivb": 7, "byt": 7, "hsw": 7.5, "bdw": 8, "chv": 8, "skl": 9, "bxt": 9, "kbl": 9, "glk": 9
}  # fmt: skip


def generation_of_device(device: str) -> float | None:
    """The generation of a device by drivers' short name, such as ``ivb_gt2``; None for other names."""
    return _DEVICES.get(device.partition("_")[0])


def check_generation(generation: float) -> None:
    """Raise StateError if the generation is not known."""
    if generation not in GENERATIONS:
        known = ", ".join(f"{number:g} {name}" for number, name in GENERATIONS.items())
        raise StateError(f"no generation {generation:g}; there are {known}")
