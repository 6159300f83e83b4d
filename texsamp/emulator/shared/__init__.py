"""The shared functions that threads send messages to."""
