"""Smaller mip levels: tables of filter taps, and the kernels that apply them."""

from __future__ import annotations

from typing import Literal

MipFilter = Literal["box", "kaiser", "lanczos"]
