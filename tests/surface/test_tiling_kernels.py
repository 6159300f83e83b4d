"""Tile and detile: equal to the oracle byte by byte, inside the region only, and never outside the memory."""

import numpy as np
import pytest
from oracle import tiling as oracle
from pictures.devices import ExactDevice

from texsamp.device import CpuDevice, set_threads
from texsamp.errors import DeviceError, FormatError, StateError
from texsamp.surface.detile import detile, tile
from texsamp.surface.tiling import TILINGS, Addressing, AddressSwizzle, tiling

SEED = 20240607


class NoLaunch(CpuDevice):
    """A device on which nothing may run."""

    def launch(self, *launches):
        raise AssertionError("a kernel was launched")


def _cases(count):
    """Random regions of random surfaces: single bytes, odd sizes, parts of tiles, whole surfaces."""
    rng = np.random.default_rng(SEED)
    names = ["linear", "X", "Y", "W"]
    for number in range(count):
        name = names[number % 4]
        t = tiling(name)
        pitch = int(t.width_B * rng.integers(1, 4)) if name != "linear" else int(rng.integers(1, 5000))
        swizzles = list(AddressSwizzle) if name != "linear" else [AddressSwizzle.NONE]
        rows = int(rng.integers(1, 3 * t.height_rows + 2))
        x, y = int(rng.integers(0, pitch)), int(rng.integers(0, rows))
        width, height = int(rng.integers(1, pitch - x + 1)), int(rng.integers(1, rows - y + 1))
        if number % 5 == 0:
            x, y, width, height = 0, 0, pitch, rows
        if number % 7 == 0:
            width = height = 1
        yield pytest.param(
            name, pitch, rng.choice(swizzles), rows, (x, y), (width, min(height, 70)), id=f"{number}-{name}"
        )


@pytest.mark.parametrize(("name", "pitch", "swizzle", "rows", "corner", "size"), list(_cases(48)))
def test_equal_to_the_oracle(name, pitch, swizzle, rows, corner, size):
    addressing = Addressing(tiling(name), pitch, swizzle)
    rng = np.random.default_rng(SEED)
    memory = rng.integers(0, 256, addressing.size_B(rows), dtype=np.uint8)
    device = ExactDevice()
    arguments = {"x_B": corner[0], "y_rows": corner[1], "device": device}
    found = detile(memory, addressing, *size, **arguments)
    expected = oracle.detile(memory, oracle.FORMULAS[name], pitch, *corner, *size, swizzle.value)
    np.testing.assert_array_equal(found, expected)

    changed = expected ^ 0xFF  # every byte of the region changes, every other byte keeps its value
    tiled = memory.copy()
    tile(changed, tiled, addressing, **arguments)
    np.testing.assert_array_equal(detile(tiled, addressing, *size, **arguments), changed)
    assert np.count_nonzero(tiled != memory) == changed.size


@pytest.mark.parametrize("name", sorted(TILINGS))
def test_every_tiling_follows_its_addresses(name):
    """Two slices and two samples where the tiling has them, a ragged region over several tiles."""
    t = tiling(name)
    volume = t.depth_slices > 1
    pitch = 3 * t.width_B if name != "linear" else 1000
    addressing = Addressing(t, pitch, slice_rows=2 * t.height_rows if volume else 0)
    layers = 2 if volume else 1
    memory = np.random.default_rng(SEED).integers(0, 256, addressing.size_B(2 * t.height_rows) * layers, dtype=np.uint8)
    width, height = pitch - 5, 2 * t.height_rows - 1
    y, x = np.mgrid[0:height, 0:width]
    for z, sample in ((0, 0), (t.depth_slices + 1 if volume else 0, t.samples - 1)):
        arguments = {"x_B": 3, "y_rows": 1, "z": z, "sample": sample}
        rows = detile(memory, addressing, width, height, **arguments)
        offsets = addressing.offset_B(x + 3, y + 1, z, sample)
        np.testing.assert_array_equal(rows, memory[offsets])
        expected = memory.copy()
        expected[offsets] = rows ^ 0x5A
        found = memory.copy()
        tile(rows ^ 0x5A, found, addressing, **arguments)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["linear", "X", "Y", "W"])
def test_every_cut_of_a_unit(name):
    """Regions that begin at every byte of a unit of 64 bytes, and end at every byte of one."""
    addressing = Addressing(tiling(name), 512)
    memory = np.random.default_rng(SEED).integers(0, 256, addressing.size_B(3), dtype=np.uint8)
    y, x = np.mgrid[0:3, 0:192]
    offsets = addressing.offset_B(x, y)
    for begin, end in [(x, 192 - x) for x in range(64)] + [(x, 65 + x) for x in range(65)]:
        inside = offsets[:, begin:end]
        rows = detile(memory, addressing, end - begin, 3, x_B=begin)
        np.testing.assert_array_equal(rows, memory[inside])
        expected, found = memory.copy(), memory.copy()
        expected[inside] ^= 0xFF
        tile(rows ^ 0xFF, found, addressing, x_B=begin)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["X", "Y", "W"])
