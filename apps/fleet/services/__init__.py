"""Writes; one module per noun."""
