"""Run inside an environment that has the real CuPy: which of the names on standard input it has, with which keywords.

It needs no driver. Standard input: JSON, dotted name to keywords. Standard output: JSON, what is missing, in words.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys


def find(dotted: str) -> object:
    """What a dotted name is: a module, or something in one. Raises ImportError or AttributeError."""
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for name in parts[count:]:
            found = getattr(found, name)
        return found
    raise ImportError(dotted)


def keywords(thing: object) -> set[str] | None:
    """Names of the parameters: from the signature, else from the first line of the documentation; None if unknown."""
    try:
        return set(inspect.signature(thing).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        text = re.sub(r"->.*", "", (getattr(thing, "__doc__", "") or "").strip().partition("\n")[0])
    listed = re.search(r"\((.*)\)\s*$", text)
    if listed is None:
        return None
    return {re.split(r"[=\s]+", each.strip().partition("=")[0].strip())[-1] for each in listed[1].split(",")}


def main() -> None:
    """Answer for every name."""
    missing = []
    for dotted, wanted in json.load(sys.stdin).items():
        try:
            thing = find(dotted)
        except (ImportError, AttributeError) as error:
            missing.append(f"{dotted}: {error}")
            continue
        known = keywords(thing) if wanted else set()
        if known is None:
            missing.append(f"{dotted}: its parameters cannot be read")
        elif not {"kwargs", "args"} & known and (lacking := sorted(set(wanted) - known)):
            missing.append(f"{dotted} does not take {', '.join(lacking)}, but {', '.join(sorted(known))}")
    json.dump({"version": find("cupy.__version__"), "missing": missing}, sys.stdout)


if __name__ == "__main__":
    main()
