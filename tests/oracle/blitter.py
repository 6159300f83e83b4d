"""Blits, one bit of one pixel at a time: volume 1 part 4, pages 33-35 and 45-64, without the emulator's code."""


def place(x_byte: int, row: int, pitch_bytes: int, tiled: bool) -> int:
    """Where a byte of a surface is: tiles of 512 bytes and 8 rows, or rows."""
    if not tiled:
        return row * pitch_bytes + x_byte
    tile = row // 8 * (pitch_bytes // 512) + x_byte // 512
    return tile * 4096 + row % 8 * 512 + x_byte % 512


def operated(code: int, pattern: int, source: int, destination: int) -> int:
    """A byte by a raster operation."""
    bits = ((pattern >> n & 1) << 2 | (source >> n & 1) << 1 | destination >> n & 1 for n in range(8))
    return sum((code >> index & 1) << n for n, index in enumerate(bits))


def blit(memory: bytes, blt: dict, source_memory: bytes | None = None) -> bytes:
    """Memory of the destination after a blit: a dict of the command's fields, pixel_bytes and clip rectangle."""
    before, after, size = source_memory if source_memory is not None else memory, bytearray(memory), blt["pixel_bytes"]
    copies = "source_left" in blt
    left, top = blt["left"], blt["top"]
    source_x, source_y = blt.get("source_left", 0), blt.get("source_top", 0)
    if source_x < 0:
        left, source_x = left - source_x, 0
    if source_y < 0:
        top, source_y = top - source_y, 0
    for y in range(top, blt["bottom"]):
        for x in range(left, blt["right"]):
            if blt.get("clip") and not (blt["clip"][0] <= x < blt["clip"][2] and blt["clip"][1] <= y < blt["clip"][3]):
                continue
            for byte in range(size):
                if size == 4 and not (blt["write_alpha"] if byte == 3 else blt["write_rgb"]):
                    continue
                at = place(x * size + byte, y, blt["pitch_bytes"], blt["tiled"])
                pattern, source = blt.get("color", 0) >> 8 * byte & 255, 0
                if "pattern" in blt:
                    column, row = (x + blt["seed_x"]) % 8, (y + blt["seed_y"]) % 8
                    pattern = blt["pattern"][(8 * row + column) * size + byte]
                if copies:
                    column = (source_x + x - left) * size + byte
                    row = source_y + y - top
                    source = before[place(column, row, blt["source_pitch_bytes"], blt["source_tiled"])]
                after[at] = operated(blt["raster_operation"], pattern, source, memory[at])
    return bytes(after)
