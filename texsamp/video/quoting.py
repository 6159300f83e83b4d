"""Text with quoted parts: where it may be split, and what it says without its quotes."""

from __future__ import annotations

from texsamp.errors import StateError


def split_outside_quotes(text: str, separator: str) -> list[str]:
    """The parts of a text between separators that are neither inside quotes (' or ") nor behind a backslash.

    Quotes and backslashes stay. Raises StateError for a quote that does not end.
    """
    parts, begin, quote = [], 0, ""
    escaped = False
    for at, letter in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            quote = "" if letter == quote else quote
        elif letter == "\\":
            escaped = True
        elif letter in "'\"":
            quote = letter
        elif letter == separator:
            parts.append(text[begin:at])
            begin = at + 1
    if quote:
        raise StateError(f"a quote {quote} does not end in {text[:100]!r}")
    return [*parts, text[begin:]]


def unquoted(text: str) -> str:
    """A text without the quotes around it, if it is quoted as a whole."""
    stripped = text.strip()
    if len(stripped) >= 2 and stripped[0] in "'\"" and stripped.find(stripped[0], 1) == len(stripped) - 1:
        return stripped[1:-1]
    return stripped
