"""Micro-checkpoints: the last resort when owner and mirror of a rank are lost together."""
