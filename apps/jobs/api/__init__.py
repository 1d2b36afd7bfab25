"""REST: jobs, their curves, ranks, members, events, commands and certificates."""
