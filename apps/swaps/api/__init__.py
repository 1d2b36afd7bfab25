"""Swaps over REST."""
