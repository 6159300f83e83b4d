"""Video out: what is asked of an encoder, the encoder at work, and the container it ends in."""
