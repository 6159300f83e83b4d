"""Surfaces: how pixels and texels lie in memory."""
