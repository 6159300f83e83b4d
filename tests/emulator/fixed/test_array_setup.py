"""Clipping, culling, setup and attributes by kernels, on the host and on a device: bit for bit those of arrays.

Objects of every topology, state and fill mode, with numbers that are none among them.
"""

from dataclasses import replace

import numpy as np
import pytest
from oracle.array_setup import clip as array_clip
from oracle.array_setup import setup as array_setup
from oracle.array_setup.objects import AS_THEY_ARE, not_cut
from oracle.array_setup.objects import Primitives as Arrays
from support.drawing import here, primitives, raster_state
from support.strict_arrays import StrictDevice

from texsamp.emulator.fixed.clip import clip
from texsamp.emulator.fixed.objects import Told
from texsamp.emulator.fixed.setup import clip_and_set_up
from texsamp.state.commands_3d import Topology
from texsamp.state.pixel_state import ScissorRect, SfClipViewport

CORNERS = {
    1: (Topology.POINTLIST, Topology.POINTLIST_BF),
    2: (Topology.LINELIST, Topology.LINESTRIP, Topology.LINESTRIP_CONT_BF),
    3: (Topology.TRILIST, Topology.TRISTRIP, Topology.TRIFAN, Topology.POLYGON, Topology.RECTLIST),
}
ODD = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45, 0, -0.0, 1, -1, 4.5, 16384], np.float32)
VIEWPORTS = [
    SfClipViewport(m00=24, m11=-17, m22=0.5, m30=25, m31=18, m32=0.5, guardband_x_min=-a, guardband_x_max=a,
                   guardband_y_min=-b, guardband_y_max=c)
    for a, b, c in ((1.0, 2.0, 1.5), (3.0, np.inf, 8.0))
]  # fmt: skip


def random_state(rng):
    def flag():
        return bool(rng.random() < 0.5)

    def few(bits):
        return int((rng.random(bits) < 0.15) @ (1 << np.arange(bits)))

    fill = [rng.choice(["SOLID", "WIREFRAME", "POINT"]) for _ in range(2)]
    entries = {
        "source_attribute": rng.integers(0, 7, 16), "swizzle_select": rng.integers(0, 4, 16),
        "constant_source": rng.integers(0, 4, 16), "wrap_shortest": rng.integers(0, 16, 16),
        **{f"override_{name}": rng.random(16) < 0.1 for name in "xyzw"},
    }  # fmt: skip
    return raster_state(
        (50, 37),
        clip={
            "enable": bool(rng.random() < 0.8), "clip_mode": rng.choice(["NORMAL"] * 18 + ["ACCEPT_ALL", "REJECT_ALL"]),
            "api_mode": rng.choice(["OGL", "D3D"]), "viewport_xy_test": flag(), "viewport_z_test": flag(),
            "guardband_test": flag(), "clip_distances": few(8),
            "cull_distances": few(8),
            "perspective_divide_disable": flag(), "non_perspective_barycentric": False,
            "max_viewport_index": int(rng.integers(0, 3)), "force_zero_array_index": flag(),
            "min_point_width": 0.5, "max_point_width": 9.25,
        },
        setup={
            "cull_mode": rng.choice(["NONE"] * 4 + ["FRONT", "BACK", "BOTH"]), "front_winding": flag(),
            "front_fill": fill[0], "back_fill": fill[1], "viewport_transform": flag(),
            "sub_pixel_precision": rng.choice(["BITS_8", "BITS_4"]), "line_width": float(rng.choice([0, 1, 2.5])),
            "multisample_mode": rng.choice(["OFF_PIXEL", "ON_PIXEL"]), "antialiasing": flag(), "last_pixel": flag(),
            "line_end_width": int(rng.integers(0, 4)), "point_width_source": rng.choice(["VERTEX", "STATE"]),
            "point_width": float(rng.choice([0, 1, 3.625])), "scissor_enable": flag(),
            "strip_provoking_vertex": int(rng.integers(0, 3)), "line_provoking_vertex": int(rng.integers(0, 2)),
            "fan_provoking_vertex": int(rng.integers(0, 3)),
            **{f"depth_offset_{mode}": flag() for mode in ("solid", "wireframe", "point")},
            "depth_offset_constant": float(rng.choice([0, 3, -1e6])), "depth_offset_scale": float(rng.choice(ODD)),
            "depth_offset_clamp": float(rng.choice([0, 0.25, -0.125])), "legacy_depth_bias": flag(),
            "depth_format": rng.choice(["D32_FLOAT", "D16_UNORM", "D24_UNORM_X8_UINT"]),
        },
        backend={
            "attributes": 6, "swizzle_enable": flag(), "constant_attributes": int(rng.integers(0, 64)),
            "sprite_attributes": int(rng.integers(0, 64)), "urb_read_offset": int(rng.integers(0, 2)),
            "sprite_origin": rng.choice(["UPPERLEFT", "LOWERLEFT"]),
            **{name: of.tolist() for name, of in entries.items()},
        },
        windower={"point_rule": rng.choice(["UPPER_LEFT", "UPPER_RIGHT"]), "legacy_lines": flag()},
        rectangle={"left": 3, "top": 1, "origin_x": int(rng.integers(-9, 9)), "origin_y": int(rng.integers(-9, 9))},
        viewports=VIEWPORTS,
        scissors=[ScissorRect(left=5, top=4, right=40, bottom=20), ScissorRect(left=9, right=30, bottom=36)],
    )  # fmt: skip


