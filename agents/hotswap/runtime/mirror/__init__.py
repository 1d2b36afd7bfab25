"""A rank's second copy: gradients logged by the owner, replayed by the mirror."""
