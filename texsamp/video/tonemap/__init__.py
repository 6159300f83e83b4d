"""Tone mapping: PQ and HLG to standard range (definitions in docs/tonemap.md)."""

from texsamp.video.tonemap.stage import ToneMap

__all__ = ["ToneMap"]
