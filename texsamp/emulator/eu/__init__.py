"""The execution units of Gen7: instructions as objects and text, an assembler, and an interpreter over many threads."""
