"""The register of statistics that the deinterlacer's messages return (kernels/eu_media.h)."""

from __future__ import annotations

from texsamp.device import Device, Launch
from texsamp.device.base import Array
from texsamp.device.params import constant, params_type
from texsamp.video.deinterlace.statistics import StatisticsSurface

_STATISTICS = params_type("EuStatisticsParams")
_DWORDS, _THREADS_OF_A_TILE = constant("EU_STATISTICS_DWORDS"), constant("EU_MEDIA_THREADS")


def block_statistics(
    device: Device,
    x: Array,
    y: Array,
    sums: Array | None,
    noise: Array,
    stored: StatisticsSurface,
    film: Array | None,
) -> Array:
    """(threads, 8) uint32: sums, the least estimate of noise, history, and film variances, which saturate.

    x, y: upper left pixels of the threads' blocks, int32. The others are those of a `Call`; without film variances a
    block is two, one above the other. Beyond the picture all are 0, but an estimate is 255, none.
    """
    history, threads = stored.denoise_history, len(x)
    out = device.empty((threads, _DWORDS), "<u4")
    given = [None if each is None else device.address(each) for each in (sums, film)]
    params = _STATISTICS(
        out=device.address(out),
        x=device.address(x),
        y=device.address(y),
        sums=given[0] or 0,
        history=device.address(history),
        noise=device.address(noise),
        film=given[1] or 0,
        history_pitch=history.strides[0],
        down=history.shape[0],
        across=history.shape[1],
        wide_down=noise.shape[0],
        wide_across=noise.shape[1],
        threads=threads,
        deinterlaced=int(film is not None),
    )
    held = (out, x, y, history, noise, *(each for each in (sums, film) if each is not None))
    device.launch(Launch("eu_statistics", params, 1, -(-threads // _THREADS_OF_A_TILE), held))
    return out
