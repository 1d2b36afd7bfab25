"""Moving a rank's state between members, and proving that it arrived: no I/O on import."""
