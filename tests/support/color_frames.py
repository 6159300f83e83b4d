"""Small frames for the tests of the color filters."""

import numpy as np

from support.frames import samples_of
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import ColorTags, Frame


def applied(stage, frame):
    (result,) = stage.feed(frame)
    return result


def same(a, b, components):
    return all(np.array_equal(samples_of(a, c), samples_of(b, c)) for c in components)


def patch(name, *values, size=(4, 2), **tags):
    """A frame of one color."""
    layout = PIXEL_LAYOUTS[name]
    frame = Frame.empty(layout, *size, "cpu")
    for component, value in zip(layout.components, values, strict=False):
        frame.component(component)[...] = value << layout.components[component].shift
    return frame.with_color(ColorTags(**tags))


def color_of(frame):
    """The samples of the upper left pixel."""
    return tuple(int(samples_of(frame, c)[0, 0]) for c in frame.layout.components)
