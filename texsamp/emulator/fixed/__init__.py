"""The fixed functions of the 3D pipeline, between its threads: state and arrays in, arrays out."""
