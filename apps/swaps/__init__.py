"""Swaps: the plan, the workflow and the history of each change of a rank's owner."""
