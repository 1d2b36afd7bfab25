"""What a secret looks like and which roles there are. Pure."""
