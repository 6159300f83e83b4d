"""`Gpu.dispatch`: programs of one's own, and the examples of docs/emulator-programs.md as they are written."""

import re
from contextlib import nullcontext
from pathlib import Path

import imageio.v3 as imageio
import numpy as np
import pytest

import texsamp as ts
from texsamp.emulator import Case, Gpu
from texsamp.emulator.commands import streamer
from texsamp.errors import CaptureError, FormatError, StateError
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.sampler_messages import SamplerMessage, SamplerMessageDescriptor, SimdMode

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = re.findall(r"```python\n(.*?)```", (DOCS / "emulator-programs.md").read_text(encoding="utf-8"), re.DOTALL)
WHERE = """
    shl (1) r10.0<1>:ud r0.1<0;1,0>:ud 6:uw
    add (16) r12.0<1>:ud r1.0<8;8,1>:ud r10.0<0;1,0>:ud
"""
LANES = np.arange(0, 64, 4)


def _example(number, folder, monkeypatch):
    monkeypatch.chdir(folder)
    names = {}
    exec(compile(EXAMPLES[number], "docs/emulator-programs.md", "exec"), names)
    return names


def test_the_first_example_doubles_numbers(tmp_path, monkeypatch, capsys):
    names = _example(0, tmp_path, monkeypatch)
    said = re.search(r"# (\[.*)", EXAMPLES[0])[1]
    assert capsys.readouterr().out.strip() == said
    assert np.array_equal(names["done"].surfaces[0], 2 * np.arange(64, dtype=np.float32))
    assert np.array_equal(names["numbers"], np.arange(64, dtype=np.float32))


def test_the_second_example_makes_the_picture_of_the_page(tmp_path, monkeypatch):
    names = _example(1, tmp_path, monkeypatch)
    assert f"{names['done'].threads} threads" in (DOCS / "emulator-programs.md").read_text()
    assert f"{names['done'].steps} instructions" in (DOCS / "emulator-programs.md").read_text()
    shown = imageio.imread(DOCS / "pictures" / "emulator" / "mandelbrot.png")
    assert np.array_equal(imageio.imread(tmp_path / "mandelbrot.png"), shown)
    step, left, top = names["view"]
    rows, columns = (np.arange(n, dtype=np.float32) for n in (names["HEIGHT"], names["WIDTH"]))
    re_c, im_c = np.meshgrid(columns * step + left, rows * step + top)
    re_z, im_z, n = np.zeros_like(re_c), np.zeros_like(re_c), np.zeros(re_c.shape, int)
    for _ in range(31):
        here = re_z * re_z + im_z * im_z <= 4
        next_im = im_z * re_z
        next_im = next_im + next_im + im_c
        re_z, im_z = (
            np.where(here, made, old) for made, old in ((re_z * re_z - im_z * im_z + re_c, re_z), (next_im, im_z))
        )
        n += 8 * here
    colors = np.stack([n, n * n >> 8, 96 + (n >> 1)], axis=2)
    colors[n >= 248] = 0
    assert np.array_equal(shown, colors)


def test_groups_of_as_many_threads_as_there_may_be():
    """The manual has 32 with 32 channels; OpenGL's driver starts more where programs choose the size of groups."""
    done = Gpu().dispatch("nop (1)", groups=2, threads=64, simd=32)
    assert done.threads == 128


