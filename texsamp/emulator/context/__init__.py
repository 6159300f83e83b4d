"""What a replay holds: memory, registers, base addresses and tables that commands set and threads use."""
