"""Faults to plant, one of each area: what stands in a file once, what stands there instead, and the area's tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A file's text and what replaces it. tests: where the area's tests are, relative to tests/."""

    area: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


FAULTS = (
    Fault(
        "recorded launches",
        "texsamp/device/recorded.py",
        "p.behind + places.get(p.number, 0)",
        "p.behind",
        ("device/test_recorded.py", "video/test_deinterlace_recorded.py"),
    ),
    Fault(
        "fields of structures",
        "texsamp/state/kinds.py",
        "minus_one = Integer(bias=1)",
        "minus_one = unsigned",
        ("state",),
    ),
    Fault(
        "registers",
        "texsamp/emulator/context/registers.py",
        "self.read(offset + 4) << 32",
        "self.read(offset + 8) << 32",
        (
            "emulator/test_memory.py",
            "emulator/test_statistics.py",
            "emulator/test_pipe_control.py",
        ),
    ),
    Fault(
        "levels of textures",
        "texsamp/surface/mips.py",
        "max(sizes_px).bit_length()",
        "min(sizes_px).bit_length()",
        (
            "surface/test_mips.py",
            "surface/test_surface",
            "surface/test_texel_layouts.py",
        ),
    ),
    Fault(
        "places of levels",
        "texsamp/surface/layout/placement.py",
        "return max(size >> level, 1)",
        "return size >> level",
        (
            "surface/test_layout",
            "surface/test_mips.py",
        ),
    ),
    Fault(
        "planar surfaces",
        "texsamp/surface/planar.py",
        "chroma = (-(-width_px // across)",
        "chroma = (width_px // across",
        (
            "surface/test_planar.py",
            "surface/test_pixel_layout.py",
            "state/test_media_surface.py",
        ),
    ),
    Fault(
        "borders",
        "texsamp/sampler/border.py",
        'name in ("0", "1") and not dx9',
        'name in ("0", "1") and dx9',
        (
            "sampler/test_formats.py",
            "sampler/test_addressing.py",
            "sampler/test_sampler_state.py",
            "sampler/test_chroma_key.py",
        ),
    ),
    Fault(
        "cube maps",
        "texsamp/sampler/cube_faces.py",
        "_BITS = (4, 5, 2, 3, 0, 1)",
        "_BITS = (5, 4, 2, 3, 0, 1)",
        ("sampler/test_cube_faces.py",),
    ),
    Fault(
        "panoramas",
        "texsamp/sampler/panorama.py",
        "/ (2 * np.pi) + 0.5, 0.5 -",
        "/ (2 * np.pi) + 0.5, 0.502 -",
        ("sampler/test_panorama.py",),
    ),
    Fault(
        "positions of the scaler",
        "texsamp/video/scale/positions.py",
        "- PHASES * denominator + denominator)",
        "- PHASES * denominator)",
        (
            "video/test_scale",
            "video/test_positions.py",
        ),
    ),
    Fault(
        "sharpening by level",
        "texsamp/video/presets/ief.py",
        "gain=(strength + 1) // 2",
        "gain=strength // 2",
        (
            "video/test_sharpen",
            "video/test_ief",
        ),
    ),
    Fault(
        "denoising by level",
        "texsamp/video/denoise/levels.py",
        "if level >= row.first",
        "if level > row.first",
        ("video/test_denoise",),
    ),
    Fault(
        "cadences",
        "texsamp/video/film/cadence.py",
        "at = (field + self.offset) % self.length",
        "at = (field - self.offset) % self.length",
        ("video/test_film",),
    ),
    Fault(
        "field order of launches",
        "texsamp/video/deinterlace/launches.py",
        "noisy_parity=0 if noisy is None else noisy[1]",
        "noisy_parity=0 if noisy is None else 1 - noisy[1]",
        (
            "video/test_deinterlace",
            "emulator/test_deinterlace.py",
            "emulator/test_vdi_walker.py",
        ),
    ),
    Fault(
        "tone curves",
        "texsamp/video/tonemap/curves.py",
        "code * code / 3,",
        "code * code / 4,",
        ("video/test_tonemap",),
    ),
    Fault(
        "color levels",
        "texsamp/video/color/procamp.py",
        "sin_c_s=round(factor * sin(angle) * 256)",
        "sin_c_s=round(factor * sin(-angle) * 256)",
        (
            "video/test_color_filters.py",
            "video/test_color_exact.py",
        ),
    ),
    Fault(
        "color matrices",
        "texsamp/video/color/matrices.py",
        "if self.full_range else Fraction(224 * 16)",
        "if self.full_range else Fraction(219 * 16)",
        (
            "video/test_csc.py",
            "video/test_color",
            "video/test_conversion.py",
        ),
    ),
    Fault(
        "tables of colors",
        "texsamp/video/lut/cube_file.py",
        "domain if not curves else ColorTable().cube_range",
        "domain",
        ("video/test_lut",),
    ),
    Fault(
        "options of filters",
        "texsamp/video/options.py",
        "self.low <= int(value) <= self.high",
        "self.low < int(value) <= self.high",
        (
            "video/test_grammar.py",
            "video/test_color_filters.py",
            "video/test_sharpen",
            "video/test_denoise.py",
        ),
    ),
    Fault(
        "frames by number",
        "texsamp/io/input/frame_index.py",
        "time_s + _TOLERANCE_S) - 1",
        "time_s + _TOLERANCE_S)",
        ("io/test_frames_by_number.py",),
    ),
    Fault(
        "rotation",
        "texsamp/io/frames/rotation.py",
        '(0, 1, -1, 0): Turn((("transpose", "clock"),)',
        '(0, 1, -1, 0): Turn((("transpose", "cclock"),)',
        ("io/test_rotation.py",),
    ),
    Fault(
        "DDS files",
        "texsamp/io/textures/dds.py",
        "if misc & MISC_CUBE:",
        "if misc & MISC_CUBE and array_size == 1:",
        (
            "io/test_dds.py",
            "io/test_texture",
        ),
    ),
    Fault(
        "encoders",
        "texsamp/surface/numpy_encoders.py",
        "_SEVENTHS = np.array([1, 7, 6, 5, 4, 3, 2, 0])",
        "_SEVENTHS = np.array([1, 7, 6, 5, 4, 2, 3, 0])",
        (
            "surface/test_surface_encode.py",
            "surface/test_numpy_sizes.py",
            "io/test_texture",
            "cli/test_encode_command.py",
        ),
    ),
    Fault(
        "PSNR",
        "texsamp/quality/psnr.py",
        "max_value * max_value / mse",
        "max_value / mse",
        ("quality",),
    ),
    Fault(
        "SSIM",
        "texsamp/quality/ssim.py",
        "pairs[:, :-1] + pairs[:, 1:]",
        "pairs[:, :-1] + pairs[:, :-1]",
        ("quality",),
    ),
    Fault(
        "worst frames of reports",
        "texsamp/report/worst.py",
        "abs(kept[1] - frame) < self._apart]",
        "abs(kept[1] - frame) <= self._apart]",
        ("report/test_comparison_report.py",),
    ),
    Fault(
        "segments",
        "texsamp/segments/cut.py",
        "times[cut - WARM_UP], times[cut]",
        "times[cut - WARM_UP], times[cut - 1]",
        (
            "test_segments.py",
            "test_hashes.py",
            "io/test_joined_segments.py",
        ),
    ),
    Fault(
        "values as JSON",
        "cli/values.py",
        "not math.isfinite(value) else value",
        "math.isfinite(value) else value",
        (
            "cli/test_compare_command.py",
            "cli/test_state.py",
            "cli/test_other_commands.py",
        ),
    ),
    Fault(
        "exit status",
        "cli/main.py",
        "BAD_USAGE if isinstance(error, StateError) else FAILED",
        "FAILED",
        (
            "cli/test_process_command.py",
            "cli/test_other_commands.py",
            "cli/test_compare_command.py",
        ),
    ),
    Fault(
        "topologies",
        "texsamp/emulator/fixed/assembly.py",
        "(vertices - self.least) // self.step + 1",
        "(vertices - self.least) // self.step",
        (
            "emulator/test_assembly.py",
            "emulator/test_vertex_fetch.py",
        ),
    ),
    Fault(
        "tessellator",
        "kernels/tess_edges.h",
        "2 * (segments - top_bit_of(segments)) + 1 : 1",
        "2 * (segments - top_bit_of(segments)) : 1",
        ("emulator/test_tessell",),
    ),
    Fault(
        "blitter",
        "texsamp/emulator/commands/blits.py",
        "command.source_address - back",
        "command.source_address",
        ("emulator/test_blitter",),
    ),
    Fault(
        "compact instructions",
        "texsamp/emulator/eu/isa/compaction.py",
        "_SOURCE_1.get(compact) << 8",
        "_SOURCE_1.get(compact) << 7",
        ("emulator/eu/test_codec.py",),
    ),
    Fault(
        "AUB files",
        "texsamp/emulator/files/aub.py",
        "return self.address + len(self.data)",
        "return self.address + len(self.data) - 1",
        (
            "emulator/test_aub.py",
            "emulator/test_capture",
        ),
    ),
    Fault(
        "kernel: tables of colors",
        "kernels/lut.h",
        "(s32)(at * 256.0f + 0.5f)",
        "(s32)(at * 256.0f)",
        ("video/test_lut",),
    ),
    Fault(
        "kernel: packed pixels",
        "kernels/packed10.h",
        "mask = c == 3 ? 3 : 1023",
        "mask = c == 3 ? 1 : 1023",
        (
            "video/test_packed10.py",
            "io/test_convert.py",
            "io/test_video_round_trip.py",
        ),
    ),
    Fault(
        "kernel: tiles",
        "kernels/tiling.h",
        "W_BLOCK_WIDTH_B = 16, W_BLOCK_ROWS = 4",
        "W_BLOCK_WIDTH_B = 16, W_BLOCK_ROWS = 2",
        ("surface/test_tiling",),
    ),
    Fault(
        "kernel: film",
        "kernels/film.h",
        "difference(ct, pb), difference(cb, pt),",
        "difference(ct, pt), difference(cb, pt),",
        ("video/test_film",),
    ),
    Fault(
        "kernel: scene changes",
        "kernels/scene_change.h",
        "(begin + SCENE_STEP - 1) / SCENE_STEP",
        "begin / SCENE_STEP",
        (
            "video/test_scene_cuts.py",
            "video/test_denoise.py",
            "video/test_temporal_golden.py",
        ),
    ),
    Fault(
        "kernel: edges",
        "kernels/edge_search.h",
        "5, 7, 9, 11}",
        "5, 7, 9, 10}",
        ("video/test_deinterlace_edges.py",),
    ),
    Fault(
        "kernel: blocks",
        "kernels/block_fxt1.h",
        "divide_by_3(2 * near + far + 1)",
        "divide_by_3(2 * near + far)",
        ("surface/test_fxt1.py",),
    ),
    Fault(
        "kernel: turns",
        "kernels/interleaved.h",
        "row.parts[LUMA][2 * x + k] = row.mixed[4 * x + 2 * k + LUMA]",
        "row.parts[LUMA][2 * x + k] = row.mixed[4 * x + 2 * k + 1 - LUMA]",
        ("video/test_component_planes.py", "video/test_fitting.py"),
    ),
    Fault(
        "flags of film",
        "texsamp/video/deinterlace/film_flags.py",
        "if turns and self._turned < REACH:",
        "if turns:",
        ("video/test_film_flags.py",),
    ),
    Fault(
        "order of film",
        "texsamp/video/film/field_order.py",
        "are_film[0] != are_film[1]",
        "are_film[0] and not are_film[1]",
        ("video/test_film_flags.py",),
    ),
)
"""Kernels' faults are built for the level in use alone."""
