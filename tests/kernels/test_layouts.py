"""Parameter structs and tile sizes: what Python thinks of the kernels is what the compiler says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from texsamp.device.cuda import BATCH, BLOCK, _batch_dtype
from texsamp.device.params import struct_dtype
from texsamp.device.sources import kernel_directory, kernels_by_name

HOST = ("-std=c++17",)
DEVICE = (*HOST, "-DTEXSAMP_THREADED_TILES", "-pthread")


def printed(compiler, folder: Path, headers: set[str], lines: list[str], options=HOST) -> dict[str, int]:
    """Values of C expressions, by text."""
    statements = [f'    std::printf("%s=%lld\\n", "{line}", (long long)({line}));' for line in lines]
    source = ["#include <cstddef>", "#include <cstdio>", *(f'#include "{header}"' for header in sorted(headers))]
    (folder / "print.cpp").write_text("\n".join([*source, "int main() {", *statements, "}"]))
    compiler(*options, "-w", "-I", kernel_directory(), folder / "print.cpp", "-o", folder / "print")
    output = subprocess.run([folder / "print"], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.split("=") for line in output.splitlines())}


def structs_of_kernels(kind: str = "KERNEL(?:_OF_PLANES)?") -> set[str]:
    """The structs that kernels of a kind take."""
    files = "\n".join(path.read_text() for path in kernel_directory().glob("*.cu"))
    return set(re.findall(rf"^{kind}\(\w+, (\w+),", files, re.MULTILINE))


def header_of(struct: str) -> str:
    return next(path.name for path in kernel_directory().glob("*.h") if f"\nstruct {struct} {{" in path.read_text())


def expected_layout(struct: str, dtype: np.dtype, inside: str = "") -> dict[str, int]:
    """sizeof and offsetof expressions of a struct, and of those inside it, and what the dtype says they are."""
    layout = {} if inside else {f"sizeof({struct})": dtype.itemsize}
    for name, (kind, offset) in (dtype.fields or {}).items():
        member = f"{inside}.{name}" if inside else name
        layout[f"offsetof({struct}, {member})"] = offset
        layout[f"sizeof((({struct}*)0)->{member})"] = kind.itemsize
        nested = expected_layout(struct, kind.base, f"{member}[0]" if kind.shape else member)
        layout |= {text: value + offset * text.startswith("offsetof") for text, value in nested.items()}
    return layout


def test_every_dtype_is_its_struct(compiler, tmp_path):
    structs = structs_of_kernels()
    assert len(structs) > 20
    expected: dict[str, int] = {}
    for struct in sorted(structs):
        expected |= expected_layout(struct, struct_dtype(struct))
    assert printed(compiler, tmp_path, {header_of(struct) for struct in structs}, list(expected)) == expected


def test_launches_of_planes_are_batched_as_the_kernels_read_them(compiler, tmp_path):
    structs = structs_of_kernels("KERNEL_OF_PLANES")
    assert structs
    expected = {f"Batch<{struct}>::SIZE": BATCH for struct in structs}
    for struct in sorted(structs):
        expected |= expected_layout(f"Batch<{struct}>", _batch_dtype(struct_dtype(struct)))
    headers = {"portable_planes.h", *(header_of(struct) for struct in structs)}
    assert printed(compiler, tmp_path, headers, list(expected)) == expected


@pytest.mark.parametrize(("column", "options"), [("host", HOST), ("device", DEVICE)])
def test_tile_sizes_are_the_headers(compiler, tmp_path, column, options):
    from texsamp.emulator.eu.engine.launches import THREADS
    from texsamp.emulator.fixed import (
        attributes,
        blends,
        clip,
        depth_rules,
        interpolation,
        line_coverage,
        merge,
        objects,
        planes,
        raster,
        runs,
        setup,
        stipple,
        tessellator,
    )
    from texsamp.sampler import launch as sampling
    from texsamp.state.commands_3d import Partitioning, TessellatorDomain
    from texsamp.state.convolve import LARGEST_KERNEL
    from texsamp.state.pixel_state import BlendFactor, BlendFunction, StencilOperation
    from texsamp.state.sampler import AddressControl, MipFilter, ShadowFunction, TrilinearQuality
    from texsamp.surface import mips, texels
    from texsamp.surface.codec import astc_volume
    from texsamp.surface.codec.launch import TILE_BLOCKS
    from texsamp.surface.texel_formats import ELEMENTS, KINDS
    from texsamp.video import conversion, light, scene_cuts, sharpen
    from texsamp.video.analytics.convolve import TILE_SIZES as CONVOLVE_TILES
    from texsamp.video.deinterlace import compensation, edges, field_guides, field_vectors, matches
    from texsamp.video.deinterlace import launches as deinterlacing
    from texsamp.video.denoise import hq, launches, measure
    from texsamp.video.film import variances
    from texsamp.video.lut import launch as lut
    from texsamp.video.scale import avs, prefilter
    from texsamp.video.tonemap import curves
    from texsamp.video.tonemap import launches as tonemapping

    limits, tiles = avs.TILE_LIMITS[column], deinterlacing.TILE_SIZES[column]
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
        "MEASURE_WIDTH": measure.MEASURE_WIDTH[column],
        "HQ_PAD": hq.PAD,
        "HQ_PAD_WIDTH": hq.PAD_TILE[column][0],
        "HQ_PAD_LINES": hq.PAD_TILE[column][1],
        "HQ_CELLS": hq.CELLS[column],
        "HQ_LARGEST_RADIUS": max(hq.COARSE_RADIUS, hq.FINE_RADIUS),
        "HQ_PICTURES": hq.PICTURES,
        "HQ_NOW": hq.NOW,
        "HQ_WIDTH": hq.STACK_TILE[column][0],
        "HQ_HEIGHT": hq.STACK_TILE[column][1],
        "HQ_VARIANCES": len(hq.thresholds(1, 8)),
        "STMM_PAIRS": tiles.stmm_pairs,
        "STMM_LINES": tiles.stmm_lines,
        "ANGLE_PAIRS": tiles.angle_pairs,
        "ANGLE_LINES": deinterlacing.ANGLE_LINES,
        "CHROMA_WIDTH": tiles.chroma_width,
        "CHROMA_LINES": deinterlacing.CHROMA_LINES,
        "MOTION_PAIRS": compensation.MOTION_TILES[column][0],
        "MOTION_LINES": compensation.MOTION_TILES[column][1],
        "MATCH_WIDTH": matches.MATCH_WIDTHS[column][0],
        "MATCH_BLOCK": matches.BLOCK_PX,
        "MATCH_SUMS": matches._SUMS,
        "WEAVE_LINES": matches.WEAVE_LINES[column],
        "VERDICT_BLOCKS": matches.MATCH_WIDTHS[column][1],
        "EU_THREADS": THREADS[column],
        "RASTER_ITEMS": raster.ITEMS[column],
        "RASTER_SUBSPANS": interpolation.SUBSPANS[column],
        "RASTER_LINES": stipple.LINES[column],
        "LINE_SUBSPANS": line_coverage.SUBSPANS[column],
        "ATTRIBUTE_ITEMS": attributes.ITEMS[column],
        "CLIP_OBJECTS": clip.OBJECTS,
        "SETUP_OBJECTS": setup.OBJECTS,
        "TESS_ITEMS": tessellator.ITEMS,
        **{f"TESS_{domain.name}": domain.value for domain in TessellatorDomain},
        **{f"TESS_{partitioning.name}": partitioning.value for partitioning in Partitioning},
        "RASTER_SUBPIXELS": objects.SUBPIXELS,
        "LONG_FILTERED": tiles.hq_width,
        "LONG_FILTERED_LINES": deinterlacing.HQ_LINES,
        "EDGE_WIDTH": edges.SEARCH_TILES[column][0],
        "EDGE_LINES": edges.SEARCH_TILES[column][1],
        "EDGE_GROUP": edges.RUN_PX,
        "DRAWN_WIDTH": edges.DRAWN_TILES[column][0],
        "DRAWN_LINES": edges.DRAWN_TILES[column][1],
        "GUIDE_X": field_guides.BORDER_PX,
        "GUIDE_Y": field_guides.BORDER_LINES,
        "GUIDE_WIDTH": field_guides.TILE[0],
        "GUIDE_ROWS": field_guides.TILE[1],
        "VECTOR_BLOCK": field_vectors.BLOCK_PX,
        "VECTOR_LINES": field_vectors.BLOCK_LINES,
        "COARSE_BLOCKS": field_vectors.COARSE_BLOCKS[column],
        "VECTOR_BLOCKS": field_vectors.FINE_BLOCKS[column],
        "VECTOR_DOUBTED": field_vectors.DOUBTED,
        "VECTORED_WIDTH": field_vectors.VECTORED_TILES[column][0],
        "VECTORED_LINES": field_vectors.VECTORED_TILES[column][1],
        "LIGHT_BLOCK": light.BLOCK_PX,
        "LIGHT_LINES": light.BLOCK_LINES,
        "LIGHT_BLOCKS": light.SUMS_BLOCKS[column],
        "1 << LIGHT_BITS": light.UNIT,
        "RELIT_WIDTH": light.RELIT_TILES[column][0],
        "RELIT_LINES": light.RELIT_TILES[column][1],
        "SCENE_WIDTH": scene_cuts.TILE_WIDTH[column],
        "SCENE_LINES": scene_cuts.TILE_LINES,
        "SCENE_STEP": scene_cuts.LINE_STEP,
        "FILM_BLOCKS": variances.TILE_WIDTH[column] // variances.BLOCK_WIDTH,
        "FILM_LINES": variances.TILE_LINES[column],
        "FILM_VARIANCES": variances.VARIANCES,
        "FILM_SUMS": variances.SUMS,
        "BLOCK_TILE_COLUMNS": TILE_BLOCKS[column][0],
        "BLOCK_TILE_ROWS": TILE_BLOCKS[column][1],
        "ASTC_VOLUME_COLUMNS": astc_volume.TILE_COLUMNS,
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
        "LUT_WIDTH": lut.TILE_SIZES[column][0],
        "LUT_LINES": lut.TILE_SIZES[column][1],
        "LUT_CODES": lut.CODES,
        "TONEMAP_WIDTH": tonemapping.TILE_WIDTH[column],
        "TONEMAP_LINES": tonemapping.TILE_LINES,
        "PEAK_LINES": tonemapping.PEAK_LINES[column],
        "PEAK_BINS": tonemapping.PEAK_BINS,
        "CODE_WHITE": curves.CODE_WHITE,
        "CODE_SHIFT": tonemapping.CODE_SHIFT,
        "FIRST_PLACE": 127 + curves.FIRST_EXPONENT << 23,
        "MERGE_STRIP": runs.STRIP,
        "ALPHA_TILE": merge._ALPHA_TILE,
        **{f"MERGE_{name.upper()}": code for code, name in enumerate(planes.TILINGS)},
        **{f"RANGE_{name.upper().replace(' ', '_')}": code for code, name in enumerate(blends.RANGES)},
        **{f"FACTOR_{factor.name}": factor.value for factor in BlendFactor if 0 < factor <= BlendFactor.ZERO},
        **{f"FUNCTION_{function.name}": function.value for function in BlendFunction},
        **{f"OPERATION_{operation.name}": operation.value for operation in StencilOperation},
        "IS_LESS": depth_rules._LESS,
        "IS_EQUAL": depth_rules._EQUAL,
        "IS_GREATER": depth_rules._GREATER,
        "IS_UNORDERED": depth_rules._UNORDERED,
        "CURVE_PIECES": curves.OCTAVES * curves.PLACES_PER_OCTAVE,
    }
    headers = {
        "scale.h",
        "prefilter.h",
        "sharpen.h",
        "block_astc_volume.h",
        "block_texels.h",
        "texels.h",
        "mips.h",
        "sample.h",
    }
    headers |= {
        "denoise_noise.h",
        "deinterlace_luma.h",
        "deinterlace_chroma.h",
        "deinterlace_motion.h",
        "deinterlace_match.h",
    }
    headers |= {
        "denoise_measure.h",
        "denoise_hq_match.h",
        "denoise_hq_stack.h",
        "deinterlace_hq.h",
        "deinterlace_weave.h",
        "edge_draw.h",
        "vector_coarse.h",
        "light.h",
        "eu_operations.h",
        "raster_spans.h",
        "raster_weights.h",
        "raster_lines.h",
        "line_cover.h",
        "clip_cut.h",
        "setup_attributes.h",
        "tess_patches.h",
        "vectored.h",
        "scene_change.h",
        "film.h",
        "convolve.h",
        "convert.h",
        "tonemap.h",
        "lut.h",
        "merge_alpha.h",
        "merge_color.h",
    }
    assert printed(compiler, tmp_path, headers, list(expected), options) == expected


def test_on_device_means_the_same_to_cuda_and_to_the_threaded_build(compiler, tmp_path):
    """The device column above is read from the threaded build: both must take the second value."""
    text = (kernel_directory() / "portable.h").read_text()
    cuda = text[text.index("defined(__CUDACC__)") : text.index("TEXSAMP_THREADED_TILES")]
    assert "#define ON_DEVICE(host, device) (device)" in cuda
    assert printed(compiler, tmp_path, {"portable.h"}, ["ON_DEVICE(1, 2)"], DEVICE) == {"ON_DEVICE(1, 2)": 2}
    assert printed(compiler, tmp_path, {"portable.h"}, ["ON_DEVICE(1, 2)"], HOST) == {"ON_DEVICE(1, 2)": 1}


def test_kernels_are_declared_once():
    files = "\n".join(path.read_text() for path in kernel_directory().glob("*.cu"))
    names = re.findall(r"^KERNEL(?:_OF_PLANES)?\((\w+),", files, re.MULTILINE)
    assert len(names) == len(set(names)) == len(kernels_by_name())


def test_kernels_know_the_block_they_are_launched_with():
    assert f"enum {{ BLOCK_X = {BLOCK[0]}, BLOCK_Y = {BLOCK[1]} }};" in (kernel_directory() / "portable.h").read_text()
