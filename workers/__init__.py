"""Processes that act on what the database says: relay, webhooks, swap driver, reconciler."""
