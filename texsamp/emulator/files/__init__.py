"""Capture files: reading, writing, walking their commands."""
