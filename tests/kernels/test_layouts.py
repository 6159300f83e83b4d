"""Parameter structs and tile sizes: what Python thinks of the kernels is what the compiler says."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import texsamp
from texsamp.device.params import PARAMS_TYPES
from texsamp.device.sources import kernel_directory, kernels_by_name

DEVICE = ("-std=c++20", "-DTEXSAMP_THREADED_TILES", "-Wno-deprecated-enum-enum-conversion", "-pthread")
HOST = ("-std=c++17",)


PACKAGE = Path(texsamp.__file__).parent


@pytest.fixture(scope="module", autouse=True)
def every_type_is_registered():
    for path in sorted(PACKAGE.rglob("*.py")):
        if "params_type(" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))


def printed(compiler, folder: Path, headers: set[str], lines: list[str], options=HOST) -> dict[str, int]:
    """Values of C expressions, by text."""
    statements = [f'    std::printf("%s=%lld\\n", "{line}", (long long)({line}));' for line in lines]
    source = ["#include <cstddef>", "#include <cstdio>", *(f'#include "{header}"' for header in sorted(headers))]
    (folder / "print.cpp").write_text("\n".join([*source, "int main() {", *statements, "}"]))
    compiler(*options, "-w", "-I", kernel_directory(), folder / "print.cpp", "-o", folder / "print")
    output = subprocess.run([folder / "print"], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.split("=") for line in output.splitlines())}


def expected_layout(struct: str, dtype: np.dtype) -> dict[str, int]:
    """sizeof and offsetof expressions of a struct and what the dtype says they are."""
    layout = {f"sizeof({struct})": dtype.itemsize}
    for name, (kind, offset) in (dtype.fields or {}).items():
        layout[f"offsetof({struct}, {name})"] = offset
        layout[f"sizeof((({struct}*)0)->{name})"] = kind.itemsize
        for inner, (inner_kind, inner_offset) in (kind.base.fields or {}).items():
            member = f"{name}[0].{inner}" if kind.shape else f"{name}.{inner}"
            layout[f"offsetof({struct}, {member})"] = offset + inner_offset
            layout[f"sizeof((({struct}*)0)->{member})"] = inner_kind.itemsize
    return layout


def test_every_dtype_is_its_struct(compiler, tmp_path):
    assert len(PARAMS_TYPES) >= 7
    expected: dict[str, int] = {}
    for made in PARAMS_TYPES.values():
        expected |= expected_layout(made.struct, made.dtype)
    headers = {made.header for made in PARAMS_TYPES.values()}
    assert printed(compiler, tmp_path, headers, list(expected)) == expected


def test_every_kernel_takes_a_registered_struct():
    structs = {
        struct
        for path in kernel_directory().glob("*.cu")
        for struct in re.findall(r"^KERNEL\(\w+, (\w+)\)", path.read_text(), re.MULTILINE)
    }
    assert structs
    assert structs <= set(PARAMS_TYPES)


def test_every_field_of_a_struct_has_a_name_in_the_dtype():
    """The reverse of the offsets: a struct's declared members, in order."""
    for made in PARAMS_TYPES.values():
        text = (kernel_directory() / made.header).read_text()
        body = re.search(rf"^struct {made.struct} {{\n(.*?)^}};", text, re.MULTILINE | re.DOTALL)
        assert body is not None, made.struct
        code = re.sub(r"//.*", "", body.group(1))
        members = [
            re.match(r"\w+", declarator.split()[-1].lstrip("*")).group()
            for declaration in code.split(";")
            if declaration.strip()
            for declarator in declaration.split(",")
        ]
        assert members == list(made.dtype.names or ()), made.struct


