"""Blits, one bit of one pixel at a time: volume 1 part 4, pages 14-96, without the emulator's code."""


def place(x_byte: int, row: int, pitch_bytes: int, tiled: bool, is_y: bool = False) -> int:
    """Where a byte of a surface is: tiles of 512 bytes and 8 rows, or rows.

    is_y: in tiles of 128 bytes and 32 rows, whose columns of 16 bytes lie one behind the other.
    """
    if is_y:
        tile = row // 32 * (pitch_bytes // 128) + x_byte // 128
        return tile * 4096 + x_byte % 128 // 16 * 512 + row % 32 * 16 + x_byte % 16
    if not tiled:
        return row * pitch_bytes + x_byte
    tile = row // 8 * (pitch_bytes // 512) + x_byte // 512
    return tile * 4096 + row % 8 * 512 + x_byte % 512


def operated(code: int, pattern: int, source: int, destination: int) -> int:
    """A byte by a raster operation."""
    bits = ((pattern >> n & 1) << 2 | (source >> n & 1) << 1 | destination >> n & 1 for n in range(8))
    return sum((code >> index & 1) << n for n, index in enumerate(bits))


def bit_of(blt: dict, x: int, y: int) -> int:
    """A bit of a monochrome source, pixel (x, y) behind its corner: the high bit of a byte is the first (p. 27)."""
    width, first = blt["right"] - blt["left"], blt.get("first_bit", 0)
    position = blt.get("bits_at", 0) * 8  # in memory, where words are even bytes
    for _ in range(y + 1):
        start = position
        position += first + width
        if blt["packing"] == "byte":
            position = (position + 7) // 8 * 8
        elif blt["packing"] == "word":
            position = (position + 15) // 16 * 16
    bit = start + first + x - blt.get("bits_at", 0) * 8
    return blt["bits"][bit // 8] >> (7 - bit % 8) & 1


COMPONENTS = {
    "BITS_8": ([(0, 8)], []), "BITS_16_565": ([(0, 5), (5, 6), (11, 5)], []),
    "BITS_16_1555": ([(0, 5), (5, 5), (10, 5)], [(15, 1)]), "BITS_32": ([(0, 8), (8, 8), (16, 8)], [(24, 8)]),
}  # fmt: skip


def keyed(blt: dict, source: int, destination: int) -> bool:
    """Whether the chroma key lets a pixel be written (p. 86)."""
    mode, low, high = blt["key"]
    if mode % 2 == 0:
        return True
    colors, alpha = COMPONENTS[blt["depth"]]
    pixel = source if mode in (1, 3) else destination
    inside = True
    for shift, size in colors + (alpha if mode in (3, 5) else []):
        part, least, most = (value >> shift & (1 << size) - 1 for value in (pixel, low, high))
        inside = inside and least <= part <= most
    return not inside if mode in (1, 3) else inside


def blit(memory: bytes, blt: dict, source_memory: bytes | None = None) -> bytes:
    """Memory of the destination after a blit: a dict of the command's fields, pixel_bytes and clip rectangle.

    origin, source_origin: where in its memory a surface begins.
    """
    before, after, size = source_memory if source_memory is not None else memory, bytearray(memory), blt["pixel_bytes"]
    copies = "source_left" in blt
    left, top, origin = blt["left"], blt["top"], blt.get("origin", 0)
    source_x, source_y = blt.get("source_left", 0), blt.get("source_top", 0)
    if source_x < 0:
        left, source_x = left - source_x, 0
    if source_y < 0:
        top, source_y = top - source_y, 0
    for y in range(top, blt["bottom"]):
        for x in range(left, blt["right"]):
            if blt.get("clip") and not (blt["clip"][0] <= x < blt["clip"][2] and blt["clip"][1] <= y < blt["clip"][3]):
                continue
            pattern, source, destination, writes = blt.get("color", 0), 0, 0, True
            where = y, blt["pitch_bytes"], blt["tiled"], blt.get("is_y", False)
            places = [origin + place(x * size + byte, *where) for byte in range(size)]
            if "pattern" in blt:
                at = (y + blt["seed_y"]) % 8 * 8 + (x + blt["seed_x"]) % 8
                pattern = int.from_bytes(blt["pattern"][at * size : (at + 1) * size], "little")
            if "pattern_rows" in blt:
                bit = blt["pattern_rows"][(y + blt["seed_y"]) % 8] >> (7 - (x + blt["seed_x"]) % 8) & 1
                bit = 0 if blt.get("solid") else bit
                pattern = blt["pattern_foreground"] if bit else blt["pattern_background"]
                writes = writes and (bit == 1 or not blt["pattern_transparent"])
            if copies:
                column, row = source_x + x - left, source_y + y - top
                pitch, tiled, begin = blt["source_pitch_bytes"], blt["source_tiled"], blt.get("source_origin", 0)
                where = row, pitch, tiled, blt.get("source_is_y", False)
                raw = [before[begin + place(column * size + byte, *where)] for byte in range(size)]
                source = int.from_bytes(bytes(raw), "little")
            if "bits" in blt:
                bit = bit_of(blt, x - left, y - top)
                source = blt["foreground"] if bit else blt["background"]
                writes = writes and (bit == 1 or not blt["transparent"])
            destination = int.from_bytes(bytes(memory[at] for at in places), "little")
            if "key" in blt:
                writes = writes and keyed(blt, source, destination)
            for byte, at in enumerate(places):
                if not writes or (size == 4 and not (blt["write_alpha"] if byte == 3 else blt["write_rgb"])):
                    continue
                operands = (value >> 8 * byte & 255 for value in (pattern, source, destination))
                after[at] = operated(blt["raster_operation"], *operands)
    return bytes(after)
