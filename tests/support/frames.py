"""Frames of random elements, garbage in unused bits and padded rows included, and their samples."""

import numpy as np

from support.filter_cases import padded_plane, picture
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS
from texsamp.video.frame import Frame


def random_frame(rng: np.random.Generator, name: str, width: int, height: int, pattern: str | None = None) -> Frame:
    """A frame over planes with padded rows; the bits of elements that belong to no sample are random."""
    layout = PIXEL_LAYOUTS[name]
    planes = [
        padded_plane(rng, *layout.plane_shape(i, width, height), layout.dtype.str) for i in range(layout.plane_count)
    ]
    frame = Frame.from_arrays(layout, planes, width, height, device="cpu")
    if pattern:
        for component, part in layout.components.items():
            view = frame.component(component)
            mask = ((1 << part.bits) - 1) << part.shift
            values = picture(rng, *view.shape, (1 << part.bits) - 1, pattern).astype(view.dtype)
            view[...] = (view & (np.iinfo(view.dtype).max - mask)) | (values << part.shift)
    return frame


def samples_of(frame: Frame, component: str) -> np.ndarray:
    """A component's samples, without the rest of their elements; int64."""
    part = frame.layout.components[component]
    return (frame.component(component).astype(np.int64) >> part.shift) & ((1 << part.bits) - 1)


def assert_unused_bits_are_zero(frame: Frame) -> None:
    """Every bit of an element belongs to a sample or is 0 (elements that hold no sample at all are not looked at)."""
    for index, plane in enumerate(frame.planes):
        used = np.zeros(plane.shape, dtype=plane.dtype)
        for component, part in frame.layout.components.items():
            if part.plane == index:
                columns, rows = frame.layout.component_size(component, frame.width_px, frame.height_px)
                used[:rows, part.offset :: part.step][:, :columns] |= np.array(
                    ((1 << part.bits) - 1) << part.shift, dtype=plane.dtype
                )
        held = used != 0
        assert not (plane[held] & ~used[held]).any()
