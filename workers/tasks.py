"""Where Celery looks for tasks: what is imported here is known to a worker."""

from workers import jobs, policy, reconcile, swaps, upkeep, webhooks

__all__ = ["jobs", "policy", "reconcile", "swaps", "upkeep", "webhooks"]
