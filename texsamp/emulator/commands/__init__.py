"""The command streamer and the blitter."""
