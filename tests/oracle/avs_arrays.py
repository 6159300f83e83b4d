"""The scaler once more, over whole arrays: for pictures larger than the scalar oracle can take. Held against it."""

from collections.abc import Sequence

import numpy as np

from oracle.avs import AdaptiveState


def _window(size: int, positions: np.ndarray, edge: str) -> np.ndarray:
    """Indices of the 8 samples of every position, shape (count, 8)."""
    k = (positions >> 5)[:, np.newaxis] + np.arange(-3, 5)
    if edge == "mirror":
        k = np.where(k < 0, -k - 1, np.where(k >= size, 2 * size - 1 - k, k))
    return np.clip(k, 0, size - 1)


def _blended(windows: np.ndarray, phases: np.ndarray, rows: np.ndarray, alpha: np.ndarray | int, top: int | None):
    """Sharp and smooth filter over the last axis, mixed; `top` clamps the sharp one to [0, top]."""
    sharp = (windows * rows[phases]).sum(axis=-1)
    if top is not None:
        sharp = np.clip(sharp, 0, top)
    smooth = 2 * (windows[..., 3] * (32 - phases) + windows[..., 4] * phases)
    return (alpha * sharp + (256 - alpha) * smooth + 128) >> 8


def _alpha(windows: np.ndarray, state: AdaptiveState) -> np.ndarray:
    slopes = np.diff(windows, axis=-1)
    steps = np.abs(slopes)
    bends = np.abs(np.diff(slopes, axis=-1))[..., 2:4].sum(axis=-1) // 2
    d8 = steps.max(axis=-1)
    if state.rule == "ours":
        calmer_side = np.minimum(steps[..., 2:4].max(axis=-1), steps[..., 3:5].max(axis=-1))
        excess = d8 - (np.maximum(calmer_side - state.max_derivative4, 0) << state.transition4)
        return 256 - np.clip((excess - state.max_derivative8) << (8 - state.transition8), 0, 256)
    d4 = np.minimum(bends, np.maximum(steps[..., 3], np.minimum(steps[..., 2], steps[..., 4])))
    a8 = np.clip((d8 - state.max_derivative8) << (8 - state.transition8), 0, 255)
    a4 = np.clip((d4 - state.max_derivative4) << (8 - state.transition4), 0, 255)
    alpha = np.maximum(255 - a8, a4)
    return alpha + (alpha == 255)


def avs_plane(
    samples: np.ndarray,
    px: Sequence[int],
    py: Sequence[int],
    tables: tuple[np.ndarray, np.ndarray],
    state: AdaptiveState,
    *,
    edge: str = "clamp",
    bits: int = 8,
    output: str = "same",
) -> np.ndarray:
    """The Y channel scaled: int64, shape (len(py), len(px)). `tables` are 0X and 0Y. `output` as in `oracle.avs`."""
    source = np.asarray(samples, dtype=np.int64)
    x, y = np.asarray(px, dtype=np.int64), np.asarray(py, dtype=np.int64)
    kx, ky = (np.asarray(table, dtype=np.int64) for table in tables)
    fixed = state.default_sharpness + state.default_sharpness // 255
    top = 2**bits - 1

    across = source[:, _window(source.shape[1], x, edge)]
    alpha = fixed if state.bypass_x else _alpha(across >> (bits - 8), state)
    middle = _blended(across, x & 31, kx, alpha, None)

    down = np.moveaxis(middle[_window(source.shape[0], y, edge)], 1, -1)
    alpha = fixed if state.bypass_y else _alpha(np.clip(down >> 6, 0, top) >> (bits - 8), state)
    # phases vary along the first axis here
    total = _blended(np.moveaxis(down, 0, 1), y & 31, ky, alpha if isinstance(alpha, int) else alpha.T, top << 12)
    if output == "full16":
        return np.clip((total.T + 8) >> 4, 0, top << 8)
    return np.clip((total.T + 2048) >> 12, 0, top)
