"""What is decided about jobs: pure, from plain values; `now` is an argument."""
