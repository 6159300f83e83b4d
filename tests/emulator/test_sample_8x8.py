"""The sample_8x8 message: positions, channels, formats and what is refused, held to the literal scaler."""

import numpy as np
import pytest
from oracle.avs import AdaptiveState
from oracle.avs_arrays import avs_plane
from support.programs import (
    COEFFICIENTS_AT,
    SAMPLERS_AT,
    SET_UP,
    Program,
    buffer_surface,
    data_address,
    objects,
)
from support.replayed import whole_table

from texsamp.emulator.block_positions import block_positions
from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceState, Sample8x8SamplerState, Sampler8x8State

f32 = np.float32
KERNEL = """
    mov (8) r10.0<1>:ud r1.0<8;8,1>:ud
    mov (8) r11.0<1>:ud r2.0<8;8,1>:ud
    send (1) r20.0<1>:uw r10.0<0;1,0>:ub sampler {descriptor:#010x}:ud
    mov (8) r90.0<1>:ud 0:ud
    mul (1) r90.2<1>:ud r0.6<0;1,0>:ud 32:uw
""" + "\n".join(
    "\n".join(f"mov (8) r{91 + i}.0<1>:ud r{20 + part + i}.0<8;8,1>:ud" for i in range(4))
    + "\nsend (16) null:ud r90.0<8;8,1>:ud data_cache 0x0a0a0401:ud\nadd (1) r90.2<1>:ud r90.2<0;1,0>:ud 8:ud"
    for part in range(0, 16, 4)
)
SAMPLE = 0x040EB000 | 16 << 20
WIDTH, HEIGHT = 40, 24
PITCH = 256


def _coefficients(seed, **fields):
    rng = np.random.default_rng(seed)
    tables = []
    for taps in (8, 8, 4, 4):
        rows = rng.integers(-7, 8, (17, taps))
        middle = taps // 2 - 1
        rows[:, middle] += 64 - rows.sum(axis=1)
        rows = np.clip(rows, -14, 120)
        rows[:, middle : middle + 2] = np.clip(rows[:, middle : middle + 2], 0, 127)
        tables.append(rows)
    return Sampler8x8State.from_coefficients(*tables, **{"bypass_x": True, "bypass_y": True} | fields)


def _bits(value):
    return int(np.array(value, f32).view(np.uint32))


def _message(u=0.0, v=0.0, du=0.0, dv=0.0, ddu=0.0, block=0, masked=0, pointer=0):
    return [0, 0, masked << 12, pointer, 0, 0, 0, 0, 0, block, *map(_bits, (u, v, du, dv, ddu)), 0]


def _run(messages, pixels, format, coefficients, descriptor=SAMPLE, sampler=None, **surface):
    """Responses of the messages, (messages, 4 channels, 4 rows, 16 pixels), of a linear surface."""
    fields = {"format": format, "width": WIDTH, "height": HEIGHT, "pitch": PITCH} | surface
    state = MediaSurfaceState(base_address=data_address(0), **fields)
    out = bytes(512 * len(messages))
    sampler = sampler or Sample8x8SamplerState(ief_bypass=True, sampler_8x8_state_pointer=COEFFICIENTS_AT)
    states = {SAMPLERS_AT: sampler.pack(), COEFFICIENTS_AT: coefficients.pack()}
    program = Program(
        [*SET_UP, *objects(np.array(messages, np.uint32))],
        KERNEL.format(descriptor=descriptor),
        surfaces=[state, buffer_surface(1, len(out))],
        data=[pixels.tobytes(), out],
        states=states,
        sampler_state_pointer=SAMPLERS_AT,
    )
    program.run()
    return program.data(1).view("<u2").reshape(len(messages), 4, 4, 16)


def _positions(start, step, second, size, numbers):
    start, step, second = (f32(f32(value) * f32(size)) for value in (start, step, second))
    found = []
    for n in numbers:
        x = f32(n)
        curve = f32(f32(f32(second * x) * f32(x - f32(1))) / f32(2))
        found.append(int(np.floor(f32(f32(f32(start + f32(step * x)) + curve) * f32(32)))))
    return found


def _expected(samples, message, coefficients, table):
    u, v, du, dv, ddu = np.array(message[10:15], np.uint32).view(f32)
    block = message[9]
    px = _positions(u, du, ddu, samples.shape[1], range(16))
    py = _positions(v, dv, 0, samples.shape[0], range(4 * block, 4 * block + 4))
    rows = tuple(whole_table(coefficients.coefficients(f"{table}{axis}")) for axis in "xy")
    state = AdaptiveState(default_sharpness=coefficients.default_sharpness, bypass_x=True, bypass_y=True)
    return avs_plane(samples, px, py, rows, state, output="full16")


