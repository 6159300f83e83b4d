"""The sample_8x8 message: positions, channels, formats and what is refused, held to the literal scaler."""

from types import SimpleNamespace

import numpy as np
import pytest
from oracle.avs import AdaptiveState, CoefficientTables, avs
from oracle.avs_arrays import avs_plane
from oracle.ief import IefState, ief
from support.crossings import registers_brought
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

from texsamp.emulator.shared.sampler.block_positions import block_positions
from texsamp.emulator.shared.sampler.blocks_on_device import LOOKS
from texsamp.errors import CaptureError
from texsamp.state import MediaSurfaceState, Sample8x8SamplerState, Sampler8x8State
from texsamp.state.commands_sampler import ChromaKey
from texsamp.video.frame import Frame
from texsamp.video.hardware_state import ief_from_state
from texsamp.video.sharpen import Sharpen

pytestmark = pytest.mark.usefixtures("each_place")

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


def _run(messages, pixels, format, coefficients, descriptor=SAMPLE, sampler=None, commands=(), **surface):
    """Responses of the messages, (messages, 4 channels, 4 rows, 16 pixels), of a linear surface."""
    fields = {"format": format, "width": WIDTH, "height": HEIGHT, "pitch": PITCH} | surface
    state = MediaSurfaceState(base_address=data_address(0), **fields)
    out = bytes(512 * len(messages))
    sampler = sampler or Sample8x8SamplerState(ief_bypass=True, sampler_8x8_state_pointer=COEFFICIENTS_AT)
    states = {SAMPLERS_AT: sampler.pack(), COEFFICIENTS_AT: coefficients.pack()}
    program = Program(
        [*SET_UP, *commands, *objects(np.array(messages, np.uint32))],
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
        texel = f32(f32(start + f32(step * x)) + curve)
        found.append(int(np.floor(f32(f32(texel * f32(256)) + f32(0.5)))) // 8)
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


def _keyed(pixels, channels, low, high, black):
    """Pixels with matching texels replaced, one at a time; a second texel has the mean of the chroma of both sides."""
    out = pixels.copy()

    def sample(y, x, name):
        if name not in channels:
            return 255 if name == "A" else 0
        first, step, count, _ = channels[name]
        if count == WIDTH:
            return int(pixels[y, first + step * x])
        left, right = (int(pixels[y, first + step * min((x + i) // 2, count - 1)]) for i in (0, 1))
        return (left + right) >> 1

    for y in range(HEIGHT):
        for x in range(WIDTH):
            texel = [sample(y, x, name) for name in "RGBA"]
            if all(least <= value <= most for least, value, most in zip(low, texel, high, strict=True)):
                for name, (first, step, count, _) in channels.items():
                    if count == WIDTH:
                        out[y, first + step * x] = black[name]
                    elif x % 2 == 0:
                        out[y, first + step * x // 2] = black[name]
    return out


@pytest.mark.parametrize("format", list(FORMATS))
def test_a_chroma_key_replaces_texels_by_black_before_the_filter(format):
    channels, coefficients = FORMATS[format], _coefficients(5, default_sharpness=180)
    low = [30 if name in channels else 0 for name in "RGB"] + [0]
    high = [210 if name in channels else 255 for name in "RGB"] + [255]
    names = [f"{end}_{name}" for end in ("low", "high") for name in ("red", "green", "blue", "alpha")]
    load = ChromaKey(index=2, **dict(zip(names, low + high, strict=True)))
    black = dict(R=128, G=16, B=128, A=0) if format.startswith("YCRCB") else dict.fromkeys("RGBA", 0)
    keyed = _keyed(PIXELS, channels, low, high, black)
    assert 0.1 < (keyed != PIXELS)[:, :WIDTH].mean() < 0.95
    masked = sum(1 << i for i, name in enumerate("RGBA") if name not in channels)
    messages = _random_messages(np.random.default_rng(6), 4, masked=masked)
    sampler = Sample8x8SamplerState(
        ief_bypass=True, sampler_8x8_state_pointer=COEFFICIENTS_AT, chroma_key_enable=True, chroma_key_index=2
    )
    found = _run(messages, PIXELS, format, coefficients, sampler=sampler, commands=[load])
    for i, (first, step, count, table) in enumerate(channels.values()):
        samples = keyed[:, first : first + step * count : step]
        for message, response in zip(messages, found, strict=True):
            assert np.array_equal(response[i], _expected(samples, message, coefficients, table))


def test_a_chroma_key_without_values_inside_is_refused():
    sampler = Sample8x8SamplerState(
        ief_bypass=True, sampler_8x8_state_pointer=COEFFICIENTS_AT, chroma_key_enable=True, chroma_key_index=1
    )
    load = ChromaKey(index=1, low_green=9, high_green=8, high_red=255)
    with pytest.raises(CaptureError, match="highest G must not be below its lowest, found 8, 9"):
        _run([_message(masked=13)], PIXELS, "Y8_UNORM", _coefficients(1), sampler=sampler, commands=[load])


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


def test_one_texel_per_pixel_is_exact_at_every_size():
    """A driver's copies: starts in single precision are just below a texel in 19 of 68 blocks of 1080 rows."""
    for size in (*range(16, 4097, 8), 1366, 16384):
        step, corners = f32(1) / f32(size), np.arange(0, size, 16)
        starts, steps = (step * corners.astype(f32)).astype(f32), np.full(len(corners), step)
        numbers = np.broadcast_to(np.arange(16), (len(corners), 16))
        ours = block_positions(starts, steps, np.zeros(len(corners), f32), size, numbers)
        assert np.array_equal(ours, 32 * (corners[:, None] + numbers)), size


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
            _message(masked=14),
            {
                "sampler": Sample8x8SamplerState(sampler_8x8_state_pointer=COEFFICIENTS_AT),
                "format": "R8G8B8A8_UNORM",
            },
            "the image enhancement filter works on channel G",
        ),
        (
            _message(masked=13),
            {"sampler": Sample8x8SamplerState(ief_bypass=True, chroma_key_enable=True)},
            "chroma key 0 is used and was not loaded",
        ),
        (
            _message(masked=8),
            {"coefficients": {"bypass_x": False, "adaptive_all_channels": True}, "format": "YCRCB_NORMAL"},
            "the adaptive filter on all channels needs channels of one size",
        ),
        (
            _message(masked=13),
            {"coefficients": {"bypass_x": False, "rgb_adaptive": True}},
            "RGB adaptive needs channels R, G, B",
        ),
        (
            _message(masked=13),
            {"sampler": Sample8x8SamplerState(ief_bypass=True, sampler_8x8_state_pointer=0x100000)},
            "SAMPLER_8x8_STATE at 0x300000|is not mapped|are not mapped",
        ),
    ],
)
def test_refusals(message, change, error):
    options = {"format": "Y8_UNORM", "coefficients": {}} | change
    coefficients = _coefficients(8, **options.pop("coefficients"))
    with pytest.raises(CaptureError, match=error):
        _run([message], PIXELS, options.pop("format"), coefficients, **options)


def test_headers_name_tables_of_samplers():
    """Seed 003:4482; 0 is the thread's own."""
    coefficients, messages = (
        _coefficients(3, default_sharpness=255),
        _random_messages(np.random.default_rng(6), 3, masked=13),
    )
    samplers = [
        Sample8x8SamplerState(ief_bypass=True, disable_8x8=off, sampler_8x8_state_pointer=COEFFICIENTS_AT)
        for off in (False, True)
    ]
    one, other = (_run(messages, PIXELS, "Y8_UNORM", coefficients, sampler=sampler) for sampler in samplers)
    assert (one != other).any()
    both = SimpleNamespace(pack=lambda: b"".join(sampler.pack().ljust(64, b"\0") for sampler in samplers))
    for pointers, expected in (
        ((0, SAMPLERS_AT, 0), one),
        ([SAMPLERS_AT + 64] * 3, other),
        ((SAMPLERS_AT + 64, 0, SAMPLERS_AT + 64), [other[0], one[1], other[2]]),  # of each thread its own
    ):
        named = [[*message[:3], at, *message[4:]] for message, at in zip(messages, pointers, strict=True)]
        assert np.array_equal(_run(named, PIXELS, "Y8_UNORM", coefficients, sampler=both), expected)


def test_threads_of_one_message_mask_channels_of_their_own():
    coefficients, rng = _coefficients(3), np.random.default_rng(7)
    messages = _random_messages(rng, 4, masked=0)
    whole = _run(messages, PIXELS, "R8G8B8A8_UNORM", coefficients)
    masks = 0, 5, 0, 3
    masked = [
        [*message[:2], message[2] | mask << 12, *message[3:]] for message, mask in zip(messages, masks, strict=True)
    ]
    found = _run(masked, PIXELS, "R8G8B8A8_UNORM", coefficients)
    for blocks, expected, mask in zip(found, whole, masks, strict=True):
        kept = [channel for channel in range(4) if not mask >> channel & 1]
        assert np.array_equal(blocks[: len(kept)], expected[kept])


ADAPTIVE = {
    "default_sharpness": 200,
    "max_derivative_4": 40,
    "max_derivative_8": 60,
    "transition_area_4": 6,
    "transition_area_8": 5,
}


def _scaled_by_oracle(channels, names, positions, coefficients, state):
    rows = [whole_table(coefficients.coefficients(table)) for table in ("0x", "0y", "1x", "1y")]
    px, py = ([axis] * len(names) for axis in positions)
    return avs(channels, names, px, py, tables=CoefficientTables(*rows), state=state, output="full16")


@pytest.mark.parametrize("bypass", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize(("everything", "luma_of_rgb"), [(False, False), (True, False), (True, True)])
def test_adaptive_filter(bypass, everything, luma_of_rgb):
    flags = {"bypass_x": bypass[0], "bypass_y": bypass[1], "rgb_adaptive": luma_of_rgb}
    coefficients = _coefficients(11, adaptive_all_channels=everything, **flags, **ADAPTIVE)
    state = AdaptiveState(200, 40, 60, 6, 5, *bypass, everything, luma_of_rgb)
    smooth = np.random.default_rng(12).integers(90, 140, PIXELS.shape, np.uint8)
    pixels = np.where(np.arange(PITCH) // 24 % 2, PIXELS, smooth)
    channels = [pixels[:, i : 4 * WIDTH : 4] for i in range(4)]
    messages = _random_messages(np.random.default_rng(13), 2)
    found = _run(messages, pixels, "R8G8B8A8_UNORM", coefficients)
    for message, response in zip(messages, found, strict=True):
        expected = _scaled_by_oracle(channels, "RGBA", _block_positions(message), coefficients, state)
        assert np.array_equal(response, expected)


def test_adaptive_filter_follows_channels_that_are_masked():
    coefficients = _coefficients(11, adaptive_all_channels=True, bypass_x=False, **ADAPTIVE)
    whole, part = (
        _run([_message(u=0.3, du=1.3 / WIDTH, dv=0.7 / HEIGHT, masked=masked)], PIXELS, "R8G8B8A8_UNORM", coefficients)
        for masked in (0, 0b1110)
    )
    assert np.array_equal(part[0, 0], whole[0, 0])


def _block_positions(message, margin=0, size=(WIDTH, HEIGHT)):
    u, v, du, dv, ddu = np.array(message[10:15], np.uint32).view(f32)
    first = 4 * message[9]
    return (
        _positions(u, du, ddu, size[0], range(-margin, 16 + margin)),
        _positions(v, dv, 0, size[1], range(first - margin, first + 4 + margin)),
    )


DETAIL = {"gain": 50, "r3x": 3 / 32, "r3c": 7 / 32, "r5x": 13 / 32, "r5cx": 9 / 32, "r5c": 11 / 32}
SMOOTH = {"ief_smooth": True, "global_noise_estimation": 20}


ENHANCEMENTS = [
    ({}, IefState()),
    (DETAIL, IefState(gain=50, r3x=3, r3c=7, r5x=13, r5cx=9, r5c=11)),
    (SMOOTH, IefState(smooth=True, noise_estimate=20)),
]


@pytest.mark.parametrize(("fields", "settings"), ENHANCEMENTS)
@pytest.mark.parametrize("in_a_grid", [True, False])
def test_enhanced_luma(fields, settings, in_a_grid):
    """The filter reads two pixels around a block, at the positions where its formula goes on."""
    coefficients = _coefficients(14, default_sharpness=180)
    sampler = Sample8x8SamplerState(sampler_8x8_state_pointer=COEFFICIENTS_AT, **fields)
    step = (0.7 / WIDTH, 0.6 / HEIGHT)
    grid = [_message(x * step[0], y * step[1], *step, block=1, masked=4) for y in (0, 4) for x in (0, 16)]
    random = _random_messages(np.random.default_rng(15), 3, masked=4)
    messages = grid if in_a_grid else random
    channels = [PIXELS[:, i : 4 * WIDTH : 4] for i in (0, 1, 3)]
    found = _run(messages, PIXELS, "R8G8B8A8_UNORM", coefficients, sampler=sampler)
    for message, response in zip(messages, found, strict=True):
        positions, state = _block_positions(message, margin=2), AdaptiveState(default_sharpness=180)
        around = _scaled_by_oracle(channels, "RGA", positions, coefficients, state)
        luma = ief(np.minimum((around[1] + 32) >> 6, 1023), settings, bits=10) << 6
        for channel, expected in zip(response, (around[0], luma, around[2]), strict=False):
            assert np.array_equal(channel, expected[2:-2, 2:-2])


def test_enhanced_and_keyed_luma_stays_where_registers_are(each_place, monkeypatch):
    if each_place is None:
        pytest.skip("of threads on a device")
    brought = registers_brought(monkeypatch, each_place)
    key = {"chroma_key_enable": True, "chroma_key_index": 1}
    sampler = Sample8x8SamplerState(sampler_8x8_state_pointer=COEFFICIENTS_AT, **DETAIL, **key)
    load = ChromaKey(index=1, high_red=99, high_green=99, high_blue=255, high_alpha=255)
    messages = _random_messages(np.random.default_rng(15), 3, masked=4)
    _run(messages, PIXELS, "R8G8B8A8_UNORM", _coefficients(14), sampler=sampler, commands=[load])
    assert max(brought["sampler", 11]) <= 8 * len(LOOKS) / (32 * len(messages))  # ranges of headers and coordinates


def test_enhanced_copies_equal_the_sharpened_picture():
    """At one texel per pixel the filter of the message and `Sharpen` give the same, at the edges as well."""
    luma = np.random.default_rng(16).integers(0, 256, (16, 32), np.uint8)
    messages = [_message(x / 32, 0.0, 1 / 32, 1 / 16, block=block, masked=13) for block in range(4) for x in (0, 16)]
    sampler = Sample8x8SamplerState(sampler_8x8_state_pointer=COEFFICIENTS_AT, **DETAIL)
    size = {"width": 32, "height": 16, "pitch": 32}
    found = _run(messages, luma, "Y8_UNORM", _coefficients(17, default_sharpness=0), sampler=sampler, **size)
    picture = np.concatenate([np.concatenate([row[0, 0], row[1, 0]], axis=1) for row in found.reshape(4, 2, 4, 4, 16)])
    frame = Frame.from_arrays("gray", [luma], 32, 16, "cpu")
    (sharpened,) = Sharpen(settings=ief_from_state(sampler)).feed(frame)
    assert np.array_equal(np.minimum(((picture >> 6) + 2) >> 2, 255), np.asarray(sharpened.planes[0]))


def test_without_the_8_tap_filter_blocks_are_bilinear():
    message = _message(u=0.1, v=0.2, du=0.9 / WIDTH, dv=0.8 / HEIGHT, masked=13)
    sampler = Sample8x8SamplerState(ief_bypass=True, disable_8x8=True, sampler_8x8_state_pointer=COEFFICIENTS_AT)
    sharp = _coefficients(18, default_sharpness=255, bypass_x=False, bypass_y=False)
    found = _run([message], PIXELS, "Y8_UNORM", sharp, sampler=sampler)
    smooth = _expected(PIXELS[:, :WIDTH], message, _coefficients(18, default_sharpness=0), "0")
    assert np.array_equal(found[0, 0], smooth)


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
