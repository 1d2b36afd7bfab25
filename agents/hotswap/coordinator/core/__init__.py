"""The protocol by which a rank changes hands: pure, without I/O, clock, chance or threads.

``member`` and ``mirror`` are the side of the training processes, ``coordinator`` decides for the
job. Events go in with the time at which they were learnt, effects come out, and whoever drives a
core carries them out in the order in which they stand.
"""
