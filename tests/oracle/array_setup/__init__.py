"""Clipping, culling and setup as operations on arrays of the host: what the kernels must equal bit for bit."""
