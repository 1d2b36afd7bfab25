"""What a swap may do and when, pure: plain values and `now` in, a decision out."""
