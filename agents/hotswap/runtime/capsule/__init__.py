"""What a rank's state is: parameters with their optimizer state, buffers, and the small rest."""
