"""Starts a job's processes, watches over them, and speaks with people and programs."""