@pytest.mark.parametrize(("column", "options"), [("host", HOST), ("device", DEVICE)])
def test_tile_sizes_are_the_headers(compiler, tmp_path, column, options):
    from texsamp.sampler import launch as sampling
    from texsamp.state.convolve import LARGEST_KERNEL
    from texsamp.state.sampler import AddressControl, MipFilter, ShadowFunction, TrilinearQuality
    from texsamp.surface import mips, texels
    from texsamp.surface.codec.launch import TILE_BLOCKS
    from texsamp.surface.texel_formats import ELEMENTS, KINDS
    from texsamp.video import conversion, sharpen
    from texsamp.video.analytics.convolve import TILE_SIZES as CONVOLVE_TILES
    from texsamp.video.deinterlace import compensation, fields, scene
    from texsamp.video.denoise import launches
    from texsamp.video.film import variances
    from texsamp.video.scale import avs, prefilter

    limits, tiles = avs.TILE_LIMITS[column], fields.TILE_SIZES[column]
    expected = {
        "SCALE_SRC_WIDTH": limits.src_width,
        "SCALE_SRC_HEIGHT": limits.src_height,
        "SCALE_DST_WIDTH": limits.dst_width,
        "SCALE_DST_HEIGHT": limits.dst_height,
        "PREFILTER_WIDTH": prefilter._TILE_WIDTH[column],
        "PREFILTER_TAPS": prefilter._MAX_TAPS,
        "CONVERT_WIDTH": conversion.TILE_SIZES[column][0],
        "CONVERT_HEIGHT": conversion.TILE_SIZES[column][1],
        "CONVERT_SCALE_BITS": conversion.SCALE_BITS,
        "CONVOLVE_WIDTH": CONVOLVE_TILES[column][0],
        "CONVOLVE_HEIGHT": CONVOLVE_TILES[column][1],
        "CONVOLVE_PAIRS": (LARGEST_KERNEL + 1) // 2,
        "SHARPEN_WIDTH": sharpen._TILE_WIDTH[column],
        "SHARPEN_HEIGHT": sharpen._TILE_HEIGHT,
        "DENOISE_WIDTH": launches.TILE_SIZES[column].width,
        "DENOISE_HEIGHT": launches.TILE_SIZES[column].height,
        "NOISE_WIDTH": launches.TILE_SIZES[column].noise_width,
        "NOISE_HEIGHT": launches.NOISE_HEIGHT,
        "STMM_PAIRS": tiles.stmm_pairs,
        "STMM_LINES": tiles.stmm_lines,
        "ANGLE_PAIRS": tiles.angle_pairs,
        "ANGLE_LINES": fields.ANGLE_LINES,
        "CHROMA_WIDTH": tiles.chroma_width,
        "CHROMA_LINES": fields.CHROMA_LINES,
        "MOTION_PAIRS": compensation.MOTION_TILES[column][0],
        "MOTION_LINES": compensation.MOTION_TILES[column][1],
        "SCENE_WIDTH": scene.TILE_WIDTH[column],
        "SCENE_LINES": scene.TILE_LINES,
        "SCENE_STEP": scene.LINE_STEP,
        "FILM_BLOCKS": variances.TILE_WIDTH[column] // variances.BLOCK_WIDTH,
        "FILM_LINES": variances.TILE_LINES[column],
        "FILM_VARIANCES": variances.VARIANCES,
        "FILM_SUMS": variances.SUMS,
        "BLOCK_TILE_COLUMNS": TILE_BLOCKS[column][0],
        "BLOCK_TILE_ROWS": TILE_BLOCKS[column][1],
        "TEXEL_TILE_WIDTH": texels.TILE_TEXELS[column][0],
        "TEXEL_TILE_HEIGHT": texels.TILE_TEXELS[column][1],
        "PLACES_TILE": texels._PLACES_TILE,
        **{f"ELEMENT_{name.upper()}": code for code, name in enumerate(ELEMENTS)},
        **{f"TEXEL_{name.upper()}": code for code, name in enumerate(KINDS)},
        "MIP_RUN": mips.RUN[column],
        "MIP_VALUES": mips.VALUES[column],
        "SAMPLE_TILE": sampling.TILE,
        "SAMPLE_LEVELS": sampling.MAX_LEVELS,
        **{f"SAMPLE_{type.name.removeprefix('SURFTYPE_')}": code for code, type in enumerate(sampling.DIMENSIONS)},
        **{f"LOD_OF_{name.upper()}": code for code, name in enumerate(sampling.SOURCES)},
        **{f"ADDRESS_{mode.name}": mode.value for mode in AddressControl},
        **{f"MIP_{mode.name}": mode.value for mode in MipFilter},
        **{f"QUALITY_{quality.name}": quality.value for quality in TrilinearQuality},
        **{f"COMPARE_{function.name}": function.value for function in ShadowFunction},
        "COMPARE_NONE": sampling.NO_COMPARE,
    }
    headers = {"scale.h", "prefilter.h", "sharpen.h", "block_texels.h", "texels.h", "mips.h", "sample.h"}
    headers |= {"denoise_noise.h", "deinterlace_luma.h", "deinterlace_chroma.h", "deinterlace_motion.h"}
    headers |= {"scene_change.h", "film.h", "convolve.h", "convert.h"}
    assert printed(compiler, tmp_path, headers, list(expected), options) == expected


def test_on_device_means_the_same_to_cuda_and_to_the_threaded_build(compiler, tmp_path):
    """The device column above is read from the threaded build: both must take the second value."""
    text = (kernel_directory() / "portable.h").read_text()
    cuda = text[text.index("defined(__CUDACC__)") : text.index("TEXSAMP_THREADED_TILES")]
    assert "#define ON_DEVICE(host, device) (device)" in cuda
    assert printed(compiler, tmp_path, {"portable.h"}, ["ON_DEVICE(1, 2)"], DEVICE) == {"ON_DEVICE(1, 2)": 2}
    assert printed(compiler, tmp_path, {"portable.h"}, ["ON_DEVICE(1, 2)"], HOST) == {"ON_DEVICE(1, 2)": 1}


def test_kernels_are_declared_once():
    names = re.findall(
        r"^KERNEL\((\w+),", "\n".join(p.read_text() for p in kernel_directory().glob("*.cu")), re.MULTILINE
    )
    assert len(names) == len(set(names)) == len(kernels_by_name())
