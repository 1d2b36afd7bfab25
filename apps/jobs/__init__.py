"""Training jobs: who owns which rank since when, how far they are, what protects them."""
