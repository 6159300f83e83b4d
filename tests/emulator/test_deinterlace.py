"""The deinterlace message: every form of its writeback, held to the literal oracles (seed 003:5551-5880)."""

from types import SimpleNamespace

import numpy as np
import pytest
from oracle.tiling import linear, x_tiled, y_tiled
from oracle.vdi_walker import dispatch
from support.deinterlace_calls import literal_call
from support.filter_cases import sweep
from support.programs import SAMPLERS_AT, SET_UP, Program, buffer_surface, data_address, objects

from texsamp.emulator.dispatch import scratch_space
from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceState, RenderSurfaceState
from texsamp.state.deinterlace import DeinterlaceSamplerState

pytestmark = pytest.mark.usefixtures("each_place")

REGISTERS = 12
KERNEL = """
    mov (8) r10.0<1>:ud r1.0<8;8,1>:ud
    mov (8) r11.0<1>:ud r2.0<8;8,1>:ud
    send (8) r20.0<1>:ud r10.0<8;8,1>:ud sampler {descriptor:#010x}:ud
    mov (8) r90.0<1>:ud 0:ud
    mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 24:uw
""" + "\n".join(
    "\n".join(f"mov (8) r{91 + i}.0<1>:ud r{20 + part + i}.0<8;8,1>:ud" for i in range(4))
    + "\nsend (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0403:ud\nadd (1) r90.2<1>:ud r90.2<0;1,0>:ud 8:ud"
    for part in range(0, REGISTERS, 4)
)
WIDTH, HEIGHT, PITCH = 40, 24, 512
ALIGNED = 32
"""A width of whole blocks."""
CHROMA_ROW = 32
TILINGS = {"linear": linear, "X": x_tiled, "Y": y_tiled}
ORDERS = {"YCRCB_NORMAL": "YUYV", "YCRCB_SWAPY": "UYVY", "YCRCB_SWAPUV": "YVYU", "YCRCB_SWAPUVY": "VYUY"}
BLOCKS = [(x, y) for y in range(0, HEIGHT, 4) for x in (0, 16, 32, 48)]


def _state(rng, **fields):
    low, shift = int(rng.integers(0, 40)), int(rng.integers(2, 7))
    smallest = int(rng.integers(0, 120))
    numbers = {
        "stad_threshold": 60, "asd_threshold": 63, "moving_pixel_threshold": 16, "scm_threshold": 255,
        "good_neighbor_threshold": 63, "history_delta": 15, "bne_edge_threshold": 15, "bne_noise_threshold": 31,
        "vecm_multiplier": 63, "large_stmm_blend": 127, "small_stmm_blend": 255, "sdi_threshold": 255, "sdi_delta": 20,
        "sdi_fallback1_t1": 255, "sdi_fallback1_t2": 255, "sdi_fallback2": 255, "smooth_mv_threshold": 3,
        "sad_tight_threshold": 15, "neighbor_pixel_threshold": 15, "mc_pixel_consistency_threshold": 63,
        "sad_threshold_a": 15, "sad_threshold_b": 15, "cat_threshold1": 3, "stmm_select": 1,
    }  # fmt: skip
    drawn = {name: int(rng.integers(0, top + 1)) for name, top in numbers.items()}
    drawn |= {
        "low_temporal_difference_threshold": low, "temporal_difference_threshold": low + int(rng.integers(1, 17)),
        "min_stmm": smallest, "max_stmm": smallest + (1 << shift), "stmm_output_shift": shift,
    }  # fmt: skip
    return DeinterlaceSamplerState(**drawn | fields)


