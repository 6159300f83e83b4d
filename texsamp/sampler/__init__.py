"""The texture sampler: coordinates in, texels out."""
