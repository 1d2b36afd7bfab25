"""Ids, clock, errors, outbox, transition tables, bases of the API: no business noun."""