def _pictures(rng, chroma):
    """Two noisy pictures that move a little, by component."""
    texture = rng.integers(0, 256, (HEIGHT + 8, WIDTH + 8)).astype(np.int64)
    smooth = (texture + np.roll(texture, 1, 0) + np.roll(texture, 1, 1) + np.roll(texture, (1, 1), (0, 1))) // 4
    pair = []
    for step in (0, 1):
        luma = np.clip(smooth[:HEIGHT, step : WIDTH + step] + rng.integers(-6, 7, (HEIGHT, WIDTH)), 0, 255)
        parts = {"Y": luma.astype(np.uint8)}
        for name in "UV":
            parts[name] = rng.integers(90, 140, (HEIGHT // chroma[1], WIDTH // chroma[0]), np.uint8)
        pair.append(parts)
    return pair


def _memory(picture, format, tile):
    """A surface's bytes, and the fields of its state."""
    memory = np.zeros(64 * PITCH, np.uint8)

    def put(rows, first_row):
        for y, row in enumerate(rows):
            for x, value in enumerate(row):
                memory[TILINGS[tile](x, first_row + y, PITCH)] = value

    state = {"width": WIDTH, "height": HEIGHT, "pitch": PITCH, "tile_mode": tile.upper()}
    if format in ORDERS:
        rows = np.zeros((HEIGHT, WIDTH // 2, 4), np.uint8)
        taken = {"Y": 0}
        for place, name in enumerate(ORDERS[format]):
            if name == "Y":
                rows[:, :, place] = picture["Y"][:, taken["Y"] :: 2]
                taken["Y"] += 1
            else:
                rows[:, :, place] = picture[name]
        put(rows.reshape(HEIGHT, -1), 0)
        return memory, state | {"format": format}
    put(picture["Y"], 0)
    put(np.stack([picture["U"], picture["V"]], axis=2).reshape(HEIGHT // 2, -1), CHROMA_ROW)
    return memory, state | {"format": "PLANAR_420_8", "interleave_chroma": True, "y_offset_u": CHROMA_ROW}


def _run(state, pair, layout, tile, stored, response_length, blocks=BLOCKS, index=0, halves=None, table=0, **surface):
    """Registers of every block's response, (blocks, 12, 32) bytes.

    halves: half-slices of their threads; table: what headers name.
    """
    data, surfaces = [], []
    for number, picture in enumerate(pair):
        memory, fields = _memory(picture, layout, tile)
        data.append(memory.tobytes())
        surfaces.append(MediaSurfaceState(base_address=data_address(number), **fields | surface))
    statistics = np.zeros((64, PITCH), np.uint8)
    statistics[:HEIGHT, : WIDTH // 2] = stored[0]
    statistics[: HEIGHT // 4, PITCH // 2 : PITCH // 2 + WIDTH // 4] = stored[1]
    data.append(statistics.tobytes())
    surfaces.append(
        RenderSurfaceState(format="R8_UNORM", width=PITCH, height=64, pitch=PITCH, base_address=data_address(2))
    )
    size_B = 32 * REGISTERS * len(blocks)
    data.append(bytes(size_B))
    surfaces.append(buffer_surface(3, size_B))
    descriptor = 2 << 25 | response_length << 20 | 1 << 19 | 3 << 17 | 8 << 12 | index << 8
    inline = np.zeros((len(blocks), 16), np.uint32)
    inline[:, 3], inline[:, [10, 14]] = table, blocks
    started = objects(inline)
    if halves is not None:
        started = [command.replace(half_slice=half) for command, half in zip(started, halves, strict=True)]
    program = Program(
        [*SET_UP, *started],
        KERNEL.format(descriptor=descriptor),
        surfaces=surfaces,
        data=data,
        states={SAMPLERS_AT: state.pack()},
        sampler_state_pointer=SAMPLERS_AT,
    )
    program.run()
    return program.data(3).reshape(len(blocks), REGISTERS, 32)


def _cut(plane, x, y, across, down, rows, columns):
    """A block of a component that has a sample for across x down pixels; its edges repeat."""
    height, width = plane.shape
    return [
        [int(plane[min((y + j) // down, height - 1), min(x // across + i, width - 1)]) for i in range(columns)]
        for j in rows
    ]


def _luma(picture, x, y, rows):
    return np.array(_cut(picture["Y"], x, y, 1, 1, rows, 16), np.uint8).tobytes()


def _chroma(picture, x, y, rows):
    down = HEIGHT // len(picture["V"])
    parts = [_cut(picture[name], x, y, 2, down, rows, 8) for name in "VU"]
    return np.stack(parts, axis=-1).astype(np.uint8).tobytes()


def _of_4x4(array, x, y, count_y):
    """Values of the 4x4 blocks inside a block, 0 outside the picture: [row][column]."""
    rows, columns = array.shape[:2]
    zero = np.zeros(array.shape[2:], int)
    return [
        [array[y // 4 + j, x // 4 + i] if y // 4 + j < rows and x // 4 + i < columns else zero for i in range(4)]
        for j in range(count_y)
    ]


def _sum(sums, number):
    return sum(int(values[number]) for values in sums)


def _noise(noise, x, y, count):
    inside = [noise[y // 4 + j, x // 16] for j in range(count) if y // 4 + j < HEIGHT // 4 and x < WIDTH]
    return min(map(int, inside), default=255)


def _statistics(call, x, y, di):
    rows = 1 if di else 2
    sums, history = _of_4x4(call.sums, x, y, rows), _of_4x4(call.history, x, y, rows)
    dwords = [0] * 8
    dwords[7] = y << 16 | x
    stad, shcm, svcm = ([_sum(row, number) for row in sums] for number in (0, 3, 4))
    dwords[6] = stad[0] << 16 | shcm[0]
    dwords[5] = svcm[0] << 16
    for row in range(rows):
        dwords[row] = sum(int(value) << 8 * i for i, value in enumerate(history[row]))
    if di:
        counts = call.film[y // 4, x // 16].tolist() if x < WIDTH else [0] * 11
        squares = [min(count, 0xFFFF) for count in counts[:5]]
        dwords[5] |= squares[0]
        dwords[4] = squares[1] << 16 | squares[2]
        dwords[3] = squares[3] << 16 | squares[4]
        dwords[1] = counts[5] << 24 | counts[6] << 16 | counts[7] << 8 | _noise(call.noise, x, y, 1)
    else:
        dwords[5] |= stad[1]
        dwords[4] = shcm[1] << 16 | svcm[1]
        dwords[2] = _noise(call.noise, x, y, 2)
    return np.array(dwords, "<u4").tobytes()


def _expected(call, state, x, y, packed):
    """The registers of a response, one after the other."""
    if not state.di_enable:
        data = _luma(call.denoised, x, y, range(8)) + _statistics(call, x, y, False)
        return data + (_chroma(call.denoised, x, y, range(8)) if packed else b"")
    data = b""
    for picture in (call.second, call.first):
        data += bytes(128) if picture is None else _luma(picture, x, y, range(4)) + _chroma(picture, x, y, range(4))
    data += np.array(_cut(call.stmm, x, y, 2, 1, range(4), 8), np.uint8).tobytes()
    data += _statistics(call, x, y, True)
    if state.dn_enable:
        second = range(1 if state.top_first else 0, 4, 2)
        data += _luma(call.denoised, x, y, second)
        data += _chroma(call.denoised, x, y, second) if packed else b""
    return data


FORMS = [
    # di, dn, format, tile, registers
    (True, False, "NV12", "Y", 10),
    (True, False, "YCRCB_NORMAL", "linear", 10),
    (True, True, "NV12", "linear", 11),
    (True, True, "YCRCB_SWAPY", "X", 12),
    (True, True, "YCRCB_SWAPUVY", "Y", 12),
    (False, True, "NV12", "Y", 5),
    (False, True, "YCRCB_SWAPUV", "linear", 9),
]


@pytest.mark.parametrize(("di", "dn", "format", "tile", "registers"), FORMS)
@pytest.mark.parametrize("first_frame", [False, True])
def test_writebacks(di, dn, format, tile, registers, first_frame):
    for seed in range(sweep(1)):
        rng = np.random.default_rng([seed, di, dn, first_frame, len(format)])
        packed = format in ORDERS
        pair = _pictures(rng, (2, 1 if packed else 2))
        flags = {name: bool(rng.integers(0, 2)) for name in ("top_first", "mcdi_enable")}
        state = _state(
            rng, di_enable=di, dn_enable=dn, first_frame=first_frame, progressive_dn=not di, **flags,
            fmd_first_field=0, fmd_second_field=0,
        )  # fmt: skip
        stored = rng.integers(0, 256, (HEIGHT, WIDTH // 2), np.uint8), rng.integers(0, 256, (6, 10), np.uint8)
        found = _run(state, pair, format, tile, stored, registers)
        assert found.any()
        current, reference = pair
        call = literal_call(state, current, None if first_frame else reference, *stored)
        for (x, y), response in zip(BLOCKS, found, strict=True):
            expected = _expected(call, state, x, y, packed)
            assert len(expected) == 32 * registers
            assert response.tobytes() == expected.ljust(32 * REGISTERS, b"\0"), (x, y)


@pytest.mark.parametrize("second", ["DEINTERLACE", "PREVIOUS_FIELD", "NEXT_FIELD"])
@pytest.mark.parametrize("first", ["DEINTERLACE", "PREVIOUS_FIELD", "NEXT_FIELD"])
def test_fields_that_belong_together_are_woven(second, first):
    rng = np.random.default_rng(5)
    pair = _pictures(rng, (2, 2))
    state = _state(rng, di_enable=True, fmd_second_field=second, fmd_first_field=first)
    stored = rng.integers(0, 256, (HEIGHT, WIDTH // 2), np.uint8), np.zeros((6, 10), np.uint8)
    found = _run(state, pair, "NV12", "Y", stored, 10)
    call = literal_call(state, *pair, *stored)
    for (x, y), response in zip(BLOCKS, found, strict=True):
        assert response.tobytes()[: 32 * 10] == _expected(call, state, x, y, False), (x, y)


@pytest.mark.parametrize("di", [True, False], ids=["di", "dn"])
@pytest.mark.parametrize("stride", [None, 1, 2, 3])
def test_threads_get_the_blocks_that_the_walker_of_their_half_slice_chooses(di, stride, monkeypatch):
    rng = np.random.default_rng([7, di])
    pair, rows = _pictures(rng, (2, 2)), 4 if di else 8
    stored = rng.integers(0, 256, (HEIGHT, WIDTH // 2), np.uint8), rng.integers(0, 256, (6, 10), np.uint8)
    sharing = {} if stride is None else {"walker_frame_sharing": True, "walker_y_stride": stride}
    fields = {"di_enable": di, "dn_enable": not di, "progressive_dn": not di}
    by_rows = [(x, y) for y in range(0, HEIGHT, rows) for x in range(0, ALIGNED, 16)]
    halves, blocks = [1] * len(by_rows), by_rows
    if stride is not None:
        halves = dispatch(ALIGNED, HEIGHT, rows, stride)
        turn = 2**stride // 2
        first, second = (iter([(x, y) for x, y in by_rows if y // rows // turn % 2 == half]) for half in (0, 1))
        blocks = [next(first if half == 1 else second) for half in halves]
    states = [_state(np.random.default_rng(1), **fields | more) for more in ({}, {"walker_enable": True, **sharing})]
    registers = 10 if di else 5
    expected = _run(states[0], pair, "NV12", "Y", stored, registers, blocks, width=ALIGNED)
    monkeypatch.setattr(scratch_space, "MOST_THREADS", 5)
    anywhere = [(0, 0)] * len(blocks)
    found = _run(states[1], pair, "NV12", "Y", stored, registers, anywhere, halves=halves, width=ALIGNED)
    assert found.any()
    assert np.array_equal(found, expected)


def test_a_submission_that_leaves_a_walkers_frame_undone_is_refused():
    rng = np.random.default_rng(7)
    state = _state(rng, di_enable=True, walker_enable=True)
    stored = np.zeros((HEIGHT, WIDTH // 2), np.uint8), np.zeros((6, 10), np.uint8)
    blocks = [(0, 0)] * (len(BLOCKS) // 2 - 1)
    with pytest.raises(CaptureError, match="the submission ends after block 11 of 12 of the walker of half-slice 1"):
        _run(state, _pictures(rng, (2, 2)), "NV12", "Y", stored, 10, blocks, halves=[2] * len(blocks), width=ALIGNED)


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({}, {"response_length": 11}, "deinterlace returns 10 registers, not 11"),
        ({}, {"blocks": [(8, 0)]}, "begin at multiples of 16 pixels and 4 lines, found 8, 0"),
        ({}, {"blocks": [(0, 2)]}, "begin at multiples of 16 pixels and 4 lines, found 0, 2"),
        ({}, {"blocks": [(4112, 0)]}, "U is in"),
        ({}, {"index": 1}, "the sampler index is a multiple of 2"),
        ({"di_partial": True}, {}, "the manual does not give its writeback"),
        ({"di_enable": False}, {}, "one of them must be on"),
        ({"max_stmm": 0}, {}, "maximum STMM - minimum STMM must be"),
        ({}, {"format": "PLANAR_411_8"}, "deinterlace of PLANAR_411_8 is not executed"),
        ({}, {"format": "Y8_UNORM"}, "deinterlace of Y8_UNORM is not executed"),
        ({}, {"picture_structure": 1}, "a surface that shows one field is not executed"),
        ({}, {"height": 4000}, "the region needs"),
    ],
)
def test_refusals(changes, options, message):
    rng = np.random.default_rng(7)
    state = _state(rng, **{"di_enable": True} | changes)
    stored = np.zeros((HEIGHT, WIDTH // 2), np.uint8), np.zeros((6, 10), np.uint8)
    options = {"response_length": 10} | options
    with pytest.raises(CaptureError, match=message):
        _run(state, _pictures(rng, (2, 2)), "NV12", "Y", stored, **options)


def test_states_lie_eight_dwords_apart():
    """Seed 002:1811-1817: an array of up to 8; the index of a message counts half a state."""
    rng = np.random.default_rng(8)
    pair = _pictures(rng, (2, 2))
    states = [_state(rng, di_enable=True, fmd_first_field=0, fmd_second_field=0) for _ in range(8)]
    stored = rng.integers(0, 256, (HEIGHT, WIDTH // 2), np.uint8), np.zeros((6, 10), np.uint8)
    array = SimpleNamespace(pack=lambda: b"".join(state.pack() for state in states))
    for number in (0, 3, 7):
        found = _run(array, pair, "NV12", "Y", stored, 10, blocks=[(16, 8)], index=2 * number)
        expected = _expected(literal_call(states[number], *pair, *stored), states[number], 16, 8, False)
        assert found[0].tobytes()[: 32 * 10] == expected, number
        found = _run(array, pair, "NV12", "Y", stored, 10, blocks=[(16, 8)], table=SAMPLERS_AT + 32 * number)
        assert found[0].tobytes()[: 32 * 10] == expected, number
