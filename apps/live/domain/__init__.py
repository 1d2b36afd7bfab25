"""What a browser is told, as values and text."""
