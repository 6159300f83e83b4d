"""The hot loops are vector loops: a change that makes the compiler give one up fails here, not in a benchmark."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from support.thirds import third_of

from texsamp.device.sources import kernel_directory

OPTIONS = (
    *("-std=c++17", "-O3", "-march=x86-64-v3", "-fopt-info-vec-optimized"),
    *("-fno-predictive-commoning", "--param=vect-max-peeling-for-alignment=0", "-fno-math-errno"),
    *("-fno-tree-vrp", "-fno-tree-dominator-opts", "-fno-tree-sink", "-fno-split-wide-types"),  # of most modules
)
OPTIONS_OF = {
    **{
        name: ("-fno-trapping-math",)
        for name in ("color", "color_planes", "eu", "sample_aniso", "sample_plane", "sample_slices")
    },
    "tonemap": ("-O2", "-fno-trapping-math", "-ftree-vectorize", "-fvect-cost-model=dynamic"),
}
"""Options of a module's own (CMakeLists.txt)."""
SAME = ("-fopenmp-simd", "-ffp-contract=off", "-x", "c++", "-c")
REPORT_ONLY = (
    *("-fno-ivopts", "-fno-schedule-insns2", "-fno-gcse", "-fno-gcse-after-reload", "-fno-rerun-cse-after-loop"),
    *("-fira-algorithm=priority", "-fno-tree-slp-vectorize", "-fno-forward-propagate", "-fno-dse"),
    *("-fdisable-rtl-postreload", "-fdisable-rtl-combine", "-S", "-o", "/dev/null"),
)
"""Leaves out what the compiler does after its loops are vectorized, and most of its time goes into: nothing is run."""
FULL_WIDTH = "loop vectorized using 32 byte vectors"

