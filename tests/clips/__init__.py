"""Odd inputs, made on the spot: the same bytes in every run with the same FFmpeg."""
