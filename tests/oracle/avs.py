"""The adaptive video scaler written out literally: scalar, slow, unbounded Python integers.

Line numbers are those of seed 003, pages those of the Sandy Bridge PRM, volume 4 part 1, which has the equations that
the seed has lost. Names are the manual's: T is a texel, Kh and Kv are coefficients, beta is the fraction of a position,
Wy0..Wy7 is the interpolation window, Y1 the sharp result and Y2 the smooth one. A position is an integer number of 1/32
texels. What the manual leaves open is settled by texsamp's definitions and marked so.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

BETAS = 32
Plane = list[list[int]]
Alpha = Callable[[int, int], int]
"""Share of the sharp filter at (row, column) of a pass, 0..256 in 1/256."""


@dataclass(frozen=True)
class AdaptiveState:
    """SAMPLER_8x8_STATE DW136-137 (4146-4189) and DW4[15:14] (4100-4112); by default all sharp, never adaptive."""

    default_sharpness: int = 255
    max_derivative4: int = 0
    max_derivative8: int = 0
    transition4: int = 0
    transition8: int = 0
    bypass_x: bool = True
    bypass_y: bool = True
    adaptive_all_channels: bool = False
    rgb_adaptive: bool = False
    rule: str = "hardware"


@dataclass(frozen=True)
class CoefficientTables:
    """The four tables (1588), each 32 rows of 8 coefficients in 1/64; table 1 uses taps 2..5 only (4090-4130)."""

    table_0x: Sequence[Sequence[int]]
    table_0y: Sequence[Sequence[int]]
    table_1x: Sequence[Sequence[int]]
    table_1y: Sequence[Sequence[int]]


# ---- positions ----------------------------------------------------------------------------------------------------


def floor_and_beta(position: int) -> tuple[int, int]:
    """Integer texel and beta of a position, beta truncated to 5 bits (1604-1606)."""
    return position // BETAS, position % BETAS


def hardware_positions(u0: float, du: float, ddu: float, width_px: int, count: int) -> list[int]:
    """U(x) = U(0) + DeltaU * x + U_2nd_Derivative * x * (x - 1) / 2 (4808), float32 step by step, in 1/32 texel.

    Normalized coordinates; texel centers lie at integers, so U times width is the position (1594-1604). The formula is
    in texels: U_nn = U_normalized * width and so on (1918-1925). texsamp's reading: to the nearest 1/256, the unit of
    the workaround (5033-5048), before beta is truncated.
    """
    one, two, width = np.float32(1), np.float32(2), np.float32(width_px)
    u_nn, delta_u_nn, ddu_nn = np.float32(u0) * width, np.float32(du) * width, np.float32(ddu) * width
    positions = []
    for index in range(count):
        x = np.float32(index)
        u_texel = u_nn + delta_u_nn * x
        u_texel = u_texel + ddu_nn * x * (x - one) / two
        nearest = int(np.floor(u_texel * np.float32(256) + np.float32(0.5)))
        positions.append(nearest // (256 // BETAS))
    return positions


def workaround_u_coord(u_coord: float, du: float, ddu: float, width_px: int, *, ief_on: bool) -> np.float32:
    """The "Modified_u_coord" that software sends instead of the intended Pixel 0 U Address (5033-5048), float32.

    (int) is C's conversion, toward zero.
    """
    u, du_32, ddu_32, width = np.float32(u_coord), np.float32(du), np.float32(ddu), np.float32(width_px)
    u_left = u - np.float32(2) * du_32 + np.float32(3) * ddu_32 if ief_on else u
    five, top, one, unit = np.float32(5), np.float32(255), np.float32(1), np.float32(256)
    if int(u_left * width + five / unit) > int(u_left * width):
        return u - five / (unit * width)
    if int(u_left * width + top / unit) == int(u_left * width):
        return u + one / (unit * width)
    return u


def hardware_positions_with_workaround(
    u0: float, du: float, ddu: float, width_px: int, count: int, *, ief_on: bool
) -> list[int]:
    """Positions of a row sent as messages of 16 pixels each (4802), the start of each one modified.

    Block b starts where the formula puts pixel 16 b and steps by the difference reached there, DeltaU + 16 b ddu.
    """
    block_px = 16
    u0_32, du_32, ddu_32 = np.float32(u0), np.float32(du), np.float32(ddu)
    positions: list[int] = []
    for first in range(0, count, block_px):
        x = np.float32(first)
        u_coord = u0_32 + du_32 * x
        u_coord = u_coord + ddu_32 * x * (x - np.float32(1)) / np.float32(2)
        du_block = du_32 + ddu_32 * x
        modified = workaround_u_coord(float(u_coord), float(du_block), float(ddu_32), width_px, ief_on=ief_on)
        in_block = min(block_px, count - first)
        positions += hardware_positions(float(modified), float(du_block), float(ddu_32), width_px, in_block)
    return positions


def center_positions(
    source_luma: int, destination_luma: int, *, subsampling: int = 1, offset: Fraction | int = 0
) -> list[int]:
    """Positions that keep the picture's edges in place (texsamp's definition), exact, rounded to 1/32 texel.

    Sizes are those of the luma plane. A plane subsampled by `subsampling` has its first sample `offset` luma
    texels after the first luma sample: 0 = cosited ("left", "top"), (subsampling - 1)/2 = centered.
    """
    half = Fraction(1, 2)
    positions = []
    for x in range(-(-destination_luma // subsampling)):
        luma_edge_distance = subsampling * x + offset + half
        in_source = luma_edge_distance * source_luma / destination_luma
        u = (in_source - half - offset) / Fraction(subsampling)
        positions.append(math.floor(u * BETAS + half))
    return positions


# ---- one filter ---------------------------------------------------------------------------------------------------


def edge_index(k: int, n: int, edge: str) -> int:
    """Texel read for index k of n texels: "clamp" (4802) or "mirror", which repeats the edge texel (1787-1890)."""
    if edge == "mirror":
        if k < 0:
            k = -k - 1
        elif k >= n:
            k = 2 * n - 1 - k
    elif edge != "clamp":
        raise ValueError(f"edge {edge!r}")
    return min(max(k, 0), n - 1)


@cache
def footprint(position: int, n: int, edge: str) -> tuple[int, ...]:
    """The 8 texels filtered: from floor(u) - 3 (1604)."""
    base, _ = floor_and_beta(position)
    return tuple(edge_index(base - 3 + j, n, edge) for j in range(8))


def sharp(T: Sequence[int], K: Sequence[int]) -> int:
    """R = T0*K0 + ... + T7*K7 (1618)."""
    return (
        T[0] * int(K[0])
        + T[1] * int(K[1])
        + T[2] * int(K[2])
        + T[3] * int(K[3])
        + T[4] * int(K[4])
        + T[5] * int(K[5])
        + T[6] * int(K[6])
        + T[7] * int(K[7])
    )


def smooth(T: Sequence[int], beta: int) -> int:
    """T3 * (1 - beta) + T4 * beta (1627), scaled to the 64ths of the sharp filter."""
    return 2 * (T[3] * (BETAS - beta) + T[4] * beta)


def share_of(SharpnessAlpha: int) -> int:
    """SharpnessAlpha (U0.8) as a share in 1/256: at 255 the result is Y1 (page 61)."""
    return 256 if SharpnessAlpha == 255 else SharpnessAlpha


def blend(share: int, Y1: int, Y2: int) -> int:
    """Y2 + (128 + (Y1 - Y2) * SharpnessAlpha) / 256 (page 61), the quotient down (texsamp's definition)."""
    if share == 256:
        return Y1
    return Y2 + (128 + (Y1 - Y2) * share) // 256


def adaptive_alpha(W: Sequence[int], state: AdaptiveState) -> int:
    """SharpnessAlpha from the 8 luma samples of the interpolation window, in 8 bits (pages 60 and 61)."""
    Wy0, Wy1, Wy2, Wy3, Wy4, Wy5, Wy6, Wy7 = W
    # Measurement 1
    maxDeriv4_a = max(abs(Wy3 - Wy4), abs(Wy2 - Wy3))
    maxDeriv4_b = max(abs(Wy3 - Wy4), abs(Wy4 - Wy5))
    maxDeriv4 = min(maxDeriv4_a, maxDeriv4_b)
    # Measurement 2
    Deriv1 = Wy2 - Wy3
    Deriv2 = Wy3 - Wy4
    Deriv3 = Wy4 - Wy5
    Deriv2a = abs(Deriv1 - Deriv2)
    Deriv2b = abs(Deriv3 - Deriv2)
    Deriv2Avg = (Deriv2a + Deriv2b) // 2  # the odd half: texsamp's definition
    d4 = min(Deriv2Avg, maxDeriv4)
    # Measurement 3
    steps = (Wy0 - Wy1, Wy1 - Wy2, Wy2 - Wy3, Wy3 - Wy4, Wy4 - Wy5, Wy5 - Wy6, Wy6 - Wy7)
    maxDeriv8 = max(abs(step) for step in steps)

    if d4 <= state.max_derivative4:
        D4Alpha = 0
    elif d4 >= state.max_derivative4 + ramp_end(state.transition4, state.rule):
        D4Alpha = 255
    else:
        D4Alpha = (d4 - state.max_derivative4) * 2 ** (8 - state.transition4)
    if maxDeriv8 <= state.max_derivative8:
        D8Alpha = 255
    elif maxDeriv8 >= state.max_derivative8 + ramp_end(state.transition8, state.rule):
        D8Alpha = 0
    else:
        D8Alpha = 255 - (maxDeriv8 - state.max_derivative8) * 2 ** (8 - state.transition8)
    # U0.8; the literal ramps leave it (texsamp's definition: they are clamped)
    return max(min(max(D8Alpha, 0), 255), min(max(D4Alpha, 0), 255))


def ramp_end(slp_bits: int, rule: str) -> int:
    """Printed as 2^(8 - SlpBits); as the ramp rises by that much a step, only 2^SlpBits makes it end at 255."""
    return 2 ** (8 - slp_bits) if rule == "literal" else 2**slp_bits


def our_share(W: Sequence[int], state: AdaptiveState) -> int:
    """The share of the rule "ours": smooth where a step among the 8 is large against those beside the middle."""
    steps = [abs(W[j] - W[j + 1]) for j in range(7)]
    calmer_side = min(max(steps[2], steps[3]), max(steps[3], steps[4]))
    excess = max(steps) - 2**state.transition4 * max(calmer_side - state.max_derivative4, 0)
    return 256 - min(max((excess - state.max_derivative8) * 2 ** (8 - state.transition8), 0), 256)


def adaptive_share(W: Sequence[int], state: AdaptiveState) -> int:
    """Share of the sharp filter by the rule of the state."""
    return our_share(W, state) if state.rule == "ours" else share_of(adaptive_alpha(W, state))


# ---- one channel --------------------------------------------------------------------------------------------------


def horizontal_pass(T: Plane, px: Sequence[int], Kh: Sequence[Sequence[int]], alpha_x: Alpha, *, edge: str) -> Plane:
    """All source rows filtered to the output columns; 6 fraction bits, not clamped."""
    H: Plane = []
    for r, row in enumerate(T):
        H.append([])
        for x, position in enumerate(px):
            _, beta = floor_and_beta(position)
            window = [row[k] for k in footprint(position, len(row), edge)]
            H[r].append(blend(alpha_x(r, x), sharp(window, Kh[beta]), smooth(window, beta)))
    return H


def vertical_pass(
    H: Plane, py: Sequence[int], Kv: Sequence[Sequence[int]], alpha_y: Alpha, *, edge: str, bits: int, output: str
) -> Plane:
    """Output rows from the horizontally filtered ones: F_sharp = clamp F' to [0, 1) (1618), blend, round."""
    max_value = 2**bits - 1
    result: Plane = []
    for y, position in enumerate(py):
        _, beta = floor_and_beta(position)
        rows = footprint(position, len(H), edge)
        result.append([])
        for x in range(len(H[0])):
            window = [H[r][x] for r in rows]
            F_sharp = min(max(sharp(window, Kv[beta]), 0), max_value * 4096)
            F = blend(alpha_y(y, x), F_sharp, smooth(window, beta))
            if output == "same":
                value = min(max((F + 2048) // 4096, 0), max_value)
            elif output == "full16" and bits == 8:  # 16-bit UNORM with an 8-bit range: FF00h is 1.0 (5359)
                value = min(max((F + 8) // 16, 0), max_value * 256)
            else:
                raise ValueError(f"output {output!r} of {bits}-bit samples")
            result[y].append(value)
    return result


def guide_alphas(
    G: Plane,
    px: Sequence[int],
    py: Sequence[int],
    tables: CoefficientTables,
    state: AdaptiveState,
    *,
    edge: str,
    bits: int,
) -> tuple[Alpha, Alpha]:
    """Alphas of both directions from the guide channel, filtered with table 0 by its own alphas (1631-1639).

    "Only the 8 MSBs are used" (1637). A bypassed direction uses the default sharpness (4171-4189).
    """
    fixed = share_of(state.default_sharpness)
    max_value = 2**bits - 1

    def alpha_x(r: int, x: int) -> int:
        if state.bypass_x:
            return fixed
        W = [G[r][k] // 2 ** (bits - 8) for k in footprint(px[x], len(G[r]), edge)]
        return adaptive_share(W, state)

    HG = horizontal_pass(G, px, tables.table_0x, alpha_x, edge=edge)

    def alpha_y(y: int, x: int) -> int:
        if state.bypass_y:
            return fixed
        W = [min(max(HG[r][x] // 64, 0), max_value) // 2 ** (bits - 8) for r in footprint(py[y], len(G), edge)]
        return adaptive_share(W, state)

    return alpha_x, alpha_y


# ---- a picture ----------------------------------------------------------------------------------------------------


def _plane(samples: np.ndarray) -> Plane:
    return [[int(value) for value in row] for row in np.asarray(samples)]


def avs(
    channels: Sequence[np.ndarray],
    names: str,
    px: Sequence[Sequence[int]],
    py: Sequence[Sequence[int]],
    *,
    tables: CoefficientTables,
    state: AdaptiveState | None = None,
    edge: str = "clamp",
    bits: int | Sequence[int] = 8,
    output: str = "same",
) -> list[np.ndarray]:
    """Scale the channels of a picture; results are int64 arrays of shape (len(py[c]), len(px[c])).

    `names` has one letter per channel, of "YUV" or of "RGBA"; `px` and `py` hold the positions of each channel, `bits`
    the bits of each channel's samples if they differ (alpha has 2 beside 10).
    Y and G use table 0 and adapt; the others use table 1 and the default sharpness, or, with adaptive filter for
    all channels (4100-4104) and a direction that adapts, table 0 and the alphas of the guide: Y, or G, or
    (R+2G+B)>>2 (1631, 4105-4112).
    """
    state = state or AdaptiveState()
    T = {name: _plane(samples) for name, samples in zip(names, channels, strict=True)}
    horizontal = dict(zip(names, px, strict=True))
    vertical = dict(zip(names, py, strict=True))
    depth = dict(zip(names, [bits] * len(names) if isinstance(bits, int) else bits, strict=True))
    fixed = share_of(state.default_sharpness)
    main = "Y" if "Y" in names else "G"
    # "should be enabled if 8-tap Adaptive filter mode is on. Else it should be disabled" (4100)
    follow_guide = state.adaptive_all_channels and not (state.bypass_x and state.bypass_y)

    alphas: tuple[Alpha, Alpha] | None = None
    if main in names:
        guide = T[main]
        if state.rgb_adaptive:
            if main == "Y":
                raise ValueError("RGB adaptive is for RGB input only (4105)")
            guide = [
                [(r + 2 * g + b) // 4 for r, g, b in zip(R, G, B, strict=True)]
                for R, G, B in zip(T["R"], T["G"], T["B"], strict=True)
            ]
        alphas = guide_alphas(guide, horizontal[main], vertical[main], tables, state, edge=edge, bits=depth[main])

    results = []
    for name in names:
        if name == main or follow_guide:
            size_and_positions = (len(T[name]), len(T[name][0]), list(horizontal[name]), list(vertical[name]))
            guides = (len(T[main]), len(T[main][0]), list(horizontal[main]), list(vertical[main])) if alphas else None
            if alphas is None or size_and_positions != guides:
                raise ValueError(f"channel {name} cannot follow the guide: it has another size or there is none")
            Kh, Kv = tables.table_0x, tables.table_0y
            alpha_x, alpha_y = alphas
        else:
            Kh, Kv = tables.table_1x, tables.table_1y
            alpha_x = alpha_y = lambda _row, _column: fixed
        H = horizontal_pass(T[name], horizontal[name], Kh, alpha_x, edge=edge)
        scaled = vertical_pass(H, vertical[name], Kv, alpha_y, edge=edge, bits=depth[name], output=output)
        results.append(np.array(scaled, dtype=np.int64).reshape(len(vertical[name]), len(horizontal[name])))
    return results
