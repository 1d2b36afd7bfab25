"""What a chain is, and what is wrong with one. Pure."""