def test_surfaces_are_sampled():
    rng = np.random.default_rng(1)
    texture = ts.Surface.from_array(rng.random((9, 13, 4)).astype(np.float32), "R32G32B32A32_FLOAT", tiling="Y")
    sampler = ts.Sampler(address="border", border=(0.25, 0.5, 0.75, 1.0), mip_filter="none")
    u, v = rng.uniform(-0.2, 1.2, (2, 16)).astype(np.float32)
    word = SamplerMessageDescriptor(
        message_type=SamplerMessage.SAMPLE_L, simd_mode=SimdMode.SIMD16, sampler_index=1, binding_table_index=1
    ).pack()
    descriptor = int.from_bytes(word, "little") | 6 << 25 | 8 << 20
    kernel = f"""
        mov (16) r30.0<1>:f 0.0:f                             # LOD
        mov (16) r32.0<1>:f r1.0<8;8,1>:f
        mov (16) r34.0<1>:f r3.0<8;8,1>:f
        send (16) r10.0<1>:f r30.0<8;8,1>:ud sampler {descriptor:#010x}:ud
        mov (16) r40.0<1>:ud r5.0<8;8,1>:ud
        mov (16) r42.0<1>:ud r10.0<8;8,1>:ud
        mov (16) r44.0<1>:ud r12.0<8;8,1>:ud
        mov (16) r46.0<1>:ud r14.0<8;8,1>:ud
        mov (16) r48.0<1>:ud r16.0<8;8,1>:ud
        send (16) null:ud r40.0<8;8,1>:ud data_cache 0x14035000:ud    # untyped write of four channels
    """
    constants = np.concatenate([u, v, np.arange(0, 256, 16, dtype=np.int32).view(np.float32)])
    done = Gpu().dispatch(
        kernel, groups=1, surfaces=[np.zeros((16, 4), np.float32), texture], samplers=[ts.Sampler(), sampler],
        constants=constants,
    )  # fmt: skip
    assert np.array_equal(done.surfaces[0], np.asarray(ts.sample(texture, sampler, u, v, lod=0.0)))
    assert done.surfaces[1] == texture
    assert done.surfaces[1] is not texture


def test_threads_of_a_group_have_constants_of_their_own_a_barrier_and_shared_memory():
    """Every thread leaves its row for the one before it."""
    kernel = """
        shl (1) r30.0<1>:ud r3.0<0;1,0>:ud 6:uw               # r3: the thread's number
        add (16) r12.0<1>:ud r5.0<8;8,1>:ud r30.0<0;1,0>:ud
        mov (16) r14.0<1>:ud r1.0<8;8,1>:ud
        send (16) null:ud r12.0<8;8,1>:ud data_cache 0x08035efe:ud
        mov (8) r40.0<1>:ud r0.0<8;8,1>:ud
        and (1) r40.2<1>:ud r0.2<0;1,0>:ud 0x0f000000:ud
        send (8) null:ud r40.0<8;8,1>:ud gateway 0x02000004:ud
        wait (1) n0.0<1>:ud n0.0<0;1,0>:ud
        add (1) r31.0<1>:ud r3.0<0;1,0>:ud 1:ud
        and (1) r31.0<1>:ud r31.0<0;1,0>:ud 3:ud
        shl (1) r31.0<1>:ud r31.0<0;1,0>:ud 6:uw
        add (16) r16.0<1>:ud r5.0<8;8,1>:ud r31.0<0;1,0>:ud
        send (16) r14.0<1>:ud r16.0<8;8,1>:ud data_cache 0x04215efe:ud
        send (16) null:ud r12.0<8;8,1>:ud data_cache 0x08035e00:ud
    """
    rows = np.arange(64, dtype=np.uint32).reshape(4, 16)
    numbers = np.repeat(np.arange(4, dtype=np.uint32)[:, None], 16, axis=1)
    constants = np.concatenate([rows, numbers, np.tile(LANES.astype(np.uint32), (4, 1))], axis=1)
    done = Gpu().dispatch(
        kernel, groups=1, threads=4, surfaces=[np.zeros((4, 16), np.uint32)], constants=constants, shared_memory_B=4096
    )
    assert np.array_equal(done.surfaces[0], np.roll(rows, -1, axis=0))


def test_a_submission_is_a_capture(tmp_path):
    names = {}
    exec(compile(EXAMPLES[0], "docs/emulator-programs.md", "exec"), names)
    arguments = {"groups": 4, "surfaces": [np.arange(64, dtype=np.float32)], "constants": LANES}
    path = tmp_path / "double.g7cap"
    Gpu().submission(names["DOUBLE"], **arguments).save(path)
    (picture,) = Case.open([path]).replay()
    assert picture.raw() == Gpu().dispatch(names["DOUBLE"], **arguments).surfaces[0].tobytes()


