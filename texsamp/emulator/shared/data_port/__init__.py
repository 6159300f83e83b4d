"""The data ports: messages that read and write memory."""
