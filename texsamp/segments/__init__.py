"""A long video in segments, worked on at once by several processes, each picture as one run makes it (docs/batch.md).

A segment begins with pictures before its first, which warm its filters up. Where it begins for good, filters must
remember exactly what those of the segment before do at its end; else it is filtered again from what those remember.
"""
