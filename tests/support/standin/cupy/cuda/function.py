"""Modules and their functions."""

from cupy._modules import Function, Module

__all__ = ["Function", "Module"]
