"""Signs of damage in an input: told as notes, or an error for those who want none of it."""

from __future__ import annotations

from fractions import Fraction

from texsamp.errors import MediaError, TexsampError


class Damage:
    """What is broken in the input ``path``. With ``strict`` the first sign of damage raises MediaError."""

    def __init__(self, path: str, strict: bool = False) -> None:
        self._path, self._strict = path, strict
        self._sign: str | None = None
        self._packets = self._pictures = 0
        self._first_picture_s = Fraction(0)

    def _refuse(self, what: str) -> None:
        if self._strict:
            raise MediaError(f"{self._path}: is damaged: {what}")

    def container(self, sign: str) -> None:
        """The container is damaged. Only the first sign is told: others follow from it."""
        if self._sign is None:
            self._sign = sign
        self._refuse(sign)

    @property
    def has_packets(self) -> bool:
        """Whether there was a packet that could not be decoded."""
        return self._packets > 0

    def packet(self) -> None:
        """A packet could not be decoded at all."""
        self._packets += 1
        self._refuse("a packet cannot be decoded")

    def picture(self, time_s: Fraction) -> None:
        """The decoder has made up a part of the picture at this time of the input."""
        if not self._pictures:
            self._first_picture_s = time_s
        self._pictures += 1
        self._refuse(f"its picture at {float(time_s):.3f} s is incomplete")

    def tell_with(self, error: BaseException | None) -> None:
        """Add the damage to an error that ends a run, as it may be the cause."""
        if isinstance(error, TexsampError) and not self._strict:
            for text in self.notes:
                error.add_note(f"{self._path}: {text}")

    @property
    def notes(self) -> list[str]:
        """One line for people for each kind of damage."""
        notes = [] if self._sign is None else [f"the file is damaged or ends early: {self._sign}"]
        if self._packets:
            notes.append(f"{self._packets} damaged packet{'s' * (self._packets > 1)} could not be decoded")
        if self._pictures:
            are = "pictures are" if self._pictures > 1 else "picture is"
            notes.append(
                f"{self._pictures} {are} damaged, the first at {float(self._first_picture_s):.3f} s: the decoder made "
                "up what is missing, and pictures after it may repeat that"
            )
        return notes
