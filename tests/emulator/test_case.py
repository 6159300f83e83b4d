"""Captured cases of a real driver, replayed to their pictures."""

from dataclasses import replace

import numpy as np
import pytest
from support.captures import buffer, capture_bytes
from support.replayed import ScaleMessages, paths, replayed, source_planes, to_yuv

from texsamp.emulator import Capture, Gpu
from texsamp.emulator import case as emulated_case
from texsamp.emulator.case import Case
from texsamp.emulator.surface_pictures import surface_picture
from texsamp.errors import CaptureError, FormatError, StateError, UndefinedBehavior
from texsamp.state.commands_mi import (
    MiBatchBufferEnd,
    MiLoadRegisterImm,
    MiNoop,
    MiStoreDataImm,
    MiStoreRegisterMem,
)

END = MiBatchBufferEnd().pack()


def _same(planes):
    return planes


def _to_i420(planes):
    luma, chroma = planes
    return [luma, chroma[:, 0::2], chroma[:, 1::2]]


def _to_nv12(planes):
    luma, u, v = planes
    return [luma, np.stack([u, v], axis=2).reshape(len(u), -1)]


def _swapped(planes):
    (pixels,) = planes
    return [pixels.reshape(len(pixels), -1, 2)[:, :, ::-1].reshape(pixels.shape)]


@pytest.mark.parametrize(
    ("case", "repack"),
    [("copy_nv12", _same), ("csc_nv12_i420", _to_i420), ("csc_i420_nv12", _to_nv12), ("csc_yuy2_uyvy", _swapped)],
)
def test_copies_and_repacks_are_bit_identical(case, repack):
    captures = [Capture.open(path) for path in paths(case)]
    pictures = replayed(case)
    assert len(pictures) == len(captures) == 4
    for picture, capture in zip(pictures, captures, strict=True):
        assert picture.name == capture.name
        for plane, expected in zip(picture.planes, repack(source_planes(capture)), strict=True):
            assert np.array_equal(plane, expected)


