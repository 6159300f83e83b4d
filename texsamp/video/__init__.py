"""Video stages: frames in, frames out."""
