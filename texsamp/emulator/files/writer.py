"""Writing capture files (docs/capture-format.md): what `capture` reads, from commands and memory of one's own."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from texsamp.emulator.files.capture import MAGIC, PREFIX, Capture, Relocation
from texsamp.errors import CaptureError

_VERSION = 1


@dataclass(frozen=True)
class BufferContents:
    """A buffer object to be written: its place in graphics memory and its bytes before execution.

    stride: bytes from row to row of a tiled buffer ("X" or "Y"). written: whether the submission writes it.
    """

    handle: int
    address: int
    contents: bytes
    name: str = ""
    tiling: str = "linear"
    stride: int = 0
    written: bool = False
    relocations: tuple[Relocation, ...] = ()


@dataclass(frozen=True)
class Submission:
    """One submission to be written; fields as in `Capture`. The batch begins in buffers[batch_index]."""

    case: str
    buffers: Sequence[BufferContents]
    sequence: int = 0
    batch_index: int = 0
    batch_offset: int = 0
    batch_length: int = 0
    ring: str = "render"
    context: int = 0
    device: str = "ivb_gt2"
    pci_id: str = "0x0166"
    swizzle: str = "none"
    meta: dict[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The bytes of a capture file; CaptureError if `Capture` would refuse it, naming what is wrong."""
        packed = [zlib.compress(buffer.contents) for buffer in self.buffers]
        entries, position = [], 0
        for index, (buffer, data) in enumerate(zip(self.buffers, packed, strict=True)):
            entries.append(_entry(index, buffer) | {"data_off": position, "data_len": len(data)})
            position += len(data)
        header = {
            "version": _VERSION, "device": self.device, "pci_id": self.pci_id, "seq": self.sequence, "tag": self.case,
            "meta": self.meta, "ring": self.ring, "exec_flags": 0, "context": self.context,
            "batch_bo": self.batch_index, "batch_start": self.batch_offset, "batch_len": self.batch_length,
            "swizzle": self.swizzle, "bos": entries,
        }  # fmt: skip
        try:
            text = json.dumps(header, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise CaptureError(f"{self.case}: meta is no JSON: {error}") from None
        compressed = zlib.compress(text)
        data = PREFIX.pack(MAGIC, len(compressed), len(text)) + compressed + b"".join(packed)
        Capture.from_bytes(data, self.case)
        return data

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a capture file; CaptureError as `to_bytes`, or if the file cannot be written."""
        data = self.to_bytes()
        try:
            Path(path).write_bytes(data)
        except OSError as error:
            raise CaptureError(f"{path}: cannot be written: {error.strerror}") from None


def _entry(index: int, buffer: BufferContents) -> dict[str, object]:
    return {
        "index": index,
        "handle": buffer.handle,
        "name": buffer.name,
        "gpu_offset": buffer.address,
        "size": len(buffer.contents),
        "tiling": buffer.tiling,
        "stride": buffer.stride,
        "exec_flags": 0,
        "write": buffer.written,
        "crc32": zlib.crc32(buffer.contents),
        "relocs": [[r.offset, r.target_handle, r.delta, r.read_domains, r.write_domain] for r in buffer.relocations],
    }
