"""The manual written out literally: slow, scalar, and without code shared with the kernels."""