def test_threads_change_nothing(name):
    addressing = Addressing(tiling(name), 8192)
    memory = np.random.default_rng(SEED).integers(0, 256, addressing.size_B(500), dtype=np.uint8)
    found = []
    try:
        for threads in (1, 2, 5):
            set_threads(threads)
            found.append(detile(memory, addressing, 8001, 499, x_B=7, y_rows=1))
    finally:
        set_threads(None)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_rows_may_be_part_of_a_larger_array():
    addressing = Addressing(tiling("Y"), 128)
    memory = np.zeros(4096, np.uint8)
    picture = np.arange(64 * 300, dtype=np.uint32).astype(np.uint8).reshape(64, 300)
    tile(picture[3:30, 100:200], memory, addressing, x_B=11, y_rows=2)
    np.testing.assert_array_equal(detile(memory, addressing, 100, 27, x_B=11, y_rows=2), picture[3:30, 100:200])


def test_elements_of_any_size_come_out_whole():
    pixels = np.arange(40 * 21, dtype="<u4").reshape(21, 40) * 0x01030507
    addressing = Addressing(tiling("Y"), 256)
    memory = np.zeros(addressing.size_B(21), np.uint8)
    tile(pixels.view(np.uint8), memory, addressing)
    np.testing.assert_array_equal(detile(memory, addressing, 160, 21).view("<u4"), pixels)


def test_an_empty_region_is_empty():
    memory = np.zeros(4096, np.uint8)
    addressing = Addressing(tiling("X"), 512)
    assert detile(memory, addressing, 0, 3, device=NoLaunch()).shape == (3, 0)
    assert detile(memory, addressing, 3, 0, device=NoLaunch()).shape == (0, 3)


BIG = 1 << 62


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"width_B": 257}, "width_B must be from 0 to 256, found 257"),
        ({"width_B": -1}, "width_B must be from 0 to 256, found -1"),
        ({"width_B": BIG}, "width_B must be from 0 to 256"),
        ({"x_B": 250}, "width_B must be from 0 to 6, found 200"),
        ({"x_B": -1}, "x_B must be from 0 to 256, found -1"),
        ({"height_rows": 65}, "the region needs 24576 bytes of memory, found 16384"),
        ({"height_rows": BIG}, "height_rows must be from 0 to"),
        ({"height_rows": -5}, "height_rows must be from 0 to"),
        ({"y_rows": 1}, "the region needs 24576 bytes"),
        ({"y_rows": -1}, "y_rows must be from 0 to"),
        ({"y_rows": BIG}, "y_rows must be from 0 to"),
        ({"y_rows": (1 << 31) - 40, "height_rows": 2}, "the region needs"),
        ({"z": 1}, "z must be from 0 to 0, found 1"),
        ({"sample": 1}, "sample must be from 0 to 0, found 1"),
    ],
)
def test_hostile_regions_raise_before_anything_runs(arguments, message):
    memory = np.zeros(16384, np.uint8)
    region = {"width_B": 200, "height_rows": 64} | arguments
    with pytest.raises(StateError, match=message):
        detile(memory, Addressing(tiling("Y"), 256), **region, device=NoLaunch())


def test_hostile_slices_raise_before_anything_runs():
    addressing = Addressing(tiling("YS_32_3D"), 128, slice_rows=64)
    memory = np.zeros(2 * 65536 * 2, np.uint8)
    with pytest.raises(StateError, match=r"y_rows \+ height_rows must be from 0 to 64, found 65"):
        detile(memory, addressing, 128, 65, device=NoLaunch())
    with pytest.raises(StateError, match="the region needs 393216 bytes of memory, found 262144"):
        detile(memory, addressing, 128, 33, z=32, device=NoLaunch())


def test_the_last_linear_row_may_be_short():
    memory = np.arange(3 * 100 + 10, dtype=np.uint32).astype(np.uint8)
    rows = detile(memory, Addressing(tiling("linear"), 100), 10, 4, device=ExactDevice())
    np.testing.assert_array_equal(rows[3], memory[300:310])
    with pytest.raises(StateError, match="needs 311 bytes of memory, found 310"):
        detile(memory, Addressing(tiling("linear"), 100), 11, 4, device=NoLaunch())


@pytest.mark.parametrize(
    "memory",
    [np.zeros(8192, np.uint8)[::2], np.zeros((64, 64), np.uint8), np.zeros(4096, np.uint16)],
    ids=["strided", "two axes", "words"],
)
def test_memory_must_be_plain_bytes(memory):
    with pytest.raises(FormatError, match="memory must be a contiguous array of bytes with one axis"):
        detile(memory, Addressing(tiling("Y"), 128), 1, 1, device=NoLaunch())


def test_rows_must_be_bytes_in_rows():
    memory, addressing = np.zeros(4096, np.uint8), Addressing(tiling("Y"), 128)
    for rows in (np.zeros((4, 4), np.uint16), np.zeros(16, np.uint8), np.zeros((8, 8), np.uint8)[:, ::2]):
        with pytest.raises(FormatError, match="rows must be bytes of shape"):
            tile(rows, memory, addressing, device=NoLaunch())
    memory.flags.writeable = False
    with pytest.raises(FormatError, match="memory is read-only"):
        tile(np.zeros((4, 4), np.uint8), memory, addressing, device=NoLaunch())


def test_arrays_must_be_on_the_device():
    class Elsewhere:
        def __array__(self, dtype=None, copy=None):
            return np.zeros(4096, np.uint8)

    with pytest.raises(DeviceError, match="memory must lie on device cpu, found a Elsewhere"):
        detile(Elsewhere(), Addressing(tiling("Y"), 128), 1, 1)