def _random_messages(rng, count, **more):
    return [
        _message(
            u=float(rng.uniform(-0.2, 1.1)),
            v=float(rng.uniform(-0.2, 1.1)),
            du=float(rng.uniform(0, 2) / WIDTH),
            dv=float(rng.uniform(0, 2) / HEIGHT),
            ddu=float(rng.uniform(0, 0.02) / WIDTH),
            block=int(rng.integers(0, 6)),
            **more,
        )
        for _ in range(count)
    ]


PIXELS = np.random.default_rng(1).integers(0, 256, (HEIGHT, PITCH), np.uint8)
FORMATS = {
    # channels in the order they come back: first byte, step in bytes, samples of a row, coefficient table
    "Y8_UNORM": {"G": (0, 1, WIDTH, "0")},
    "R8_UNORM": {"R": (0, 1, WIDTH, "1")},
    "R8B8_UNORM": {"R": (0, 2, WIDTH, "1"), "B": (1, 2, WIDTH, "1")},
    "R8G8B8A8_UNORM": {
        "R": (0, 4, WIDTH, "1"),
        "G": (1, 4, WIDTH, "0"),
        "B": (2, 4, WIDTH, "1"),
        "A": (3, 4, WIDTH, "1"),
    },
    "YCRCB_NORMAL": {"R": (3, 4, WIDTH // 2, "1"), "G": (0, 2, WIDTH, "0"), "B": (1, 4, WIDTH // 2, "1")},
    "YCRCB_SWAPY": {"R": (2, 4, WIDTH // 2, "1"), "G": (1, 2, WIDTH, "0"), "B": (0, 4, WIDTH // 2, "1")},
    "YCRCB_SWAPUV": {"R": (1, 4, WIDTH // 2, "1"), "G": (0, 2, WIDTH, "0"), "B": (3, 4, WIDTH // 2, "1")},
    "YCRCB_SWAPUVY": {"R": (0, 4, WIDTH // 2, "1"), "G": (1, 2, WIDTH, "0"), "B": (2, 4, WIDTH // 2, "1")},
}


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize("sharpness", [255, 0, 100])
def test_blocks_anywhere(format, sharpness):
    rng = np.random.default_rng(2)
    coefficients = _coefficients(3, default_sharpness=sharpness)
    channels = FORMATS[format]
    masked = sum(1 << i for i, name in enumerate("RGBA") if name not in channels)
    messages = _random_messages(rng, 6, masked=masked)
    found = _run(messages, PIXELS, format, coefficients)
    for i, (first, step, count, table) in enumerate(channels.values()):
        samples = PIXELS[:, first : first + step * count : step]
        for message, response in zip(messages, found, strict=True):
            assert np.array_equal(response[i], _expected(samples, message, coefficients, table))


def test_a_grid_of_blocks_is_scaled_at_once_and_alike():
    coefficients = _coefficients(4, default_sharpness=255)
    step = (0.7 / WIDTH, 0.6 / HEIGHT)
    messages = [
        _message(u=x * step[0], v=y * step[1], du=step[0], dv=step[1], block=block, masked=13)
        for y in (0, 16, 3)
        for block in (0, 1, 2, 3)
        for x in (32, 0, 16)
    ]
    found = _run(messages, PIXELS, "Y8_UNORM", coefficients)
    for message, response in zip(messages, found, strict=True):
        assert np.array_equal(response[0], _expected(PIXELS[:, :WIDTH], message, coefficients, "0"))


def test_formats_without_alpha_return_it_opaque():
    found = _run([_message(masked=0)], PIXELS, "YCRCB_NORMAL", _coefficients(5))
    assert (found[0, 3] == 0xFF00).all()


def test_masked_channels_leave_no_gap():
    coefficients = _coefficients(6)
    message = _message(u=0.1, du=1 / WIDTH, dv=1 / HEIGHT, masked=0b0101)
    found = _run([message], PIXELS, "R8G8B8A8_UNORM", coefficients)
    assert np.array_equal(found[0, 0], _expected(PIXELS[:, 1 : 4 * WIDTH : 4], message, coefficients, "0"))
    assert np.array_equal(found[0, 1], _expected(PIXELS[:, 3 : 4 * WIDTH : 4], message, coefficients, "1"))
    assert not found[0, 2:].any()


def test_negative_steps_count_as_zero():
    coefficients = _coefficients(7)
    found = _run([_message(u=0.5, v=0.5, du=-0.1, dv=-0.2, masked=13)], PIXELS, "Y8_UNORM", coefficients)
    assert len(np.unique(found[0, 0])) == 1


@pytest.mark.parametrize("size", [144, 176, 288, 352])
def test_one_texel_per_pixel_is_exact_at_the_sizes_of_captured_copies(size):
    step, corners = f32(1) / f32(size), np.arange(0, size, 16)
    starts, steps = (step * corners.astype(f32)).astype(f32), np.full(len(corners), step)
    numbers = np.broadcast_to(np.arange(16), (len(corners), 16))
    ours = block_positions(starts, steps, np.zeros(len(corners), f32), size, numbers)
    assert np.array_equal(ours, 32 * (corners[:, None] + numbers))


def test_positions_far_away_stay_in_bounds():
    starts = np.array([3e38, -3e38, 1e6], f32)
    zeros = np.zeros(3, f32)
    positions = block_positions(starts, zeros, zeros, 352, np.broadcast_to(np.arange(16), (3, 16)))
    assert np.abs(positions).max() <= 1 << 21


@pytest.mark.parametrize(
    ("message", "change", "error"),
    [
        (_message(u=float("nan"), masked=13), {}, "at positions that are no numbers"),
        (_message(dv=float("inf"), masked=13), {}, "at positions that are no numbers"),
        (_message(du=0.01, ddu=-0.1, masked=13), {}, "positions that go back inside a block"),
        (_message(block=512, masked=13), {}, "vertical block 512 of 511"),
        (_message(masked=0), {}, "Y8_UNORM has no channel R; the message must mask it"),
        (_message(masked=13, pointer=0x40), {}, "a sampler table other than the thread's"),
        (_message(masked=13), {"descriptor": SAMPLE & ~(1 << 19)}, "without a header is not executed"),
        (
            _message(masked=13),
            {"descriptor": SAMPLE | 1 << 8},
            "SAMPLER_STATE_8x8 are multiples of 4, not 1",
        ),
        (_message(masked=13), {"format": "R10G10B10A2_UNORM"}, "sample_8x8 of R10G10B10A2_UNORM is not executed"),
        (_message(masked=13), {"height": 2000}, "the region needs"),
        (_message(masked=13), {"pitch": 100, "tile_mode": "Y"}, "pitch of tiling Y"),
        (
            _message(masked=13),
            {"sampler": Sample8x8SamplerState(sampler_8x8_state_pointer=COEFFICIENTS_AT)},
            "the image enhancement filter of sample_8x8 is not executed",
        ),
        (
            _message(masked=13),
            {"sampler": Sample8x8SamplerState(ief_bypass=True, disable_8x8=True)},
            "disable_8x8 is not executed",
        ),
        (
            _message(masked=13),
            {"sampler": Sample8x8SamplerState(ief_bypass=True, sampler_8x8_state_pointer=0x100000)},
            "SAMPLER_8x8_STATE at 0x300000|is not mapped|are not mapped",
        ),
    ],
)
def test_refusals(message, change, error):
    options = {"format": "Y8_UNORM"} | change
    with pytest.raises(CaptureError, match=error):
        _run([message], PIXELS, options.pop("format"), _coefficients(8), **options)


def test_adaptive_filters_are_not_executed():
    with pytest.raises(CaptureError, match="the adaptive filter of sample_8x8 is not executed"):
        _run([_message(masked=13)], PIXELS, "Y8_UNORM", _coefficients(9, bypass_y=False))


def test_pixels_written_in_between_are_read():
    """A message sees what earlier messages of any thread wrote."""
    write = "\n".join(
        [
            "mov (8) r100.0<1>:ud 0:ud",
            *(f"mov (8) r{101 + i}.0<1>:ud 0xffffffff:ud" for i in range(4)),
            "send (16) null:ud r100.0<8;8,1>:ud data_cache 0x0a0a0402:ud",
        ]
    )
    sample = KERNEL.format(descriptor=SAMPLE)
    message = _message(u=0, v=0, du=1 / WIDTH, dv=0, masked=13)
    state = MediaSurfaceState(base_address=data_address(0), format="Y8_UNORM", width=WIDTH, height=HEIGHT, pitch=PITCH)
    sampler = Sample8x8SamplerState(ief_bypass=True, sampler_8x8_state_pointer=COEFFICIENTS_AT)
    program = Program(
        [*SET_UP, *objects(np.array([message], np.uint32))],
        f"{sample}\n{write}\n{sample}",
        surfaces=[state, buffer_surface(1, 512), buffer_surface(0, PITCH * HEIGHT)],
        data=[PIXELS.tobytes(), bytes(512)],
        states={SAMPLERS_AT: sampler.pack(), COEFFICIENTS_AT: _coefficients(10, default_sharpness=0).pack()},
        sampler_state_pointer=SAMPLERS_AT,
    )
    program.run()
    assert (program.data(1).view("<u2")[:16] == 0xFF00).all()
