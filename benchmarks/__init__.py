"""Measurements against peers: same frames, same run, ratios rather than absolute times."""
