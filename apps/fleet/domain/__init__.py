"""What is decided about a fleet, from values alone."""
