"""HDR metadata goes into the output, or is named as lost."""

from pathlib import Path
from typing import Any

import av
import pytest
from support.media import gray_ramp, write_video

import texsamp as ts
from texsamp.io import VideoReader
from texsamp.video.hdr import ContentLight, HdrMetadata

MASTER = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
DISPLAY = (34000, 16000, 13250, 34500, 7500, 3000, 15635, 16450)
LIGHT = ContentLight(987, 123)


@pytest.fixture(scope="module")
def hdr10(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def pq(_: Any, stream: Any) -> None:
        context = stream.codec_context
        context.color_primaries, context.color_trc, context.colorspace = 9, 16, 9

    return write_video(
        tmp_path_factory.mktemp("hdr") / "hdr10.mkv",
        [gray_ramp(64, 48, n).reformat(format="yuv420p10le") for n in range(3)],
        codec="libx265",
        options={"x265-params": f"log-level=error:master-display={MASTER}:max-cll=987,123"},
        setup=pq,
    )


@pytest.mark.parametrize("codec", ["libx265", "libsvtav1", "libx264"])
@pytest.mark.parametrize("container", ["mkv", "mp4"])
def test_encoders_store_it(hdr10: Path, tmp_path: Path, codec: str, container: str) -> None:
    out = tmp_path / f"out.{container}"
    result = ts.process(hdr10, out, vf="scale=72x56", codec=codec, pix_fmt="yuv420p10le")
    assert not [note for note in result.notes if "HDR" in note]
    with VideoReader(out) as reader:
        found = reader.first_frame.hdr
        assert found is not None
        assert found.light == LIGHT
        assert found.mastering is not None
        assert found.mastering.primaries is not None
        assert found.mastering.white is not None
        stored = [value for point in (*found.mastering.primaries, found.mastering.white) for value in point]
        assert [round(value * 50000) for value in stored] == pytest.approx(DISPLAY, abs=1)
        assert found.mastering.luminance == pytest.approx((0.005, 1000), rel=0.01)


@pytest.mark.parametrize(("name", "options"), [("a.webm", {}), ("a.mkv", {"lossless": True})])
def test_encoders_without_a_place_for_it_are_named(
    hdr10: Path, tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    notes = ts.process(hdr10, tmp_path / name, **options).notes
    codec = "ffv1" if options else "libvpx-vp9"
    assert f"the HDR mastering display metadata is lost: {codec} takes none" in notes
    assert f"the HDR content light level is lost: {codec} takes none" in notes
    assert "y4m cannot hold HDR metadata: it is dropped" in ts.process(hdr10, tmp_path / "a.y4m").notes


def test_one_without_the_other(tmp_path: Path) -> None:
    source = write_video(
        tmp_path / "a.mkv",
        [gray_ramp(64, 48, n).reformat(format="yuv420p10le") for n in range(2)],
        codec="libx265",
        options={"x265-params": "log-level=error:max-cll=1000,400"},
    )
    ts.process(source, tmp_path / "b.mkv", codec="libx265")
    with VideoReader(tmp_path / "b.mkv") as reader:
        assert reader.first_frame.hdr == HdrMetadata(light=ContentLight(1000, 400))
    with av.open(tmp_path / "b.mkv") as container:
        kinds = {side.type.name for side in next(container.decode(video=0)).side_data}
        assert "MASTERING_DISPLAY_METADATA" not in kinds


def escaped(unit: bytes) -> bytes:
    """The bytes of a unit, none of which looks like the start of another."""
    made = b""
    for byte in unit:
        made += b"\3" * (made.endswith(b"\0\0") and byte < 4) + bytes([byte])
    return made


def with_hdr10_plus(stream: bytes) -> bytes:
    """An HEVC stream with a message of dynamic metadata (SMPTE ST 2094-40) before its first picture."""
    fields = [(1, 2), (1000, 27), (0, 1), *[(50000, 17)] * 4, (0, 4), (0, 10), (0, 1), (0, 1), (0, 1)]
    bits = "".join(f"{value:0{count}b}" for value, count in fields)
    body = bytes([0xB5, 0, 0x3C, 0, 1, 4, 1]) + int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(
        -(-len(bits) // 8), "big"
    )
    message = bytes([4, len(body)]) + body + b"\x80"
    parts = stream.split(b"\0\0\1")
    first = next(n for n, part in enumerate(parts) if part and (part[0] >> 1) in range(16, 22))
    return b"\0\0\1".join([*parts[:first], b"\x4e\1" + escaped(message), *parts[first:]])


def ue(number: int) -> str:
    """An Exp-Golomb code."""
    bits = f"{number + 1:b}"
    return bits.rjust(2 * len(bits) - 1, "0")


def dolby_vision() -> bytes:
    """A unit of HEVC with Dolby Vision's reference processing unit: 10 bits, each component mapped to itself."""
    fields = ["00011001", "000010", "00000010010", "0001", "0000", "1000", ue(23), "010", ue(2), ue(2), ue(4)]
    fields += ["00000", "1", "00", *[ue(0)] * 3]  # flags of the sequence, no display management, identifiers
    fields += [ue(0), f"{0:010b}{1023:010b}"] * 3  # pivots
    fields += [ue(0)] * 2  # partitions
    fields += [ue(0), ue(0), "0", ue(0), "0" * 23, ue(1), "0" * 23] * 3  # y = 0 + 1 * x
    bits = "".join(fields)
    body = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    return b"\0\0\1\x7c\1" + escaped(body + b"\1\2\3\4\x80")


def test_dolby_vision_is_named_as_lost(hdr10: Path, tmp_path: Path) -> None:
    plain(hdr10, tmp_path / "plain.hevc")
    with av.open(tmp_path / "plain.hevc") as source, (tmp_path / "vision.hevc").open("wb") as target:
        for packet in source.demux(video=0):
            target.write(bytes(packet) + dolby_vision() if packet.size else b"")
    notes = ts.process(tmp_path / "vision.hevc", tmp_path / "out.mkv", codec="libx265").notes
    assert "Dolby Vision metadata cannot be passed on to the output" in notes


def plain(source_path: Path, path: Path) -> None:
    """The pictures as HEVC without a container."""
    with av.open(source_path) as source, av.open(path, "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0], opaque=True)
        for packet in source.demux(video=0):
            if packet.size:
                packet.stream = stream
                target.mux(packet)


def test_dynamic_metadata_is_named_as_lost(hdr10: Path, tmp_path: Path) -> None:
    plain(hdr10, tmp_path / "plain.hevc")
    (tmp_path / "plus.hevc").write_bytes(with_hdr10_plus((tmp_path / "plain.hevc").read_bytes()))
    with VideoReader(tmp_path / "plus.hevc") as reader:
        assert "HDR10+ metadata cannot be passed on to the output" in reader.notes
        assert reader.first_frame.hdr is not None
        assert reader.first_frame.hdr.light == LIGHT
