"""Markup of tables and pictures, in which every text is text."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

_CELL = "text-align:left;vertical-align:top;padding:.1em .6em"


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], strong: Iterable[int] = ()) -> str:
    """A table; rows of the numbers in ``strong``, from 0, stand out."""
    marked = set(strong)
    titles = "".join(f'<th style="{_CELL}">{escape(each)}</th>' for each in head)
    lines = []
    for number, row in enumerate(rows):
        tag = "th" if number in marked else "td"
        lines.append("<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(str(each))}</{tag}>' for each in row) + "</tr>")
    above = f"<thead><tr>{titles}</tr></thead>" if head else ""
    return f"<table><caption>{escape(caption)}</caption>{above}<tbody>{''.join(lines)}</tbody></table>"


def figure(png: bytes, caption: str) -> str:
    """A picture with words below, no wider than the page."""
    data = base64.b64encode(png).decode()
    image = f'<img alt="{escape(caption)}" style="max-width:100%" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def framed(page: str, height_px: int) -> str:
    """A page of its own inside, which reaches nothing outside of itself."""
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height_px}px;border:1px solid #888" '
        f'srcdoc="{escape(page)}"></iframe>'
    )
