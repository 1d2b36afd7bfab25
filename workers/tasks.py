"""Where Celery looks for tasks: what is imported here is known to a worker."""

from workers import webhooks

__all__ = ["webhooks"]
