"""XY_COLOR_BLT and XY_SRC_COPY_BLT, held to a scalar reference."""

import numpy as np
import pytest
from oracle.blitter import blit
from support.programs import Program, data_address

from texsamp.errors import CaptureError
from texsamp.state.commands_blitter import ColorBlt, XyColorBlt, XyPatBlt, XySetupClipBlt, XySrcCopyBlt
from texsamp.state.commands_mi import MiLoadRegisterImm

SIZE = 32 << 10
PIXEL_B = {"BITS_8": 1, "BITS_16_565": 2, "BITS_16_1555": 2, "BITS_32": 4}
FILLS = [code for code in range(256) if (code >> 2 & 0x33) == (code & 0x33)]
COPIES = [code for code in range(256) if code >> 4 == code & 15]


def _run(command, contents, clip=None, second=None, before=()):
    commands = [*before, command] if clip is None else [*before, XySetupClipBlt(**clip), command]
    program = Program(commands, data=[contents] if second is None else [contents, second])
    program.run()
    return program.data().tobytes()


def _fill(**fields):
    command = XyColorBlt(**{"base_address": data_address(0), "raster_operation": 0xF0, "pitch": 64} | fields)
    return np.frombuffer(_run(command, bytes(range(256)) * (SIZE // 256)), np.uint8)


def _random(rng, copies):
    """Fields of a random command and what the reference calls them."""
    depth = str(rng.choice(list(PIXEL_B)))
    pixel = PIXEL_B[depth]
    tiled, source_tiled = bool(rng.integers(2)), bool(rng.integers(2))
    left, top, width, height = (int(n) for n in rng.integers((0, 0, 1, 1), (100, 12, 60, 9)))
    pitch, source_pitch = (1024 if each else int(rng.choice([640, 700, 1024])) for each in (tiled, source_tiled))
    fields = {
        "left": left, "top": top, "right": left + width, "bottom": top + height, "tiled": tiled,
        "write_alpha": bool(rng.integers(2)), "write_rgb": bool(rng.integers(2)),
        "raster_operation": int(rng.choice(COPIES if copies else FILLS)),
    }  # fmt: skip
    theirs = {"pixel_bytes": pixel, "pitch_bytes": pitch}
    rest = {"depth": depth, "pitch": pitch // 4 if tiled else pitch, "base_address": data_address(0)}
    clip = None
    if rng.integers(2):
        x, y = (int(n) for n in rng.integers(0, 60, 2))
        clip = {"left": x, "top": y // 5, "right": x + int(rng.integers(80)), "bottom": y // 5 + int(rng.integers(14))}
        theirs["clip"], rest["clip"] = (clip["left"], clip["top"], clip["right"], clip["bottom"]), True
    if not copies:
        fields["color"] = int(rng.integers(1 << 32))
        return XyColorBlt(**fields, **rest), fields | theirs, clip
    fields |= {"source_left": int(rng.integers(-5, 100)), "source_top": int(rng.integers(-3, 12))}
    fields["source_tiled"] = source_tiled
    theirs["source_pitch_bytes"] = source_pitch
    rest["source_pitch"] = source_pitch // 4 if source_tiled else source_pitch
    return (fields, rest), fields | theirs, clip


def test_fills_with_every_operation_depth_tiling_mask_and_clip():
    rng = np.random.default_rng(1)
    for _ in range(60):
        command, theirs, clip = _random(rng, copies=False)
        contents = rng.bytes(SIZE)
        assert _run(command, contents, clip) == blit(contents, theirs), theirs


def test_patterns_of_eight_rows_repeat_from_their_seeds():
    rng = np.random.default_rng(3)
    for _ in range(40):
        fill, theirs, clip = _random(rng, copies=False)
        seeds = {"seed_x": int(rng.integers(8)), "seed_y": int(rng.integers(8))}
        shared = ("left", "top", "right", "bottom", "tiled", "write_alpha", "write_rgb", "raster_operation")
        rest = {name: getattr(fill, name) for name in (*shared, "depth", "pitch", "clip", "base_address")}
        contents, pattern = rng.bytes(SIZE), rng.bytes(256)
        command = XyPatBlt(**rest, **seeds, pattern_address=data_address(1))
        wanted = blit(contents, theirs | seeds | {"pattern": pattern})
        assert _run(command, contents, clip, pattern) == wanted, theirs


@pytest.mark.parametrize("overlaps", [False, True])
def test_copies_of_another_surface_and_of_the_same(overlaps):
    rng = np.random.default_rng(2)
    for _ in range(40):
        (fields, rest), theirs, clip = _random(rng, copies=True)
        contents, second = rng.bytes(SIZE), rng.bytes(SIZE)
        command = XySrcCopyBlt(**fields, **rest, source_address=data_address(0 if overlaps else 1))
        wanted = blit(contents, theirs, contents if overlaps else second)
        assert _run(command, contents, clip, second) == wanted, theirs


def test_tiled_destinations_are_x_tiled():
    after = _fill(tiled=True, pitch=256, left=510, top=7, right=514, bottom=9, color=0xEE)
    changed = np.flatnonzero(after != np.frombuffer(bytes(range(256)) * (SIZE // 256), np.uint8))
    tiles = {(7, x): (x // 512) * 4096 + 7 * 512 + x % 512 for x in range(510, 514)}
    tiles |= {(8, x): 2 * 4096 + (x // 512) * 4096 + x % 512 for x in range(510, 514)}
    assert set(changed) <= set(tiles.values())
    assert (after[list(tiles.values())] == 0xEE).all()


@pytest.mark.parametrize(("from_y", "to_y"), [(False, True), (True, False), (True, True)])
def test_a_register_makes_surfaces_y_tiled_whatever_commands_say(from_y, to_y):
    """As OpenGL's driver copies Y-tiled textures (volume 1 part 4, page 133); a bit whose mask is clear stays."""
    rng = np.random.default_rng(5)
    chosen = MiLoadRegisterImm(register_offset=0x22200, data=3 << 16 | to_y << 1 | int(from_y))
    kept = MiLoadRegisterImm(register_offset=0x22200, data=3 - (to_y << 1 | int(from_y)))
    for _ in range(20):
        (fields, rest), theirs, clip = _random(rng, copies=True)
        contents, second = rng.bytes(SIZE * 2), rng.bytes(SIZE * 2)
        for name, is_y in (("pitch", to_y), ("source_pitch", from_y)):
            theirs[f"{name}_bytes"] = 1024
            tiled = fields["tiled" if name == "pitch" else "source_tiled"]
            rest[name] = 1024 // 4 if tiled else 1024
            theirs["is_y" if name == "pitch" else "source_is_y"] = is_y
        command = XySrcCopyBlt(**fields, **rest, source_address=data_address(1))
        wanted = blit(contents, theirs, second)
        assert _run(command, contents, clip, second, [chosen, kept]) == wanted, theirs


def test_fills_are_y_tiled_where_the_register_says_so_and_rows_of_bytes_are_rows():
    contents = bytes(range(256)) * (SIZE // 256)
    fields = {
        "left": 3, "top": 7, "right": 11, "bottom": 40, "tiled": True, "color": 0x12345678, "write_alpha": True,
        "write_rgb": True, "raster_operation": 0xF0,
    }  # fmt: skip
    fill = XyColorBlt(base_address=data_address(0), pitch=32, depth="BITS_32", **fields)
    chosen = MiLoadRegisterImm(register_offset=0x22200, data=0x20002)
    wanted = blit(contents, fields | {"pixel_bytes": 4, "pitch_bytes": 128, "is_y": True})
    assert _run(fill, contents, before=[chosen]) == wanted
    rows = ColorBlt(
        base_address=data_address(0), pitch=64, width_B=40, height=3, color=7, raster_operation=0xF0, depth="BITS_8"
    )
    assert _run(rows, contents, before=[chosen]) == _run(rows, contents)


@pytest.mark.parametrize(
    "fields",
    [{"left": 3, "right": 3, "bottom": 5}, {"right": 4, "top": 6, "bottom": 6}, {"left": 5, "right": 1, "bottom": 1}],
)
def test_empty_and_reversed_rectangles_are_rejected(fields):
    assert _fill(**fields).tobytes() == bytes(range(256)) * (SIZE // 256)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"raster_operation": 0xCC, "right": 1, "bottom": 1},
            "raster operation 0xcc uses a source: XY_COLOR_BLT has none",
        ),
        ({"clip": True, "right": 1, "bottom": 1}, "nothing has set the rectangle"),
        ({"top": -1, "right": 1, "bottom": 1}, "from 0, -1 on begins before its surface"),
        ({"right": 65, "bottom": 2}, "width_B must be from 0 to 64"),
        ({"right": 32767, "bottom": 32767}, "a rectangle of 1073676289 bytes, but 32768 are mapped"),
        ({"right": 1, "bottom": 600}, "the region needs"),
        ({"right": 1, "bottom": 2, "pitch": 0}, "pitch of tiling linear"),
        ({"right": 1, "bottom": 2, "pitch": -64}, "are not mapped"),
        ({"right": 1, "bottom": 1, "base_address": 0x500}, "at 0x500 are not mapped"),
    ],
)
def test_refusals(fields, message):
    with pytest.raises(CaptureError, match=message):
        _fill(**fields)


def test_a_copy_has_no_pattern():
    command = XySrcCopyBlt(
        base_address=data_address(0), source_address=data_address(0), raster_operation=0xF0, pitch=64, source_pitch=64,
        right=1, bottom=1,
    )  # fmt: skip
    with pytest.raises(CaptureError, match="raster operation 0xf0 uses a pattern: XY_SRC_COPY_BLT has none"):
        _run(command, bytes(SIZE))
