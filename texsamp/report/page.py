"""Templates filled in: one HTML file with everything inside."""

from __future__ import annotations

from typing import Any

from texsamp.errors import DeviceError

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""What a page may load: nothing that is not in it."""


def page(template: str, **values: Any) -> str:
    """A template of this package with values, which are text and never markup. DeviceError without jinja2."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise DeviceError("reports need jinja2: pip install 'texsamp[report]'") from None
    environment = Environment(
        loader=PackageLoader("texsamp.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template(template).render(policy=_POLICY, **values)
