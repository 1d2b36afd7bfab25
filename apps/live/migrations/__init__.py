"""Changes of the tables of live."""
