"""What sampler messages have read and had checked, for those of the next threads: surfaces, and forms of messages."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from texsamp.emulator.shared.sampler.plain_messages import PlainForm
from texsamp.surface.surface import Surface

FormKey = tuple[int, int, int | None]
"""Descriptor of messages, bits of their surface's and sampler's state."""
_MOST_FORMS = 1024
What = tuple[Hashable, ...]
Version = tuple[int, int]


class KeptSurfaces:
    """Surfaces by what was read, as long as their memory has one version.

    Those that neither a dispatch nor the one before it reads are dropped, so that memory is bounded. Dispatches that
    read none do not count.
    """

    def __init__(self) -> None:
        self._before: dict[What, tuple[Version, Surface]] = {}
        self._now: dict[What, tuple[Version, Surface]] = {}
        self._begins = False
        self._forms: dict[FormKey, PlainForm] = {}

    def begin(self) -> None:
        """A dispatch begins."""
        self._begins = True

    def get(self, what: What, version: Version, read: Callable[[], Surface]) -> Surface:
        """The surface, read again if its memory has another version than it had."""
        if self._begins:
            self._before, self._now, self._begins = self._now, {}, False
        kept = self._now.get(what) or self._before.get(what)
        if kept is None or kept[0] != version:
            self._before.pop(what, None)
            self._now.pop(what, None)
            kept = version, read()
        self._now[what] = kept
        return kept[1]

    def form(self, key: FormKey) -> PlainForm | None:
        """The plain form of messages, if one of them has been seen to have it."""
        return self._forms.get(key)

    def keep_form(self, key: FormKey, form: PlainForm) -> None:
        """Messages of this key have this form."""
        if len(self._forms) == _MOST_FORMS:
            self._forms.clear()
        self._forms[key] = form
