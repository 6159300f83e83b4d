"""Blits of patterns, bits, chroma keys, rows of memory and what has been set up, held to a scalar reference."""

import numpy as np
import pytest
from oracle.blitter import blit
from support.programs import Program, data_address

from texsamp.errors import CaptureError
from texsamp.state import commands_blitter as blt
from texsamp.state.commands_mi import MiSetContext

SIZE = 16 << 10
PIXEL_B = {"BITS_8": 1, "BITS_16_565": 2, "BITS_16_1555": 2, "BITS_32": 4}
FIXED = {
    "HORIZONTAL": "00 00 00 FF 00 00 00 00", "VERTICAL": "08 08 08 08 08 08 08 08",
    "FORWARD_DIAGONAL": "80 40 20 10 08 04 02 01", "BACKWARD_DIAGONAL": "01 02 04 08 10 20 40 80",
    "CROSS": "08 08 08 FF 08 08 08 08", "DIAGONAL_CROSS": "81 42 24 18 18 24 42 81",
    "SCREEN_DOOR": "55 AA 55 AA 55 AA 55 AA", "WIDE_SCREEN_DOOR": "CC 33 CC 33 CC 33 CC 33",
    "WALKING_ONE": "88 44 22 11 88 44 22 11", "WALKING_ZERO": "77 BB DD EE 77 BB DD EE",
}  # fmt: skip
WHOLE = [
    blt.XyPatBltImmediate, blt.XyPatChromaBlt, blt.XyPatChromaBltImmediate, blt.XyMonoPatBlt, blt.XyMonoPatFixedBlt,
    blt.XySrcCopyChromaBlt, blt.XyMonoSrcCopyBlt, blt.XyMonoSrcCopyImmediateBlt, blt.XyFullBlt,
    blt.XyFullImmediatePatternBlt, blt.XyFullMonoSrcBlt, blt.XyFullMonoSrcImmediatePatternBlt,
    blt.XyFullMonoPatternBlt, blt.XyFullMonoPatternMonoSrcBlt,
]  # fmt: skip
SET_UP = [blt.XyPixelBlt, blt.XyScanlinesBlt, blt.XyTextBlt, blt.XyTextImmediateBlt]


def _run(commands, *data):
    program = Program(commands, data=data)
    program.run()
    return program.data().tobytes()


def _words(data):
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


def _operation(rng, pattern, source):
    """A raster operation that uses no operand that is not there."""
    code = int(rng.integers(256))
    if not source:
        code = code & 0x33 | (code & 0x33) << 2
    if not pattern:
        code = code & 15 | (code & 15) << 4
    return code


