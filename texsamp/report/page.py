"""Templates filled in: one HTML file with everything inside."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from texsamp.errors import DeviceError

if TYPE_CHECKING:
    from jinja2 import Environment

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""What a page may load: nothing that is not in it."""


def script_data(data: Any) -> str:
    """JSON that can stand inside a script element, whatever its strings hold."""
    return json.dumps(data).replace("<", "\\u003c")


@cache
def templates() -> Environment:
    """Those of this package, for values that are text and never markup. DeviceError without jinja2."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise DeviceError("reports need jinja2: pip install 'texsamp[report]'") from None
    return Environment(
        loader=PackageLoader("texsamp.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


def page(template: str, **values: Any) -> str:
    """A template with values. DeviceError without jinja2."""
    return templates().get_template(template).render(policy=_POLICY, **values)
