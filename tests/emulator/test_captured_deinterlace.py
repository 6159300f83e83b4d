"""Captured denoise and deinterlace cases, held to the literal oracles through all submissions of a picture."""

import numpy as np
import pytest
from support.deinterlace_calls import literal_call
from support.replayed import ScaleMessages, input_planes, paths, replayed

from texsamp.emulator import Capture, CaseMemory, referenced_states, walk
from texsamp.video.denoise import Denoise, DenoiseParameters
from texsamp.video.frame import Frame

COPIED, CURRENT, REFERENCE, STORED, DENOISED = (f"surface {n}" for n in (0, 3, 4, 5, 24))
SECOND, FIRST, WRITTEN = (f"surface {n}" for n in (27, 30, 33))
"""By the driver's binding table indices. Its reference is not always the one that the client has asked for."""


class _Submission:
    """The state of a deinterlace message and the buffer objects its kernel uses, by surface."""

    def __init__(self, path):
        self.capture, memory = Capture.open(path), CaseMemory()
        memory.enter(self.capture)
        commands = list(walk(memory, self.capture.batch_address, length=self.capture.batch_length))
        self.state, self.surfaces = None, {}
        for reference in referenced_states(self.capture, memory, commands):
            if reference.state.name == "DEINTERLACE_SAMPLER_STATE":
                self.state = reference.state
            elif "surface" in reference.role:
                name = reference.role[reference.role.index("surface") :]
                self.surfaces[name] = memory.find(reference.state.base_address).handle


def _picture(planes):
    luma, chroma = planes
    return {"Y": luma, "U": chroma[:, 0::2], "V": chroma[:, 1::2]}


def _source(note):
    return _picture(input_planes(note))


def _denoised(picture, state):
    """As a first, progressive frame: what the driver asks for."""
    assert state.first_frame and state.progressive_dn
    frame = Frame.from_arrays("gray", [np.ascontiguousarray(picture["Y"])], *picture["Y"].shape[::-1], "cpu")
    (out,) = Denoise(settings=DenoiseParameters.from_state(state), chroma="off").feed(frame)
    return picture | {"Y": out.planes[0]}


def _written(made):
    """What the driver's kernel keeps of a field's picture for a surface of 4:2:0: chroma of even lines."""
    return made and {"Y": made["Y"], "U": made["U"][::2], "V": made["V"][::2]}


def _expected(case, most):
    """Pictures the last submissions of each output picture copy, and the captures of those.

    The driver writes the reference's second field first and the current frame's first one last, mostly to one surface.
    """
    stmm, pictures, sources = {}, {}, {}
    for path in paths(case, most):
        submission = _Submission(path)
        meta, state, surfaces = submission.capture.meta, submission.state, submission.surfaces
        sources |= {note["bo_handle"]: _source(note) for note in (meta["src"], *meta["forward_refs"])}
        if state is None:
            if surfaces:
                yield path, pictures[surfaces[COPIED]]
            continue
        if state.dn_enable:
            pictures[surfaces[DENOISED]] = _denoised(_source(meta["src"]), state)
            continue
        shown = sources | pictures
        current = shown[surfaces[CURRENT]]
        nothing = np.zeros((len(current["Y"]), current["Y"].shape[1] // 2), np.uint8)
        reference = None if state.first_frame else shown[surfaces[REFERENCE]]
        stored = stmm.get(surfaces[STORED], nothing)
        made = literal_call(state, current, reference, stored, None, statistics=False)
        stmm[surfaces[WRITTEN]] = made.stmm
        pictures |= {surfaces[SECOND]: _written(made.second), surfaces[FIRST]: _written(made.first)}


@pytest.mark.parametrize(
    ("case", "submissions"),
    [
        ("dn_025", 4),
        ("dn_050", 2),
        ("di_bob_top", 2),
        ("di_bob_both", 4),
        ("di_madi_top", 4),
        ("di_madi_both", 6),
        ("di_mcdi_both", 4),
    ],
)
def test_pictures_equal_the_literal_oracles(case, submissions):
    found = replayed(case, submissions)
    assert len(found) == submissions // 2
    for (_, picture), made in zip(_expected(case, submissions), found, strict=True):
        planes = made.planes
        assert np.array_equal(planes[0], picture["Y"])
        assert np.array_equal(planes[1][:, 0::2], picture["U"])
        assert np.array_equal(planes[1][:, 1::2], picture["V"])


def test_denoised_and_deinterlaced_pictures_are_scaled():
    found = replayed("dn_di_scale", 6)
    for (path, picture), made in zip(_expected("dn_di_scale", 6), found, strict=True):
        messages = ScaleMessages(path)
        rows, columns = made.planes[0].shape
        scaled = [messages.luma(picture["Y"]), messages.chroma(picture["U"]), messages.chroma(picture["V"])]
        assert np.array_equal(made.planes[0], scaled[0][:rows, :columns])
        assert np.array_equal(made.planes[1][:, 0::2], scaled[1][: rows // 2, : columns // 2])
        assert np.array_equal(made.planes[1][:, 1::2], scaled[2][: rows // 2, : columns // 2])


def test_denoised_pictures_are_placed_on_a_filled_background():
    (found,) = replayed("dn_region_bg", 3)
    ((path, picture),) = _expected("dn_region_bg", 3)
    meta = Capture.open(path).meta
    left, top, width, height = meta["output_region"]
    x, y, source_width, source_height = meta["surface_region"]
    surface = picture["Y"][: y + source_height, : x + source_width]
    placed = found.planes[0][top : top + height, left : left + width]
    assert np.array_equal(placed, ScaleMessages(path).luma(surface)[:height, :width])
    assert len(np.unique(found.planes[0][:top])) == 1