def _destination(rng, source, pattern):
    """Depth, masks, tiling, operation: fields, and what the reference calls them."""
    depth, tiled = str(rng.choice(list(PIXEL_B))), bool(rng.integers(2))
    pitch = 512 if tiled else int(rng.choice([320, 410]))
    fields = {
        "tiled": tiled, "write_alpha": bool(rng.integers(4)), "write_rgb": bool(rng.integers(4)),
        "raster_operation": _operation(rng, pattern, source),
    }  # fmt: skip
    ours = {"depth": depth, "pitch": pitch // 4 if tiled else pitch, "base_address": data_address(0)}
    return fields | ours, fields | {"depth": depth, "pixel_bytes": PIXEL_B[depth], "pitch_bytes": pitch}


def _box(rng):
    left, top, width, height = (int(n) for n in rng.integers((0, 0, 1, 1), (40, 10, 30, 9)))
    return {"left": left, "top": top, "right": left + width, "bottom": top + height}


def _bits(rng, names):
    """Fields of a monochrome source."""
    colors = {name: int(rng.integers(1 << 32)) for name in ("background", "foreground") if name in names}
    both = colors | {"transparent": bool(rng.integers(2))}
    return both | ({"first_bit": int(rng.integers(8))} if "first_bit" in names else {})


def _bit_pattern(rng, kind, names):
    """Fields of a monochrome pattern and its rows."""
    both = {"pattern_transparent": bool(rng.integers(2))}
    both |= {name: int(rng.integers(1 << 32)) for name in ("pattern_background", "pattern_foreground") if name in names}
    if "solid" in names:
        both["solid"] = not rng.integers(3)
    rows = rng.bytes(8)
    fields = {"pattern_low": _words(rows)[0], "pattern_high": _words(rows)[1]}
    if kind is blt.XyMonoPatFixedBlt:
        name = str(rng.choice(list(FIXED)))
        fields, rows = {"pattern": name}, bytes.fromhex(FIXED[name])
    return both | fields, both | {"pattern_rows": rows}


def _drawn(rng, kind):
    """A command, what the reference needs, and the contents of the second and third buffer."""
    names = kind.rows
    immediate_bits = kind is blt.XyMonoSrcCopyImmediateBlt
    copies, bits = "source_address" in names, "bits_address" in names or immediate_bits
    fields, theirs = _destination(rng, copies or bits, "seed_x" in names)
    box = _box(rng)
    size, second, third = theirs["pixel_bytes"], rng.bytes(SIZE), rng.bytes(SIZE)
    if immediate_bits:
        box["right"], box["bottom"] = box["left"] + 1 + box["right"] % 20, box["top"] + 1 + box["bottom"] % 8
    fields, theirs, tail = fields | box, theirs | box, b""
    if "seed_x" in names:
        seeds = {"seed_x": int(rng.integers(8)), "seed_y": int(rng.integers(8))}
        fields, theirs = fields | seeds, theirs | seeds
        if "pattern_background" in names:
            ours, reference = _bit_pattern(rng, kind, names)
            fields, theirs = fields | ours, theirs | reference
        elif "pattern_address" in names:
            fields["pattern_address"], theirs["pattern"] = data_address(1), second
        else:
            tail = theirs["pattern"] = rng.bytes(64 * size)
    if copies:
        tiled, pitch = bool(rng.integers(2)), 512
        corner = {"source_left": int(rng.integers(-4, 20)), "source_top": int(rng.integers(-3, 9))}
        fields |= corner | {"source_tiled": tiled, "source_pitch": pitch // 4 if tiled else pitch}
        fields["source_address"] = data_address(2)
        theirs |= corner | {"source_tiled": tiled, "source_pitch_bytes": pitch}
    if bits:
        both, at = _bits(rng, names), 0 if immediate_bits else int(rng.integers(7))
        fields, theirs = fields | both, theirs | both | {"bits": third[at:], "bits_at": at, "packing": "word"}
        if immediate_bits:
            tail = theirs["bits"] = rng.bytes(128)
        else:
            fields["bits_address"] = data_address(2) + at
    if "key_mode" in names:
        low, high = rng.integers(0, 256, (2, 4), dtype=np.uint8)
        low, high = (
            int.from_bytes(each.tobytes(), "little") for each in (np.minimum(low, high), np.maximum(low, high))
        )
        mode = int(rng.integers(8) if copies else rng.choice([0, 5, 7]))
        fields |= {"key_mode": mode, "key_low": low, "key_high": high}
        theirs["key"] = mode, low, high
    return kind(**fields, tail=_words(tail)) if tail else kind(**fields), theirs, second, third


@pytest.mark.parametrize("kind", WHOLE, ids=lambda kind: kind.name)
def test_rectangles_of_patterns_and_sources(kind):
    rng = np.random.default_rng(len(kind.name))
    for _ in range(10):
        command, theirs, second, third = _drawn(rng, kind)
        contents = rng.bytes(SIZE)
        got = _run([command], contents, second, third)
        assert got == blit(contents, theirs, third), theirs


@pytest.mark.parametrize("kind", SET_UP, ids=lambda kind: kind.name)
def test_what_has_been_set_up_draws_pixels_scan_lines_and_text(kind):
    rng = np.random.default_rng(len(kind.name))
    for _ in range(12):
        text = "byte_packed" in kind.rows
        fields, theirs = _destination(rng, source=text, pattern=not text)
        size, second, third, contents = theirs["pixel_bytes"], rng.bytes(SIZE), rng.bytes(SIZE), rng.bytes(SIZE)
        x, y, width, height = (int(n) for n in rng.integers((0, 0, 1, 1), (30, 8, 40, 12)))
        fields |= {"clip": True, "left": x, "top": y, "right": x + width, "bottom": y + height}
        box = _box(rng) | {"left": int(rng.integers(-5, 20))}
        theirs |= {"clip": (x, y, x + width, y + height)} | box
        command = {"tiled": fields["tiled"], "left": box["left"], "top": box["top"]}
        colors = {"background": int(rng.integers(1 << 32)), "foreground": int(rng.integers(1 << 32))}
        setup = blt.XySetupBlt(**fields, **colors, transparent=True, pattern_address=data_address(1))
        if kind is blt.XyPixelBlt:
            theirs |= {"right": box["left"] + 1, "bottom": box["top"] + 1, "color": colors["background"]}
        else:
            command |= {"right": box["right"], "bottom": box["bottom"]}
        if kind is blt.XyScanlinesBlt:
            seeds = {"seed_x": int(rng.integers(8)), "seed_y": int(rng.integers(8))}
            command, theirs = command | seeds, theirs | seeds | {"pattern": second}
            if rng.integers(2):
                ours, reference = _bit_pattern(rng, kind, blt.XySetupMonoPatternSlBlt.rows)
                setup = blt.XySetupMonoPatternSlBlt(**fields, **colors, **ours)
                theirs = {name: value for name, value in theirs.items() if name != "pattern"} | reference
                theirs |= {f"pattern_{name}": value for name, value in colors.items()}
        if text:
            packed, at = bool(rng.integers(2)), int(rng.integers(5))
            command["byte_packed"] = packed
            theirs |= colors | {"transparent": True, "bits": third[at:], "packing": "byte" if packed else "bit"}
            if kind is blt.XyTextBlt:
                command["bits_address"] = data_address(2) + at
            else:
                command |= {"right": box["left"] + 25, "bottom": box["top"] + 7, "tail": _words(third[:128])}
                theirs |= {"right": box["left"] + 25, "bottom": box["top"] + 7, "bits": third[:128]}
        got = _run([setup, kind(**command)], contents, second, third)
        assert got == blit(contents, theirs), (kind.name, theirs, size)


def test_rows_of_memory_are_filled_and_copied_in_both_directions():
    rng = np.random.default_rng(8)
    for number in range(40):
        depth = str(rng.choice(list(PIXEL_B)))
        size, copies = PIXEL_B[depth], bool(number % 2)
        width, height = int(rng.integers(1, 40)), int(rng.integers(1, 9))
        pitch, source_pitch = (int(rng.choice([-1, 1])) * int(rng.integers(160, 200)) // 4 * 4 for _ in range(2))
        backwards = copies and bool(rng.integers(2))
        first, source_first = 4096 + 4 * int(rng.integers(16)), 4096 + 4 * int(rng.integers(16))
        fields = {
            "depth": depth, "pitch": pitch, "height": height, "width_B": width * size,
            "write_alpha": bool(rng.integers(4)), "write_rgb": True,
            "raster_operation": _operation(rng, not copies, copies),
        }  # fmt: skip
        last = width * size - 1 if backwards else 0
        theirs = {
            "left": 0, "top": 0, "right": width, "bottom": height, "tiled": False, "pitch_bytes": pitch,
            "origin": first, "pixel_bytes": size,
        }  # fmt: skip
        theirs |= {name: fields[name] for name in ("write_alpha", "write_rgb", "raster_operation")}
        contents, second = rng.bytes(SIZE), rng.bytes(SIZE)
        if copies:
            command = blt.SrcCopyBlt(
                **fields, base_address=data_address(0) + first + last, backwards=backwards,
                source_address=data_address(1) + source_first + last, source_pitch=source_pitch,
            )  # fmt: skip
            theirs |= {"source_left": 0, "source_tiled": False, "source_pitch_bytes": source_pitch}
            theirs["source_origin"] = source_first
        else:
            theirs["color"] = int(rng.integers(1 << 32))
            command = blt.ColorBlt(**fields, base_address=data_address(0) + first, color=theirs["color"])
        assert _run([command], contents, second) == blit(contents, theirs, second), (number, theirs)


def test_a_row_is_filled_whatever_the_pitch_is():
    fill = blt.ColorBlt(
        base_address=data_address(0) + 3, width_B=5000, height=1, raster_operation=0xF0, depth="BITS_8", color=7
    )
    after = _run([fill], bytes(SIZE))
    assert after == bytes(3) + b"\7" * 5000 + bytes(SIZE - 5003)


def test_a_context_keeps_what_has_been_set_up():
    setup = blt.XySetupBlt(
        base_address=data_address(0), pitch=64, raster_operation=0xF0, depth="BITS_8", background=9, right=64, bottom=4
    )
    other = setup.replace(background=5)
    here, there = data_address(1), data_address(1) + 0x1000
    commands = [
        MiSetContext(context_address=here, restore_inhibit=True), setup,
        MiSetContext(context_address=there, restore_inhibit=True), other, blt.XyPixelBlt(left=1),
        MiSetContext(context_address=here), blt.XyPixelBlt(left=2),
    ]  # fmt: skip
    assert _run(commands, bytes(256), bytes(0x3000))[:4] == bytes([0, 5, 9, 0])


def _filled(**fields):
    return blt.XyPatBltImmediate(
        **{"base_address": data_address(0), "right": 1, "bottom": 1, "raster_operation": 0xF0, "pitch": 64} | fields
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (_filled(depth="BITS_32", tail=[0] * 16), "a pattern of 64 bytes: pixels of 4 need 256"),
        (blt.XyPixelBlt(), "XY_PIXEL_BLT needs an XY_SETUP_BLT"),
        (
            blt.XyMonoSrcCopyImmediateBlt(base_address=data_address(0), pitch=64, right=1, bottom=1, tail=[0] * 3),
            "holds 3 dwords of bits: the blitter hangs",
        ),
        (
            blt.XyMonoSrcCopyImmediateBlt(base_address=data_address(0), pitch=64, right=20, bottom=40, tail=[0] * 2),
            "bits of a source take 159 bytes, there are 8",
        ),
        (
            blt.XyPatChromaBlt(
                base_address=data_address(0), pattern_address=data_address(0), pitch=64, right=1, bottom=1, key_mode=1
            ),
            "has no source for its chroma key",
        ),
        (
            blt.XyMonoPatFixedBlt.from_dwords([0x56430005, 0, 0, 0x00010001, data_address(0), 0, 0], strict=False),
            "code 6 is reserved",
        ),
        (
            blt.ColorBlt(base_address=data_address(0), depth="BITS_32", width_B=6, height=1),
            "6 bytes are no pixels of 4",
        ),
    ],
)
def test_refusals(command, message):
    with pytest.raises(CaptureError, match=message):
        _run([command], bytes(SIZE))


def test_text_after_a_pattern_of_scan_lines_and_another_tiling_are_refused():
    setup = blt.XySetupMonoPatternSlBlt(base_address=data_address(0), pitch=64, right=8, bottom=8)
    with pytest.raises(CaptureError, match="which is for scan lines"):
        _run([setup, blt.XyTextBlt(bits_address=data_address(0), right=1, bottom=1)], bytes(SIZE))
    with pytest.raises(CaptureError, match="do not agree on tiling"):
        _run([setup, blt.XyPixelBlt(tiled=True)], bytes(SIZE))
