"""What browsers see as it happens: numbered deltas per tenant. Nothing is decided here."""
