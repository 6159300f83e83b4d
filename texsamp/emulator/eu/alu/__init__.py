"""What instructions compute: one row for each opcode, and its reader by array operations."""
