"""Messages to the shared functions: payloads gathered from registers, and answers put into them."""
