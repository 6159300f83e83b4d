"""BT.2020 as xvYCC of BT.709 or BT.601, literally by docs/color.md ("Wider sources"); samples are 12-bit integers."""

from fractions import Fraction
from math import floor

XY = {
    "bt2020": ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
    "bt709": ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060)),
    "bt601": ((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
}
KR_KB = {"bt2020": (0.2627, 0.0593), "bt709": (0.2126, 0.0722), "bt601": (0.299, 0.114)}
ALPHA, BETA = 1.09929682680944, 0.018053968510807


def light(code: float) -> float:
    """Linear light of R', G' or B'; odd."""
    size = abs(code)
    value = size / 4.5 if size < 4.5 * BETA else ((size + ALPHA - 1) / ALPHA) ** (1 / 0.45)
    return value if code >= 0 else -value


def code(value: float) -> float:
    """R', G' or B' of linear light; odd."""
    size = abs(value)
    made = 4.5 * size if size < BETA else ALPHA * size**0.45 - (ALPHA - 1)
    return made if value >= 0 else -made


def solve(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """x of rows * x = right, by Cramer's rule."""

    def determinant(m: list[list[Fraction]]) -> Fraction:
        (a, b, c), (d, e, f), (g, h, i) = m
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    swapped = [[[right[r] if c == k else rows[r][c] for c in range(3)] for r in range(3)] for k in range(3)]
    return [determinant(m) / determinant(rows) for m in swapped]


def exactly(value: float) -> Fraction:
    """The decimal fraction that was written."""
    return Fraction(str(value))


def xyz_of(name: str) -> list[list[Fraction]]:
    """Rows X, Y, Z of linear R, G, B: the primaries scaled so that white is D65."""

    def column(x: float, y: float) -> list[Fraction]:
        a, b = exactly(x), exactly(y)
        return [a / b, Fraction(1), (1 - a - b) / b]

    columns = [column(*xy) for xy in XY[name]]
    rows = [[columns[c][r] for c in range(3)] for r in range(3)]
    scale = solve(rows, column(0.3127, 0.3290))
    return [[rows[r][c] * scale[c] for c in range(3)] for r in range(3)]


def light_matrix(to: str) -> list[list[Fraction]]:
    """Linear light of BT.2020 to that of `to`: the columns are where BT.2020's primaries lie."""
    wide, narrow = xyz_of("bt2020"), xyz_of(to)
    columns = [solve(narrow, [wide[r][k] for r in range(3)]) for k in range(3)]
    return [[columns[c][r] for c in range(3)] for r in range(3)]


def spans(full_range: bool, bits: int) -> tuple[Fraction, Fraction, int]:
    """Luma's and chroma's span and black, in 12-bit steps."""
    white = Fraction((2**bits - 1) * 4096, 2**bits)
    return (white, white, 0) if full_range else (Fraction(3504), Fraction(3584), 256)


def decoding(full_range: bool, bits: int) -> list[list[Fraction]]:
    """Rows R', G', B' of Y, U, V of BT.2020."""
    kr, kb = map(exactly, KR_KB["bt2020"])
    luma, chroma, _ = spans(full_range, bits)
    y, red, blue = 1 / luma, 2 * (1 - kr) / chroma, 2 * (1 - kb) / chroma
    kg = 1 - kr - kb
    return [[y, Fraction(0), red], [y, -kb * blue / kg, -kr * red / kg], [y, blue, Fraction(0)]]


def encoding(to: str) -> list[list[Fraction]]:
    """Rows Y, U, V of limited range, less their offsets, of R', G', B'."""
    kr, kb = map(exactly, KR_KB[to])
    kg = 1 - kr - kb
    y = [kr, kg, kb]
    u = [(k - own) / (2 * (1 - kb)) for k, own in zip((0, 0, 1), y, strict=True)]
    v = [(k - own) / (2 * (1 - kr)) for k, own in zip((1, 0, 0), y, strict=True)]
    return [[3504 * k for k in y], [3584 * k for k in u], [3584 * k for k in v]]


def balanced(row: list[Fraction], scale: int) -> list[int]:
    """The row in whole numbers, the largest taking what rounding left."""
    codes = [round(k * scale) for k in row]
    codes[[abs(k) for k in row].index(max(abs(k) for k in row))] += round(sum(row) * scale) - sum(codes)
    return codes


def nearest(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))


def product(matrix: list[list[int]], values: list[int], scale: int) -> list[int]:
    return [nearest(Fraction(sum(k * v for k, v in zip(row, values, strict=True)), scale)) for row in matrix]


def clamp(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


def code_by_table(value: int) -> int:
    """Step 4: between the entries below and above."""
    value = clamp(value, -40960, 90111)
    below = value - value % 32
    a, b = (table_entry(code(at / 32768) * 4096) for at in (below, below + 32))
    return a + nearest(Fraction((b - a) * (value - below), 32))


def table_entry(value: float) -> int:
    return floor(abs(value) + 0.5) * (1 if value >= 0 else -1)


def as_xvycc(to: str, full_range: bool, bits: int):
    """The function from 12-bit Y, U, V of BT.2020 to those of xvYCC."""
    decode = [[round(k * 4096 * 2**14) for k in row] for row in decoding(full_range, bits)]
    primaries = [balanced(row, 2**13) for row in light_matrix(to)]
    encode = [balanced([k / 4096 for k in row], 2**14) for row in encoding(to)]
    black = spans(full_range, bits)[2]

    def convert(y: int, u: int, v: int) -> tuple[int, int, int]:
        codes = product(decode, [y - black, u - 2048, v - 2048], 2**14)
        lights = [table_entry(light(clamp(c, -1024, 5119) / 4096) * 32768) for c in codes]
        changed = [code_by_table(value) for value in product(primaries, lights, 2**13)]
        luma, *chroma = product(encode, changed, 2**14)
        largest = max(2047, *map(abs, chroma))
        u, v = (floor(Fraction(c * 2047, largest)) + 2048 for c in chroma)
        return clamp(luma + 256, 0, 4095), u, v

    return convert


def exact(to: str, full_range: bool, bits: int, pixel: tuple[float, float, float]) -> tuple[list[float], list[float]]:
    """Y, U, V of `to` in 12-bit steps and the video's range without any rounding or limit; and R', G', B' of `to`."""
    luma, chroma, black = spans(full_range, bits)
    less = [pixel[0] - black, pixel[1] - 2048, pixel[2] - 2048]
    codes = [float(sum(k * Fraction(x) for k, x in zip(row, less, strict=True))) for row in decoding(full_range, bits)]
    lights = [light(c) for c in codes]
    rgb = [code(sum(float(k) * x for k, x in zip(row, lights, strict=True))) for row in light_matrix(to)]
    made = [sum(float(k) * x for k, x in zip(row, rgb, strict=True)) for row in encoding(to)]
    return [
        made[0] * float(luma) / 3504 + black,
        made[1] * float(chroma) / 3584 + 2048,
        made[2] * float(chroma) / 3584 + 2048,
    ], rgb
