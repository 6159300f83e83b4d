"""The pixel interpolator: where each message asks, in which register each slot is answered, and draws that use it."""

from __future__ import annotations

import numpy as np
import pytest
from support.crossings import registers_brought
from support.strict_arrays import StrictDevice

from texsamp.emulator import Gpu
from texsamp.emulator.eu.registers.threads import Threads
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.pixel_interpolator import PixelInterpolator, Places
from texsamp.errors import CaptureError
from texsamp.surface.surface import Surface

PIXEL = np.array([128, 128], np.int32)
SAMPLES = np.array([[96, 32], [224, 96], [32, 160], [160, 224]], np.int32)
CENTROIDS = np.random.default_rng(4).integers(0, 256, (40, 4, 2)).astype(np.int32)
MESSAGE, SAMPLE, CENTROID, SLOT = range(4)
SIZE = (40, 24)


def descriptor(kind, *, simd16=True, linear=False, group=0, data=0, length=1):
    response = 4 if simd16 else 2
    return length << 25 | response << 20 | simd16 << 16 | linear << 14 | kind << 12 | group << 11 | data


def weigh(quads, points, linear):
    """Numbers that tell the quad, the pixel, the place and the kind."""
    points = np.broadcast_to(points, (len(quads), 4, 2))
    told = quads[:, None] * 65536 + points[..., 0] * 256 + points[..., 1]
    return np.stack([told, -told - linear], axis=1).astype(np.float32)


def answered(kind, quads, mask=None, **fields):
    """Registers of the response, (threads, 8 * registers), and what they held before."""
    count = len(quads)
    threads = Threads(count)
    before = np.arange(count * 8 * 8, dtype=np.uint32).reshape(count, -1)
    threads.general(40, 8)[...] = before.view(np.uint8)
    random = np.random.default_rng(9).integers(0, 1 << 32, (count, 32), dtype=np.uint32)
    threads.general(20, 4)[...] = random.view(np.uint8)
    word = descriptor(kind, **fields)
    width = 16 if fields.get("simd16", True) else 8
    mask = np.ones((count, width), np.bool_) if mask is None else mask
    message = Message(threads, np.arange(count), mask, 11, word, 20, 40, False)
    held = np.where(quads < 0, quads[:, :1], quads)
    PixelInterpolator(held, Places(PIXEL, SAMPLES, lambda: CENTROIDS, weigh)).send(message)
    registers = 4 if width == 16 else 2
    after = threads.general(40, 8).copy().view(np.uint32)
    assert np.array_equal(after[:, 8 * registers :], before[:, 8 * registers :])
    return after[:, : 8 * registers], before[:, : 8 * registers], random


def expected(quads, place, *, linear=False):
    """Registers by the page: barycentric 1, then 2, of 8 slots at a time. place(quad, slot) is x and y."""
    rows = []
    for row, thread in enumerate(quads):
        made = []
        for first in range(0, 4 * len(thread), 8):
            told = []
            for slot in range(first, first + 8):
                quad = thread[slot // 4] if thread[slot // 4] >= 0 else thread[0]
                x, y = place(row, quad, slot)
                told.append(quad * 65536 + x * 256 + y)
            made += [*told, *(-value - linear for value in told)]
        rows.append(made)
    return np.array(rows, np.float32).view(np.uint32)


QUADS = np.array([[0, 1, 2, 3], [7, 9, -1, -1], [30, 31, 32, 39]])


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize(("x", "y"), [(0, 0), (7, -8), (-3, 5)])
def test_an_offset_for_all_slots_counts_from_the_pixel(x, y, linear):
    found, _, _ = answered(MESSAGE, QUADS, linear=linear, data=(y & 15) << 4 | x & 15)
    assert np.array_equal(found, expected(QUADS, lambda *_: (128 + 16 * x, 128 + 16 * y), linear=linear))


def test_samples_and_centroids():
    for index, sample in enumerate(SAMPLES):
        found, _, _ = answered(SAMPLE, QUADS, data=index << 4)
        assert np.array_equal(found, expected(QUADS, lambda *_, sample=sample: tuple(sample)))
    for index in (5, 8, 15):  # programs of OpenGL compute them
        found, _, _ = answered(SAMPLE, QUADS, data=index << 4)
        assert np.array_equal(found, expected(QUADS, lambda *_: (128, 128)))
    found, _, _ = answered(CENTROID, QUADS)
    assert np.array_equal(found, expected(QUADS, lambda _, quad, slot: tuple(CENTROIDS[quad, slot % 4])))


@pytest.mark.parametrize("simd16", [True, False])
def test_offsets_of_each_slot_are_four_bits_with_a_sign(simd16):
    count = 16 if simd16 else 8
    quads = QUADS[:, : count // 4]
    found, _, sent = answered(SLOT, quads, simd16=simd16, length=count // 4)

    def place(row, _, slot):
        x, y = ((int(sent[row, at]) & 15 ^ 8) - 8 for at in (slot, count + slot))
        return 128 + 16 * x, 128 + 16 * y

    assert np.array_equal(found, expected(quads, place))


def test_slot_groups_and_masks():
    wide = np.arange(24).reshape(3, 8)
    found, _, _ = answered(MESSAGE, wide, group=1)
    assert np.array_equal(found, expected(wide[:, 4:], lambda *_: (128, 128)))
    mask = np.random.default_rng(2).random((3, 16)) < 0.5
    found, before, _ = answered(MESSAGE, QUADS, mask)
    whole = expected(QUADS, lambda *_: (128, 128))
    lanes = np.concatenate([mask[:, :8], mask[:, :8], mask[:, 8:], mask[:, 8:]], axis=1)
    assert np.array_equal(found, np.where(lanes, whole, before))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"group": 1}, "slots 16 to 31 of 16"),
        ({"simd16": False, "group": 1}, "8 slots are for slots 7:0"),
        ({"kind": SLOT, "length": 2}, "its type needs 4"),
    ],
)
def test_forms_that_are_not_there_are_refused(fields, words):
    with pytest.raises(CaptureError, match=words):
        answered(**{"kind": MESSAGE, "quads": QUADS, **fields})


