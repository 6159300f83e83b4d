"""What may be called with arrays of a device: `tests/ptx/test_names.py` holds these names to the real CuPy."""

FUNCTIONS = {
    "any": ("axis", "keepdims"),
    "broadcast_arrays": (),
    "broadcast_to": (),
    "clip": (),
    "concatenate": ("axis",),
    "copyto": ("casting", "where"),
    "cumsum": ("axis", "dtype"),
    "empty_like": (),
    "ones_like": (),
    "packbits": ("bitorder",),
    "repeat": ("axis",),
    "searchsorted": (),
    "sort": (),
    "stack": ("axis",),
    "take": (),
    "unique": ("return_inverse",),
    "unpackbits": ("bitorder",),
    "where": (),
    "zeros_like": (),
}
"""numpy's functions that take these arrays, as CuPy's of the same names, with the keywords in use."""
UFUNCS = """absolute add bitwise_and bitwise_or bitwise_xor ceil copysign cos divide equal exp2 floor floor_divide
    fmax frexp greater greater_equal invert isfinite isinf isnan ldexp left_shift less less_equal log2
    logical_and maximum minimum multiply negative nextafter not_equal power remainder right_shift rint sign sin sqrt
    subtract trunc""".split()
"""numpy's universal functions that take them, with no keyword but ``out``."""
