"""Migrations of swaps."""
