"""Launches of a stream that are sent again on a GPU: the frames of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.media import random_frames

from texsamp import Deinterlace, Pipeline, get_device
from texsamp.device.cuda import CudaDevice

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("mode", ["hq", "madi"])
def test_streams(monkeypatch: pytest.MonkeyPatch, mode: Any) -> None:
    sent: list[int] = []

    def send(device: CudaDevice, repeated: Any, kept: object) -> None:
        sent.append(sum(repeated.counts))
        of_any_device(device, repeated, kept)

    of_any_device = CudaDevice.send
    monkeypatch.setattr(CudaDevice, "send", send)
    frames = [frame.told(interlaced=True) for frame in random_frames("yuv420p", 40, 24, 5)]
    on_gpu, on_cpu = (
        list(Pipeline([Deinterlace(mode, "field", scenecut="off")], device)(frames)) for device in ("cuda", "cpu")
    )
    assert sent
    assert all(frame.device is get_device("cuda") for frame in on_gpu)
    for a, b in zip(on_gpu, on_cpu, strict=True):
        assert all(map(np.array_equal, a.to_arrays(), b.to_arrays()))
