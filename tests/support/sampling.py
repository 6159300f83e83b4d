"""Surfaces, samplers and coordinates for tests of the sampler, and the oracle's view of them."""

from __future__ import annotations

from unittest import mock

import numpy as np
from oracle import sampler as oracle

import texsamp as ts
from texsamp.sampler import sample as sampling
from texsamp.sampler.border import border_texel
from texsamp.sampler.expanded import texel_kind
from texsamp.sampler.kernel import general_kernel
from texsamp.state.sampler import AddressControl, MapFilter, MipFilter, ShadowFunction, TrilinearQuality
from texsamp.surface.arrays import channel_count, format_named
from texsamp.surface.texel_formats import texel_type

MODES = {
    AddressControl.WRAP: "wrap",
    AddressControl.MIRROR: "mirror",
    AddressControl.CLAMP: "clamp",
    AddressControl.CUBE: "cube",
    AddressControl.CLAMP_BORDER: "clamp_border",
    AddressControl.MIRROR_ONCE: "mirror_once",
    AddressControl.HALF_BORDER: "half_border",
}
POWERS = [sign * 2.0**k for k in range(-8, 40) for sign in (1, -1)]
HOSTILE = np.array([np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e-45, -1e-45, 0.0, -0.0, *POWERS], np.float32)


def sample_generally(*arguments, **named):
    """`ts.sample` by the general kernel, which goes one sample after another."""
    with mock.patch.object(sampling, "choose_kernel", lambda surface, sampler, kind, **_: general_kernel(kind)):
        return ts.sample(*arguments, **named)


def noise(shape, dtype, seed=3):
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return random.normal(0, 2, shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


def surface(type="2D", format="R8G8B8A8_UNORM", sizes=(13, 7, 5), slices=1, mips=None, seed=3, **options):
    """A surface of noise; sizes are width, height, depth."""
    width, height, depth = sizes
    shape = {
        "1D": (width,),
        "2D": (height, width),
        "3D": (depth, height, width),
        "CUBE": (6 * slices, width, width),
        "BUFFER": (width,),
    }[type]
    if slices > 1 and type in ("1D", "2D"):
        shape = (slices, *shape)
    info = format_named(format)
    texels = noise((*shape, channel_count(info)), texel_type(format).natural, seed)
    return ts.Surface.from_array(texels, format, type=type, mips=mips, device="cpu", **options)


def levels_of(made, border="dx10"):
    """The oracle's texels, read level by level through `to_array`."""
    kind = texel_kind(made.info, border)
    levels = []
    for level in range(made.levels):
        width, height, _ = made.level_size_px(level)
        texels = made.to_array(level, channels="rgba", border=border, dtype=kind.dtype)
        levels.append(np.asarray(texels).reshape(-1, height, width, 4))
    return levels


def state_of(made, sampler, **changes):
    """The oracle's state."""
    s = sampler.state
    kind = texel_kind(made.info, sampler.border_mode)
    is_cube = made.type.name == "SURFTYPE_CUBE"
    modes = tuple(MODES[mode] for mode in sampler.address)
    border = border_texel(sampler, kind, made.info)
    values = {
        "type": made.type.name.removeprefix("SURFTYPE_"),
        "kind": {"integer": "int"}.get(kind.name, kind.name),
        "normalized": not s.non_normalized,
        "modes": ("cube",) * 3 if is_cube and s.cube_control else modes,
        "mag": MapFilter(s.mag_filter).name.lower(),
        "min": MapFilter(s.min_filter).name.lower(),
        "mip": MipFilter(s.mip_filter).name.lower(),
        "base": round(s.base_mip_level * 256),
        "min_lod": round(s.min_lod * 256),
        "max_lod": round(s.max_lod * 256),
        "preclamp": bool(s.lod_preclamp),
        "round_mag": (bool(s.round_u_mag), bool(s.round_v_mag), bool(s.round_r_mag)),
        "round_min": (bool(s.round_u_min), bool(s.round_v_min), bool(s.round_r_min)),
        "quality": TrilinearQuality(s.trilinear_quality).name.lower(),
        "border": tuple(np.float32(b) if kind.name == "float" else b for b in border),
        "outside": tuple(kind.dtype.type(each) for each in kind.outside),
        "compare": ShadowFunction(s.shadow_function).name.lower(),
        "compare_replaces": tuple(name not in "01" for name in kind.channels),
        "compare_channel": next(place for place, name in enumerate(kind.channels) if name not in "01"),
        "compare_bits": next((c.bits or 0 for c in made.info.channels if c.kind == "unorm"), 0),
    }
    return oracle.State(**(values | changes))


def coordinates(count, axes, seed=5, reach=3.0, sizes=(13, 7, 5)):
    """Random coordinates, exact texel centers and edges, and values no coordinate should have; float32."""
    random = np.random.default_rng(seed)
    made = []
    for axis in range(axes):
        size = sizes[axis]
        exact = random.integers(-4 * size, 4 * size, count) * np.float32(0.5) / np.float32(size)
        values = np.where(random.random(count) < 0.4, exact, random.uniform(-reach, reach, count))
        values = np.where(random.random(count) < 0.2, random.choice(HOSTILE, count), values)
        made.append(values.astype(np.float32))
    return made


def expected(state, levels, arrays, lods=None, references=None):
    """The oracle's samples."""
    made = []
    for i in range(len(arrays[0])):
        lod = 0 if lods is None else int(lods[i])
        reference = None if references is None else references[i]
        made.append(oracle.sample(state, levels, [a[i] for a in arrays], lod, reference))
    return np.array(made)


def assert_same(found, wanted):
    """Equal to the last bit, except that a NaN is a NaN; and not all the same, or the test would prove nothing."""
    assert_equal(found, wanted)
    assert len(np.unique(np.asarray(found)[..., 0])) > 1


def assert_equal(found, wanted):
    """Equal to the last bit, except that a NaN is a NaN."""
    found, wanted = np.asarray(found), np.asarray(wanted).astype(found.dtype)
    assert found.shape == wanted.shape
    if found.dtype.kind == "f":
        same = (found.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(found) & np.isnan(wanted))
    else:
        same = found == wanted
    assert same.all(), f"{(~same).sum()} of {same.size} differ, first at {np.argwhere(~same)[0]}"