def kernel(word, before=""):
    """Shows attribute 0, whose planes begin at r6, at the places that a message asks for."""
    return f"""
        {before}
        send (16) r120.0<1>:ud r100.0<8;8,1>:ud interpolator {word:#x}:ud
        pln (16) r112.0<1>:f r6.0<0;1,0>:f r120.0<8;8,1>:f
        pln (16) r114.0<1>:f r6.4<0;1,0>:f r120.0<8;8,1>:f
        mov (16) r116.0<1>:f 0:f
        mov (16) r118.0<1>:f 1:f
        send (16) null:ud r112.0<8;8,1>:ud render_cache 0x10031000:ud {{EOT}}
    """


def drawn(text, corners, coordinates, device="cpu"):
    texels = np.zeros((SIZE[1], SIZE[0], 4), np.float32)
    target = Surface.from_array(texels, format="R32G32B32A32_FLOAT", device="cpu")
    return Gpu(device).draw(text, [corners, coordinates], target=target).picture.to_array()


def test_a_draw_is_evaluated_beside_its_pixels():
    corners = [(-1, -1, 0.5, 1), (3, -1, 0.5, 1), (-1, 3, 0.5, 1)]
    slots = "mov (16) r100.0<1>:ud 3:ud\nmov (16) r102.0<1>:ud 0xfffffffe:ud"
    for text, x, y in (
        (kernel(descriptor(MESSAGE, data=0x8 << 4 | 7)), 7 / 16, -8 / 16),
        (kernel(descriptor(SLOT, length=4), slots), 3 / 16, -2 / 16),
        (kernel(descriptor(CENTROID, linear=True)), 0, 0),
    ):
        picture = drawn(text, corners, [(0, 1), (2, 1), (0, -1)])  # across and, from the top, down
        u, v = (np.arange(SIZE[0]) + 0.5 + x) / SIZE[0], (np.arange(SIZE[1]) + 0.5 + y) / SIZE[1]
        assert np.allclose(picture[:, :, 0], u[None], atol=1e-6)
        assert np.allclose(picture[:, :, 1], v[:, None], atol=1e-6)


def test_perspective_is_that_of_the_place():
    corners = [(-1, -1, 0, 1), (3, -1, 0, 1), (-4, 12, 0, 4)]  # w from 1 at the lower border upwards
    picture = drawn(kernel(descriptor(MESSAGE, data=5 << 4)), corners, [(0, 0), (0, 0), (1, 0)])
    up = (1 - (np.arange(SIZE[1]) + 0.5 + 5 / 16) / SIZE[1]) / 2  # how far towards the third corner on the screen
    assert np.allclose(picture[:, :, 0], ((up / 4) / ((1 - up) + up / 4))[:, None], atol=1e-6)


SOME = """
    cmp.g.f0.0 (16) null:f r2.0<8;8,1>:f 0.3:f
    mov (16) r120.0<1>:ud 0:ud
    mov (16) r122.0<1>:ud 0:ud
    (+f0.0) """


@pytest.mark.parametrize("kind", [MESSAGE, SAMPLE, CENTROID, SLOT])
@pytest.mark.parametrize("before", ["", SOME])
@pytest.mark.parametrize("linear", [False, True])
def test_weights_are_answered_where_threads_run(kind, before, linear, monkeypatch):
    """Nothing is brought of messages: not who sends them, where slots lie, or offsets."""
    length = 4 if kind == SLOT else 1
    text = kernel(descriptor(kind, data=0x35 if kind != SAMPLE else 0, length=length, linear=linear))
    offsets = "mov (16) r100.0<1>:ud r2.0<8;8,1>:ud\nmov (16) r102.0<1>:ud r4.0<8;8,1>:ud\n"
    text = offsets + text.replace("send (16) r120", before + "send (16) r120")
    corners = [(-1, -1, 0, 1), (3, -1, 0, 1), (-4, 12, 0, 4)]
    expected = drawn(text, corners, [(0, 1), (2, 1), (0, -1)])
    device = StrictDevice()
    brought = registers_brought(monkeypatch, device)
    found = drawn(text, corners, [(0, 1), (2, 1), (0, -1)], device)
    assert np.array_equal(found.view(np.uint32), expected.view(np.uint32))
    of_messages = [each for (function, _), each in brought.items() if function == "interpolator"]
    assert of_messages and not np.any(of_messages)
