"""Captured submissions: the folder of real ones, and small ones built for a test."""

import json
import os
import re
import struct
import zlib
from pathlib import Path

import pytest

CAPTURES = Path(os.environ.get("TEXSAMP_CAPTURES", Path(__file__).parents[3] / "shared" / "captures"))


def real_captures(pattern: str = "*/*.g7cap") -> list[Path]:
    """Files of the captures folder; the test is skipped where there is none."""
    found = sorted(CAPTURES.glob(pattern))
    if not found:
        pytest.skip(f"no captures {pattern} in {CAPTURES.name}: set TEXSAMP_CAPTURES")
    return found


def deflated(contents: bytes) -> bytes:
    """As a capture has it, but in a hurry: by default this takes most of the time of tests with large buffers."""
    return zlib.compress(contents, 1)


def buffer(handle: int, address: int, contents: bytes, relocations: list[tuple[int, int]] | None = None) -> dict:
    """One buffer object; relocations are (offset, target handle) of dwords that are in `contents` already."""
    return {
        "handle": handle,
        "gpu_offset": address,
        "contents": contents,
        "relocs": [[offset, target, 0, 2, 0] for offset, target in relocations or []],
    }


def capture_bytes(*buffers: dict, sequence: int = 0, batch: int = 0, start: int = 0, **changes: object) -> bytes:
    """Bytes of a capture file; `changes` replace header entries, or entries of buffer n as `bo<n>_<key>`."""
    packed = [deflated(entry["contents"]) for entry in buffers]
    entries, position = [], 0
    for index, (entry, data) in enumerate(zip(buffers, packed, strict=True)):
        header = {
            "index": index,
            "handle": entry["handle"],
            "name": f"buffer {index}",
            "gpu_offset": entry["gpu_offset"],
            "size": len(entry["contents"]),
            "tiling": "linear",
            "stride": 0,
            "exec_flags": 0,
            "write": False,
            "crc32": zlib.crc32(entry["contents"]),
            "data_off": position,
            "data_len": len(data),
            "relocs": entry["relocs"],
        }
        prefix = f"bo{index}_"
        header |= {key.removeprefix(prefix): value for key, value in changes.items() if key.startswith(prefix)}
        entries.append(header)
        position += len(data)
    document = {
        "version": 1,
        "device": "ivb_gt2",
        "pci_id": "0x0166",
        "seq": sequence,
        "tag": "made_for_a_test",
        "meta": {},
        "ring": "render",
        "exec_flags": 0,
        "context": 0,
        "batch_bo": batch,
        "batch_start": start,
        "batch_len": 0,
        "swizzle": "none",
        "bos": entries,
    }
    document |= {key: value for key, value in changes.items() if not re.match(r"bo\d+_", key)}
    text = json.dumps(document).encode()
    header = zlib.compress(text)
    return struct.pack("<8sII", b"G7CAP\0\0\x01", len(header), len(text)) + header + b"".join(packed)