@pytest.mark.parametrize(
    "case",
    [
        "scale_up_704x576_hq",
        "scale_up_704x576_fast",
        "scale_up_704x576_default",
        "scale_down_176x144_hq",
        "scale_nla_528x288",
    ],
)
def test_scaled_pictures_equal_the_literal_scaler(case):
    for path, picture in zip(paths(case, 2), replayed(case, 2), strict=True):
        messages = ScaleMessages(path)
        luma, chroma = source_planes(messages.capture)
        expected = messages.luma(luma)
        rows, columns = picture.planes[0].shape
        assert np.array_equal(picture.planes[0], expected[:rows, :columns])
        for first in (0, 1):
            scaled = messages.chroma(chroma[:, first::2])
            assert np.array_equal(picture.planes[1][:, first::2], scaled[: rows // 2, : columns // 2])


def test_planar_pictures_scale_as_well():
    case = "csc_i420_i420_scaled"
    for path, picture in zip(paths(case, 1), replayed(case, 1), strict=True):
        messages = ScaleMessages(path)
        luma, *chroma = source_planes(messages.capture)
        rows, columns = picture.planes[0].shape
        assert np.array_equal(picture.planes[0], messages.luma(luma)[:rows, :columns])
        for plane, source in zip(picture.planes[1:], chroma, strict=True):
            assert np.array_equal(plane, messages.chroma(source)[: rows // 2, : columns // 2])


@pytest.mark.parametrize(("case", "order"), [("csc_nv12_rgbx", "RGB"), ("csc_nv12_bgrx", "BGR")])
def test_conversion_to_rgb_equals_the_kernels_arithmetic(case, order):
    for path, picture in zip(paths(case, 2), replayed(case, 2), strict=True):
        messages = ScaleMessages(path)
        luma, chroma = source_planes(messages.capture)
        u, v = (messages.doubled_chroma(chroma[:, first::2]) for first in (0, 1))
        (pixels,) = picture.planes
        for name, expected in zip("RGB", messages.to_rgb(luma, u, v), strict=True):
            assert np.array_equal(pixels[:, order.index(name) :: 4], expected)


@pytest.mark.parametrize(("case", "order"), [("csc_rgbx_nv12", "RGB"), ("csc_bgrx_nv12", "BGR")])
def test_conversion_from_rgb_equals_the_kernels_arithmetic(case, order):
    for path, picture in zip(paths(case, 2), replayed(case, 2), strict=True):
        (pixels,) = source_planes(Capture.open(path))
        luma, u, v = to_yuv(*(pixels[:, order.index(name) :: 4] for name in "RGB"))
        assert np.array_equal(picture.planes[0], luma)
        assert np.array_equal(picture.planes[1][:, 0::2], u[::2, ::2])
        assert np.array_equal(picture.planes[1][:, 1::2], v[::2, ::2])


@pytest.mark.parametrize("case", ["csc_nv12_yuy2", "csc_i420_yuy2"])
def test_packed_pictures_keep_luma_and_have_interpolated_chroma(case):
    for path, picture in zip(paths(case, 1), replayed(case, 1), strict=True):
        messages = ScaleMessages(path)
        luma, *chroma = source_planes(messages.capture)
        u, v = chroma if len(chroma) == 2 else (chroma[0][:, 0::2], chroma[0][:, 1::2])
        (pixels,) = picture.planes
        assert np.array_equal(pixels[:, 0::2], luma)
        for first, plane in ((1, u), (3, v)):
            assert np.array_equal(pixels[:, first::4], messages.chroma_at_every_row(plane))


def test_packed_pictures_become_planar():
    (path,) = paths("csc_yuy2_nv12", 1)
    (picture,) = replayed("csc_yuy2_nv12", 1)
    (pixels,) = source_planes(Capture.open(path))
    assert np.array_equal(picture.planes[0], pixels[:, 0::2])
    assert np.array_equal(picture.planes[1][:, 0::2], pixels[::2, 1::4])
    assert np.array_equal(picture.planes[1][:, 1::2], pixels[::2, 3::4])


def test_cropped_pictures_are_placed():
    case = "crop_place_bg"
    (path,) = paths(case, 1)
    (picture,) = replayed(case, 1)
    capture = Capture.open(path)
    left, top, width, height = capture.meta["output_region"]
    x, y, source_width, source_height = capture.meta["surface_region"]
    surface = source_planes(capture)[0][: y + source_height, : x + source_width]  # the sampler's surface ends there
    expected = ScaleMessages(path).luma(surface)
    placed = picture.planes[0][top : top + height, left : left + width]
    assert np.array_equal(placed, expected[:height, :width])
    outside = np.ones(picture.planes[0].shape, bool)
    outside[top : top + height, left : left + width] = False
    assert len(np.unique(picture.planes[0][outside])) == 1


# ---- cases made up --------------------------------------------------------------------------------------------------


def _capture(commands, sequence=0, pixels=bytes(64), **changes):
    meta = {"dst": {"bo_handle": 9, "fourcc": "NV12", "width": 4, "height": 2, "planes": [
        {"offset": 0, "pitch": 8}, {"offset": 16, "pitch": 8}]}, "frame": sequence}  # fmt: skip
    data = (b"".join(command.pack() for command in commands) + END).ljust(64, b"\0")
    parts = [buffer(1, 0x10000, data), buffer(9, 0x20000, pixels)]
    return Capture.from_bytes(capture_bytes(*parts, sequence=sequence, **{"meta": meta} | changes), f"made_{sequence}")


def _store(offset, value):
    return MiStoreDataImm(address=0x20000 + offset, data=value)


def test_pictures_are_read_plane_by_plane():
    (picture,) = Case.of([_capture([_store(0, 0x04030201), _store(8, 0x08070605), _store(16, 0x0C0B0A09)])]).replay()
    assert [plane.tolist() for plane in picture.planes] == [[[1, 2, 3, 4], [5, 6, 7, 8]], [[9, 10, 11, 12]]]
    assert picture.raw() == bytes(range(1, 13))
    assert (picture.fourcc, picture.width_px, picture.height_rows) == ("NV12", 4, 2)


def test_submissions_run_in_order_whatever_order_they_are_given_in():
    first, second = _capture([_store(0, 1)]), _capture([_store(4, 2)], sequence=1)
    pictures = list(Case.of([second, first]).replay())
    assert [picture.name for picture in pictures] == ["made_0", "made_1"]
    assert [picture.planes[0][0].tolist() for picture in pictures] == [[1, 0, 0, 0], [1, 0, 0, 0]]
    assert pictures[0].planes[0] is not pictures[1].planes[0]


def test_a_picture_is_finished_when_the_next_one_begins():
    same = {"meta": _capture([]).meta}
    captures = [
        _capture([_store(0, 1)], **same),
        _capture([_store(0, 2)], sequence=1, **same),
        _capture([], sequence=2),
    ]
    assert [picture.name for picture in Case.of(captures).replay()] == ["made_1", "made_2"]


def test_stop_at_leaves_the_picture_as_it_is():
    seen = []
    case = Case.of([_capture([MiNoop(), _store(0, 1), _store(0, 2)]), _capture([], sequence=1)])
    pictures = list(case.replay(lambda capture, done: seen.append(done.located.command.name), stop_at=2))
    assert seen == ["MI_NOOP", "MI_STORE_DATA_IMM"]
    assert [(picture.name, picture.planes[0][0, 0]) for picture in pictures] == [("made_0", 1)]


def test_a_file_may_be_named_alone(tmp_path):
    path = tmp_path / "a_000.g7cap"
    Gpu().submission("mov (8) r2.0<1>:d 1:d", groups=(1, 1)).save(path)
    names = [[capture.name for capture in Case.open(given).captures] for given in ([path], path, str(path))]
    assert names == [["a_000.g7cap"]] * 3


def test_writers_of_bytes_are_found():
    case = Case.open(paths("copy_nv12", 1))
    (picture,) = case.replay()
    writer = case.writer_of(picture, 0, 100, 37)
    block = 37 // 16 * (352 // 16) + 100 // 16
    assert ": MEDIA_OBJECT at 0x" in writer
    assert f": thread {block}, render_cache message 0x120a8018 to surface 24, RenderSurfaceState(" in writer
    writer = case.writer_of(picture, 1, 351, 143)
    assert ": thread 395, render_cache message 0x0a0a8019 to surface 25, RenderSurfaceState(" in writer
    with pytest.raises(CaptureError, match="have no place in memory"):
        case.writer_of(replace(picture, origin=None), 0, 0, 0)
    for plane in (-1, 2):
        with pytest.raises(CaptureError, match=f"plane {plane} of a target of 2"):
            case.writer_of(picture, plane, 0, 0)
    for x_B, row in ((352, 0), (-1, 0), (0, 144), (0, -1), (1 << 40, 0)):
        with pytest.raises(CaptureError, match=f"byte {x_B} of row {row} of a plane of 352 bytes and 144 rows"):
            case.writer_of(picture, 1, x_B, row)


def test_contexts_keep_their_registers_and_the_default_context_does_not():
    """By submission: context, what it loads into a register, and what the register held before, its first pixels."""
    plan = [(1, 11, 0), (2, 22, 0), (0, 33, 0), (1, 12, 11), (0, 34, 0), (2, 23, 22), (1, 13, 12)]
    captures = [
        _capture(
            [
                MiStoreRegisterMem(register_offset=0x2440, memory_address=0x20000),
                MiLoadRegisterImm(register_offset=0x2440, data=value),
            ],
            sequence=number,
            context=context,
        )
        for number, (context, value, _) in enumerate(plan)
    ]
    found = [int(picture.planes[0][0].view("<u4")[0]) for picture in Case.of(captures).replay()]
    assert found == [held for _, _, held in plan]


def test_cases_do_not_mix():
    told = "one case are replayed at a time: made_0 is of case 'made_for_a_test', made_1 of 'other'"
    with pytest.raises(CaptureError, match=told):
        Case.of([_capture([]), _capture([], sequence=1, tag="other")])
    with pytest.raises(CaptureError, match="made_3 and made_3 are both submission 3"):
        Case.of([_capture([], sequence=3), _capture([], sequence=3)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fourcc": "XYZ1"}, "2 planes of layout 'XYZ1'"),
        ({"width": 40000}, "a target of 40000x2 pixels"),
        ({"planes": [{"offset": 0, "pitch": 8}]}, "1 planes of layout 'NV12'"),
        ({"planes": [{"offset": 0, "pitch": 8}, {"offset": 64, "pitch": 8}]}, "the region needs"),
        ({"planes": [{"offset": 0, "pitch": 0}, {"offset": 60, "pitch": 8}]}, "pitch"),
        ({"planes": [{"offset": -8, "pitch": 8}, {"offset": 60, "pitch": 8}]}, "y_rows must be"),
        ({"bo_handle": "x"}, "garbles 'bo_handle'"),
    ],
)
def test_garbled_targets_are_capture_errors(change, message):
    meta = _capture([]).meta
    with pytest.raises(CaptureError, match=message):
        list(Case.of([_capture([], meta=meta | {"dst": meta["dst"] | change})]).replay())


def test_a_picture_that_cannot_be_read_ends_no_other():
    meta = _capture([]).meta
    garbled = meta | {"dst": meta["dst"] | {"fourcc": "XYZ1"}}
    case = Case.of([_capture([_store(0, 1)]), _capture([], sequence=1, meta=garbled), _capture([], sequence=2)])
    told = []
    assert [picture.name for picture in case.replay(unread=told.append)] == ["made_0", "made_2"]
    assert [str(error) for error in told] == ["made_1: 2 planes of layout 'XYZ1'"]
    replayed = case.replay()
    assert [next(replayed).name, next(replayed).name] == ["made_0", "made_2"]
    with pytest.raises(CaptureError, match=r"^made_1: 2 planes of layout 'XYZ1'$"):
        next(replayed)


def test_a_submission_that_cannot_be_executed_ends_no_other():
    """Its picture does not come, nor does one that others work on, too; without a listener or strict it ends all."""
    broken = [_store(0, 1), MiStoreDataImm(address=0x900000, data=1)]
    shared = _capture([]).meta | {"frame": 7}
    case = Case.of(
        [
            _capture([_store(0, 1)]),
            _capture(broken, sequence=1),
            _capture(broken, sequence=2, meta=shared),
            _capture([], sequence=3, meta=shared),
            _capture([_store(8, 2)], sequence=4),
        ]
    )
    told = []
    pictures = list(case.replay(unread=told.append))
    assert [picture.name for picture in pictures] == ["made_0", "made_4"]
    assert pictures[1].planes[0].tolist() == [[1, 0, 0, 0], [2, 0, 0, 0]]
    assert [str(error).partition(":")[0] for error in told] == ["made_1", "made_2"]
    assert all("0x900000" in str(error) for error in told)
    assert case.writer_of(pictures[1], 0, 0, 1).startswith("made_4: ")
    for listener, strict in ((None, False), (told.append, True)):
        replayed = case.replay(unread=listener, strict=strict)
        assert next(replayed).name == "made_0"
        with pytest.raises(CaptureError, match=r"^made_1: .*0x900000"):
            next(replayed)


@pytest.mark.parametrize("error", [CaptureError, FormatError, StateError, UndefinedBehavior])
def test_a_surface_that_cannot_be_read_ends_no_other(error, monkeypatch):
    """Where a capture names no picture; the name says which surface it was."""
    captures = [replace(Capture.open(path), meta={}) for path in paths("csc_nv12_i420", 1)]
    whole = [picture.name for picture in Case.of(captures).replay()]
    assert len(whole) > 1

    def refuse(memory, surface, capture):
        picture = surface_picture(memory, surface, capture)
        if picture.name == whole[0]:
            raise error("no such texels")
        return picture

    monkeypatch.setattr(emulated_case, "surface_picture", refuse)
    told = []
    assert [picture.name for picture in Case.of(captures).replay(unread=told.append)] == whole[1:]
    assert [(type(each), str(each)) for each in told] == [(CaptureError, f"{whole[0]}: no such texels")]


def test_of_many_pictures_that_cannot_be_read_the_first_is_named():
    meta = _capture([]).meta
    garbled = [meta | {"dst": meta["dst"] | {"fourcc": "XYZ1"}, "frame": frame} for frame in range(3)]
    case = Case.of([_capture([], sequence=number, meta=each) for number, each in enumerate(garbled)])
    with pytest.raises(CaptureError, match=r"^made_0: .* \(and 2 more pictures cannot be read\)$"):
        list(case.replay())


def test_targets_no_submission_has_shown_give_no_picture():
    meta = _capture([]).meta
    assert list(Case.of([_capture([], meta={})]).replay()) == []
    assert list(Case.of([_capture([], meta=meta | {"dst": meta["dst"] | {"bo_handle": 77}})]).replay()) == []


@pytest.mark.parametrize("case", ["csc_nv12_bgrx", "dn_025", "di_madi_top"])
def test_captures_that_name_no_picture_leave_what_threads_wrote(case):
    """Statistics surfaces are declared wider than their pitch, which stops no read-out."""
    captures = [replace(Capture.open(path), meta={}) for path in paths(case, 3)]
    names = [picture.name for picture in Case.of(captures).replay()]
    assert any("_statistics" in name for name in names) is not case.startswith("csc")
    assert len(names) == len(set(names)) >= len(captures) - 1


@pytest.mark.parametrize(
    ("device", "message"),
    [("skl_gt2", r"skl_gt2, generation 9 \(Skylake\); generation 7 is"), ("hsw", r"hsw, generation 7.5 \(Haswell\)")],
)
def test_captures_of_other_generations_are_refused(device, message):
    batch = buffer(1, 0x10000, MiBatchBufferEnd().pack())
    capture = Capture.from_bytes(capture_bytes(batch, device=device), "other")
    with pytest.raises(CaptureError, match=f"other: captured on {message}"):
        Case.of([capture])
    for ours in ("ivb_gt2", "byt", "unnamed"):
        assert not list(Case.of([Capture.from_bytes(capture_bytes(batch, device=ours), "own")]).replay())
