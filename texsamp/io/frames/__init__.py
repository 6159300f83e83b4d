"""Pictures of FFmpeg's as frames of ours, and back: planes, layouts, field order, colors, rotation."""
