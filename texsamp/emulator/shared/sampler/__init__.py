"""The sampling engine: messages to it, carried out by the kernels of sampler and video."""
