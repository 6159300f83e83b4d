"""Every error texsamp raises on purpose. A message names the limit that was broken and the value found."""


class TexsampError(Exception):
    """Base of all texsamp errors; `except TexsampError` catches them all."""


class StateError(TexsampError, ValueError):
    """A hardware state, preset or option holds a value outside its legal range."""


class FormatError(TexsampError, ValueError):
    """A pixel, texture or container format is unknown, unsupported or malformed."""


class CaptureError(TexsampError, ValueError):
    """A command capture is malformed or does something the emulator refuses."""


class UndefinedBehavior(TexsampError):  # noqa: N818 - the manual's own word
    """The manual leaves the result undefined and texsamp has no documented definition for it."""


class DeviceError(TexsampError, RuntimeError):
    """A compute device is missing, out of memory, or failed to build or run a kernel."""


class MediaError(TexsampError, OSError):
    """A media file cannot be opened, decoded, encoded or written."""
