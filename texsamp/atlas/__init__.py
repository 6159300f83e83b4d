"""The atlas: a fixed set of lookups on a real driver, and how it filters by their answers (docs/atlas.md)."""

from texsamp.atlas.driver import Driver, Places, State
from texsamp.atlas.measures import MEASURES, measured
from texsamp.atlas.opengl import OpenGl
from texsamp.atlas.ours import Ours
from texsamp.atlas.page import atlas_page

__all__ = ["MEASURES", "Driver", "OpenGl", "Ours", "Places", "State", "atlas_page", "measured"]
