"""A video or a texture in the browser, served to this machine alone (docs/view.md)."""

from texsamp.view.opened import open_view
from texsamp.view.server import ViewServer

__all__ = ["ViewServer", "open_view"]
