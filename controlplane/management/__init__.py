"""Administration of the whole plane."""
