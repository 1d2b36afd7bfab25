"""Signatures, waits and addresses of webhooks, as pure functions."""
