"""People, roles, tenants, tokens of programs, credentials of agents."""
