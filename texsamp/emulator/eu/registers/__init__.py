"""What threads hold: registers, accumulators, regions of them, and where each channel is."""