def random_objects(rng, corners):
    """Positions in clip space and on the screen, of any w, on borders, without area; shared vertices; adjacent runs."""
    count = 24
    scale = rng.choice([1.5, 1.5, 60])
    at = rng.uniform(-scale, scale, (count, 4)) if rng.random() < 0.7 else rng.integers(-3, 4, (count, 4)) * scale / 2
    at[:, 3] = rng.uniform(-0.3, 2, count) if rng.random() < 0.7 else 1
    header = rng.integers(0, 3, (count, 4)).astype(np.uint32)
    header[:, 3] = rng.choice(np.append(ODD, np.float32([2, 7.125])), count).view(np.uint32)
    header[rng.random((count, 4)) < 0.02] = 0xFFFFFFFF
    slots = rng.uniform(-1, 1, (count, 4, 4)).astype(np.float32)
    distances = rng.uniform(-0.5, 2, (count, 2, 4)).astype(np.float32)
    for values in (at, slots, distances):
        odd = rng.random(values.shape) < 0.02
        values[odd] = rng.choice(ODD, np.count_nonzero(odd))
    slots.view(np.uint32)[rng.random(slots.shape) < 0.02] = 0x7F812345  # a signaling NaN
    rows = rng.integers(0, count, (40, corners))
    submitted = np.where(rng.random((40, 1)) < 0.5, rows, np.roll(rows, 1, axis=1))
    return {
        "positions": at, "attributes": slots, "header": header, "distances": distances, "rows": rows,
        "submitted": submitted, "edges": rng.random(rows.shape) < 0.8, "numbers": rng.integers(0, 1 << 31, 40),
        "runs": np.sort(rng.integers(0, 12, 40)), "topology": rng.choice(np.array(CORNERS[corners], object)),
        "corners": corners,
    }  # fmt: skip


def arrays_of(given):
    """The same objects for the arrays."""
    return Arrays(
        given.topology, given.vertices, given.corners.astype(np.int64), given.submitted.astype(np.int64), given.edges,
        given.numbers.astype(np.int64), given.runs.astype(np.int64), not_cut(len(given)),
    )  # fmt: skip


def of_arrays(objects):
    """Objects of the arrays as kernels have them."""
    return {
        "edges": objects.edges, "areas": objects.areas, "weights": objects.weights, "scales": objects.scales,
        "corners": objects.corners.view(np.uint32), "setup": objects.setup[objects.planes],
        **{name: getattr(objects, name) for name in ("back", "slices", "viewports", "numbers", "kinds")},
    }  # fmt: skip


def of_kernels(objects):
    device = objects.device
    names = ("edges", "areas", "weights", "scales", "corners", "setup", "told")
    found = {name: device.download(getattr(objects, name)) for name in names}
    told = found.pop("told")
    found["corners"] = found["corners"].view(np.uint32)
    columns = {"back": "BACK", "slices": "SLICE", "viewports": "VIEWPORT", "numbers": "NUMBER", "kinds": "KIND"}
    return found | {name: told[:, Told[column]] for name, column in columns.items()}


def numbers_only(bits):
    """Floats whose numbers that are none are alike: of depths and of 1 / w nobody sees their bits."""
    return np.where(np.isnan(bits.view(np.float32)), 0x7FC00000, bits)


@pytest.mark.parametrize("corners", CORNERS)
@pytest.mark.parametrize("seed", range(40))
def test_objects_are_those_of_arrays(seed, corners):
    rng = np.random.default_rng([seed, corners])
    state, given = random_state(rng), random_objects(rng, corners)
    wanted_cut = array_clip.clip(arrays_of(primitives(**given)), state)
    wanted = of_arrays(array_setup.set_up(wanted_cut, state))
    for device in (None, StrictDevice()):
        found, passed = clip_and_set_up(primitives(**given, device=device), state)
        assert passed == len(wanted_cut.corners)
        made = of_kernels(found)
        for name in wanted:
            alike = numbers_only if name == "corners" else np.asarray
            assert np.array_equal(alike(made[name]), alike(wanted[name])), name
        left, top, right, bottom = wanted["areas"].T
        if len(left):
            assert found.extent.x == (left.min(), right.max())
            assert found.extent.y == (top.min(), bottom.max())
            assert found.extent.slices == (wanted["slices"].min(), wanted["slices"].max())
        assert found.extent.drawn == len(left)
        assert found.extent.rows == ((bottom >> 1) - (top >> 1) + 1).sum()
        assert found.extent.pixels == ((right - left + 1) * (bottom - top + 1)).sum()
        assert here(found).extent(slice(None)) == found.extent or not len(left)


@pytest.mark.parametrize("corners", [2, 3])
def test_pieces_are_those_of_arrays(corners):
    """Vertices, edges and linear weights of what is cut; these to a few roundings, since arrays invert by LAPACK."""
    cut = linear = 0
    for seed in range(60):
        rng = np.random.default_rng([7, seed, corners])
        state, given = random_state(rng), random_objects(rng, corners)
        state = replace(state, clip=state.clip.replace(non_perspective_barycentric=bool(seed % 2)))
        wanted = array_clip.clip(arrays_of(primitives(**given)), state)
        for device in (None, StrictDevice()):
            found = clip(primitives(**given, device=device), state)
            vertices = found.device.download(found.vertices)
            for name in ("corners", "submitted", "edges", "numbers", "runs"):
                assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
            assert np.array_equal(vertices, wanted.vertices)
            if found.straight is not None:
                w = wanted.vertices[wanted.corners, 1, 3].view(np.float32)
                seen = (w > 1e-3).all(axis=1) & (np.abs(wanted.straight) < 1e3).all(axis=(1, 2))
                straight = found.device.download(found.straight)[seen]
                assert np.isclose(straight, wanted.straight[seen], rtol=1e-3, atol=1e-3).all()
                linear += int((straight != AS_THEY_ARE).any(axis=(1, 2)).sum())
        cut += len(wanted.vertices) - 24
    assert cut > 300
    assert linear > 100
