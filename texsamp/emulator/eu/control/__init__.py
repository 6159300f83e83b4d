"""Branches, calls and waits: which instruction channels go on with."""
