"""Files and pipes as such: complete or not there, temporary, numbered, read once."""