def test_a_kernel_may_end_its_threads_itself():
    end = "send (8) null:ud r0.0<8;8,1>:ud spawner 0x02000010:ud {EOT}"
    assert Gpu().dispatch(end, groups=(2, 3, 4)).threads == 24


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"groups": 0}, StateError, "groups must be one to three counts of 1 or more, found 0"),
        ({"groups": (1, 2, 3, 4)}, StateError, "groups must be one to three counts"),
        ({"threads": 65}, StateError, "threads of a group must be from 1 to 64, found 65"),
        ({"simd": 4}, StateError, "simd must be one of 8, 16, 32, found 4"),
        ({"shared_memory_B": 100}, StateError, "shared_memory_B must be a multiple of 4096 up to 65536, found 100"),
        ({"shared_memory_B": 1 << 17}, StateError, "shared_memory_B must be a multiple of 4096 up to 65536"),
        ({"surfaces": [np.zeros(4)] * 241}, StateError, "at most 240 surfaces and 16 samplers, found 241 and 0"),
        ({"surfaces": [[1, 2]]}, FormatError, "surfaces are arrays that are not empty, or Surface, found list"),
        ({"surfaces": [np.zeros(0)]}, FormatError, "surfaces are arrays that are not empty"),
        ({"constants": np.zeros((3, 4)), "threads": 2}, StateError, "constants must be numbers, 2 rows of them"),
        ({"constants": ["a"]}, StateError, "constants must be numbers"),
        ({"kernel": "mov (16) r1:f"}, StateError, "line 1: "),
        ({"kernel": WHERE + "nonsense"}, StateError, "line 4: "),
        ({"constants": np.zeros(1024)}, CaptureError, "the payload of a thread has 129 registers, there are 128"),
        ({"groups": 1 << 21}, CaptureError, "at most 1048576 of this size are executed"),
        (
            {"kernel": "send (16) r14.0<1>:ud r12.0<8;8,1>:ud data_cache 0x04215f00:ud"},
            CaptureError,
            r"dispatch: GPGPU_WALKER at 0x\w+: EU offset 0x0, send .*: thread 0, data_cache message 0x04215f00: ",
        ),
    ],
)  # fmt: skip
def test_refusals(arguments, error, message):
    given = {"kernel": "nop (1)", "groups": 1, **arguments}
    with pytest.raises(error, match=message):
        Gpu().dispatch(given.pop("kernel"), **given)


def test_states_are_those_of_the_arguments():
    submission = Gpu().submission("nop (1)", groups=1, surfaces=[np.zeros(3, np.uint8)])
    states = next(part for part in submission.buffers if part.name == "states").contents
    state = RenderSurfaceState.unpack(states[0x400:0x420])
    assert (state.surface_type, state.format.name, state.entries) == (SurfaceType.SURFTYPE_BUFFER, "RAW", 4)


def test_what_works_on_more_memory_may_do_more(monkeypatch):
    """Up to a limit: large pictures have many threads."""
    loop = "mov (1) r9.0<1>:d 200:d\ntop:\nadd.nz.f0.0 (1) r9.0<1>:d r9.0<0;1,0>:d -1:d\n"
    loop += "(+f0.0) jmpi (1) ip.0<1>:ud ip.0<0;1,0>:ud top"
    monkeypatch.setattr(streamer, "WORK_PER_SUBMISSION", 4)
    monkeypatch.setattr(streamer, "BYTES_PER_UNIT", 1 << 12)
    for size_B, most, is_enough in ((1 << 10, 1 << 20, False), (1 << 20, 1 << 20, True), (1 << 20, 8, False)):
        monkeypatch.setattr(streamer, "MOST_WORK", most)
        with nullcontext() if is_enough else pytest.raises(CaptureError, match="limit on executed work"):
            Gpu().dispatch(loop, groups=1, surfaces=[np.zeros(size_B, np.uint8)])
    with pytest.raises(CaptureError, match=r"limit on executed work allows, 8 units; `work` is how many times"):
        Gpu().dispatch(loop, groups=1, surfaces=[np.zeros(1 << 20, np.uint8)])
    Gpu(work=1000).dispatch(loop, groups=1, surfaces=[np.zeros(1 << 20, np.uint8)])


@pytest.mark.parametrize("work", [0, 1025, 1.5, True, "2"])
def test_work_is_a_number_of_times(work):
    with pytest.raises(StateError, match="how many times the limit may be done, 1 to 1024, found"):
        Gpu(work=work)
