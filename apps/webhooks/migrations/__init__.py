"""Changes of the tables of webhooks."""