HOT_LOOPS = [
    # module, header, text in the loop, how many kernels (times template branches) have it
    ("scale", "scale.h", "sample_of(inside[i], shift, max)", 11),
    ("scale", "scale_linear.h", "X sum = 0", 8),
    ("scale", "scale_linear.h", "out[x] = (T)rounding.finish", 8),
    ("scale", "scale_adaptive.h", "out[r] = (u8)(t[r] >> guide_shift)", 2),
    ("scale", "scale_adaptive.h", "const u8 middle =", 6),
    ("scale", "scale_adaptive.h", "X sharp = 0", 4),
    ("scale", "scale_adaptive.h", "out[x] = (u8)(clamp_to((s32)t[x] >> 6", 4),
    ("scale", "scale_adaptive.h", "const Y smooth = weighted(above", 4),
    ("scale", "scale_adaptive.h", "out[x + i] = (T)rounded(sharp_at(x + i)", 4),
    ("sharpen", "sharpen.h", "across[x] =", 3),
    ("sharpen", "sharpen.h", "s32 delta =", 6),
    ("sharpen", "sharpen.h", "const s32 size =", 3),
    ("sharpen_gen6", "sharpen_gen6.h", "const s32 sigma =", 2),
    ("sharpen_gen6", "sharpen_gen6.h", "const s16 a =", 2),
    ("sharpen_gen6", "sharpen_gen6.h", "s32 norm_sum = 0", 2),
    ("prefilter", "prefilter.h", "sum = (Sum)(sum + kind.product", 4),
    ("prefilter", "prefilter.h", "phases[0][i] = column[2 * i]", 2),
    ("prefilter", "prefilter.h", "clamp_to<Sum>(kind.last(sums[x])", 2),
    ("color", "color.h", "put_twins(line + 2 * i, value, value)", 4),
    ("color", "color.h", "s32 a = line[2 * k]", 4),
    ("color", "color_words.h", "triples[3 * i + c] = words", 1),
    ("color", "color.h", "score[i] = skin_score(", 1),
    ("color", "color.h", "const Chroma chroma = enhanced(", 1),
    ("color", "color.h", "const s32 factor = saturation_factor(", 1),
    ("color", "color.h", "const PrimariesPixel made = with_primaries(", 1),
    ("color", "color.h", "outside[i] = gamut_place(", 1),
    ("color", "color.h", "const GamutPixel found = compressed(", 1),
    ("color", "color.h", "y[i] = contrasted(", 1),
    ("color", "color.h", "y[i] = procamp_luma(", 1),
    ("color", "color.h", "y[i] = converted<0>(", 1),
    ("color", "color_pairs.h", "first[k] = (s16)depth.in(in[2 * k])", 2),
    ("color", "color_pairs.h", "(upper_half((s16)((s16)(y[k] - 256) * 8), scaled)", 1),
    ("color", "color_pairs.h", "y[0][k] = (s16)converted<0>(", 1),
    ("color", "color_pairs_gamut.h", "const s16 darkest =", 2),
    ("color", "color_pairs_gamut.h", "const GamutHue hue =", 1),
    ("color", "color_pairs_gamut.h", "const GamutPixel found = compressed(", 1),
    ("color", "color_pairs_skin.h", "const s32 uv = factor[k]", 1),
    ("color", "color_pairs_skin.h", "const Chroma made = enhanced(", 1),
    ("color", "color_pairs_skin.h", "factor[k] = (s16)uv_factor(", 1),
    ("color", "color_pairs_tone.h", "s16 reached = 0", 2),
    ("color", "color_pairs_tone.h", "const u16 slope =", 1),
    ("color", "color_pairs_tone.h", "const s16 u10 =", 1),
    ("convert", "convert.h", "out[i] = (a[(s64)i * by] >> shift) & mask", 6),
    ("convert", "convert.h", "const s32 sum = across ?", 1),
    ("convert", "convert.h", "min_of(((in[2 * i] + in[2 * i + 1]", 1),
    ("convert", "convert.h", "min_of(((in[i] + half)", 1),
    ("convert", "convert.h", "out[(s64)i * by] = (T)(in[i] << shift)", 6),
    ("convert", "convert.h", "out[(s64)(2 * i + 1) * by] = value", 6),
    ("convolve", "convolve.h", "out[begin + i] = (part_of<PART>", 5),
    ("convolve", "convolve.h", "clamp_to_s16((high[x]", 2),
    ("convolve", "convolve.h", "clamp_to_s16((low[x]", 1),
    ("color_planes", "color_planes.h", "const s32 y = depth.in(in[i])", 7),
    ("color_planes", "color_planes.h", "const Chroma made = changed_chroma", 7),
    ("interleaved", "interleaved.h", "row.parts[k][x] =", 6),
    ("interleaved", "interleaved.h", "row.mixed[COUNT * x + k] =", 6),
    ("interleaved", "interleaved.h", "row.parts[LUMA][2 * x + k] = row", 4),
    ("interleaved", "interleaved.h", "row.mixed[4 * x + 2 * k + LUMA] = row", 4),
    ("packed10", "packed10.h", "plane[x] =", 1),
    ("packed10", "packed10.h", "packed[x] = (u32)r[x]", 1),
    ("deinterlace", "deinterlace.h", "even[left + i] = sample_of(inside[2 * i]", 8),
    ("deinterlace", "deinterlace.h", "out[2 * i] = element_of(even[i], shift)", 2),
    ("deinterlace", "deinterlace_stmm.h", "even[q] = (T)difference(cross(", 4),
    ("deinterlace", "deinterlace_stmm.h", "(u16)(odd[q - 1] + even[q])", 4),
    ("deinterlace", "deinterlace_stmm.h", "const s32 dividend =", 4),
    ("deinterlace", "deinterlace_angle.h", "(u16)(difference(below0[k], above0[k])", 2),
    ("deinterlace", "deinterlace_angle.h", "h2[q] =", 2),
    ("deinterlace", "deinterlace_angle.h", "const C take45 =", 2),
    ("deinterlace", "deinterlace_luma.h", "angles[k] = median(", 2),
    ("deinterlace", "deinterlace_luma.h", "const T mask =", 2),
    ("deinterlace", "deinterlace_luma.h", "const s16 weight = spatial_weight(", 2),
    ("deinterlace", "deinterlace_chroma.h", "const T at90 =", 8),
    ("deinterlace_hq", "deinterlace_hq.h", "const s16 d3 =", 2),
    ("deinterlace_hq", "deinterlace_limits.h", "const LimitSamples<T> beside =", 2),  # of words
    ("deinterlace_match", "deinterlace_match.h", "const s16 mine =", 2),  # of words: bytes have a loop of pairs
    ("deinterlace_match", "deinterlace_weave.h", "out[k] = max_of(difference(a[k], b[k])", 2),
    ("deinterlace_match", "deinterlace_weave.h", "agree[k] =", 2),
    ("deinterlace_match", "deinterlace_weave.h", "to[k] = woven_element(", 2),
    ("deinterlace_match", "deinterlace_weave.h", "out[k] = (u16)((u16)(rows[k] + next[k])", 2),
    ("edges", "edge_search.h", "const bool is_left =", 2),
    ("deinterlace_motion", "deinterlace_motion.h", "const s16 old = best[k]", 2),
    ("deinterlace_motion", "deinterlace_motion.h", "const s32 steps =", 2),
    ("deinterlace_motion", "deinterlace_motion.h", "(u16)(difference(c0[k], r0[k])", 2),
    ("deinterlace_motion", "deinterlace_motion.h", "(u16)(above[k] + middle[k])", 2),
    ("deinterlace_motion", "deinterlace_compensation.h", "const s16 odd =", 2),
    ("light", "light.h", "sums[x] = sum_of_column(in + x", 2),
    ("light", "light.h", "const s32 lit =", 2),
    ("scene_change", "scene_change.h", "sums[x] += difference(sample_of(a[x]", 2),
    ("film", "film_lines.h", "out[left + i] = upper_byte(inside[i], shift)", 2),
    ("film", "film.h", "const u8 tears1 = counters[3][b]", 2),
    ("denoise", "denoise.h", "out[left + i] = sample_of(inside[i], shift, max)", 6),
    ("denoise", "denoise.h", "moving_pixels[x] = (u8)(", 2),
    ("denoise", "denoise.h", "const T d3 = difference(c[x + 3 * DENOISE_PITCH]", 4),
    ("denoise", "denoise.h", "const T spatial = A::mean(", 2),
    ("denoise", "denoise.h", "pick(moving, average(filtered, c), filtered)", 2),
    ("denoise", "denoise_noise.h", "const T middle = median_of_9(", 2),
    ("denoise", "denoise_measure.h", "out[x] = (s16)((s16)(in[x] + in[x + 2 * apart])", 2),
    ("denoise", "denoise_measure.h", "const s16 second =", 2),
    ("denoise", "denoise_measure.h", "const T sample = in[y * MEASURE_PITCH + x]", 2),
    ("denoise_hq", "denoise_hq_stack.h", "sum = (S)(sum + (S)(max_of(a, b)", 4),
    ("denoise_hq", "denoise_hq_stack.h", "const S c4 = (S)(b4 + b6)", 4),
    ("denoise_hq", "denoise_hq_transform.h", "transform_hq_eight<S, false>(values", 4),
    ("denoise_hq", "denoise_hq_transform.h", "transform_hq_eight<S, true>(values + 8 * n", 4),
    ("denoise_hq", "denoise_hq_transform.h", "restore_hq_eight(values + lane, values", 2),
    ("denoise_hq", "denoise_hq_transform.h", "restore_hq_eight(values + lane, restored", 4),
    ("denoise_hq", "denoise_hq_stack.h", "const S stays =", 2),
    ("denoise_hq", "denoise_hq_stack.h", "noise = unit * (float)max_of(", 2),
    ("denoise_hq", "denoise_hq_stack.h", "const s32 part = c - ((c * goes + 128) >> 8)", 2),
    ("denoise_hq", "denoise_hq_stack.h", "const s32 left_weight =", 4),
    ("blocks", "block_palettes.h", "Format::template unpack<Round>", 20),
    ("blocks", "block_texels.h", "words + WORDS * i", 12),
    ("blocks_etc", "block_planes.h", "Format::unpack(planes", 12),
    ("blocks_etc", "block_texels.h", "words + WORDS * i", 12),
    ("blocks_fxt1", "block_planes.h", "Format::unpack(planes", 1),
    ("blocks_fxt1", "block_texels.h", "words + WORDS * i", 1),
    ("blocks_astc", "block_astc_texels.h", "PLANES ? own[i] : 0, out + i", 4),
    ("blocks_astc", "block_astc_texels.h", "low.at(weight, own_weight)", 8),
    ("blocks_bptc", "block_bc6h.h", "const u32 second =", 20),
    ("mips", "mips.h", "target[i] = weight * in[i]", 1),
    ("mips", "mips.h", "target[i] = target[i] + weight * in[i]", 1),
    ("mips", "mips.h", "values[i] = (float)max_of", 4),
    ("mips", "mips.h", "codes[i] = nearest_code<T>", 4),
    ("sample", "sample_lod.h", "const float here = CUBE", 2),
    ("sample", "sample_lod.h", "longer[q] = longer_square(", 1),
    ("sample", "sample_lod.h", "quads[q] = lod_of_square(", 1),
    ("sample_aniso", "sample_aniso8.h", "fixed_steps[i] =", 4),
    ("sample_aniso", "sample_aniso8.h", "corners[i] = in_period(", 5),
    ("sample_aniso", "sample_aniso8.h", "weights[i] =", 1),
    ("sample_aniso", "sample_aniso8.h", "red[i] = Unorm8::add_probe", 1),
    ("sample_aniso", "sample_aniso8.h", "red[i] = sums.channel[0]", 1),
    ("sample_aniso", "sample_aniso8.h", "Unorm8::finish_probes(sums[i])", 3),
    ("sample_aniso", "sample_aniso8.h", "out[i] = SECOND ?", 2),
    ("sample_aniso", "sample_aniso8.h", "const LodLevels lod = levels_of_lod(p, lods[i])", 1),
    ("sample_aniso", "sample_aniso8.h", "s.inner[i] = inner", 1),
    ("sample_aniso", "sample_aniso8.h", "words[i] = code_word(", 1),
    ("sample_aniso", "sample_footprint.h", "s.major[i] = number_bits(", 6),
    ("sample_aniso", "sample_footprint.h", "const LodAndRatio one = lod_and_ratio(p, s.major[i]", 2),
    ("sample_aniso", "sample_footprint.h", "const float along =", 4),
    ("sample_aniso", "sample_footprint.h", "const float here = CUBE", 2),
    ("sample_plane", "sample_axis.h", "const s32 whole = size(row.begin + i)", 7),
    ("sample_plane", "sample_lod.h", "const float here = CUBE", 2),
    ("sample_plane", "sample_lod.h", "longer[q] = longer_square(", 1),
    ("sample_plane", "sample_plane.h", "levels_of_lod(p, lods[i])", 1),
    ("sample_plane", "sample_plane.h", "levels_of_lod(p, lods[q] + bias)", 1),
    ("sample_plane", "sample_plane.h", "lods[q] = lod_of_square(longest[q])", 1),
    ("sample_plane", "sample_plane.h", "const s32 pitch = width(i), rows = height(i), begin", 2),
    ("sample_plane", "sample_plane_codes.h", "const SumsOfTexels sums = Filter::sums(", 6),
    ("sample_slices", "sample_slices.h", "slices[row.begin + i] = array_slice(", 1),
    ("sample_slices", "sample_slices.h", "along_s[i] = float_of(s)", 1),
    ("sample_slices", "sample_slices.h", "const s32 slices = depth(i)", 1),
    ("sample_plane", "sample_plane_codes.h", "numbers[4 * i + c] =", 1),
    ("texels", "texels.h", "numbers[i] = number_of<KIND>(rule, words[i])", 13),
    ("texels", "texels.h", "const u32 field = NARROW", 10),
    ("texels", "texels.h", "out[CHANNELS * i + c] =", 11),
    ("texels", "texels.h", "s.numbers[c][i] = in[CHANNELS * i + c]", 11),
    ("tonemap", "tonemap.h", "line[2 * i + 1] = value", 6),
    ("tonemap", "tonemap.h", "red[i] = light[code_of_row<0>", 1),
    ("tonemap", "tonemap.h", "const float by = curve_at(system", 1),
    ("tonemap", "tonemap.h", "const float share = share_inside(", 1),
    ("tonemap", "tonemap.h", "out[i] = (T)(to_sample(line[i]", 4),
    ("tonemap", "tonemap.h", "const float sum = (line[2 * i]", 4),
    ("tonemap", "tonemap.h", "bins[i] =", 1),
]


