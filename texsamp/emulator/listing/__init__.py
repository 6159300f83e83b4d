"""What `inspect` prints: states and programs that commands refer to."""
