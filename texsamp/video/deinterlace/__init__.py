"""Deinterlacing: fields into frames, motion adaptive (seed 003:980-1224)."""
