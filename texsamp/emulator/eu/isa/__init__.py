"""Instructions of the execution units as objects, bytes and text; operands, opcodes and an assembler."""
