"""Video in: containers, time, decoders, and what is damaged or cut."""