def _chosen() -> list[tuple[str, str, str, int]]:
    modules = third_of(module for module, *_ in HOT_LOOPS)
    return [row for row in HOT_LOOPS if row[0] in modules]


def loop_lines(header: str, text: str) -> range:
    """Lines, from 1, of the vector loop around a text; the compiler places the loop at one of them."""
    lines = (kernel_directory() / header).read_text().splitlines()
    inside = [number for number, line in enumerate(lines) if text in line]
    assert len(inside) == 1, f"{header} has {text!r} {len(inside)} times: name the loop in another way"
    first = max(n for n in range(inside[0] + 1) if re.search(r"\bFOR_(EACH|LINE)(_OF)?\(", lines[n]))
    if not lines[first].endswith("{"):
        return range(first + 1, first + 2)
    end = " " * (len(lines[first]) - len(lines[first].lstrip())) + "}"
    return range(first + 1, lines.index(end, first) + 1)


@pytest.fixture(scope="module")
def reports(gcc):
    """Module to how often each (header, line) was vectorized at full width."""
    if "x86" not in gcc("-dumpmachine"):
        pytest.skip("the report is read at x86-64-v3")
    found = {}
    for module in sorted({module for module, *_ in _chosen()}):
        source = kernel_directory() / f"{module}.cu"
        options = (*OPTIONS, *OPTIONS_OF.get(module, ()), *SAME, *REPORT_ONLY)

        def report(target: Path, source: Path = source, options: tuple[str, ...] = options) -> None:
            target.write_text(gcc(*options, source))

        text = gcc.made(source, options, ".report", report).read_text()
        places = re.findall(rf"([\w.]+):(\d+):\d+: optimized: *{FULL_WIDTH}", text)
        found[module] = Counter((header, int(line)) for header, line in places)
    return found


@pytest.mark.sweep
@pytest.mark.parametrize(("module", "header", "text", "instances"), _chosen())
def test_the_loop_is_vectorized_in_every_kernel(reports, module, header, text, instances):
    lines = loop_lines(header, text)
    seen = sum(reports[module][header, line] for line in lines)
    assert seen >= instances, f"{header}:{lines[0]} lost a vector loop in {module}.cu: {seen} of {instances} are left"


def test_a_loop_that_cannot_be_vectorized_is_not_reported(gcc, tmp_path):
    (tmp_path / "scalar.cu").write_text(
        '#include "portable.h"\nextern "C" void f(int* a, const int* b, int n) {\n'
        "    for (int i = 0; i < n; ++i) a[b[i]] += i;\n}\n"
    )
    text = gcc(*OPTIONS, *SAME, *REPORT_ONLY, "-I", kernel_directory(), tmp_path / "scalar.cu")
    assert FULL_WIDTH not in text
