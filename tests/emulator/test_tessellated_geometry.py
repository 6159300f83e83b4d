"""Geometry threads of what the tessellator makes: as those of a draw whose vertices are what domain threads left."""

import numpy as np
import pytest
from emulator import test_geometry_stage as geometry
from emulator import test_tessellation as tessellation
from support.crossings import brought_by_stages
from support.draws import Draw

from texsamp.state.commands_3d import Topology

pytestmark = pytest.mark.usefixtures("each_place")

PATCHES = {
    "TRI": [tessellation.triangle(2, 3, 4, 3), tessellation.triangle(0, 1, 1, 1), tessellation.triangle(5, 1, 2, 6)],
    "ISOLINE": [tessellation.header((6, 3), (7, 2)), tessellation.header((6, 1), (7, 5))],
}
OUTPUTS = {"POINT": "POINTLIST", "LINE": "LINELIST", "TRI_CW": "TRILIST"}
CORNERS = {"POINT": 1, "LINE": 2, "TRI_CW": 3}


def drawn(domain, output, shader, text, count=1):
    """Patches with a geometry shader, and vertices, objects and primitive ids without it."""
    vertices = tessellation.vertices_of(PATCHES[domain] * count)
    vertices[:, 2, 0, 3] = 4 + np.arange(len(vertices)) % 3  # what the shader says of how many vertices it puts out
    fields = {"domain": domain, "output": output}
    found = tessellation.drawn(vertices, **fields).run().primitives
    draw = tessellation.drawn(vertices, geometry_kernel=text, **fields)
    draw.set(*geometry.settings(**shader))
    return draw, found


@pytest.mark.parametrize("handles", [False, True])
@pytest.mark.parametrize("dispatch", ["SINGLE", "DUAL_INSTANCE", "DUAL_OBJECT"])
@pytest.mark.parametrize(("domain", "output"), [("TRI", "TRI_CW"), ("TRI", "POINT"), ("ISOLINE", "LINE")])
def test_objects_of_patches_go_through_geometry_threads(domain, output, dispatch, handles):
    inputs = CORNERS[output]
    shader = {"dispatch_mode": dispatch, "instances": 3, "include_primitive_id": True, "grf_start": 3}
    text = geometry.kernel(inputs, dispatch, first=3)
    if handles:
        shader |= {"include_primitive_id": False, "include_vertex_handles": True, "urb_read_length": 0}
        shader |= {"scratch_base": 0x10000, "max_threads": 2}
        text = geometry.pulled(inputs, dispatch, 10) + geometry.kernel(inputs, dispatch, first=10)
    draw, given = drawn(domain, output, shader, text)
    found = draw.run().primitives
    elements = given.vertices[given.corners.reshape(-1)]
    plain = (
        Draw(elements, {"GS": text}, settings=geometry.settings(**shader), topology=OUTPUTS[output]).run().primitives
    )
    assert len(found.corners) > 4
    assert np.array_equal(found.vertices[found.corners], plain.vertices[plain.corners])
    assert found.numbers.tolist() == given.numbers[plain.numbers].tolist()


@pytest.mark.parametrize("handles", [False, True])
def test_of_objects_of_patches_numbers_come_alone(handles, monkeypatch):
    """With handles one more: how many vertices the objects have that run together."""
    shader = {"dispatch_mode": "SINGLE", "max_threads": 128, "output_topology": int(Topology.POINTLIST)}
    text = geometry.kernel(3, "SINGLE")
    if handles:
        shader |= {"include_vertex_handles": True, "urb_read_length": 0, "grf_start": 2}
        text = geometry.pulled(3, "SINGLE", 10) + geometry.kernel(3, "SINGLE", first=10)
    brought = [brought_by_stages(monkeypatch, drawn("TRI", "TRI_CW", shader, text, count)[0]) for count in (1, 4)]
    assert brought == [8 * (5 + 2 + 2 + handles)] * 2
