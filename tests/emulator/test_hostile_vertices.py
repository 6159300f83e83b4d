"""Vertex side of hostile draws: an error of ours or primitives, in bounded work, whatever the state says."""

import numpy as np
import pytest
from support.draws import CONSTANTS, INDICES, KERNEL_STEP, OUTPUT, STAGES, Draw, stage_command, write_slots

from texsamp.errors import CaptureError
from texsamp.state.commands_3d import (
    DomainShader,
    GeometryShader,
    HullShader,
    IndexBuffer,
    StreamOut,
    StreamOutBuffer,
    StreamOutDeclarations,
    Tessellator,
    Topology,
    VertexElements,
    VertexElementState,
    VertexShader,
)
from texsamp.state.formats import surface_formats

COPY = f"""
    mov (8) r112.0<1>:ud r0.0<8;8,1>:ud {{NoMask}}
    mov (1) r112.5<1>:ud 0xff00:ud {{NoMask}}
    mov (1) r112.2<1>:ud 0x00030002:ud {{NoMask}}
    mov (8) r113.0<1>:ud r5.0<8;8,1>:ud
    mov (8) r114.0<1>:ud r6.0<8;8,1>:ud
    {write_slots(2)}
"""
FORMATS = list(surface_formats())
BUDGET = 3000


def fields(rng, **limits):
    """Random fields: below a number, or one of several."""
    return {name: int(rng.integers(limit)) if isinstance(limit, int) else rng.choice(limit).item()
            for name, limit in limits.items()}  # fmt: skip


def shaders(rng):
    common = {"grf_start": 7, "urb_read_length": 3, "urb_read_offset": 2, "max_threads": [1, 2, 100]}
    at = {name: KERNEL_STEP * number for name, number in STAGES.items()}
    if rng.random() < 0.6:
        yield VertexShader(enable=True, **fields(rng, **common, single_vertex_dispatch=2))
    if rng.random() < 0.4:
        hull = common | {"include_vertex_handles": 2, "instances": [1, 2, 16]}
        yield HullShader(enable=True, kernel_start=at["HS"], **fields(rng, **hull))
        factors = [63.0, 3.0, 0.0, -1.0, 1e9]
        yield Tessellator(
            enable=True,
            **fields(
                rng, domain=3, partitioning=3, output_topology=4, max_factor_odd=factors, max_factor_not_odd=factors
            ),
        )
        domain = {"grf_start": 7, "patch_read_length": 6, "patch_read_offset": 4, "max_threads": [1, 2, 100]}
        yield DomainShader(enable=True, kernel_start=at["DS"], **fields(rng, **domain, single_point_dispatch=2))
    if rng.random() < 0.5:
        shader = common | {
            "output_vertex_size": [1, 2, 64], "control_data_size": 16, "control_data_format": 2, "output_topology": 40,
            "instances": [1, 2, 32], "dispatch_mode": 3, "include_primitive_id": 2, "discard_adjacency": 2,
        }  # fmt: skip
        yield GeometryShader(enable=True, kernel_start=at["GS"], **fields(rng, **shader))
    for stage in STAGES:
        yield stage_command("3DSTATE_URB", stage, **fields(rng, entry_size=[1, 2, 4, 512]))


def others(rng):
    if rng.random() < 0.4:
        yield StreamOut(
            enable=True, statistics=True, buffers=[True] * 4, **fields(rng, render_stream=4, reorder_mode=2)
        )
        words = rng.integers(0, 1 << 32, 8).tolist()
        yield StreamOutDeclarations(
            buffer_selects=rng.integers(0, 16, 4).tolist(), entries=rng.integers(0, 7, 4).tolist(), tail=words
        )
        for number in range(4):
            places = {
                "base_address": OUTPUT + 4 * int(rng.integers(100)),
                "end_address": OUTPUT + 4 * int(rng.integers(9000)),
            }
            yield StreamOutBuffer(index=number, pitch=4 * int(rng.integers(64)), **places)
    if rng.random() < 0.4:
        control = {f"component_{n}": 8 for n in range(4)} | {"offset": 40, "edge_flag": [0, 0, 0, 1], "format": FORMATS}
        count = int(rng.integers(1, 4))
        yield VertexElements(tail=[VertexElementState(valid=True, **_legal(rng, control)) for _ in range(count)])
    yield IndexBuffer(
        start_address=INDICES + int(rng.integers(5)), end_address=INDICES + int(rng.integers(70)),
        **fields(rng, index_format=3, cut_index=2),
    )  # fmt: skip


def _legal(rng, limits):
    found = fields(rng, **limits)
    return found if not surface_formats()[found["format"]].generation > 7 else found | {"format": "RAW"}


@pytest.mark.parametrize("seed", range(40))
def test_random_state_ends_in_primitives_or_an_error(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.integers(0, 1 << 32, (int(rng.integers(1, 30)), int(rng.integers(1, 5)), 4), dtype=np.uint64)
    vertices = vertices.astype(np.uint32)
    if rng.random() < 0.5:
        vertices = rng.uniform(0.1, 5, vertices.shape).astype(np.float32)
    counts = fields(
        rng, vertex_count=[len(vertices), len(vertices), 0, 100, 1 << 31], instance_count=[1, 1, 2, 0, 1000],
        start_vertex=[0, 1, 1 << 31], vertex_access=2, end_offset=[0, 0, 1],
        topology=[int(topology) for topology in Topology],
    )  # fmt: skip
    draw = Draw(
        vertices, dict.fromkeys(STAGES, COPY), indices=rng.integers(0, 40, 64).astype(np.uint8),
        constants=np.zeros(16, np.uint32), settings=[*shaders(rng), *others(rng)], **counts,
    )  # fmt: skip
    assert draw.context.bases.dynamic == CONSTANTS
    try:
        left = draw.run(budget=BUDGET).primitives
    except CaptureError:
        return
    if left is not None:
        assert left.corners.size == 0 or (left.corners.min() >= 0 and left.corners.max() < len(left.vertices))
        assert len(left.corners) == len(left.submitted) == len(left.edges) == len(left.numbers)
