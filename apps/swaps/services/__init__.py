"""What can be done with swaps."""
