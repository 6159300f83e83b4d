"""The texture sampler: coordinates in, texels out (`docs/sampler.md`)."""
